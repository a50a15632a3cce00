"""Exact mode of drv and dre: the sample of the one-at-a-time loop, found by probes of a threshold.

Each thing has a priority; the loop deletes by increasing priority, and deletions outside the current graph
never matter. A probe labels the components at a threshold inside the component followed so far. The loop
follows one component: the largest one at a threshold is it only under a certificate (it holds more than half
of what was followed before), else the step was too far. The last few deletions are taken one by one on the
host (`MergeTree`). Host half of ``cl/sampling/exact.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, expm1, log, log1p
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from clgraph.components.finder import GiantFinder
from clgraph.csr.upload import upload_csr
from clgraph.errors import DeviceError
from clgraph.graph import Graph
from clgraph.sampling.bracket import TOP, Bracket
from clgraph.sampling.result import Left, Progress
from clgraph.sampling.whole import WholeFinder

if TYPE_CHECKING:
    from clgraph.device import Device

FEW = 768  # deletions that the host takes one by one
CAPACITY = 1 << 14
MUCH = 16  # a probe to which a 16th of all vertices is new looks from every vertex outside the giant


@dataclass(frozen=True)
class _State:
    """A followed component: `size` vertices labelled `root` in `label` at threshold `at`."""

    at: int
    size: int
    root: int
    label: Any


class ExactRun:
    """Samples of one graph, method and seed; ask for several targets in decreasing order and they are nested.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops.
    seed : int
    edges : bool
        Delete edges (dre) instead of vertices (drv).

    Attributes
    ----------
    iterations : int
        Probes: thresholds at which components were labelled.
    steps : int
        Deletions that the host took one by one.
    way : str
        "probes", or "merge tree" where the host took all deletions one by one.
    """

    def __init__(self, device: Device, graph: Graph, seed: int, *, edges: bool) -> None:
        self._device, self._graph, self._seed, self._edges = device, graph, seed, edges
        self._csr = csr = upload_csr(device, graph)
        self._n, self._copies = graph.num_vertices, graph.has_copies
        items = device.tuning.items
        self._passes = -(-self._n // items)
        things = csr.arcs if edges else csr.n
        device.reserve({"key": 4 * things, "labels": 12 * csr.n, "live": csr.n + csr.arcs})
        self._program = device.program(
            "sampling/exact", ITEMS=items, HAS_COPIES=int(self._copies), **csr.defines
        )
        wide = csr.offset is np.int64
        key_type: Literal["uint"] | None = "uint" if edges else None
        self._finder = GiantFinder(device, csr.n, csr.arcs, masked=True, arc_key=key_type, wide=wide)
        self._key = device.empty(max(things, 1), np.uint32)
        self._free = [device.empty(csr.n, np.int32) for _ in range(3)]
        self._counter = device.empty(1, np.int32)
        self._live_vertices = device.empty(csr.n, np.uint8)
        self._live_arcs = device.empty(max(csr.arcs, 1), np.uint8)
        self.iterations = self.steps = 0
        self.way = "merge tree"
        self._low: _State | None = None
        self._whole = WholeFinder(device, graph)
        self._kept: Any = None  # labels that stay with the graph

    # --- probes -----------------------------------------------------------------------------------

    def start(self) -> int:
        """Make the keys and find the input's largest component; returns its size."""
        csr, n = self._csr, np.int32(self._n)
        if self._edges:
            self._program.exact_edge_keys(
                self._passes, n, np.uint64(self._seed), csr.row_ptr, csr.col_idx, self._key
            )
        else:
            self._program.exact_vertex_keys(self._passes, n, np.uint64(self._seed), self._key)
        self.iterations += 1
        whole = self._whole.find()
        self._low, self._kept = _State(1, whole.size, whole.root, whole.label), whole.label
        return self._low.size

    def _recycle(self, state: _State) -> None:
        """The state is no longer wanted: its labels, if not those kept with the graph, are free to use."""
        if state.label is not self._kept:
            self._free.append(state.label)

    def _probe(self, low: _State, threshold: int, higher: _State | None) -> _State:
        """The largest component alive at `threshold` inside the one of `low`.

        What is known of a higher threshold makes it cheap: what is connected there is connected here.
        """
        self.iterations += 1
        label = self._free.pop()
        self._label(low, threshold, label, higher, newest=None if higher is None else higher.at - 1)
        root, size, _ = self._finder.largest_label(label)
        return _State(threshold, size, root, label)

    def _label(
        self,
        low: _State,
        threshold: int,
        label: Any,
        higher: _State | None,
        *,
        newest: int | None = None,
        revived: npt.NDArray[np.int32] | None = None,
    ) -> None:
        csr, n = self._csr, np.int32(self._n)
        by_key = np.uint32(0 if self._edges else threshold)
        known = (low.label, np.int32(0)) if higher is None else (higher.label, np.int32(1))
        self._program.exact_mask(
            self._passes, n, low.label, np.int32(low.root), self._key, by_key, *known, label
        )
        if revived is not None and len(revived):
            listed = self._device.upload(revived)
            self._program.exact_revive(self._over(len(revived)), np.int32(len(revived)), listed, label)
        keys: dict[str, Any] = {}
        if self._edges:
            keys = {"arc_key": self._key, "threshold": threshold, "newest": newest}
        elif newest is not None and (newest - threshold) * MUCH < TOP:
            keys = {"vertex_key": self._key, "newest": newest}
        self._finder.labels_into(
            csr.row_ptr, csr.row_ptr, csr.col_idx, label, begun=higher is not None, **keys
        )

    def _over(self, count: int) -> int:
        return -(-count // self._device.tuning.items)

    # --- the search -------------------------------------------------------------------------------

    def shrink_to(self, target: int, progress: Progress | None = None) -> None:
        """Find the sample for a target; `download` brings it. Targets of further calls must not increase.

        `progress` is called with (vertices known to go, vertices to go) after each step.
        """
        assert self._low is not None, "start() comes first"
        before = self._low.size
        high: _State | None = None
        seen_from = 0  # threshold of the bracket's lower end when `high` was held against it
        excess: tuple[float, float] | None = None  # size - target at the ends, for the false position
        moved = 0
        while self._low.size > target:
            low = self._low
            if progress:
                progress(before - low.size, before - target)
            upper = TOP if high is None else high.at
            if self._few(low, upper):
                high = high or self._probe(low, TOP, None)
                settled = self._settle(low, high, target)
                if settled is None:
                    self._recycle(high)
                    return
                # the loop follows a component of `high` that is still too large
                self._recycle(low)
                self._low, high, excess = settled, None, None
                continue
            self.way = "probes"
            if high is None:
                threshold = self._first_guess(low, target)
            else:
                if seen_from != low.at:
                    high, seen_from = self._inside(low, high), low.at
                if 2 * high.size <= low.size:  # not certified
                    threshold, excess = self._between(low, high), None
                elif high.size > target:
                    self._recycle(low)
                    self._low, high, excess = high, None, None
                    continue
                else:
                    if excess is None:
                        excess = (float(low.size - target), float(high.size - target) or -0.5)
                        moved = 0
                    share = excess[0] / (excess[0] - excess[1])
                    nudge = moved * self._keys_of(FEW) // 2  # so that the other end comes close too
                    threshold = low.at + int((upper - low.at) * share) + nudge
            found = self._probe(low, min(max(threshold, low.at + 1), upper - 1), high)
            if 2 * found.size > low.size and found.size > target:
                self._recycle(low)
                self._low = found
                if excess is not None:  # the Illinois rule: the end that stays counts half
                    excess = (float(found.size - target), excess[1] / 2 if moved == 1 else excess[1])
                moved = 1
            else:
                if high:
                    self._recycle(high)
                high, seen_from = found, low.at
                if excess is not None:
                    excess = (excess[0] / 2 if moved == -1 else excess[0], float(found.size - target) or -0.5)
                moved = -1
        if high:
            self._recycle(high)
        self._left(self._low)

    def _inside(self, low: _State, high: _State) -> _State:
        """The largest component at `high`'s threshold inside the one of `low`, which has shrunk since."""
        if high.size == 0 or self._gather(low.label, np.array([high.root], np.int32))[0] == low.root:
            return high
        again = self._probe(low, high.at, high)
        self._recycle(high)
        return again

    def _between(self, low: _State, high: _State) -> int:
        """A threshold on the way to `high`, in equal steps each of which may hope for the certificate."""
        ratio = max(high.size, 1) / low.size
        size = low.size * ratio ** (1 / max(2, ceil(log(ratio) / log(0.55))))
        return low.at + int((high.at - low.at) * (low.size - size) / (low.size - high.size))

    def _keys_of(self, things: int) -> int:
        """How far apart two thresholds are that so many things lie between."""
        return things * TOP // self._things

    @property
    def _things(self) -> int:
        return max(1, self._csr.arcs // 2 if self._edges else self._n)

    def _few(self, low: _State, upper: int) -> bool:
        """Whether the host may take the deletions between, one by one."""
        return upper - low.at <= max(1, self._keys_of(FEW))

    def _first_guess(self, low: _State, target: int) -> int:
        """Where a random graph of this mean degree would have a giant of the target's size, and a little on.

        A guess too far makes the probes that follow cheap; one too careful helps the certificate alone.
        """
        r = target / low.size
        mean = max(self._csr.arcs / self._n, 1e-9)
        if low.at > 1:
            gone = 1 - r**1.3
        elif self._edges:
            gone = 1 + log1p(-r) / (mean * r)
        else:
            gone = 1 - r / -expm1(-mean * r)
        gone = min(max(gone, 0.0), 1.0)
        return low.at + max(1, int((TOP - low.at) * (gone + 0.12 * (1 - gone) * (1 - r))))

    # --- the last deletions -----------------------------------------------------------------------

    def _settle(self, low: _State, high: _State, target: int) -> _State | None:
        """Take the deletions between two probed thresholds one by one.

        Returns the component followed at `high` where it is still larger than the target; else None, and the
        sample is found.
        """
        bracket = self._collect(low, high.at)
        self.steps += bracket.count
        labels = self._gather(high.label, bracket.touched)
        roots = np.unique(labels[labels >= 0])
        tree, top = bracket.undo(labels, roots, self._finder.sizes_of(high.label, roots))
        if top is None:  # no deletion inside: what was followed goes on
            return _State(high.at, low.size, low.root, high.label)
        if tree.size[top] != low.size:
            raise DeviceError(
                f"{self._device.name}: a component of {low.size} vertices came back with {tree.size[top]}; "
                "please report this"
            )
        node, last = tree.follow(top, target)
        if tree.size[node] > target:
            return _State(high.at, tree.size[node], int(roots[node]), high.label)
        assert last is not None
        self._final(low, high, bracket, last, tree.smallest[node])
        return None

    def _collect(self, low: _State, above: int) -> Bracket:
        """What dies inside the followed component from `low` up to a threshold, in the loop's order."""
        device, csr = self._device, self._csr
        capacity = CAPACITY
        bounds = (np.uint32(low.at), np.uint32(above), low.label, np.int32(low.root))
        while True:
            device.fill(self._counter, np.int32(0), 1)
            vertices = device.empty(capacity, np.int32)
            arcs = device.empty(capacity, csr.offset) if self._edges else None
            if self._edges:
                self._program.exact_collect_edges(
                    self._passes,
                    np.int32(self._n),
                    csr.row_ptr,
                    csr.col_idx,
                    self._key,
                    *bounds,
                    np.int32(capacity),
                    self._counter,
                    vertices,
                    arcs,
                )
            else:
                self._program.exact_collect_vertices(
                    self._passes,
                    np.int32(self._n),
                    self._key,
                    *bounds,
                    np.int32(capacity),
                    self._counter,
                    vertices,
                )
            count = int(device.download(self._counter, np.int32, 1)[0])
            if count <= capacity:
                break
            capacity = count
        vertex = device.download(vertices, np.int32, count)
        arc = device.download(arcs, csr.offset, count) if self._edges else None
        return Bracket(self._graph, self._seed, vertex, arc)

    def _gather(self, values: Any, places: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """values[places] of an int32 device buffer."""
        if len(places) == 0:
            return np.zeros(0, np.int32)
        out = self._device.empty(len(places), np.int32)
        listed = self._device.upload(np.ascontiguousarray(places, dtype=np.int32))
        self._program.exact_gather(self._over(len(places)), np.int32(len(places)), listed, values, out)
        return self._device.download(out, np.int32, len(places))

    # --- what is left -----------------------------------------------------------------------------

    def _final(self, low: _State, high: _State, bracket: Bracket, last: int, root: int) -> None:
        """The component `root` just after deletion `last` of the bracket: what dies later is alive still."""
        label = self._free.pop()
        if not self._edges:
            self._label(low, high.at, label, high, newest=high.at - 1, revived=bracket.vertex[last + 1 :])
            self._left(_State(high.at, 0, root, label))
        else:
            arcs, keys = bracket.arcs_after(last)
            self._set_keys(arcs, np.full(len(arcs), TOP, np.uint32))
            self._label(low, TOP, label, high)  # all the others have been joined
            self._left(_State(high.at, 0, root, label))
            self._set_keys(arcs, keys)
        self._free.append(label)

    def _set_keys(self, arcs: npt.NDArray[np.int64], keys: npt.NDArray[np.uint32]) -> None:
        if len(arcs):
            listed = self._device.upload(arcs.astype(self._csr.offset))
            self._program.exact_set_keys(
                self._over(len(arcs)), np.int32(len(arcs)), listed, self._device.upload(keys), self._key
            )
            self._device.finish()

    def _left(self, state: _State) -> None:
        """Mark the vertices and arcs of a component for `download`."""
        csr, n = self._csr, np.int32(self._n)
        label, root = state.label, np.int32(state.root)
        self._program.exact_live_vertices(self._passes, n, label, root, self._live_vertices)
        if self._edges:
            self._program.exact_live_arcs(
                self._passes, n, csr.row_ptr, self._key, np.uint32(state.at), label, root, self._live_arcs
            )
        else:
            self._program.exact_induced_arcs(
                self._passes, n, csr.row_ptr, csr.col_idx, self._live_vertices, self._live_arcs
            )

    def download(self) -> Left:
        """What `shrink_to` found last."""
        vertices = self._device.download(self._live_vertices, np.uint8, self._n)
        arcs = self._device.download(self._live_arcs, np.uint8, self._csr.arcs)
        return Left(vertices.view(np.bool_), arcs.view(np.bool_))
