"""Histograms over the vertices of several graphs: degrees, component sizes, clustering.

Host half of ``cl/measures/tally.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.components.finder import graph_components
from clgraph.csr.scan import flag_positions
from clgraph.csr.sort import sort_by_words
from clgraph.measures.pack import Pack, spread

# most vertices have a smaller value
BINS = 256
# sums on the device wrap around at this
WIDE = 2**64

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
# the values that occur, ascending, and how many vertices have each
Histogram = tuple[Ints, Ints]


def tally(pack: Pack, value: Any, *, bins: int = BINS) -> list[Histogram]:
    """Count the values that occur in each graph, and how many vertices have each.

    Parameters
    ----------
    pack : Pack
    value : int32 device buffer, shape (n,)
        0 or more, and below the number of the graph's vertices; negative ones are not counted.
    bins : int
        Values below it are counted in local memory first.
    """
    device, n, program = pack.device, pack.csr.n, pack.program("tally", BINS=bins)
    if not n:
        return [(np.zeros(0, np.int64), np.zeros(0, np.int64))] * pack.count
    table, flag = device.zeros(n, np.uint32), device.empty(n, np.uint8)
    size, local = spread(device, program.tally_count, pack.count)
    program.tally_count.exact(size, begin=pack.begins, value=value, table=table, local=local)
    program.tally_flags(pack.passes(), n=n, table=table, flag=flag)
    place, found = flag_positions(device, flag, n)
    where, count = device.empty(found, np.int32), device.empty(found, np.uint32)
    program.tally_gather(pack.passes(), n=n, table=table, place=place, where=where, count=count)
    index = device.download(where, np.int32, found).astype(np.int64)
    times = device.download(count, np.uint32, found).astype(np.int64)
    ends = np.searchsorted(index, pack.begin)
    return [
        (index[first:end] - base, times[first:end])
        for base, (first, end) in zip(pack.begin[:-1], pairwise(ends), strict=True)
    ]


def degree_histograms(pack: Pack, *, bins: int = BINS) -> list[Histogram]:
    """Count the degrees that occur in each graph, and the vertices of each."""
    n = pack.csr.n
    value = pack.device.empty(n, np.int32)
    kernel = pack.program("tally", BINS=bins).tally_degrees
    kernel(pack.passes(), n=n, row_ptr=pack.csr.row_ptr, value=value)
    return tally(pack, value, bins=bins)


def component_sizes(pack: Pack) -> list[Histogram]:
    """Count the components in each graph by their sizes, ascending."""
    n, value = pack.csr.n, pack.device.empty(pack.csr.n, np.int32)
    if not n:
        return tally(pack, value)
    components = graph_components(pack.device, pack.graph)
    label = components.largest().label
    # a size less one is below n, as a counted value must be
    less_one = components.sizes_less_one(label)
    kernel = pack.program("tally", BINS=BINS).tally_sizes
    kernel(pack.passes(), n=n, label=label, less_one=less_one, value=value)
    return [(sizes + 1, counts) for sizes, counts in tally(pack, value)]


# --- Correlation of the degrees of neighbours ---


def degree_products(pack: Pack) -> list[int]:
    """Sum up the products of the degrees at both ends of each graph's arcs, modulo 2**64."""
    device, csr = pack.device, pack.csr
    if not csr.arcs:
        return [0] * pack.count
    total = device.zeros(pack.count, np.uint64)
    kernel = pack.program("tally", BINS=BINS).mixing_sums
    size, local = spread(device, kernel, pack.count)
    kernel.exact(size, local=local, begin=pack.begins, **csr.buffers, sum=total)
    return device.download(total, np.uint64, pack.count).tolist()


def assortativity(degrees: Histogram, products: int) -> tuple[float | None, str | None]:
    """Return Pearson's correlation of the degrees at the two ends of an edge, or why there is none.

    Parameters
    ----------
    degrees : (degrees, vertices)
    products : int
        As `degree_products` gives it.
    """
    degree, count = degrees
    # integers of any size where 64 bits are too few
    if int(degree.max(initial=0)) ** 3 * int(count.sum()) >= WIDE // 2:
        degree = degree.astype(object)
    first, second, third = (int(degree**power @ count) for power in (1, 2, 3))
    if not first:
        return None, "no vertex has a neighbour"
    # an upper bound of the sum of products
    if third >= WIDE:
        return None, "the degrees are too large for a sum of 64 bits"
    spread_ = first * third - second * second
    if not spread_:
        return None, "all ends of edges have the same degree"
    # exact integers, so this rounds only once
    return (first * products - second * second) / spread_, None


# --- Local clustering, summed up by degree and triangles ---

# words of `corners_words`
TRIANGLES, TRIANGLES_HIGH, DEGREE, GRAPH = range(4)


@dataclass(frozen=True)
class Corners:
    """The vertices of a graph that are in some triangle, by degree and triangles.

    Attributes
    ----------
    degree, triangles, vertices : int64 arrays
        Pairs that occur, ascending, and how many vertices have each.
    """

    degree: Ints
    triangles: Ints
    vertices: Ints

    @property
    def total(self) -> int:
        """Number of triangles."""
        return int(self.triangles @ self.vertices) // 3

    @property
    def local(self) -> Floats:
        """The local clustering coefficient of each pair."""
        return self.triangles / (self.degree * (self.degree - 1) // 2)

    def distribution(self, n: int) -> tuple[Floats, Ints]:
        """Return the local coefficients that occur among `n` vertices, ascending, and how many have each."""
        values, which = np.unique(self.local, return_inverse=True)
        counts = np.bincount(which, weights=self.vertices, minlength=len(values)).astype(np.int64)
        if rest := n - int(self.vertices.sum()):
            values, counts = np.append(0.0, values), np.append(rest, counts)
        return values, counts

    def mean(self, n: int) -> float:
        """Return the mean local coefficient of `n` vertices."""
        return float((self.local * self.vertices).sum()) / n

    def by_degree(self, degrees: Histogram) -> Floats:
        """Return the mean local coefficient of the vertices of each degree of a histogram."""
        place = np.searchsorted(degrees[0], self.degree)
        sums = np.bincount(place, weights=self.local * self.vertices, minlength=len(degrees[0]))
        return sums / degrees[1]


def find_corners(pack: Pack, count: Any) -> list[Corners]:
    """Find the pairs that occur in each graph.

    Parameters
    ----------
    pack : Pack
    count : int64 device buffer, shape (n,)
        Triangles that each vertex is a corner of.
    """
    device, csr, program = pack.device, pack.csr, pack.program("tally", BINS=BINS)
    flag, most = device.empty(csr.n, np.uint8), device.zeros(2, np.uint32)
    program.corners_flags(pack.passes(), n=csr.n, count=count, flag=flag, most=most)
    place, k = flag_positions(device, flag, csr.n)
    if not k:
        return [Corners(*[np.zeros(0, np.int64)] * 3)] * pack.count
    listed = device.empty(k, np.int32)
    program.corners_list(pack.passes(), n=csr.n, flag=flag, place=place, list=listed)
    low, high = device.download(most, np.uint32, 2).tolist()
    widths = [
        (TRIANGLES, 32 if high else low.bit_length()),
        (TRIANGLES_HIGH, high.bit_length()),
        (DEGREE, csr.n.bit_length()),
        (GRAPH, (pack.count - 1).bit_length()),
    ]
    passes = pack.passes(k)
    rows = {"k": k, "row_ptr": csr.row_ptr, "count": count, "list": listed}
    graphs = {"graphs": pack.count, "begin": pack.begins}
    order = sort_by_words(device, program.corners_words, k, widths, rows | graphs)
    flag = device.empty(k, np.uint8)
    program.corners_change(passes, **rows, **graphs, order=order, flag=flag)
    place, pairs = flag_positions(device, flag, k)
    made = {name: device.empty(pairs, np.int32) for name in ("position", "vertex", "degree")}
    times = device.empty(pairs, np.int64)
    program.corners_take(passes, **rows, order=order, flag=flag, place=place, **made, triangles=times)
    position, vertex, degree = (
        device.download(each, np.int32, pairs).astype(np.int64) for each in made.values()
    )
    columns = degree, device.download(times, np.int64, pairs), np.diff(position, append=k)
    owner = np.searchsorted(pack.begin, vertex, side="right") - 1
    ends = np.searchsorted(owner, np.arange(pack.count + 1))
    return [Corners(*(column[first:end] for column in columns)) for first, end in pairwise(ends)]
