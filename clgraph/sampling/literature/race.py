"""Vertices and edges that race to be drawn: host half of ``cl/sampling/literature/race.cl``.

rn, rdn, rpn; re, rne, hyb; ties; rnn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import upload_csr
from clgraph.sampling.literature.clock import device_tables, lg
from clgraph.sampling.literature.drawn import Drawn
from clgraph.sampling.literature.listed import Column, given, picked, taken_of
from clgraph.sampling.literature.smallest import Cut, Smallest

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.sampling.literature.view import View
    from clgraph.sampling.request import Request


EQUAL, DEGREES, GIVEN = 0, 1, 2  # the variants WEIGHT of the kernels
WAY = 1 << 32
ONE = 1 << 40


def draw(device: Device, view: View, wish: Request, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    race_of = _EdgeRace if wish.kind in ("edges", "ties") else _VertexRace
    return race_of(device, view, wish, seed, runs).run()


def bytes_per_run(view: View, wish: Request) -> int:
    """Device memory that one run takes, roughly."""
    keys = view.rows.num_arcs if wish.kind in ("edges", "ties") else 0
    return 9 * (2 * view.n + keys) + 9 * view.n * (wish.strata is not None)


class _Race:
    """What races of vertices and of edges share."""

    def __init__(self, device: Device, view: View, wish: Request, seed: int, runs: int) -> None:
        self.device, self.view, self.wish, self.runs = device, view, wish, runs
        self.n, self.csr = view.n, view.csr(device)
        self.seed = seed
        self.table = device_tables(device)

    def build(self, **variant: int) -> None:
        self.program = self.device.program(
            "sampling/literature/race", ITEMS=self.device.tuning.items, **variant, **self.csr.defines
        )

    def fill(self, kernel: str, written: str, *, items: int, **arguments: Any) -> Any:
        """A buffer of `items` keys a run, which a kernel writes."""
        self.device.reserve({"keys": 8 * items * self.runs})
        key = self.device.empty(max(items, 1) * self.runs, np.uint64)
        self.launch(kernel, **arguments, **{written: key})
        return key

    def launch(self, kernel: str, **arguments: Any) -> None:
        size = -(-self.n // self.device.tuning.items), self.runs
        getattr(self.program, kernel)(size, n=self.n, runs=self.runs, **arguments)

    def wanted(self, count: int | None) -> npt.NDArray[np.int64]:
        return np.full(self.runs, -1 if count is None else count, np.int64)

    def keys_of(self, cut: Cut) -> npt.NDArray[np.uint64]:
        return self.device.download(cut.key, np.uint64, self.runs)


class _VertexRace(_Race):
    def run(self) -> Drawn:
        if self.wish.kind == "near":
            return self.centres()
        view, wish = self.view, self.wish
        kind, weight = EQUAL, None
        if wish.method == "rdn":
            kind = GIVEN if view.weighted else DEGREES
            if view.weighted:
                weight = view.kept(self.device, "strengths", lambda: view.strengths)
        elif wish.method == "rpn":
            kind, weight = GIVEN, integer_ranks(self.device, view.rows)
        self.build(WEIGHT=kind)
        key = self.fill(
            "race_vertices",
            "key",
            items=self.n,
            seed=self.seed,
            table=self.table,
            row_ptr=self.csr.row_ptr,
            weight=weight,
        )
        drawn = self.strata(key) if wish.strata is not None else self.first(key)
        if kind == GIVEN:
            drawn.more["integer weight"] = picked(self.device, self.n, weight, drawn.vertices)
        return drawn

    def first(self, key: Any) -> Drawn:
        """The first n* of all."""
        smallest = Smallest(self.device, self.runs, self.n)
        cut = smallest.cut(key, self.wanted(self.wish.target))
        taken = smallest.take(key, cut, equal=True, keys=True)
        return Drawn(*taken_of(self.device, taken), self.keys_of(cut))

    def strata(self, key: Any) -> Drawn:
        """The first of each stratum."""
        device, strata = self.device, self.wish.strata
        assert strata is not None
        code = device.upload(strata.code, writable=True)
        smallest = Smallest(device, self.runs, self.n)
        masked = device.empty(self.n * self.runs, np.uint64)
        pieces: list[list[tuple[Any, Any, int]]] = [[] for _ in range(self.runs)]
        for number, wanted in enumerate(strata.wanted):
            if wanted == 0:
                continue
            self.launch("race_stratum", code=code, stratum=number, key=key, out=masked)
            cut = smallest.cut(masked, self.wanted(wanted))
            vertices, came = taken_of(device, smallest.take(masked, cut, equal=True, keys=True))
            for r, limit in enumerate(self.keys_of(cut).tolist()):
                pieces[r].append((vertices.of(r), came.of(r), limit))
        chosen, keys, cuts = [], [], []
        for parts in pieces:
            v = np.concatenate([part[0] for part in parts])
            order = np.argsort(v)
            chosen.append(v[order])
            keys.append(np.concatenate([part[1] for part in parts])[order])
            limits = np.concatenate([np.full(len(part[0]), part[2], np.uint64) for part in parts])
            cuts.append(limits[order])
        more = {"cut": Column.of_parts(cuts)}
        return Drawn(given(device, Column.of_parts(chosen)), Column.of_parts(keys), more=more)

    def centres(self) -> Drawn:
        """rnn: vertices by priority, each with its neighbours."""
        wish, csr = self.wish, self.csr
        self.build()
        order = self.fill("race_priorities", "key", items=self.n, seed=self.seed)
        key = self.fill("race_near", "key", items=self.n, **csr.buffers, priority=order)
        smallest = Smallest(self.device, self.runs, self.n)
        if wish.starts is not None:
            cut = smallest.cut(order, self.wanted(wish.starts))
        else:
            cut = smallest.cut(key, self.wanted(wish.target))
        taken = smallest.take(key, cut, equal=False, keys=True)
        limits = self.keys_of(cut)
        alone = taken.total == 0
        if not np.any(alone):
            return Drawn(*taken_of(self.device, taken), limits, notes=[()] * self.runs)
        centre = np.where(alone, limits, 0).astype(np.uint64)
        self.launch("race_alone", seed=self.seed, cut=self.device.upload(centre, writable=True), key=key)
        last = smallest.cut(key, np.where(alone, self.wanted(wish.target), -1))
        # where the prefix was not empty its cut stays; the others take exactly n*
        both = self.keys_of(last)
        left = self.device.download(last.left, np.int32, self.runs)
        joined = Cut(
            self.device.upload(np.where(alone, both, limits), writable=True),
            self.device.upload(np.where(alone, left, 0).astype(np.int32), writable=True),
        )
        taken = smallest.take(key, joined, equal=True, keys=True)
        told = ("the first vertex has too many neighbours: those of smallest priority are taken",)
        notes: list[tuple[str, ...]] = [told if one else () for one in alone.tolist()]
        return Drawn(*taken_of(self.device, taken), limits, notes=notes)


class _EdgeRace(_Race):
    def degrees(self) -> Any:
        """Each vertex's degree, int32; kept with the rows."""

        def make() -> Any:
            made = self.device.empty(self.n, np.int32)
            size = -(-self.n // self.device.tuning.items)
            self.program.race_degrees(size, n=self.n, row_ptr=self.csr.row_ptr, degree=made)
            return made

        return self.device.cached(self.view.rows, ("literature", "degrees"), make)

    def run(self) -> Drawn:
        view, wish, csr = self.view, self.wish, self.csr
        method = wish.method
        kind = GIVEN if view.weighted else EQUAL
        arcs, edges, lg_arc, lg_edge = method in ("rne", "hyb"), method != "rne", 0, 0
        if method == "hyb":
            lg_arc, lg_edge, arcs, edges = mixed(wish.mix_word, view.n, view.rows.num_arcs // 2)
        weight = view.kept(self.device, "integers", lambda: view.integers) if view.weighted else None
        self.build(WEIGHT=kind, ARCS=int(arcs), NO_EDGES=int(not edges), COPIES=int(view.rows.is_multigraph))
        tail, copy = arc_tails(self.device, self.view)
        key = self.device.empty(max(csr.arcs, 1) * self.runs, np.uint64)
        once = wish.target is None
        self.program.race_arcs(
            (-(-csr.arcs // self.device.tuning.items), self.runs),
            arcs=csr.arcs,
            runs=self.runs,
            seed=self.seed,
            lg_arc=lg_arc,
            lg_edge=lg_edge,
            table=self.table,
            degree=self.degrees() if arcs else None,
            col_idx=csr.col_idx,
            tail=tail,
            copy=copy,
            weight=weight,
            once=once,
            key=key,
        )
        chosen: Column = Column(np.zeros(self.runs + 1, np.int64), np.zeros(0, np.int32))
        came = None
        if wish.target is not None:
            first = self.fill("race_first", "first", items=self.n, row_ptr=csr.row_ptr, key=key)
            vertices = Smallest(self.device, self.runs, self.n)
            cut = vertices.cut(first, self.wanted(wish.target))
            chosen, came = taken_of(self.device, vertices.take(first, cut, equal=False, keys=True))
            if method == "ties":
                return Drawn(chosen, came, self.keys_of(cut))
        selected = Smallest(self.device, self.runs, csr.arcs)
        if wish.target is None:
            cut = selected.cut(key, self.wanted(wish.target_edges))
        limits = self.keys_of(cut)
        taken = selected.take(key, cut, equal=wish.target is None, keys=True)
        drawn, keys = taken_of(self.device, taken, selected.item)
        if not once:
            drawn, keys = self.halved(drawn, keys)
        return Drawn(chosen, came, limits, drawn, more={"edge key": keys})

    def halved(self, arcs: Column, keys: Column) -> tuple[Column, Column]:
        """Of both arcs of each edge that from the smaller end, when they are looked at."""
        rows, offset = self.view.rows, arcs.offset // 2

        def first() -> npt.NDArray[np.bool_]:
            tails = np.searchsorted(rows.row_ptr, arcs.values, side="right") - 1
            made: npt.NDArray[np.bool_] = rows.col_idx[arcs.values] > tails
            return made

        made = Column(offset, lambda: arcs.values[first()], arcs)
        return made, Column(offset, lambda: keys.values[first()])


def mixed(mix: int, n: int, m: int) -> tuple[int, int, bool, bool]:
    """The logarithms of hyb's weights, of an arc (less that of its tail's degree) and of an edge; who races.

    Parameters
    ----------
    mix : int
        The probability of rne in units of 2^-32.
    n, m : int
    """
    by_arc = lg(mix) - 32 * ONE - lg(n) if mix else 0
    by_edge = lg(WAY - mix) - 32 * ONE - lg(max(m, 1)) if mix < WAY else 0
    return by_arc, by_edge, mix > 0, mix < WAY


def arc_tails(device: Device, view: View) -> tuple[Any, Any]:
    """The tail of each arc, and its rank among parallel ones (None: there are none); kept with the rows."""

    def make() -> tuple[Any, Any]:
        csr, items = view.csr(device), device.tuning.items
        device.reserve({"tails": 4 * csr.arcs})
        tail = device.empty(max(csr.arcs, 1), np.int32)
        copy = device.empty(csr.arcs, np.uint32) if view.rows.is_multigraph else None
        copies = int(view.rows.is_multigraph)
        program = device.program("sampling/literature/race", ITEMS=items, COPIES=copies, **csr.defines)
        program.race_tails(
            -(-csr.n // items), n=csr.n, row_ptr=csr.row_ptr, col_idx=csr.col_idx, tail=tail, copy=copy
        )
        return tail, copy

    found: tuple[Any, Any] = device.cached(view.rows, ("literature", "tails"), make)
    return found


# --- PageRank in integers, the weights of rpn: host half of ``cl/sampling/literature/rank.cl`` ---


STEPS = 100  # 0.85**100 < 1e-7 of the start's ranks are left then
DAMPING = 85 * 2**64 // 100  # in units of 2^-64


def integer_ranks(device: Device, graph: Graph) -> Any:
    """The ranks of a graph's vertices in units of 2^-62, uint64 device buffer; kept with the graph.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without loops.
    """

    def make() -> Any:
        csr, items, n = upload_csr(device, graph), device.tuning.items, graph.num_vertices
        program = device.program("sampling/literature/rank", ITEMS=items, **csr.defines)
        lonely = int(np.count_nonzero(np.diff(graph.row_ptr) == 0))
        first = 2**62 // n
        x, share = device.empty(n, np.uint64), device.empty(n, np.uint64)
        device.fill(x, np.uint64(first), n)
        shares = program.rank_shares.bind(n=n, row_ptr=csr.row_ptr, x=x, share=share)
        step = program.rank_step.bind(n=n, damping=DAMPING, **csr.buffers, share=share, x=x)
        alone = first  # the rank of a vertex without edges: the same for all of them
        for _ in range(STEPS):
            lost = lonely * alone
            base = 2**62 * 15 // 100 // n + (lost * DAMPING >> 64) // n
            alone = base
            shares(-(-n // items))
            step(-(-n // items), base=base)
        return x

    return device.cached(graph, "integer ranks", make)
