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


def model(call: str, *parameters: Decorator, on_host: bool = False) -> Callable[..., click.Command]:
    """A command that makes a graph by a function of clgraph, which takes the command's own options.

    The decorated function returns the model of a seed that shards are made from, if they can be. Without
    --device the default device makes the graph, or, `on_host`, NumPy.
    """

    def decorate(shards_of: Callable[..., Any]) -> click.Command:
        def make(run: Run) -> None:
            _make(run, call, shards_of, on_host)

        make.__doc__, make.__name__ = shards_of.__doc__, shards_of.__name__
        return generate.command(cls=Command)(options(*parameters, _shared_options)(make))

    return decorate


_shared_options = options(
    option("--seed", "Seed, 0 .. 2^64-1 (default: drawn from the operating system, and printed).", int),
    device_option,
    output_option("Output file; its suffix gives the format.", required=True),
    to_option,
    quiet_option,
)


def _make(run: Run, call: str, shards_of: Callable[..., Any], on_host: bool) -> None:
    from clgraph.files.summary import write_with_summary
    from clgraph.formats import atomic_write, check_writable

    own, output, name = vars(run.options), str(run.output), shards_of.__name__
    seed, to, communities = own.pop("seed"), own.pop("output_format"), own.pop("communities", None)
    cut = {name: own.pop(name, None) for name in ("sections", "shard_edges")}
    if is_dataset(output):
        _make_dataset(run, name, shards_of(**own), seed, cut)
        return
    if any(value is not None for value in cut.values()):
        raise click.UsageError("--sections and --shard-edges are of datasets: OUT.clgs.")
    check_writable(output, to)
    if communities:
        check_writable(communities, "edges")
    own |= zip("abc", own.pop("quadrants", ()), strict=False)
    seed = check_seed(seed)
    device = None if run.spec is None and on_host else run.device
    with run.progress("generating") as progress:
        graph = getattr(clgraph, call)(**own, seed=seed, device=device, progress=progress)
    if name == "lfr":
        graph, community = graph.graph, enumerate(graph.community.tolist())
        if communities:
            with atomic_write(communities, "w") as out:
                out.writelines(f"{vertex}\t{number}\n" for vertex, number in community)
    run.say(f"{name}, seed {seed}: {write_with_summary(graph, output, format=to)}")


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
            made = generate_shards(model(seed=drawn), target, **more)
        run.say(f"{name}, seed {drawn}: wrote {target}: {made!r}")


# options have the names of the parameters that they are for
_vertices = option("--vertices num_vertices", "Number of vertices.", int, required=True)
_average = option("--average-degree", "Mean number of neighbours per vertex.", float, 5.0)


# of models that are made straight into shards
_into_shards = options(
    sections_option, option("--shard-edges N", "Datasets (OUT.clgs): entries per shard.", int)
)


@model(
    "powerlaw_graph",
    _vertices,
    _average,
    _into_shards,
    option("--exponent", "Exponent of the degree distribution, above 2.", float, 2.71),
    on_host=True,
)
def powerlaw(**options: Any) -> Any:
    """Make an undirected power-law graph (Chung and Lu's model).

    Made by NumPy, or with --device on a device. A dataset (OUT.clgs) is always made on devices: on all that
    --device names, or one for each rank of mpiexec. Edge lists do not store vertices without edges; the
    binary format (.clg) does.
    """
    from clgraph.graph.models import PowerLaw

    return partial(PowerLaw, **options)


@model(
    "rmat_graph",
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
def rmat(duplicates: str, quadrants: tuple[float, float, float], **options: Any) -> Any:
    """Make an R-MAT graph (Graph500's parameters by default).

    Made by NumPy, or with --device on a device. A dataset (OUT.clgs) is always made on devices: on all that
    --device names, or one for each rank of mpiexec. Edge lists do not store vertices without edges; the
    binary format (.clg) does.
    """
    from clgraph.graph.models import RMat

    return partial(RMat, shares=quadrants, **options) if duplicates == "merge" else None


@model(
    "barabasi_albert_graph",
    _vertices,
    option("--edges-each", "Edges of each new vertex.", int, required=True),
)
def ba(**_: Any) -> None:
    """Grow a graph by preferential attachment (Barabasi-Albert)."""


@model(
    "erdos_renyi_graph",
    _vertices,
    option("--edges num_edges", "Number of edges, all different.", int, required=True),
)
def er(**_: Any) -> None:
    """Make a random graph of n vertices, m edges (Erdos-Renyi)."""


@model(
    "watts_strogatz_graph",
    _vertices,
    option("--degree", "Neighbours on the ring, an even number.", int, required=True),
    option("--probability", "Probability that an edge is rewired, 0 to 1.", float, required=True),
)
def ws(**_: Any) -> None:
    """Make a small world: a rewired ring (Watts-Strogatz)."""


@model(
    "configuration_graph",
    _vertices,
    option("--exponent", "Exponent of the power law of degrees, 0 to 20.", float, 2.5),
    option("--min-degree", "The smallest degree drawn.", int, 1),
    option("--max-degree", "The largest degree drawn (default: the square root of --vertices).", int),
)
def configuration(**_: Any) -> None:
    """Make a graph by the configuration model.

    Degrees follow a bounded power law (Zipf) and are joined at random. Self-loops are dropped, parallel
    edges merged.
    """


@model(
    "static_model_graph",
    _vertices,
    _average,
    option("--alpha", "ALPHA, 0 to 2.", float, 0.5),
    option("--shift", "SHIFT, 0 or more.", float, 0.0),
)
def static(**_: Any) -> None:
    """Make a graph by the static model (Goh, Kahng and Kim).

    Ends of edges are drawn in proportion to weights (i + SHIFT) ** -ALPHA. Degrees follow a power law with
    the exponent 1 + 1 / ALPHA, cut off by the shift.
    """


@model(
    "lfr_graph",
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
def lfr(**_: Any) -> None:
    """Make an LFR graph, with communities.

    The model of Lancichinetti, Fortunato and Radicchi.
    """


@model(
    "copra_graph", option("--vertices num_vertices", "Number of vertices, approximately.", int, 30_000_000)
)
def copra(**_: Any) -> None:
    """Make a graph like that of the COPRA thesis.

    It follows the static model, fitted to the thesis's Table 4.2.
    """
