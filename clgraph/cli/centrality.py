"""``clgraph centrality``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from clgraph.cli.common import (
    OutputName,
    device_for_file,
    direction,
    is_dataset,
    open_device,
    print_json,
    progress_bar,
    read_graph,
    run_options,
    say,
)
from clgraph.errors import ConvergenceError, InputError

if TYPE_CHECKING:
    from clgraph.graph import Graph

# what each measure takes beside the graph
OPTIONS: dict[str, tuple[str, ...]] = {
    "betweenness": ("k", "seed"),
    "closeness": (),
    "harmonic": (),
    "eigenvector": ("max_iter", "tol"),
    "katz": ("alpha", "max_iter", "tol"),
    "hits": ("max_iter", "tol"),
}
WEIGHTED = ("eigenvector", "katz", "hits")
VERIFIED = 16  # vertices whose distances --verify looks at; betweenness: the largest graph is
LARGEST = 5000


@click.command()
@click.argument("graph", metavar="GRAPH")
@click.option(
    "--measure",
    type=click.Choice(list(OPTIONS)),
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
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    type=OutputName(),
    help="Write `id value`, tab-separated, one vertex a line (hits: `id hub authority`).",
)
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
    quiet: bool,
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
    from clgraph import centrality as house
    from clgraph.graph.io import check_writable

    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if name not in OPTIONS[measure]:
            takers = [each for each, names in OPTIONS.items() if name in names]
            raise InputError(f"--{name.replace('_', '-')} is an option of --measure {', '.join(takers)}")
    if "seed" in options and "k" not in options:
        raise InputError("--seed draws the vertices of --k, which is not given")
    if output:
        check_writable(output, "edges")
    if is_dataset(graph):
        raise InputError(
            f"{graph} is a dataset of shards: clgraph centrality takes graphs that fit in memory"
        )
    started = time.perf_counter()
    data = read_graph(graph, reading, quiet, device=device_for_file(graph, device))
    seconds = {"read": time.perf_counter() - started}
    if measure == "betweenness" and verify and ("k" in options or data.num_vertices > LARGEST):
        raise InputError(
            f"--verify of betweenness takes all sources, and graphs of {LARGEST} vertices at most"
        )
    options["device"] = open_device(device, quiet)
    if measure in WEIGHTED:
        options["weight"] = data.is_weighted
    started = time.perf_counter()
    compute = house.hits if measure == "hits" else getattr(house, f"{measure}_centrality")
    try:
        with progress_bar(measure, quiet) as progress:
            found = compute(data, **options, progress=progress)
    except ConvergenceError as error:
        raise ConvergenceError(
            f"{str(error).partition(';')[0]}: give a larger --max-iter or --tol"
            + (", or a smaller --alpha" if measure == "katz" else "")
        ) from None
    seconds["compute"] = time.perf_counter() - started
    columns = dict(zip(("hub", "authority"), found, strict=True)) if measure == "hits" else {measure: found}
    if verify:
        _verify(data, measure, found, options)
        say("verified: the values are those of the definition", quiet)
    if output:
        started = time.perf_counter()
        _write(output, data, list(columns.values()))
        seconds["write"] = time.perf_counter() - started
    best = {name: _highest(data, values, top) for name, values in columns.items()}
    if as_json:
        facts = {"vertices": data.num_vertices, "edges": data.num_edges, "directed": data.directed}
        told = {name: value for name, value in options.items() if name != "device"}
        lists = {
            name: [{"vertex": vertex, "value": value} for vertex, value in pairs]
            for name, pairs in best.items()
        }
        how = {"measure": measure, **told, "device": options["device"].name, "top": lists}
        print_json({**facts, **how, "seconds": seconds, "verified": verify})
        return
    click.echo(f"{direction(data)}, {data.num_vertices} vertices: {measure}{_words(options)}")
    for name, pairs in best.items():
        if len(best) > 1:
            click.echo(f"{name}:")
        for vertex, value in pairs:
            click.echo(f"{vertex}\t{value:.6g}")


def _words(options: dict[str, Any]) -> str:
    """The options that a result line tells."""
    told = {name: value for name, value in options.items() if name != "device"}
    if "weight" in told:
        told["weights"] = "counted" if told.pop("weight") else "none"
    return "".join(f"; {name.replace('_', '-')} {value}" for name, value in told.items())


def _highest(graph: Graph, values: Any, top: int) -> list[tuple[Any, float]]:
    """Ids and values, the highest first; equal ones: smaller index first; undefined ones last."""
    order = np.argsort(-values, kind="stable")[:top]
    return list(zip(graph.ids[order].tolist(), values[order].tolist(), strict=True))


def _write(path: str, graph: Graph, columns: list[Any]) -> None:
    """One line a vertex, with as many digits as bring the numbers back exactly."""
    from clgraph.files.columns import write_columns
    from clgraph.graph.io import atomic_write

    if len(columns) == 1:
        with atomic_write(path) as out:
            write_columns(out, graph.ids, columns[0])
        return
    with atomic_write(path, "w") as text:
        rows = zip(graph.ids.tolist(), *(column.tolist() for column in columns), strict=True)
        text.writelines("\t".join(map(str, row)) + "\n" for row in rows)


def _verify(graph: Graph, measure: str, found: Any, options: dict[str, Any]) -> None:
    """Check a result, closeness and harmonic centrality at some vertices."""
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
