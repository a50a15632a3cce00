"""What a change of the code's shape must not cost: this checkout and an older commit in turn, in one run.

``python benchmarks/kept.py [--base COMMIT_OR_FOLDER] [--device SPEC] [--only drv,bfs] [-o kept.json]``. Every
row is timed in processes of its own, old and new in turn, three rounds; a process makes its first call, then
gives the median of some more (of commands: the whole process). A row whose ratio of medians is above 1.05
is confirmed, or not, by ten further rounds. Rows named in EXPECTED may be slower, for the reason given there.
The base is a commit (a worktree of it is made in a scratch folder) or a folder with the files of one, where
there is no history. With ``--device nvidia`` graphs are larger, and the rows those that a GPU is for.

``python benchmarks/kept.py --range v0.1.0..main [--most 12] --series series.json [--plot series.svg]`` is the
history of the rows: the range's first parents, evenly thinned, take turns in each of three rounds, so that a
machine which gets busy slows all of them. The file has medians and ends by commit, machine and device; a
second run measures only what it lacks, so that one file can be carried on for years. A row that an old commit
cannot run says why. A figure is from one machine and device: those of this run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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


def make_graphs(folder: Path, rows: Sequence[str], gpu: bool, data: Path) -> None:
    """The graphs that rows read, but those that are there: made once, by this checkout."""
    import clgraph

    # with 30 M vertices the GPU's rows take more than eight minutes
    vertices, scale = (20_000_000, 22) if gpu else (3_000_000, 20)
    made = {
        "powerlaw": lambda: clgraph.powerlaw_graph(vertices, seed=1),
        "rmat": lambda: clgraph.rmat_graph(scale, seed=1),
        "internet": lambda: clgraph.read(data / "internet.txt"),
    }
    for name in {CALLS[row][0] for row in rows if row in CALLS}:
        if not (folder / f"{name}.clg").exists() and (name != "internet" or data.is_dir()):
            clgraph.write(made[name](), folder / f"{name}.clg")
    texts = {f"powerlaw.txt{row[5:]}" for row in rows if row.startswith("read")}
    texts |= {word for row in rows for word in COMMANDS.get(row, ()) if word.endswith(".txt")}
    for name in texts - {"internet.txt", "OUT.txt"}:
        if not (folder / name).exists():
            clgraph.write(clgraph.powerlaw_graph(vertices, seed=1), folder / name)
    if "internet.txt" in texts and (data / "internet.txt").exists():
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


class Failed(SystemExit):
    """A row does not run with the code of a tree."""


def timed(tree: Path, name: str, device: str, folder: Path, repeats: int) -> float:
    """Seconds of a row with the code of a tree."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "CLGRAPH_BACKGROUND": "0", "CLGRAPH_DEVICE": device}
    if name in COMMANDS:
        with tempfile.TemporaryDirectory(dir=folder) as out:
            args = [arg.replace("OUT", f"{out}/out") for arg in COMMANDS[name]]
            command = [sys.executable, "-m", "clgraph", *args]
            started = perf_counter()
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
            if done.returncode:
                raise Failed(f"{name}, with {tree}:\n{done.stderr}")
            return perf_counter() - started
    command = [sys.executable, __file__, "--row", name, "--device", device, "--repeats", str(repeats)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    for file in folder.glob("written-*"):
        file.unlink()
    if done.returncode:
        raise Failed(f"{name}, with {tree}:\n{done.stderr}")
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


@contextmanager
def trees_of(commits: Sequence[str], scratch: Path) -> Iterator[dict[str, Path]]:
    """The files of commits (or folders that have them): worktrees in a scratch folder, removed at the end."""
    made = {name: Path(name).resolve() if Path(name).is_dir() else scratch / name for name in commits}
    added = [name for name in commits if not Path(name).is_dir()]
    try:
        for name in added:
            git("worktree", "add", "--force", "--detach", str(made[name]), name)
        yield made
    finally:
        for name in added:
            if made[name].exists():
                git("worktree", "remove", "--force", str(made[name]))


def git(*args: str) -> str:
    return subprocess.run(["git", *args], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


# --- the history of the rows ------------------------------------------------------------------------------


def commits_of(span: str, most: int) -> list[str]:
    """The commits of a range A..B, A included, old ones first; of many, ``most`` evenly spread ones."""
    first, dots, last = span.partition("..")
    found = [git("rev-parse", f"{first}^{{commit}}")]
    if dots:
        found += git("rev-list", "--reverse", "--first-parent", f"{first}..{last or 'HEAD'}").split()
    steps = max(1, min(most, len(found)) - 1)
    return [found[round(k * (len(found) - 1) / steps)] for k in range(min(steps + 1, len(found)))]


def measure(
    commits: list[str], rows: list[str], file: Path, folder: Path, **how: Any
) -> list[dict[str, Any]]:
    """Add to a file what it lacks of the rows of commits on this machine; returns the commits' entries in it.

    Parameters
    ----------
    file : Path
        ``{"schema": 1, "commits": [{"commit", "date", "machine", "device", "rows": {name: timing}}, ...]}``.
    """
    here = {"machine": machine(), "device": how["device"]}
    kept = json.loads(file.read_text()) if file.exists() else {"schema": 1, "commits": []}
    entries = {}
    for commit in commits:
        made = {"commit": commit, "date": git("show", "-s", "--format=%cI", commit), **here, "rows": {}}
        same = (each for each in kept["commits"] if {**each, "rows": {}} == made)
        entries[commit] = next(same, made)
        if entries[commit] is made:
            kept["commits"].append(made)
    with tempfile.TemporaryDirectory() as name, trees_of(commits, Path(name)) as trees:
        for row in rows:
            missing = [commit for commit in commits if row not in entries[commit]["rows"]]
            for commit, timing in in_turn(row, missing, trees, folder, **how).items():
                entries[commit]["rows"][row] = timing
                shown = timing.get("missing") or f"{timing['value']:.4f} s"
                print(f"{row:24}{commit[:10]}  {shown}", file=sys.stderr, flush=True)
            partial = file.with_suffix(".part")  # after each row: what is measured is not lost
            partial.write_text(json.dumps(kept, indent=1) + "\n")
            partial.replace(file)
    return [entries[commit] for commit in commits]


def in_turn(
    row: str, commits: list[str], trees: dict[str, Path], folder: Path, device: str, repeats: int
) -> dict[str, dict[str, Any]]:
    """A row's timing with each commit: rounds in which they take turns, to and fro."""
    seconds: dict[str, list[float]] = {commit: [] for commit in commits}
    failed = {}
    # of commands the first round compiles and caches
    for k in range(-1 if row in COMMANDS else 0, ROUNDS):
        for commit in commits[:: -1 if k % 2 else 1]:
            if commit in failed:
                continue
            try:
                took = timed(trees[commit], row, device, folder, repeats)
            except Failed as error:
                failed[commit] = {"missing": str(error).strip().rpartition("\n")[2]}
            else:
                seconds[commit] += [took] * (k >= 0)
    return {commit: failed.get(commit) or timing_of(seconds[commit]) for commit in commits}


def timing_of(seconds: list[float]) -> dict[str, Any]:
    from clgraph.bench.harness import median

    return median(seconds)


def machine() -> dict[str, Any]:
    from clgraph.bench.environment import environment

    return {name: environment()["machine"][name] for name in ("cpu", "cores", "architecture")}


def plot(entries: list[dict[str, Any]], file: Path) -> None:
    """One panel for each row: seconds by commit, from the fastest of the rounds to the slowest."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for entry in entries for name in entry["rows"]))
    across = min(4, len(names))
    down = -(-len(names) // across)
    figure = Figure(figsize=(max(6, 3 * across), 2.1 * down + 0.7), layout="constrained")
    for panel, name in zip(figure.subplots(down, across, squeeze=False).flat, names, strict=False):
        rows = [(at, entry["rows"].get(name, {})) for at, entry in enumerate(entries)]
        there = [(at, row) for at, row in rows if "value" in row]
        values = [row["value"] for _, row in there]
        spread = [
            [row["value"] - row["low"] for _, row in there],
            [row["high"] - row["value"] for _, row in there],
        ]
        panel.errorbar([at for at, _ in there], values, spread, marker="o", markersize=3, capsize=2)
        panel.set_title(name, fontsize=9)
        panel.set_ylim(0, max((row["high"] for _, row in there), default=1) * 1.1)
        panel.set_xlim(-0.5, len(entries) - 0.5)
        panel.set_xticks(
            range(len(entries)), [entry["commit"][:7] for entry in entries], rotation=90, fontsize=6
        )
        panel.tick_params(axis="y", labelsize=7)
    for panel in figure.axes[len(names) :]:
        panel.remove()
    first = entries[0]
    where = first["device"] or "the default device"
    figure.suptitle(
        f"seconds; {first['machine']['cpu']}, {first['machine']['cores']} cores; {where}", fontsize=9
    )
    with rc_context({"svg.fonttype": "none"}):
        figure.savefig(file)


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
    parser.add_argument("--range", metavar="A..B", help="commits whose rows are timed, instead of --base")
    parser.add_argument("--most", type=int, default=12, help="of a range, this many evenly spread commits")
    parser.add_argument(
        "--series", type=Path, default=Path("series.json"), help="the file that a range adds to"
    )
    parser.add_argument("--plot", type=Path, help="draw the range's series here (.svg, .png, .pdf)")
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
        wanted = [each.strip() for each in options.only.split(",") if each.strip()]
        rows = wanted or [each for each in (*CALLS, *COMMANDS) if not gpu or each in ON_GPU]
        if unknown := [row for row in rows if row not in CALLS and row not in COMMANDS]:
            parser.error(f"no row {unknown[0]!r}: {', '.join((*CALLS, *COMMANDS))}")
        make_graphs(folder, rows, gpu, options.data)
        how = {"device": options.device, "repeats": options.repeats}
        if options.range:
            commits = commits_of(options.range, options.most)
            entries = measure(commits, rows, options.series, folder, **how)
            if options.plot:
                plot(entries, options.plot)
            return
        found = {}
        with trees_of([options.base], scratch) as trees:
            for row in rows:
                found[row] = compare(row, (trees[options.base], ROOT), folder=folder, **how)
                line = found[row]
                figures = [line["old"]["value"], line["new"]["value"], line["ratio"]]
                shown = "".join(f"{figure:10.4f}" for figure in figures)
                print(f"{row:24}{shown}{' slower' * bool(line['confirmed'])}", file=sys.stderr, flush=True)
        made = {"base": options.base, "machine": machine(), "rows": found}
    text = json.dumps(made, indent=2)
    if options.output:
        options.output.write_text(text + "\n")
    print(text)
    late = [row for row, line in found.items() if line["confirmed"] and not line["expected"]]
    sys.exit(f"slower than {options.base}: {', '.join(late)}" if late else 0)


if __name__ == "__main__":
    main()
