"""Samples of several runs as bits: a bit for each vertex, and for each edge where they are not induced.

Host half of ``cl/sampling/packed.cl``.
"""

from __future__ import annotations

import copyreg
from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import prod
from time import perf_counter
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from clgraph.csr.parts import DeviceCSR, Joined
from clgraph.csr.scan import running_sums
from clgraph.csr.upload import upload_csr
from clgraph.graph import Graph
from clgraph.graph.building import exclusive_sums, stable_argsort
from clgraph.lazy import lazy
from clgraph.sampling.options import Size
from clgraph.sampling.request import Request
from clgraph.sampling.result import Left, Sample, SomeLeft, extract
from clgraph.sampling.samples import collapsed, notes_of
from clgraph.sampling.sequence import Facts, Made, Portion

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


class Runs(ABC):
    """What runs left of a graph.

    Attributes
    ----------
    counts : int32 array, shape (runs, targets, 3)
        Vertices, edges, and batches or probes; targets decrease.
    whole : int
        Vertices of the graph's largest component.
    """

    counts: npt.NDArray[np.int32]
    whole: int
    needs_device = False  # to make a sample of it

    @abstractmethod
    def download(self) -> None:
        """Bring it to the host."""

    @abstractmethod
    def leave(self) -> None:
        """Give back what it has of the device's memory."""

    @abstractmethod
    def members(self, graph: Graph, at: Slot) -> npt.NDArray[np.bool_]:
        """Which vertices a sample has."""

    @abstractmethod
    def cut(self, graph: Graph, at: Slot) -> tuple[Graph, SomeLeft]:
        """A sample as a graph, and what is left of the original."""

    @abstractmethod
    def joined(self, device: Device, graph: Graph, which: list[Slot]) -> list[tuple[list[int], Joined]]:
        """As `Portion.joined`, of samples by their places in `which`."""


@dataclass(frozen=True)
class Packed(Runs):
    """What runs left of a graph, as bits.

    Attributes
    ----------
    member : uint32 words, shape (runs, targets, ceil(n / 32))
        A bit for each vertex; targets decrease.
    kept : uint32 words, shape (runs, targets, ceil(m / 32)), or None
        A bit for each edge u < v; None: the edges between members.
    counts : int32 array, shape (runs, targets, 3)
        Vertices, edges, and thresholds probed.
    whole : int
        Vertices of the graph's largest component.
    """

    member: Words
    kept: Words | None
    counts: npt.NDArray[np.int32]
    whole: int

    def download(self) -> None:
        """Bring the bits to the host."""
        for words in (self.member, self.kept):
            if words is not None:
                words.array  # noqa: B018

    leave = download

    def members(self, graph: Graph, at: Slot) -> npt.NDArray[np.bool_]:
        return unpacked(self.member.array[at], graph.num_vertices)

    def cut(self, graph: Graph, at: Slot) -> tuple[Graph, SomeLeft]:
        simple, members = graph.undirected.simple, self.members(graph, at)
        if self.kept is None:
            arcs = np.repeat(members, simple.degrees)
            arcs &= members[simple.col_idx]
        else:
            arcs = both_arcs(simple, unpacked(self.kept.array[at], simple.num_edges))
        return extract(graph, members, arcs)[0], Left(members, arcs)

    def joined(self, device: Device, graph: Graph, which: list[Slot]) -> list[tuple[list[int], Joined]]:
        simple = graph.undirected.simple
        if simple.has_copies or not device.has_compiler:
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


class SamplesOfRuns(Portion):
    """The samples of some runs: each is made when it is first asked for.

    Parameters
    ----------
    graph : Graph
        The original.
    options : Request
    first : int
        The first run's seed.
    wanted : list of (size, target)
    targets : list of int
        The different ones, decreasing.
    packed : Runs
        For each run these targets.
    way : str
        For `Sample.way`.
    about : dict
        `device`, `seconds`, `kernels` and `built` of every sample.
    """

    def __init__(
        self,
        graph: Graph,
        options: Request,
        first: int,
        wanted: list[tuple[Size, int]],
        targets: list[int],
        packed: Runs,
        way: str,
        about: dict[str, Any],
    ) -> None:
        self._graph, self._options, self._first, self._wanted = graph, options, first, wanted
        self._packed, self._way, self.about = packed, way, about
        self._slots = [targets.index(target) for _, target in wanted]
        self._made: WeakValueDictionary[int, Sample] = WeakValueDictionary()  # those that somebody holds

    def __reduce__(self) -> Any:
        if self._packed.needs_device:  # there may be none where it is unpickled
            return Made, (list(self),)
        state = {name: value for name, value in self.__dict__.items() if name != "_made"}
        return copyreg.__newobj__, (type(self),), state  # type: ignore[attr-defined]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _made=WeakValueDictionary())

    def __len__(self) -> int:
        return len(self._packed.counts) * len(self._wanted)

    def _sample(self, i: int) -> Sample:
        if (made := self._made.get(i)) is not None:
            return made
        graph, packed, options = self._graph, self._packed, self._options
        size, target = self._wanted[i % len(self._wanted)]
        started = perf_counter()
        packed.download()
        downloaded = perf_counter()
        run, slot = self._place(i)
        smaller, left = packed.cut(graph, (run, slot))
        untouched = packed.whole <= target
        loops = graph.undirected.num_self_loops
        notes = (
            *options.idle(),
            *notes_of(graph.num_vertices, target, untouched, smaller.num_vertices, loops),
        )
        seconds = {"download": downloaded - started, "result": perf_counter() - downloaded}
        made = Sample(
            smaller,
            options.method,
            options.mode,
            size,
            target,
            self._first + run,
            iterations=0 if untouched else int(packed.counts[run, slot, 2]),
            way="untouched" if untouched else self._way,
            notes=notes,
            original=graph,
            left=left,
            **{**self.about, "seconds": {**self.about["seconds"], **seconds}},
        )
        return self._made.setdefault(i, made)

    def _place(self, i: int) -> Slot:
        run, k = divmod(i, len(self._wanted))
        return run, self._slots[k]

    def facts(self, i: int) -> Facts:
        size, target = self._wanted[i % len(self._wanted)]
        return Facts(self._options.method, self._options.mode, size, target, self.seed(i))

    def seed(self, i: int) -> int:
        return self._first + i // len(self._wanted)

    def size(self, i: int) -> Size:
        return self._wanted[i % len(self._wanted)][0]

    def counts(self, i: int) -> tuple[int, int]:
        vertices, edges, _ = self._packed.counts[self._place(i)].tolist()
        return vertices, edges

    def collapse(self, i: int) -> tuple[int, int] | None:
        target = self._wanted[i % len(self._wanted)][1]
        vertices = int(self._packed.counts[self._place(i)][0])
        few = self._packed.whole > target and collapsed(vertices, target) is not None
        return (vertices, target) if few else None

    def vertices(self, i: int) -> npt.NDArray[Any]:
        chosen = self.positions(i)
        return chosen if self._graph.has_identity_ids else self._graph.ids[chosen]

    def positions(self, i: int) -> npt.NDArray[np.int64]:
        return np.flatnonzero(self._packed.members(self._graph, self._place(i)))

    def joined(self, device: Device, which: list[int]) -> list[tuple[list[int], Joined]]:
        found = self._packed.joined(device, self._graph, [self._place(i) for i in which])
        return [([which[k] for k in some], piece) for some, piece in found]


def cut_out(device: Device, graph: Graph, packed: Packed, which: list[Slot]) -> Joined:
    """Samples as graphs on a device; does not wait.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected and simple.
    packed : Packed
    which : list of (run, target's number)
    """
    csr, items = upload_csr(device, graph), device.tuning.items
    targets, samples = packed.counts.shape[1], len(which)
    words, edge_words = -(-csr.n // 32), -(-csr.arcs // 2 // 32)
    sizes = packed.counts[tuple(np.array(which, np.intp).reshape(-1, 2).T)].astype(np.int64)
    begin = np.append(*exclusive_sums(sizes[:, 0]))
    arcs = np.append(*exclusive_sums(2 * sizes[:, 1]))
    n, total = int(begin[-1]), int(arcs[-1])
    device.reserve({"samples": 8 * samples * words + 8 * n + 4 * total})
    member = packed.member.there(device)
    kept = None if packed.kept is None else packed.kept.there(device)
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


def unpacked(words: Bits, count: int) -> npt.NDArray[np.bool_]:
    """The first `count` bits, each word's lowest one first."""
    little = words.astype("<u4", copy=False).view(np.uint8)
    return np.unpackbits(little, bitorder="little", count=count).view(np.bool_)


def both_arcs(graph: Graph, edges: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """What the edges u < v (in index order) have, for each arc of a graph without loops."""
    tail, head = graph.rows, graph.col_idx
    upper = tail < head
    arcs = np.empty(len(head), edges.dtype)
    arcs[upper] = edges
    lower = np.flatnonzero(~upper)
    arcs[lower[stable_argsort(head[lower])]] = edges
    return arcs
