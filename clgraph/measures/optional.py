"""Measures that are made only where they are asked for by name: modularity, and distances by weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.arguments import shown
from clgraph.csr.upload import upload_csr
from clgraph.errors import InputError
from clgraph.measures.compare import positions
from clgraph.measures.hops import draw_sources
from clgraph.measures.pack import measured_view, of_rows
from clgraph.measures.scalars import OPTIONAL, MeasureRequest, Measures

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

NO_EDGES = "there are no edges"


def check_also(also: Any) -> tuple[str, ...]:
    """Check names of optional measures: a text with commas, or a sequence.

    Raises
    ------
    InputError
        One is unknown.
    """
    names = [name.strip() for name in also.split(",") if name.strip()] if isinstance(also, str) else also
    if not isinstance(names, Sequence):
        raise InputError(f"also is {shown(also)}: give a text such as 'modularity,weighted_distance'")
    for name in names:
        if name not in OPTIONAL:
            raise InputError(f"also: {shown(name)} is no measure to ask for; use {', '.join(OPTIONAL)}")
    return tuple(dict.fromkeys(names))


def measure_also(
    names: Sequence[str],
    original: Graph,
    first: Measures,
    sample: Graph | None,
    second: Measures | None,
    dev: Device,
    request: MeasureRequest,
) -> tuple[Measures, Measures | None]:
    """Return the measures of the original and of the sample with those named, or with reasons.

    Parameters
    ----------
    names : sequence of str
        From `OPTIONAL`.
    original, sample : Graph
    first, second : Measures
    dev : Device
    request : MeasureRequest
        Its seed is Louvain's, and that of the sources.
    """
    graphs = [original] if sample is None else [original, sample]
    found: list[dict[str, float | str]] = [{} for _ in graphs]
    if "modularity" in names:
        for each, value in zip(found, _modularities(graphs, dev, request.seed), strict=True):
            each["modularity"] = value
    if "weighted_distance" in names:
        for each, graph in zip(found, graphs, strict=True):
            each["weighted_distance"] = _weighted_distance(graph, dev, request)
    one, *others = map(_with, [first] if second is None else [first, second], found)
    return one, others[0] if others else None


def _with(measures: Measures, found: dict[str, float | str]) -> Measures:
    numbers: dict[str, Any] = {name: value for name, value in found.items() if not isinstance(value, str)}
    reasons = {name: value for name, value in found.items() if isinstance(value, str)}
    return replace(measures, **numbers, reasons=measures.reasons | reasons)


def _modularities(graphs: list[Graph], dev: Device, seed: int) -> list[float | str]:
    """The modularity of the first graph's communities, in each graph; why it has none."""
    from clgraph.communities.partitions import modularity
    from clgraph.measures.multilevel import louvain

    # rows alone: each pair of neighbours counts once, without weights
    views = [of_rows(dev, upload_csr(dev, measured_view(dev, graph))) for graph in graphs]
    if not views[0].num_arcs:
        return [NO_EDGES] * len(views)
    labels = louvain(views[0], seed=seed, device=dev).labels
    values: list[float | str] = [modularity(views[0], labels, device=dev)]
    for graph, view in zip(graphs[1:], views[1:], strict=True):
        at = positions(graphs[0], graph)
        if not view.num_arcs:
            values.append(NO_EDGES)
        elif np.any(at < 0):
            values.append("not all of its vertices are in the original")
        else:
            values.append(modularity(view, labels[at], device=dev))
    return values


def _weighted_distance(graph: Graph, dev: Device, request: MeasureRequest) -> float | str:
    """The mean distance by weight between connected vertices, or why there is none."""
    from clgraph.traversal.weighted import mean_distance

    view, n = graph.undirected.without_self_loops, graph.num_vertices
    if not graph.is_weighted:
        return "the graph has no weights"
    if not view.num_arcs:
        return NO_EDGES
    sources = None if n <= request.sources else draw_sources(n, request.sources, request.seed)
    return mean_distance(dev, view, sources=sources)
