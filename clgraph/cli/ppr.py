"""``clgraph ppr``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

import clgraph
from clgraph.cli.common import direction, facts_of, lines_of, speaks, timed, vertex_of
from clgraph.cli.options import AT_LEAST_0, AT_LEAST_1, option
from clgraph.cli.pagerank import (
    NORMS,
    convergence_told,
    damping_option,
    dtype_option,
    explain_option,
    max_iter_option,
    nonconvergence_option,
    tell_plan,
    tol_option,
)
from clgraph.cli.run import Run, on_graph
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.ranking.personalized import PersonalizedResult
    from clgraph.scale import Shards


SOURCES_SHOWN = 10  # of many: a result for each would hide the figures above
# options that `check_options` does not take: others check them
CHECKED_ALONE = ("damping", "dtype", "on_nonconvergence")


@click.command()
@option("-s --source", "A source (repeatable).", metavar="ID", multiple=True)
@option("--sources file", "A file with a source's id on each line.", metavar="FILE")
@option(
    "--users",
    "Instead: a file with a user and ids of items on each line; a user starts from all of its items.",
    metavar="FILE",
)
@option(
    "--method",
    "How: three ways to iterate, or random walks.",
    ["power", "coo", "coo-flat", "monte-carlo"],
    "power",
)
@damping_option
@tol_option
@option("--norm", "Of the residual; nx compares the L1 one with n * tol.", NORMS, "l2")
@max_iter_option
@option(
    "--dangling",
    "Where the rank of vertices without out-arcs goes (pagerank's default differs).",
    ["uniform", "personalization", "drop"],
    "uniform",
)
@option("--top", "Select this many vertices on the device; 0: all ranks (with -o).", AT_LEAST_0, 20)
@option(
    "--exclude",
    "Leave out of the top: each source's own vertices, or these and those that their arcs lead to.",
    ["self", "neighbours"],
)
@option("--exclude-ids", "Leave out these vertices, an id on each line.", metavar="FILE")
@option("--seed", "Of the walks (default: drawn, and reported).", AT_LEAST_0)
@option("--walks", "Walks from each source.  [default: 200000]", int)
@option("--epsilon", "Take as many walks as keep every rank's error below this,", float)
@option("--confidence", "with this probability.", float, 0.95)
@option("--check-every", "Test the residual only once in this many iterations.", AT_LEAST_1, 1)
@option("--squared", "Compare the squared residual with the squared tolerance.", bool)
@option("--stored", "Answer sources without out-arcs from stored ranks.", bool)
@option("--stable-top", "Also stop once the top set was the same at N checks in a row.", AT_LEAST_0, 0, "N")
@dtype_option
@nonconvergence_option
@explain_option
@on_graph(
    "Write `source id rank`, tab-separated (monte-carlo: and the standard error).",
    verify="Check the result against the reference.",
)
def ppr(
    run: Run,
    source: tuple[str, ...],
    file: str | None,
    users: str | None,
    exclude: str | None,
    exclude_ids: str | None,
    method: Any,
    dangling: str,
    top: int,
    explain: bool,
    **options: Any,
) -> None:
    """Personalized PageRank of GRAPH's vertices, from the point of view of each source.

    Arcs carry rank from source to target; an undirected edge is an arc each way. A file that does not say
    is read as undirected: links of the web or of citations need --directed.

    \b
    clgraph ppr Wiki-Vote.txt --directed --source 3 --source 30 --top 10
    clgraph ppr cnr-2000.edges.gz --directed --sources ids.txt --method monte-carlo --seed 1 -o top.tsv
    clgraph ppr bought.txt --ids str --users users.txt --exclude neighbours --top 5
    """
    from clgraph.ranking.personalized.options import check_options
    from clgraph.ranking.problem import check_damping

    # invalid options are refused before a large file is read
    check_options(
        1,
        method,
        check_damping(options["damping"]),
        dangling,
        top=1 if top else None,
        **{name: value for name, value in options.items() if name not in CHECKED_ALONE},
    )
    run.check_output()
    if top == 0 and not run.output and not run.as_json:
        raise InputError("--top 0 asks for all ranks: give -o a file to write them to")
    if top == 0 and (exclude or exclude_ids):
        raise InputError("--exclude leaves vertices out of the top: --top 0 asks for all ranks")
    wanted = read_wanted(source, file, users)
    left_out = read_words("--exclude-ids", exclude_ids) if exclude_ids else []
    if method != "monte-carlo":
        del options["confidence"]  # means nothing without --epsilon, which other methods refuse
    options |= {"method": method, "dangling": dangling}
    with run.data("ppr", {}, explain=explain) as data:
        ids = wanted.ids(data)
        options["exclude"] = exclusion(exclude, left_out, data)
        options |= {"top": min(top, data.num_vertices) or None, "device": run.device}
        with convergence_told(options["dtype"]):
            found = clgraph.personalized_pagerank(data, ids, **options)
        run.check(
            lambda: clgraph.verify_ppr(data, found, ids),
            "the ranks are those of the reference, within their error",
        )
        tell_plan(found.plan, explain)
        # non-convergence has been reported once
        run.measure(
            lambda: clgraph.personalized_pagerank(data, ids, **{**options, "on_nonconvergence": "return"})
        )
        if not speaks():
            return
        run.seconds |= found.seconds
        if run.output:
            with timed(run.seconds, "write"):
                _write(run.output, data, found, None if run.of_shards else run.device)
        run.tell(lambda: _facts(data, found), lambda: _lines(data, found))


def _write(path: str, graph: Graph | Shards, found: PersonalizedResult, device: Device | None) -> None:
    """One line a source and vertex, with as many digits as bring the rank back exactly."""
    import numpy as np

    from clgraph.files.columns import write_columns
    from clgraph.formats import atomic_write

    with atomic_write(path) as out:
        for i, source in enumerate(found.sources):
            ids = graph.ids if found.ids is None else found.ids[i]
            ranks = found.ranks[i] if found.ranks is not None else found.scores[i]  # type: ignore[index]
            columns = np.full(len(ids), source, ids.dtype), ids, ranks
            if found.standard_errors is None:
                write_columns(out, *columns, device=device)
            else:
                errors = [f"{error:.3g}" for error in found.standard_errors[i].tolist()]
                write_columns(out, *columns, np.array(errors, object))


def _facts(graph: Graph | Shards, found: PersonalizedResult) -> dict[str, Any]:
    """What JSON says of the result."""
    from clgraph.results import kernel_facts

    results = []
    for i, source in enumerate(found.sources):
        one: dict[str, Any] = {"source": source, "ended": found.ended[i]}
        if found.method == "monte-carlo":
            one["lost"] = int(found.lost[i])  # type: ignore[index]
        elif found.ended[i] != "store":
            one |= {"iterations": int(found.iterations[i]), "residual": float(found.residuals[i])}
        if found.method != "monte-carlo":
            one["error_bound"] = float(found.error_bounds[i])
        if found.ids is not None and found.scores is not None:
            top = []
            for j, vertex in enumerate(found.ids[i].tolist()):
                entry = {"vertex": vertex, "rank": float(found.scores[i, j])}
                if found.standard_errors is not None and found.visits is not None:
                    entry["standard_error"] = float(found.standard_errors[i, j])
                    entry["visits"] = int(found.visits[i, j])
                top.append(entry)
            one["top"] = top
        results.append(one)
    return {
        **facts_of(graph),
        "method": found.method,
        "damping": found.damping,
        "dangling": found.dangling,
        "tol": found.tol,
        "norm": found.norm,
        "converged": None if found.converged is None else bool(found.converged.all()),
        "walks": found.walks,
        "seed": found.seed,
        "epsilon": found.epsilon,
        "confidence": found.confidence,
        "plan": list(found.plan),
        "dtype": found.dtype,
        "device": found.device,
        **kernel_facts(found),
        "results": results,
    }


def _lines(graph: Graph | Shards, found: PersonalizedResult) -> Iterator[str]:
    """The highest ranks of the first sources."""
    how = f"{found.walks} walks, seed {found.seed}" if found.walks else f"to {found.tol:g} ({found.norm})"
    yield (
        f"{direction(graph)}, {graph.num_vertices} vertices: method {found.method}, {how}; "
        f"damping {found.damping}; dangling: {found.dangling}"
    )
    for i, source in enumerate(found.sources[:SOURCES_SHOWN]):
        if found.walks:
            end = f"{int(found.lost[i])} walks lost"  # type: ignore[index]
        elif found.ended[i] == "store":
            end = "from the stored ranks"
        else:
            end = f"{found.iterations[i]} iterations, error at most {found.error_bounds[i]:.3g} (L1)"
        yield f"source {source}: {end}"
        if found.ids is None or found.scores is None:
            continue
        for j, vertex in enumerate(found.ids[i].tolist()):
            error = "" if found.standard_errors is None else f"\t+- {found.standard_errors[i, j]:.2g}"
            yield f"{vertex}\t{found.scores[i, j]:.6g}{error}"
    if len(found.sources) > SOURCES_SHOWN:
        yield f"{len(found.sources) - SOURCES_SHOWN} more sources: -o writes all"


# --- The sources of ``clgraph ppr``, and what it leaves out: words of the command line and of files ---


Word = tuple[str, str]  # as it is written, and where


@dataclass(frozen=True)
class Wanted:
    """The sources as they are written.

    Attributes
    ----------
    words : list of Word
    users : dict of str to list of Word, or None
        The items of each user, if there are users instead.
    """

    words: list[Word]
    users: dict[str, list[Word]] | None

    def ids(self, graph: Graph | Shards) -> Any:
        """The sources as `clgraph.personalized_pagerank` takes them."""
        if self.users is None:
            return [_as_id(*word, graph) for word in self.words]
        return {user: [_as_id(*word, graph) for word in words] for user, words in self.users.items()}


def read_wanted(source: tuple[str, ...], file: str | None, users: str | None) -> Wanted:
    """The sources of --source and --sources, or the users of --users."""
    if users is not None:
        if source or file:
            raise InputError("--users FILE has the sources: leave out --source and --sources")
        return Wanted([], _read_users(users))
    words = [(word, f"--source {word}") for word in source] + (read_words("--sources", file) if file else [])
    if not words:
        raise InputError("no source is given: --source ID (repeatable), --sources FILE or --users FILE")
    return Wanted(words, None)


def exclusion(word: str | None, left_out: list[Word], graph: Graph | Shards) -> Any:
    """What is left out, as `clgraph.personalized_pagerank` takes it."""
    ids = [_as_id(*one, graph) for one in left_out]
    if word is None:
        return ids or None
    return (word, ids) if ids else word


def _read_users(path: str) -> dict[str, list[Word]]:
    """The items of each user; lines of one user add up."""
    users: dict[str, list[Word]] = {}
    for parts, where in lines_of("--users", path):
        if len(parts) == 1:
            raise InputError(f"{where}: user {parts[0]!r} has no items: a user and ids of items are needed")
        users.setdefault(parts[0], []).extend((word, where) for word in parts[1:])
    if not users:
        raise InputError(f"--users {path} names no user")
    return users


def read_words(option: str, path: str) -> list[Word]:
    """The word on each line of a file, with its place."""
    words = []
    for parts, where in lines_of(option, path):
        if len(parts) > 1:
            raise InputError(f"{where}: {' '.join(parts)!r}: one id a line is needed")
        words.append((parts[0], where))
    if not words:
        raise InputError(f"{option} {path} names no vertex")
    return words


def _as_id(word: str, where: str, graph: Graph | Shards) -> Any:
    """A source in the type of the graph's ids; an InputError that names its place if there is none such."""
    vertex = vertex_of(word, graph, where)
    try:
        graph.indices_of(vertex)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return vertex
