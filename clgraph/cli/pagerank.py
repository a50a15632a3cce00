"""``clgraph pagerank``."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

import clgraph
from clgraph.cli.common import (
    EnergyWish,
    direction,
    facts_of,
    is_dataset,
    lines_of,
    measured_run_options,
    open_device,
    output_option,
    print_json,
    print_table,
    read_for,
    say,
    speaks,
    vertex_of,
    write_table,
)
from clgraph.cli.shards import job, only_datasets, open_dataset, plan_option, planned, refuse
from clgraph.errors import ConvergenceError, ConvergenceWarning, InputError

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.ranking import PageRankResult
    from clgraph.scale import Shards

VARIANTS = ["auto", "serial", "pull", "contribution", "subgroup", "small", "runs", "bins", "fixed"]
# options that `clgraph ppr` has, too
damping_option = click.option(
    "--damping", type=float, default=0.85, show_default=True, help="At least 0 and below 1."
)
tol_option = click.option(
    "--tol",
    type=float,
    default=1e-6,
    show_default=True,
    help="Stop once the residual is below it; 0 runs exactly --max-iter iterations.",
)
nonconvergence_option = click.option(
    "--on-nonconvergence",
    type=click.Choice(["raise", "warn", "return"]),
    default="raise",
    show_default=True,
    help="What if --max-iter iterations do not reach --tol: fail, warn and go on, or go on.",
)
max_iter_option = click.option(
    "--max-iter", type=click.IntRange(min=1), default=100, show_default=True, help="Iterations."
)
dtype_option = click.option(
    "--dtype",
    type=click.Choice(["float32", "float64"]),
    default="float32",
    show_default=True,
    help="Type of the ranks.",
)
explain_option = click.option("--explain", is_flag=True, help="Say what was chosen and why, on stderr.")


@click.command()
@click.argument("graph", metavar="GRAPH")
@damping_option
@tol_option
@click.option(
    "--norm",
    type=click.Choice(["l1", "l2", "linf", "nx"]),
    default="l1",
    show_default=True,
    help="Norm of the residual; nx compares the L1 norm with n * tol.",
)
@max_iter_option
@click.option(
    "--personalize",
    metavar="FILE|ID,...",
    help="Teleport to these vertices: ids, or a file with `id [value]` on each line.",
)
@click.option(
    "--dangling",
    metavar="POLICY|FILE",
    default="personalization",
    show_default=True,
    help="Where the rank of vertices without out-arcs goes: personalization, uniform, drop, or a file of "
    "`id [value]`.",
)
@click.option("--nstart", metavar="FILE", help="Start from this vector: `id [value]` on each line.")
@click.option("--variant", type=click.Choice(VARIANTS), default="auto", show_default=True, help="Kernels.")
@dtype_option
@nonconvergence_option
@click.option("--top", type=click.IntRange(min=0), default=20, show_default=True, help="Vertices to show.")
@output_option("Write `id rank`, tab-separated, one vertex a line.")
@explain_option
@click.option("--verify", is_flag=True, help="Check the result from the definition.")
@plan_option
@measured_run_options
def pagerank(
    graph: str,
    personalize: str | None,
    dangling: str,
    nstart: str | None,
    top: int,
    output: str | None,
    explain: bool,
    verify: bool,
    only_plan: bool,
    reading: dict[str, Any],
    device: str | None,
    energy: EnergyWish,
    as_json: bool,
    **options: Any,
) -> None:
    """PageRank of GRAPH's vertices.

    Arcs carry rank from source to target; an undirected edge is an arc each way. A file that does not say
    is read as undirected: links of the web or of citations need --directed.

    \b
    clgraph pagerank Wiki-Vote.txt --directed --top 10 -o ranks.tsv
    clgraph pagerank california.mtx --personalize 9616,18 --dangling uniform
    """
    from clgraph.formats import check_writable
    from clgraph.ranking.problem import check_damping, make_stop

    # invalid options are rejected before a large file is read
    check_damping(options["damping"])
    make_stop(options["tol"], options["norm"], options["max_iter"], n=1)
    if output:
        check_writable(output, "edges")

    def vectors(data: Graph | Shards) -> dict[str, Any]:
        known = ("personalization", "uniform", "drop")
        return {
            "personalization": _distribution(personalize, data, "--personalize"),
            "nstart": _distribution(nstart, data, "--nstart"),
            "dangling": dangling if dangling in known else _distribution(dangling, data, "--dangling"),
        }

    if is_dataset(graph):
        refuse(
            variant=options.pop("variant") not in ("auto", "fixed"),
            norm=options.pop("norm") != "l1",
            explain=explain,
            verify=verify,
            energy=energy.wanted,
        )
        with job():
            shards = open_dataset(graph)
            if planned(shards, "pagerank", iterations=options["max_iter"], dtype=options["dtype"]):
                return
            found = clgraph.pagerank(shards, device=device, **vectors(shards), **options)
            if speaks():
                _tell(shards, found, dict(found.seconds), output, top, False, energy, as_json)
        return
    only_datasets(plan=only_plan)
    seconds: dict[str, float] = {}
    data = read_for(device, graph, reading, seconds)
    options |= vectors(data)
    dev = open_device(device)
    energy.open(dev)
    with convergence_told(options["dtype"]):
        found = clgraph.pagerank(data, device=dev, **options)
    if verify:
        from clgraph.reference.pagerank import verify_pagerank

        verify_pagerank(data, found)
        say("verified: one more iteration leaves the ranks where they are, within the error bound")
    tell_plan(found.plan, explain)
    # a failure to converge has been reported already
    energy.measure(lambda: clgraph.pagerank(data, device=dev, **{**options, "on_nonconvergence": "return"}))
    _tell(data, found, {**seconds, **found.seconds}, output, top, verify, energy, as_json, dev)


@contextmanager
def convergence_told(dtype: str) -> Iterator[None]:
    """Ranks that do not converge in the block are reported in the words of the command line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        try:
            yield
        except ConvergenceError as error:
            others = "give a larger --max-iter or --tol"
            if "roundings" in str(error):
                wider = "--dtype float64 or " if dtype == "float32" else ""
                others = f"the roundings of {dtype} ranks keep it there, so give {wider}a larger --tol"
            raise ConvergenceError(
                f"{str(error).partition(';')[0]}: {others}, or --on-nonconvergence warn"
            ) from None
    for warning in caught:
        click.echo(f"clgraph: warning: {str(warning.message).partition(';')[0]}", err=True)


def tell_plan(plan: Iterable[str], explain: bool) -> None:
    """What ``--explain`` asks for."""
    for line in plan if explain else ():
        click.echo(f"plan: {line}", err=True)


def _tell(
    data: Graph | Shards,
    found: PageRankResult,
    seconds: dict[str, float],
    output: str | None,
    top: int,
    verified: bool,
    energy: EnergyWish,
    as_json: bool,
    device: Device | None = None,
) -> None:
    """Write the result, and print its figures and the highest ranks."""
    write_table(output, seconds, (data.ids, found.ranks), device)
    best = found.top(top)
    if as_json:
        print_json({**_summary(data, found, best, seconds, verified), **energy.facts(data)})
        return
    converged = {True: "converged", False: "not converged", None: "as many as asked for"}[found.converged]
    click.echo(
        f"{direction(data)}, {data.num_vertices} vertices: {found.iterations} iterations "
        f"({converged}), residual {found.residual:.3g} ({found.norm}), "
        f"error at most {found.error_bound:.3g} (L1); dangling: {found.dangling}; variant {found.variant}"
    )
    _show(best)
    energy.tell()


def _distribution(text: str | None, graph: Graph | Shards, option: str) -> dict[Any, float] | None:
    """Ids with values: from a file of `id [value]` lines if there is one of that name, else from the text."""
    if text is None:
        return None
    given: dict[Any, float] = {}
    if os.path.isfile(text):
        from clgraph.sizes import real_number

        for words, where in lines_of(option, text):
            if len(words) > 2:
                raise InputError(f"{where}: {' '.join(words)!r}: an id and at most one value are needed")
            value = real_number(words[1]) if len(words) == 2 else 1.0
            if value is None:
                raise InputError(f"{where}: {words[1][:80]!r} is no number")
            _add(given, words[0], value, graph, where)
        if not given:
            raise InputError(f"{option}: {text} names no vertex")
        return given
    if not any(word.strip() for word in text.split(",")):
        raise InputError(f"{option} is empty: give ids with commas between, or a file")
    for word in text.split(","):
        _add(given, word.strip(), 1.0, graph, f"{option} {text} (there is no file of that name)")
    return given


def _add(given: dict[Any, float], word: str, value: float, graph: Graph | Shards, where: str) -> None:
    vertex = vertex_of(word, graph, f"{where}: {word[:80]!r}")
    if vertex in given:
        raise InputError(f"{where}: vertex {vertex} is given twice")
    given[vertex] = value


def _summary(
    graph: Graph | Shards,
    found: PageRankResult,
    best: list[tuple[Any, float]],
    seconds: dict[str, float],
    verified: bool,
) -> dict[str, Any]:
    return {
        **facts_of(graph),
        "damping": found.problem.damping,
        "iterations": found.iterations,
        "converged": found.converged,
        "residual": found.residual,
        "norm": found.norm,
        "tol": found.tol,
        "error_bound": found.error_bound,
        "dangling": found.dangling,
        "variant": found.variant,
        "plan": list(found.plan),
        "dtype": found.dtype,
        "device": found.device,
        **found.how(),
        "top": [{"vertex": vertex, "rank": rank} for vertex, rank in best],
        "seconds": seconds,
        "verified": verified,
    }


def _show(best: list[tuple[Any, float]]) -> None:
    """The highest ranks: a table on a terminal, plain columns elsewhere."""
    if not best:
        return
    if not sys.stdout.isatty():
        for vertex, rank in best:
            click.echo(f"{vertex}\t{rank:.6g}")
        return
    from rich.table import Table

    table = Table("", "vertex", "rank")
    for column in table.columns[::2]:
        column.justify = "right"
    for place, (vertex, rank) in enumerate(best, 1):
        table.add_row(str(place), str(vertex), f"{rank:.6g}")
    print_table(table)
