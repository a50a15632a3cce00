"""Correlation of the degrees of neighbours: host half of ``cl/measures/mixing.cl``."""

from __future__ import annotations

import numpy as np

from clgraph.measures.pack import Pack
from clgraph.measures.spread import spread
from clgraph.measures.tally import Histogram

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
