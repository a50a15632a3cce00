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
from clgraph.cli.common import direction, facts_of, lines_of, print_table, speaks, vertex_of
from clgraph.cli.options import AT_LEAST_0, AT_LEAST_1, option
from clgraph.cli.run import Run, on_graph
from clgraph.errors import ConvergenceError, ConvergenceWarning, InputError

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.scale import Shards

NORMS = ["l1", "l2", "linf", "nx"]
VARIANTS = ["auto", "serial", "pull", "contribution", "subgroup", "small", "runs", "bins", "fixed"]
# options that `clgraph ppr` has, too
damping_option = option("--damping", "At least 0 and below 1.", float, 0.85)
tol_option = option(
    "--tol", "Stop once the residual is below it; 0 runs exactly --max-iter iterations.", float, 1e-6
)
nonconvergence_option = option(
    "--on-nonconvergence",
    "What if --max-iter iterations do not reach --tol: fail, warn and go on, or go on.",
    ["raise", "warn", "return"],
    "raise",
)
max_iter_option = option("--max-iter", "Iterations.", AT_LEAST_1, 100)
dtype_option = option("--dtype", "Type of the ranks.", ["float32", "float64"], "float32")
explain_option = option("--explain", "Say what was chosen and why, on stderr.", bool)


@click.command()
@damping_option
@tol_option
@option("--norm", "Norm of the residual; nx compares the L1 norm with n * tol.", NORMS, "l1")
@max_iter_option
@option(
    "--personalize",
    "Teleport to these vertices: ids, or a file with `id [value]` on each line.",
    metavar="FILE|ID,...",
)
@option(
    "--dangling",
    "Where the rank of vertices without out-arcs goes: personalization, uniform, drop, or a file of "
    "`id [value]`.",
    default="personalization",
    metavar="POLICY|FILE",
)
@option("--nstart", "Start from this vector: `id [value]` on each line.", metavar="FILE")
@option("--variant", "Kernels.", VARIANTS, "auto")
@dtype_option
@nonconvergence_option
@option("--top", "Vertices to show.", AT_LEAST_0, 20)
@explain_option
@on_graph(
    "Write `id rank`, tab-separated, one vertex a line.", verify="Check the result from the definition."
)
def pagerank(
    run: Run,
    personalize: str | None,
    dangling: str,
    nstart: str | None,
    top: int,
    explain: bool,
    **options: Any,
) -> None:
    """PageRank of GRAPH's vertices.

    Arcs carry rank from source to target; an undirected edge is an arc each way. A file that does not say
    is read as undirected: links of the web or of citations need --directed.

    \b
    clgraph pagerank Wiki-Vote.txt --directed --top 10 -o ranks.tsv
    clgraph pagerank california.mtx --personalize 9616,18 --dangling uniform
    """
    from clgraph.ranking.problem import check_damping, make_stop
    from clgraph.results import kernel_facts

    # invalid options are rejected before a large file is read
    check_damping(options["damping"])
    make_stop(options["tol"], options["norm"], options["max_iter"], n=1)
    run.check_output()
    about = {"iterations": options["max_iter"], "dtype": options["dtype"]}
    refused = {"variant": options["variant"] not in ("auto", "fixed"), "norm": options["norm"] != "l1"}
    with run.data("pagerank", about, **refused, explain=explain) as data:
        if run.of_shards:
            del options["variant"], options["norm"]
        policy = dangling in ("personalization", "uniform", "drop")
        options["personalization"] = _distribution(personalize, data, "--personalize")
        options["nstart"] = _distribution(nstart, data, "--nstart")
        options["dangling"] = dangling if policy else _distribution(dangling, data, "--dangling")
        options["device"] = run.device
        with convergence_told(options["dtype"]):
            found = clgraph.pagerank(data, **options)
        run.check(
            lambda: clgraph.verify_pagerank(data, found),
            "one more iteration leaves the ranks where they are, within the error bound",
        )
        tell_plan(found.plan, explain)
        # a failure to converge has been reported already
        run.measure(lambda: clgraph.pagerank(data, **{**options, "on_nonconvergence": "return"}))
        if not speaks():
            return
        run.seconds |= found.seconds
        run.write(data.ids, found.ranks)
        best = found.top(top)

        def facts() -> dict[str, Any]:
            return {
                **facts_of(data),
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
                **kernel_facts(found),
                "top": [{"vertex": vertex, "rank": rank} for vertex, rank in best],
            }

        def lines() -> Iterator[str]:
            ended = {True: "converged", False: "not converged", None: "as many as asked for"}
            yield (
                f"{direction(data)}, {data.num_vertices} vertices: {found.iterations} iterations "
                f"({ended[found.converged]}), residual {found.residual:.3g} ({found.norm}), error at most "
                f"{found.error_bound:.3g} (L1); dangling: {found.dangling}; variant {found.variant}"
            )
            if best and sys.stdout.isatty():
                _show_table(best)
            else:
                yield from (f"{vertex}\t{rank:.6g}" for vertex, rank in best)

        run.tell(facts, lines)


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


def _distribution(text: str | None, graph: Graph | Shards, option: str) -> dict[Any, float] | None:
    """Ids with values: from a file of `id [value]` lines if there is one of that name, else from the text."""
    if text is None:
        return None
    given: dict[Any, float] = {}
    if os.path.isfile(text):
        from clgraph.arguments import real_number

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


def _show_table(best: list[tuple[Any, float]]) -> None:
    """The highest ranks on a terminal."""
    from rich.table import Table

    table = Table("", "vertex", "rank")
    for column in table.columns[::2]:
        column.justify = "right"
    for place, (vertex, rank) in enumerate(best, 1):
        table.add_row(str(place), str(vertex), f"{rank:.6g}")
    print_table(table)
