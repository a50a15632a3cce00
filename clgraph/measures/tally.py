"""How often each value occurs among the vertices of several graphs: host half of ``cl/measures/tally.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.components.finder import graph_components
from clgraph.csr.scan import running_sums
from clgraph.measures.pack import Pack, spread

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Graph


BINS = 256  # most vertices have a smaller value

Ints = npt.NDArray[np.int64]
Histogram = tuple[Ints, Ints]  # the values that occur, ascending, and how many vertices have each


def _program(pack: Pack, bins: int = BINS) -> Program:
    return pack.device.program(
        "measures/tally", BINS=bins, ITEMS=pack.device.tuning.items, **pack.csr.defines
    )


def tally(pack: Pack, value: Any, *, bins: int = BINS) -> list[Histogram]:
    """The values that occur in each graph, and how many vertices have each.

    Parameters
    ----------
    pack : Pack
    value : int32 device buffer, shape (n,)
        0 or more, and below the number of the graph's vertices; negative ones are not counted.
    bins : int
        Values below it are counted in local memory first.
    """
    device, n, program = pack.device, pack.csr.n, _program(pack, bins)
    if not n:
        return [(np.zeros(0, np.int64), np.zeros(0, np.int64))] * pack.count
    table, flag = device.zeros(n, np.uint32), device.empty(n, np.uint8)
    size, local = spread(device, program.tally_count, pack.count)
    program.tally_count.exact(size, begin=pack.begins, value=value, table=table, local=local)
    program.tally_flags(pack.passes(), n=n, table=table, flag=flag)
    place = running_sums(device, flag, n, of=np.uint8, into=np.int32)
    found = int(device.download(place, np.int32, 1, offset=n)[0])
    where, count = device.empty(found, np.int32), device.empty(found, np.uint32)
    program.tally_gather(pack.passes(), n=n, table=table, place=place, where=where, count=count)
    index = device.download(where, np.int32, found).astype(np.int64)
    times = device.download(count, np.uint32, found).astype(np.int64)
    ends = np.searchsorted(index, pack.begin)
    return [
        (index[first:end] - base, times[first:end])
        for base, first, end in zip(pack.begin[:-1], ends[:-1], ends[1:], strict=True)
    ]


def degree_histograms(pack: Pack, *, bins: int = BINS) -> list[Histogram]:
    """The degrees that occur in each graph, and the number of vertices of each."""
    n = pack.csr.n
    value = pack.device.empty(n, np.int32)
    _program(pack, bins).tally_degrees(pack.passes(), n=n, row_ptr=pack.csr.row_ptr, value=value)
    return tally(pack, value, bins=bins)


def degree_histogram(device: Device, graph: Graph, *, bins: int = BINS) -> Histogram:
    """As `degree_histograms`, of one simple graph."""
    return degree_histograms(Pack.of_one(device, graph), bins=bins)[0]


def component_sizes(pack: Pack) -> list[Histogram]:
    """The sizes of the components in each graph, ascending, and the number of components of each size."""
    n = pack.csr.n
    if not n:
        return [(np.zeros(0, np.int64), np.zeros(0, np.int64))] * pack.count
    components = graph_components(pack.device, pack.graph)
    label, value = components.largest().label, pack.device.empty(n, np.int32)
    less_one = components.finder.sizes_less_one(label)
    _program(pack).tally_sizes(pack.passes(), n=n, label=label, less_one=less_one, value=value)
    return [(sizes + 1, counts) for sizes, counts in tally(pack, value)]


# --- Correlation of the degrees of neighbours: host half of ``cl/measures/mixing.cl`` ---


WIDE = 2**64


def degree_products(pack: Pack) -> list[int]:
    """For each graph the sum over all arcs of the product of their ends' degrees, modulo 2**64."""
    device, csr = pack.device, pack.csr
    if not csr.arcs:
        return [0] * pack.count
    total = device.zeros(pack.count, np.uint64)
    kernel = device.program("measures/mixing", **csr.defines).mixing_sums
    size, local = spread(device, kernel, pack.count)
    kernel.exact(size, local=local, begin=pack.begins, **csr.buffers, sum=total)
    return device.download(total, np.uint64, pack.count).tolist()


def assortativity(degrees: Histogram, products: int) -> tuple[float | None, str | None]:
    """Pearson's correlation of the degrees at the two ends of an edge, or why there is none.

    Parameters
    ----------
    degrees : (degrees, vertices)
    products : int
        As `degree_products` gives it.
    """
    first, second, third = (
        sum(d**power * count for d, count in zip(*(each.tolist() for each in degrees), strict=True))
        for power in (1, 2, 3)
    )
    if not first:
        return None, "no vertex has a neighbour"
    if third >= WIDE:  # more than the sum of products can be
        return None, "the degrees are too large for a sum of 64 bits"
    spread_ = first * third - second * second
    if not spread_:
        return None, "all ends of edges have the same degree"
    return (first * products - second * second) / spread_, None  # of integers: rounded once
