"""`clgraph sample` in a fresh process, kernels in the cache: seconds from start to end, and of the CPU.

    python benchmarks/first_call.py --device pocl --graph internet.txt --json first.json

"import clgraph" and "clgraph --help" are measured beside it. Medians of `--repeat` processes; two more before
them fill the caches of kernels and of compiled Python. Run it on an idle machine: a process lives half a
second.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def measured(words: list[str], repeat: int) -> dict[str, float]:
    """Median seconds of a command: by the clock, and of the CPU."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    clock, cpu = [], []
    for i in range(repeat + 2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL, env=environment)
        took = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if i >= 2:
            clock.append(took)
            cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {"seconds": statistics.median(clock), "cpu_seconds": statistics.median(cpu)}


def main() -> None:
    """Measure, print a line for each command, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="")
    parser.add_argument("--graph", default="internet.txt", help="a file, or its name in the data folder")
    parser.add_argument("--method", default="drv")
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--data", default=os.environ.get("CLGRAPH_TEST_DATA", ""))
    parser.add_argument("--json", metavar="OUT")
    options = parser.parse_args()
    graph = options.graph if Path(options.graph).is_file() else str(Path(options.data) / options.graph)
    with tempfile.TemporaryDirectory() as folder:
        words = ["-m", "clgraph", "sample", graph, "--method", options.method, "--size", "50%", "-q"]
        words += ["--seed", "1", "-o", str(Path(folder) / "out.txt")]
        words += ["--device", options.device] if options.device else []
        rows = {
            "python": measured(["-c", "pass"], options.repeat),
            "import numpy": measured(["-c", "import numpy"], options.repeat),
            "import clgraph": measured(["-c", "import clgraph"], options.repeat),
            "clgraph --help": measured(["-m", "clgraph", "--help"], options.repeat),
            "clgraph sample": measured(words, options.repeat),
        }
    for name, row in rows.items():
        print(f"{name}: {row['seconds']:.3f} s, CPU {row['cpu_seconds']:.3f} s")
    if options.json:
        Path(options.json).write_text(json.dumps({"graph": graph, "load": os.getloadavg(), "rows": rows}))


if __name__ == "__main__":
    main()
