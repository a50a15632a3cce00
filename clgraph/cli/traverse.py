"""``clgraph bfs`` and ``clgraph components``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from clgraph.cli.common import (
    EnergyWish,
    OutputName,
    device_for_file,
    direction,
    is_dataset,
    measured_run_options,
    open_device,
    print_json,
    read_graph,
    run_options,
    say,
    write_graph,
)
from clgraph.cli.shards import job, only_datasets, open_dataset, plan_option, planned, refuse
from clgraph.errors import ClgraphError, InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from clgraph.components import Components
    from clgraph.device import Device
    from clgraph.energy import Energy
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
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    type=OutputName(),
    help="Write `id distance predecessor`, tab-separated, -1 for none.",
)
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
    quiet: bool,
) -> None:
    """Breadth-first search in GRAPH: distances from the nearest source, and predecessors.

    \b
    clgraph bfs internet.txt --source 1 -o distance.tsv
    """
    from clgraph.graph.io import check_writable
    from clgraph.traversal import bfs as search

    if output:
        check_writable(output, "edges")
    wanted = [*source, *((word.strip() for word in sources.split(",")) if sources else ())]
    if not all(wanted) or not wanted:
        raise click.UsageError("Give start vertices: --source ID (repeatable), or --sources ID,ID,...")
    if is_dataset(graph):
        refuse(method=method != "hybrid", verify=verify, energy=energy.wanted)
        with job(quiet) as speaks:
            shards = open_dataset(graph, speaks, quiet)
            how: dict[str, Any] = {"as_json": as_json, "quiet": quiet, "device": device}
            if planned(shards, speaks, "bfs", only_plan=only_plan, **how):
                return
            roots = [_as_id(word, shards.ids.dtype) for word in wanted]
            result = search(shards, roots, depth_limit=depth, device=device)
            if speaks:
                _tell_bfs(shards, result, {}, output, False, None, as_json)
        return
    only_datasets(plan=only_plan)
    started = time.perf_counter()
    data = read_graph(graph, reading, quiet, device=device_for_file(graph, device))
    read_seconds = time.perf_counter() - started
    ids = [_as_id(word, data.ids.dtype) for word in wanted]
    dev = open_device(device, quiet)
    energy.open(dev)
    found = search(data, ids, method=method, depth_limit=depth, device=dev)
    measured = energy.measure(lambda: search(data, ids, method=method, depth_limit=depth, device=dev))
    if verify:
        from clgraph.reference.bfs import verify_bfs

        verify_bfs(data, found)
        say("verified: distances, predecessors and sources are those of the definition", quiet)
    _tell_bfs(data, found, {"read": read_seconds}, output, verify, measured, as_json, dev)


def _tell_bfs(
    data: Graph | Shards,
    found: BFSResult,
    seconds: dict[str, float],
    output: str | None,
    verified: bool,
    measured: Energy | None,
    as_json: bool,
    device: Device | None = None,
) -> None:
    """Write the result, and print its figures."""
    seconds = {**seconds, **found.seconds}
    if output:
        started = time.perf_counter()
        _write_bfs(output, data, found, device)
        seconds["write"] = time.perf_counter() - started
    counts = [
        int(found.distance[found.distance == level].size) for level in range(min(found.levels, LEVELS_SHOWN))
    ]
    if as_json:
        used = {} if measured is None else {"energy": measured.to_dict(data.num_vertices)}
        print_json(
            {
                "sources": data.ids[found.sources].tolist(),
                "vertices": data.num_vertices,
                "edges": data.num_edges,
                "directed": data.directed,
                "reached": found.reached,
                "levels": found.levels,
                "level_sizes": counts,
                "depth_limit": found.depth_limit,
                "method": found.method,
                "device": found.device,
                **found.how(),
                "seconds": seconds,
                "verified": verified,
                **used,
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
    if measured is not None:
        click.echo(measured)


def _as_id(word: str, kind: np.dtype[Any]) -> int | str:
    """A source in the type of the graph's ids: a number, or the word itself."""
    if kind.kind not in "iu":
        return word
    from clgraph.sizes import whole_number

    vertex = whole_number(word)
    if vertex is None:
        raise InputError(f"--source {word[:80]}: the graph's ids are integers (or read it with --ids str)")
    return vertex


def _write_bfs(path: str, graph: Graph | Shards, found: BFSResult, device: Device | None) -> None:
    """Write a line a vertex: id, distance, id of the predecessor; -1 if there is none."""
    import numpy as np

    from clgraph.files.columns import write_columns
    from clgraph.graph.io import atomic_write

    assert found.predecessor is not None
    ids, before = graph.ids, found.predecessor
    names = np.where(before >= 0, ids[before], -1) if len(ids) else ids
    with atomic_write(path) as out:
        write_columns(out, ids, found.distance, names, device=device)


# --- components --------------------------------------------------------------------------------------

SHOWN = 10  # components in the table


@click.command()
@click.argument("graph", metavar="GRAPH")
@click.option("--strong", is_flag=True, help="Strong components: directed paths both ways.")
@click.option(
    "--largest",
    metavar="OUT",
    type=OutputName(),
    help="Write the largest component as a graph (format by suffix).",
)
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    type=OutputName(),
    help="Write `id component`, tab-separated, one vertex a line.",
)
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
    quiet: bool,
) -> None:
    """Connected components of GRAPH, numbered by decreasing size (weak ones if it is directed).

    \b
    clgraph components internet.txt --largest giant.txt -o component.tsv
    """
    from clgraph.components import connected_components
    from clgraph.graph.io import check_writable

    # errors come before a large file is read
    if largest:
        check_writable(largest, None)
    if output:
        check_writable(output, "edges")
        if largest and Path(output).resolve() == Path(largest).resolve():
            raise InputError(f"-o and --largest both name {output}: give them different names")
    if is_dataset(graph):
        refuse(strong=strong, largest=largest, verify=verify)
        with job(quiet) as speaks:
            shards = open_dataset(graph, speaks, quiet)
            how: dict[str, Any] = {"as_json": as_json, "quiet": quiet, "device": device}
            if planned(shards, speaks, "components", only_plan=only_plan, **how):
                return
            result = connected_components(shards, device=device)
            if speaks:
                _tell_components(shards, result, dict(result.seconds), output, False, as_json)
        return
    only_datasets(plan=only_plan)
    started = time.perf_counter()
    data = read_graph(graph, reading, quiet, device=device_for_file(graph, device))
    read_seconds = time.perf_counter() - started
    dev = open_device(device, quiet)
    found = connected_components(data, connection="strong" if strong else "weak", device=dev)
    if verify:
        from clgraph.reference.components import verify_components

        try:
            verify_components(data, found)
        except AssertionError as error:
            raise ClgraphError(
                f"the components are wrong: {error}. Please report this with the command and the device"
            ) from None
        say("verified: the components are those of the definition, and numbered by size", quiet)
    seconds = {"read": read_seconds, **found.seconds}
    if largest:
        started = time.perf_counter()
        write_graph(data.subgraph(found.largest), largest, quiet, device=dev)
        seconds["write"] = time.perf_counter() - started
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
    if output:
        from clgraph.files.columns import write_columns
        from clgraph.graph.io import atomic_write

        started = time.perf_counter()
        with atomic_write(output) as out:
            write_columns(out, data.ids, found.labels, device=device)
        seconds["write"] = seconds.get("write", 0.0) + time.perf_counter() - started
    if as_json:
        print_json(
            {
                "connection": found.connection,
                "vertices": data.num_vertices,
                "edges": data.num_edges,
                "directed": data.directed,
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
