"""The reduction methods, their options, and the run on a device that each of them takes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from clgraph.csr.upload import upload_csr
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.sampling.array_frontier import ArrayFrontier
from clgraph.sampling.batched import BatchedRun, Finder
from clgraph.sampling.contract import ContractRun
from clgraph.sampling.copra import Copra
from clgraph.sampling.draw import ByDraw
from clgraph.sampling.exact import ExactRun
from clgraph.sampling.explore import ExploreRun
from clgraph.sampling.repair import finder_for
from clgraph.sampling.result import Left, Progress
from clgraph.sampling.select import ByPriority
from clgraph.sampling.strong import StrongFinder

if TYPE_CHECKING:
    from clgraph.device import Device

# method -> what one step does
METHODS = {
    "drv": "a vertex, uniform among the vertices left, goes with its edges",
    "dre": "an edge, uniform among the edges left, goes",
    "drve": "a vertex uniform, then an edge uniform among its edges left, goes",
    "dhyb": "a drve step with probability `weight`, else a dre step",
    "cre": "an edge, uniform among the edges left, is contracted: its ends become one vertex",
    "crve": "a vertex uniform, then an edge uniform among its edges left, is contracted",
    "ebfs": "breadth-first from a random vertex, with the edges among the vertices reached",
    "edfs": "depth-first from a random vertex, with the edges among the vertices reached",
}
EXACT = ("drv", "dre")
CONTRACTING = ("cre", "crve")
EXPLORING = ("ebfs", "edfs")


class Run(Protocol):
    """One way through a graph on a device: samples of decreasing size, each within the one before."""

    iterations: int
    way: str

    def start(self) -> int:
        """Find the input's largest component; returns its size."""

    def shrink_to(self, target: int, progress: Progress | None = None) -> None:
        """Find the sample for a target; targets of further calls do not increase."""

    def download(self) -> Left:
        """What the last `shrink_to` left."""


class Batches(Run, Protocol):
    """A run in batches that can tell them all: (deletions so far, vertices and edges left) after each."""

    keep_history: bool  # to be set before start()
    history: list[tuple[int, int, int]]


@dataclass(frozen=True)
class Options:
    """How to sample, checked; see `clgraph.sample`."""

    method: str
    mode: str
    tolerance: Fraction | None
    components: str | None
    far_scan: bool | None
    connection: str
    weight: Fraction | None
    start: int | None

    @property
    def exact(self) -> bool:
        """Whether it runs in exact mode."""
        return self.mode == "exact"

    def idle(self) -> list[str]:
        """Notes of options that were given and play no part."""
        batched = not self.exact and self.method not in CONTRACTING + EXPLORING
        given = (("tolerance", self.tolerance), ("components", self.components), ("far_scan", self.far_scan))
        notes = [
            f"{name} is of batched deletion and played no part"
            + (" (mode='batched' asks for it)" if self.method in EXACT else "")
            for name, value in given
            if value is not None and not batched
        ]
        if self.weight is not None and self.method != "dhyb":
            notes.append("weight is of dhyb and played no part")
        if self.start is not None and self.method not in EXPLORING:
            notes.append("start is of ebfs and edfs and played no part")
        return notes


def check_options(
    graph: Graph,
    method: str,
    *,
    mode: str = "auto",
    tolerance: float | None = None,
    components: str | None = None,
    far_scan: bool | None = None,
    connection: str = "weak",
    weight: float | str | None = None,
    start: Any = None,
) -> Options:
    """The options of a run.

    Raises
    ------
    InputError
        An unknown word, a number out of range, or two that exclude each other.
    """
    if method not in METHODS:
        raise InputError(f"unknown method {method!r}: the known ones are {', '.join(METHODS)}")
    if mode not in ("auto", "batched", "exact"):
        raise InputError(f"unknown mode {mode!r}: use auto, exact or batched")
    if components not in (None, "afforest", "bfs"):
        raise InputError(f"unknown components {components!r}: use afforest or bfs")
    if connection not in ("weak", "strong"):
        raise InputError(f"unknown connection {connection!r}: use weak or strong")
    strong = connection == "strong" and graph.directed
    if mode == "exact" and method not in EXACT:
        raise InputError(
            f"mode 'exact' exists for {' and '.join(EXACT)}: {method} runs batched (mode 'auto' or 'batched')"
        )
    if mode == "exact" and strong:
        raise InputError("mode 'exact' keeps weak components: connection 'strong' runs batched")
    if strong and method in CONTRACTING + EXPLORING:
        raise InputError(f"connection 'strong' is of the methods that delete: {method} keeps weak components")
    if strong and components is not None:
        raise InputError(f"components {components!r} finds weak components: leave it out for 'strong'")
    if mode == "auto":
        mode = "exact" if method in EXACT and not strong else "batched"
    return Options(
        method,
        mode,
        _number("tolerance", tolerance, "a number of vertices, 0 or more"),
        components,
        far_scan,
        "strong" if strong else "weak",
        _number("weight", weight, "a probability, 0 to 1", most=1),
        None if start is None else int(graph.index([start])[0]),
    )


def _number(name: str, value: Any, what: str, most: int | None = None) -> Fraction | None:
    """An option as the exact number that its decimals say."""
    if value is None:
        return None
    try:
        number = Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        number = Fraction(-1)
    if number < 0 or (most is not None and number > most):
        raise InputError(f"{name} {value!r}: give {what}")
    return number


def make_run(device: Device, graph: Graph, options: Options, seed: int) -> Run:
    """The run that a method takes; its arrays are allocated and its kernels built."""
    simple = graph.undirected.simple
    method = options.method
    if method in CONTRACTING:
        return ContractRun(device, simple, seed, method=method)
    if method in EXPLORING:
        return ExploreRun(device, simple, seed, method=method, start=options.start)
    if options.exact:
        return ExactRun(device, simple, seed, edges=method == "dre")
    scan = device.kind in ("fpga", "emulator") if options.far_scan is None else options.far_scan
    copra = Copra(device, simple, far_scan=scan)
    choice: ByDraw | ByPriority
    if method in ("drve", "dhyb"):
        weight = Fraction(4, 5) if options.weight is None else options.weight
        choice = ByDraw(copra, seed, weight=weight if method == "dhyb" else Fraction(1))
    else:
        choice = ByPriority(copra, seed, edges=method == "dre")
    finder: Finder
    if options.connection == "strong":
        finder, way = StrongFinder(copra, graph), "strong"
    elif options.components == "bfs":
        finder, way = ArrayFrontier(copra, int(simple.degrees.argmax())), "bfs"
    else:
        finder, way = finder_for(copra, simple, choice, vertices=method == "drv"), "afforest"
    return BatchedRun(copra, choice, finder, edges=method != "drv", tolerance=options.tolerance, way=way)


def upload(device: Device, graph: Graph) -> None:
    """Bring the rows that every run works on to the device; they stay there."""
    upload_csr(device, graph.undirected.simple)
    device.finish()
