"""Vertices and edges that race to be drawn: host half of ``cl/sampling/literature/race.cl`` and ``rank.cl``.

rn, rdn, rpn; re, rne, hyb; ties; rnn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import upload_csr
from clgraph.sampling.literature.engine import Engine
from clgraph.sampling.literature.selection import given, picked
from clgraph.sampling.literature.smallest import Column, Cut, Smallest
from clgraph.sampling.literature.view import ONE, View, lg
from clgraph.sampling.selection import Selection

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.sampling.request import Request

# the variants WEIGHT of the kernels
EQUAL, DEGREES, WEIGHTS = 0, 1, 2
# a probability of 1, as `mix_word` is counted
CERTAIN = 1 << 32


class _Race(Engine):
    """Base of races of vertices and of edges."""

    def fill(self, kernel: Any, written: str, **named: Any) -> Any:
        """Return a buffer of a key for each vertex of each run, which a kernel writes."""
        self.device.reserve({"keys": 8 * self.all})
        key = self.device.empty(self.all, np.uint64)
        kernel.launch(self, self.passes, **named, **{written: key})
        return key

    def keys_of(self, cut: Cut) -> npt.NDArray[np.uint64]:
        """Return the key at which each run's selection ends."""
        return self.device.download(cut.key, np.uint64, self.runs)


class VertexRace(_Race):
    """Races of vertices by degree, by integer PageRank, or all alike; of all, or of each stratum."""

    vertex_bytes = 18

    @classmethod
    def bytes_per_run(cls, view: View, request: Request) -> int:
        return super().bytes_per_run(view, request) + 9 * view.n * (request.strata is not None)

    def draw(self) -> Selection:
        """Draw all runs."""
        view, request, kind, self.weight = self.view, self.request, EQUAL, None
        if request.method == "rdn":
            kind = WEIGHTS if view.weighted else DEGREES
            self.weight = view.on_device(self.device, "strengths") if view.weighted else None
        elif request.method == "rpn":
            kind, self.weight = WEIGHTS, integer_ranks(self.device, view.rows)
        race = self.program("race", WEIGHT=kind)
        key = self.fill(race.race_vertices, "key")
        if request.strata is not None:
            drawn = self.strata(race, key)
        else:
            assert request.target is not None
            smallest = Smallest(self.device, self.runs, self.n)
            cut = smallest.cut(key, request.target)
            drawn = Selection(*smallest.take(key, cut, equal=True, keys=True), self.keys_of(cut))
        if kind == WEIGHTS:
            drawn.more["integer weight"] = picked(self.device, self.n, self.weight, drawn.vertices)
        return drawn

    def strata(self, race: Any, key: Any) -> Selection:
        """Take the first of each stratum."""
        device, strata = self.device, self.request.strata
        assert strata is not None
        self.code = device.upload(strata.code, writable=True)
        smallest = Smallest(device, self.runs, self.n)
        masked = device.empty(self.all, np.uint64)
        found = []
        for number, wanted in enumerate(strata.wanted):
            if wanted == 0:
                continue
            race.race_stratum.launch(self, self.passes, stratum=number, key=key, out=masked)
            cut = smallest.cut(masked, wanted)
            vertices, came = smallest.take(masked, cut, equal=True, keys=True)
            counts, limits = np.diff(vertices.offset), self.keys_of(cut)
            runs = np.repeat(np.arange(self.runs), counts)
            found.append((runs, vertices.values, came.values, np.repeat(limits, counts)))
        run, *columns = (np.concatenate(each) for each in zip(*found, strict=True))
        order = np.lexsort((columns[0], run))
        offset = np.concatenate(([0], np.cumsum(np.bincount(run, minlength=self.runs))))
        vertex, came, cuts = (Column(offset, column[order]) for column in columns)
        return Selection(given(device, vertex), came, more={"cut": cuts})


class NeighbourRace(_Race):
    """Random neighbours (rnn): vertices by priority, each with its neighbours."""

    vertex_bytes = 18

    def draw(self) -> Selection:
        """Draw all runs."""
        device, request, runs = self.device, self.request, self.runs
        race, target = self.program("race"), -1 if request.target is None else request.target
        order = self.fill(race.race_priorities, "key")
        key = self.fill(race.race_near, "key", priority=order)
        smallest = Smallest(device, runs, self.n)
        by, wanted = (order, request.starts) if request.starts is not None else (key, target)
        cut = smallest.cut(by, wanted)
        vertices, keys = smallest.take(key, cut, equal=False, keys=True)
        limits = self.keys_of(cut)
        # runs whose first centre alone has more neighbours than are wanted
        alone = np.diff(vertices.offset) == 0
        if not np.any(alone):
            return Selection(vertices, keys, limits, notes=[()] * runs)
        centre = device.upload(np.where(alone, limits, 0).astype(np.uint64), writable=True)
        race.race_alone.launch(self, self.passes, cut=centre, key=key)
        last = smallest.cut(key, np.where(alone, target, -1))
        # where the prefix was not empty its cut stays; the others take exactly n*
        left = np.where(alone, device.download(last.left, np.int32, runs), 0).astype(np.int32)
        until = np.where(alone, self.keys_of(last), limits)
        joined = Cut(device.upload(until, writable=True), device.upload(left, writable=True))
        note = ("the first vertex has too many neighbours: those of smallest priority are taken",)
        notes: list[tuple[str, ...]] = [note if one else () for one in alone.tolist()]
        return Selection(*smallest.take(key, joined, equal=True, keys=True), limits, notes=notes)


class EdgeRace(_Race):
    """Races of edges, by themselves, by their ends, or both."""

    vertex_bytes, arc_bytes = 18, 9

    def draw(self) -> Selection:
        """Draw all runs."""
        device, view, request, runs = self.device, self.view, self.request, self.runs
        by_ends, by_itself = request.method in ("rne", "hyb"), request.method != "rne"
        self.lg_arc = self.lg_edge = 0
        if request.method == "hyb":
            mix, edges = request.mix_word, max(view.rows.num_arcs // 2, 1)
            by_ends, by_itself = mix > 0, mix < CERTAIN
            # logarithms of the weights of an arc (less that of its tail's degree) and of an edge
            self.lg_arc = lg(mix) - 32 * ONE - lg(view.n) if by_ends else 0
            self.lg_edge = lg(CERTAIN - mix) - 32 * ONE - lg(edges) if by_itself else 0
        self.weight = view.on_device(device, "integers") if view.weighted else None
        race = self.program(
            "race",
            WEIGHT=WEIGHTS if view.weighted else EQUAL,
            ARCS=int(by_ends),
            NO_EDGES=int(not by_itself),
            COPIES=int(view.rows.is_multigraph),
        )
        self.tail, self.copy = arc_tails(device, view)
        self.degree = self.degrees(race) if by_ends else None
        key = device.empty(max(self.arcs, 1) * runs, np.uint64)
        # for vertices to be taken, both arcs have the key: each end looks at its own
        once = request.target is None
        race.race_arcs.launch(self, (self.flat(self.arcs), runs), once=once, key=key)
        if request.target is None:
            selected = Smallest(device, runs, self.arcs)
            cut = selected.cut(key, request.target_edges)
            arcs, keys = selected.take(key, cut, equal=True, keys=True)
            none: Column = Column(np.zeros(runs + 1, np.int64), np.zeros(0, np.int32))
            return Selection(none, None, self.keys_of(cut), arcs, more={"edge key": keys})
        first = self.fill(race.race_first, "first", key=key)
        smallest = Smallest(device, runs, self.n)
        cut = smallest.cut(first, request.target)
        vertices, came = smallest.take(first, cut, equal=False, keys=True)
        if request.method == "ties":
            return Selection(vertices, came, self.keys_of(cut))
        both = Smallest(device, runs, self.arcs).take(key, cut, equal=False, keys=True)
        arcs, keys = self.halved(*both)
        return Selection(vertices, came, self.keys_of(cut), arcs, more={"edge key": keys})

    def degrees(self, race: Any) -> Any:
        """Return each vertex's degree, int32; cached with the rows."""

        def make() -> Any:
            made = self.device.empty(self.n, np.int32)
            race.race_degrees.launch(self, self.flat(self.n), degree=made)
            return made

        return self.view.cached(self.device, "degrees", make)

    def halved(self, arcs: Column, keys: Column) -> tuple[Column, Column]:
        """Leave only the arc from the smaller end of each edge, when the column is read."""
        rows, offset = self.view.rows, arcs.offset // 2

        def first() -> npt.NDArray[np.bool_]:
            tails = np.searchsorted(rows.row_ptr, arcs.values, side="right") - 1
            made: npt.NDArray[np.bool_] = rows.col_idx[arcs.values] > tails
            return made

        made = Column(offset, lambda: arcs.values[first()], arcs)
        return made, Column(offset, lambda: keys.values[first()])


def arc_tails(device: Device, view: View) -> tuple[Any, Any]:
    """Return the tail of each arc, and its index among parallel arcs (None: no parallel arcs); cached."""

    def make() -> tuple[Any, Any]:
        csr, items, copies = view.csr(device), device.tuning.items, view.rows.is_multigraph
        device.reserve({"tails": 4 * csr.arcs})
        tail = device.empty(max(csr.arcs, 1), np.int32)
        copy = device.empty(csr.arcs, np.uint32) if copies else None
        program = device.program("sampling/literature/race", ITEMS=items, COPIES=int(copies), **csr.defines)
        program.race_tails(-(-csr.n // items), n=csr.n, **csr.buffers, tail=tail, copy=copy)
        return tail, copy

    found: tuple[Any, Any] = view.cached(device, "tails", make)
    return found


# --- PageRank in integers, the weights of rpn: host half of ``cl/sampling/literature/rank.cl`` ---


# 0.85**100 < 1e-7 of the start's ranks are left then
STEPS = 100
# in units of 2^-64
DAMPING = 85 * 2**64 // 100


def integer_ranks(device: Device, graph: Graph) -> Any:
    """Return PageRank scores of an undirected graph in units of 2^-62, uint64; cached with the graph."""

    def make() -> Any:
        csr, items, n = upload_csr(device, graph), device.tuning.items, graph.num_vertices
        program = device.program("sampling/literature/rank", ITEMS=items, **csr.defines)
        lonely = int(np.count_nonzero(np.diff(graph.row_ptr) == 0))
        first = 2**62 // n
        x, share = device.empty(n, np.uint64), device.empty(n, np.uint64)
        device.fill(x, np.uint64(first), n)
        shares = program.rank_shares.bind(n=n, row_ptr=csr.row_ptr, x=x, share=share)
        step = program.rank_step.bind(n=n, damping=DAMPING, **csr.buffers, share=share, x=x)
        # the rank of a vertex without edges: the same for all of them
        alone = first
        for _ in range(STEPS):
            lost = lonely * alone
            base = 2**62 * 15 // 100 // n + (lost * DAMPING >> 64) // n
            alone = base
            shares(-(-n // items))
            step(-(-n // items), base=base)
        return x

    return device.cached(graph, "integer ranks", make)
