"""Samples of several runs as bits: a bit for each vertex, and for each edge where they are not induced.

Host half of ``cl/sampling/packed.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.parts import DeviceCSR, Joined
from clgraph.csr.scan import running_sums
from clgraph.csr.upload import upload_csr
from clgraph.graph import Graph
from clgraph.graph.building import exclusive_sums, stable_argsort
from clgraph.lazy import lazy
from clgraph.sampling.selection import Mask, Selection

if TYPE_CHECKING:
    from clgraph.device import Device

Bits = npt.NDArray[np.uint32]
PIECE = 1 << 28  # arcs that are cut out together
Slot = tuple[int, int]  # a run, and the number of a target


class Words:
    """Bits of samples, on the device that made them until they are looked at.

    Parameters
    ----------
    device : Device
    buffer : `Device.output` buffer
    shape : tuple of int
    dtype : type
        Bits are uint32 words; groups are int32.
    """

    def __init__(self, device: Device, buffer: Any, shape: tuple[int, ...], dtype: type = np.uint32) -> None:
        self._held: tuple[Device, Any] | None = (device, buffer)
        self._shape, self._dtype = shape, dtype
        if device.shares_memory:  # the buffer is a host array already
            self.array = device.take(buffer, dtype, prod(shape)).reshape(shape)
            self._held = None

    @lazy
    def array(self) -> npt.NDArray[Any]:
        """The words on the host; what the device has is given back."""
        held = self._held
        if held is None:  # another thread was faster
            return self.array
        with held[0].alone():
            if "array" in self.__dict__:
                return self.array
            found = held[0].take(held[1], self._dtype, prod(self._shape)).reshape(self._shape)
        self.__dict__.setdefault("array", found)
        self._held = None
        return found

    def there(self, device: Device) -> Any:
        """The words in a buffer on a device."""
        held = self._held
        return held[1] if held is not None and held[0] is device else device.upload(self.array)

    def __getstate__(self) -> dict[str, Any]:
        return {"array": self.array, "_held": None, "_shape": self._shape, "_dtype": self._dtype}


class Selections(Selection):
    """What runs side by side chose of a graph, for some targets, decreasing; `at` is a `Slot`.

    Attributes
    ----------
    counts : int32 array, shape (runs, targets, 3)
        Vertices, edges, and batches or probes.
    whole : int
        Vertices of the graph's largest component.
    """

    counts: npt.NDArray[np.int32]
    whole: int

    def leave(self) -> None:
        """Give back what it has of the device's memory."""
        self.download()


@dataclass(frozen=True)
class Bitsets(Selections):
    """What runs chose of a graph, as bits.

    Attributes
    ----------
    member : uint32 words, shape (runs, targets, ceil(n / 32))
        A bit for each vertex; targets decrease.
    edges : uint32 words, shape (runs, targets, ceil(m / 32)), or None
        A bit for each edge u < v; None: the edges between members.
    counts : int32 array, shape (runs, targets, 3)
        Vertices, edges, and thresholds probed.
    whole : int
        Vertices of the graph's largest component.
    """

    member: Words
    edges: Words | None
    counts: npt.NDArray[np.int32]
    whole: int

    def download(self) -> None:
        for words in (self.member, self.edges):
            if words is not None:
                words.array  # noqa: B018

    def members(self, graph: Graph, at: Any = (0, 0)) -> Mask:
        return unpacked(self.member.array[at], graph.num_vertices)

    def kept(self, graph: Graph, at: Any = (0, 0)) -> Mask:
        simple = graph.undirected.without_self_loops
        if self.edges is not None:
            return both_arcs(simple, unpacked(self.edges.array[at], simple.num_edges))
        members = self.members(graph, at)
        arcs = np.repeat(members, simple.degrees)
        arcs &= members[simple.col_idx]
        return arcs

    def joined(self, device: Device, graph: Graph, which: list[Slot]) -> list[tuple[list[int], Joined]]:
        simple = graph.undirected.without_self_loops
        if simple.is_multigraph or not device.has_compiler:
            return []
        pieces: list[list[int]] = []
        room = 0
        for k, at in enumerate(which):
            arcs = 2 * int(self.counts[at][1])
            room -= arcs
            if room < 0 or not pieces:
                pieces.append([])
                room = PIECE - arcs
            pieces[-1].append(k)
        return [(some, cut_out(device, simple, self, [which[k] for k in some])) for some in pieces]


def cut_out(device: Device, graph: Graph, chosen: Bitsets, which: list[Slot]) -> Joined:
    """Samples as graphs on a device; does not wait.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected and simple.
    chosen : Bitsets
    which : list of (run, target's number)
    """
    csr, items = upload_csr(device, graph), device.tuning.items
    targets, samples = chosen.counts.shape[1], len(which)
    words, edge_words = -(-csr.n // 32), -(-csr.arcs // 2 // 32)
    sizes = chosen.counts[tuple(np.array(which, np.intp).reshape(-1, 2).T)].astype(np.int64)
    begin = np.append(*exclusive_sums(sizes[:, 0]))
    arcs = np.append(*exclusive_sums(2 * sizes[:, 1]))
    n, total = int(begin[-1]), int(arcs[-1])
    device.reserve({"samples": 8 * samples * words + 8 * n + 4 * total})
    member = chosen.member.there(device)
    kept = None if chosen.edges is None else chosen.edges.there(device)
    of = device.upload(np.array([run * targets + slot for run, slot in which], np.int32))
    edge = None if kept is None else edge_numbers(device, graph)
    program = device.program("sampling/packed", ITEMS=items, **csr.defines)
    count = device.empty(samples * words, np.int32)
    program.packed_count((-(-words // items), samples), words=words, of=of, member=member, count=count)
    before = running_sums(device, count, samples * words, into=np.int32)
    length = device.empty(n, np.int32)
    passes = (-(-csr.n // items), samples)
    sizes_of = {"n": csr.n, "words": words, "edge_words": edge_words, "of": of}
    bits = {"edge": edge, "member": member, "kept": kept, "before": before}
    program.packed_lengths(passes, **sizes_of, **csr.buffers, **bits, length=length)
    row_ptr, col_idx = running_sums(device, length, n, into=np.int32), device.output(total, np.int32)
    program.packed_fill(passes, **sizes_of, **csr.buffers, **bits, into_ptr=row_ptr, into_idx=col_idx)
    return Joined(DeviceCSR(n, total, row_ptr, col_idx, np.int32), begin, arcs)


def edge_numbers(device: Device, graph: Graph) -> Any:
    """For each arc of a simple graph the number of its edge u < v, in index order; on the device, kept."""

    def make() -> Any:
        return device.upload(both_arcs(graph, np.arange(graph.num_edges, dtype=np.int32)))

    return device.cached(graph, "edge numbers", make)


def unpacked(words: Bits, count: int) -> Mask:
    """The first `count` bits, each word's lowest one first."""
    little = words.astype("<u4", copy=False).view(np.uint8)
    return np.unpackbits(little, bitorder="little", count=count).view(np.bool_)


def both_arcs(graph: Graph, edges: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """What the edges u < v (in index order) have, for each arc of a graph without loops."""
    tail, head = graph.tails, graph.col_idx
    upper = tail < head
    arcs = np.empty(len(head), edges.dtype)
    arcs[upper] = edges
    lower = np.flatnonzero(~upper)
    arcs[lower[stable_argsort(head[lower])]] = edges
    return arcs
