"""Many exact runs of one graph (`seeds=`): side by side, and one after the other, in milliseconds.

    python benchmarks/replicates.py --device pocl --graphs internet.txt,powerlaw20000 --json runs.json

"call" is the whole call on a graph that is already on the device, its samples left packed; "kernels" is from
the first launch to the end of the last one; "one after the other" is the same call without the kernels for
many runs, of `--loop` runs, per run. "looked at" adds the vertices of all samples on the host. Medians of
`--repeat` calls; the first is not counted. `--few` tries how many deletions a run takes one by one (GPUs).
"""

import argparse
import json
import os
import statistics
import time
from pathlib import Path

import clgraph
from clgraph.device.launch_config import LaunchTable
from clgraph.sampling import replicates
from clgraph.sampling import runs as engine

SIZE, SEED = "50%", 1


def graph_of(name: str, data: str) -> clgraph.Graph:
    """A generated graph, or a file of the data folder."""
    if name.startswith("powerlaw"):
        return clgraph.powerlaw_graph(int(name.removeprefix("powerlaw")), seed=1)
    return clgraph.read(str(Path(data) / name))


def median(work, repeat: int):
    """Median milliseconds of calls after the first, and the last one's result."""
    work()
    taken = []
    for _ in range(repeat):
        started = time.perf_counter()
        made = work()
        taken.append(1e3 * (time.perf_counter() - started))
    return statistics.median(taken), made


def main() -> None:
    """Measure, print a line for each case, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default=None)
    parser.add_argument("--graphs", default="internet.txt,powerlaw10000,powerlaw100000,powerlaw400000")
    parser.add_argument("--methods", default="drv,dre")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--loop", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--few", default="", help="numbers separated by commas")
    parser.add_argument("--data", default=os.environ.get("CLGRAPH_TEST_DATA", ""))
    parser.add_argument("--json", metavar="OUT")
    options = parser.parse_args()
    device = clgraph.get_device(options.device)
    shapes = engine.LAUNCH
    way = shapes.of(device).exact
    always = engine.SideBySide(way, 1 << 30)
    never = engine.SideBySide(way, 0)
    rows = []
    for name in options.graphs.split(","):
        graph = graph_of(name, options.data)
        for method in options.methods.split(","):

            def call(runs: int, *, form: engine.SideBySide = always, graph=graph, method=method):
                engine.LAUNCH = LaunchTable(gpu=form, cpu=form, simulator=form)
                return clgraph.sample(graph, method, size=SIZE, seed=SEED, seeds=runs, device=device)

            loop, alone = median(lambda: call(options.loop, form=never), options.repeat)
            for few in map(int, options.few.split(",") if options.few else [replicates.FEW]):
                replicates.FEW, replicates.ROOM = few, 4 * few + 64
                whole, made = median(lambda: call(options.runs), options.repeat)
                kernels = 1e3 * sum(each.seconds["sample"] for each in made)
                started = time.perf_counter()
                assert len(made.vertices) == made.num_vertices.sum()
                looked = whole + 1e3 * (time.perf_counter() - started)
                for one, other in zip(made, alone, strict=False):
                    assert one.edges.tobytes() == other.edges.tobytes()
                    assert one.vertices.tobytes() == other.vertices.tobytes()
                row = {
                    "graph": name,
                    "vertices": graph.num_vertices,
                    "edges": graph.num_edges,
                    "method": method,
                    "runs": options.runs,
                    "few": few,
                    "call_ms": whole,
                    "kernels_ms": kernels,
                    "looked_at_ms": looked,
                    "one_after_the_other_ms_per_run": loop / options.loop,
                    "speedup": loop / options.loop * options.runs / whole,
                    "probes": made[0].iterations,
                }
                rows.append(row)
                print(
                    f"{name} {method}: {options.runs} runs {whole:.1f} ms (kernels {kernels:.1f}, looked at "
                    f"{looked:.1f}), one after the other {loop / options.loop:.2f} ms a run, "
                    f"{row['speedup']:.1f} times faster; few {few}",
                    flush=True,
                )
            replicates.FEW, replicates.ROOM = 256, 1088
    engine.LAUNCH = shapes
    if options.json:
        text = json.dumps({"device": device.name, "driver": device.driver_version, "rows": rows}, indent=1)
        Path(options.json).write_text(text)


if __name__ == "__main__":
    main()
