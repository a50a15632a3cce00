"""The run on a device that each sampling method takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from clgraph.components.kept import graph_components
from clgraph.csr.upload import SMALL, hub_of, upload_csr
from clgraph.errors import DeviceError
from clgraph.graph import Graph
from clgraph.methods import CONTRACTING, EXPLORING
from clgraph.progress import Tell
from clgraph.sampling.array_frontier import ArrayFrontier
from clgraph.sampling.batched import BatchedRun, Finder
from clgraph.sampling.copra import SHAPES as FAR_SCAN
from clgraph.sampling.copra import Copra
from clgraph.sampling.draw import ByDraw
from clgraph.sampling.repair import finder_for
from clgraph.sampling.request import Request
from clgraph.sampling.result import SomeLeft
from clgraph.sampling.select import ByPriority

if TYPE_CHECKING:
    from clgraph.device import Device


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

    def download(self) -> SomeLeft:
        """What the last `shrink_to` left; it may stay on the device until it is looked at."""


class Batches(Run, Protocol):
    """A run in batches that records (deletions so far, vertices and edges left) after each of them."""

    keep_history: bool  # to be set before start()
    history: list[tuple[int, int, int]]


def make_run(device: Device, graph: Graph, options: Request, seed: int) -> Run:
    """The run of a method, with its arrays allocated and its kernels built."""
    simple = graph.undirected.simple
    method = options.method
    if method in CONTRACTING:
        from clgraph.sampling.contract import ContractRun

        return ContractRun(device, simple, seed, method=method)
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
    graph.undirected.simple  # noqa: B018


def upload(device: Device, graph: Graph) -> None:
    """Bring the rows that every run works on to the device, where they stay."""
    upload_csr(device, graph.undirected.simple)
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
