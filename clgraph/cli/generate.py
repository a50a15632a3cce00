"""``clgraph generate``: graphs made from a seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from clgraph.cli.choices import FormatName
from clgraph.cli.common import OutputName, device_option, open_device, progress_bar, quiet_option, say
from clgraph.keyed import check_seed


@click.group()
def generate() -> None:
    """Make a graph from a seed: the same seed gives the same graph on every machine and device."""


def _making(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that all models share; the command returns a function that makes the graph."""

    @click.option("--seed", type=int, help="Default: drawn from the operating system, and printed.")
    @device_option
    @click.option(
        "-o",
        "--output",
        metavar="OUT",
        type=OutputName(),
        required=True,
        help="The output file; its suffix says the format.",
    )
    @click.option("--to", "output_format", type=FormatName(), help="Format of OUT (default: by its suffix).")
    @quiet_option
    @wraps(command)
    def make(
        seed: int | None,
        device: str | None,
        output: str,
        output_format: str | None,
        quiet: bool,
        **parameters: Any,
    ) -> None:
        from clgraph.files.summary import write_with_summary
        from clgraph.graph.io import check_writable

        check_writable(output, output_format)
        seed = check_seed(seed)
        maker = command(**parameters)
        where = None if device is None else open_device(device, quiet)
        with progress_bar("generating", quiet) as progress:
            graph = maker(seed=seed, device=where, progress=progress)
        summary = write_with_summary(graph, output, format=output_format)
        say(f"{command.__name__}, seed {seed}: {summary}", quiet)

    return make


@generate.command()
@click.option("--vertices", type=int, required=True, help="How many vertices.")
@click.option(
    "--average-degree", type=float, default=5.0, show_default=True, help="Mean number of neighbours."
)
@click.option(
    "--exponent", type=float, default=2.71, show_default=True, help="Of the degree distribution; above 2."
)
@_making
def powerlaw(vertices: int, average_degree: float, exponent: float) -> Any:
    """An undirected graph whose degrees follow a power law (Chung and Lu's model).

    Made by NumPy, or with --device on a device. An edge list lacks the vertices without edges; the binary
    form (.clg) holds them all.
    """
    from clgraph.csr.generate import powerlaw_graph

    def make(**how: Any) -> Any:
        return powerlaw_graph(vertices, average_degree=average_degree, exponent=exponent, **how)

    return make


@generate.command()
@click.option("--scale", type=int, required=True, help="Binary logarithm of the number of vertices.")
@click.option(
    "--edge-factor", type=float, default=16, show_default=True, help="Edges drawn per vertex, before merging."
)
@click.option(
    "--quadrants",
    type=(float, float, float),
    default=(0.57, 0.19, 0.19),
    show_default=True,
    metavar="A B C",
    help="Probabilities of the first three quadrants.",
)
@click.option("--directed/--undirected", default=False, show_default=True, help="Whether an edge is one arc.")
@click.option(
    "--scramble/--plain",
    default=True,
    show_default=True,
    help="Renumber the vertices (plain: small numbers have many edges).",
)
@click.option(
    "--duplicates",
    type=click.Choice(["merge", "keep"]),
    default="merge",
    show_default=True,
    help="What becomes of parallel edges.",
)
@_making
def rmat(scale: int, edge_factor: float, quadrants: tuple[float, float, float], **options: Any) -> Any:
    """An R-MAT graph (Graph500's parameters by default).

    Made by NumPy, or with --device on a device. An edge list lacks the vertices without edges; the binary
    form (.clg) holds them all.
    """
    from clgraph.csr.generate import rmat_graph

    def make(**how: Any) -> Any:
        a, b, c = quadrants
        return rmat_graph(scale, edge_factor=edge_factor, a=a, b=b, c=c, **options, **how)

    return make
