"""Measures that are made only where they are asked for by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.csr.upload import upload_csr
from clgraph.errors import BuildError, CapacityError, DeviceError, InputError
from clgraph.lazy import lazy
from clgraph.measures.compare import ks_distance, positions
from clgraph.measures.hops import draw_sources
from clgraph.measures.pack import Pack, directed_view, measured_view, of_rows
from clgraph.measures.scalars import OPTIONAL, MeasureRequest, Measures
from clgraph.measures.tally import Histogram, degree_histograms

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


class Also:
    """Optional measures of a graph and of samples of it.

    Parameters
    ----------
    names : sequence of str
        From `OPTIONAL`.
    original : Graph
    dev : Device
    request : MeasureRequest
        Its seed is Louvain's, and that of the sources.
    """

    def __init__(self, names: Sequence[str], original: Graph, dev: Device, request: MeasureRequest) -> None:
        self._names, self._original, self._dev, self._request = names, original, dev, request

    def of(self, graph: Graph) -> dict[str, float | str]:
        """Return those of the original or of a sample, by name; a text says why one is not defined."""
        makers = {
            "modularity": self._modularity,
            "weighted_distance": self._weighted_distance,
            "ks_in_degree": self._ks_in_degree,
            "ks_out_degree": self._ks_out_degree,
        }
        return {name: makers[name](graph) for name in self._names}

    @lazy
    def _labels(self) -> npt.NDArray[np.int32]:
        """The communities of the original."""
        from clgraph.communities.multilevel import louvain

        found = louvain(self._rows(self._original), seed=self._request.seed, device=self._dev)
        labels: npt.NDArray[np.int32] = found.labels
        return labels

    def _rows(self, graph: Graph) -> Graph:
        """Rows alone: each pair of neighbours counts once, without weights."""
        return of_rows(self._dev, upload_csr(self._dev, measured_view(self._dev, graph)))

    def _modularity(self, graph: Graph) -> float | str:
        from clgraph.communities.partitions import modularity

        view, at = self._rows(graph), positions(self._original, graph)
        if not view.num_arcs:
            return NO_EDGES
        if np.any(at < 0):
            return "not all of its vertices are in the original"
        return modularity(view, self._labels[at], device=self._dev)

    def _weighted_distance(self, graph: Graph) -> float | str:
        from clgraph.traversal.paths import mean_distance
        from clgraph.traversal.weighted import lengths_of

        view, n, most = graph.undirected.without_self_loops, graph.num_vertices, self._request.sources
        if not graph.is_weighted:
            return "the graph has no weights"
        if not view.num_arcs:
            return NO_EDGES
        if "HAVE_FP64" not in self._dev.features:
            try:
                lengths_of(self._dev, view, True, "float64")
            except (BuildError, CapacityError):
                raise
            except DeviceError:
                return "these weights need float64, which the device does not have"
        sources = None if n <= most else draw_sources(n, most, self._request.seed)
        return mean_distance(self._dev, view, sources=sources)

    def _ks_in_degree(self, graph: Graph) -> float | str:
        return self._ks(graph, reverse=True)

    def _ks_out_degree(self, graph: Graph) -> float | str:
        return self._ks(graph, reverse=False)

    def _ks(self, graph: Graph, *, reverse: bool) -> float | str:
        if not self._original.directed:
            return "the graph is undirected"
        found = ks_distance(self._histogram(self._original, reverse), self._histogram(graph, reverse))
        return "there are no vertices" if found is None else found

    def _histogram(self, graph: Graph, reverse: bool) -> Histogram:
        """Degrees by arcs in (`reverse`) or out, kept with the graph; without loops, each arc once."""

        def make() -> Histogram:
            rows = directed_view(self._dev, graph)
            return degree_histograms(Pack.of(self._dev, [rows.reverse if reverse else rows]))[0]

        return self._dev.cached(graph, ("degrees by direction", reverse), make)


def with_also(measures: Measures, found: dict[str, float | str]) -> Measures:
    """Return measures with optional ones, or with the reasons why they are not defined."""
    numbers: dict[str, Any] = {name: value for name, value in found.items() if not isinstance(value, str)}
    reasons = {name: value for name, value in found.items() if isinstance(value, str)}
    return replace(measures, **numbers, reasons=measures.reasons | reasons)
