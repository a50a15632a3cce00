"""The runs behind `clgraph.sample`: which engine serves a method, runs side by side or one after the other.

Where samples are to have a least size, runs are drawn again with other seeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from clgraph import keyed
from clgraph.components.finder import graph_components
from clgraph.csr.upload import SMALL, hub_of, upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.methods import CONTRACTING, EXPLORING, LITERATURE
from clgraph.progress import Tell
from clgraph.run import run_on
from clgraph.sampling.array_frontier import ArrayFrontier
from clgraph.sampling.batched import BatchedRun, Finder
from clgraph.sampling.copra import LAUNCH as FAR_SCAN
from clgraph.sampling.copra import Copra
from clgraph.sampling.draw import FINEST, ByDraw, ByPriority, DrawRuns
from clgraph.sampling.repair import finder_for
from clgraph.sampling.replicates import MergeTrees, Probes, Replicates
from clgraph.sampling.request import Request, Size, check_min_size, check_request, check_seeds, check_sizes
from clgraph.sampling.result import Sample
from clgraph.sampling.samples import Batch, Origin, Samples
from clgraph.sampling.selection import prepare_extraction
from clgraph.sampling.threshold_search import ExactRun

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.contract import Contraction, ContractRuns
    from clgraph.sampling.explore import ExploreRun


def draw_samples(graph: Graph, method: str, options: Mapping[str, Any]) -> Samples:
    """Return the samples of a graph as `clgraph.sample` does, which warns of those that collapsed.

    Parameters
    ----------
    graph : Graph
        With at least one vertex.
    method : str
        Its short name.
    options : mapping
        The keywords of `clgraph.sample`, `size`, `sizes` and `seeds` among them.
    """
    size, sizes, seeds = (options.get(name) for name in ("size", "sizes", "seeds"))
    if (min_size := options.get("min_size")) is not None:
        least = check_min_size(min_size, graph, method)
        return draw_large_enough(graph, method, {**options, "min_size": None}, least)[0]
    if method in LITERATURE:
        from clgraph.sampling.literature.runs import drawn_samples

        return Samples([drawn_samples(graph, method, size, sizes, seeds, options)])
    request = check_request(graph, method, options)
    wanted = check_sizes(graph, size, sizes, options.get("strict", False))
    first = keyed.check_seed(options.get("seed"))
    runs = 1 if seeds is None else check_seeds(first, seeds)

    started, progress = perf_counter(), options.get("progress")
    sections = ("pairs",) if request.mode == "exact" else ()
    run = run_on(options.get("device"), graph, *sections, values=True)
    with run.lock, run:
        device, run.seconds["device"] = run.device, perf_counter() - started
        if run.blocks is not None:
            from clgraph.sampling.shards.samples import samples_of_blocks

            given = run, run.blocks, graph, request
            return Samples([samples_of_blocks(*given, first + i, wanted, progress) for i in range(runs)])
        if graph.directed and graph.num_arcs >= SMALL and device.has_compiler:
            upload_csr(device, graph)  # a large undirected view is made faster on the device
        simple = graph.undirected.without_self_loops
        run.lap("build")
        upload_csr(device, simple)
        device.finish()
        run.lap("upload")
        call = Call(run, graph, request, wanted, progress)
        if strategy := side_by_side(device, graph, request, runs):
            return Samples(call.side_by_side(strategy, first, runs))
        return Samples([call.one_run(first + i) for i in range(runs)])


@dataclass(frozen=True)
class Call:
    """The runs of a call, on its device.

    Attributes
    ----------
    run : run_on
    graph : Graph
    request : Request
    wanted : list of (size, target)
    progress : callable or None
    """

    run: run_on
    graph: Graph
    request: Request
    wanted: list[tuple[Size, int]]
    progress: Tell | None

    def one_run(self, seed: int) -> list[Sample]:
        """Make one run, which has the device alone: a sample for each size, in the order given."""
        run, graph, request, device = self.run, self.graph, self.request, self.run.device
        run.forget("compile")
        before = list(device.launched)
        reduction = make_run(device, graph, request, seed)
        prepare_extraction(device, graph, induced=request.induced)
        run.lap("compile")
        whole = reduction.start()
        made: dict[int, Sample] = {}
        smaller: Graph | None = None
        # the largest first: samples are nested, and an induced one is cut out of the one before
        for size, target in sorted(self.wanted, key=lambda pair: -pair[1]):
            if target in made:
                continue
            reduction.shrink_to(target, self.progress)
            device.finish()
            run.forget("sample", "download", "result")
            run.lap("sample")
            selection = reduction.download()
            run.lap("download")
            smaller = selection.sampled(graph, larger=smaller)
            device.finish()
            run.lap("result")
            loops, provenance = graph.undirected.num_self_loops, device.provenance(before)
            origin = Origin(graph, loops, request, device.name, run.seconds, reduction.algorithm, provenance)
            counts = whole <= target, smaller.num_vertices, reduction.iterations
            one = origin.sample(size, target, seed, *counts, selection, notes=reduction.notes)
            made[target] = one._with_graph(smaller)
        return [made[target]._changed(size=size) for size, target in self.wanted]

    def side_by_side(self, strategy: type[Replicates | ContractRuns], first: int, runs: int) -> list[Batch]:
        """Make runs side by side, in portions that take a moment each."""
        device, started, graph = self.run.device, perf_counter(), self.graph
        before = list(device.launched)
        goals = [target for _, target in self.wanted]
        targets = sorted(set(goals), reverse=True)
        slots = [targets.index(target) for target in goals]
        engine = strategy(device, graph.undirected.without_self_loops, targets, self.request)
        seconds = {**self.run.seconds, "compile": perf_counter() - started}
        made: list[Batch] = []
        done, on_device, at_once = 0, 0, engine.at_first
        while done < runs:
            count = min(at_once, engine.most, runs - done)
            started = perf_counter()
            chosen = engine.run(first + done, count)
            on_device += engine.bytes_each * count
            # an eighth of the memory: the strategies plan with a quarter for their own buffers
            if on_device > device.global_memory // 8:
                chosen.leave()
            took = perf_counter() - started
            seconds["sample"] = took / count
            made_on = device.name, {**seconds}, engine.algorithm, device.provenance(before)
            origin = Origin(graph, graph.undirected.num_self_loops, self.request, *made_on)
            counts = chosen.counts[:, slots].reshape(-1, 3)
            asked = np.tile(goals, count)
            few = np.flatnonzero((2 * counts[:, 0] < asked) & (chosen.whole > asked)).tolist()
            make = partial(origin.sample_of_run, chosen, first + done, self.wanted, slots)
            made.append(Batch(make, len(counts), counts[:, :2].tolist(), few))
            done += count
            if self.progress:
                excess = max(0, chosen.whole - targets[-1])
                self.progress(done * excess, runs * excess)
            if took < BRIEF / 2:  # twice as many runs take twice as long: still within BRIEF
                at_once *= 2
            elif took > 2 * BRIEF:
                at_once = max(1, at_once // 2)
        return made


BRIEF = 0.2  # seconds that a launch of runs side by side should take, so that Ctrl-C is noticed


# --- Which engine serves a method: runs of many seeds ---


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
    depth : int
        Of depth-first samples, all runs in each launch. (No walk has to wait for another on GPUs; on CPUs
        nothing is gained.)
    contraction : int
        Of contractions, all runs in each launch.
    batches : int
        Of batches of drawn edges, a run a work-group.
    """

    exact: Literal["merge tree", "probes"]
    arcs: int
    alone: int = 0
    breadth: int = 0
    depth: int = 0
    contraction: int = 0
    batches: int = 0


LAUNCH = LaunchTable(
    gpu=SideBySide("probes", 1 << 23, breadth=1 << 19, depth=1 << 21, contraction=1 << 21, batches=1 << 19),
    cpu=SideBySide("merge tree", 1 << 19, 1 << 18, breadth=1 << 19, contraction=1 << 21, batches=1 << 19),
    fpga=SideBySide("merge tree", 0),
    emulator=SideBySide("merge tree", 0),
    simulator=SideBySide(
        "merge tree", 1 << 19, breadth=1 << 19, depth=1 << 19, contraction=1 << 19, batches=1 << 19
    ),
)


def side_by_side(
    device: Device, graph: Graph, request: Request, runs: int
) -> type[Replicates | ContractRuns] | None:
    """Return the strategy that makes runs side by side; None: one after the other, on the whole device."""
    simple, most = graph.undirected.without_self_loops, LAUNCH.of(device)
    arcs, method = simple.num_arcs, request.method
    if device.kernels != "ndrange" or arcs < 4:
        return None
    if request.mode == "exact":
        # 1000 runs by drv took the H200 25 ms side by side and 4.1 s one after the other at 23 000 vertices,
        # 0.63 and 8.2 s at 400 000 (docs/performance.md); a larger graph fills it with one run. A core has
        # nothing to synchronise in a merge tree of its own, and a run of 100 000 edges stays in its cache: so
        # up to half as many arcs even a single run is one launch on a CPU, instead of several probes.
        if arcs <= (most.arcs if runs > 1 else most.alone):
            return MergeTrees if most.exact == "merge tree" else Probes
    elif runs == 1:
        pass  # the kernels for one run spread over the device, those below give a run a part of it
    elif method == "ebfs" and arcs <= most.breadth:
        from clgraph.sampling.explore import BreadthRuns  # which loads searches and pyopencl

        return BreadthRuns
    elif method == "edfs" and arcs <= most.depth:
        from clgraph.sampling.explore import DepthRuns  # likewise

        return DepthRuns
    elif method in CONTRACTING and arcs <= most.contraction:  # its passes over arcs take all runs
        from clgraph.sampling.contract import ContractRuns  # which loads pyopencl

        return ContractRuns
    elif method in ("drve", "dhyb") and arcs <= most.batches:
        # the kernel knows neither strong components nor parallel edges, and its integers end at FINEST
        known = request.connection == "weak" and not simple.is_multigraph
        return DrawRuns if known and request.chance.denominator <= FINEST else None
    return None


# --- Which engine serves a method: one run, which has the device alone ---


def make_run(
    device: Device, graph: Graph, request: Request, seed: int
) -> BatchedRun | ExactRun | Contraction | ExploreRun:
    """Return the run of a method, with its arrays allocated and its kernels built.

    It gives samples of decreasing size, each contained in the one before: `start` finds the input's largest
    component and returns its size, `shrink_to` the sample for a target, `download` its selection, which may
    stay on the device until it is looked at.
    """
    simple = graph.undirected.without_self_loops
    method = request.method
    if method in CONTRACTING:
        from clgraph.sampling.contract import Contraction

        return Contraction(device, simple, seed, method=method)
    if method in EXPLORING:
        from clgraph.sampling.explore import BreadthFirst, DepthFirst

        explore = BreadthFirst if method == "ebfs" else DepthFirst
        return explore(device, simple, seed, start=request.root)
    if request.mode == "exact":
        return ExactRun(device, simple, seed, edges=method == "dre")
    # an FPGA reads long bursts faster than it searches
    scan = FAR_SCAN.of(device) if request.far_scan is None else request.far_scan
    copra = Copra(device, simple, far_scan=scan)
    choice: ByDraw | ByPriority
    if method in ("drve", "dhyb"):
        choice = ByDraw(copra, seed, weight=request.chance)
    else:
        choice = ByPriority(copra, seed, edges=method == "dre")
    finder: Finder
    if request.connection == "strong":
        from clgraph.sampling.strong import StrongCopraFinder

        finder, algorithm = StrongCopraFinder(copra, graph, graph_components(device, simple)), "strong"
    elif request.components == "bfs":
        finder, algorithm = ArrayFrontier(copra, hub_of(device, simple)), "bfs"
    else:
        finder, algorithm = finder_for(copra, simple, choice, vertices=method == "drv"), "afforest"
    return BatchedRun(
        copra, choice, finder, edges=method != "drv", tolerance=request.tolerance, algorithm=algorithm
    )


# --- Runs whose samples are too small, drawn again with other seeds ---


# seeds that are tried for a run, before an error asks for other sizes
TRIES = 20


def draw_large_enough(
    graph: Graph, method: str, options: Mapping[str, Any], least: int, following: int | None = None
) -> tuple[Samples, list[str], int]:
    """Draw samples; a run with one of fewer than `least` vertices is drawn again, as its notes say.

    Parameters
    ----------
    graph, method, options
        As `draw_samples`.
    least : int
    following : int, optional
        The first seed that no run has.

    Returns
    -------
    samples : Samples
    notes : list of str
    following : int

    Raises
    ------
    InputError
        If no seed gives samples that are large enough.
    """
    made = draw_samples(graph, method, options)
    sizes = options.get("sizes")
    each = 1 if sizes is None else len(sizes)
    following = made[-1].seed + 1 if following is None else following
    runs: list[Sequence[Sample]] = []
    all_notes: list[str] = []
    for at in range(0, len(made), each):
        run, notes = made[at : at + each], list[str]()
        while (fewest := min(one.num_vertices for one in run)) < least:
            if len(notes) == TRIES:
                raise InputError(
                    f"{TRIES} seeds in a row, up to {run[0].seed}, give samples of fewer than {least} "
                    "vertices; ask for a smaller min_size or for a larger size"
                )
            notes.append(
                f"seed {run[0].seed} gave a sample of {fewest} vertices, below min_size {least}: "
                f"seed {following} was drawn instead"
            )
            run = draw_samples(graph, method, {**options, "seed": following, "seeds": 1})
            following += 1
        runs.append([one._changed(notes=(*one.notes, *notes)) for one in run] if notes else run)
        all_notes += notes
    return Samples(runs), all_notes, following
