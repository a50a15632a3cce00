"""Which engine serves a sampling method on a device: runs side by side, or one that has the device alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from clgraph.components.finder import graph_components
from clgraph.csr.upload import SMALL, hub_of, upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import DeviceError
from clgraph.graph import Graph
from clgraph.methods import CONTRACTING, EXPLORING
from clgraph.progress import Tell
from clgraph.sampling.array_frontier import ArrayFrontier
from clgraph.sampling.batched import BatchedRun, Finder
from clgraph.sampling.copra import LAUNCH as FAR_SCAN
from clgraph.sampling.copra import Copra
from clgraph.sampling.draw import FINEST, ByDraw, ByPriority, DrawRuns
from clgraph.sampling.repair import finder_for
from clgraph.sampling.replicates import Probing, Replicates, Serial
from clgraph.sampling.request import Request
from clgraph.sampling.selection import Selection

if TYPE_CHECKING:
    from clgraph.device import Device


# --- Runs of many seeds ---


@dataclass(frozen=True)
class SideBySide:
    """Up to how many arcs a kind of device makes runs side by side.

    Attributes
    ----------
    exact : {"merge tree", "probes"}
        A run a work-item, or all runs in each launch.
    arcs : int
        Of exact runs.
    alone : int
        Also of a single exact run.
    breadth : int
        Of breadth-first samples, a run a work-item.
    contraction : int
        Of contractions, all runs in each launch.
    batches : int
        Of batches of drawn edges, a run a work-group.
    """

    exact: Literal["merge tree", "probes"]
    arcs: int
    alone: int = 0
    breadth: int = 0
    contraction: int = 0
    batches: int = 0


LAUNCH = LaunchTable(
    gpu=SideBySide("probes", 1 << 23, breadth=1 << 19, contraction=1 << 21, batches=1 << 19),
    cpu=SideBySide("merge tree", 1 << 19, 1 << 18, breadth=1 << 19, contraction=1 << 21, batches=1 << 19),
    fpga=SideBySide("merge tree", 0),
    emulator=SideBySide("merge tree", 0),
    simulator=SideBySide("merge tree", 1 << 19, breadth=1 << 19, contraction=1 << 19, batches=1 << 19),
)


def side_by_side(device: Device, graph: Graph, options: Request, runs: int) -> type[Replicates] | None:
    """The engine that makes runs side by side; None: one after the other, each with the device alone."""
    simple, most = graph.undirected.without_self_loops, LAUNCH.of(device)
    arcs, method = simple.num_arcs, options.method
    if device.kernels != "ndrange" or arcs < 4:
        return None
    if options.exact:
        # 1000 runs by drv took the H200 25 ms side by side and 4.1 s one after the other at 23 000 vertices,
        # 0.63 and 8.2 s at 400 000 (docs/performance.md); a larger graph fills it with one run. A core has
        # nothing to synchronise in a merge tree of its own, and a run of 100 000 edges stays in its cache: so
        # up to half as many arcs even a single run is one launch on a CPU, instead of several probes.
        if arcs <= (most.arcs if runs > 1 else most.alone):
            return Serial if most.exact == "merge tree" else Probing
    elif runs == 1:
        pass  # the kernels for one run spread over the device, those below give a run a part of it
    elif method == "ebfs" and arcs <= most.breadth:
        from clgraph.sampling.explore import BreadthRuns

        return BreadthRuns
    elif method in CONTRACTING and arcs <= most.contraction:  # its passes over arcs take all runs
        from clgraph.sampling.contract import ContractRuns

        return ContractRuns
    elif method in ("drve", "dhyb") and arcs <= most.batches:
        # the kernel knows neither strong components nor parallel edges, and its integers end at FINEST
        known = options.connection == "weak" and not simple.is_multigraph
        return DrawRuns if known and options.chance.denominator <= FINEST else None
    return None


# --- One run ---


class Run(Protocol):
    """One run through a graph on a device: samples of decreasing size, each contained in the one before."""

    @property
    def way(self) -> str:
        """How the sample is found, in words: see `clgraph.Sample`."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know of how it was found."""

    @property
    def iterations(self) -> int:
        """Batches, probes or levels so far."""

    def start(self) -> int:
        """Find the input's largest component; returns its size."""

    def shrink_to(self, target: int, progress: Tell | None = None) -> None:
        """Find the sample for a target; targets of further calls do not increase."""

    def download(self) -> Selection:
        """What the last `shrink_to` left; it may stay on the device until it is looked at."""


class Batches(Run, Protocol):
    """A run in batches that records (deletions so far, vertices and edges left) after each of them."""

    keep_history: bool  # to be set before start()
    history: list[tuple[int, int, int]]


def make_run(device: Device, graph: Graph, options: Request, seed: int) -> Run:
    """The run of a method, with its arrays allocated and its kernels built."""
    simple = graph.undirected.without_self_loops
    method = options.method
    if method in CONTRACTING:
        from clgraph.sampling.contract import Contraction

        return Contraction(device, simple, seed, method=method)
    if method in EXPLORING:
        from clgraph.sampling.explore import ExploreRun

        return ExploreRun(device, simple, seed, method=method, start=options.root)
    if options.exact:
        from clgraph.sampling.threshold_search import ExactRun

        return ExactRun(device, simple, seed, edges=method == "dre")
    scan = FAR_SCAN.of(device) if options.far_scan is None else options.far_scan
    copra = Copra(device, simple, far_scan=scan)
    choice: ByDraw | ByPriority
    if method in ("drve", "dhyb"):
        choice = ByDraw(copra, seed, weight=options.chance)
    else:
        choice = ByPriority(copra, seed, edges=method == "dre")
    finder: Finder
    if options.connection == "strong":
        from clgraph.sampling.strong import StrongCopraFinder

        finder, way = StrongCopraFinder(copra, graph, graph_components(device, simple)), "strong"
    elif options.components == "bfs":
        finder, way = ArrayFrontier(copra, hub_of(device, simple)), "bfs"
    else:
        finder, way = finder_for(copra, simple, choice, vertices=method == "drv"), "afforest"
    return BatchedRun(copra, choice, finder, edges=method != "drv", tolerance=options.tolerance, way=way)


def make_views(device: Device, graph: Graph) -> None:
    """Make the view that every run works on; of a large directed graph on the device, where it is faster."""
    if graph.directed and graph.num_arcs >= SMALL and device.has_compiler:
        upload_csr(device, graph)
    graph.undirected.without_self_loops  # noqa: B018


def upload(device: Device, graph: Graph) -> None:
    """Bring the rows that every run works on to the device, where they stay."""
    upload_csr(device, graph.undirected.without_self_loops)
    device.finish()


def serial_device(device: Device) -> Device:
    """Where one work-item after the other is to run: the host's CPU if it has a driver, else the device."""
    from clgraph.device import get_device

    if device.kind in ("cpu", "emulator", "simulator"):
        return device
    try:
        return get_device("cpu", kernels="ndrange")
    except DeviceError:  # there is none that works
        return device
