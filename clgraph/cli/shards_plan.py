"""What a command on shards will read, send, hold and take, before it begins; speeds are measured for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.components.shards import Labels
from clgraph.ranking import reproducible
from clgraph.ranking.reproducible import Leaving, ReproduciblePower
from clgraph.sampling.shards.extract import Chosen, Extraction
from clgraph.sampling.shards.forest import LAUNCH, Forest
from clgraph.sampling.shards.passes import default_room, room_to_keep
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


@dataclass(frozen=True)
class Pass:
    """A part of a command, as the rank with most to do has it.

    Attributes
    ----------
    what : str
    passes : int
        Over the section; at most.
    disk, bus, network : int
        Bytes that are read, copied to the device, and sent by all ranks together.
    seconds : float
        Expected.
    """

    what: str
    passes: int
    disk: int
    bus: int
    network: int
    seconds: float


@dataclass(frozen=True)
class Plan:
    """What a command will do.

    Attributes
    ----------
    command : str
    ranks : int
    devices : list of str
        Of each rank.
    parts : list of Pass
    memory : dict of str to int
        Bytes on a rank's device.
    available : int
        What the smallest device has.
    speeds : dict of str to float
        Bytes a second of disk, bus and network, and edges a second, as measured for this plan on the slowest
        rank.
    notes : list of str
    """

    command: str
    ranks: int
    devices: list[str]
    parts: list[Pass]
    memory: dict[str, int]
    available: int
    speeds: dict[str, float]
    notes: list[str]

    @property
    def seconds(self) -> float:
        """Expected in all."""
        return sum(part.seconds for part in self.parts)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {**asdict(self), "seconds": self.seconds, "fits": sum(self.memory.values()) <= self.available}

    def lines(self) -> list[str]:
        """For people."""
        told = [
            f"plan of {self.command}: {self.ranks} rank{'s' * (self.ranks != 1)} on {_counted(self.devices)}"
        ]
        for part in self.parts:
            moved = ", ".join(
                f"{name} {_size(getattr(part, name))}"
                for name in ("disk", "bus", "network")
                if getattr(part, name)
            )
            times = f"{part.passes} pass{'es' * (part.passes != 1)}"
            told.append(f"  {part.what}: {times}{', ' * bool(moved)}{moved}, {part.seconds:.3g} s")
        held = ", ".join(f"{name} {_size(size)}" for name, size in self.memory.items())
        total = sum(self.memory.values())
        told.append(f"  memory of a rank's device: {_size(total)} of {_size(self.available)} ({held})")
        speeds = ", ".join(
            f"{name} {speed / 1e6:.0f} M edges/s" if name == "device" else f"{name} {speed / 1e9:.2f} GB/s"
            for name, speed in self.speeds.items()
        )
        told.append(f"  expected in all: {self.seconds:.3g} s (measured: {speeds})")
        return told + [f"  note: {note}" for note in self.notes]


def _size(count: int) -> str:
    return f"{count / 1e9:.2f} GB" if count >= 1e8 else f"{count / 1e6:.2f} MB"


def _counted(names: Sequence[str]) -> str:
    return ", ".join(f"{names.count(name)} x {name}" for name in dict.fromkeys(names))


def plan(shards: Shards, command: str, *, device: Any = None, **options: Any) -> Plan:
    """The plan of a command; what it reads, sends and holds is known, seconds come from short measurements.

    Parameters
    ----------
    shards : Shards
    command : {"sample", "curve", "forest", "components", "bfs", "pagerank", "ppr"}
    device
        As the calls take it.
    options
        sizes (how many), written, method: of "sample"; iterations, dtype: of "pagerank".
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
        self._notes: list[str] = []

    def plan(self) -> Plan:
        self._speeds = self._measured()
        parts, memory = {
            "sample": self._sample,
            "curve": self._curve,
            "forest": lambda: ([self._forest()], self._forest_memory()),
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
        """What stands for the command's work on a shard."""
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
            about: dict[str, Any] = {"p": None, "q": None, "drop": False, "start": None, "kind": "arcs"}
            power = ReproduciblePower(device, leaving, damping=0.85, dtype=dtype, **about)
            prepared = power.prepare(block)
            return lambda: power.rows(prepared, 0.0)
        if command == "ppr":
            return lambda: Extraction(device, 1, VERTICES, Chosen.of(np.ones(VERTICES, bool), None)).count(
                block
            )
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
        reads, size = passes if reads is None else reads, self._ranks.size
        shards = [self._shards.section(name).shards for name in sections]
        disk = max(sum(each.bytes for some in shards for each in some[rank::size]) for rank in range(size))
        edges = max(sum(each.edges for some in shards for each in some[rank::size]) for rank in range(size))
        bus = 0 if self._device.shares_memory else disk * reads
        reading = disk * reads / self._speeds["disk"]
        seconds = max(reading, bus / self._speeds.get("bus", np.inf))
        seconds += work * passes * edges / self._speeds["device"]
        seconds += network / self._speeds["network"] if network else 0.0
        return Pass(what, passes, disk * reads, bus, network, seconds)

    def _stays(self, sections: Sequence[str], room: int) -> bool:
        """Whether a rank's shards stay on its device."""
        return self._part("", sections).disk <= room

    def _room(self) -> int:
        section = self._shards.section("pairs").shards
        size = self._ranks.size
        edges = max(sum(each.edges for each in section[rank::size]) for rank in range(size))
        return default_room(self._device, self._n, edges)

    def _forest(self) -> Pass:
        return self._part("priority forest", ["pairs"], network=8 * self._n * (self._ranks.size - 1))

    def _forest_memory(self) -> dict[str, int]:
        return {
            **Forest.memory(self._n, self._room(), LAUNCH.of(self._device)),
            "a shard": self._largest(["pairs"]),
        }

    def _then(self, name: str, size: int) -> dict[str, int]:
        """The memory of the forest pass, or of what follows with the forest alone: the larger."""
        after = {"forest": 8 * self._n, name: size, "a shard": self._largest(["pairs"])}
        return max(self._forest_memory(), after, key=lambda memory: sum(memory.values()))

    def _largest(self, sections: Sequence[str]) -> int:
        return max((each.bytes for name in sections for each in self._shards.section(name).shards), default=0)

    def _sample(self) -> tuple[list[Pass], dict[str, int]]:
        sizes = self._options["sizes"]
        sections = list(self._shards.manifest.sections) if self._options["written"] else ["pairs"]
        stays = self._stays(sections, room_to_keep(self._device, self._n, self._room()))
        told = self._n // 8 * sizes * (self._ranks.size - 1)
        edges = self._part(
            "edges of the samples",
            sections,
            passes=sizes,
            reads=0 if stays else sizes,
            network=told,
            work=0.3,
        )
        return [self._forest(), edges], self._then("sample", 40 * self._n)

    def _curve(self) -> tuple[list[Pass], dict[str, int]]:
        stays = self._stays(["pairs"], room_to_keep(self._device, self._n, self._room()))
        told = 12 * self._n * (self._ranks.size - 1)
        count = self._part("pairs by row", ["pairs"], reads=0 if stays else 1, network=told, work=0.5)
        return [self._forest(), count], self._then("curve", 88 * self._n)

    def _components(self) -> tuple[list[Pass], dict[str, int]]:
        network = 8 * self._n * (self._ranks.size - 1)
        memory = {"labels": 8 * self._n, "a shard": self._largest(["pairs"])}
        return [self._part("components", ["pairs"], network=network)], memory

    def _bfs(self) -> tuple[list[Pass], dict[str, int]]:
        known = self._shards.manifest.sections
        sections = [name for name in ("rows", "in", "out") if name in known][:1]
        if not sections:
            self._shards.section("in" if self._shards.directed else "rows")
        stays = self._stays(sections, self._device.global_memory // 2 - 5 * self._n)
        self._notes.append(
            "a search reads the shards that can add to a level, at worst all: this is of one level"
            + (" (shards stay on the device after the first)" if stays else "")
        )
        level = self._part(
            "a level", sections, network=self._n // 8 * self._ranks.size * (self._ranks.size - 1)
        )
        memory = {"distances": 4 * self._n, "bitmaps": 3 * (self._n // 8)}
        held = {"shards": level.disk} if stays else {"a shard": self._largest(sections)}
        return [level], memory | held

    def _pagerank(self) -> tuple[list[Pass], dict[str, int]]:
        sections = ["in" if self._shards.directed else "rows"]
        iterations, dtype = self._options["iterations"], np.dtype(self._options["dtype"])
        shape = reproducible.LAUNCH[dtype.name].of(self._device)
        memory = ReproduciblePower.memory(self._n, dtype, bool(shape.span))
        room = self._device.global_memory * (4 if self._device.shares_memory else 7) // 8 - sum(
            memory.values()
        )
        stays = self._stays(sections, room)
        part = self._part(
            "iterations, at most",
            sections,
            passes=iterations,
            reads=1 if stays else iterations,
            network=iterations * self._n * dtype.itemsize * (self._ranks.size - 1),
        )
        held = "shards" if stays else "a shard"
        return [part], {**memory, held: part.disk if stays else self._largest(sections)}

    def _walks(self) -> tuple[list[Pass], dict[str, int]]:
        shards = self._shards
        name = "pairs" if not shards.directed else "out" if "out" in shards.manifest.sections else "in"
        section = shards.section(name)
        size = sum(each.bytes for each in section.shards)
        self._notes.append("each rank reads and holds the whole graph; walks take time beside that")
        whole = size / self._speeds["disk"] + size / self._speeds.get("bus", np.inf)
        bus = 0 if self._device.shares_memory else size
        arcs = section.edges * (1 if shards.directed else 2)
        held = {"edges": 8 * section.edges, "graph": 4 * (self._n + arcs), "visits": 8 * self._n}
        return [Pass("the graph, joined", 1, size, bus, 0, whole)], held


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
