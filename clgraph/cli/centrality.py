"""``clgraph centrality``."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import signature
from typing import TYPE_CHECKING, Any

import click

from clgraph.cli.command import Command, Run, direction, facts_of
from clgraph.cli.options import AT_LEAST_0, AT_LEAST_1, on_graph, option
from clgraph.errors import ConvergenceError, InputError
from clgraph.public import PUBLIC, load

if TYPE_CHECKING:
    from clgraph.graph import Graph

# each measure of vertices, and the public function that computes it
MEASURES = {
    each.name.removesuffix("_centrality"): each
    for each in PUBLIC
    if (each.name.endswith("_centrality") and not each.name.startswith("edge_")) or each.name == "hits"
}
VERIFIED = 16  # vertices at which --verify checks distances: each is a search on the host
LARGEST = 5000  # vertices of a graph whose betweenness --verify checks: a search on the host from every one


@click.command(cls=Command)
@option("--measure", "Centrality to compute.", list(MEASURES), "betweenness")
@option("--k", "betweenness: estimate from the paths of this many vertices.", AT_LEAST_1)
@option("--seed", "betweenness: seed for these vertices.  [default: 0]", AT_LEAST_0)
@option("--alpha", "katz: attenuation, below 1 / largest eigenvalue.  [default: 0.1]", float)
@option("--max-iter", "Maximum number of iterations (eigenvector, katz) or restarts (hits).", AT_LEAST_1)
@option("--tol", "eigenvector, katz, hits: tolerance at which to stop.", float)
@option("--top", "Number of vertices to show.", AT_LEAST_0, 10)
@on_graph(
    "Write `id value`, tab-separated, one vertex per line (hits: `id hub authority`).",
    verify="Check the result against the definition.",
    plan=False,
    energy=False,
)
def centrality(run: Run) -> None:
    """Compute a centrality of GRAPH's vertices.

    Distances and paths follow arcs and ignore weights; eigenvector, katz and hits use the weights that
    --weights reads. Files that do not state a direction are read as undirected: web or citation links need
    --directed.

    \b
    clgraph centrality internet.txt --measure betweenness --k 1000 --top 5
    clgraph centrality Wiki-Vote.txt --directed --measure hits -o hits.tsv
    """
    given = vars(run.options)
    measure, top = given.pop("measure"), given.pop("top")
    calls = {name: load(each.home, each.name) for name, each in MEASURES.items()}
    takes = {name: signature(call).parameters for name, call in calls.items()}
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if name not in takes[measure]:
            takers = [each for each, names in takes.items() if name in names]
            raise InputError(f"--{name.replace('_', '-')} is an option of --measure {', '.join(takers)}")
    if "seed" in options and "k" not in options:
        raise InputError("--seed draws the vertices of --k, which is not given")
    run.check_output()
    if run.of_shards:
        raise InputError(
            f"{run.graph} is a dataset of shards: clgraph centrality takes graphs that fit in memory"
        )
    data = run.read()
    if measure == "betweenness" and run.verify and ("k" in options or data.num_vertices > LARGEST):
        raise InputError(
            f"--verify of betweenness takes all sources, and graphs of {LARGEST} vertices at most"
        )
    device = run.device
    if "weight" in takes[measure]:
        options["weight"] = data.is_weighted
    try:
        with run.timed("compute"), run.progress(measure) as progress:
            found = calls[measure](data, **options, device=device, progress=progress)
    except ConvergenceError as error:
        raise ConvergenceError(
            f"{str(error).partition(';')[0]}: give a larger --max-iter or --tol"
            + (", or a smaller --alpha" if measure == "katz" else "")
        ) from None
    names = ("hub", "authority") if measure == "hits" else (measure,)
    columns = dict(zip(names, found if measure == "hits" else [found], strict=True))
    run.check(lambda: _verify(data, measure, found, options), "the values are those of the definition")
    run.write(data.ids, *columns.values())
    best = {name: _highest(data, values, top) for name, values in columns.items()}
    lists = {
        name: [{"vertex": vertex, "value": value} for vertex, value in pairs] for name, pairs in best.items()
    }
    facts = {**facts_of(data), "measure": measure, **options, "device": device.name, "top": lists}
    run.result(lambda: facts, _lines(data, measure, options, best))


def _lines(graph: Graph, measure: str, options: dict[str, Any], best: dict[str, Any]) -> Iterator[str]:
    """Yield the options in use, and the vertices with the highest values."""
    shown = dict(options)
    if "weight" in shown:
        shown["weights"] = "counted" if shown.pop("weight") else "none"
    words = "".join(f"; {name.replace('_', '-')} {value}" for name, value in shown.items())
    yield f"{direction(graph)}, {graph.num_vertices} vertices: {measure}{words}"
    for name, pairs in best.items():
        if len(best) > 1:
            yield f"{name}:"
        yield from (f"{vertex}\t{value:.6g}" for vertex, value in pairs)


def _highest(graph: Graph, values: Any, top: int) -> list[tuple[Any, float]]:
    """Return ids and values, the highest first; of equal ones the smaller index; undefined ones last."""
    import numpy as np

    order = np.argsort(-values, kind="stable")[:top]
    return list(zip(graph.ids[order].tolist(), values[order].tolist(), strict=True))


def _verify(graph: Graph, measure: str, found: Any, options: dict[str, Any]) -> None:
    """Check a result, closeness and harmonic centrality at some vertices."""
    import numpy as np

    from clgraph.reference import centrality

    if measure in ("closeness", "harmonic"):
        n = graph.num_vertices
        some = np.unique(np.linspace(0, n - 1, VERIFIED).astype(int)).tolist() if n else []
        centrality.verify_distances(graph, measure, found, some)
        return
    verify = getattr(centrality, f"verify_{measure}")
    known = {**options, "tol": max(options.get("tol", 0), 1e-6)}
    takes = signature(verify).parameters
    values = found if measure == "hits" else [found]
    verify(graph, *values, **{name: value for name, value in known.items() if name in takes})
