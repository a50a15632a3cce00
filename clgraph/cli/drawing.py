"""Options of the literature's samplers on the command line, and ``clgraph methods``."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from clgraph.cli.common import json_option, print_json


def drawing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that only some samplers read; those given are collected into one argument, `drawing`."""
    made = [
        click.option(
            "--edges", help="re, rne, hyb: how many edges, instead of --size (20% or a count); gps: how many."
        ),
        click.option("--mix", help="hyb, dhyb: the probability of rne (drve) (default 0.8)."),
        click.option("--starts", type=int, help="rnn: centres, instead of --size; rds: starts (10)."),
        click.option("--steps", type=int, help="Walks: how many steps a walker makes, instead of --size."),
        click.option("--walkers", type=int, help="Walks: how many walkers (default 1)."),
        click.option("--burn-in", type=int, help="Walks of --steps: first steps that do not count."),
        click.option("--thin", type=int, help="Walks of --steps: every so manieth step counts."),
        click.option(
            "--patience", type=int, help="Walks: steps for each new vertex before a new start (1000)."
        ),
        click.option("--direction", type=click.Choice(["both", "out", "in"]), help="Arcs that are followed."),
        click.option(
            "--p",
            "p",
            help="rwr, rj: the probability of a restart or jump (0.15); ff: of burning (0.7); gsh: of "
            "holding an edge (0.3).",
        ),
        click.option("--q", "q", help="gsh: the probability of holding an edge that touches one (0.7)."),
        click.option(
            "--closing", is_flag=True, default=None, help="gsh: edges that close triangles are always held."
        ),
        click.option("--triangles", type=int, help="gps: the weight of a triangle that an edge closes (9)."),
        click.option("--block", type=int, help="gps: edges that are weighed together (1)."),
        click.option("--alpha", help="rwj: the weight of jumps (the mean degree); mhrw: the exponent (1)."),
        click.option("--c", "c", type=int, help="gmd: the degree below which walks wait (the mean degree)."),
        click.option("--k", "k", type=int, help="snowball: names of each vertex (50)."),
        click.option("--stages", type=int, help="snowball: how many stages, instead of --size."),
        click.option("--r", "r", help="ff, directed: how likely arcs burn backward, compared to --p (0)."),
        click.option("--coupons", type=int, help="rds: recruits of each vertex (3)."),
        click.option("--share", help="spikyball: the share of a stage's arcs that is taken (0.1)."),
        click.option("--powers", help="spikyball: powers of d_out, weight and d_in (0,0,0)."),
        click.option("--parts", type=int, help="quasi-chordal: how many parts (16)."),
        click.option(
            "--weighted", is_flag=True, default=None, help="Let edge weights count (read with --weights)."
        ),
        click.option(
            "--keep",
            type=click.Choice(["induced", "visited", "tree"]),
            help="Which edges: all among the vertices, those drawn or walked, or those of first entry.",
        ),
    ]
    names = [name for option in made for name in _names(option)]

    @wraps(command)
    def with_drawing(*args: Any, **kwargs: Any) -> Any:
        given = {name: kwargs.pop(name) for name in names}
        return command(*args, drawing={k: v for k, v in given.items() if v is not None}, **kwargs)

    wrapped: Callable[..., Any] = with_drawing
    for option in reversed(made):
        wrapped = option(wrapped)
    return wrapped


def _names(option: Callable[..., Any]) -> list[str]:
    """The parameter that an option fills."""

    def probe() -> None: ...

    option(probe)
    return [each.name for each in probe.__click_params__]  # type: ignore[attr-defined]


@click.command()
@json_option
def methods(as_json: bool) -> None:
    """Every sampling method: what it draws, its options, its source, its other names."""
    from clgraph.sampling.literature.plan import KINDS
    from clgraph.sampling.literature.plan import METHODS as LITERATURE
    from clgraph.sampling.options import METHODS

    table: dict[str, dict[str, Any]] = {
        name: {
            "kind": "reduction",
            "does": does,
            "options": [],
            "reference": "Krishnamurthy, Faloutsos et al. 2007",
            "also": [],
        }
        for name, does in METHODS.items()
    }
    for name, each in LITERATURE.items():
        table[name] = {
            "kind": KINDS[each.kind],
            "does": each.does,
            "options": list(each.options),
            "reference": each.paper,
            "also": list(each.also),
        }
    if as_json:
        print_json({"methods": table})
        return
    for name, row in table.items():
        click.echo(f"{name:9} {row['kind']}: {row['does']}")
        click.echo(
            f"{'':9} {row['reference']}"
            + (f"; in littleballoffur {', '.join(row['also'])}" if row["also"] else "")
        )
        if row["options"]:
            click.echo(f"{'':9} options: {', '.join(row['options'])}")
