"""``clgraph generate``: graphs made from a seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click

import clgraph
from clgraph.cli.command import Command, Run, is_dataset
from clgraph.cli.graphs import shard_options
from clgraph.cli.options import (
    Decorator,
    device_option,
    option,
    options,
    output_option,
    quiet_option,
    sections_option,
    to_option,
)
from clgraph.errors import InputError
from clgraph.keyed import check_seed


@click.group()
def generate() -> None:
    """Make a graph from a seed: the same seed gives the same graph on every machine and device."""


def model(*parameters: Decorator, on_host: bool = False) -> Callable[[Callable[..., Any]], click.Command]:
    """A command that makes a graph; its function takes its own options and returns what makes the graph.

    Without --device the default device makes it, or, `on_host`, NumPy.
    """

    def decorate(maker: Callable[..., Any]) -> click.Command:
        def make(run: Run) -> None:
            _make(run, maker, on_host)

        make.__doc__, make.__name__ = maker.__doc__, maker.__name__
        return generate.command(cls=Command)(options(*parameters, _shared_options)(make))

    return decorate


_shared_options = options(
    option("--seed", "Seed, 0 .. 2^64-1 (default: drawn from the operating system, and printed).", int),
    device_option,
    output_option("Output file; its suffix gives the format.", required=True),
    to_option,
    quiet_option,
)


def _make(run: Run, maker: Callable[..., Any], on_host: bool) -> None:
    from clgraph.files.summary import write_with_summary
    from clgraph.formats import check_writable

    own = vars(run.options)
    seed, to = own.pop("seed"), own.pop("output_format")
    cut = {name: own.pop(name, None) for name in ("sections", "shard_edges")}
    output = str(run.output)
    if is_dataset(output):
        _make_dataset(run, maker.__name__, getattr(maker(**own), "model", None), seed, cut)
        return
    if any(value is not None for value in cut.values()):
        raise click.UsageError("--sections and --shard-edges are of datasets: OUT.clgs.")
    check_writable(output, to)
    seed, make = check_seed(seed), maker(**own)
    device = None if run.spec is None and on_host else run.device
    with run.progress("generating") as progress:
        graph = make(seed=seed, device=device, progress=progress)
    run.say(f"{maker.__name__}, seed {seed}: {write_with_summary(graph, output, format=to)}")


def _make_dataset(run: Run, name: str, model: Any, seed: int | None, cut: dict[str, Any]) -> None:
    """Write the graph straight into shards; `model` makes the model of a seed, where shards have one."""
    from clgraph.scale.comm import shared_seed
    from clgraph.scale.generate import generate_shards

    target = str(run.output)
    if model is None:
        raise InputError(
            f"{target}: graphs of this model, or with parallel copies, are not made in shards; write a .clg "
            "file, and convert it"
        )
    with run.job():
        drawn = shared_seed(seed)
        with run.progress("generating") as progress:
            more = {"device": run.spec, "progress": progress, **shard_options(**cut)}
            made = generate_shards(model(drawn), target, **more)
        run.say(f"{name}, seed {drawn}: wrote {target}: {made!r}")


_vertices = option("--vertices", "Number of vertices.", int, required=True)
_average = option("--average-degree", "Mean number of neighbours per vertex.", float, 5.0)


# of models that are made straight into shards; the function that makes the graph has `model`
_into_shards = options(
    sections_option, option("--shard-edges N", "Datasets (OUT.clgs): entries per shard.", int)
)


@model(
    _vertices,
    _average,
    _into_shards,
    option("--exponent", "Exponent of the degree distribution, above 2.", float, 2.71),
    on_host=True,
)
def powerlaw(vertices: int, average_degree: float, exponent: float) -> Any:
    """Make an undirected power-law graph (Chung and Lu's model).

    Made by NumPy, or with --device on a device. A dataset (OUT.clgs) is always made on devices: on all that
    --device names, or one for each rank of mpiexec. Edge lists do not store vertices without edges; the
    binary format (.clg) does.
    """
    from clgraph.graph.models import PowerLaw

    def make(**how: Any) -> Any:
        return clgraph.powerlaw_graph(vertices, average_degree=average_degree, exponent=exponent, **how)

    made: Any = make
    made.model = lambda seed: PowerLaw(vertices, average_degree, exponent, seed)
    return made


@model(
    option("--scale", "Binary logarithm of the number of vertices.", int, required=True),
    option("--edge-factor", "Edges drawn per vertex, before parallel ones are merged.", float, 16),
    option(
        "--quadrants",
        "Probabilities of the first three quadrants.",
        (float, float, float),
        (0.57, 0.19, 0.19),
        metavar="A B C",
    ),
    option("--directed/--undirected", "Make an edge one arc, or two.", bool, False),
    option(
        "--scramble/--plain",
        "Renumber vertices at random (plain: small numbers have many edges).",
        bool,
        True,
    ),
    option("--duplicates", "Merge parallel edges, or keep them.", ["merge", "keep"], "merge"),
    _into_shards,
    on_host=True,
)
def rmat(scale: int, edge_factor: float, quadrants: tuple[float, float, float], **options: Any) -> Any:
    """Make an R-MAT graph (Graph500's parameters by default).

    Made by NumPy, or with --device on a device. A dataset (OUT.clgs) is always made on devices: on all that
    --device names, or one for each rank of mpiexec. Edge lists do not store vertices without edges; the
    binary format (.clg) does.
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


@model(_vertices, option("--edges-each", "Edges of each new vertex.", int, required=True))
def ba(vertices: int, edges_each: int) -> Any:
    """Grow a graph by preferential attachment (Barabasi-Albert)."""
    return partial(clgraph.barabasi_albert_graph, vertices, edges_each)


@model(_vertices, option("--edges", "Number of edges, all different.", int, required=True))
def er(vertices: int, edges: int) -> Any:
    """Make a random graph of n vertices, m edges (Erdos-Renyi)."""
    return partial(clgraph.erdos_renyi_graph, vertices, edges)


@model(
    _vertices,
    option("--degree", "Neighbours on the ring, an even number.", int, required=True),
    option("--probability", "Probability that an edge is rewired, 0 to 1.", float, required=True),
)
def ws(vertices: int, degree: int, probability: float) -> Any:
    """Make a small world: a rewired ring (Watts-Strogatz)."""
    return partial(clgraph.watts_strogatz_graph, vertices, degree, probability)


@model(
    _vertices,
    option("--exponent", "Exponent of the power law of degrees, 0 to 20.", float, 2.5),
    option("--min-degree", "The smallest degree drawn.", int, 1),
    option("--max-degree", "The largest degree drawn (default: the square root of --vertices).", int),
)
def configuration(vertices: int, **options: Any) -> Any:
    """Make a graph by the configuration model.

    Degrees follow a bounded power law (Zipf) and are joined at random. Self-loops are dropped, parallel
    edges merged.
    """
    return partial(clgraph.configuration_graph, vertices, **options)


@model(
    _vertices,
    _average,
    option("--alpha", "ALPHA, 0 to 2.", float, 0.5),
    option("--shift", "SHIFT, 0 or more.", float, 0.0),
)
def static(vertices: int, **options: Any) -> Any:
    """Make a graph by the static model (Goh, Kahng and Kim).

    Ends of edges are drawn in proportion to weights (i + SHIFT) ** -ALPHA. Degrees follow a power law with
    the exponent 1 + 1 / ALPHA, cut off by the shift.
    """
    return partial(clgraph.static_model_graph, vertices, **options)


@model(
    _vertices,
    option("--mixing", "Share of a vertex's edges that leave its community.", float, 0.1),
    option("--degree-exponent", "Exponent of the power law of degrees.", float, 2.5),
    option("--min-degree", "The smallest degree drawn.", int, 5),
    option("--max-degree", "The largest degree drawn.", int, 50),
    option("--community-exponent", "Exponent of the power law of community sizes.", float, 1.5),
    option("--min-community", "Vertices of the smallest community.", int, 20),
    option("--max-community", "Vertices of the largest community.", int, 100),
    option("--communities FILE", "Write `vertex community` to FILE, tab-separated, one vertex per line."),
)
def lfr(vertices: int, communities: str | None, **options: Any) -> Any:
    """Make an LFR graph, with communities.

    The model of Lancichinetti, Fortunato and Radicchi.
    """
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


@model(option("--vertices", "Number of vertices, approximately.", int, 30_000_000))
def copra(vertices: int) -> Any:
    """Make a graph like that of the COPRA thesis.

    It follows the static model, fitted to the thesis's Table 4.2.
    """
    return partial(clgraph.copra_graph, vertices)
