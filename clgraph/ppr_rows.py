"""How personalized PageRank sums its rows: host half of ``cl/ppr_power.cl`` and ``cl/ppr_coo.cl``.

A `Product` has the graph's arrays on the device and enqueues what sums and ends all rows for the lanes of a
run; `clgraph.ppr_lanes` does the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.copra import DeviceCSR, upload_csr
from clgraph.pagerank_rows import Numbers, upload_shares
from clgraph.pagerank_slices import balanced

if TYPE_CHECKING:
    from clgraph.device import Device, Kind
    from clgraph.graph import Graph
    from clgraph.pagerank_problem import Problem


@dataclass(frozen=True)
class Shape:
    """Launch shape of the products.

    Attributes
    ----------
    widths : tuple of int
        How many lanes there may be, ascending.
    runs : int
        Runs of rows, a work-item each; 0: a team of work-items takes a row.
    local, rows, piece : int
        Work-items of a group, its rows, and how many arcs a piece of a long row has (teams).
    items : int
        Arcs or vertices of a work-item (coo).
    flat_local, flat_arcs : int
        Work-items of a group, and arcs of each (coo-flat).
    """

    widths: tuple[int, ...]
    runs: int
    local: int
    rows: int
    piece: int
    items: int
    flat_local: int
    flat_arcs: int


# a line of 64 bytes is 16 floats: on CPUs more lanes only take more cache. On GPUs a gather brings a sector
# of 32 bytes whatever it is wanted for: 8 lanes cost one source hardly more than one lane does
_CPU = Shape((1, 8, 16), runs=256, local=1, rows=1, piece=0, items=2048, flat_local=2, flat_arcs=1024)
SHAPES: dict[Kind, Shape] = {
    "gpu": Shape((8, 16, 32), 0, local=64, rows=32, piece=128, items=1, flat_local=256, flat_arcs=8),
    "cpu": _CPU,
    "emulator": _CPU,
    "fpga": _CPU,
    "simulator": Shape((1, 8), 3, local=8, rows=4, piece=6, items=3, flat_local=4, flat_arcs=3),
}
# what the end of a row costs, in arcs
SETTLE = 3


class Product:
    """The arrays by which rows are summed, and the launches. Sub-classes do one way each.

    Attributes
    ----------
    width : int
        Lanes.
    parts : int
        Work-groups (or runs) that tally.
    chain : int
        The longest chain of additions in float64 storage's own precision.
    """

    parts = 1
    chain = 0
    width = 1

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, numbers: Numbers, weight: bool, width: int
    ) -> None:
        self.device, self.graph, self.problem, self.numbers = device, graph, problem, numbers
        self.n, self.width, self.weight = graph.num_vertices, width, weight
        self.weighted = problem.weights is not None
        self.shape = SHAPES[device.kind]

    def explain(self) -> list[str]:
        """What is done, in words."""
        raise NotImplementedError

    def upload(self) -> None:
        """Bring the arrays to the device, where they stay as long as the graph lives."""
        raise NotImplementedError

    def compile(self, defines: dict[str, Any]) -> None:
        """Build the kernels; `defines` are those of the run."""
        raise NotImplementedError

    def enqueue(self, test: bool, last: int, parts: Any, state: Any, vertex: tuple[Any, ...]) -> None:
        """Enqueue an iteration's sums; `vertex` are PPR_VERTEX_ARGS of ``cl/ppr.h``."""
        raise NotImplementedError

    def _shares(self, graph: Graph) -> Any:
        if not self.weighted:
            return None
        return upload_shares(self.device, graph, self.problem, self.numbers.real, self.weight)


class Pull(Product):
    """All lanes of a row at once: method "power"."""

    csr: DeviceCSR

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.reverse = self.graph.reverse
        self.teams = self.shape.runs == 0
        longest = int(np.diff(self.reverse.row_ptr).max(initial=0))
        if self.teams:
            self.parts = -(-self.n // self.shape.rows)
            self.chain = self.shape.piece + longest // self.shape.piece + self.shape.rows
        else:
            cost = self.reverse.row_ptr.astype(np.int64) + SETTLE * np.arange(self.n + 1)
            self._bound = balanced(cost, self.shape.runs)
            self.parts = len(self._bound) - 1
            self.chain = max(longest, int(np.diff(self._bound).max()))

    def explain(self) -> list[str]:
        shape = self.shape
        if self.teams:
            return [
                f"{self.width} lanes: {self.width} work-items take a row, one a lane; rows of more than "
                f"{shape.piece} arcs in pieces"
            ]
        return [f"{self.width} lanes: one work-item takes a run of rows and all lanes, {self.parts} runs"]

    def upload(self) -> None:
        self.csr = upload_csr(self.device, self.reverse)
        self._share = self._shares(self.reverse)
        if not self.teams:
            self._bounds = self.device.upload(self._bound)
            return
        piece, reverse = self.shape.piece, self.reverse

        def make() -> tuple[int, Any, Any]:
            lengths = np.diff(reverse.row_ptr)
            count = np.where(lengths > piece, -(-lengths // piece), 0)
            first = np.zeros(len(lengths) + 1, np.int32)
            np.cumsum(count, out=first[1:])
            row = np.repeat(np.arange(len(lengths), dtype=np.int32), count)
            return len(row), self.device.upload(first), self.device.upload(row)

        made = self.device.cached(reverse, ("ppr-pieces", piece), make)
        self.pieces, self._first_piece, self._piece_row = made
        self._piece_sum = self.device.empty(self.pieces * self.width, np.float64)

    def compile(self, defines: dict[str, Any]) -> None:
        shape = self.shape
        self.local = max(shape.local, self.width)
        self._program = self.device.program(
            "ppr_power", **defines, **self.csr.defines, LOCAL=self.local, ROWS=shape.rows,
            PIECE=max(1, shape.piece),
        )  # fmt: skip

    def enqueue(self, test: bool, last: int, parts: Any, state: Any, vertex: tuple[Any, ...]) -> None:
        csr, flag, limit = self.csr, np.int32(test), np.int32(last)
        arcs = (csr.row_ptr, csr.col_idx, self._share)
        if not self.teams:
            self._program.ppr_runs.exact(
                self.parts, flag, limit, self._bounds, *arcs, parts, state, *vertex, local=1
            )
            return
        if self.pieces:
            self._program.ppr_pieces(
                self.pieces * self.width, np.int32(self.pieces), self._piece_row, self._first_piece, *arcs,
                vertex[0], state, self._piece_sum, local=self.local,
            )  # fmt: skip
        self._program.ppr_rows.exact(
            self.parts * self.local, np.int32(self.n), flag, limit, self._first_piece, self._piece_sum,
            *arcs, parts, state, *vertex, local=self.local,
        )  # fmt: skip


class Arcs(Product):
    """Arcs in coordinate form, one source: what "coo" and "coo-flat" share."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.arcs = self.graph.num_arcs
        self.local = self.shape.local
        self.groups = -(-self.n // (self.local * self.shape.items))
        self.parts = self.groups
        self.chain = self.shape.items + int(log2(self.local))

    fixed = False

    def compile(self, defines: dict[str, Any]) -> None:
        self._settling = self.device.program(
            "ppr_coo", **{**defines, "LANES": None}, LOCAL=self.local, ITEMS=self.shape.items,
            FIXED=self.fixed,
        )  # fmt: skip

    def _settle(
        self, test: bool, last: int, row_sum: Any, fixed: Any, parts: Any, state: Any, vertex: tuple[Any, ...]
    ) -> None:
        self._settling.ppr_settle.exact(
            self.groups * self.local, np.int32(self.n), np.int32(test), np.int32(last), row_sum, fixed, parts,
            state, *vertex, local=self.local,
        )  # fmt: skip


class Coo(Arcs):
    """One work-item an arc, atomic integer adds: method "coo"."""

    fixed = True

    def explain(self) -> list[str]:
        words = "one of 64 bits" if "HAVE_INT64_ATOMICS" in self.device.features else "two of 32 bits"
        return [f"one work-item an arc; atomic integer adds in units of 2^-62, {words}"]

    def upload(self) -> None:
        graph, device = self.graph, self.device

        def tails() -> Any:
            device.reserve({"tail": 4 * graph.num_arcs})
            return device.upload(graph.rows)

        self._head = upload_csr(device, graph).col_idx
        self._tail = device.cached(graph, "ppr-tails", tails)
        self._share = None
        if self.weighted:
            self._share = device.cached(
                graph, ("ppr-coo-share", self.numbers.real, self.weight), self._make_shares
            )
        self._fixed = device.zeros(self.n, np.uint64)

    def _make_shares(self) -> Any:
        weights, problem = self.problem.weights, self.problem
        assert weights is not None
        whole = problem.out[self.graph.rows]
        shares = np.divide(weights, whole, out=np.zeros_like(whole), where=whole > 0)
        return self.device.upload(shares.astype(self.numbers.real))

    def enqueue(self, test: bool, last: int, parts: Any, state: Any, vertex: tuple[Any, ...]) -> None:
        items = self.shape.items
        self._settling.ppr_coo_push(
            -(-self.arcs // items), np.int64(self.arcs), self._tail, self._head, self._share, vertex[0],
            state, self._fixed, local=self.local,
        )  # fmt: skip
        self._settle(test, last, None, self._fixed, parts, state, vertex)


class CooFlat(Arcs):
    """Arcs sorted by head, segmented sums in work-groups, carries between them: method "coo-flat"."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        shape = self.shape
        self.flat_groups = -(-self.arcs // (shape.flat_local * shape.flat_arcs))
        longest = int(np.diff(self.graph.reverse.row_ptr).max(initial=0))
        joins = longest // shape.flat_arcs // shape.flat_local + int(log2(shape.flat_local)) + 2
        self.chain = max(self.chain, shape.flat_arcs + joins)

    def explain(self) -> list[str]:
        shape = self.shape
        return [
            f"arcs sorted by head, {shape.flat_local * shape.flat_arcs} to a work-group: segmented sums, "
            "carries between groups without atomics"
        ]

    def upload(self) -> None:
        device, reverse = self.device, self.graph.reverse

        def heads() -> Any:
            device.reserve({"head": 4 * reverse.num_arcs})
            return device.upload(reverse.rows)

        self._tail = upload_csr(device, reverse).col_idx
        self._head = device.cached(reverse, "ppr-heads", heads)
        self._share = self._shares(reverse)
        self._row_sum = device.zeros(self.n, np.float64)  # an ACC has 8 bytes either way
        self._carry = device.empty(2 * self.flat_groups, np.float64)
        self._closes = device.empty(self.flat_groups, np.int32)

    def compile(self, defines: dict[str, Any]) -> None:
        super().compile(defines)
        shape = self.shape
        self._program = self.device.program(
            "ppr_coo", **{**defines, "LANES": None}, LOCAL=shape.flat_local, ARCS=shape.flat_arcs
        )

    def enqueue(self, test: bool, last: int, parts: Any, state: Any, vertex: tuple[Any, ...]) -> None:
        arcs, local = np.int64(self.arcs), self.shape.flat_local
        self._program.ppr_flat_sums.exact(
            self.flat_groups * local, arcs, self._tail, self._head, self._share, vertex[0], state,
            self._row_sum, self._carry, self._closes, local=local,
        )  # fmt: skip
        self._program.ppr_flat_carries(
            self.flat_groups, arcs, np.int32(self.flat_groups), self._head, state, self._carry, self._closes,
            self._row_sum,
        )  # fmt: skip
        self._settle(test, last, self._row_sum, None, parts, state, vertex)


PRODUCTS: dict[str, type[Product]] = {"power": Pull, "coo": Coo, "coo-flat": CooFlat}
