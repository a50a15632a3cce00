"""``clgraph pagerank``."""

from __future__ import annotations

import os
import sys
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
    say,
)
from clgraph.cli.shards import job, only_datasets, open_dataset, plan_option, planned, refuse
from clgraph.errors import ConvergenceError, ConvergenceWarning, InputError

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.energy import Energy
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
@click.option("--max-iter", type=click.IntRange(min=1), default=100, show_default=True, help="Iterations.")
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
@click.option(
    "--dtype",
    type=click.Choice(["float32", "float64"]),
    default="float32",
    show_default=True,
    help="Type of the ranks.",
)
@nonconvergence_option
@click.option("--top", type=click.IntRange(min=0), default=20, show_default=True, help="Vertices to show.")
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    type=OutputName(),
    help="Write `id rank`, tab-separated, one vertex a line.",
)
@click.option("--explain", is_flag=True, help="Say what was chosen and why, on stderr.")
@click.option("--verify", is_flag=True, help="Check the result from the definition.")
@plan_option
@measured_run_options
def pagerank(
    graph: str,
    damping: float,
    tol: float,
    norm: Literal["l1", "l2", "linf", "nx"],
    max_iter: int,
    personalize: str | None,
    dangling: str,
    nstart: str | None,
    variant: Any,
    dtype: str,
    on_nonconvergence: Literal["raise", "warn", "return"],
    top: int,
    output: str | None,
    explain: bool,
    verify: bool,
    only_plan: bool,
    reading: dict[str, Any],
    device: str | None,
    energy: EnergyWish,
    as_json: bool,
    quiet: bool,
) -> None:
    """PageRank of GRAPH's vertices.

    Arcs carry rank from source to target; an undirected edge is an arc each way. A file that does not say
    is read as undirected: links of the web or of citations need --directed.

    \b
    clgraph pagerank Wiki-Vote.txt --directed --top 10 -o ranks.tsv
    clgraph pagerank california.mtx --personalize 9616,18 --dangling uniform
    """
    import warnings

    from clgraph.graph.io import check_writable
    from clgraph.ranking import pagerank as rank
    from clgraph.ranking.problem import check_damping, make_stop

    # invalid options are rejected before a large file is read
    check_damping(damping)
    make_stop(tol, norm, max_iter, n=1)
    if output:
        check_writable(output, "edges")
    if is_dataset(graph):
        refuse(
            variant=variant not in ("auto", "fixed"),
            norm=norm != "l1",
            explain=explain,
            verify=verify,
            energy=energy.wanted,
        )
        _of_dataset(
            graph,
            personalize,
            dangling,
            nstart,
            output,
            top,
            as_json,
            quiet,
            only_plan,
            damping=damping,
            tol=tol,
            max_iter=max_iter,
            dtype=dtype,
            on_nonconvergence=on_nonconvergence,
            device=device,
        )
        return
    only_datasets(plan=only_plan)
    started = time.perf_counter()
    where = device_for_file(graph, device)
    data = read_graph(graph, reading, quiet, device=where)
    read_seconds = time.perf_counter() - started
    options: dict[str, Any] = {
        "personalization": None if personalize is None else _distribution(personalize, data, "--personalize"),
        "dangling": dangling,
        "nstart": None if nstart is None else _distribution(nstart, data, "--nstart"),
    }
    if dangling not in ("personalization", "uniform", "drop"):
        options["dangling"] = _distribution(dangling, data, "--dangling")
    dev = open_device(device, quiet)
    energy.open(dev)
    options |= {
        "damping": damping,
        "tol": tol,
        "norm": norm,
        "max_iter": max_iter,
        "variant": variant,
        "dtype": dtype,
        "device": dev,
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        try:
            found = rank(data, on_nonconvergence=on_nonconvergence, **options)
        except ConvergenceError as error:
            raise ConvergenceError(
                f"{str(error).partition(';')[0]}: {other_options(error, dtype)}, or --on-nonconvergence warn"
            ) from None
    for warning in caught:
        say(f"clgraph: warning: {str(warning.message).partition(';')[0]}")
    if verify:
        from clgraph.reference.pagerank import verify_pagerank

        verify_pagerank(data, found)
        say("verified: one more iteration leaves the ranks where they are, within the error bound", quiet)
    seconds = {"read": read_seconds, **found.seconds}
    if explain:
        for line in found.plan:
            say(f"plan: {line}")
    if output:
        started = time.perf_counter()
        _write(output, data, found, dev)
        seconds["write"] = time.perf_counter() - started
    # a failure to converge has been reported already
    measured = energy.measure(lambda: rank(data, on_nonconvergence="return", **options))
    _tell(data, found, found.top(top), seconds, verify, measured, as_json)


def other_options(error: ConvergenceError, dtype: str) -> str:
    """With which options the tolerance would be reached."""
    if "roundings" not in str(error):
        return "give a larger --max-iter or --tol"
    wider = "--dtype float64 or " if dtype == "float32" else ""
    return f"the roundings of {dtype} ranks keep it there, so give {wider}a larger --tol"


def _tell(
    data: Graph | Shards,
    found: PageRankResult,
    best: list[tuple[Any, float]],
    seconds: dict[str, float],
    verified: bool,
    measured: Energy | None,
    as_json: bool,
) -> None:
    """Print the result's figures, and the highest ranks."""
    if as_json:
        extra = {} if measured is None else {"energy": measured.to_dict(data.num_vertices)}
        print_json({**_summary(data, found, best, seconds, verified), **extra})
        return
    converged = {True: "converged", False: "not converged", None: "as many as asked for"}[found.converged]
    click.echo(
        f"{direction(data)}, {data.num_vertices} vertices: {found.iterations} iterations "
        f"({converged}), residual {found.residual:.3g} ({found.norm}), "
        f"error at most {found.error_bound:.3g} (L1); dangling: {found.dangling}; variant {found.variant}"
    )
    _show(best)
    if measured is not None:
        click.echo(measured)


def _of_dataset(
    graph: str,
    personalize: str | None,
    dangling: str,
    nstart: str | None,
    output: str | None,
    top: int,
    as_json: bool,
    quiet: bool,
    only_plan: bool,
    **options: Any,
) -> None:
    """``clgraph pagerank NAME.clgs``."""
    from clgraph.ranking import pagerank as rank

    with job(quiet) as speaks:
        shards = open_dataset(graph, speaks, quiet)
        how: dict[str, Any] = {"as_json": as_json, "quiet": quiet, "device": options["device"]}
        how |= {"iterations": options["max_iter"], "dtype": options["dtype"]}
        if planned(shards, speaks, "pagerank", only_plan=only_plan, **how):
            return
        for name, text in (("personalization", personalize), ("nstart", nstart)):
            option = {"personalization": "--personalize", "nstart": "--nstart"}[name]
            options[name] = None if text is None else _distribution(text, shards, option)
        options["dangling"] = dangling
        if dangling not in ("personalization", "uniform", "drop"):
            options["dangling"] = _distribution(dangling, shards, "--dangling")
        found = rank(shards, **options)
        if not speaks:
            return
        seconds = dict(found.seconds)
        if output:
            started = time.perf_counter()
            _write(output, shards, found)
            seconds["write"] = time.perf_counter() - started
        _tell(shards, found, found.top(top), seconds, False, None, as_json)


def _distribution(text: str, graph: Graph | Shards, option: str) -> dict[Any, float]:
    """Ids with values: from a file of `id [value]` lines if there is one of that name, else from the text."""
    given: dict[Any, float] = {}
    if os.path.isfile(text):
        from clgraph.sizes import real_number

        try:
            lines = Path(text).read_text().splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{option}: cannot read {text}: {error}") from error
        for number, line in enumerate(lines, 1):
            words = line.split()
            if not words or line.lstrip()[0] in "#%":
                continue
            where = f"{option}: {text}, line {number}"
            if len(words) > 2:
                raise InputError(f"{where}: {line.strip()!r}: an id and at most one value are needed")
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
    from clgraph.sizes import whole_number

    vertex: Any = word
    if graph.ids.dtype.kind in "iu":
        vertex = whole_number(word)
        if vertex is None:
            raise InputError(f"{where}: {word[:80]!r}: the graph's ids are integers")
    if vertex in given:
        raise InputError(f"{where}: vertex {vertex} is given twice")
    given[vertex] = value


def _write(path: str, graph: Graph | Shards, found: PageRankResult, device: Device | None = None) -> None:
    """One line a vertex: id and rank, with as many digits as bring the rank back exactly."""
    from clgraph.files.columns import write_columns
    from clgraph.graph.io import atomic_write

    with atomic_write(path) as out:
        write_columns(out, graph.ids, found.ranks, device=device)


def _summary(
    graph: Graph | Shards,
    found: PageRankResult,
    best: list[tuple[Any, float]],
    seconds: dict[str, float],
    verified: bool,
) -> dict[str, Any]:
    return {
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "directed": graph.directed,
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
    from rich.console import Console
    from rich.table import Table

    table = Table("", "vertex", "rank")
    for column in table.columns[::2]:
        column.justify = "right"
    for place, (vertex, rank) in enumerate(best, 1):
        table.add_row(str(place), str(vertex), f"{rank:.6g}")
    Console().print(table)
