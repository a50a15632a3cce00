"""Local clustering, summed up by degree and triangles: host half of ``cl/measures/corners.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.measures.pack import Pack
from clgraph.measures.tally import Histogram

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
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
        """The local coefficients that occur among `n` vertices, ascending, and how many have each."""
        values, which = np.unique(self.local, return_inverse=True)
        counts = np.bincount(which, weights=self.vertices, minlength=len(values)).astype(np.int64)
        if rest := n - int(self.vertices.sum()):
            values, counts = np.append(0.0, values), np.append(rest, counts)
        return values, counts

    def mean(self, n: int) -> float:
        """The mean local coefficient of `n` vertices."""
        return float((self.local * self.vertices).sum()) / n

    def by_degree(self, degrees: Histogram) -> Floats:
        """The mean local coefficient of the vertices of each degree of a histogram."""
        place = np.searchsorted(degrees[0], self.degree)
        sums = np.bincount(place, weights=self.local * self.vertices, minlength=len(degrees[0]))
        return sums / degrees[1]


def find_corners(pack: Pack, count: Any) -> list[Corners]:
    """The pairs that occur in each graph.

    Parameters
    ----------
    pack : Pack
    count : int64 device buffer, shape (n,)
        Triangles that each vertex is a corner of.
    """
    device, csr = pack.device, pack.csr
    none = np.zeros(0, np.int64)
    program = device.program("measures/corners", ITEMS=device.tuning.items, **csr.defines)
    flag, most = device.empty(csr.n, np.uint8), device.zeros(2, np.uint32)
    program.corners_flags(pack.passes(), n=csr.n, count=count, flag=flag, most=most)
    place = running_sums(device, flag, csr.n, of=np.uint8, into=np.int32)
    k = int(device.download(place, np.int32, 1, offset=csr.n)[0])
    if not k:
        return [Corners(none, none, none)] * pack.count
    listed = device.empty(k, np.int32)
    program.corners_list(pack.passes(), n=csr.n, flag=flag, place=place, list=listed)
    low, high = device.download(most, np.uint32, 2).tolist()
    widths = {
        TRIANGLES: low.bit_length() if not high else 32,
        TRIANGLES_HIGH: high.bit_length(),
        DEGREE: csr.n.bit_length(),
        GRAPH: (pack.count - 1).bit_length(),
    }
    passes, order = pack.passes(k), None
    rows = {"k": k, "row_ptr": csr.row_ptr, "count": count, "list": listed}
    graphs = {"graphs": pack.count, "begin": pack.begins}
    for by, bits in widths.items():
        if bits:
            key = device.empty(k, np.uint32)
            program.corners_key(passes, **rows, **graphs, by=by, order=order, key=key)
            _, order = sort_by_key(device, key, k, bits, order)
    flag = device.empty(k, np.uint8)
    program.corners_change(passes, **rows, **graphs, order=order, flag=flag)
    place = running_sums(device, flag, k, of=np.uint8, into=np.int32)
    pairs = int(device.download(place, np.int32, 1, offset=k)[0])
    made = {name: device.empty(pairs, np.int32) for name in ("position", "vertex", "degree")}
    times = device.empty(pairs, np.int64)
    program.corners_take(passes, **rows, order=order, flag=flag, place=place, **made, triangles=times)
    position, vertex, degree = (
        device.download(each, np.int32, pairs).astype(np.int64) for each in made.values()
    )
    triangles = device.download(times, np.int64, pairs)
    vertices = np.diff(position, append=k)
    ends = np.searchsorted(pack.owner(vertex), np.arange(pack.count + 1))
    return [
        Corners(degree[first:end], triangles[first:end], vertices[first:end]) for first, end in pairwise(ends)
    ]
