"""The largest component in COPRA, followed from batch to batch: host half of ``cl/sampling/repair.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from clgraph.graph import Graph
from clgraph.sampling.afforest import LinkCompress
from clgraph.sampling.copra import Copra
from clgraph.sampling.whole import WholeFinder

if TYPE_CHECKING:
    pass

LISTED, FILLED, LOST, DEEP = range(4)  # places in the tally
NOWHERE = 0x80808080  # four vertices that are undone
WAVES = 64  # so many, and looking at everything is cheaper


class Removal(Protocol):
    """What a choice removed last."""

    def removed(self) -> tuple[Any, Any, int]:
        """Vertices, and slots in their rows (None: the vertices themselves went), and how many."""


def finder_for(copra: Copra, graph: Graph, choice: Removal, *, vertices: bool) -> Repair | LinkCompress:
    """The finder that is faster on the device; both find the same (arguments as of `Repair`)."""
    if copra.device.kind == "cpu":
        return Repair(copra, graph, choice, vertices=vertices)
    return LinkCompress(copra)


class Repair:
    """A finder for the batched loop whose work goes with the batch; looks at everything where that fails.

    Parameters
    ----------
    copra : Copra
    graph : Graph
        Which `copra` was made of.
    choice : Removal
        What removes the batches.
    vertices : bool
        Whether the things removed are vertices.
    """

    def __init__(self, copra: Copra, graph: Graph, choice: Removal, *, vertices: bool) -> None:
        device, n = copra.device, copra.n
        self._copra, self._graph, self._choice, self._vertices = copra, graph, choice, vertices
        self._all = LinkCompress(copra)
        self._whole = WholeFinder(device, graph)
        self._words = n // 4 + 1
        device.reserve({"level": 4 * self._words, "list": 8 * n})
        self._level = device.empty(self._words, np.uint32)
        self._list = device.empty(2 * n, np.int32)
        self._tally = device.empty(4, np.int32)
        self._program = device.program(
            "sampling/repair", ITEMS=device.tuning.items, WHOLE_ROWS=int(vertices), **copra.csr.defines
        )
        self._begun = self._follows = False  # whether the levels hold
        self._hub = -1  # the vertex of level 0
        self._listed = 0  # vertices on the list

    def find(self, live: int) -> tuple[Any, int, int]:
        """(label buffer, label of the largest component, its size) among `live` vertices.

        Where the component was followed there are no labels: None and 0 in their places.
        """
        if not self._begun:
            return self._begin()
        if self._follows and self._is_there(self._hub):
            size = live - self._repair()
            if 2 * size > live:
                return None, 0, size
            # another one may be larger, or as large and have the smallest vertex
        return self._all.find(live)

    def keep(self, label: Any, keep: int) -> int:
        """Remove every vertex outside that component; returns the number of edges that went with them."""
        copra, device, count = self._copra, self._copra.device, self._listed
        self._listed = 0
        if label is None:
            self._program.repair_remove(
                self._over(count),
                np.int32(count),
                self._list,
                copra.csr.row_ptr,
                self._level,
                copra.v_start,
                copra.v_end,
                copra.edges,
                self._tally,
            )
            return self._count(LOST) // 2
        if self._follows:
            self._follows = bool(device.download(label, np.int32, 1, offset=self._hub)[0] == keep)
        return self._all.keep(label, keep)

    def _begin(self) -> tuple[Any, int, int]:
        device = self._copra.device
        whole = self._whole.find()
        self._hub, level = device.cached(self._graph, "levels", self._find_levels)
        if level is not None:
            device.copy(self._level, level, 4 * self._words)
        self._begun, self._follows = True, level is not None
        return whole.label, whole.root, whole.size

    def _find_levels(self) -> tuple[int, Any]:
        """A vertex of the largest component, and levels by the distance from it; None if one is too far.

        It is the vertex of highest degree, if that is in the component.
        """
        device, graph = self._copra.device, self._graph
        whole = self._whole.find()
        hub = int(graph.degrees.argmax())
        if device.download(whole.label, np.int32, 1, offset=hub)[0] != whole.root:
            hub = whole.root
        device.fill(self._level, np.uint32(NOWHERE), self._words)
        device.fill(self._tally, np.int32(0), 4)
        self._program.repair_begin(1, np.int32(hub), self._level, self._list, self._tally)
        self._spread(0, 0)
        if self._count(DEEP):
            return hub, None
        level = device.empty(self._words, np.uint32)
        device.copy(level, self._level, 4 * self._words)
        return hub, level

    def _spread(self, listed: int, done: int) -> int:
        """Set up the undone neighbours of all that were set up from the `done`-th on; how many there are."""
        rows = (self._copra.csr.row_ptr, self._copra.edges)
        while (upto := self._count(FILLED)) > done:
            self._program.repair_spread(
                self._over(upto - done),
                np.int32(listed),
                np.int32(done),
                np.int32(upto),
                *rows,
                self._level,
                self._list,
                self._tally,
            )
            done = upto
        return done

    def _repair(self) -> int:
        """Number of live vertices that are no longer connected with the hub; all of them if it gave up."""
        program, device, csr = self._program, self._copra.device, self._copra.csr
        rows = (csr.row_ptr, self._copra.edges)
        state = (self._level, self._list, self._tally)
        vertices, slots, count = self._choice.removed()
        if self._listed == 0:  # else the batch is a part of one that was taken back: no more hangs loose
            device.fill(self._tally, np.int32(0), 4)
            if self._vertices:
                program.repair_vertices(self._over(count), np.int32(count), vertices, *state)
            else:
                program.repair_edges(
                    self._over(count), np.int32(count), vertices, slots, csr.col_idx, *rows, *state
                )
            waves = 0
            while (upto := self._count(LISTED)) > self._listed:
                if waves == WAVES:
                    self._follows = False
                    return self._copra.n
                program.repair_wave(
                    self._over(upto - self._listed),
                    np.int32(self._listed),
                    np.int32(upto),
                    csr.col_idx,
                    *rows,
                    *state,
                )
                self._listed = upto
                waves += 1
        done = self._count(FILLED)
        program.repair_mend(self._over(self._listed), np.int32(self._listed), *rows, *state)
        done = self._spread(self._listed, done)
        if self._count(DEEP):
            self._follows = False
            return self._copra.n
        # removed vertices are on the list, too
        return self._listed - done - (count if self._vertices else 0)

    def _is_there(self, vertex: int) -> bool:
        copra = self._copra
        return bool(copra.device.download(copra.v_start, copra.offset, 1, offset=vertex)[0] >= 0)

    def _count(self, which: int) -> int:
        return int(self._copra.device.download(self._tally, np.int32, 1, offset=which)[0])

    def _over(self, count: int) -> int:
        return max(1, -(-count // self._copra.device.tuning.items))
