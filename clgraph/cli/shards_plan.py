"""Plans of commands on shards: bytes read and sent, memory, and the time that measured speeds give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


class Plan:
    """A command's parts, and the bytes that it needs on a rank's device.

    `speeds` are bytes per second of disk, bus and network, and edges per second, of the slowest rank.
    """

    def __init__(
        self, ranks: Ranks, device: Device, shards: Shards, command: str, options: dict[str, Any]
    ) -> None:
        self.command, self.ranks, self._device, self._shards = command, ranks.size, device, shards
        self._n = shards.num_vertices
        self._others = self._n * (ranks.size - 1)  # a number for each vertex, sent to every other rank
        self._shard = {"a shard": max((each.bytes for each in shards.section("pairs").shards), default=0)}
        self.parts: list[Pass] = []
        self.memory: dict[str, int] = {}
        self.notes: list[str] = []
        self.speeds = self._measured(ranks, options)
        getattr(self, f"_{command}")(**options)
        names = ranks.everywhere(np.frombuffer(device.name.encode(), np.uint8))
        self.devices = [bytes(each).decode() for each in names]
        self.available = min(int(each[0]) for each in ranks.everywhere(np.array([device.global_memory])))
        if not self.fits:
            self.notes.append("this does not fit the device: take one with more memory")

    @property
    def seconds(self) -> float:
        """Expected in all."""
        return sum(part.seconds for part in self.parts)

    @property
    def fits(self) -> bool:
        """True if every rank's device has the memory."""
        return sum(self.memory.values()) <= self.available

    def to_dict(self) -> dict[str, Any]:
        """Return the plan, ready for JSON."""
        names = ("memory", "available", "speeds", "notes", "seconds", "fits")
        about = {"command": self.command, "ranks": self.ranks, "devices": self.devices}
        about["parts"] = [part._asdict() for part in self.parts]
        return about | {name: getattr(self, name) for name in names}

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

    # --- what commands do, by their names ---

    def _most(self, sections: Sequence[str], what: str = "bytes") -> int:
        """Return the bytes or edges of the shards of the rank that has most."""
        size, shards = self.ranks, [self._shards.section(name).shards for name in sections]
        return max(
            sum(getattr(each, what) for some in shards for each in some[rank::size]) for rank in range(size)
        )

    def _add(
        self,
        what: str,
        sections: Sequence[str],
        *,
        passes: int = 1,
        reads: int | None = None,
        network: int = 0,
        work: float = 1.0,
    ) -> None:
        """Add passes over some sections, of which `reads` come from the disk."""
        disk = self._most(sections) * (passes if reads is None else reads)
        bus = 0 if self._device.shares_memory else disk
        # files are read ahead while the device copies; kernels come after both
        seconds = max(disk / self.speeds["disk"], bus / self.speeds.get("bus", np.inf))
        seconds += work * passes * self._most(sections, "edges") / self.speeds["device"]
        seconds += network / self.speeds.get("network", np.inf)
        self.parts.append(Pass(what, passes, disk, bus, network, seconds))

    def _resident(self, sections: Sequence[str], stays: bool) -> dict[str, int]:
        """Return the memory of shards: of all, if they stay on the device, else of the largest one."""
        sizes = (each.bytes for name in sections for each in self._shards.section(name).shards)
        return {"shards": self._most(sections)} if stays else {"a shard": max(sizes, default=0)}

    def _forest(self, then: dict[str, int] | None = None, **_: Any) -> None:
        """Plan the forest pass; the memory is that of this pass, or of what follows with the forest alone."""
        self._room = default_room(self._device, self._n, self._most(["pairs"], "edges"))
        self._add("priority forest", ["pairs"], network=8 * self._others)
        self.memory = {**Forest.memory(self._n, self._room, LAUNCH.of(self._device)), **self._shard}
        if then is not None:
            after = {"forest": 8 * self._n, **then, **self._shard}
            self.memory = max(self.memory, after, key=lambda each: sum(each.values()))

    def _after_forest(self, sections: Sequence[str], passes: int) -> int:
        """Return how many passes read the disk: none, if the shards stay on the device after the forest's."""
        stays = self._most(sections) <= room_to_keep(self._device, self._n, self._room)
        return 0 if stays else passes

    def _sample(self, sizes: int, written: bool, **_: Any) -> None:
        self._forest({"sample": 40 * self._n})
        sections = list(self._shards.manifest.sections) if written else ["pairs"]
        reads, network = self._after_forest(sections, sizes), self._n // 8 * sizes * (self.ranks - 1)
        self._add("edges of the samples", sections, passes=sizes, reads=reads, network=network, work=0.3)

    def _curve(self, **_: Any) -> None:
        self._forest({"curve": 88 * self._n})
        reads = self._after_forest(["pairs"], 1)
        self._add("pairs by row", ["pairs"], reads=reads, network=12 * self._others, work=0.5)

    def _components(self) -> None:
        self.memory = {"labels": 8 * self._n, **self._shard}
        self._add("components", ["pairs"], network=8 * self._others)

    def _bfs(self) -> None:
        known = self._shards.manifest.sections
        sections = [name for name in ("rows", "in", "out") if name in known][:1]
        if not sections:
            self._shards.section("in" if self._shards.directed else "rows")  # an InputError names it
        stays = self._most(sections) <= self._device.global_memory // 2 - 5 * self._n
        self.notes.append(
            "a search reads the shards that can add to a level, at worst all: this is of one level"
            + (" (shards stay on the device after the first)" if stays else "")
        )
        self._add("a level", sections, network=self._n // 8 * self.ranks * (self.ranks - 1))
        self.memory = {"distances": 4 * self._n, "bitmaps": 3 * (self._n // 8)}
        self.memory |= self._resident(sections, stays)

    def _pagerank(self, iterations: int, dtype: str) -> None:
        sections, size = ["in" if self._shards.directed else "rows"], np.dtype(dtype).itemsize
        launch = reproducible.LAUNCH[dtype].of(self._device)
        self.memory = ReproduciblePower.memory(self._n, np.dtype(dtype), bool(launch.span))
        # a device that shares the host's memory leaves half of it to the files that are read
        eighths = 4 if self._device.shares_memory else 7
        room = self._device.global_memory * eighths // 8 - sum(self.memory.values())
        stays = self._most(sections) <= room
        network = iterations * self._others * size
        reads = 1 if stays else iterations
        self._add("iterations, at most", sections, passes=iterations, reads=reads, network=network)
        self.memory |= self._resident(sections, stays)

    def _ppr(self) -> None:
        directed, known = self._shards.directed, self._shards.manifest.sections
        section = self._shards.section("pairs" if not directed else "out" if "out" in known else "in")
        size, bus = sum(each.bytes for each in section.shards), self.speeds.get("bus", np.inf)
        self.notes.append("each rank reads and holds the whole graph; the time of the walks comes on top")
        arcs = section.edges * (1 if directed else 2)
        self.memory = {"edges": 8 * section.edges, "graph": 4 * (self._n + arcs), "visits": 8 * self._n}
        copied, seconds = 0 if self._device.shares_memory else size, size / self.speeds["disk"] + size / bus
        self.parts.append(Pass("the graph, joined", 1, size, copied, 0, seconds))

    # --- speeds ---

    def _measured(self, ranks: Ranks, options: dict[str, Any]) -> dict[str, float]:
        """Measure the speeds, and return the slowest rank's."""
        device = self._device
        found = {"disk": _disk_speed(self._shards)}
        with device.alone():
            if not device.shares_memory:
                data = np.zeros(PROBE, np.uint8)
                found["bus"] = PROBE / self._timed(lambda: device.upload(data))
            found["device"] = EDGES / self._timed(self._kernels(upload_rows(device, _probe_rows()), options))
        if ranks.size > 1:
            data, started = np.zeros(PROBE >> 3, np.uint8), perf_counter()
            ranks.everywhere(data)
            found["network"] = (ranks.size - 1) * len(data) / (perf_counter() - started)
        every = ranks.everywhere(np.array([*found.values()], np.float64))
        return dict(zip(found, np.min(every, axis=0).tolist(), strict=True))

    def _timed(self, call: Callable[[], Any]) -> float:
        """Return the better of two times: the first call also allocates."""
        seconds = []
        for _ in range(2):
            self._device.finish()
            started = perf_counter()
            call()
            self._device.finish()
            seconds.append(perf_counter() - started)
        return max(min(seconds), 1e-9)

    def _kernels(self, block: DeviceCSR, options: dict[str, Any]) -> Callable[[], Any]:
        """Return kernels that take as long as the command's work on a shard."""
        device = self._device
        if self.command in ("sample", "curve", "forest"):

            def grow() -> None:
                forest = Forest(device, VERTICES, 1, edges=options["method"] == "dre", room=EDGES)
                forest.add(block)
                forest.reduce()

            return grow
        if self.command == "pagerank":
            out, dtype = device.upload(np.ones(VERTICES)), options["dtype"]
            leaving = Leaving(device, VERTICES, out, "arcs", reproducible.LAUNCH[dtype].of(device))
            problem = make_problem(self._shards)
            power = ReproduciblePower(device, leaving, problem, dtype=dtype, kind="arcs")
            prepared = power.prepare(block)
            return lambda: power.rows(prepared, 0.0)
        return lambda: Labels(device, VERTICES).add(block)


def plan(shards: Shards, command: str, *, device: Any = None, **options: Any) -> Plan:
    """Plan a command; what it reads, sends and holds is known, seconds come from short measurements.

    Options are sizes (how many), written and method of "sample"; iterations and dtype of "pagerank".
    """

    def work(ranks: Ranks, dev: Device) -> Plan:
        ranks.agree(dataset=shards.fingerprint, method=f"plan of {command}")
        return Plan(ranks, dev, shards, command, options)

    return run_on_ranks(work, device, shards.comm)


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
