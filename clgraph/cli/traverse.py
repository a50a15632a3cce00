"""``clgraph bfs`` and ``clgraph components``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clgraph.cli.common import (
    device_option,
    graph_options,
    json_option,
    open_device,
    print_json,
    quiet_option,
    read_graph,
    say,
)
from clgraph.errors import ClgraphError, InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


# --- components --------------------------------------------------------------------------------------

SHOWN = 10  # components in the table


@click.command()
@click.argument("graph", metavar="GRAPH")
@click.option("--strong", is_flag=True, help="Strong components: a directed path either way.")
@click.option("--largest", metavar="OUT", help="Write the largest component as a graph (format by suffix).")
@click.option("-o", "--output", metavar="OUT", help="Write `id component`, tab-separated, one vertex a line.")
@click.option("--verify", is_flag=True, help="Check the result from the definition.")
@graph_options
@device_option
@json_option
@quiet_option
def components(
    graph: str,
    strong: bool,
    largest: str | None,
    output: str | None,
    verify: bool,
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
    from clgraph.io import check_writable

    # what can be refused is refused before a large file is read
    if largest:
        check_writable(largest, None)
    if output:
        check_writable(output, "edges")
        if largest and Path(output).resolve() == Path(largest).resolve():
            raise InputError(f"-o and --largest both name {output}: give each a name of its own")
    started = time.perf_counter()
    data = read_graph(graph, reading, quiet)
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
    started = time.perf_counter()
    if output:
        from clgraph.io import atomic_write

        with atomic_write(output, "w") as out:
            pairs = zip(data.ids.tolist(), found.labels.tolist(), strict=True)
            out.writelines(f"{vertex}\t{component}\n" for vertex, component in pairs)
    if largest:
        from clgraph.io import write_with_summary

        say(write_with_summary(data.subgraph(found.largest), largest), quiet)
    if output or largest:
        seconds["write"] = time.perf_counter() - started
    if as_json:
        print_json(
            {
                "connection": found.connection,
                "vertices": data.num_vertices,
                "edges": data.num_edges,
                "components": found.count,
                "sizes": found.sizes[:SHOWN].tolist(),
                "single": int((found.sizes == 1).sum()),
                "device": found.device,
                "seconds": seconds,
                "verified": verify,
            }
        )
    else:
        kind = f"{found.connection}ly " if data.directed else ""
        _print_sizes(found.sizes, data.num_vertices, f"{kind}connected component")


def _print_sizes(sizes: npt.NDArray[np.int64], vertices: int, what: str) -> None:
    """The largest components with their shares, and how many there are of the rest."""
    click.echo(f"{len(sizes)} {what}{'' if len(sizes) == 1 else 's'}, {vertices} vertices")
    if len(sizes) == 0:
        return
    click.echo("component   vertices   share")
    for number, size in enumerate(sizes[:SHOWN].tolist()):
        click.echo(f"{number:9d} {size:10d} {size / vertices:7.2%}")
    rest = sizes[SHOWN:]
    if len(rest):
        click.echo(f"{len(rest):>9d} more, of {int(rest[-1])} to {int(rest[0])} vertices each")
