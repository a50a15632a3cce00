"""The largest component in COPRA, followed from batch to batch: host half of ``cl/sampling/repair.cl``."""

from __future__ import annotations

from typing import Any

import numpy as np

from clgraph.components.finder import GraphComponents, graph_components
from clgraph.csr.upload import hub_of
from clgraph.device.launch_config import LaunchTable
from clgraph.graph import Graph
from clgraph.sampling.batched import Choice, Finder
from clgraph.sampling.copra import Copra

# --- The largest component of what is left in COPRA, by linking and compressing (Afforest) ---


class LinkCompress(Finder):
    """A finder for the batched loop that labels all components after each batch.

    A label is the smallest vertex of its component.

    Parameters
    ----------
    copra : Copra
    components : GraphComponents
        Of the graph that `copra` was made from.
    """

    def __init__(self, copra: Copra, components: GraphComponents) -> None:
        self.copra, self.components = copra, components
        self._giant = components.copra(copra.slots, wide=copra.offset is np.int64)
        self._label = copra.device.empty(copra.n, np.int32)

    def find(self, live: int) -> tuple[Any, int, int]:
        """(label buffer, label of the largest component, its size) among `live` vertices."""
        copra, giant = self.copra, self._giant
        rows = (copra.v_start, copra.v_end, copra.edges)
        giant.labels_into(*rows, self._label)
        root, size, _ = giant.largest_label(self._label)
        return self._label, root, size


LISTED, FILLED, REMOVED, DEEP = range(4)  # slots of the tally
NOWHERE = 0x80808080  # four vertices that are detached
WAVES = 64  # after this many waves it is cheaper to label all components again

# whether following the component is faster than labelling all components after each batch
LAUNCH = LaunchTable(gpu=False, cpu=True, simulator=False, emulator=False, fpga=False)


def finder_for(copra: Copra, graph: Graph, choice: Choice, *, vertices: bool) -> LinkCompress:
    """Return the finder that is faster on the device; both give the same result (see `Repair`)."""
    if LAUNCH.of(copra.device):
        return Repair(copra, graph, choice, vertices=vertices)
    return LinkCompress(copra, graph_components(copra.device, graph))


class Repair(LinkCompress):
    """A finder for the batched loop whose work grows with the batch, not with the graph.

    Where following the component fails it labels all components, as `LinkCompress` does.

    Parameters
    ----------
    copra : Copra
    graph : Graph
        The graph that `copra` was made from.
    choice : Choice
        What removes the batches.
    vertices : bool
        Whether batches consist of vertices, not edges.

    Attributes
    ----------
    follows : bool
        Whether the levels hold, so that the next batch can be repaired.
    """

    def __init__(self, copra: Copra, graph: Graph, choice: Choice, *, vertices: bool) -> None:
        device, n = copra.device, copra.n
        super().__init__(copra, graph_components(device, graph))
        self.graph, self.choice, self.by_vertices = graph, choice, vertices
        self.row_ptr, self.col_idx, self.edges = copra.row_ptr, copra.col_idx, copra.edges
        self.v_start, self.v_end = copra.v_start, copra.v_end
        self.words = n // 4 + 1
        device.reserve({"level": 4 * self.words, "list": 8 * n})
        self.level = device.empty(self.words, np.uint32)
        self.list, self.tally = device.empty(2 * n, np.int32), device.empty(4, np.int32)
        self.program = device.program(
            "sampling/repair", ITEMS=device.tuning.items, WHOLE_ROWS=int(vertices), **copra.csr.defines
        )
        self.begun = self.follows = False
        self.hub = -1  # the vertex of level 0
        self.listed = 0  # vertices on the list

    def find(self, live: int) -> tuple[Any, int, int]:
        """(label buffer, label of the largest component, its size) among `live` vertices.

        Where the component was followed there are no labels: None and 0 take their places.
        """
        if not self.begun:
            return self._begin()
        if self.follows and self.copra.is_live(self.hub):
            size = live - self._repair()
            if 2 * size > live:
                return None, 0, size
            # another component may be larger, or equally large with the smaller vertex
        return super().find(live)

    def keep(self, label: Any, keep: int) -> int:
        """Remove every vertex outside that component; returns the number of edges removed with them."""
        count, self.listed = self.listed, 0
        if label is None:
            self.program.repair_remove.launch(self, self._over(count), count=count)
            return self._count(REMOVED) // 2
        if self.follows:
            labelled = self.copra.device.download(label, np.int32, 1, offset=self.hub)[0]
            self.follows = bool(labelled == keep)
        return super().keep(label, keep)

    def _begin(self) -> tuple[Any, int, int]:
        device = self.copra.device
        largest = self.components.largest()
        self.hub, level = device.cached(self.graph, "levels", self._find_levels)
        if level is not None:
            device.copy(self.level, level, 4 * self.words)
        self.begun, self.follows = True, level is not None
        return largest.label, largest.root, largest.size

    def _find_levels(self) -> tuple[int, Any]:
        """Return a hub (the vertex of highest degree, if in the largest component) and distances from it.

        These have a byte per vertex, in uint32 words; None if some vertex is too far away for that.
        """
        device = self.copra.device
        largest = self.components.largest()
        hub = hub_of(device, self.graph)
        if device.download(largest.label, np.int32, 1, offset=hub)[0] != largest.root:
            hub = largest.root
        device.fill(self.level, np.uint32(NOWHERE), self.words)
        device.clear(self.tally, 4, np.int32)
        self.program.repair_begin.launch(self, 1, hub=hub)
        self._spread(0, 0)
        if self._count(DEEP):
            return hub, None
        level = device.empty(self.words, np.uint32)
        device.copy(level, self.level, 4 * self.words)
        return hub, level

    def _spread(self, listed: int, done: int) -> int:
        """Reattach the detached neighbours of all vertices reattached from the `done`-th on.

        Returns how many vertices are reattached then.
        """
        while (upto := self._count(FILLED)) > done:
            self.program.repair_spread.launch(
                self, self._over(upto - done), listed=listed, from_=done, to=upto
            )
            done = upto
        return done

    def _repair(self) -> int:
        """Number of live vertices no longer connected with the hub; all vertices if it gave up."""
        program, n = self.program, self.copra.n
        vertices, slots, count = self.choice.removed()
        # Otherwise the batch is a part of one that was undone: whatever it detaches is on the list already.
        if self.listed == 0:
            self.copra.device.clear(self.tally, 4, np.int32)
            if self.by_vertices:
                program.repair_vertices.launch(self, self._over(count), count=count, vertices=vertices)
            else:
                named = {"count": count, "vertices": vertices, "slots": slots}
                program.repair_edges.launch(self, self._over(count), **named)
            waves = 0
            while (upto := self._count(LISTED)) > self.listed:
                if waves == WAVES:
                    self.follows = False
                    return n
                program.repair_wave.launch(self, self._over(upto - self.listed), from_=self.listed, to=upto)
                self.listed = upto
                waves += 1
        done = self._count(FILLED)
        program.repair_mend.launch(self, self._over(self.listed))
        done = self._spread(self.listed, done)
        if self._count(DEEP):
            self.follows = False
            return n
        # removed vertices are on the list too
        return self.listed - done - (count if self.by_vertices else 0)

    def _count(self, which: int) -> int:
        return int(self.copra.device.download(self.tally, np.int32, 1, offset=which)[0])

    def _over(self, count: int) -> int:
        return max(1, self.copra.over(count))
