"""``clgraph demo`` and ``clgraph selftest``."""

from __future__ import annotations

import sys
from time import perf_counter

import click

from clgraph.cli.common import device_option, open_device, quiet_option


@click.command()
@click.option(
    "--vertices",
    type=click.IntRange(min=10),
    default=200_000,
    show_default=True,
    help="Size of the graph that is made.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the graph and of the samples.")
@device_option
@quiet_option
def demo(vertices: int, seed: int, device: str | None, quiet: bool) -> None:
    """Make a power-law graph, sample half of it by each method, show before and after."""
    from rich.console import Console
    from rich.table import Table

    from clgraph.csr.generate import powerlaw_graph
    from clgraph.graph import Graph
    from clgraph.sampling import sample
    from clgraph.sampling.options import METHODS

    dev = open_device(device, quiet)
    graph = powerlaw_graph(vertices, seed=seed)
    click.echo(f"A power-law graph, and samples of half its vertices by each method (seed {seed}):")
    table = Table()
    table.add_column("")
    for head in ("vertices", "edges", "average degree", "largest degree", "seconds"):
        table.add_column(head, justify="right")

    def row(name: str, shown: Graph, seconds: float | None) -> None:
        degrees = shown.degrees
        table.add_row(
            name,
            f"{shown.num_vertices:,}",
            f"{shown.num_edges:,}",
            f"{degrees.mean():.3f}",
            f"{degrees.max():,}",
            "" if seconds is None else f"{seconds:.2f}",
        )

    row("the graph", graph, None)
    for method in METHODS:
        started = perf_counter()
        result = sample(graph, method, size="50%", seed=seed, device=dev)
        row(method, result.graph, perf_counter() - started)
    Console().print(table)
    click.echo("Your own graph: clgraph sample GRAPH --method drv --size 50% --seed 1 -o sample.txt")


@click.command()
@device_option
@quiet_option
def selftest(device: str | None, quiet: bool) -> None:
    """Check the algorithms against their references on small graphs."""
    from clgraph.selftest import selftest as run

    dev = open_device(device, quiet)
    failed = checks = 0
    for name, wrong, seconds in run(dev):
        checks += 1
        failed += wrong is not None
        click.echo(
            f"{'ok  ' if wrong is None else 'FAIL'} {name} ({seconds:.2f} s)"
            + (f": {wrong}" if wrong else "")
        )
    click.echo(f"{checks - failed} of {checks} checks passed on {dev.name}")
    if failed:
        sys.exit(1)
