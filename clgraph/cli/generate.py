"""``clgraph generate``: graphs made from a seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import click

import clgraph
from clgraph.cli.common import (
    FormatName,
    OutputName,
    device_option,
    open_device,
    progress_bar,
    quiet_option,
    say,
)
from clgraph.keyed import check_seed


@click.group()
def generate() -> None:
    """Make a graph from a seed: the same seed gives the same graph on every machine and device."""


def _making(command: Callable[..., Any], on_host: bool = True) -> Callable[..., Any]:
    """Options that all models share; the command returns a function that makes the graph.

    Without --device it is made by NumPy, or, not `on_host`, on the default device.
    """

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
        seed: int | None, device: str | None, output: str, output_format: str | None, **parameters: Any
    ) -> None:
        from clgraph.cli.shards import generate_dataset, is_dataset
        from clgraph.files.summary import write_with_summary
        from clgraph.formats import check_writable

        cut = {name: parameters.pop(name, None) for name in ("sections", "shard_edges")}
        if is_dataset(output):
            model = getattr(command(**parameters), "model", None)
            generate_dataset(command.__name__, model, output, seed, device, **cut)
            return
        if any(value is not None for value in cut.values()):
            raise click.UsageError("--sections and --shard-edges are of datasets: OUT.clgs.")
        check_writable(output, output_format)
        seed = check_seed(seed)
        maker = command(**parameters)
        where = None if device is None and on_host else open_device(device)
        with progress_bar("generating") as progress:
            graph = maker(seed=seed, device=where, progress=progress)
        summary = write_with_summary(graph, output, format=output_format)
        say(f"{command.__name__}, seed {seed}: {summary}")

    return make


_making_on_device = partial(_making, on_host=False)
_vertices = click.option("--vertices", type=int, required=True, help="How many vertices.")
_average = click.option(
    "--average-degree", type=float, default=5.0, show_default=True, help="Mean number of neighbours."
)


def _into_shards(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of models that are made straight into shards; the function that makes the graph has `model`."""
    edges = click.option("--shard-edges", type=int, metavar="N", help="Of OUT.clgs: entries of a shard.")
    sections = click.option("--sections", help="Of OUT.clgs: pairs,rows or pairs,in,out (default: all).")
    return sections(edges(command))


@generate.command()
@_vertices
@_average
@_into_shards
@click.option(
    "--exponent", type=float, default=2.71, show_default=True, help="Of the degree distribution; above 2."
)
@_making
def powerlaw(vertices: int, average_degree: float, exponent: float) -> Any:
    """An undirected graph whose degrees follow a power law (Chung and Lu's model).

    Made by NumPy, or with --device on a device; OUT.clgs always on devices, on all that are named or that
    mpiexec starts ranks for. An edge list lacks the vertices without edges; the binary form (.clg) holds them
    all.
    """
    from clgraph.graph.models import PowerLaw

    def make(**how: Any) -> Any:
        return clgraph.powerlaw_graph(vertices, average_degree=average_degree, exponent=exponent, **how)

    made: Any = make
    made.model = lambda seed: PowerLaw(vertices, average_degree, exponent, seed)
    return made


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
@_into_shards
@_making
def rmat(scale: int, edge_factor: float, quadrants: tuple[float, float, float], **options: Any) -> Any:
    """An R-MAT graph (Graph500's parameters by default).

    Made by NumPy, or with --device on a device; OUT.clgs always on devices, on all that are named or that
    mpiexec starts ranks for. An edge list lacks the vertices without edges; the binary form (.clg) holds them
    all.
    """
    from clgraph.graph.models import RMat

    def make(**how: Any) -> Any:
        a, b, c = quadrants
        return clgraph.rmat_graph(scale, edge_factor=edge_factor, a=a, b=b, c=c, **options, **how)

    made: Any = make
    if options["duplicates"] == "merge":
        made.model = lambda seed: RMat(
            scale, edge_factor, quadrants, seed, options["directed"], options["scramble"]
        )
    return made


@generate.command()
@_vertices
@click.option("--edges-each", type=int, required=True, help="Edges of each new vertex.")
@_making_on_device
def ba(vertices: int, edges_each: int) -> Any:
    """A graph that grows by preferential attachment (Barabasi and Albert)."""
    return partial(clgraph.barabasi_albert_graph, vertices, edges_each)


@generate.command()
@_vertices
@click.option("--edges", type=int, required=True, help="How many edges, all different.")
@_making_on_device
def er(vertices: int, edges: int) -> Any:
    """A random graph of n vertices and m edges (Erdos and Renyi)."""
    return partial(clgraph.erdos_renyi_graph, vertices, edges)


@generate.command()
@_vertices
@click.option("--degree", type=int, required=True, help="Neighbours on the ring, an even number.")
@click.option(
    "--probability", type=float, required=True, help="With which an edge leads elsewhere, from 0 to 1."
)
@_making_on_device
def ws(vertices: int, degree: int, probability: float) -> Any:
    """A small world: a ring, some of whose edges lead elsewhere (Watts and Strogatz)."""
    return partial(clgraph.watts_strogatz_graph, vertices, degree, probability)


@generate.command()
@_vertices
@click.option(
    "--exponent", type=float, default=2.5, show_default=True, help="Of the power law of degrees, 0 to 20."
)
@click.option("--min-degree", type=int, default=1, show_default=True, help="The smallest degree drawn.")
@click.option("--max-degree", type=int, help="The largest degree drawn (default: the root of the vertices).")
@_making_on_device
def configuration(vertices: int, **options: Any) -> Any:
    """The configuration model: degrees by a bounded power law (Zipf), joined at random.

    Loops are dropped and parallel edges merged.
    """
    return partial(clgraph.configuration_graph, vertices, **options)


@generate.command()
@_vertices
@_average
@click.option("--alpha", type=float, default=0.5, show_default=True, help="Of the weights; from 0 to 2.")
@click.option("--shift", type=float, default=0.0, show_default=True, help="Of the weights; 0 or more.")
@_making_on_device
def static(vertices: int, **options: Any) -> Any:
    """The static model (Goh, Kahng and Kim): ends in proportion to weights (i + SHIFT) ** -ALPHA.

    Degrees follow a power law with the exponent 1 + 1 / ALPHA, cut off by the shift.
    """
    return partial(clgraph.static_model_graph, vertices, **options)


@generate.command()
@_vertices
@click.option("--mixing", type=float, default=0.1, show_default=True, help="Share of edges leading outside.")
@click.option("--degree-exponent", type=float, default=2.5, show_default=True, help="Of the law of degrees.")
@click.option("--min-degree", type=int, default=5, show_default=True, help="The smallest degree drawn.")
@click.option("--max-degree", type=int, default=50, show_default=True, help="The largest degree drawn.")
@click.option("--community-exponent", type=float, default=1.5, show_default=True, help="Of the law of sizes.")
@click.option("--min-community", type=int, default=20, show_default=True, help="The smallest community.")
@click.option("--max-community", type=int, default=100, show_default=True, help="The largest community.")
@click.option("--communities", metavar="FILE", help="Where each vertex's community is written.")
@_making_on_device
def lfr(vertices: int, communities: str | None, **options: Any) -> Any:
    """A graph with communities (LFR: Lancichinetti, Fortunato and Radicchi)."""
    from clgraph.formats import atomic_write, check_writable

    if communities:
        check_writable(communities, "edges")

    def make(**how: Any) -> Any:
        found = clgraph.lfr_graph(vertices, **options, **how)
        if communities:
            with atomic_write(communities, "w") as out:
                lines = enumerate(found.community.tolist())
                out.writelines(f"{vertex}\t{community}\n" for vertex, community in lines)
        return found.graph

    return make


@generate.command()
@click.option("--vertices", type=int, default=30_000_000, show_default=True, help="Near which it comes out.")
@_making_on_device
def copra(vertices: int) -> Any:
    """A graph as that of the COPRA thesis: the static model, fitted to the thesis's Table 4.2."""
    return partial(clgraph.copra_graph, vertices)
