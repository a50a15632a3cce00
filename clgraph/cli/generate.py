"""``clgraph generate``: graphs made from a seed."""

from __future__ import annotations

import click

from clgraph.cli.common import progress_bar, quiet_option, say
from clgraph.keyed import check_seed


@click.group()
def generate() -> None:
    """Make a graph from a seed: the same seed gives the same graph on every machine."""


@generate.command()
@click.option("--vertices", type=int, required=True, help="How many vertices.")
@click.option(
    "--average-degree", type=float, default=5.0, show_default=True, help="Mean number of neighbours."
)
@click.option(
    "--exponent", type=float, default=2.71, show_default=True, help="Of the degree distribution; above 2."
)
@click.option("--seed", type=int, help="Default: drawn from the system, and told.")
@click.option(
    "-o", "--output", metavar="OUT", required=True, help="Where it goes; the suffix says the format."
)
@click.option("--to", "output_format", metavar="NAME", help="Format of OUT (default: by its suffix).")
@quiet_option
def powerlaw(
    vertices: int,
    average_degree: float,
    exponent: float,
    seed: int | None,
    output: str,
    output_format: str | None,
    quiet: bool,
) -> None:
    """An undirected graph whose degrees follow a power law (Chung and Lu's model).

    An edge list holds no vertex without edges; the binary form (.clg) holds them all.
    """
    from clgraph.generate import powerlaw_graph
    from clgraph.io import check_writable, write_with_summary

    check_writable(output, output_format)
    seed = check_seed(seed)
    with progress_bar("generating", quiet) as progress:
        graph = powerlaw_graph(
            vertices, average_degree=average_degree, exponent=exponent, seed=seed, progress=progress
        )  # fmt: skip
    summary = write_with_summary(graph, output, format=output_format)
    say(f"powerlaw, seed {seed}: {summary}", quiet)
