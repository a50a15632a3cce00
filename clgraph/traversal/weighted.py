"""Weighted shortest paths, several sources side by side: host half of ``cl/traversal/weighted.cl``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.csr.device_csr import DeviceCSR
from clgraph.csr.properties import Weights
from clgraph.csr.scan import running_sums
from clgraph.csr.upload import Residence, upload_csr
from clgraph.device.graph_cache import Pool
from clgraph.device.launch_config import LaunchTable, WorkGroup
from clgraph.errors import CapacityError, DeviceError, InputError
from clgraph.graph import Graph

if TYPE_CHECKING:
    from clgraph.device import Device

DType = Literal["float64", "float32"]
Words = npt.NDArray[Any]
FAR = 4  # where the state has the far piles, as in the kernels
STATE = FAR + 12
LEFT = 6  # where teams find whether anything is left
SPAN = 1024  # distances that are summed one after the other: a part of the definition of a mean
ROUND_LIMIT = 2**31  # of rounds in a batch: beyond, stamps might repeat


@dataclass(frozen=True)
class LaunchConfig(WorkGroup):
    """Launch configuration.

    Attributes
    ----------
    team : bool
        Whether the device finds in its own memory what to do next, and work-groups share the arcs.
    groups : int
        Of a team, for each compute unit.
    chunk, queue : int
        Arcs of an entry in their lists; places that a group collects before it reserves room.
    rounds : int
        That they make before the host looks whether anything is left.
    entries : int
        Places of a list that a work-item takes.
    buffer : int
        Places that it collects before it reserves room in a list.
    run : int
        Arcs of a work-item in passes over all arcs; 0: whole rows.
    places : int
        Searches are made side by side up to so many vertices in total.
    few : int
        Bounds that have fewer places than this are too narrow: a launch costs more than a place taken twice.
    """

    team: bool
    groups: int
    chunk: int
    queue: int
    rounds: int
    entries: int
    buffer: int
    run: int
    places: int
    few: int


ALONE: dict[str, Any] = {"team": False, "groups": 0, "chunk": 1, "queue": 1, "rounds": 1}
LAUNCH = LaunchTable(
    # R-MAT 22, whole weights, H200: few 2^15, 2^17, 2^18, 2^20 take 7.7, 7.4, 6.3, 6.3 ms; groups 4, 8, 12,
    # 16, 24 take 12.7, 8.2, 7.4, 7.7, 8.5; chunks of 32 to 512 arcs are within the noise
    gpu=LaunchConfig(
        local=128,
        team=True,
        groups=12,
        chunk=128,
        queue=512,
        rounds=8,
        entries=1,
        buffer=1,
        run=16,
        places=1 << 24,
        few=1 << 18,
    ),
    # a few places to a work-item: a hub among them has a hundred thousand arcs
    cpu=LaunchConfig(local=1, **ALONE, entries=32, buffer=32, run=0, places=1 << 20, few=1 << 12),
    simulator=LaunchConfig(local=2, **ALONE, entries=2, buffer=2, run=5, places=1 << 8, few=8),
)


@dataclass(frozen=True)
class Numbers:
    """The numbers that distances are computed in.

    Attributes
    ----------
    value, word : str
        Their type in OpenCL C, and that of their bits.
    kind, bits : type
        The same in NumPy.
    unreached : int
        The bits where no path is known.
    """

    value: str
    word: str
    kind: Any
    bits: Any
    unreached: int

    @property
    def wide(self) -> bool:
        """True for 64 bits."""
        return self.word == "ulong"

    def word_of(self, value: float) -> int:
        """Return the bits of `value`, which is >= 0, as a number of this kind; of whole ones rounded down."""
        if self.kind is np.uint32:
            return min(int(value), self.unreached)
        with np.errstate(over="ignore"):
            return int(self.kind(value).view(self.bits))

    def value_of(self, bits: int) -> float:
        """Return the number that has these bits."""
        return float(self.bits(bits).view(self.kind))

    def bound(self, key: int, delta: float) -> int:
        """Return the bits of the first number beyond the near ones, `delta` from the smallest.

        Parameters
        ----------
        key : int
            The upper 32 bits of the smallest number.
        delta : float
        """
        shift = 32 if self.wide else 0
        # beyond all numbers of this key, or a narrow delta would never take one up
        least = min(key + 1 << shift, self.unreached)
        wanted = self.value_of(key << shift) + delta
        return max(least, self.word_of(wanted) if isfinite(wanted) else self.unreached)


INTEGERS = Numbers("uint", "uint", np.uint32, np.uint32, 0xFFFFFFFF)
FLOATS = {
    "float32": Numbers("float", "uint", np.float32, np.uint32, 0x7F800000),
    "float64": Numbers("double", "ulong", np.float64, np.uint64, 0x7FF0000000000000),
}
#: sums of whole numbers below this are exact in 32 bits, and in the type of the result
EXACT = {"float32": 2**24, "float64": 2**31}


@dataclass(frozen=True)
class Lengths:
    """The lengths of a graph's arcs, checked.

    Attributes
    ----------
    numbers : Numbers
        What they are computed in.
    largest, mean : float
    weighted : bool
        False: every arc has length 1.
    dtype : str
    """

    numbers: Numbers
    largest: float
    mean: float
    weighted: bool
    dtype: str

    def on(self, dev: Device, graph: Graph) -> Any:
        """Return a buffer of them, in the order of a graph's arcs; None for lengths of 1."""
        if not self.weighted:
            return None
        upload_csr(dev, graph)
        residence = Residence.of(dev, graph)
        if self.numbers.value == "double":
            return residence.column(graph, "weights")
        key = "lengths", self.numbers.value
        return dev.cached(graph, key, lambda: residence.weights_as(graph, self.numbers.kind))


def lengths_of(dev: Device, graph: Graph, weights: bool, dtype: str) -> Lengths:
    """Check the weights of a graph, and choose the numbers for them.

    Raises
    ------
    InputError
        If one is negative, NaN or infinite: the edge is named.
    DeviceError
        If they need float64, which the device does not have.
    """

    def make() -> Lengths:
        return _lengths(graph, weights, dtype)

    found = dev.cached(graph, ("lengths", weights, dtype), make)
    if found.numbers.wide and "HAVE_FP64" not in dev.features:
        raise DeviceError(
            f"{dev}: these weights need float64, which the device does not have; use dtype='float32' or "
            "another device (clgraph devices lists them)"
        )
    return found


def _lengths(graph: Graph, weights: bool, dtype: str) -> Lengths:
    n = graph.num_vertices
    if not (weights and graph.is_weighted and graph.num_arcs):
        return Lengths(INTEGERS, 1.0, 1.0, False, dtype)
    least, largest, mean, whole = _survey(graph)
    if not (least >= 0 and largest <= float(np.finfo(dtype).max)):
        each = graph.weights
        assert each is not None
        wrong = ~((each >= 0) & (each <= np.finfo(dtype).max))
        at = int(np.argmax(wrong))
        value = float(each[at])
        large = 0 < value < np.inf
        why = f"beyond what {dtype} holds" if large else "weights of paths are finite numbers from 0 on"
        raise InputError(
            f"{_arc(graph, int(graph.tails[at]), int(graph.col_idx[at]))} has weight {shown(value)}: {why}"
        )
    # a loop counts as much as a path of one arc, lest its weight be cast to what cannot hold it
    integers = max(n - 1, 1) * largest < EXACT[dtype] and whole
    return Lengths(INTEGERS if integers else FLOATS[dtype], largest, mean, True, dtype)


def _survey(graph: Graph) -> Weights:
    """Look through a graph's weights, where they are; all is NaN if one is."""
    if "weights" not in vars(graph) and graph._residence is not None:
        with suppress(DeviceError):  # the host asks for the weights, and says what is lost if they are
            if (found := graph._residence.survey_weights()) is not None:
                return cast("Weights", found)
    each = graph.weights
    assert each is not None
    with np.errstate(over="ignore"):
        mean = float(each.mean())  # infinity will do for a width, too
    return Weights(float(each.min()), float(each.max()), mean, bool(np.all(each == np.floor(each))))


def _arc(graph: Graph, tail: int, head: int) -> str:
    """Name an arc or edge by the ids of its ends."""
    ids = graph.ids[[tail, head]].tolist()
    return f"{'arc' if graph.directed else 'edge'} {shown(ids[0])} -> {shown(ids[1])}"


def is_listed(dev: Device, numbers: Numbers) -> bool:
    """True where distances cannot be lowered in place."""
    return numbers.wide and "HAVE_INT64_ATOMICS" not in dev.features


class WeightedSearch:
    """Searches from batches of sources.

    Parameters
    ----------
    dev : Device
    graph : Graph
    lengths : Lengths
    sources : int
        How many there will be.
    delta : float or None
        Width of the bounds; None: found as the search goes.
    cutoff : float or None
        The largest distance.
    pulls : bool
        Whether the reversed arcs of a directed graph may be used: predecessors need them, too.

    Attributes
    ----------
    lanes : int
        Sources of a batch.
    distance : buffer
        Of the last batch, shape (lanes, n): see ``cl/traversal/weighted.cl``.
    rounds : int
        Of all batches.
    """

    # what `_make_area` makes
    distance: Any
    near: Any
    next: Any
    far: Any
    rest: Any
    stamp: Any
    far_stamp: Any
    settled: Any
    settled_stamp: Any
    state: Any

    def __init__(
        self,
        dev: Device,
        graph: Graph,
        lengths: Lengths,
        sources: int,
        *,
        delta: float | None = None,
        cutoff: float | None = None,
        pulls: bool = True,
    ) -> None:
        self.dev, self.graph, self.lengths = dev, graph, lengths
        self.n, self.config, self.cutoff = graph.num_vertices, LAUNCH.of(dev), cutoff
        self.numbers = numbers = lengths.numbers
        self.csr = upload_csr(dev, graph)
        self.row_ptr, self.col_idx = self.csr.row_ptr, self.csr.col_idx
        self.weight = lengths.on(dev, graph)
        self.limit = numbers.unreached if cutoff is None else numbers.word_of(cutoff)
        self.delta = delta
        self.lanes = max(1, min(sources, self.config.places // max(self.n, 1)))
        self.listed = is_listed(dev, numbers)
        self.team = self.config.team and not self.listed
        self.pulls = not self.listed and (pulls or not graph.directed)
        #: arcs are counted in units of 2^shift, so that their number fits 32 bits
        self.shift = max(0, (self.lanes * (self.csr.arcs + self.n)).bit_length() - 31)
        # a single search's is kept for the next call: fresh memory takes a tenth of the time on CPUs
        key = "weighted-search", numbers.bits, self.team, self.listed
        self._areas: Pool[dict[str, Any]] = dev.cached(graph, key, Pool) if self.lanes == 1 else Pool()
        self._area = self._areas.borrow(self._make_area)
        vars(self).update(self._area)
        self.rounds = 0
        self.before: Any = None

    def _make_area(self) -> dict[str, Any]:
        """Allocate what a search works on, by the names of its attributes."""
        dev, numbers, team = self.dev, self.numbers, self.team
        places, width = self.lanes * self.n, 8 if numbers.wide else 4
        # of a place, and spans of its arcs
        entries = 2 * (places + self.lanes * self.csr.arcs // self.config.chunk) if team else places
        sizes = {"searches": places * (width + 24 + (width if self.listed else 0)), "entries": 8 * entries}
        dev.reserve(sizes)
        return {
            "distance": dev.empty(places, numbers.bits),
            **{name: dev.empty(entries, np.int32) for name in ("near", "next")},
            **{name: dev.empty(places, np.int32) for name in ("far", "rest")},
            **{name: dev.empty(places, np.uint32) for name in ("stamp", "far_stamp")},
            "settled": None if team else dev.empty(places, np.int32),
            "settled_stamp": None if team else dev.empty(places, np.uint32),
            "lowered": dev.empty(places, numbers.bits) if self.listed else None,
            "state": dev.empty(STATE, np.uint32),
        }

    def give_back(self) -> None:
        """Return the memory for the next call, if nothing failed."""
        self._areas.give_back(self._area)

    def build(self) -> Any:
        """Build the kernels, or return them."""
        numbers, config = self.numbers, self.config
        return self.dev.program(
            "traversal/weighted",
            VALUE=numbers.value,
            WORD=numbers.word,
            UNREACHED=f"{numbers.unreached:#x}{'ul' if numbers.wide else 'u'}",
            WIDE=numbers.wide,
            LISTED=self.listed,
            MANY=self.lanes > 1,
            TEAM=self.team,
            LOCAL=config.local,
            CHUNK=config.chunk,
            QUEUE=config.queue,
            ENTRIES=config.entries,
            BUFFER=config.buffer,
            RUN=config.run,
            ITEMS=self.dev.tuning.items,
            RESULT="ulong" if self.lengths.dtype == "float64" else "uint",
            WIDE_RESULT=self.lengths.dtype == "float64",
            WHOLE=numbers is INTEGERS,
            SUM=None if numbers.value == "float" else "double" if numbers.wide else "ulong",
            **self.csr.defines,
        )

    def search(self, sources: npt.NDArray[np.int32]) -> None:
        """Find the distances from a batch of sources."""
        dev, n, program, numbers = self.dev, self.n, self.build(), self.numbers
        self.count = len(sources)
        places = self.count * n
        program.weighted_fill.launch(self, -(-places // dev.tuning.items), places=places)
        dev.clear(self.state, STATE, np.uint32)
        given = {"lanes": self.count, "source": dev.upload(sources)}
        # where weights are small beside the number of arcs of a vertex, many heads lie within one weight
        delta = self.delta
        if delta is None:
            delta = self.lengths.mean * n / max(1, self.csr.arcs)
        if self.team:
            self._as_team(program, delta, **given)
            return
        program.weighted_sources.launch(self, self.count, **given)
        self.phase, self.round, low = 1, 0, 0
        self.bound = numbers.bound(0, delta)
        left = whole = self.count * self.csr.arcs >> self.shift
        front = self.count
        while True:
            while front:
                front = self._push(program, front, beyond=0)
            _, _, settled, arcs = self._piles()
            left -= arcs
            # fewer arcs arrive at the others than leave what was settled
            if self.pulls and arcs > max(left, 0) + (places >> self.shift):
                rows, weight = self._arriving()
                given = {"places": places, "low": low, "weight": weight, "count": 0, **rows.buffers}
                program.weighted_gather.launch(self, -(-places // dev.tuning.items), **given)
                self.known = dev.download(self.state, np.uint32, STATE).tolist()
            elif settled:  # none, where all of the smallest key were lowered further before
                self.near, self.settled = self.settled, self.near
                self._push(program, settled, beyond=1)
            far, key, *_ = self._piles()
            if not far:
                break
            if self.delta is None:
                # what is left has been reached, at nearly final distances: bounds cost more than they save
                # (R-MAT 20: by 2, 4, 16 and 1000 takes 300, 224, 215 and 214 ms)
                if far * whole > left * places:
                    delta *= 16
                # going through the far pile takes longer than what it gives: wider bounds
                elif settled < self.config.few or arcs << self.shift < 2 * far:
                    delta *= 2
            low, self.bound = self.bound, numbers.bound(key, delta)
            self.phase += 1
            self.round += 1
            self.far, self.rest = self.rest, self.far
            self._over(program.weighted_split, far, low=low)
            front = self._front()
        self.rounds += self.round

    def _as_team(self, program: Any, delta: float, **given: Any) -> None:
        """Launch rounds ahead, which find on the device what there is to do; wait once in some rounds."""
        config, state, control = self.config, self.state, self.dev.empty(8, self.numbers.bits)
        width = max(self.numbers.word_of(delta), int(self.numbers is INTEGERS))
        program.weighted_sources.launch(self, self.count, control=control, delta=width, **given)
        few = config.few if self.delta is None else 0
        # as bound kernels, whose launches take less time: the host keeps ahead of small rounds
        bound = []
        for near, following in ((self.near, self.next), (self.next, self.near)):
            own = {"near": near, "next": following, "control": control, "few": few}
            bound.append(
                [_bound(kernel, self, own) for kernel in (program.weighted_push, program.weighted_split)]
            )
        size, self.round = config.groups * self.dev.compute_units * config.local, 0
        while True:
            if self.round >= ROUND_LIMIT:
                raise self._too_long()
            for _ in range(config.rounds):
                self.round += 1
                for kernel in bound[self.round % 2]:
                    kernel(size, local=config.local, round=self.round)
            if not self.dev.download(state, np.uint32, 1, offset=LEFT)[0]:
                break
        self.rounds += self.round

    def _too_long(self) -> CapacityError:
        return CapacityError(f"{self.dev}: a search takes over {ROUND_LIMIT} rounds; use a larger delta")

    def _push(self, program: Any, count: int, *, beyond: int) -> int:
        """Follow arcs from the near places, and return how many make the next ones."""
        if self.round >= ROUND_LIMIT:
            raise self._too_long()
        self.round += 1
        if not self.listed:
            self._over(program.weighted_push, count, beyond=beyond)
            return self._front()
        self._over(program.weighted_list, count, beyond=beyond)
        if heads := self._front():
            rows, weight = self._arriving()
            self._over(program.weighted_pull, heads, weight=weight, **rows.buffers)
            self.round += 1
            self._over(program.weighted_apply, heads)
            return self._front()
        return 0

    def _front(self) -> int:
        """Make the next places the near ones, and return how many they are; waits."""
        self.near, self.next = self.next, self.near
        self.known = self.dev.download(self.state, np.uint32, STATE).tolist()
        return int(self.known[self.round % 3])

    def _over(self, kernel: Any, count: int, **more: Any) -> None:
        """Launch a kernel over the entries of a list."""
        size = -(-count // self.config.entries)
        kernel.launch(self, size, count=count, local=self.config.local, **more)

    def _piles(self) -> tuple[int, int, int, int]:
        """Return the length of `far` and its smallest key, the length of `settled` and its arcs."""
        far, key, settled, arcs = self.known[FAR + 4 * (self.phase % 3) :][:4]
        return far, 0xFFFFFFFF - key, settled, arcs

    def _arriving(self) -> tuple[DeviceCSR, Any]:
        """The reversed arcs on the device, and their lengths."""
        if not self.graph.directed:
            return self.csr, self.weight
        back = self.graph.reverse
        return upload_csr(self.dev, back), self.lengths.on(self.dev, back)

    def _over_arcs(self, kernel: Any, rows: DeviceCSR, **more: Any) -> None:
        """Launch a kernel over all rows, or over runs of arcs."""
        run = self.config.run
        size = -(-rows.arcs // run) if run else -(-self.n // self.dev.tuning.items)
        kernel.launch(self, size, arcs=rows.arcs, **rows.buffers, **more)

    def check_overflow(self, sources: npt.NDArray[np.int32]) -> None:
        """Check that no vertex is left out because the sum on the way to it is infinite.

        Raises
        ------
        InputError
            It names the edge.
        """
        top = 0 if self.numbers is INTEGERS else float(np.finfo(self.numbers.kind).max)
        # twice: roundings up
        if self.cutoff is not None or self.numbers is INTEGERS or 2 * self.n * self.lengths.largest < top:
            return
        rows, _ = self._arriving()
        for lane in range(self.count):
            base, first = lane * self.n, self.dev.upload(np.array([0xFFFFFFFF], np.uint32), writable=True)
            self._over_arcs(self.build().weighted_overflow, rows, base=base, first=first)
            head = int(self.dev.download(first, np.uint32, 1)[0])
            if head < 0xFFFFFFFF:
                graph, distance = (
                    self.graph.reverse,
                    self.dev.download(self.distance, self.numbers.bits, self.n, offset=lane * self.n),
                )
                tails = graph.col_idx[graph.row_ptr[head] : graph.row_ptr[head + 1]]
                tail = int(tails[distance[tails] != self.numbers.unreached][0])
                source = shown(self.graph.ids[[sources[lane]]].tolist()[0])
                raise InputError(
                    f"{_arc(self.graph, tail, head)}: the sum of the weights on the way there from {source} "
                    f"is beyond what {self.lengths.dtype} holds; use smaller weights or a cutoff"
                )

    def results(self, into: Any, base: int = 0) -> int:
        """Write the batch's distances into a buffer from `base` on, and return how many are finite."""
        dev, places = self.dev, self.count * self.n
        parts = -(-places // dev.tuning.items)
        reached = dev.empty(parts, np.uint32)
        given = {"places": places, "base": base, "parts": parts, "result": into, "reached": reached}
        self.build().weighted_results.launch(self, parts, **given)
        total = running_sums(dev, reached, parts, of=np.uint32, into=np.int64)
        return int(dev.download(total, np.int64, 1, offset=parts)[0])

    def predecessors(self, lane: int, source: int) -> Any:
        """Return a buffer with the predecessors of a lane, shape (n,), which the next lane's replace."""
        dev, n, program = self.dev, self.n, self.build()
        rows, weight = self._arriving()
        if self.before is None:
            dev.reserve({"predecessors": 4 * n})
            self.before = dev.empty(n, np.uint32)
        dev.fill(self.before, np.uint32(0xFFFFFFFF), n)
        base = lane * n
        self._over_arcs(program.weighted_before, rows, base=base, weight=weight)
        dev.clear(self.state, STATE, np.uint32)
        size = -(-n // dev.tuning.items)
        program.weighted_zero_begin.launch(self, size, base=base, source=source)
        state = dev.download(self.state, np.uint32, 4).tolist()
        count, left, self.round = state[0], state[3], 0
        # steps that add nothing: from zero weights, or weights that the sum absorbs
        while left:
            self.near, self.next = self.next, self.near
            self.round += 1
            self._over(program.weighted_zero_push, count, base=base)
            count = int(dev.download(self.state, np.uint32, 1, offset=self.round % 3)[0])
            assert count, "a vertex was reached, and nothing leads there"
            left -= count
        return self.before

    def sums(self) -> tuple[list[Any], int]:
        """Return sums of the batch's distances, `SPAN` vertices at a time, and how many there are."""
        dev, spans = self.dev, -(-self.n // SPAN)
        total = dev.empty(self.count * spans, np.float64 if self.numbers.wide else np.uint64)
        reached = dev.empty(self.count * spans, np.uint32)
        sizes = {"spans": spans, "span": SPAN, "sum": total, "reached": reached}
        self.build().weighted_sums.launch(self, (spans, self.count), **sizes)
        kind = np.float64 if self.numbers.wide else np.uint64
        found = dev.download(total, kind, self.count * spans).tolist()
        many = dev.download(reached, np.uint32, self.count * spans)
        return found, int(many.sum(dtype=np.int64))


def _bound(kernel: Any, owner: Any, named: dict[str, Any]) -> Any:
    """A kernel with its arguments bound, but the round."""
    taken = {each.name for each in kernel.signature.parameters} - {"round"}
    own = kernel.arguments_of(owner) | named
    return kernel.bind(**{name: own[name] for name in own if name in taken})


def searched(
    search: WeightedSearch, sources: npt.NDArray[np.int32], progress: Any
) -> Iterator[tuple[slice, npt.NDArray[np.int32]]]:
    """Search from all sources, batch by batch; yields which they are."""
    for first in range(0, len(sources), search.lanes):
        batch = slice(first, min(first + search.lanes, len(sources)))
        search.search(sources[batch])
        search.check_overflow(sources[batch])
        yield batch, sources[batch]
        if progress:
            progress(batch.stop, len(sources))
    search.give_back()
