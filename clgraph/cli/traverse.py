"""``clgraph bfs`` and ``clgraph components``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from clgraph.cli.common import (
    EnergyWish,
    direction,
    facts_of,
    is_dataset,
    measured_run_options,
    open_device,
    output_option,
    print_json,
    read_for,
    run_options,
    say,
    speaks,
    timed,
    verifying,
    vertex_of,
    write_graph,
    write_table,
)
from clgraph.cli.shards import job, only_datasets, open_dataset, plan_option, planned, refuse
from clgraph.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from clgraph.components import Components
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.scale import Shards
    from clgraph.traversal import BFSResult


LEVELS_SHOWN = 20  # of a search, in the text output

# --- bfs ---------------------------------------------------------------------------------------------


@click.command()
@click.argument("graph", metavar="GRAPH")
@click.option("-s", "--source", "source", metavar="ID", multiple=True, help="Start vertex (repeatable).")
@click.option("--sources", metavar="ID,ID,...", help="Several start vertices.")
@click.option("--depth", type=click.IntRange(min=0), help="Largest distance, in arcs.")
@click.option(
    "--method",
    type=click.Choice(["hybrid", "frontier"]),
    default="hybrid",
    show_default=True,
    help="Direction-optimising, or the COPRA thesis's Algorithm 5.",
)
@output_option("Write `id distance predecessor`, tab-separated, -1 for none.")
@click.option("--verify", is_flag=True, help="Check the result against the definition.")
@plan_option
@measured_run_options
def bfs(
    graph: str,
    source: tuple[str, ...],
    sources: str | None,
    depth: int | None,
    method: Literal["hybrid", "frontier"],
    output: str | None,
    verify: bool,
    only_plan: bool,
    reading: dict[str, Any],
    device: str | None,
    energy: EnergyWish,
    as_json: bool,
) -> None:
    """Breadth-first search in GRAPH: distances from the nearest source, and predecessors.

    \b
    clgraph bfs internet.txt --source 1 -o distance.tsv
    """
    from clgraph.formats import check_writable
    from clgraph.traversal import bfs as search

    if output:
        check_writable(output, "edges")
    wanted = [*source, *((word.strip() for word in sources.split(",")) if sources else ())]
    if not all(wanted) or not wanted:
        raise click.UsageError("Give start vertices: --source ID (repeatable), or --sources ID,ID,...")
    if is_dataset(graph):
        refuse(method=method != "hybrid", verify=verify, energy=energy.wanted)
        with job():
            shards = open_dataset(graph)
            if planned(shards, "bfs"):
                return
            roots = [vertex_of(word, shards, f"--source {word[:80]}") for word in wanted]
            result = search(shards, roots, depth_limit=depth, device=device)
            if speaks():
                _tell_bfs(shards, result, {}, output, False, energy, as_json)
        return
    only_datasets(plan=only_plan)
    seconds: dict[str, float] = {}
    data = read_for(device, graph, reading, seconds)
    ids = [vertex_of(word, data, f"--source {word[:80]}") for word in wanted]
    dev = open_device(device)
    energy.open(dev)
    found = search(data, ids, method=method, depth_limit=depth, device=dev)
    energy.measure(lambda: search(data, ids, method=method, depth_limit=depth, device=dev))
    if verify:
        from clgraph.reference.bfs import verify_bfs

        verify_bfs(data, found)
        say("verified: distances, predecessors and sources are those of the definition")
    _tell_bfs(data, found, seconds, output, verify, energy, as_json, dev)


def _tell_bfs(
    data: Graph | Shards,
    found: BFSResult,
    seconds: dict[str, float],
    output: str | None,
    verified: bool,
    energy: EnergyWish,
    as_json: bool,
    device: Device | None = None,
) -> None:
    """Write the result, and print its figures."""
    seconds = {**seconds, **found.seconds}
    if output:
        import numpy as np

        ids, before = data.ids, found.predecessor
        assert before is not None
        names = np.where(before >= 0, ids[before], -1) if len(ids) else ids
        write_table(output, seconds, (ids, found.distance, names), device)
    counts = [
        int(found.distance[found.distance == level].size) for level in range(min(found.levels, LEVELS_SHOWN))
    ]
    if as_json:
        print_json(
            {
                "sources": data.ids[found.sources].tolist(),
                **facts_of(data),
                "reached": found.reached,
                "levels": found.levels,
                "level_sizes": counts,
                "depth_limit": found.depth_limit,
                "method": found.method,
                "device": found.device,
                **found.how(),
                "seconds": seconds,
                "verified": verified,
                **energy.facts(data),
            }
        )
        return
    click.echo(
        f"{found.reached} of {data.num_vertices} vertices reached, {found.levels} levels ({direction(data)})"
    )
    for level, count in enumerate(counts):
        click.echo(f"  distance {level}: {count}")
    if found.levels > len(counts):
        click.echo(f"  ... up to distance {found.levels - 1}")
    energy.tell()


# --- components --------------------------------------------------------------------------------------

SHOWN = 10  # components in the table


@click.command()
@click.argument("graph", metavar="GRAPH")
@click.option("--strong", is_flag=True, help="Strong components: directed paths both ways.")
@output_option("Write the largest component as a graph (format by suffix).", "--largest")
@output_option("Write `id component`, tab-separated, one vertex a line.")
@click.option("--verify", is_flag=True, help="Check the result against the definition.")
@plan_option
@run_options
def components(
    graph: str,
    strong: bool,
    largest: str | None,
    output: str | None,
    verify: bool,
    only_plan: bool,
    reading: dict[str, Any],
    device: str | None,
    as_json: bool,
) -> None:
    """Connected components of GRAPH, numbered by decreasing size (weak ones if it is directed).

    \b
    clgraph components internet.txt --largest giant.txt -o component.tsv
    """
    from clgraph.components import connected_components  # here, while a thread loads the drivers
    from clgraph.formats import check_writable

    # errors come before a large file is read
    if largest:
        check_writable(largest, None)
    if output:
        check_writable(output, "edges")
        if largest and Path(output).resolve() == Path(largest).resolve():
            raise InputError(f"-o and --largest both name {output}: give them different names")
    if is_dataset(graph):
        refuse(strong=strong, largest=largest, verify=verify)
        with job():
            shards = open_dataset(graph)
            if planned(shards, "components"):
                return
            result = connected_components(shards, device=device)
            if speaks():
                _tell_components(shards, result, dict(result.seconds), output, False, as_json)
        return
    only_datasets(plan=only_plan)
    seconds: dict[str, float] = {}
    data = read_for(device, graph, reading, seconds)
    dev = open_device(device)
    found = connected_components(data, connection="strong" if strong else "weak", device=dev)
    if verify:
        from clgraph.reference.components import verify_components

        with verifying("components are"):
            verify_components(data, found)
        say("verified: the components are those of the definition, and numbered by size")
    seconds |= found.seconds
    if largest:
        with timed(seconds, "write"):
            write_graph(data.subgraph(found.largest), largest, device=dev)
    _tell_components(data, found, seconds, output, verify, as_json, dev)


def _tell_components(
    data: Graph | Shards,
    found: Components,
    seconds: dict[str, float],
    output: str | None,
    verified: bool,
    as_json: bool,
    device: Device | None = None,
) -> None:
    """Write the result, and print its figures."""
    write_table(output, seconds, (data.ids, found.labels), device)
    if as_json:
        print_json(
            {
                "connection": found.connection,
                **facts_of(data),
                "components": found.count,
                "sizes": found.sizes[:SHOWN].tolist(),
                "single": int((found.sizes == 1).sum()),
                "device": found.device,
                **found.how(),
                "seconds": seconds,
                "verified": verified,
            }
        )
    else:
        kind = f"{found.connection}ly " if data.directed else ""
        _print_sizes(found.sizes, data, f"{kind}connected component")


def _print_sizes(sizes: npt.NDArray[np.int64], graph: Graph | Shards, what: str) -> None:
    """Print the largest components with their shares, and how many others there are."""
    vertices = graph.num_vertices
    click.echo(
        f"{len(sizes)} {what}{'' if len(sizes) == 1 else 's'}, {vertices} vertices ({direction(graph)})"
    )
    if len(sizes) == 0:
        return
    click.echo("component   vertices   share")
    for number, size in enumerate(sizes[:SHOWN].tolist()):
        click.echo(f"{number:9d} {size:10d} {size / vertices:7.2%}")
    rest = sizes[SHOWN:]
    if len(rest):
        click.echo(f"{len(rest):>9d} more, of {int(rest[-1])} to {int(rest[0])} vertices each")
