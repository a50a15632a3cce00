"""Plans of commands on shards: bytes read and sent, memory, and the time that measured speeds give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clgraph.components.shards import Labels
from clgraph.ranking import reproducible
from clgraph.ranking.problem import make_problem
from clgraph.ranking.reproducible import Leaving, ReproduciblePower
from clgraph.sampling.shards.forest import LAUNCH, Forest, default_room, room_to_keep
from clgraph.scale.comm import Ranks, run_on_ranks
from clgraph.scale.loading import upload_rows
from clgraph.scale.shards import ShardRows, Shards

if TYPE_CHECKING:
    from clgraph.csr.device_csr import DeviceCSR
    from clgraph.device import Device

# bytes read from a shard, and copied to the device: enough that starting either does not count
PROBE = 1 << 26
VERTICES, EDGES = 1 << 16, 1 << 20  # of the graph on which kernels are timed: large enough to fill a device
# bytes of a dataset from which on commands tell their plan by themselves: smaller ones are soon done
LONG = 4 << 30


class Pass(NamedTuple):
    """A part of a command, on the rank with most to do."""

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
        """Return the plan, ready for JSON."""
        parts = [part._asdict() for part in self.parts]
        fits = sum(self.memory.values()) <= self.available
        return {**vars(self), "parts": parts, "seconds": self.seconds, "fits": fits}

    def lines(self) -> list[str]:
        """Return the plan as lines for people."""

        def size(count: int) -> str:
            return f"{count / 1e9:.2f} GB" if count >= 1e8 else f"{count / 1e6:.2f} MB"

        devices = ", ".join(f"{self.devices.count(name)} x {name}" for name in dict.fromkeys(self.devices))
        lines = [f"plan of {self.command}: {self.ranks} rank{'s' * (self.ranks != 1)} on {devices}"]
        for part in self.parts:
            words = [f"{part.passes} pass{'es' * (part.passes != 1)}"]
            moved = zip(("disk", "bus", "network"), (part.disk, part.bus, part.network), strict=True)
            words += [f"{name} {size(count)}" for name, count in moved if count]
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
    """Plan a command; what it reads, sends and holds is known, seconds come from short measurements.

    Options are sizes (how many), written and method of "sample"; iterations and dtype of "pagerank".
    """

    def work(ranks: Ranks, dev: Device) -> Plan:
        ranks.agree(dataset=shards.fingerprint, method=f"plan of {command}")
        planner = _Planner(ranks, dev, shards, _speeds(ranks, dev, shards, command, options))
        parts, memory = getattr(planner, command)(**options)
        everywhere = ranks.everywhere(np.frombuffer(dev.name.encode(), np.uint8))
        available = min(int(each[0]) for each in ranks.everywhere(np.array([dev.global_memory])))
        if sum(memory.values()) > available:
            planner.notes.append("this does not fit the device: take one with more memory")
        names = [bytes(each).decode() for each in everywhere]
        return Plan(command, ranks.size, names, parts, memory, available, planner.speeds, planner.notes)

    return run_on_ranks(work, device, shards.comm)


Parts = tuple[list[Pass], dict[str, int]]


@dataclass
class _Planner:
    """Plans of commands, each by the command's name: its parts, and the memory that it needs."""

    ranks: Ranks
    device: Device
    shards: Shards
    speeds: dict[str, float]
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.n = self.shards.num_vertices
        self.others = self.n * (self.ranks.size - 1)  # a number for each vertex, sent to every other rank
        pairs = self.shards.section("pairs").shards
        self.largest = max((each.bytes for each in pairs), default=0)
        self.room = default_room(self.device, self.n, self.most(["pairs"], "edges"))

    def most(self, sections: Sequence[str], what: str = "bytes") -> int:
        """Return the bytes or edges of the shards of the rank that has most."""
        size, shards = self.ranks.size, [self.shards.section(name).shards for name in sections]
        return max(
            sum(getattr(each, what) for some in shards for each in some[rank::size]) for rank in range(size)
        )

    def part(
        self,
        what: str,
        sections: Sequence[str],
        *,
        passes: int = 1,
        reads: int | None = None,
        network: int = 0,
        work: float = 1.0,
    ) -> Pass:
        """Return passes over some sections, of which `reads` come from the disk."""
        disk = self.most(sections) * (passes if reads is None else reads)
        bus = 0 if self.device.shares_memory else disk
        # files are read ahead while the device copies; kernels come after both
        seconds = max(disk / self.speeds["disk"], bus / self.speeds.get("bus", np.inf))
        seconds += work * passes * self.most(sections, "edges") / self.speeds["device"]
        seconds += network / self.speeds.get("network", np.inf)
        return Pass(what, passes, disk, bus, network, seconds)

    def resident(self, part: Pass, sections: Sequence[str], stays: bool) -> dict[str, int]:
        """Return the memory of shards: of all, if they stay on the device, else of the largest one."""
        sizes = (each.bytes for name in sections for each in self.shards.section(name).shards)
        return {"shards": part.disk} if stays else {"a shard": max(sizes, default=0)}

    def stays_after_forest(self, sections: Sequence[str]) -> bool:
        """Return whether a rank's shards stay on its device while the forest is made."""
        return self.most(sections) <= room_to_keep(self.device, self.n, self.room)

    def forest(self, then: dict[str, int] | None = None, **_: Any) -> Parts:
        """Plan the forest pass; the memory is that of this pass, or of what follows with the forest alone."""
        shard = {"a shard": self.largest}
        memory = {**Forest.memory(self.n, self.room, LAUNCH.of(self.device)), **shard}
        if then is not None:
            after = {"forest": 8 * self.n, **then, **shard}
            memory = max(memory, after, key=lambda each: sum(each.values()))
        return [self.part("priority forest", ["pairs"], network=8 * self.others)], memory

    def sample(self, sizes: int, written: bool, **_: Any) -> Parts:
        sections = list(self.shards.manifest.sections) if written else ["pairs"]
        reads = 0 if self.stays_after_forest(sections) else sizes
        network = self.n // 8 * sizes * (self.ranks.size - 1)
        what = "edges of the samples"
        edges = self.part(what, sections, passes=sizes, reads=reads, network=network, work=0.3)
        parts, memory = self.forest({"sample": 40 * self.n})
        return [*parts, edges], memory

    def curve(self, **_: Any) -> Parts:
        reads, network = 0 if self.stays_after_forest(["pairs"]) else 1, 12 * self.others
        count = self.part("pairs by row", ["pairs"], reads=reads, network=network, work=0.5)
        parts, memory = self.forest({"curve": 88 * self.n})
        return [*parts, count], memory

    def components(self) -> Parts:
        memory = {"labels": 8 * self.n, "a shard": self.largest}
        return [self.part("components", ["pairs"], network=8 * self.others)], memory

    def bfs(self) -> Parts:
        known = self.shards.manifest.sections
        sections = [name for name in ("rows", "in", "out") if name in known][:1]
        if not sections:
            self.shards.section("in" if self.shards.directed else "rows")  # an InputError names it
        stays = self.most(sections) <= self.device.global_memory // 2 - 5 * self.n
        self.notes.append(
            "a search reads the shards that can add to a level, at worst all: this is of one level"
            + (" (shards stay on the device after the first)" if stays else "")
        )
        ranks = self.ranks.size
        level = self.part("a level", sections, network=self.n // 8 * ranks * (ranks - 1))
        memory = {"distances": 4 * self.n, "bitmaps": 3 * (self.n // 8)}
        return [level], memory | self.resident(level, sections, stays)

    def pagerank(self, iterations: int, dtype: str) -> Parts:
        sections, size = ["in" if self.shards.directed else "rows"], np.dtype(dtype).itemsize
        launch = reproducible.LAUNCH[dtype].of(self.device)
        memory = ReproduciblePower.memory(self.n, np.dtype(dtype), bool(launch.span))
        # a device that shares the host's memory leaves half of it to the files that are read
        eighths = 4 if self.device.shares_memory else 7
        stays = self.most(sections) <= self.device.global_memory * eighths // 8 - sum(memory.values())
        reads, network = 1 if stays else iterations, iterations * self.others * size
        what = "iterations, at most"
        part = self.part(what, sections, passes=iterations, reads=reads, network=network)
        return [part], memory | self.resident(part, sections, stays)

    def ppr(self) -> Parts:
        directed, known = self.shards.directed, self.shards.manifest.sections
        section = self.shards.section("pairs" if not directed else "out" if "out" in known else "in")
        size, bus = sum(each.bytes for each in section.shards), self.speeds.get("bus", np.inf)
        self.notes.append("each rank reads and holds the whole graph; the time of the walks comes on top")
        arcs = section.edges * (1 if directed else 2)
        memory = {"edges": 8 * section.edges, "graph": 4 * (self.n + arcs), "visits": 8 * self.n}
        copied = 0 if self.device.shares_memory else size
        return [
            Pass("the graph, joined", 1, size, copied, 0, size / self.speeds["disk"] + size / bus)
        ], memory


# --- Speeds, measured ---


def _speeds(
    ranks: Ranks, device: Device, shards: Shards, command: str, options: dict[str, Any]
) -> dict[str, float]:
    """Return the slowest rank's speeds."""
    found = {"disk": _disk_speed(shards)}
    with device.alone():
        if not device.shares_memory:
            data = np.zeros(PROBE, np.uint8)
            # the better of two: the first one also allocates
            found["bus"] = PROBE / min(_timed(device, lambda: device.upload(data)) for _ in range(2))
        step = _kernels(device, shards, upload_rows(device, _probe_rows()), command, options)
        found["device"] = EDGES / min(_timed(device, step) for _ in range(2))
    if ranks.size > 1:
        data, started = np.zeros(PROBE >> 3, np.uint8), perf_counter()
        ranks.everywhere(data)
        found["network"] = (ranks.size - 1) * len(data) / (perf_counter() - started)
    every = ranks.everywhere(np.array([*found.values()], np.float64))
    return dict(zip(found, np.min(every, axis=0).tolist(), strict=True))


def _kernels(
    device: Device, shards: Shards, block: DeviceCSR, command: str, options: dict[str, Any]
) -> Callable[[], Any]:
    """Return kernels that take as long as the command's work on a shard."""
    if command in ("sample", "curve", "forest"):

        def grow() -> None:
            forest = Forest(device, VERTICES, 1, edges=options["method"] == "dre", room=EDGES)
            forest.add(block)
            forest.reduce()

        return grow
    if command == "pagerank":
        out, dtype = device.upload(np.ones(VERTICES)), options["dtype"]
        leaving = Leaving(device, VERTICES, out, "arcs", reproducible.LAUNCH[dtype].of(device))
        problem = make_problem(shards)
        power = ReproduciblePower(device, leaving, problem, dtype=dtype, kind="arcs")
        prepared = power.prepare(block)
        return lambda: power.rows(prepared, 0.0)
    return lambda: Labels(device, VERTICES).add(block)


def _timed(device: Device, call: Callable[[], Any]) -> float:
    device.finish()
    started = perf_counter()
    call()
    device.finish()
    return max(perf_counter() - started, 1e-9)


def _disk_speed(shards: Shards) -> float:
    """Return bytes per second of the largest shard's file, as the system has it now (on disk or cached)."""
    largest = max(shards.section("pairs").shards, key=lambda shard: shard.bytes, default=None)
    if largest is None:
        return 1e9
    started = perf_counter()
    with open(shards.path_of(largest), "rb", buffering=0) as file:
        count = len(file.read(PROBE))
    return max(count, 1) / max(perf_counter() - started, 1e-9)


def _probe_rows() -> ShardRows:
    """Return rows of a random graph."""
    ends = np.sort(np.random.default_rng(1).integers(0, VERTICES, (2, EDGES)), axis=0)
    order = np.argsort(ends[0] * VERTICES + ends[1], kind="stable")
    row_ptr = np.zeros(VERTICES + 1, np.int32)
    np.cumsum(np.bincount(ends[0], minlength=VERTICES), out=row_ptr[1:])
    return ShardRows(0, row_ptr, ends[1][order].astype(np.int32), {})
