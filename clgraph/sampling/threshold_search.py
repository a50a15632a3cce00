"""Exact mode of drv and dre: the sample of the one-at-a-time loop, found by probing thresholds.

Each thing has a priority. The loop deletes by increasing priority, and deletions outside the current
component never matter. A probe (`clgraph.sampling.exact`) labels the components alive at a threshold inside
the component followed so far. The largest of them is certainly the one that the loop follows if it holds more
than half of the vertices followed before (the certificate); otherwise the step was too far. The last few
deletions are taken one by one on the host (`MergeTree`).
"""

from __future__ import annotations

from math import ceil, expm1, log, log1p
from typing import TYPE_CHECKING

import numpy as np

from clgraph.errors import DeviceError
from clgraph.graph import Graph
from clgraph.progress import Tell
from clgraph.sampling.bracket import TOP
from clgraph.sampling.exact import Probes, State
from clgraph.sampling.marks import LeftThere

if TYPE_CHECKING:
    from clgraph.device import Device

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

    notes: tuple[str, ...] = ()

    def __init__(self, device: Device, graph: Graph, seed: int, *, edges: bool) -> None:
        self._device, self._edges = device, edges
        self._probes = Probes(device, graph, seed, edges=edges)
        self.steps = 0
        self.way = "merge tree"
        self._low: State | None = None

    @property
    def iterations(self) -> int:
        """Thresholds probed so far."""
        return self._probes.count

    def start(self) -> int:
        """Make the keys and find the input's largest component; returns its size."""
        self._low = self._probes.begin()
        return self._low.size

    def download(self) -> LeftThere:
        """What `shrink_to` found last."""
        return self._probes.download()

    def shrink_to(self, target: int, progress: Tell | None = None) -> None:
        """Find the sample for a target; `download` returns it. Targets of further calls must not increase.

        `progress` is called with (vertices known to be deleted, vertices to delete) before each step.
        """
        assert self._low is not None, "call start() first"
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
                high = high or self._probes.probe(low, TOP, None)
                settled = self._settle(low, high, target)
                if settled is None:
                    self._probes.recycle(high)
                    return
                # the loop follows a component of `high` that is still too large
                self._probes.recycle(low)
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
                    self._probes.recycle(low)
                    self._low, high, excess = high, None, None
                    continue
                else:
                    if excess is None:
                        excess = (float(low.size - target), float(high.size - target) or -0.5)
                        moved = 0
                    share = excess[0] / (excess[0] - excess[1])
                    nudge = moved * self._keys_of(FEW) // 2  # so that the other end comes closer too
                    threshold = low.at + int((upper - low.at) * share) + nudge
            found = self._probes.probe(low, min(max(threshold, low.at + 1), upper - 1), high)
            if 2 * found.size > low.size and found.size > target:
                self._probes.recycle(low)
                self._low = found
                if excess is not None:  # the Illinois rule: the end that stays counts half as much
                    excess = (float(found.size - target), excess[1] / 2 if moved == 1 else excess[1])
                moved = 1
            else:
                if high:
                    self._probes.recycle(high)
                high, seen_from = found, low.at
                if excess is not None:
                    excess = (excess[0] / 2 if moved == -1 else excess[0], float(found.size - target) or -0.5)
                moved = -1
        if high:
            self._probes.recycle(high)
        self._probes.mark(self._low)

    def _inside(self, low: State, high: State) -> State:
        """The largest component at `high`'s threshold inside the one of `low`, which has shrunk meanwhile."""
        if high.size == 0 or self._probes.gather(low.label, np.array([high.root], np.int32))[0] == low.root:
            return high
        again = self._probes.probe(low, high.at, high)
        self._probes.recycle(high)
        return again

    def _between(self, low: State, high: State) -> int:
        """A threshold on the way to `high`, by steps small enough to expect the certificate at each."""
        ratio = max(high.size, 1) / low.size
        size = low.size * ratio ** (1 / max(2, ceil(log(ratio) / log(0.55))))
        return low.at + int((high.at - low.at) * (low.size - size) / (low.size - high.size))

    def _keys_of(self, things: int) -> int:
        """The distance of two thresholds with `things` vertices or edges between them, on average."""
        return things * TOP // self._probes.things

    def _few(self, low: State, upper: int) -> bool:
        """Whether so few deletions lie between that the host takes them one by one."""
        return upper - low.at <= max(1, self._keys_of(FEW))

    def _first_guess(self, low: State, target: int) -> int:
        """Where a random graph of this mean degree would have a giant of the target's size, plus a little.

        A guess that is too high makes the following probes cheap; one that is too low helps only the
        certificate.
        """
        r = target / low.size
        mean = max(self._probes.mean_degree, 1e-9)
        if low.at > 1:
            gone = 1 - r**1.3
        elif self._edges:
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
        bracket = self._probes.collect(low, high.at)
        self.steps += bracket.count
        labels = self._probes.gather(high.label, bracket.touched)
        roots = np.unique(labels[labels >= 0])
        tree, top = bracket.undo(labels, roots, self._probes.finder.sizes_of(high.label, roots))
        if top is None:  # no deletion inside: the followed component is unchanged
            return State(high.at, low.size, low.root, high.label)
        if tree.size[top] != low.size:
            raise DeviceError(
                f"{self._device.name}: a component of {low.size} vertices came back with {tree.size[top]}; "
                "please report this"
            )
        node, last = tree.follow(top, target)
        if tree.size[node] > target:
            return State(high.at, tree.size[node], int(roots[node]), high.label)
        assert last is not None
        self._probes.mark_after(low, high, bracket, last, tree.smallest[node])
        return None
