"""How fast graph files are read and written, compared with pandas, NumPy and NetworkX (those installed).

    python benchmarks/reading.py --rows 16000000 --json reading.json

Each figure is the median of `--repeat` runs in one process; peers build a SciPy CSR matrix (NetworkX: its
own graph, of a tenth of the rows). Peak memory is that of a separate process that reads the edge list.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from clgraph.bench import script
from clgraph.bench.harness import Absent, Case, Context, Figures, quantity, timed
from clgraph.files import read, write
from clgraph.graph.io.common import cells, write_cells

PEAK = """
import resource, sys
from clgraph.files import read
read(sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def matrix(rows: Any) -> sp.csr_array:
    """The rows as a SciPy matrix."""
    n = int(rows.max()) + 1
    return sp.csr_array((np.ones(len(rows), np.int8), (rows[:, 0], rows[:, 1])), shape=(n, n))


def write_rows(path: Path, ends: Any, n: int) -> None:
    """Write an unordered edge list."""
    source, target = cells(np.arange(n), b"\t"), cells(np.arange(n), b"\n")
    with open(path, "wb") as file:
        for start in range(0, ends.shape[1], 1 << 18):
            u, v = ends[:, start : start + (1 << 18)]
            write_cells(file, source[u], target[v])


def pandas_reads(path: Path) -> Any:
    """Read with pandas."""
    import pandas as pd

    return matrix(pd.read_csv(path, sep="\t", header=None).to_numpy())


def networkx_reads(path: Path) -> Any:
    """Read with NetworkX."""
    import networkx as nx

    return nx.read_edgelist(path, nodetype=int)


def work_of(folder: Path, graph: Any, peers: bool) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Yield (who, what, call) for each thing to measure."""
    text, small, binary = (folder / name for name in ("graph.txt", "small.txt", "graph.clg"))
    yield "clgraph", "read edge list", lambda: read(text)
    yield "clgraph", "read edge list, directed", lambda: read(text, directed=True)
    yield "clgraph", "write edge list", lambda: write(graph, folder / "out.txt")
    yield "clgraph", "write .clg", lambda: write(graph, binary)
    yield "clgraph", "read .clg", lambda: read(binary)
    if peers:
        yield "numpy.loadtxt", "read edge list", lambda: matrix(np.loadtxt(text, dtype=np.int64))
        yield "pandas.read_csv", "read edge list", lambda: pandas_reads(text)
        yield "networkx", "read edge list, a tenth", lambda: networkx_reads(small)


def case(name: str, who: str, what: str, call: Callable[[], Any]) -> Case:
    """One way to read or write a file."""

    def run(context: Context) -> Figures:
        try:
            return Figures({"call": timed(call, context.repeat, limit=300).quantity})
        except ImportError as error:
            raise Absent(f"not installed ({error})") from error

    return Case("reading", name, what, who, run, False)


def peak_case(name: str, text: Path) -> Case:
    """Peak memory of a process that reads the edge list."""

    def run(context: Context) -> Figures:
        done = subprocess.run([sys.executable, "-c", PEAK, text], capture_output=True, text=True, check=True)
        return Figures({"peak": quantity(int(done.stdout), "B"), "file": quantity(text.stat().st_size, "B")})

    return Case("reading", name, "memory", "clgraph", run, False)


def main() -> None:
    """Write an edge list and read it in each way."""
    parser = script.parser(__doc__)
    parser.set_defaults(device="host")
    parser.add_argument("--rows", type=int, default=16_000_000)
    parser.add_argument("--vertices", type=int, help="default: a quarter of the rows")
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    n = options.vertices or max(options.rows // 4, 2)
    ends = np.random.default_rng(1).integers(0, n, (2, options.rows))
    with tempfile.TemporaryDirectory() as place:
        folder, name = Path(place), f"rows{options.rows}"
        write_rows(folder / "graph.txt", ends, n)
        write_rows(folder / "small.txt", ends[:, : options.rows // 10], n)
        del ends
        work = work_of(folder, read(folder / "graph.txt"), not options.no_peers)
        cases = [peak_case(name, folder / "graph.txt"), *(case(name, *each) for each in work)]
        script.run(lambda: cases, options)


if __name__ == "__main__":
    main()
