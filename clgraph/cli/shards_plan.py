"""Plans of commands on shards: bytes read, sent and held, and the time that measured speeds give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clgraph.components.shards import Labels
from clgraph.ranking import reproducible
from clgraph.ranking.problem import make_problem
from clgraph.ranking.reproducible import Leaving, ReproduciblePower
from clgraph.sampling.shards.extract import Extraction
from clgraph.sampling.shards.forest import LAUNCH, Chosen, Forest, default_room, room_to_keep
from clgraph.scale.comm import Ranks, run_on_ranks
from clgraph.scale.loading import upload_rows
from clgraph.scale.manifest import Shard
from clgraph.scale.shards import ShardRows, Shards

if TYPE_CHECKING:
    from clgraph.csr.parts import DeviceCSR
    from clgraph.device import Device

# bytes read from a shard, and copied to the device: enough that starting either does not count
PROBE = 1 << 26
VERTICES, EDGES = 1 << 16, 1 << 20  # of the graph on which kernels are timed: large enough to fill a device
# bytes of a dataset from which on commands tell their plan by themselves: smaller ones are soon done
LONG = 4 << 30


class Pass(NamedTuple):
    """A part of a command, as the rank with most to do has it."""

    what: str
    passes: int  # over the section, at most
    disk: int  # bytes that are read
    bus: int  # bytes that are copied to the device
    network: int  # bytes that all ranks together send
    seconds: float  # expected


@dataclass(frozen=True)
class Plan:
    """What a command will do."""

    command: str
    ranks: int
    devices: list[str]  # one for each rank
    parts: list[Pass]
    memory: dict[str, int]  # bytes on a rank's device
    available: int  # what the smallest device has
    # bytes a second of disk, bus and network, and edges a second, measured on the slowest rank
    speeds: dict[str, float]
    notes: list[str]

    @property
    def seconds(self) -> float:
        """Expected in all."""
        return sum(part.seconds for part in self.parts)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        parts = [part._asdict() for part in self.parts]
        fits = sum(self.memory.values()) <= self.available
        return {**vars(self), "parts": parts, "seconds": self.seconds, "fits": fits}

    def lines(self) -> list[str]:
        """For people."""

        def size(count: int) -> str:
            return f"{count / 1e9:.2f} GB" if count >= 1e8 else f"{count / 1e6:.2f} MB"

        devices = ", ".join(f"{self.devices.count(name)} x {name}" for name in dict.fromkeys(self.devices))
        lines = [f"plan of {self.command}: {self.ranks} rank{'s' * (self.ranks != 1)} on {devices}"]
        for part in self.parts:
            moved = {"disk": part.disk, "bus": part.bus, "network": part.network}
            words = [f"{part.passes} pass{'es' * (part.passes != 1)}"]
            words += [f"{name} {size(count)}" for name, count in moved.items() if count]
            lines.append(f"  {part.what}: {', '.join(words)}, {part.seconds:.3g} s")
        memory = ", ".join(f"{name} {size(count)}" for name, count in self.memory.items())
        total, available = size(sum(self.memory.values())), size(self.available)
        lines.append(f"  memory of a rank's device: {total} of {available} ({memory})")
        speeds = ", ".join(
            f"{name} {speed / 1e6:.0f} M edges/s" if name == "device" else f"{name} {speed / 1e9:.2f} GB/s"
            for name, speed in self.speeds.items()
        )
        lines.append(f"  expected in all: {self.seconds:.3g} s (measured: {speeds})")
        return lines + [f"  note: {note}" for note in self.notes]


def plan(shards: Shards, command: str, *, device: Any = None, **options: Any) -> Plan:
    """The plan of a command; what it reads, sends and holds is known, seconds come from short measurements.

    Options are sizes (how many), written and method of "sample"; iterations and dtype of "pagerank".
    """

    def work(ranks: Ranks, dev: Device) -> Plan:
        ranks.agree(dataset=shards.fingerprint, method=f"plan of {command}")
        return _Planner(ranks, dev, shards, command, options).plan()

    return run_on_ranks(work, device, shards.comm)


class _Planner:
    def __init__(
        self, ranks: Ranks, device: Device, shards: Shards, command: str, options: dict[str, Any]
    ) -> None:
        self._ranks, self._device, self._shards = ranks, device, shards
        self._command, self._options = command, options
        self._n = shards.num_vertices
        self._others = self._n * (ranks.size - 1)  # a number for each vertex, sent to every other rank
        self._notes: list[str] = []

    def plan(self) -> Plan:
        self._speeds = self._measured()
        parts, memory = {
            "sample": self._sample,
            "curve": self._curve,
            "forest": self._forest,
            "components": self._components,
            "bfs": self._bfs,
            "pagerank": self._pagerank,
            "ppr": self._walks,
        }[self._command]()
        names = [
            bytes(each).decode()
            for each in self._ranks.everywhere(np.frombuffer(self._device.name.encode(), np.uint8))
        ]
        available = min(
            int(each[0]) for each in self._ranks.everywhere(np.array([self._device.global_memory]))
        )
        if sum(memory.values()) > available:
            self._notes.append("this does not fit the device: take one with more memory")
        return Plan(
            self._command, self._ranks.size, names, parts, memory, available, self._speeds, self._notes
        )

    # --- what is measured ---------------------------------------------------------------------------

    def _measured(self) -> dict[str, float]:
        """The slowest rank's speeds."""
        device, shards = self._device, self._shards
        found = {"disk": _disk_speed(shards)}
        with device.alone():
            if not device.shares_memory:
                data = np.zeros(PROBE, np.uint8)
                # the better of two: the first one also allocates
                found["bus"] = PROBE / min(_timed(device, lambda: device.upload(data)) for _ in range(2))
            step = self._kernels(upload_rows(device, _probe_rows()))
            found["device"] = EDGES / min(_timed(device, step) for _ in range(2))
        if self._ranks.size > 1:
            data, started = np.zeros(PROBE >> 3, np.uint8), perf_counter()
            self._ranks.everywhere(data)
            found["network"] = (self._ranks.size - 1) * len(data) / (perf_counter() - started)
        every = self._ranks.everywhere(np.array([*found.values()], np.float64))
        return dict(zip(found, np.min(every, axis=0).tolist(), strict=True))

    def _kernels(self, block: DeviceCSR) -> Callable[[], Any]:
        """Return kernels that take as long as the command's work on a shard."""
        device, command = self._device, self._command
        if command in ("sample", "curve", "forest"):
            edges = self._options.get("method") == "dre"

            def grow() -> None:
                forest = Forest(device, VERTICES, 1, edges=edges, room=EDGES)
                forest.add(block)
                forest.reduce()

            return grow
        if command == "pagerank":
            out, dtype = device.upload(np.ones(VERTICES)), self._options["dtype"]
            leaving = Leaving.of(device, VERTICES, out, "arcs", reproducible.LAUNCH[dtype].of(device))
            problem = make_problem(self._shards)
            power = ReproduciblePower(device, leaving, problem, dtype=dtype, kind="arcs")
            prepared = power.prepare(block)
            return lambda: power.rows(prepared, 0.0)
        if command == "ppr":
            return lambda: Extraction(
                device, 1, VERTICES, Chosen(np.full(VERTICES // 32, 0xFFFFFFFF, np.uint32), None)
            ).count(block)
        return lambda: Labels(device, VERTICES).add(block)

    # --- what is known ------------------------------------------------------------------------------

    def _part(
        self,
        what: str,
        sections: Sequence[str],
        *,
        passes: int = 1,
        reads: int | None = None,
        network: int = 0,
        work: float = 1.0,
    ) -> Pass:
        """Passes over some sections, of which `reads` come from the disk."""
        reads = passes if reads is None else reads
        disk, edges = self._most(sections, "bytes"), self._most(sections, "edges")
        bus = 0 if self._device.shares_memory else disk * reads
        reading = disk * reads / self._speeds["disk"]
        # files are read ahead while the device copies; kernels come after both
        seconds = max(reading, bus / self._speeds.get("bus", np.inf))
        seconds += work * passes * edges / self._speeds["device"]
        seconds += network / self._speeds["network"] if network else 0.0
        return Pass(what, passes, disk * reads, bus, network, seconds)

    def _stays(self, sections: Sequence[str], room: int) -> bool:
        """True if a rank's shards stay on its device."""
        return self._most(sections, "bytes") <= room

    def _most(self, sections: Sequence[str], what: str) -> int:
        """Bytes or edges of the shards of the rank that has most."""
        size, shards = self._ranks.size, [self._shards.section(name).shards for name in sections]
        return max(
            sum(getattr(each, what) for some in shards for each in some[rank::size]) for rank in range(size)
        )

    def _room(self) -> int:
        return default_room(self._device, self._n, self._most(["pairs"], "edges"))

    def _forest(self, *, then: dict[str, int] | None = None) -> tuple[list[Pass], dict[str, int]]:
        """The forest pass; the memory is that of this pass, or of what follows with the forest alone."""
        shard = {"a shard": self._largest(["pairs"])}
        memory = {**Forest.memory(self._n, self._room(), LAUNCH.of(self._device)), **shard}
        if then is not None:
            after = {"forest": 8 * self._n, **then, **shard}
            memory = max(memory, after, key=lambda each: sum(each.values()))
        return [self._part("priority forest", ["pairs"], network=8 * self._others)], memory

    def _largest(self, sections: Sequence[str]) -> int:
        return max((each.bytes for name in sections for each in self._shards.section(name).shards), default=0)

    def _sample(self) -> tuple[list[Pass], dict[str, int]]:
        sizes = self._options["sizes"]
        sections = list(self._shards.manifest.sections) if self._options["written"] else ["pairs"]
        stays = self._stays(sections, room_to_keep(self._device, self._n, self._room()))
        network = self._n // 8 * sizes * (self._ranks.size - 1)
        reads = 0 if stays else sizes
        what = "edges of the samples"
        edges = self._part(what, sections, passes=sizes, reads=reads, network=network, work=0.3)
        parts, memory = self._forest(then={"sample": 40 * self._n})
        return [*parts, edges], memory

    def _curve(self) -> tuple[list[Pass], dict[str, int]]:
        stays = self._stays(["pairs"], room_to_keep(self._device, self._n, self._room()))
        reads, network = 0 if stays else 1, 12 * self._others
        count = self._part("pairs by row", ["pairs"], reads=reads, network=network, work=0.5)
        parts, memory = self._forest(then={"curve": 88 * self._n})
        return [*parts, count], memory

    def _components(self) -> tuple[list[Pass], dict[str, int]]:
        memory = {"labels": 8 * self._n, "a shard": self._largest(["pairs"])}
        return [self._part("components", ["pairs"], network=8 * self._others)], memory

    def _bfs(self) -> tuple[list[Pass], dict[str, int]]:
        known = self._shards.manifest.sections
        sections = [name for name in ("rows", "in", "out") if name in known][:1]
        if not sections:
            self._shards.section("in" if self._shards.directed else "rows")  # an InputError names it
        stays = self._stays(sections, self._device.global_memory // 2 - 5 * self._n)
        self._notes.append(
            "a search reads the shards that can add to a level, at worst all: this is of one level"
            + (" (shards stay on the device after the first)" if stays else "")
        )
        ranks = self._ranks.size
        level = self._part("a level", sections, network=self._n // 8 * ranks * (ranks - 1))
        memory = {"distances": 4 * self._n, "bitmaps": 3 * (self._n // 8)}
        return [level], memory | self._resident(level, sections, stays)

    def _pagerank(self) -> tuple[list[Pass], dict[str, int]]:
        sections = ["in" if self._shards.directed else "rows"]
        iterations, dtype = self._options["iterations"], np.dtype(self._options["dtype"])
        shape = reproducible.LAUNCH[dtype.name].of(self._device)
        memory = ReproduciblePower.memory(self._n, dtype, bool(shape.span))
        # a device that shares the host's memory leaves half of it to the files that are read
        eighths = 4 if self._device.shares_memory else 7
        room = self._device.global_memory * eighths // 8 - sum(memory.values())
        stays = self._stays(sections, room)
        reads, network = 1 if stays else iterations, iterations * self._others * dtype.itemsize
        what = "iterations, at most"
        part = self._part(what, sections, passes=iterations, reads=reads, network=network)
        return [part], memory | self._resident(part, sections, stays)

    def _resident(self, part: Pass, sections: Sequence[str], stays: bool) -> dict[str, int]:
        return {"shards": part.disk} if stays else {"a shard": self._largest(sections)}

    def _walks(self) -> tuple[list[Pass], dict[str, int]]:
        shards = self._shards
        name = "pairs" if not shards.directed else "out" if "out" in shards.manifest.sections else "in"
        section = shards.section(name)
        size = sum(each.bytes for each in section.shards)
        self._notes.append("each rank reads and holds the whole graph; the time of the walks comes on top")
        whole = size / self._speeds["disk"] + size / self._speeds.get("bus", np.inf)
        bus = 0 if self._device.shares_memory else size
        arcs = section.edges * (1 if shards.directed else 2)
        memory = {"edges": 8 * section.edges, "graph": 4 * (self._n + arcs), "visits": 8 * self._n}
        return [Pass("the graph, joined", 1, size, bus, 0, whole)], memory


def _timed(device: Device, call: Callable[[], Any]) -> float:
    device.finish()
    started = perf_counter()
    call()
    device.finish()
    return max(perf_counter() - started, 1e-9)


def _disk_speed(shards: Shards) -> float:
    """Bytes a second of the largest shard's file, as the system has it now (on the disk, or in memory)."""
    largest = max(shards.section("pairs").shards, key=lambda shard: shard.bytes, default=None)
    if largest is None:
        return 1e9
    started = perf_counter()
    with open(shards.path_of(largest), "rb", buffering=0) as file:
        count = len(file.read(PROBE))
    return max(count, 1) / max(perf_counter() - started, 1e-9)


def _probe_rows() -> ShardRows:
    """Rows of a random graph."""
    ends = np.sort(np.random.default_rng(1).integers(0, VERTICES, (2, EDGES)), axis=0)
    order = np.argsort(ends[0] * VERTICES + ends[1], kind="stable")
    row_ptr = np.zeros(VERTICES + 1, np.int32)
    np.cumsum(np.bincount(ends[0], minlength=VERTICES), out=row_ptr[1:])
    shard = Shard("", 0, VERTICES, EDGES, 0, 0, 0, 0)
    return ShardRows(shard, row_ptr, ends[1][order].astype(np.int32))
