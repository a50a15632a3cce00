"""``clgraph bfs``, ``clgraph paths``, ``clgraph components`` and ``clgraph communities``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

import clgraph
from clgraph.cli.command import Command, Run, direction, facts_of, fields_of, has_numbers, vertex_of
from clgraph.cli.options import AT_LEAST_0, on_graph, option, options, output_option
from clgraph.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from clgraph.graph import Graph
    from clgraph.scale import Shards

LEVELS_SHOWN = 20  # of a search, in the text output
SHOWN = 10  # sources, components or communities in the table
# the options of each method of `communities`
SEARCHED = ("resolution", "seed")
METHODS = {"louvain": SEARCHED, "leiden": SEARCHED, "labels": ("iterations",)}

source_options = options(
    option("-s --source ID", "Start vertex (repeatable).", multiple=True),
    option("--sources ID,ID,...", "Several start vertices."),
)


@click.command(cls=Command)
@source_options
@option("--depth", "Stop at this distance, in arcs.", AT_LEAST_0)
@option(
    "--method",
    "hybrid: direction-optimising; frontier: Algorithm 5 of the COPRA thesis.",
    ["hybrid", "frontier"],
    "hybrid",
)
@on_graph(
    "Write `id distance predecessor`, tab-separated; -1: none.",
    verify="Check the result against the definition.",
)
def bfs(run: Run) -> None:
    """Search GRAPH breadth-first: distances from the nearest source, and predecessors.

    \b
    clgraph bfs internet.txt --source 1 -o distance.tsv
    """
    import numpy as np

    from clgraph.traversal import bfs as search

    run.check_output()
    given, wanted = run.options, _sources(run)
    with run.data("bfs", {}, method=given.method != "hybrid") as data:
        roots = [vertex_of(word, has_numbers(data), f"--source {word[:80]}") for word in wanted]
        options: dict[str, Any] = {"method": given.method, "depth_limit": given.depth, "device": run.device}
        found = search(data, roots, **options)
        run.measure(partial(search, data, roots, **options))
        holds = "distances, predecessors and sources are those of the definition"
        if not run.accept(found, partial(clgraph.verify_bfs, data, found), holds):
            return
        if run.output:
            ids, before = data.ids, found.predecessor
            assert before is not None
            run.write(ids, found.distance, np.where(before >= 0, ids[before], -1) if len(ids) else ids)
        shown = range(min(found.levels, LEVELS_SHOWN))
        counts = [int(found.distance[found.distance == level].size) for level in shown]
        facts = {
            "sources": data.ids[found.sources].tolist(),
            **facts_of(data),
            **fields_of(found, "reached", "levels"),
            "level_sizes": counts,
            **fields_of(found, "depth_limit", "method", "device"),
        }
        lines = [
            f"{found.reached} of {data.num_vertices} vertices reached, {found.levels} levels "
            f"({direction(data)})",
            *(f"  distance {level}: {count}" for level, count in enumerate(counts)),
        ]
        if found.levels > len(counts):
            lines.append(f"  ... up to distance {found.levels - 1}")
        run.result(lambda: facts, lines)


def _sources(run: Run) -> list[str]:
    """Return the start vertices as they were typed."""
    given = run.options
    words = [*given.source, *(given.sources.split(",") if given.sources else ())]
    wanted = [word.strip() for word in words]
    if not all(wanted) or not wanted:
        raise click.UsageError("Give start vertices: --source ID (repeatable), or --sources ID,ID,...")
    return wanted


@click.command(cls=Command)
@source_options
@option("-t --target ID", "Print the path to this vertex.")
@option("--cutoff", "Largest distance: vertices farther away count as not reached.", float)
@option("--delta", "Width of the steps of a search, on which only its time depends.  [default: auto]", float)
@option("--dtype", "Type of the distances.", ["float64", "float32"], "float64")
@on_graph(
    "Write `id distance predecessor`, tab-separated (inf, -1: none); if there are several sources, `source` "
    "first.",
    verify="Check the result against the definition.",
    plan=False,
)
def paths(run: Run) -> None:
    """Find shortest paths in GRAPH from each source, by the weights that --weights reads.

    Weights are finite and not negative; without --weights each arc has length 1.

    \b
    clgraph paths roads.gr --weights --source 1 --target 9 -o distance.tsv
    """
    import numpy as np

    from clgraph.reference.weighted import verify_shortest_paths
    from clgraph.traversal.paths import shortest_paths
    from clgraph.traversal.results import path_to

    run.check_output()
    given, wanted, target = run.options, _sources(run), run.options.target
    data = _in_memory(run, "paths")
    numbers, last = has_numbers(data), -1
    roots = [vertex_of(word, numbers, f"--source {word[:80]}") for word in wanted]
    if target is not None:
        last = int(data.indices_of([vertex_of(target.strip(), numbers, f"--target {target[:80]}")])[0])
    options: dict[str, Any] = {"cutoff": given.cutoff, "dtype": given.dtype, "device": run.device}
    if given.delta is not None:
        options["delta"] = given.delta
    found = shortest_paths(data, roots, **options)
    run.measure(partial(shortest_paths, data, roots, **options))
    holds = "distances, predecessors and sources are those of the definition"
    run.accept(found, partial(verify_shortest_paths, data, found), holds)
    ids, before = data.ids, found.predecessor
    assert before is not None
    sources = ids[found.sources]
    several = len(sources) > 1
    run.write_blocks(
        [*([np.full(len(ids), source)] if several else []), *(ids, to, np.where(by >= 0, ids[by], -1))]
        for source, to, by in zip(sources, found.distance, before, strict=True)
    )
    reached = np.isfinite(found.distance)
    each: list[dict[str, Any]] = [
        {"source": source, "reached": int(there.sum()), "farthest": float(to[there].max())}
        for source, there, to in zip(sources.tolist(), reached, found.distance, strict=True)
    ]
    if target is not None:
        for about, there, to, by in zip(each, reached, found.distance, before, strict=True):
            about["distance"] = float(to[last]) if there[last] else None
            about["path"] = ids[path_to(last, by)].tolist() if there[last] else None
    by_weight = data.weights is not None
    facts = {
        "paths": each,
        **facts_of(data),
        "weights": by_weight,
        **fields_of(found, "reached", "cutoff"),
        "dtype": found.distance.dtype.name,
        **fields_of(found, "device"),
    }
    lengths = "lengths are weights" if by_weight else "each arc has length 1; --weights reads weights"
    lines = [f"{data.num_vertices} vertices ({direction(data)}; {lengths})"]
    for about in each[:SHOWN]:
        line = f"from {about['source']}: {about['reached']} reached, the farthest at {about['farthest']:g}"
        if target is not None:
            way = " ".join(map(str, about["path"] or ()))
            line += f"; {target} at {about['distance']:g}: {way}" if way else f"; no path to {target}"
        lines.append(line)
    if len(each) > SHOWN:
        lines.append(f"... {len(each) - SHOWN} more sources: -o writes all")
    run.result(lambda: facts, lines)


def _in_memory(run: Run, command: str) -> Graph:
    """Read the graph; an InputError if it is a dataset of shards."""
    if run.of_shards:
        raise InputError(
            f"{run.graph} is a dataset of shards: clgraph {command} takes graphs that fit in memory"
        )
    return run.read()


@click.command(cls=Command)
@option("--strong", "Find strong components (directed paths in both directions).", bool)
@output_option("Write the largest component as a graph (format by suffix).", "--largest OUT")
@on_graph(
    "Write `id component`, tab-separated, one vertex per line.",
    verify="Check the result against the definition.",
    energy=False,
)
def components(run: Run) -> None:
    """Find the connected components of GRAPH (weak ones if it is directed), numbered by decreasing size.

    \b
    clgraph components internet.txt --largest giant.txt -o component.tsv
    """
    from clgraph.components import connected_components  # here, while a thread loads the drivers
    from clgraph.formats import check_writable

    strong, largest = run.options.strong, run.options.largest
    if largest:
        check_writable(largest, None)
    run.check_output(largest=largest)
    with run.data("components", {}, strong=strong, largest=largest) as data:
        found = connected_components(data, connection="strong" if strong else "weak", device=run.device)
        holds = "the components are those of the definition, and numbered by size"
        verify = partial(clgraph.verify_components, data, found)
        if not run.accept(found, verify, holds, "components are"):
            return
        if largest:
            with run.timed("write"):
                run.write_graph(data.subgraph(found.largest), largest)
        run.write(data.ids, found.labels)
        facts = {
            "connection": found.connection,
            **facts_of(data),
            "components": found.count,
            "sizes": found.sizes[:SHOWN].tolist(),
            "single": int((found.sizes == 1).sum()),
            **fields_of(found, "device"),
        }
        kind = f"{found.connection}ly connected " if data.directed else "connected "
        names = range(found.count)
        run.result(lambda: facts, _sizes(names, found.sizes, data, f"{kind}component", f"{kind}components"))


@click.command(cls=Command)
@option("--method", "Method; labels is LDBC's label propagation.", list(METHODS), "louvain")
@option("--resolution", "louvain, leiden: a larger one favours smaller communities.  [default: 1]", float)
@option("--seed", "louvain, leiden: seed of the order in which vertices move.  [default: 0]", AT_LEAST_0)
@option(
    "--iterations", "labels: rounds, in each of which all vertices take a label.  [default: 10]", AT_LEAST_0
)
@on_graph(
    "Write `id community`, tab-separated, one vertex per line.",
    verify="Check the result against the definition.",
    plan=False,
    energy=False,
)
def communities(run: Run) -> None:
    """Find communities in GRAPH, whose edges are taken both ways.

    louvain and leiden raise modularity, with the weights that --weights reads; leiden's communities are
    connected. Communities are numbered by decreasing size, those of labels named by the vertex whose id they
    took over.

    \b
    clgraph communities Email-Enron.txt --method leiden --seed 1 -o communities.tsv
    """
    import numpy as np

    from clgraph.communities.multilevel import leiden, louvain
    from clgraph.communities.partitions import modularity
    from clgraph.communities.propagation import label_propagation
    from clgraph.reference.communities import verify_label_propagation
    from clgraph.reference.multilevel import verify_leiden, verify_louvain

    given = {name: value for name, value in vars(run.options).items() if value is not None}
    method = given.pop("method")
    for name in given:
        if name not in METHODS[method]:
            takers = ", ".join(each for each, names in METHODS.items() if name in names)
            raise InputError(f"--{name} is an option of --method {takers}")
    run.check_output()
    data = _in_memory(run, "communities")
    calls: dict[str, tuple[Any, Any]] = {
        "louvain": (louvain, verify_louvain),
        "leiden": (leiden, verify_leiden),
        "labels": (label_propagation, verify_label_propagation),
    }
    search, verify = calls[method]
    found = search(data, device=run.device, **given)
    run.accept(found, partial(verify, data, found), "the communities are those of the method")
    if method == "labels":
        column = data.ids[found.labels]
        label, size = np.unique(found.labels, return_counts=True)
        names = data.ids[label[np.argsort(-size, kind="stable")]]
        view, nan = data.undirected, float("nan")
        quality = modularity(view, found, weight=False, device=run.device) if data.num_arcs else nan
        given = {"iterations": found.iterations, "stable": found.converged}
    else:
        column, names, quality = found.labels, np.arange(found.count), found.modularity
        given = {"resolution": found.resolution, "seed": given.get("seed", 0)}
    run.write(data.ids, column)
    facts = {
        "method": method,
        **given,
        **facts_of(data),
        "communities": found.count,
        "names": names[:SHOWN].tolist(),
        "sizes": found.sizes[:SHOWN].tolist(),
        "modularity": None if quality != quality else quality,  # there is none without edges
        **fields_of(found, "device"),
    }
    lines = [f"modularity {quality:.6f}"] if quality == quality else []
    lines += _sizes(names, found.sizes, data, "community", "communities")
    run.result(lambda: facts, lines)


def _sizes(
    names: Sequence[int] | npt.NDArray[Any],
    sizes: npt.NDArray[np.int64],
    graph: Graph | Shards,
    one: str,
    many: str,
) -> Iterator[str]:
    """Yield the largest groups with their shares, and how many others there are."""
    vertices = graph.num_vertices
    yield f"{len(sizes)} {one if len(sizes) == 1 else many}, {vertices} vertices ({direction(graph)})"
    if len(sizes) == 0:
        return
    yield f"{one.split()[-1]}   vertices   share"
    for name, size in zip(names[:SHOWN], sizes[:SHOWN].tolist(), strict=True):
        yield f"{name!s:>9} {size:10d} {size / vertices:7.2%}"
    rest = sizes[SHOWN:]
    if len(rest):
        yield f"{len(rest):>9d} more, of {int(rest[-1])} to {int(rest[0])} vertices each"
