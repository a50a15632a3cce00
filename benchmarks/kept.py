"""What a change of the code's shape must not cost: this checkout and an older commit in turn, in one run.

``python benchmarks/kept.py [--base COMMIT_OR_FOLDER] [--device SPEC] [--only drv,bfs] [-o kept.json]``. Every
row is timed in processes of its own, old and new in turn, three rounds; a process makes its first call, then
gives the median of some more (of commands: the whole process). A row whose ratio of medians is above 1.05
is confirmed, or not, by ten further rounds. Rows named in EXPECTED may be slower, for the reason given there.
The base is a commit (a worktree of it is made in a scratch folder) or a folder with the files of one, where
there is no history. With ``--device nvidia`` graphs are larger, and the rows those that a GPU is for.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BASE = "cbcdc60d71b6966b538d94eaaf59b9861d19308f"  # where the code was right, and large
ROUNDS, MORE_ROUNDS, SLOWER = 3, 10, 1.05
# row -> reason
EXPECTED = {
    "ten sizes of dre": "they came out of the forest of a graph in memory on CPUs, a way of its own for this",
    "read .zst": "frames were unpacked several at a time by code of ours, and are by zstd's own reader",
}
SAMPLERS = ("rn", "rdn", "rpn", "re", "ties", "rw", "mhrw", "ff", "snowball", "nbrw")
REDUCTIONS = ("drv", "dre", "drve", "cre", "crve", "ebfs")
TENTHS = [f"{10 * k}%" for k in range(9, 0, -1)] + ["5%"]

Row = Callable[[Any, Any, str | None], Callable[[], Any]]


def _call(name: str, *args: Any, **options: Any) -> Row:
    return lambda clgraph, graph, device: (
        lambda: getattr(clgraph, name)(graph, *args, device=device, **options)
    )


def _sizes(method: str) -> Row:
    return lambda clgraph, graph, device: (
        lambda: [
            len(one.vertices) for one in clgraph.sample(graph, method, sizes=TENTHS, seed=1, device=device)
        ]
    )


def _sample(method: str, **options: Any) -> Row:
    return _call("sample", method, seed=1, **options)


def _ppr(count: int) -> Row:
    return lambda clgraph, graph, device: (
        lambda: clgraph.personalized_pagerank(graph, list(range(0, 10 * count, 10)), device=device)
    )


def _runs(count: int) -> Row:
    def row(clgraph: Any, graph: Any, device: str | None) -> Callable[[], Any]:
        return lambda: [
            len(one.vertices)
            for one in clgraph.sample(graph, "drv", size="50%", seeds=count, seed=1, device=device)
        ]

    return row


def _read(suffix: str) -> Row:
    return lambda clgraph, graph, device: (
        lambda: clgraph.read(f"powerlaw.txt{suffix}", device=device).num_arcs
    )


def _write(clgraph: Any, graph: Any, device: str | None) -> Callable[[], Any]:
    return lambda: clgraph.write(graph, f"written-{os.getpid()}.txt", device=device)


# row -> (the graph's file, what is timed)
CALLS: dict[str, tuple[str, Row]] = {
    **{name: ("powerlaw", _sample(name, size="50%")) for name in REDUCTIONS},
    "ten sizes": ("powerlaw", _sizes("drv")),
    "ten sizes of dre": ("powerlaw", _sizes("dre")),
    "curve": ("powerlaw", _call("reduction_curve", "drv", seed=1)),
    "100 seeds": ("internet", _runs(100)),
    "1000 seeds": ("internet", _runs(1000)),
    "bfs": ("rmat", _call("bfs", 0)),
    "components": ("rmat", _call("connected_components")),
    "pagerank": ("rmat", _call("pagerank")),
    "pagerank fixed": ("rmat", _call("pagerank", variant="fixed", dtype="float64")),
    "ppr 1": ("rmat", _ppr(1)),
    "ppr 64": ("rmat", _ppr(64)),
    **{f"{name} to a tenth": ("powerlaw", _sample(name, size="10%")) for name in SAMPLERS},
    "read": ("powerlaw", _read("")),
    "read .gz": ("internet", _read(".gz")),
    "read .zst": ("internet", _read(".zst")),
    "write": ("powerlaw", _write),
}
# row -> arguments of the command; OUT is a new file's name
COMMANDS: dict[str, list[str]] = {
    "text to half to text": [
        *("sample", "powerlaw.txt", "--method", "drv", "--size", "50%"),
        *("--seed", "1", "-q", "-o", "OUT.txt"),
    ],
    "--version": ["--version"],
    "study": ["study", "internet.txt", "-q", "-o", "OUT"],
}
# those that a GPU is for, in less than eight minutes
ON_GPU = (
    *("drv", "dre", "cre", "ten sizes", "curve", "bfs", "components", "pagerank", "pagerank fixed", "ppr 64"),
    *("rn to a tenth", "re to a tenth", "ff to a tenth", "read", "text to half to text"),
)


def make_graphs(folder: Path, gpu: bool, data: Path) -> None:
    """The graphs that all rows read: made once, by this checkout."""
    import clgraph

    # with 30 M vertices the GPU's rows take more than eight minutes
    vertices, scale = (20_000_000, 22) if gpu else (3_000_000, 20)
    made = {
        "powerlaw": lambda: clgraph.powerlaw_graph(vertices, seed=1),
        "rmat": lambda: clgraph.rmat_graph(scale, seed=1),
        "internet": lambda: clgraph.read(data / "internet.txt"),
    }
    for name, make in made.items():
        if not (folder / f"{name}.clg").exists() and (name != "internet" or data.is_dir()):
            clgraph.write(make(), folder / f"{name}.clg")
    for suffix in ("",) if gpu else ("", ".gz", ".zst"):
        if not (folder / f"powerlaw.txt{suffix}").exists():
            clgraph.write(clgraph.read(folder / "powerlaw.clg"), folder / f"powerlaw.txt{suffix}")
    if (data / "internet.txt").exists():
        shutil.copy(data / "internet.txt", folder / "internet.txt")


def one_row(name: str, device: str, repeats: int) -> float:
    """In a process of its own: seconds of a row, the median of some calls after a first one."""
    import clgraph

    file, row = CALLS[name]
    run = row(clgraph, clgraph.read(f"{file}.clg"), device or None)
    run()
    seconds = []
    for _ in range(repeats):
        started = perf_counter()
        run()
        seconds.append(perf_counter() - started)
    return statistics.median(seconds)


def timed(tree: Path, name: str, device: str, folder: Path, repeats: int) -> float:
    """Seconds of a row with the code of a tree."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "CLGRAPH_BACKGROUND": "0", "CLGRAPH_DEVICE": device}
    if name in COMMANDS:
        with tempfile.TemporaryDirectory(dir=folder) as out:
            args = [arg.replace("OUT", f"{out}/out") for arg in COMMANDS[name]]
            command = [sys.executable, "-m", "clgraph", *args]
            started = perf_counter()
            subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
            return perf_counter() - started
    command = [sys.executable, __file__, "--row", name, "--device", device, "--repeats", str(repeats)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    for file in folder.glob("written-*"):
        file.unlink()
    if done.returncode:
        raise SystemExit(f"{name}, with {tree}:\n{done.stderr}")
    return float(done.stdout)


def compare(name: str, trees: tuple[Path, Path], device: str, folder: Path, repeats: int) -> dict[str, Any]:
    """A row: medians of old and new over alternating rounds, and their ratio."""
    old, new = trees
    seconds: dict[Path, list[float]] = {old: [], new: []}

    def rounds(count: int) -> float:
        for k in range(count):
            for tree in (old, new) if k % 2 == 0 else (new, old):
                seconds[tree].append(timed(tree, name, device, folder, repeats))
        return statistics.median(seconds[new]) / statistics.median(seconds[old])

    if name in COMMANDS:  # what is compiled and cached at a first call
        for tree in trees:
            timed(tree, name, device, folder, repeats)
    ratio = rounds(ROUNDS)
    confirmed = None
    if ratio > SLOWER:
        for times in seconds.values():
            times.clear()
        ratio = rounds(MORE_ROUNDS)
        confirmed = ratio > SLOWER
    return {
        "old": {"value": statistics.median(seconds[old]), "unit": "s"},
        "new": {"value": statistics.median(seconds[new]), "unit": "s"},
        "ratio": ratio,
        "confirmed": confirmed,
        "expected": EXPECTED.get(name),
    }


def base_tree(base: str, scratch: Path) -> Path:
    """The older commit's files."""
    if Path(base).is_dir():
        return Path(base).resolve()
    tree = scratch / "base"
    subprocess.run(
        ["git", "worktree", "add", "--force", "--detach", str(tree), base],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return tree


def main() -> None:
    """Print one JSON object, and a line a row to the terminal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default=BASE, help="a commit, or a folder with its files")
    parser.add_argument("--device", default="")
    parser.add_argument("--only", default="", help="rows, with commas between")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--graphs", type=Path, help="a folder in which the graphs are kept")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--row", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row:
        print(one_row(options.row, options.device, options.repeats))
        return
    gpu = options.device.startswith("nvidia")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        folder = options.graphs or scratch / "graphs"
        folder.mkdir(exist_ok=True)
        os.environ["CLGRAPH_DEVICE"] = options.device
        sys.path.insert(0, str(ROOT))
        make_graphs(folder, gpu, options.data)
        wanted = [each.strip() for each in options.only.split(",") if each.strip()]
        rows = wanted or [each for each in (*CALLS, *COMMANDS) if not gpu or each in ON_GPU]
        tree = base_tree(options.base, scratch)
        found = {}
        try:
            for row in rows:
                found[row] = compare(row, (tree, ROOT), options.device, folder, options.repeats)
                line = found[row]
                figures = [line["old"]["value"], line["new"]["value"], line["ratio"]]
                shown = "".join(f"{figure:10.4f}" for figure in figures)
                print(f"{row:24}{shown}{' slower' * bool(line['confirmed'])}", file=sys.stderr, flush=True)
        finally:
            if tree == scratch / "base":
                subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=ROOT, check=True)
    made = {"base": options.base, "machine": platform.processor() or platform.machine(), "rows": found}
    text = json.dumps(made, indent=2)
    if options.output:
        options.output.write_text(text + "\n")
    print(text)
    late = [row for row, line in found.items() if line["confirmed"] and not line["expected"]]
    sys.exit(f"slower than {options.base}: {', '.join(late)}" if late else 0)


if __name__ == "__main__":
    main()
