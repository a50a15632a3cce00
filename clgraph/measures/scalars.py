"""The measures of one graph."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.measures.cores import find_cores
from clgraph.measures.fits import (
    Exponent,
    Fit,
    degree_exponents,
    eigen_exponent,
    hop_exponent,
    likely_tails,
    packaged_tail,
    with_neighbours,
)
from clgraph.measures.hops import SOURCES, HopPlot, hop_plots
from clgraph.measures.pack import Pack, measured_view
from clgraph.measures.spectrum import largest_eigenvalues, on_host
from clgraph.measures.tally import (
    Histogram,
    assortativity,
    component_sizes,
    degree_histograms,
    degree_products,
    find_corners,
    tally,
)
from clgraph.measures.triangle_count import count_triangles
from clgraph.results import RunsOn, Shown
from clgraph.system import thread_pool

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
# measures that are made only where they are asked for, by name
OPTIONAL = ("modularity", "weighted_distance", "ks_in_degree", "ks_out_degree")
PHASES = ("view", "degrees", "components", "triangles", "cores", "hop plot", "eigenvalues", "fits")


@dataclass(frozen=True, repr=False)
class Measures(Shown):
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
    assortativity : float or None
        Pearson's correlation of the degrees at the two ends of an edge.
    largest_core : int
        The largest k for which there is a k-core.
    degree_exponent, rank_exponent, hop_plot_exponent, eigen_exponent : Exponent
    effective_diameter : float or None
        Hops within which 90 % of the connected pairs lie, interpolated.
    effective_diameter_interval : (low, high) or None
        Its interval at 95 %: equal ends if the hop plot is exact, else by the jackknife over batches of 64
        searches and Student's t; None if there are fewer than two batches.
    mean_distance : float or None
        Mean number of hops between two connected vertices.
    diameter : int or None
        The longest distance that the searches of the hop plot found; the diameter if `hop_plot_exact`.
    hop_plot_sources : int
        Number of searches behind the hop plot.
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
    core_numbers : (numbers, vertices)
        Two int64 arrays: the core numbers that occur, and how many vertices have each.
    local_clustering : (values, vertices)
        The values that occur, and how many vertices have each.
    modularity : float or None
        Only if asked for: that of the communities that `clgraph.louvain` finds in the original, of a sample
        that of those same communities as far as it has their vertices.
    weighted_distance : float or None
        Only if asked for: the mean least sum of weights between two connected vertices.
    ks_in_degree, ks_out_degree : float or None
        Only if asked for, of directed graphs: the Kolmogorov-Smirnov distance of the degrees by arcs in, and
        by arcs out, from those of the original (0 for itself).
    reasons : dict of str to str
        Why a measure is None, by its name.
    notes : tuple of str
        What was left out of the graph, and where its eigenvalues come from if not from the device.
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
    assortativity: float | None
    largest_core: int
    degree_exponent: Exponent
    rank_exponent: Exponent
    hop_plot_exponent: Exponent
    eigen_exponent: Exponent
    effective_diameter: float | None
    effective_diameter_interval: tuple[float, float] | None
    mean_distance: float | None
    diameter: int | None
    hop_plot_sources: int
    hop_plot_exact: bool
    degree_histogram: tuple[Ints, Ints] = field(repr=False)
    hop_plot: Floats = field(repr=False)
    eigenvalues: Floats = field(repr=False)
    clustering_by_degree: Floats = field(repr=False)
    component_sizes: tuple[Ints, Ints] = field(repr=False)
    core_numbers: Histogram = field(repr=False)
    local_clustering: tuple[Floats, Ints] = field(repr=False)
    modularity: float | None = None
    weighted_distance: float | None = None
    ks_in_degree: float | None = None
    ks_out_degree: float | None = None
    reasons: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: everything but the distribution of the local coefficients, and what was not asked for."""
        columns = {
            "degree_histogram": ("degree", "vertices"),
            "component_sizes": ("size", "components"),
            "core_numbers": ("core", "vertices"),
        }
        measures: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if not self.is_made(name):
                continue
            if isinstance(value, Exponent):
                measures[name] = value.to_dict()
            elif name in columns:
                measures[name] = {of: each.tolist() for of, each in zip(columns[name], value, strict=True)}
            elif name == "hop_plot" and self.hop_plot_exact:
                measures[name] = value.astype(np.int64).tolist()
            elif isinstance(value, np.ndarray):
                measures[name] = value.tolist()
            elif name != "local_clustering":
                measures[name] = list(value) if isinstance(value, tuple) else value
        return measures

    def is_made(self, name: str) -> bool:
        """True unless a measure is one that must be asked for, and was not."""
        return name not in OPTIONAL or getattr(self, name) is not None or name in self.reasons

    def _facts(self) -> dict[str, Any]:
        names = ("vertices", "edges", "average_degree", "components", "clustering", "effective_diameter")
        values = {name: getattr(self, name) for name in names}
        return {
            name.replace("_", " "): "not defined" if value is None else value
            for name, value in values.items()
        }


@dataclass(frozen=True, repr=False)
class Pair(RunsOn):
    """The measures of a graph and, if there is one, of its sample; see `clgraph.Quality`."""

    original: Measures
    sample: Measures | None
    ks: dict[str, float | None] | None
    seed: int
    device: str = field(compare=False)

    @property
    def _graphs(self) -> dict[str, Measures]:
        """The measures as "original" and, if there is one, "sample"."""
        both = {"original": self.original, "sample": self.sample}
        return {name: measures for name, measures in both.items() if measures is not None}


@dataclass(frozen=True)
class MeasureRequest:
    """How to measure; see `clgraph.quality`."""

    seed: int = 0
    sources: int = SOURCES
    eigenvalues: bool | None = None
    fit: Fit = "own"


def measure(
    graph: Graph, dev: Device, request: MeasureRequest, progress: Callable[[str], None] | None = None
) -> Measures:
    """Measure one graph; see `clgraph.quality`. The measures are cached with it."""

    def make() -> Measures:
        started = time.perf_counter()
        pack = Pack.of(dev, [measured_view(dev, graph)])
        if progress:
            progress("view")
        found = measure_all(pack, request, progress)[0]
        seconds = {"view": time.perf_counter() - started - sum(found.seconds.values()), **found.seconds}
        host = on_host(dev, found.vertices) if len(found.eigenvalues) else None
        return replace(found, notes=(*_notes(graph), *([host] if host else [])), seconds=seconds)

    return dev.cached(graph, ("measures", request), make)


def measure_all(
    pack: Pack, request: MeasureRequest, progress: Callable[[str], None] | None = None
) -> list[Measures]:
    """Measure several graphs on a device; the time is divided equally among their `seconds`."""
    seconds: dict[str, float] = {}
    last = time.perf_counter()

    def lap(phase: str) -> None:
        nonlocal last
        now = time.perf_counter()
        seconds[phase] = (now - last) / pack.count
        last = now
        if progress:
            progress(phase)

    degree_counts, products = degree_histograms(pack), degree_products(pack)
    lap("degrees")
    # the host fits degrees while the device goes on
    with thread_pool(1, "clgraph-fits") as pool:
        # not if the package does: it changes the filters of warnings, which all threads share
        early = pool.submit(_degree_fits, degree_counts, "own") if request.fit == "own" else None
        size_counts = component_sizes(pack)
        lap("components")
        corner_counts = find_corners(pack, count_triangles(pack.device, pack.graph))
        lap("triangles")
        core_counts = tally(pack, find_cores(pack.device, pack.graph))
        lap("cores")
        plots = hop_plots(pack, request.seed, request.sources)
        lap("hop plot")
        spectra = largest_eigenvalues(pack, request.eigenvalues)
        lap("eigenvalues")
        fits = early.result() if early else _degree_fits(degree_counts, request.fit)
    vertices = np.diff(pack.begin).tolist()
    counted = degree_counts, products, size_counts, corner_counts, core_counts
    found = []
    for n, degrees, product, sizes, corners, cores, hops, (eigenvalues, no_eigenvalues), (
        by_degree,
        by_rank,
    ) in zip(vertices, *counted, plots, spectra, fits, strict=True):
        m, pairs = int(degrees[0] @ degrees[1]) // 2, hops.pairs
        wedges = int((degrees[0] * (degrees[0] - 1) // 2) @ degrees[1])
        mixed, unmixed = assortativity(degrees, product)
        made = Measures(
            vertices=n,
            edges=m,
            average_degree=2 * m / n if n else None,
            density=2 * m / (n * (n - 1)) if n > 1 else None,
            largest_degree=int(degrees[0][-1]) if n else 0,
            components=int(sizes[1].sum()),
            largest_component=int(sizes[0][-1]) if n else 0,
            clustering=corners.mean(n) if n else None,
            transitivity=3 * corners.total / wedges if wedges else None,
            triangles=corners.total,
            assortativity=mixed,
            largest_core=int(cores[0][-1]) if n else 0,
            degree_exponent=by_degree,
            rank_exponent=by_rank,
            hop_plot_exponent=hop_exponent(pairs),
            eigen_exponent=eigen_exponent(eigenvalues, no_eigenvalues),
            effective_diameter=float(_effective_diameter(pairs[None])[0]) if m else None,
            effective_diameter_interval=_effective_diameter_interval(hops) if m else None,
            mean_distance=float(np.diff(pairs) @ np.arange(1, len(pairs)) / (pairs[-1] - n)) if m else None,
            diameter=len(pairs) - 1 if m else None,
            hop_plot_sources=hops.sources,
            hop_plot_exact=hops.exact,
            degree_histogram=degrees,
            hop_plot=pairs,
            eigenvalues=eigenvalues,
            clustering_by_degree=corners.by_degree(degrees),
            component_sizes=sizes,
            core_numbers=cores,
            local_clustering=corners.distribution(n),
            seconds=seconds,
        )
        made.reasons.update(_reasons(made, unmixed))
        found.append(made)
    lap("fits")
    return found


def _degree_fits(histograms: list[Histogram], fit: Fit) -> list[tuple[Exponent, Exponent]]:
    """Return degree and rank exponent of each graph."""
    # all graphs are fitted together: one call of SciPy's functions instead of one per graph
    positive = [with_neighbours(*each) for each in histograms]
    tails = likely_tails(positive) if fit == "own" else [packaged_tail(*each) for each in positive]
    return [degree_exponents(*each, tail) for each, tail in zip(positive, tails, strict=True)]


def _reasons(made: Measures, unmixed: str | None) -> dict[str, str]:
    """Return why measures are None, by their names."""
    empty, lonely = "the graph is empty: it has no vertices", "no vertex has a neighbour"
    reasons = {
        "average_degree": empty,
        "density": "one vertex: there are no pairs" if made.vertices else empty,
        "clustering": empty,
        "transitivity": "no vertex has two neighbours",
        "assortativity": str(unmixed),
        **dict.fromkeys(("effective_diameter", "mean_distance", "diameter"), lonely),
        "effective_diameter_interval": lonely if made.effective_diameter is None else "one batch of searches",
    }
    return {name: reason for name, reason in reasons.items() if getattr(made, name) is None}


def _effective_diameter(pairs: Floats) -> Floats:
    """Return where each hop plot, a row, reaches 90 % of its pairs of different vertices, interpolated."""
    apart = pairs - pairs[:, :1]
    goal = 0.9 * apart[:, -1]
    h, rows = np.argmax(apart >= goal[:, None], axis=1), np.arange(len(pairs))
    before = apart[rows, h - 1]
    return h - 1 + (goal - before) / (apart[rows, h] - before)


def _effective_diameter_interval(hops: HopPlot) -> tuple[float, float] | None:
    """Return its interval at 95 %: the jackknife (Tukey 1958) over the batches of searches."""
    (value,) = _effective_diameter(hops.pairs[None]).tolist()
    if hops.exact:
        return value, value
    if len(hops.without) < 2:
        return None
    from scipy.special import stdtrit

    # batches are of consecutive vertices, which differ more than random ones: the interval is rather wide
    others, count = _effective_diameter(hops.without), len(hops.without)
    error = float(np.sqrt((count - 1) / count * ((others - others.mean()) ** 2).sum()))
    half = float(stdtrit(count - 1, 0.975)) * error
    return max(value - half, 0.0), value + half


def _notes(graph: Graph) -> tuple[str, ...]:
    notes = []
    if graph.directed:
        notes.append("directed: measured without the arcs' directions")
    if loops := graph.num_self_loops:
        notes.append(f"{loops} self-loops left out")
    if parallel := graph.num_duplicates:
        notes.append(f"{parallel} parallel edges counted once with the edge that they repeat")
    return tuple(notes)
