"""The COPRA thesis's Table 4.2: what samples keep of a power-law graph, one step at a time and in batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.bench.harness import Case, Context, Figures, quantity
from clgraph.theses.copra import CHARACTERISTICS

if TYPE_CHECKING:
    from clgraph.graph import Graph

WHAT = "characteristics"


def cases(graphs: Sequence[str], *, seed: int = 1) -> list[Case]:
    """The thesis's twenty rows on each graph; exact mode takes the place of its sequential program."""
    made = []
    for graph in graphs:
        for method in CHARACTERISTICS:
            for mode in ("exact", "batched") if method != "drve" else ("batched",):
                made.append(_rows(graph, method, mode, seed))
    return made


def _rows(name: str, method: str, mode: Any, seed: int) -> Case:
    def run(context: Context) -> Figures:
        from clgraph.sampling import sample

        graph = context.graph(name)
        whole = context.once("characteristics", lambda: characteristics(graph))
        percents = [row[0] for row in CHARACTERISTICS[method]]
        shares = [round(1 - percent / 100, 4) for percent in percents]
        made = sample(graph, method, sizes=shares, seed=seed, mode=mode, device=context.device)
        rows = [
            {"removed": percent, **characteristics(each.graph), "seconds": each.seconds["sample"]}
            for percent, each in zip(percents, made, strict=True)
        ]
        seconds = sum(row["seconds"] for row in rows)
        return Figures({"kernels": quantity(seconds, "s")}, {"whole": whole, "rows": rows})

    return Case("sampling", name, f"{WHAT} {method} {mode}", "clgraph", run, True, {"seed": seed})


def characteristics(graph: Graph) -> dict[str, float]:
    """Average degree and the two exponents: slopes of least-squares lines in log-log (degree: frequency
    against degree; rank: degree against rank), as the thesis has them."""
    degrees = np.asarray(graph.degrees)
    count = np.bincount(degrees)
    degree = np.flatnonzero(count[1:]) + 1
    by_rank = np.repeat(degree[::-1], count[degree][::-1])
    rank = np.arange(1, len(by_rank) + 1)
    return {
        "vertices": graph.num_vertices,
        "average_degree": graph.num_arcs / graph.num_vertices,
        "degree_exponent": _slope(np.log(degree), np.log(count[degree])),
        "rank_exponent": _slope(np.log(rank), np.log(by_rank)),
    }


def _slope(x: Any, y: Any) -> float:
    """By the definition: polyfit makes several arrays as long as a large graph has vertices."""
    x = x - x.mean()
    square = float(x @ x)
    return float(x @ y) / square if square else float("nan")
