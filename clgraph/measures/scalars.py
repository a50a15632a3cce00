"""The measures of one graph."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.measures.degrees import degree_histogram
from clgraph.measures.fits import Exponent, degree_exponents, eigen_exponent, hop_exponent
from clgraph.measures.hops import SOURCES, hop_plot
from clgraph.measures.spectrum import COUNT, MANY, largest_eigenvalues
from clgraph.measures.triangle_count import local_clustering, simple_view, triangles

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
PHASES = ("degrees", "components", "triangles", "hop plot", "eigenvalues", "fits")


@dataclass(frozen=True)
class Measures:
    """The measures of one graph: of its undirected view without self-loops, each pair of neighbours one edge.

    A measure that is undefined, because the graph is too small, is None, and `reasons` says why.

    Attributes
    ----------
    vertices, edges : int
    average_degree : float or None
        2m / n.
    density : float or None
        2m / (n (n - 1)).
    largest_degree : int
    components, largest_component : int
        Connected components, and the vertices of the largest one.
    clustering : float or None
        Mean local clustering coefficient; vertices with fewer than two neighbours count as 0.
    transitivity : float or None
        Three times the triangles over the pairs of edges that meet.
    triangles : int
    degree_exponent, rank_exponent, hop_plot_exponent, eigen_exponent : Exponent
    effective_diameter : float or None
        Hops within which 90 % of the connected pairs lie, interpolated.
    mean_distance : float or None
        Mean number of hops between two connected vertices.
    diameter : int or None
        The longest distance that the searches of the hop plot found; the diameter if `hop_plot_exact`.
    hop_plot_sources : int
        Searches that the hop plot comes from.
    hop_plot_exact : bool
        Whether they started from all vertices.
    degree_histogram : (degrees, vertices)
        Two int64 arrays: the degrees that occur, and how many vertices have each.
    hop_plot : float64 array
        P(0), P(1), ...: ordered pairs within h hops, each vertex with itself counted.
    eigenvalues : float64 array
        The largest positive ones, descending.
    clustering_by_degree : float64 array
        Mean local clustering of the vertices of each degree in `degree_histogram`.
    component_sizes : (sizes, components)
        Two int64 arrays.
    local_clustering : (values, vertices)
        The values that occur, and how many vertices have each.
    reasons : dict of str to str
        Why a measure is None, by its name.
    notes : tuple of str
        What was left out of the graph.
    seconds : dict of float
        By phase.
    """

    vertices: int
    edges: int
    average_degree: float | None
    density: float | None
    largest_degree: int
    components: int
    largest_component: int
    clustering: float | None
    transitivity: float | None
    triangles: int
    degree_exponent: Exponent
    rank_exponent: Exponent
    hop_plot_exponent: Exponent
    eigen_exponent: Exponent
    effective_diameter: float | None
    mean_distance: float | None
    diameter: int | None
    hop_plot_sources: int
    hop_plot_exact: bool
    degree_histogram: tuple[Ints, Ints] = field(repr=False)
    hop_plot: Floats = field(repr=False)
    eigenvalues: Floats = field(repr=False)
    clustering_by_degree: Floats = field(repr=False)
    component_sizes: tuple[Ints, Ints] = field(repr=False)
    local_clustering: tuple[Floats, Ints] = field(repr=False)
    reasons: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: everything but the distribution of the local coefficients."""
        measures: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if isinstance(value, Exponent):
                measures[name] = value.to_dict()
            elif name == "degree_histogram":
                measures[name] = {"degree": value[0].tolist(), "vertices": value[1].tolist()}
            elif name == "component_sizes":
                measures[name] = {"size": value[0].tolist(), "components": value[1].tolist()}
            elif name == "hop_plot":
                measures[name] = value.astype(np.int64).tolist() if self.hop_plot_exact else value.tolist()
            elif isinstance(value, np.ndarray):
                measures[name] = value.tolist()
            elif name != "local_clustering":
                measures[name] = list(value) if isinstance(value, tuple) else value
        return measures


def measure(
    graph: Graph,
    dev: Device,
    *,
    seed: int = 0,
    sources: int = SOURCES,
    eigenvalues: bool | None = None,
    progress: Callable[[str], None] | None = None,
) -> Measures:
    """All measures of one graph; see `clgraph.quality`."""
    seconds: dict[str, float] = {}
    last = time.perf_counter()

    def lap(phase: str) -> None:
        nonlocal last
        seconds[phase] = (now := time.perf_counter()) - last
        last = now
        if progress:
            progress(phase)

    view = simple_view(graph)
    n, m = view.num_vertices, view.num_arcs // 2
    lap("view")
    histogram = degree_histogram(dev, view)
    lap("degrees")
    from clgraph.components import connected_components

    sizes = connected_components(view, device=dev).sizes
    lap("components")
    degrees = view.degrees
    corner_of = triangles(view, dev)
    local = local_clustering(corner_of, degrees)
    lap("triangles")
    hops = hop_plot(dev, view, seed, sources)
    lap("hop plot")
    spectrum, missing = _spectrum(view, eigenvalues)
    lap("eigenvalues")

    found = int(corner_of.sum()) // 3
    wedges = int((histogram[0] * (histogram[0] - 1) // 2) @ histogram[1])
    by_degree, by_rank = degree_exponents(*histogram)
    reasons: dict[str, str] = {}
    if n == 0:
        reasons |= dict.fromkeys(
            ("average_degree", "density", "clustering"), "the graph is empty: it has no vertices"
        )
    elif n == 1:
        reasons["density"] = "one vertex: there are no pairs"
    if wedges == 0:
        reasons["transitivity"] = "no vertex has two neighbours"
    if m == 0:
        reasons |= dict.fromkeys(
            ("effective_diameter", "mean_distance", "diameter"), "no vertex has a neighbour"
        )
    pairs = hops.pairs
    made = Measures(
        vertices=n,
        edges=m,
        average_degree=2 * m / n if n else None,
        density=2 * m / (n * (n - 1)) if n > 1 else None,
        largest_degree=int(histogram[0][-1]) if n else 0,
        components=len(sizes),
        largest_component=int(sizes[0]) if n else 0,
        clustering=float(local.mean()) if n else None,
        transitivity=3 * found / wedges if wedges else None,
        triangles=found,
        degree_exponent=by_degree,
        rank_exponent=by_rank,
        hop_plot_exponent=hop_exponent(pairs),
        eigen_exponent=eigen_exponent(spectrum, missing),
        effective_diameter=_effective_diameter(pairs) if m else None,
        mean_distance=float(np.diff(pairs) @ np.arange(1, len(pairs)) / (pairs[-1] - n)) if m else None,
        diameter=len(pairs) - 1 if m else None,
        hop_plot_sources=hops.sources,
        hop_plot_exact=hops.exact,
        degree_histogram=histogram,
        hop_plot=pairs,
        eigenvalues=spectrum,
        clustering_by_degree=_mean_by_degree(local, degrees, histogram),
        component_sizes=_counted(sizes),
        local_clustering=_counted(local),
        reasons=reasons,
        notes=_notes(graph, view),
        seconds=seconds,
    )
    lap("fits")
    return made


def _spectrum(view: Graph, wanted: bool | None) -> tuple[Floats, str | None]:
    if wanted is False:
        return np.zeros(0), "eigenvalues were not asked for"
    if wanted is None and view.num_vertices > MANY:
        return np.zeros(
            0
        ), f"more than {MANY} vertices: eigenvalues take minutes and are computed on request only"
    return largest_eigenvalues(view, COUNT)


def _effective_diameter(pairs: Floats) -> float:
    """Where the hop plot reaches 90 % of its pairs of different vertices, interpolated between hops."""
    apart = pairs - pairs[0]
    goal = 0.9 * apart[-1]
    h = int(np.argmax(apart >= goal))
    return h - 1 + float((goal - apart[h - 1]) / (apart[h] - apart[h - 1]))


def _mean_by_degree(local: Floats, degrees: Ints, histogram: tuple[Ints, Ints]) -> Floats:
    if not len(local):
        return np.zeros(0)
    sums = np.bincount(degrees, weights=local)[histogram[0]]
    return sums / histogram[1]


def _counted(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Ints]:
    each, times = np.unique(values, return_counts=True)
    return each, times.astype(np.int64)


def _notes(graph: Any, view: Graph) -> tuple[str, ...]:
    notes = []
    if getattr(graph, "directed", False):
        notes.append("directed: measured without the arcs' directions")
    loops = getattr(graph, "num_self_loops", 0)
    if loops:
        notes.append(f"{loops} self-loops left out")
    parallel = getattr(graph, "num_duplicates", 0)
    if parallel:
        notes.append(f"{parallel} parallel edges counted once with the edge that they repeat")
    return tuple(notes)
