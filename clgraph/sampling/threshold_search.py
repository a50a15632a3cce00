"""Exact mode of drv and dre: the sample of the one-at-a-time loop, found by probing thresholds.

Each thing has a priority. The loop deletes by increasing priority, and deletions outside the current
component never matter. A probe (``cl/sampling/exact.cl``) labels the components alive at a
threshold inside the component followed so far. The largest of them is certainly the one that the loop follows
if it holds more than half of the vertices followed before (the certificate); otherwise the step was too far.
The last few deletions are taken one by one on the host (`MergeTree`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, expm1, log, log1p
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.components.finder import graph_components
from clgraph.csr.compact import SomeRows, host_rows, some_rows
from clgraph.csr.upload import upload_csr
from clgraph.errors import DeviceError
from clgraph.graph import Graph
from clgraph.progress import Tell
from clgraph.sampling.merge_tree import TOP, Bracket
from clgraph.sampling.selection import Selection, component_marks, marked_bytes, marks_program

if TYPE_CHECKING:
    from clgraph.device import Device


CAPACITY = 1 << 14  # room for collected deletions at first
MUCH = 16  # if a probe adds a 16th of all vertices or more, every vertex outside the giant is visited


@dataclass(frozen=True)
class State:
    """A followed component: `size` vertices labelled `root` in `label` at threshold `at`."""

    at: int
    size: int
    root: int
    label: Any


FEW = 768  # deletions that the host takes one by one


class ExactRun:
    """Samples of one graph, method and seed; for targets in decreasing order they are nested.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops.
    seed : int
    edges : bool
        Delete edges (dre) instead of vertices (drv): these have the keys.

    Attributes
    ----------
    iterations : int
        Thresholds probed so far, the input's own components included.
    algorithm : str
        "probes", or "merge tree" where the host took all deletions one by one.
    things : int
        Vertices, or edges, that have keys; at least 1.
    mean_degree : float
    finder : GiantFinder
    root : int
        A vertex of what was marked last.
    """

    notes: tuple[str, ...] = ()
    root: int
    _low: State  # the component that the loop certainly follows; from `start` on
    _marked: Selection

    def __init__(self, device: Device, graph: Graph, seed: int, *, edges: bool) -> None:
        self.device, self.graph, self.seed, self.edges = device, graph, seed, edges
        self.csr = csr = upload_csr(device, graph)
        self.n, self.row_ptr, self.col_idx = csr.n, csr.row_ptr, csr.col_idx
        items = device.tuning.items
        self.passes = -(-csr.n // items)
        keys = csr.arcs if edges else csr.n
        device.reserve({"key": 4 * keys, "labels": 12 * csr.n, "live": csr.n + csr.arcs})
        self.program = device.program(
            "sampling/exact", ITEMS=items, HAS_COPIES=int(graph.is_multigraph), **csr.defines
        )
        self.components = graph_components(device, graph)
        self.finder = self.components.masked(arc_keys=edges)
        marks_program(device, csr)  # built before a clock sees it
        self.key = device.empty(max(keys, 1), np.uint32)
        # of the lower and the upper end of the bracket, and of the threshold that is being probed
        self.free = [device.empty(csr.n, np.int32) for _ in range(3)]
        self.counter = device.empty(1, np.int32)
        self.cached_label: Any = None  # stays with the graph
        self.iterations = 0
        self.things = max(1, csr.arcs // 2 if edges else csr.n)
        self.mean_degree = csr.arcs / csr.n
        self.algorithm = "merge tree"

    # --- labels -----------------------------------------------------------------------------------

    def start(self) -> int:
        """Make the keys and find the input's largest component; returns its size."""
        keys = self.program.exact_edge_keys if self.edges else self.program.exact_vertex_keys
        keys.launch(self, self.passes)
        self.iterations += 1
        largest = self.components.largest()
        self.cached_label = largest.label
        self._low = State(1, largest.size, largest.root, largest.label)
        return largest.size

    def recycle(self, state: State) -> None:
        """Take back the labels of a state that is no longer needed, unless they stay with the graph."""
        if state.label is not self.cached_label:
            self.free.append(state.label)

    def probe(self, low: State, threshold: int, higher: State | None) -> State:
        """The largest component alive at `threshold` inside the one of `low`.

        A state at a higher threshold makes it cheaper: what is connected there is connected here.
        """
        self.iterations += 1
        label = self.free.pop()
        self._label(low, threshold, label, higher, newest=None if higher is None else higher.at - 1)
        root, size, _ = self.finder.largest_label(label)
        return State(threshold, size, root, label)

    def _label(
        self,
        low: State,
        threshold: int,
        label: Any,
        higher: State | None,
        *,
        newest: int | None = None,
        revived: npt.NDArray[np.int32] | None = None,
    ) -> None:
        self.program.exact_mask.launch(
            self,
            self.passes,
            inside=low.label,
            root=low.root,
            threshold=0 if self.edges else threshold,
            known=(low if higher is None else higher).label,
            begun=higher is not None,
            label=label,
        )
        if revived is not None and len(revived):
            listed = self.device.upload(revived)
            self.program.exact_revive(self._over(len(revived)), count=len(revived), list=listed, label=label)
        keys: dict[str, Any] = {}
        if self.edges:
            keys = {"arc_key": self.key, "threshold": threshold, "newest": newest}
        elif newest is not None and (newest - threshold) * MUCH < TOP:
            keys = {"vertex_key": self.key, "newest": newest}
        rows = self.row_ptr, self.row_ptr, self.col_idx
        self.finder.labels_into(*rows, label, begun=higher is not None, **keys)

    def _over(self, count: int) -> int:
        """Work-items of a pass over `count` list entries."""
        return -(-count // self.device.tuning.items)

    # --- the deletions between two thresholds -----------------------------------------------------

    def collect(self, low: State, above: int) -> Bracket:
        """The deletions inside the followed component from `low` up to a threshold, in the loop's order."""
        device, csr, capacity = self.device, self.csr, CAPACITY
        inside = {"low": low.at, "high": above, "inside": low.label, "root": low.root, "count": self.counter}
        while True:
            device.clear(self.counter, 1, np.int32)
            vertices, arcs = device.empty(capacity, np.int32), None
            if self.edges:
                arcs = device.empty(capacity, csr.offset)
                into = {"tail": vertices, "arc": arcs, "capacity": capacity}
                self.program.exact_collect_edges.launch(self, self.passes, **inside, **into)
            else:
                into = {"list": vertices, "capacity": capacity}
                self.program.exact_collect_vertices.launch(self, self.passes, **inside, **into)
            count = int(device.download(self.counter, np.int32, 1)[0])
            if count <= capacity:
                break
            capacity = count
        vertex = device.download(vertices, np.int32, count)
        arc = device.download(arcs, csr.offset, count) if self.edges else None
        return Bracket(self._rows_of, self.seed, vertex, arc, is_multigraph=self.graph.is_multigraph)

    def _rows_of(self, vertices: npt.NDArray[np.int32]) -> SomeRows:
        graph, device = self.graph, self.device
        if graph.is_on_host or not device.has_compiler:
            return host_rows(graph.row_ptr, graph.col_idx, vertices)
        return some_rows(device, self.csr, vertices)

    def gather(self, values: Any, positions: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """``values[positions]`` of an int32 device buffer, on the host."""
        if len(positions) == 0:
            return np.zeros(0, np.int32)
        out = self.device.empty(len(positions), np.int32)
        listed = self.device.upload(np.ascontiguousarray(positions, dtype=np.int32))
        self.program.exact_gather(
            self._over(len(positions)), count=len(positions), places=listed, values=values, out=out
        )
        return self.device.download(out, np.int32, len(positions))

    # --- what is left -----------------------------------------------------------------------------

    def mark(self, state: State) -> None:
        """Mark the vertices and arcs of a component."""
        device, csr, arcs = self.device, self.csr, None
        self.root = state.root
        if self.edges:
            arcs = device.output(csr.arcs, np.uint8)
            named = {"threshold": state.at, "label": state.label, "live": arcs}
            self.program.exact_live_arcs.launch(self, self.passes, **named)
        self._marked = marked_bytes(device, csr, component_marks(device, csr, state.label, state.root), arcs)

    def download(self) -> Selection:
        """Return the selection that was marked last."""
        return self._marked

    def mark_after(self, low: State, high: State, bracket: Bracket, last: int, root: int) -> None:
        """Mark the component `root` just after deletion `last` of the bracket: the later ones are undone."""
        label = self.free.pop()
        if not self.edges:
            self._label(low, high.at, label, high, newest=high.at - 1, revived=bracket.vertex[last + 1 :])
            self.mark(State(high.at, 0, root, label))
        else:
            arcs, keys = bracket.arcs_after(last)
            self._set_keys(arcs, np.full(len(arcs), TOP, np.uint32))
            self._label(low, TOP, label, high)  # all other arcs have been joined
            self.mark(State(high.at, 0, root, label))
            self._set_keys(arcs, keys)
        self.free.append(label)

    def _set_keys(self, arcs: npt.NDArray[np.int64], keys: npt.NDArray[np.uint32]) -> None:
        if len(arcs):
            named = {
                "arcs": self.device.upload(arcs.astype(self.csr.offset)),
                "keys": self.device.upload(keys),
            }
            self.program.exact_set_keys.launch(self, self._over(len(arcs)), count=len(arcs), **named)
            self.device.finish()

    # --- the search -------------------------------------------------------------------------------

    def shrink_to(self, target: int, progress: Tell | None = None) -> None:
        """Find the sample for a target; `download` returns it. Targets of further calls must not increase.

        `progress` is called with (vertices known to be deleted, vertices to delete) before each step.
        """
        before = self._low.size
        high: State | None = None
        seen_from = 0  # threshold of the bracket's lower end when `high` was found inside it
        excess: tuple[float, float] | None = None  # size - target at both ends, for the false position
        moved = 0  # which end moved last: 1 the lower, -1 the upper
        while self._low.size > target:
            low = self._low
            if progress:
                progress(before - low.size, before - target)
            upper = TOP if high is None else high.at
            if self._few(low, upper):
                high = high or self.probe(low, TOP, None)
                settled = self._settle(low, high, target)
                if settled is None:
                    self.recycle(high)
                    return
                # the loop follows a component of `high` that is still too large
                self.recycle(low)
                self._low, high, excess = settled, None, None
                continue
            self.algorithm = "probes"
            if high is None:
                threshold = self._first_guess(low, target)
            else:
                if seen_from != low.at:
                    high, seen_from = self._inside(low, high), low.at
                if 2 * high.size <= low.size:  # not certified
                    threshold, excess = self._between(low, high), None
                elif high.size > target:
                    self.recycle(low)
                    self._low, high, excess = high, None, None
                    continue
                else:
                    if excess is None:
                        excess = (float(low.size - target), float(high.size - target) or -0.5)
                        moved = 0
                    share = excess[0] / (excess[0] - excess[1])
                    nudge = moved * self._keys_of(FEW) // 2  # so that the other end comes closer too
                    threshold = low.at + int((upper - low.at) * share) + nudge
            found = self.probe(low, min(max(threshold, low.at + 1), upper - 1), high)
            if 2 * found.size > low.size and found.size > target:
                self.recycle(low)
                self._low = found
                if excess is not None:  # the Illinois rule: the end that stays counts half as much
                    excess = (float(found.size - target), excess[1] / 2 if moved == 1 else excess[1])
                moved = 1
            else:
                if high:
                    self.recycle(high)
                high, seen_from = found, low.at
                if excess is not None:
                    excess = (excess[0] / 2 if moved == -1 else excess[0], float(found.size - target) or -0.5)
                moved = -1
        if high:
            self.recycle(high)
        self.mark(self._low)

    def _inside(self, low: State, high: State) -> State:
        """The largest component at `high`'s threshold inside the one of `low`, which has shrunk meanwhile."""
        if high.size == 0 or self.gather(low.label, np.array([high.root], np.int32))[0] == low.root:
            return high
        again = self.probe(low, high.at, high)
        self.recycle(high)
        return again

    def _between(self, low: State, high: State) -> int:
        """A threshold on the way to `high`, by steps small enough to expect the certificate at each."""
        ratio = max(high.size, 1) / low.size
        # the certificate takes more than half of the vertices: a step that leaves 0.55 has a margin
        size = low.size * ratio ** (1 / max(2, ceil(log(ratio) / log(0.55))))
        return low.at + int((high.at - low.at) * (low.size - size) / (low.size - high.size))

    def _keys_of(self, things: int) -> int:
        """The distance of two thresholds with `things` vertices or edges between them, on average."""
        return things * TOP // self.things

    def _few(self, low: State, upper: int) -> bool:
        """True if the deletions in between are few enough for the host to take them one by one."""
        span = upper - low.at
        if span <= max(1, self._keys_of(FEW)):
            return True
        # what is left inside a small component has its keys anywhere up to TOP
        inside = low.size * (self.mean_degree / 2 if self.edges else 1)
        return inside * span <= FEW * (TOP - low.at)

    def _first_guess(self, low: State, target: int) -> int:
        """Guess the threshold at which a random graph of this mean degree has a giant of the target's size.

        A guess that is too high makes the following probes cheap; one that is too low helps only the
        certificate.
        """
        r = target / low.size
        mean = max(self.mean_degree, 1e-9)
        if low.at > 1:
            gone = 1 - r**1.3
        elif self.edges:
            gone = 1 + log1p(-r) / (mean * r)
        else:
            gone = 1 - r / -expm1(-mean * r)
        gone = min(max(gone, 0.0), 1.0)
        return low.at + max(1, int((TOP - low.at) * (gone + 0.12 * (1 - gone) * (1 - r))))

    # --- the last deletions -----------------------------------------------------------------------

    def _settle(self, low: State, high: State, target: int) -> State | None:
        """Take the deletions between two probed thresholds one by one.

        Returns the component followed at `high` if it is still larger than the target. Otherwise the sample
        has been found and marked, and None is returned.
        """
        bracket = self.collect(low, high.at)
        labels = self.gather(high.label, bracket.touched)
        roots = np.unique(labels[labels >= 0])
        tree, top = bracket.undo(labels, roots, self.finder.sizes_of(high.label, roots))
        if top is None:  # no deletion inside: the followed component is unchanged
            return State(high.at, low.size, low.root, high.label)
        if tree.size[top] != low.size:
            raise DeviceError(
                f"{self.device.name}: a component of {low.size} vertices came back with {tree.size[top]}; "
                "please report this"
            )
        node, last = tree.follow(top, target)
        if tree.size[node] > target:
            return State(high.at, tree.size[node], int(roots[node]), high.label)
        assert last is not None
        self.mark_after(low, high, bracket, last, tree.smallest[node])
        return None
