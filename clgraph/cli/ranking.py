"""``clgraph pagerank`` and ``clgraph ppr``."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

import clgraph
from clgraph.cli.command import Command, Run, direction, facts_of, fields_of, has_numbers, table_of, vertex_of
from clgraph.cli.options import AT_LEAST_0, AT_LEAST_1, on_graph, option
from clgraph.errors import ConvergenceError, ConvergenceWarning, InputError

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.ranking.personalized import PersonalizedResult
    from clgraph.scale import Shards

NORMS = ["l1", "l2", "linf", "nx"]
POLICIES = ["uniform", "personalization", "drop"]
VARIANTS = ["auto", "serial", "pull", "contribution", "subgroup", "small", "runs", "bins", "fixed"]
SOURCES_SHOWN = 10  # of many: a result for each would hide the figures above
# options that both commands have
damping_option = option("--damping", "Damping factor: at least 0, below 1.", float, 0.85)
tol_option = option(
    "--tol", "Stop when the residual is below this; 0 runs exactly --max-iter iterations.", float, 1e-6
)
nonconvergence_option = option(
    "--on-nonconvergence",
    "If --max-iter iterations do not reach --tol: fail, warn, or just return the result.",
    ["raise", "warn", "return"],
    "raise",
)
max_iter_option = option("--max-iter", "Maximum number of iterations.", AT_LEAST_1, 100)
dtype_option = option("--dtype", "Floating-point type of the scores.", ["float32", "float64"], "float32")
explain_option = option("--explain", "Print the chosen algorithm and the reasons on stderr.", bool)


@click.command(cls=Command)
@damping_option
@tol_option
@option("--norm", "Norm of the residual; nx compares the L1 norm with n * tol.", NORMS, "l1")
@max_iter_option
@option(
    "--personalize FILE|ID,...", "Teleport to these vertices: ids, or a file with `id [value]` on each line."
)
@option(
    "--dangling POLICY|FILE",
    "Where the score of vertices without out-arcs goes: personalization, uniform, drop, or a file with "
    "`id [value]` on each line.",
    default="personalization",
)
@option("--nstart FILE", "Start vector: a file with `id [value]` on each line.")
@option("--variant", "Kernel variant.", VARIANTS, "auto")
@dtype_option
@nonconvergence_option
@option("--top", "Number of vertices to show.", AT_LEAST_0, 20)
@explain_option
@on_graph(
    "Write `id score`, tab-separated, one vertex per line.", verify="Check the result against the definition."
)
def pagerank(run: Run) -> None:
    """Compute the PageRank of GRAPH's vertices.

    Arcs carry score from source to target; an undirected edge is two arcs. Files that do not state a
    direction are read as undirected: web or citation links need --directed.

    \b
    clgraph pagerank Wiki-Vote.txt --directed --top 10 -o ranks.tsv
    clgraph pagerank california.mtx --personalize 9616,18 --dangling uniform
    """
    from clgraph.ranking.problem import check_damping, make_stop

    options = vars(run.options).copy()
    personalize, top = options.pop("personalize"), options.pop("top")
    # invalid options are rejected before a large file is read
    check_damping(options["damping"])
    make_stop(options["tol"], options["norm"], options["max_iter"], n=1)
    run.check_output()
    about = {"iterations": options["max_iter"], "dtype": options["dtype"]}
    refused = {"variant": options["variant"] not in ("auto", "fixed"), "norm": options["norm"] != "l1"}
    with run.data("pagerank", about, **refused, explain=run.explain) as data:
        if run.of_shards:
            del options["variant"], options["norm"]
        options["personalization"] = _distribution(personalize, data, "--personalize")
        options["nstart"] = _distribution(options["nstart"], data, "--nstart")
        if options["dangling"] not in POLICIES:
            options["dangling"] = _distribution(options["dangling"], data, "--dangling")
        found = _converged(
            run,
            partial(clgraph.pagerank, data, device=run.device, **options),
            partial(clgraph.verify_pagerank, data),
            "one more iteration leaves the scores where they are, within the error bound",
        )
        if not run.speaks:
            return
        run.write(data.ids, found.scores)
        best = found.top(top)
        facts = {
            **facts_of(data),
            "damping": found._problem.damping,
            **fields_of(found, "iterations", "converged", "residual", "norm", "tol", "error_bound"),
            **fields_of(found, "dangling", "variant", "plan", "dtype", "device"),
            "top": [{"vertex": vertex, "rank": score} for vertex, score in best],
        }
        run.result(lambda: facts, _rank_lines(data, found, best))


def _rank_lines(data: Graph | Shards, found: Any, best: list[tuple[Any, float]]) -> Iterator[Any]:
    """Yield how the iteration ended, and the highest scores: on a terminal as a table."""
    ended = {True: "converged", False: "not converged", None: "as many as asked for"}
    yield (
        f"{direction(data)}, {data.num_vertices} vertices: {found.iterations} iterations "
        f"({ended[found.converged]}), residual {found.residual:.3g} ({found.norm}), error at most "
        f"{found.error_bound:.3g} (L1); dangling: {found.dangling}; variant {found.variant}"
    )
    # plain lines where a program may read them
    if not (best and sys.stdout.isatty()):
        yield from (f"{vertex}\t{score:.6g}" for vertex, score in best)
        return
    table = table_of(("", "vertex", "rank"), names=0)
    table.columns[1].justify = "left"
    for number, (vertex, score) in enumerate(best, 1):
        table.add_row(str(number), str(vertex), f"{score:.6g}")
    yield table


def _converged(run: Run, call: Callable[..., Any], verify: Callable[[Any], Any], holds: str) -> Any:
    """Compute, check and measure scores; failure to converge is reported in the command line's words."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)  # Python shows a repeated one only once
        try:
            found = call()
        except ConvergenceError as error:
            others, dtype = "give a larger --max-iter or --tol", run.options.dtype
            if "roundings" in str(error):  # more iterations would not help
                wider = "--dtype float64 or " if dtype == "float32" else ""
                others = f"the roundings of {dtype} scores keep it there, so give {wider}a larger --tol"
            raise ConvergenceError(
                f"{str(error).partition(';')[0]}: {others}, or --on-nonconvergence warn"
            ) from None
    for warning in caught:
        click.echo(f"clgraph: warning: {str(warning.message).partition(';')[0]}", err=True)
    for line in found.plan if run.explain else ():
        click.echo(f"plan: {line}", err=True)
    run.accept(found, partial(verify, found), holds)
    # a failure to converge has been reported already
    run.measure(lambda: call(on_nonconvergence="return"))
    return found


@click.command(cls=Command)
@option("-s --source ID", "Source vertex (repeatable).", multiple=True)
@option("--sources FILE", "File with the id of a source on each line.")
@option(
    "--users FILE",
    "Instead of sources: a file with a user and ids of items on each line; the items are the user's sources.",
)
@option(
    "--method",
    "Power iteration (three implementations), or random walks.",
    ["power", "coo", "coo-flat", "monte-carlo"],
    "power",
)
@damping_option
@tol_option
@option("--norm", "Norm of the residual; nx compares the L1 norm with n * tol.", NORMS, "l2")
@max_iter_option
@option(
    "--dangling",
    "Where the score of vertices without out-arcs goes (pagerank has another default).",
    POLICIES,
    "uniform",
)
@option(
    "--top", "Number of vertices per source, selected on the device; 0: all scores (with -o).", AT_LEAST_0, 20
)
@option(
    "--exclude",
    "Exclude each source's own vertices from the top, or these and their out-neighbours.",
    ["self", "neighbours"],
)
@option("--exclude-ids FILE", "Exclude these vertices from the top: a file with an id on each line.")
@option("--seed", "Seed of the walks (default: drawn, and reported).", AT_LEAST_0)
@option("--walks", "Number of walks from each source.  [default: 200000]", int)
@option("--epsilon", "Take enough walks to keep each score's error below this,", float)
@option("--confidence", "with this probability.", float, 0.95)
@option("--check-every", "Test the residual every this many iterations.", AT_LEAST_1, 1)
@option("--squared", "Compare the squared residual with the squared tolerance.", bool)
@option("--stored", "Take the result of sources without out-arcs from stored scores.", bool)
@option(
    "--stable-top N",
    "Also stop when the top vertices were the same at N checks in a row (0: never).",
    AT_LEAST_0,
    0,
)
@dtype_option
@nonconvergence_option
@explain_option
@on_graph(
    "Write `source id score`, tab-separated (monte-carlo: also the standard error).",
    verify="Check the result against the reference.",
)
def ppr(run: Run) -> None:
    """Compute the personalized PageRank of GRAPH's vertices for each source.

    Arcs carry score from source to target; an undirected edge is two arcs. Files that do not state a
    direction are read as undirected: web or citation links need --directed.

    \b
    clgraph ppr Wiki-Vote.txt --directed --source 3 --source 30 --top 10
    clgraph ppr cnr-2000.edges.gz --directed --sources ids.txt --method monte-carlo --seed 1 -o top.tsv
    clgraph ppr bought.txt --ids str --users users.txt --exclude neighbours --top 5
    """
    from clgraph.ranking.personalized.request import Options
    from clgraph.ranking.problem import check_damping

    options = vars(run.options).copy()
    source, file, users, exclude, exclude_ids, top = (
        options.pop(name) for name in ("source", "sources", "users", "exclude", "exclude_ids", "top")
    )
    # invalid options are refused before a large file is read; click has checked those that are words
    words = ("damping", "dangling", "dtype", "on_nonconvergence")
    checked = {name: value for name, value in options.items() if name not in words}
    Options(1, check_damping(options["damping"]), options["dangling"], **checked, top=1 if top else None)
    run.check_output()
    if top == 0 and not run.output and not run.as_json:
        raise InputError("--top 0 asks for all scores: give -o a file to write them to")
    if top == 0 and (exclude or exclude_ids):
        raise InputError("--exclude leaves vertices out of the top: --top 0 asks for all scores")
    wanted = _sources(source, file, users)
    left_out = _words("--exclude-ids", exclude_ids)
    if options["method"] != "monte-carlo":
        del options["confidence"]  # means nothing without --epsilon, which other methods refuse
    with run.data("ppr", {}, explain=run.explain) as data:
        if isinstance(wanted, dict):
            ids: Any = {user: _ids(words, data) for user, words in wanted.items()}
        else:
            ids = _ids(wanted, data)
        without = _ids(left_out, data)
        options["exclude"] = (exclude, without) if exclude and without else exclude or without or None
        options |= {"top": min(top, data.num_vertices) or None, "device": run.device}
        found = _converged(
            run,
            partial(clgraph.personalized_pagerank, data, ids, **options),
            lambda found: clgraph.verify_ppr(data, found, ids),
            "the scores are those of the reference, within their error",
        )
        if not run.speaks:
            return
        run.write_blocks(_columns(data, found))
        run.result(lambda: _facts(data, found), _source_lines(data, found))


def _columns(graph: Graph | Shards, found: PersonalizedResult) -> Iterator[tuple[Any, ...]]:
    """Yield for each source: itself in every row, vertices, scores, and standard errors if there are."""
    import numpy as np

    for i, source in enumerate(found.sources):
        ids = graph.ids if found.ids is None else found.ids[i]
        columns = np.full(len(ids), source, ids.dtype), ids, found.scores[i]
        if found.standard_errors is None:
            yield columns
        else:
            errors = [f"{error:.3g}" for error in found.standard_errors[i].tolist()]
            yield *columns, np.array(errors, object)


def _facts(graph: Graph | Shards, found: PersonalizedResult) -> dict[str, Any]:
    """Return the result for JSON."""
    results = []
    for i, source in enumerate(found.sources):
        one: dict[str, Any] = {"source": source, "ended": found.ended[i]}
        if found.lost is not None:
            one["lost"] = int(found.lost[i])
        else:
            if found.ended[i] != "store":
                one |= {"iterations": int(found.iterations[i]), "residual": float(found.residuals[i])}
            one["error_bound"] = float(found.error_bounds[i])
        if found.ids is not None:
            columns = {"vertex": found.ids[i].tolist(), "rank": found.scores[i].astype(float).tolist()}
            if found.standard_errors is not None and found.visits is not None:
                columns["standard_error"] = found.standard_errors[i].astype(float).tolist()
                columns["visits"] = found.visits[i].tolist()
            rows = zip(*columns.values(), strict=True)
            one["top"] = [dict(zip(columns, row, strict=True)) for row in rows]
        results.append(one)
    return {
        **facts_of(graph),
        **fields_of(found, "method", "damping", "dangling", "tol", "norm"),
        "converged": None if found.converged is None else bool(found.converged.all()),
        **fields_of(found, "walks", "seed", "epsilon", "confidence", "plan", "dtype", "device"),
        "results": results,
    }


def _source_lines(graph: Graph | Shards, found: PersonalizedResult) -> Iterator[str]:
    """Yield the highest scores of the first sources."""
    how = f"{found.walks} walks, seed {found.seed}" if found.walks else f"to {found.tol:g} ({found.norm})"
    yield (
        f"{direction(graph)}, {graph.num_vertices} vertices: method {found.method}, {how}; "
        f"damping {found.damping}; dangling: {found.dangling}"
    )
    for i, source in enumerate(found.sources[:SOURCES_SHOWN]):
        if found.lost is not None:
            end = f"{int(found.lost[i])} walks lost"
        elif found.ended[i] == "store":
            end = "from the stored scores"
        else:
            end = f"{found.iterations[i]} iterations, error at most {found.error_bounds[i]:.3g} (L1)"
        yield f"source {source}: {end}"
        if found.ids is None:
            continue
        for j, vertex in enumerate(found.ids[i].tolist()):
            error = "" if found.standard_errors is None else f"\t+- {found.standard_errors[i, j]:.2g}"
            yield f"{vertex}\t{found.scores[i, j]:.6g}{error}"
    if len(found.sources) > SOURCES_SHOWN:
        yield f"{len(found.sources) - SOURCES_SHOWN} more sources: -o writes all"


# --- Ids and values in words of the command line and of files; a message names where each was given ---


Words = list[tuple[str, str]]  # as they are written, and where


def _lines(
    option: str, path: str, most: int | None = None, needed: str = "", what: str = "vertex"
) -> Iterator[tuple[list[str], str]]:
    """Yield the words of each line that is no comment in a file that an option names, and the line's place.

    Raises
    ------
    InputError
        No such line; one of more than `most` words: `needed` says what it should have.
    """
    from clgraph.arguments import file_name
    from clgraph.formats.common import read_text

    try:
        lines = enumerate(map(str.split, read_text(file_name(path, option)).splitlines()), 1)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{option}: cannot read {path}: {error}") from error
    found = [(words, f"{option} {path}, line {i}") for i, words in lines if words and words[0][0] not in "#%"]
    if not found:
        raise InputError(f"{option} {path} names no {what}")
    for words, where in found:
        if most and len(words) > most:
            raise InputError(f"{where}: {' '.join(words)!r}: {needed}")
        yield words, where


def _distribution(text: str | None, graph: Graph | Shards, option: str) -> dict[Any, float] | None:
    """Return ids with values: of `id [value]` lines if there is a file of that name, else from the text."""
    from clgraph.arguments import real_number

    if text is None:
        return None
    if os.path.isfile(text):
        lines = _lines(option, text, 2, "an id and at most one value are needed")
        pairs = [([*words, "1"], where) for words, where in lines]
    elif text.strip(", "):
        where = f"{option} {text} (there is no file of that name)"
        pairs = [([word.strip(), "1"], where) for word in text.split(",")]
    else:
        raise InputError(f"{option} is empty: give ids with commas between, or a file")
    given: dict[Any, float] = {}
    for (word, number, *_), where in pairs:
        vertex = vertex_of(word, has_numbers(graph), f"{where}: {word[:80]!r}")
        value = real_number(number)
        if value is None:
            raise InputError(f"{where}: {number[:80]!r} is no number")
        if vertex in given:
            raise InputError(f"{where}: vertex {vertex} is given twice")
        given[vertex] = value
    return given


def _sources(source: tuple[str, ...], file: str | None, users: str | None) -> Words | dict[str, Words]:
    """Return the sources of --source and --sources, or the items of each user of --users."""
    if users is None:
        given = [(word, f"--source {word}") for word in source] + _words("--sources", file)
        if not given:
            raise InputError("no source is given: --source ID (repeatable), --sources FILE or --users FILE")
        return given
    if source or file:
        raise InputError("--users FILE has the sources: leave out --source and --sources")
    items: dict[str, Words] = {}
    for words, where in _lines("--users", users, what="user"):
        if len(words) == 1:
            raise InputError(f"{where}: user {words[0]!r} has no items: a user and ids of items are needed")
        # a user may have several lines: their items add up
        items.setdefault(words[0], []).extend((word, where) for word in words[1:])
    return items


def _words(option: str, path: str | None) -> Words:
    """Return the word on each line of a file, with its place; none if no file is named."""
    lines = () if path is None else _lines(option, path, 1, "one id a line is needed")
    return [(words[0], where) for words, where in lines]


def _ids(words: Words, graph: Graph | Shards) -> list[Any]:
    """Return vertices in the type of the graph's ids; an InputError names the place of one that is none."""
    ids = []
    for word, where in words:
        vertex = vertex_of(word, has_numbers(graph), where)
        try:
            graph.indices_of(vertex)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
        ids.append(vertex)
    return ids
