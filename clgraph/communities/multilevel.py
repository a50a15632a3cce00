"""Communities by the Louvain and Leiden methods."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.arguments import flag, hints, real, shown
from clgraph.communities.levels import INT_MAX, STEPS, Level, Search
from clgraph.components.finder import all_sizes, graph_components
from clgraph.csr.upload import upload_csr
from clgraph.errors import CapacityError, InputError
from clgraph.graph import Graph, as_graph
from clgraph.graph.frames import Labelled
from clgraph.results import Arrays, on_device
from clgraph.run import run_on

if TYPE_CHECKING:
    from clgraph.device import Device

LARGEST_RESOLUTION = 1024
WIDE = 2**40  # above all weights together: a gain then fits into 128 bits


@dataclass(frozen=True, repr=False)
class Partition(Labelled):
    """The vertices of a graph in communities, numbered by decreasing size.

    Attributes
    ----------
    labels : int32 array, shape (n,)
        Community of each vertex: 0 is the largest; among equally large ones the one with the smallest vertex
        comes first. (With ``arrays="device"`` a ``pyopencl.array.Array``.)
    sizes : int64 array, shape (count,)
        Vertices of each community, descending.
    modularity : float
        At this resolution; nan if the graph has no weight.
    levels : int
        Graphs whose vertices were moved, one inside the other: that given, and those of communities.
    resolution : float
        As it was used: the nearest multiple of 1/1024.
    seconds : dict of float
        Time by phase: "upload", "communities" and "total".
    device : str
        Name of the device.
    """

    labels: npt.NDArray[np.int32]
    sizes: npt.NDArray[np.int64]
    modularity: float
    levels: int
    resolution: float = 1.0
    seconds: dict[str, float] = field(default_factory=dict)
    device: str = ""
    GROUP = "community"

    def _facts(self) -> dict[str, Any]:
        return {
            "communities": self.count,
            "modularity": self.modularity,
            "vertices": int(self.sizes.sum()),
            "largest": self._largest(),
            "levels": self.levels,
            "device": self.device,
        }


@keyed.takes_rng
@hints
def louvain(
    graph: Any,
    *,
    resolution: float = 1.0,
    seed: int = 0,
    rng: keyed.Rng | None = None,
    weight: bool = True,
    arrays: Arrays = "host",
    device: Device | str | None = None,
) -> Partition:
    """Find communities of high modularity by the Louvain method [1]_.

    Vertices move to the neighbouring community of the largest gain, communities become the vertices of a
    smaller graph, and so on until nothing moves. This is repeated from the communities that were found while
    it gains 0.001; then parts of communities become the vertices, as in `leiden`, so that these can still
    change. In the end single vertices of the graph itself move until no move to the community of a
    neighbour gains anything. Vertices decide in an order drawn by the seed, a slice at a time, and gains are
    compared as exact integers: a seed gives the same communities on every device.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
        Taken as undirected: arcs each way between two vertices add up.
    resolution : float
        From 1/1024 to 1024, rounded to a multiple of 1/1024: what is larger favours smaller communities [2]_.
    seed : int
    rng : int, SeedSequence, Generator or BitGenerator, optional
        Gives the seed instead.
    weight : bool
        Count edges by their weights, at least 0; without weights (or with False) merged parallel edges count
        as often as they appear in the input. Whole weights with a sum below 2^39 are exact; others become
        integers with a sum of about 2^38.
    arrays : {"host", "device"}
        "device": the labels stay there, as ``pyopencl.array.Array``.
    device : Device or str, optional
        As in `clgraph.get_device`.

    Returns
    -------
    Partition
        Its communities need not be connected.

    Raises
    ------
    InputError
        If it is no graph, a weight is negative or not finite, or an argument is not as above.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it (it takes about 60 bytes for each arc in addition
        to the graph).

    References
    ----------
    .. [1] V. D. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre, "Fast unfolding of communities in large
       networks", J. Stat. Mech. P10008, 2008.
    .. [2] J. Reichardt, S. Bornholdt, "Statistical mechanics of community detection", Phys. Rev. E 74, 2006.

    Examples
    --------
    >>> from clgraph import Graph, louvain
    >>> found = louvain(Graph.from_edges([0, 1, 2, 2, 3, 4, 5], [1, 2, 0, 3, 4, 5, 3]))
    >>> found.labels, round(found.modularity, 6)
    (array([0, 0, 0, 1, 1, 1], dtype=int32), 0.357143)
    """
    return _communities("louvain", graph, resolution, seed, weight, arrays, device)


@keyed.takes_rng
@hints
def leiden(
    graph: Any,
    *,
    resolution: float = 1.0,
    seed: int = 0,
    rng: keyed.Rng | None = None,
    weight: bool = True,
    arrays: Arrays = "host",
    device: Device | str | None = None,
) -> Partition:
    """Find connected communities of high modularity by the Leiden method [1]_.

    Like `louvain`, but what becomes a vertex of the next graph is a part of a community: vertices that are
    alone join others of their community, greedily by gain, and never leave again. The next graph's vertices
    begin in the communities found before. In the end each connected part of a community is one of its own,
    and no move of a vertex to the community of a neighbour gains anything. The original draws joins by
    probabilities exp(gain / theta), and tests how well parts are connected before it joins them: this does
    neither.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
        As for `louvain`.
    resolution, seed, rng, weight, arrays, device
        As for `louvain`.

    Returns
    -------
    Partition
        Its communities are connected.

    Raises
    ------
    InputError, DeviceError, BuildError, CapacityError
        As `louvain` does.

    References
    ----------
    .. [1] V. A. Traag, L. Waltman, N. J. van Eck, "From Louvain to Leiden: guaranteeing well-connected
       communities", Scientific Reports 9, 2019.

    Examples
    --------
    >>> from clgraph import Graph, leiden
    >>> leiden(Graph.from_edges([0, 1, 2, 2, 3, 4, 5], [1, 2, 0, 3, 4, 5, 3])).sizes
    array([3, 3])
    """
    return _communities("leiden", graph, resolution, seed, weight, arrays, device)


def _communities(
    method: str, graph: Any, resolution: Any, seed: Any, weight: Any, arrays: Any, device: Any
) -> Partition:
    """Check the arguments of a call, and search."""
    stays = on_device(arrays)
    steps, seed, weight = check_resolution(resolution), keyed.check_seed(seed), flag(weight, "weight")
    whole = as_graph(graph)
    run = run_on(device)
    with run.lock, run:
        dev, n = run.device, whole.num_vertices
        if whole.num_arcs > INT_MAX // 2:
            raise CapacityError(f"{dev}: {method} takes graphs of up to 2^30 arcs, not {whole.num_arcs}")
        view = whole.undirected
        values = dev.cached(view, ("whole weights", weight), lambda: whole_weights(view, weight))
        if not n:  # engines want a vertex
            label, sizes, quality, levels = dev.empty(0, np.int32), np.empty(0, np.int64), float("nan"), 0
        else:
            bottom = Level.of(dev, upload_csr(dev, view), values)
            run.lap("upload")
            search = Search(dev, steps, seed, bottom, method == "leiden")
            quality, levels = search.run()
            label = search.roots(bottom, search.label)[0]
            finder = graph_components(dev, view)
            finder.sample(label)
            sizes = all_sizes(finder.rank(label), n)
            dev.finish()
            run.lap("communities")
        labels = dev.array(label, np.int32, n) if stays else dev.download(label, np.int32, n)
        return Partition(
            labels, sizes, quality, levels, steps / STEPS, run.seconds, dev.name, provenance=run.provenance
        )


def check_resolution(resolution: Any) -> int:
    """Return the resolution in units of 1 / STEPS."""
    value = real(resolution, "resolution")
    if not 1 / STEPS <= value <= LARGEST_RESOLUTION:
        raise InputError(
            f"resolution is {shown(resolution)}: use a number from 1/{STEPS} to {LARGEST_RESOLUTION} "
            "(1 is usual)"
        )
    return round(value * STEPS)


def whole_weights(graph: Graph, weight: bool) -> npt.NDArray[np.int64] | None:
    """Return the weights of the arcs of an undirected graph as integers; None where all are 1.

    Raises
    ------
    InputError
        If a weight is negative or not finite.
    CapacityError
        If there are too many parallel edges.
    """
    if not weight or graph.weights is None:
        counts = graph.multiplicity
        if counts is None:
            return None
        # self-loops count twice
        if (total := 2 * int(counts.sum(dtype=np.int64))) >= WIDE:
            raise CapacityError(
                f"the graph has {total // 4} edges with parallel ones, and communities count fewer than "
                "2^38: give the edges weights, which are scaled"
            )
        return counts.astype(np.int64)
    given = graph.weights
    bad = ~(np.isfinite(given) & (given >= 0))
    if bad.any():
        at = int(np.argmax(bad))
        tail = int(np.searchsorted(graph.row_ptr, at, side="right")) - 1
        raise InputError(
            f"the weight of the edge {graph.ids[tail]} -- {graph.ids[graph.col_idx[at]]} is {given[at]}: "
            "communities need finite weights that are not negative (weight=False ignores them)"
        )
    largest = float(given.max(initial=0))
    if not largest:
        return np.zeros(len(given), np.int64)
    # a sum of rounded values below 2^31 is exact, so that the scale does not depend on the order of a sum
    exponent = 30 - int(np.frexp(largest)[1])
    total = int(np.rint(np.ldexp(given, exponent)).astype(np.int64).sum())
    if largest < WIDE and (given == np.rint(given)).all():
        whole = given.astype(np.int64)
        # self-loops count twice
        if len(whole) * largest < 2**62 and 2 * int(whole.sum()) < WIDE:
            return whole
    return np.rint(np.ldexp(given, exponent + 38 - total.bit_length())).astype(np.int64)
