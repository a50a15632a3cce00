"""How fast graphs are read and written, beside other readers (those that are found).

    python benchmarks/files.py --vertices 3000000 --json files.json
    python benchmarks/files.py --formats --no-gzip
    python benchmarks/files.py --device gpu --vertices 30000000 --folder /dev/shm --peers pyarrow

The file is a power-law graph of so many vertices, average degree 5, written as text, by gzip (one member, as
gzip writes it, and many, as clgraph does) and zstd, as .clg and as an edge table. Each figure
is the median of `--repeat` calls in one process; the command's is that of a process of its own, kernel cache
warm. Peak memory is that of a process that reads the text. The file has just been written or read, so the
page cache holds it: no figure includes a disk that is read, and those of writing include the fsync. Peers:
pandas, pyarrow and NumPy parse the columns (no graph), igraph and NetworKit make their own graph, NetworkX
its own of a tenth of the rows; GAPBS's `converter` is looked for in PATH and in GAPBS_DIR.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import script

import clgraph.formats.text_table as names_module
from clgraph import Graph, powerlaw_graph
from clgraph.bench.harness import Absent, Case, Context, Figures, median, quantity, timed
from clgraph.bench.peers import wanted
from clgraph.errors import InputError
from clgraph.files import read, write

NOTE = "the page cache is warm"
PEAK = """
import resource, sys
from clgraph.files import read
graph = read(sys.argv[1], device=sys.argv[2])
result = graph.num_vertices * 4 + graph.num_arcs * 4
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, result)
"""
Work = Callable[[], Any]


def pandas_reads(path: Path) -> Work:
    """Columns by pandas' own parser."""
    import pandas as pd

    return lambda: pd.read_csv(path, sep="\t", header=None)


def pyarrow_reads(path: Path) -> Work:
    """Columns by Arrow, on all cores."""
    import pyarrow.csv as csv

    how = csv.ReadOptions(column_names=["u", "v"])
    return lambda: csv.read_csv(path, how, csv.ParseOptions(delimiter="\t"))


def numpy_reads(path: Path) -> Work:
    """Columns by NumPy."""
    import numpy as np

    return lambda: np.loadtxt(path, dtype=np.int64)


def igraph_reads(path: Path) -> Work:
    """A graph of igraph."""
    import igraph

    return lambda: igraph.Graph.Read_Edgelist(str(path), directed=False)


def networkit_reads(path: Path) -> Work:
    """A graph of NetworKit."""
    import networkit

    return lambda: networkit.readGraph(str(path), networkit.Format.EdgeListTabZero)


def networkx_reads(path: Path) -> Work:
    """A graph of NetworkX, of a tenth of the rows."""
    import networkx as nx

    small = path.with_name("tenth.txt")
    with open(path, "rb") as file, open(small, "wb") as part:
        part.write(file.read(path.stat().st_size // 10).rpartition(b"\n")[0])
    return lambda: nx.read_edgelist(small, nodetype=int)


def gapbs_converts(path: Path) -> Work:
    """GAPBS's converter: reads the text, builds the graph, writes it as .sg."""
    found = shutil.which(
        "converter", path=os.pathsep.join((os.environ.get("GAPBS_DIR", ""), os.environ["PATH"]))
    )
    if found is None:
        raise ImportError("no converter in PATH or GAPBS_DIR")
    text, target = path.with_suffix(".el"), path.with_suffix(".sg")
    text.unlink(missing_ok=True)
    os.link(path, text)
    command = [found, "-s", "-f", str(text), "-b", str(target)]
    return lambda: subprocess.run(command, check=True, capture_output=True)


PEERS: dict[str, tuple[str, Callable[[Path], Work]]] = {
    "pyarrow": ("parse columns", pyarrow_reads),
    "pandas": ("parse columns", pandas_reads),
    "numpy": ("parse columns", numpy_reads),
    "igraph": ("read text", igraph_reads),
    "networkit": ("read text", networkit_reads),
    "networkx": ("read text, a tenth", networkx_reads),
    "gapbs": ("convert text", gapbs_converts),
}


def peer_case(graph: str, name: str, path: Path) -> Case:
    """Another library."""
    what, maker = PEERS[name]

    def run(context: Context) -> Figures:
        try:
            work = maker(path)
        except ImportError as error:
            raise Absent(f"not found ({error})") from error
        return Figures({"call": timed(work, context.repeat, limit=120).quantity})

    return Case("files", graph, what, name, run, False, {"note": NOTE})


def read_there(path: Path, where: Any) -> None:
    """Read a graph and wait until it is where it will be used."""
    kept = read(path, device=where)
    where.finish()
    assert kept.num_edges


def written(graph: Any, path: Path, where: Any) -> None:
    """Write a graph as it is on a device."""
    write(graph, path, device=where)


def case(graph: str, what: str, who: str, work: Callable[[Any], Any], on_device: bool = True) -> Case:
    """A call of clgraph with a device, once before it is timed."""

    def run(context: Context) -> Figures:
        where = context.device if on_device else "host"
        work(where)
        return Figures({"call": timed(lambda: work(where), context.repeat, limit=120).quantity})

    return Case("files", graph, what, who, run, on_device, {"note": NOTE})


def command_case(graph: str, path: Path) -> Case:
    """The command from text to text."""
    half = path.with_name("half.txt")

    def run(context: Context) -> Figures:
        words = f"sample {path} --method drv --size 50% --seed 1 -q --json -o {half}".split()
        where = ["--device", context.device.spec]
        told: list[dict[str, float]] = []
        # compiled, as installed modules are, also where Python is told not to write that
        env = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(path.with_name("pyc"))}

        def once() -> None:
            done = subprocess.run(
                [sys.executable, "-m", "clgraph", *words, *where], capture_output=True, check=True, env=env
            )
            told.append(json.loads(done.stdout)["seconds"])

        once()
        told.clear()
        figures = {"call": timed(once, context.repeat, limit=200).quantity}
        return Figures(figures | {name: median(each[name] for each in told) for name in told[0]})

    return Case("files", graph, "sample half, text to text", "clgraph", run, True, {"note": NOTE})


def peak_case(graph: str, path: Path) -> Case:
    """Peak memory of a process that reads the text."""

    def run(context: Context) -> Figures:
        words = [sys.executable, "-c", PEAK, str(path), context.device.spec]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        peak, result = map(int, done.stdout.split())
        return Figures(
            {
                "peak": quantity(peak, "B"),
                "result": quantity(result, "B"),
                "file": quantity(path.stat().st_size, "B"),
            }
        )

    return Case("files", graph, "peak memory of reading", "clgraph", run, True)


def cases_of(folder: Path, graph: Any, name: str, host: bool, peers: list[str]) -> Iterator[Case]:
    """Everything that is measured."""
    text, packed, out = folder / "graph.txt", folder / "graph.txt.gz", folder / "out.txt"
    binary, members, frames = (folder / f"graph{end}" for end in (".clg", ".members.txt.gz", ".txt.zst"))
    table = folder / "graph.parquet"

    yield case(name, "read text", "clgraph", lambda where: read_there(text, where))
    files = {"gzip": packed, "gzip by members": members, "zstd": frames, "clg": binary, "parquet": table}
    for what, path in files.items():
        if path.exists():
            yield case(name, f"read {what}", "clgraph", partial(read_there, path))
    yield case(name, "write text", "clgraph", lambda where: write(graph, out, device=where))
    for what in ("gzip by members", "zstd", "clg"):
        if what == "zstd" and not frames.exists():
            continue  # its package is not here
        target = out.with_suffix("".join(files[what].suffixes[-2:]))
        yield case(name, f"write {what}", "clgraph", partial(written, graph, target))
    yield command_case(name, text)
    yield peak_case(name, text)
    if host:
        yield case(name, "read text", "clgraph, host", lambda where: read(text, device=where), False)
        yield case(name, "write text", "clgraph, host", lambda where: write(graph, out, device=where), False)
    for each in peers:
        yield peer_case(name, each, text)


def format_cases(folder: Path, graph: Any, name: str, host: bool) -> Iterator[Case]:
    """Formats beside edge lists, weights, and ids that are text."""
    edges = graph.to_edges()
    heavy = Graph.from_edges(*edges[:2], weights=np.random.default_rng(1).random(graph.num_edges))
    out, names = folder / "out.txt", folder / "names.txt"

    def both(what: str, work: Callable[[Any], Any], on_device: Callable[[Any], Any]) -> Iterator[Case]:
        yield case(name, what, "clgraph", on_device)
        if host:
            yield case(name, what, "clgraph, host", work, False)

    def named(path: Path) -> Callable[[Any], Any]:
        return lambda where: read(path, device=where)

    for form, suffix in (("mtx", ".mtx"), ("metis", ".graph"), ("ldbc", ".e")):
        path = folder / f"graph{suffix}"
        write(graph, path)
        yield from both(f"read {form}", named(path), partial(read_there, path))

    def weigh(where: Any) -> Any:
        return write(heavy, out, device=where)

    yield from both("write weights", weigh, weigh)
    rows = (folder / "graph.txt").read_bytes()
    rows = rows[: rows.find(b"\n", len(rows) // 10) + 1]
    names.write_bytes(b"n" + rows[:-1].replace(b"\t", b"\tn").replace(b"\n", b"\nn") + b"\n")
    yield case(name, "read names, a tenth", "clgraph", lambda _: read(names, ids="str"), False)
    if host:
        yield case(name, "read names, a tenth", "clgraph, scanned", lambda _: scanned(names), False)


def scanned(path: Path) -> Any:
    """Names read without Arrow."""
    size, names_module.SMALL = names_module.SMALL, sys.maxsize
    try:
        return read(path, ids="str")
    finally:
        names_module.SMALL = size


def main() -> None:
    """Write the files and measure."""
    parser = script.parser(__doc__)
    parser.add_argument("--vertices", type=int, default=3_000_000)
    parser.add_argument("--folder", help="where the files go (default: the folder for temporary files)")
    parser.add_argument("--no-gzip", action="store_true", help="leave the compressed file out")
    parser.add_argument("--no-host", action="store_true", help="leave the host's reader and writer out")
    parser.add_argument("--formats", action="store_true", help="measure other formats instead")
    parser.add_argument("--peers", default="all", help=f"of {', '.join(PEERS)}, with commas; or none")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as place:
        folder = Path(place)
        where = options.device.split(",")[0] or None
        graph = powerlaw_graph(options.vertices, seed=1, device=where)
        write(graph, folder / "graph.txt", device=where)
        write(graph, folder / "graph.clg")
        for optional in ("graph.txt.zst", "graph.parquet"):
            with suppress(InputError):  # its library is not here
                write(graph, folder / optional, device=where)
        if not options.no_gzip:
            write(graph, folder / "graph.members.txt.gz", device=where)
            packed = gzip.open(folder / "graph.txt.gz", "wb", 6)  # noqa: SIM115
            with open(folder / "graph.txt", "rb") as text, packed:
                shutil.copyfileobj(text, packed, 1 << 22)
        name = f"powerlaw{options.vertices}"
        peers = wanted(PEERS, options.peers)
        cases = partial(cases_of, peers=peers)
        if options.formats:
            cases = format_cases
        script.run(lambda: cases(folder, graph, name, host=not options.no_host), options)


if __name__ == "__main__":
    main()
