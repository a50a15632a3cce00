"""Graphs in shards: the forest pass, whole samples, components and PageRank on one device and on several.

    python benchmarks/scale.py --devices 0:0,0:1 --vertices 30000000 --folder /dev/shm --json scale.json
    python benchmarks/scale.py --devices 0:0,0:1 --ratios --rmat 24 --folder /dev/shm

A power-law graph is written as a dataset into `--folder` (put it on a memory file system to leave the disk
out), and removed at the end. Each call is made on the first device, then on all; results are compared byte
for byte. With `--ratios` instead: what two ranks (two devices, or one device twice) take against one,
PageRank of `variant="fixed"` against "auto", and shards against memory, each pair in one run.
"""

import argparse
import functools
import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import clgraph
from clgraph.device import Setup
from clgraph.device.hardware import Without
from clgraph.ranking.reproducible import LAUNCH, ReproduciblePower
from clgraph.sampling.deletion_times import follow
from clgraph.sampling.shards.forest import Forest
from clgraph.scale.loading import Loading


def forest_pass(device: Any, graph: clgraph.Graph, method: str, repeat: int) -> dict[str, float]:
    """Seconds to make words of the rows, and to reduce them; edges in memory."""
    rows, heads = graph.tails, graph.col_idx
    once = rows < heads
    pairs = np.ascontiguousarray(heads[once])
    counts = np.bincount(rows[once], minlength=graph.num_vertices)
    row_ptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    words, reduces = [], []
    for _ in range(repeat + 1):
        forest = Forest(device, graph.num_vertices, 3, edges=method == "dre", room=len(pairs))
        device.finish()
        started = time.perf_counter()
        forest.add_rows(row_ptr, pairs)
        device.finish()
        between = time.perf_counter()
        forest.reduce()
        device.finish()
        words.append(between - started)
        reduces.append(time.perf_counter() - between)
    taken = statistics.median(reduces[1:])
    return {"words": statistics.median(words[1:]), "reduce": taken, "edges_per_second": len(pairs) / taken}


def timed(call: Any, repeat: int, clock: Any = time.perf_counter) -> tuple[float, Any]:
    """Median seconds of a call after a first one, and its last result."""
    took = []
    for _ in range(repeat + 1):
        started = clock()
        result = call()
        took.append(clock() - started)
    return statistics.median(took[1:]), result


def iterations(call: Any, repeat: int) -> tuple[float, Any]:
    """Median seconds of an iteration of PageRank after a first call, and its last result."""
    found = [call() for _ in range(repeat + 1)]
    return statistics.median(each.seconds["iterate"] / each.iterations for each in found[1:]), found[-1]


def short_of_memory(device: Any, shards: clgraph.Shards, part: float) -> Any:
    """The device with a limit on memory beside which this part of the shards stays between two iterations."""
    section = shards.section("rows")
    there = part * sum(5 * shard.edges + 8 * shard.rows for shard in section.shards)
    spans = bool(LAUNCH["float32"].of(device).span)
    there += sum(ReproduciblePower.memory(shards.num_vertices, np.float32, spans).values())
    most = int(there * 8 / (4 if device.shares_memory else 7))
    hidden = Without.wanted(f"memory={most}")
    return device.with_setup(Setup(device.setup.kernels, force=True, without=hidden))


# Open MPI refuses root, more ranks than cores (as 4.x calls it, and 5.x), and gives each rank one core
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}


def command_seconds(path: Path, out: Path, device: str, ranks: int, repeat: int) -> float | None:
    """Seconds of the whole command under mpiexec; None, and why on stderr, if that is missing or fails."""
    mpiexec = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if mpiexec is None:
        print("there is no mpiexec: nothing is measured under it", file=sys.stderr)
        return None
    words = f"--method drv --size 50% --seed 3 -q -o {out}" + (f" --device {device}" if device else "")
    command = [
        mpiexec,
        "-n",
        str(ranks),
        sys.executable,
        "-m",
        "clgraph",
        "sample",
        str(path),
        *words.split(),
    ]
    options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    try:
        return timed(
            lambda: subprocess.run(command, check=True, env=os.environ | OPEN_MPI, **options), repeat
        )[0]
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(command)} ended with status {error.returncode}:\n{error.stdout}", file=sys.stderr)
        return None


def forests(row: Any, device: Any, graph: clgraph.Graph, shards: clgraph.Shards, repeat: int) -> None:
    """What the forest's way takes for many sizes, or a curve, of a graph in memory, against the usual way.

    Processor seconds, all cores together. The forest's are those of the forest and of each vertex's last row:
    the edges of samples and the curve's edges, which come on top, are in the others.
    """
    sizes = [f"{share}%" for share in (90, 80, 70, 60, 50, 40, 30, 20, 10, 5)]
    pairs = list(
        Loading(device, shards, room=1 << 40).rows("pairs", range(len(shards.section("pairs").shards)))
    )
    n = graph.num_vertices
    for method in ("drv", "dre"):

        def vertices(method: str = method) -> Any:
            forest = Forest(device, n, 3, edges=method == "dre", room=graph.num_edges)
            for rows in pairs:
                forest.add(rows)
            return follow(device, forest.take(), n, 3, 1, edges=method == "dre")

        def samples(method: str = method) -> Any:
            return clgraph.sample(graph, method, sizes=sizes, seed=3, device=device, mode="exact")

        def curve(method: str = method) -> Any:
            return clgraph.reduction_curve(graph, method, 3, device=device)

        took, path = timed(vertices, repeat, time.process_time)
        of_ten, _ = timed(samples, repeat, time.process_time)
        of_curve, found = timed(curve, repeat, time.process_time)
        assert np.array_equal(device.download(path.vertices, np.int64, path.rows), found.vertices)
        row(f"{method}, vertices of all sizes by the forest against ten samples", took, of_ten, None)
        row(f"{method}, vertices of all sizes by the forest against the curve", took, of_curve, None)


def ratios(options: Any, devices: list[Any]) -> list[dict[str, Any]]:
    """What has a ratio to reach, a row each."""
    first, two, repeat = devices[0], (devices * 2)[:2], options.repeat
    rows: list[dict[str, Any]] = []

    def row(name: str, seconds: float, against: float, most: float | None) -> None:
        rows.append({"what": name, "seconds": seconds, "against": against, "ratio": seconds / against})
        goal = "" if most is None else f" (to reach: {most})"
        print(f"{name}: {seconds:.3f} s / {against:.3f} s = {seconds / against:.2f}{goal}", flush=True)

    graph = clgraph.powerlaw_graph(options.vertices, seed=1, device=first)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path, out = Path(folder) / "g.clgs", Path(folder) / "s.clgs"
        shards = clgraph.write_shards(graph, path, shard_edges=graph.num_edges // options.shards + 1)

        def half(of: Any, device: Any, **more: Any) -> Any:
            return clgraph.sample(of, "drv", size="50%", seed=3, device=device, **more)

        here, memory = timed(lambda: half(graph, first, mode="exact"), repeat)
        one, sample = timed(lambda: half(shards, first, output=out), repeat)
        assert np.array_equal(sample.vertices, memory.vertices)
        count = len(shards.section("pairs").shards)
        row(f"drv half, {count} shards, one rank, against the graph in memory", one, here, None)
        forests(row, first, graph, shards, repeat)
        both, sample = timed(lambda: half(shards, two, output=out), repeat)
        assert np.array_equal(sample.vertices, memory.vertices)
        row("drv half, 2 ranks in threads against 1", both, one, 0.6)
        specs = options.devices.split(",")
        found = [command_seconds(path, out, ",".join(specs[:ranks]), ranks, repeat) for ranks in (1, 2)]
        if found[0] is not None and found[1] is not None:
            row("drv half, the whole command, mpiexec -n 2 against -n 1", found[1], found[0], 0.6)
        shutil.rmtree(path)

        graph = clgraph.rmat_graph(options.rmat, edge_factor=8, seed=1, device=first)
        shards = clgraph.write_shards(graph, path, shard_edges=graph.num_arcs // options.shards + 1)
        ranked = functools.partial(clgraph.pagerank, tol=0, max_iter=20)
        auto, _ = iterations(lambda: ranked(graph, device=first), repeat)
        fixed, known = iterations(lambda: ranked(graph, device=first, variant="fixed"), repeat)
        row("PageRank iteration, fixed against auto, one device", fixed, auto, 1.6)
        one, alone = iterations(lambda: ranked(shards, device=first), repeat)
        both, found_by_both = iterations(lambda: ranked(shards, device=two), repeat)
        row("PageRank iteration of shards, 2 ranks against 1", both, one, 1.5)
        poor = [short_of_memory(each, shards, 0.6) for each in two]
        one, streamed = iterations(lambda: ranked(shards, device=poor[0]), repeat)
        both, halves = iterations(lambda: ranked(shards, device=poor), repeat)
        row("PageRank iteration, memory for 0.6 of the arcs, 2 ranks against 1", both, one, 0.5)
        for each in (alone, found_by_both, streamed, halves):
            assert np.array_equal(each.scores, known.scores)
    return rows


def main() -> None:
    """Measure, print a line for each case, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", default="", help="one, or several separated by commas")
    parser.add_argument("--vertices", type=int, default=3_000_000)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--folder", help="where the dataset goes (default: a temporary folder)")
    parser.add_argument("--json", metavar="OUT")
    parser.add_argument("--ratios", action="store_true", help="pairs of figures with a ratio to reach")
    parser.add_argument(
        "--rmat", type=int, default=20, metavar="SCALE", help="of PageRank's graph (--ratios)"
    )
    options = parser.parse_args()
    devices = [clgraph.get_device(spec or None) for spec in options.devices.split(",")]
    if options.ratios:
        rows = ratios(options, devices)
        if options.json:
            Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
        return
    groups = [devices[:1]] + ([devices] if len(devices) > 1 else [])
    graph = clgraph.powerlaw_graph(options.vertices, seed=1, device=devices[0])
    told: dict[str, Any] = {
        "devices": [device.name for device in devices],
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "forest": {
            method: forest_pass(devices[0], graph, method, options.repeat) for method in ("drv", "dre")
        },
    }
    print(json.dumps(told["forest"]))
    marks: dict[str, set[str]] = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path, out = Path(folder) / "g.clgs", Path(folder) / "s.clgs"
        shards = clgraph.write_shards(graph, path, shard_edges=graph.num_edges // options.shards + 1)
        for group in groups:
            name = f"{len(group)} device{'s' * (len(group) > 1)}"
            for method in ("drv", "dre"):
                seconds, made = timed(
                    lambda method=method, group=group: clgraph.sample(
                        shards, method, sizes=["50%"], seed=3, device=group, outputs=[out]
                    )[0],
                    options.repeat,
                )
                told[f"{method} half, {name}"] = {"call": seconds, **made.seconds}
                marks.setdefault(method, set()).add(made.shards.fingerprint)
            for what, call in (
                ("components", lambda group=group: clgraph.connected_components(shards, device=group)),
                (
                    "pagerank, 20 iterations",
                    lambda group=group: clgraph.pagerank(shards, tol=0, max_iter=20, device=group),
                ),
            ):
                seconds, found = timed(call, options.repeat)
                told[f"{what}, {name}"] = {"call": seconds, **found.seconds}
                array = found.labels if what == "components" else found.scores
                marks.setdefault(what, set()).add(hashlib.sha256(array.tobytes()).hexdigest())
            for key in list(told)[-4:]:
                print(key, json.dumps(told[key]))
    told["equal"] = all(len(each) == 1 for each in marks.values())
    print("the same bytes on all:", told["equal"])
    if options.json:
        Path(options.json).write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
