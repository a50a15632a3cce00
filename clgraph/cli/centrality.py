"""``clgraph centrality``."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

import click

from clgraph.cli.common import (
    direction,
    facts_of,
    is_dataset,
    open_device,
    output_option,
    print_json,
    progress_bar,
    read_for,
    run_options,
    say,
    timed,
    write_table,
)
from clgraph.errors import ConvergenceError, InputError
from clgraph.public import PUBLIC, load

if TYPE_CHECKING:
    from clgraph.graph import Graph

# each measure, and the public function that computes it
MEASURES = {
    each.name.removesuffix("_centrality"): each
    for each in PUBLIC
    if each.name.endswith("_centrality") or each.name == "hits"
}
VERIFIED = 16  # vertices at which --verify checks distances: each is a search on the host
LARGEST = 5000  # vertices of a graph whose betweenness --verify checks: a search on the host from every one


@click.command()
@click.argument("graph", metavar="GRAPH")
@click.option(
    "--measure",
    type=click.Choice(list(MEASURES)),
    default="betweenness",
    show_default=True,
    help="What is computed.",
)
@click.option("--k", type=click.IntRange(min=1), help="betweenness: paths from this many vertices only.")
@click.option("--seed", type=click.IntRange(min=0), help="betweenness: draws them.  [default: 0]")
@click.option("--alpha", type=float, help="katz: below one over the largest eigenvalue.  [default: 0.1]")
@click.option("--max-iter", type=click.IntRange(min=1), help="eigenvector, katz: iterations; hits: restarts.")
@click.option("--tol", type=float, help="eigenvector, katz, hits: when to stop.")
@click.option("--top", type=click.IntRange(min=0), default=10, show_default=True, help="Vertices to show.")
@output_option("Write `id value`, tab-separated, one vertex a line (hits: `id hub authority`).")
@click.option("--verify", is_flag=True, help="Check the result from the definition.")
@run_options
def centrality(
    graph: str,
    measure: str,
    top: int,
    output: str | None,
    verify: bool,
    reading: dict[str, Any],
    device: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """How central each of GRAPH's vertices is.

    Distances and paths are those along arcs, without weights; eigenvector, katz and hits take the weights
    that are read. A file that does not say is read as undirected: links of the web or of citations need
    --directed.

    \b
    clgraph centrality internet.txt --measure betweenness --k 1000 --top 5
    clgraph centrality Wiki-Vote.txt --directed --measure hits -o hits.tsv
    """
    from clgraph.formats import check_writable

    calls = {name: load(each.home, each.name) for name, each in MEASURES.items()}
    takes = {name: signature(call).parameters for name, call in calls.items()}
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if name not in takes[measure]:
            takers = [each for each, names in takes.items() if name in names]
            raise InputError(f"--{name.replace('_', '-')} is an option of --measure {', '.join(takers)}")
    if "seed" in options and "k" not in options:
        raise InputError("--seed draws the vertices of --k, which is not given")
    if output:
        check_writable(output, "edges")
    if is_dataset(graph):
        raise InputError(
            f"{graph} is a dataset of shards: clgraph centrality takes graphs that fit in memory"
        )
    seconds: dict[str, float] = {}
    data = read_for(device, graph, reading, seconds)
    if measure == "betweenness" and verify and ("k" in options or data.num_vertices > LARGEST):
        raise InputError(
            f"--verify of betweenness takes all sources, and graphs of {LARGEST} vertices at most"
        )
    dev = open_device(device)
    if "weight" in takes[measure]:
        options["weight"] = data.is_weighted
    try:
        with timed(seconds, "compute"), progress_bar(measure) as progress:
            found = calls[measure](data, **options, device=dev, progress=progress)
    except ConvergenceError as error:
        raise ConvergenceError(
            f"{str(error).partition(';')[0]}: give a larger --max-iter or --tol"
            + (", or a smaller --alpha" if measure == "katz" else "")
        ) from None
    columns = dict(zip(("hub", "authority"), found, strict=True)) if measure == "hits" else {measure: found}
    if verify:
        _verify(data, measure, found, options)
        say("verified: the values are those of the definition")
    write_table(output, seconds, (data.ids, *columns.values()))
    best = {name: _highest(data, values, top) for name, values in columns.items()}
    if as_json:
        lists = {
            name: [{"vertex": vertex, "value": value} for vertex, value in pairs]
            for name, pairs in best.items()
        }
        how = {"measure": measure, **options, "device": dev.name, "top": lists}
        print_json({**facts_of(data), **how, "seconds": seconds, "verified": verify})
        return
    click.echo(f"{direction(data)}, {data.num_vertices} vertices: {measure}{_words(options)}")
    for name, pairs in best.items():
        if len(best) > 1:
            click.echo(f"{name}:")
        for vertex, value in pairs:
            click.echo(f"{vertex}\t{value:.6g}")


def _words(options: dict[str, Any]) -> str:
    """The options that a result line tells."""
    told = dict(options)
    if "weight" in told:
        told["weights"] = "counted" if told.pop("weight") else "none"
    return "".join(f"; {name.replace('_', '-')} {value}" for name, value in told.items())


def _highest(graph: Graph, values: Any, top: int) -> list[tuple[Any, float]]:
    """Ids and values, the highest first; equal ones: smaller index first; undefined ones last."""
    import numpy as np

    order = np.argsort(-values, kind="stable")[:top]
    return list(zip(graph.ids[order].tolist(), values[order].tolist(), strict=True))


def _verify(graph: Graph, measure: str, found: Any, options: dict[str, Any]) -> None:
    """Check a result, closeness and harmonic centrality at some vertices."""
    import numpy as np

    from clgraph.reference import distances, eigen

    weight = options.get("weight", False)
    tol = max(options.get("tol", 0), 1e-6)
    try:
        if measure == "eigenvector":
            eigen.verify_eigenvector(graph, found, tol=tol, weight=weight)
        elif measure == "katz":
            eigen.verify_katz(graph, found, alpha=options.get("alpha", 0.1), tol=tol, weight=weight)
        elif measure == "hits":
            eigen.verify_hits(graph, *found, tol=tol, weight=weight)
        elif measure == "betweenness":
            distances.verify_betweenness(graph, found)
        else:
            n = graph.num_vertices
            some = np.unique(np.linspace(0, n - 1, VERIFIED).astype(int)).tolist() if n else []
            distances.verify_distances(graph, measure, found, some)
    except AssertionError as error:
        raise InputError(f"the result is wrong: {error}") from error
