"""How fast graph files are read and written, beside pandas, SciPy and NetworkX where they are installed.

    python benchmarks/reading.py --rows 16000000 --json reading.json

Each figure is the median of `--repeat` runs in one process; peers build a SciPy CSR matrix (NetworkX: its own
graph, a tenth of the rows). Peak memory is that of a process of its own which reads the edge list.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from clgraph.io import read, write
from clgraph.io.common import cells, write_cells

PEAK = """
import resource, sys
from clgraph.io import read
read(sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def median(repeat: int, work: Callable[[], Any]) -> float:
    """Seconds of wall-clock time."""
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def matrix(rows: Any) -> sp.csr_array:
    n = int(rows.max()) + 1
    return sp.csr_array((np.ones(len(rows), np.int8), (rows[:, 0], rows[:, 1])), shape=(n, n))


def write_rows(path: Path, ends: Any, n: int) -> None:
    """An edge list in no order."""
    source, target = cells(np.arange(n), b"\t"), cells(np.arange(n), b"\n")
    with open(path, "wb") as file:
        for start in range(0, ends.shape[1], 1 << 18):
            u, v = ends[:, start : start + (1 << 18)]
            write_cells(file, source[u], target[v])


def peers(path: Path, small: Path) -> dict[str, Callable[[], Any]]:
    """Name -> reading the same edge list."""
    found: dict[str, Callable[[], Any]] = {"numpy.loadtxt": lambda: matrix(np.loadtxt(path, dtype=np.int64))}
    if importlib.util.find_spec("pandas"):
        import pandas as pd

        found["pandas.read_csv"] = lambda: matrix(pd.read_csv(path, sep="\t", header=None).to_numpy())
    if importlib.util.find_spec("networkx"):
        import networkx as nx

        found["networkx.read_edgelist, a tenth"] = lambda: nx.read_edgelist(small, nodetype=int)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=16_000_000)
    parser.add_argument("--vertices", type=int, help="default: a quarter of the rows")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--json", metavar="FILE", help="write the figures here, not to stdout")
    options = parser.parse_args()
    n = options.vertices or max(options.rows // 4, 2)
    ends = np.random.default_rng(1).integers(0, n, (2, options.rows))
    with tempfile.TemporaryDirectory() as folder:
        text, small, binary = (Path(folder, name) for name in ("graph.txt", "small.txt", "graph.clg"))
        write_rows(text, ends, n)
        write_rows(small, ends[:, : options.rows // 10], n)
        del ends
        graph = read(text)
        work: dict[str, Callable[[], Any]] = {
            "read edge list": lambda: read(text),
            "read edge list, directed": lambda: read(text, directed=True),
            "write edge list": lambda: write(graph, Path(folder, "out.txt")),
            "write .clg": lambda: write(graph, binary),
            "read .clg": lambda: read(binary),
        }
        if not options.no_peers:
            work |= peers(text, small)
        peak = subprocess.run([sys.executable, "-c", PEAK, text], capture_output=True, text=True, check=True)
        result = {
            "rows": options.rows,
            "bytes": text.stat().st_size,
            "vertices": graph.num_vertices,
            "edges": graph.num_edges,
            "peak_bytes": int(peak.stdout),
            "seconds": {name: median(options.repeat, one) for name, one in work.items()},
        }
    shown = json.dumps(result, indent=2)
    if options.json:
        Path(options.json).write_text(shown + "\n")
    else:
        print(shown)


if __name__ == "__main__":
    main()
