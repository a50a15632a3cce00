"""Cases and their measurement: warm-up, medians and spread, phases, energy."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property, partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from clgraph.bench.graphs import make_graph
from clgraph.errors import ClgraphError
from clgraph.theses.printed import PAGERANK

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.energy import Energy, Meter
    from clgraph.graph import Graph

T = TypeVar("T")
CALIFORNIA = "California.mtx"
DATA_SETS = (CALIFORNIA, *PAGERANK)  # files of the folder that --data names
Quantity = dict[str, Any]


class Absent(ClgraphError):
    """A case that cannot run here: a library or a data set is missing."""


def quantity(value: float, unit: str) -> Quantity:
    """A value with its unit."""
    return {"value": value, "unit": unit}


def median(values: Iterable[float], unit: str = "s") -> Quantity:
    """Median of several measurements, with lowest, highest and count."""
    found = [float(value) for value in values]
    return {
        "value": statistics.median(found),
        "unit": unit,
        "low": min(found),
        "high": max(found),
        "runs": len(found),
    }


def size(graph: Graph) -> dict[str, int]:
    """Return the size of the input, as details of a case."""
    return {"of_vertices": graph.num_vertices, "of_arcs": graph.num_arcs}


@dataclass
class Timing(Generic[T]):
    """Repeated runs of one piece of work."""

    seconds: list[float] = field(default_factory=list)
    results: list[T] = field(default_factory=list)

    @property
    def quantity(self) -> Quantity:
        """Median and spread of the wall-clock time."""
        return median(self.seconds)

    def phase(self, name: str) -> Quantity:
        """Median and spread of one phase, if `results` holds seconds by phase."""
        return median(result[name] for result in self.results)  # type: ignore[index]

    def phases(self) -> dict[str, Quantity]:
        """Median and spread of each phase."""
        return {name: self.phase(name) for name in self.results[0]}  # type: ignore[attr-defined]


@dataclass(frozen=True)
class SelfTimed:
    """The result of a program that measures itself: its seconds count, not those until it has ended."""

    seconds: float


def timed(
    work: Callable[[], Any], repeat: int, *, keep: Callable[[Any], Any] = lambda _: None, limit: float = 20.0
) -> Timing[Any]:
    """Run `work` `repeat` times, or fewer times (at least once) once `limit` seconds have passed.

    Parameters
    ----------
    keep : callable
        Returns what is stored of each result (results may be large).
    """
    timing: Timing[Any] = Timing()
    while len(timing.seconds) < repeat and sum(timing.seconds) < limit:
        begun = perf_counter()
        result = work()
        took = perf_counter() - begun
        timing.seconds.append(result.seconds if isinstance(result, SelfTimed) else took)
        timing.results.append(keep(result))
        del result  # two large results need not fit at once
    return timing


@dataclass
class Context:
    """The device, settings and cached graphs that a case receives.

    Attributes
    ----------
    device : Device
    repeat : int
        Measurements per figure; a median needs three.
    meter : Meter or None
        None if energy is not to be measured.
    data : str
        Folder of data sets, "" if none is given.
    """

    device: Device
    repeat: int = 3
    meter: Meter | None = None
    data: str = ""
    _cached: dict[Any, Any] = field(default_factory=dict)

    def graph(self, name: str, *, directed: bool = False) -> Graph:
        """Return a graph by name; the last one stays cached, since cases are sorted by graph.

        Raises
        ------
        Absent
            A file of the folder of data sets that is missing there, or no folder is named.
        """
        key = (name, directed)
        if key not in self._cached:
            if name in DATA_SETS:
                if not self.data:
                    raise Absent(
                        f"{name} is needed: name the folder that it lies in by --data (or CLGRAPH_TEST_DATA)"
                    )
                name = str(Path(self.data, name))
                if not Path(name).is_file():
                    raise Absent(f"{name} is not there")
            return self.made(key, partial(make_graph, name, self.device, directed=directed))
        graph: Graph = self._cached[key]
        return graph

    def made(self, key: Any, make: Callable[[], T]) -> T:
        """Return the graph that `make()` makes, cached until another graph is wanted."""
        if key not in self._cached:
            self._cached.clear()  # two large graphs need not fit into memory at once
            self._cached[key] = make()
        value: T = self._cached[key]
        return value

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Return the value of `make()`, cached as long as the graph."""
        if key not in self._cached:
            self._cached[key] = make()
        value: T = self._cached[key]
        return value

    @cached_property
    def copy_bandwidth(self) -> float:
        """Bytes per second of a buffer copy on the device, reads plus writes."""
        # large enough to leave every cache
        size = 1 << (30 if self.device.kind == "gpu" else 27)
        one, other = self.device.zeros(size, np.uint8), self.device.zeros(size, np.uint8)

        def copies() -> None:
            for _ in range(4):
                self.device.copy(other, one, size)
            self.device.finish()

        copies()
        # four copies, each of which reads and writes
        return 8 * size / min(timed(copies, 3).seconds)

    def of_copy(self, moved: int, seconds: float) -> dict[str, Quantity]:
        """Return the share of a copy's bandwidth that the least possible traffic would take."""
        return {
            "moved": quantity(moved, "B"),
            "share_of_copy": quantity(moved / seconds / self.copy_bandwidth, ""),
        }

    def energy(self, work: Callable[[], Any], region: str) -> Energy | None:
        """Measure the energy of `work`, described by `region`; None if it is not to be measured."""
        if self.meter is None:
            return None
        energy = self.meter.repeat(work)
        energy.region = region
        return energy


@dataclass
class Figures:
    """The results of a case.

    Attributes
    ----------
    values : dict of str to quantity
        ``{"value": ..., "unit": ...}``; repeated measurements also have "low", "high" and "runs".
    details : dict
        Anything else that fits JSON: counts, words, rows.
        "of_vertices", of the input, gives vertices per second per watt.
    energy : Energy or None
    """

    values: dict[str, Quantity]
    details: dict[str, Any] = field(default_factory=dict)
    energy: Energy | None = None

    def to_dict(self) -> dict[str, Any]:
        """As a dict for JSON."""
        facts = {"values": self.values, "details": self.details}
        if self.energy is not None:
            facts["energy"] = energy_dict(self.energy, self.details.get("of_vertices"))
        return facts


ENERGY_UNITS = {
    "joules": "J",
    "seconds": "s",
    "watts": "W",
    "idle_watts": "W",
    "vertices_per_second_per_watt": "1/J",
}


def energy_dict(energy: Energy, vertices: int | None) -> dict[str, Any]:
    """An energy as a dict of quantities."""
    facts = energy.to_dict(vertices)
    if not energy.available:
        return facts
    known = {
        name.replace("watts", "power"): quantity(facts[name] or 0, unit)
        for name, unit in ENERGY_UNITS.items()
        if name in facts and (name != "idle_watts" or facts[name] is not None)
    }
    about = {"source": energy.source, "region": energy.region, "runs": energy.runs}
    return {"available": True, **about, **known}


@dataclass(frozen=True)
class Case:
    """One thing to measure.

    Attributes
    ----------
    suite, graph, what, who : str
        The suite, the graph, the task, and who does it (``clgraph ...`` or another library).
    run : callable
        Measures the case.
    on_device : bool
        Whether it uses the device; other libraries do not, and are measured once per machine.
    options : dict
        What else the result depends on; JSON.
    """

    suite: str
    graph: str
    what: str
    who: str
    run: Callable[[Context], Figures] = field(compare=False)
    on_device: bool = True
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name that ``--only`` and ``--skip`` match."""
        return f"{self.suite}/{self.graph}/{self.what}/{self.who}"

    def to_dict(self) -> dict[str, Any]:
        """As a dict for JSON."""
        return {name: getattr(self, name) for name in ("suite", "graph", "what", "who", "options")}


def on_graph(
    work: Callable[..., Figures], name: str, *args: Any, directed: bool = False
) -> Callable[[Context], Figures]:
    """Return what measures a case: `work`, called with the graph, `args` and the context."""
    return lambda context: work(context.graph(name, directed=directed), *args, context)


on_digraph = partial(on_graph, directed=True)


def matching(cases: Iterable[Case], only: Iterable[str], skip: Iterable[str]) -> list[Case]:
    """Return the cases whose names match a pattern of `only` (if any) and none of `skip`."""
    only, skip = list(only) or ["*"], list(skip)

    def match(case: Case, patterns: list[str]) -> bool:
        return any(fnmatchcase(case.name, pattern) for pattern in patterns)

    return [case for case in cases if match(case, only) and not match(case, skip)]
