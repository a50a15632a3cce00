"""``clgraph bfs`` and ``clgraph components``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

import clgraph
from clgraph.cli.command import Command, Run, direction, facts_of, fields_of, has_numbers, vertex_of
from clgraph.cli.options import AT_LEAST_0, on_graph, option, output_option

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from clgraph.graph import Graph
    from clgraph.scale import Shards

LEVELS_SHOWN = 20  # of a search, in the text output
SHOWN = 10  # components in the table


@click.command(cls=Command)
@option("-s --source ID", "Start vertex (repeatable).", multiple=True)
@option("--sources ID,ID,...", "Several start vertices.")
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
    given = run.options
    words = [*given.source, *(given.sources.split(",") if given.sources else ())]
    wanted = [word.strip() for word in words]
    if not all(wanted) or not wanted:
        raise click.UsageError("Give start vertices: --source ID (repeatable), or --sources ID,ID,...")
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
        kind = f"{found.connection}ly " if data.directed else ""
        run.result(lambda: facts, _sizes(found.sizes, data, f"{kind}connected component"))


def _sizes(sizes: npt.NDArray[np.int64], graph: Graph | Shards, what: str) -> Iterator[str]:
    """Yield the largest components with their shares, and how many others there are."""
    vertices = graph.num_vertices
    yield f"{len(sizes)} {what}{'' if len(sizes) == 1 else 's'}, {vertices} vertices ({direction(graph)})"
    if len(sizes) == 0:
        return
    yield "component   vertices   share"
    for number, size in enumerate(sizes[:SHOWN].tolist()):
        yield f"{number:9d} {size:10d} {size / vertices:7.2%}"
    rest = sizes[SHOWN:]
    if len(rest):
        yield f"{len(rest):>9d} more, of {int(rest[-1])} to {int(rest[0])} vertices each"
