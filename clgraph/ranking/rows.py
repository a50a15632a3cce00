"""How an iteration's rows are summed: the variants serial, pull, contribution and subgroup.

Host half of ``cl/ranking/rows_pull.cl`` and ``cl/ranking/rows_subgroup.cl``. A `Rows` knows the graph's arrays on the
device and enqueues what sums the rows; `clgraph.ranking.solver` does the rest of an iteration.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.ranking.problem import arc_weights

if TYPE_CHECKING:
    from clgraph.device import Device, Kind
    from clgraph.device.program import Program
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem


@dataclass(frozen=True)
class Shape:
    """Launch shape of the plain variants.

    Attributes
    ----------
    local : int
        Work-items in a group, a power of two.
    items : int
        Consecutive vertices of a work-item.
    team : int
        Work-items that sum a row together (`subgroup`, where the device has no sub-groups and no warps).
    team_local : int
        `local` of the variant subgroup.
    rows, most_rows : int
        Rows of a work-group (`subgroup`) at least and at most, powers of two, multiples of team_local / team.
    piece : int
        Longer rows are cut into pieces for work-groups (`subgroup`).
    """

    local: int
    items: int
    team: int
    team_local: int
    rows: int
    most_rows: int
    piece: int


# On CPUs a group is one work-item with a long run of rows; what is shared between work-items costs more there
# than it saves, so a team is small.
SHAPES: dict[Kind, Shape] = {
    "gpu": Shape(local=256, items=1, team=32, team_local=256, rows=8, most_rows=256, piece=1024),
    "cpu": Shape(local=1, items=2048, team=4, team_local=16, rows=512, most_rows=512, piece=1024),
    "emulator": Shape(local=1, items=2048, team=4, team_local=16, rows=512, most_rows=512, piece=1024),
    "fpga": Shape(local=1, items=2048, team=4, team_local=16, rows=512, most_rows=512, piece=1024),
    "simulator": Shape(local=4, items=2, team=4, team_local=8, rows=4, most_rows=8, piece=6),
}


GROUPS_FOR_A_UNIT = 16  # work-groups of `subgroup` for each compute unit, if there are rows for so many


@dataclass(frozen=True)
class Numbers:
    """The types of a run: what is stored, and what sums are kept in.

    Attributes
    ----------
    dtype : {"float32", "float64"}
    compensated : bool
        Sums are pairs of floats, since the device has no float64.
    """

    dtype: str
    compensated: bool

    @property
    def real(self) -> type[np.floating[Any]]:
        """The type of what is stored."""
        return np.float64 if self.dtype == "float64" else np.float32

    @property
    def wide(self) -> type[np.floating[Any]]:
        """The type of scalar arguments."""
        return np.float32 if self.compensated else np.float64

    @property
    def defines(self) -> dict[str, Any]:
        """Build options."""
        real = "double" if self.dtype == "float64" else "float"
        return {"REAL": real, "COMPENSATED": self.compensated}

    @property
    def words(self) -> str:
        """For a plan: how sums are kept."""
        return "pairs of float32 (compensated)" if self.compensated else "float64"


class Rows:
    """The arrays by which rows are summed, and the launches. Sub-classes do one variant each.

    Attributes
    ----------
    order : int32 array, shape (n,), or None
        The vertex that stands in each place; None if they stand as in the graph.
    parts : int
        Work-groups that tally, in all launches of an iteration.
    chain : int
        The longest chain of additions in float64 storage's own precision.
    travel_rank : bool
        The rank travels along arcs, not the rank over the out-degree.
    shift : int
        Zeros that stand in front of what travels.
    plain : bool
        Both distributions are uniform and the norm is L1: set by the solver before `compile`.
    """

    variant = ""
    order: npt.NDArray[np.int32] | None = None
    parts = 1
    chain = 0
    travel_rank = False
    shift = 0
    plain = False

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, numbers: Numbers, weight: bool
    ) -> None:
        self.device, self.problem, self.numbers = device, problem, numbers
        self.n, self.weight = graph.num_vertices, weight
        self.weighted = problem.weights is not None
        self.shape = SHAPES[device.kind]

    def explain(self) -> list[str]:
        """What was chosen, in words."""
        raise NotImplementedError

    def upload(self) -> None:
        """Bring the arrays to the device, where they stay as long as the graph lives."""
        raise NotImplementedError

    def compile(self, defines: dict[str, Any]) -> None:
        """Build the kernels; `defines` are those of the problem."""
        raise NotImplementedError

    def enqueue(self, travel: Any, parts: Any, state: Any, vertex: tuple[Any, ...]) -> None:
        """Enqueue what sums all rows; `vertex` are VERTEX_ARGS of ``cl/ranking/pagerank.h``."""
        raise NotImplementedError


FLAT = "a pipeline: one flat loop over all arcs, row sums in fixed point of 62 bits"


def _longest(row_ptr: npt.NDArray[Any]) -> int:
    return int(np.diff(row_ptr).max(initial=0))


class PlainRows(Rows):
    """Rows as they stand in the reversed graph."""

    csr: DeviceCSR
    share: Any = None

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, numbers: Numbers, weight: bool
    ) -> None:
        super().__init__(device, graph, problem, numbers, weight)
        self.reverse = graph.reverse
        self.flat = device.has_pipeline("ranking/solver")
        self.chain = _longest(self.reverse.row_ptr)

    def flat_chain(self) -> int:
        """What cl/fpga/pagerank_flat.h loses to fixed point, 2**-62 an arc, in units of 2**-53."""
        return self.reverse.num_arcs // 512 + 1

    def upload(self) -> None:
        self.csr = upload_csr(self.device, self.reverse)
        if self.weighted:
            self.share = upload_shares(
                self.device, self.reverse, self.problem, self.numbers.real, self.weight
            )
        self._upload_more()

    def _upload_more(self) -> None:
        """Whatever else a variant needs."""


def upload_shares(
    device: Device, reverse: Graph, problem: Problem, real: type[np.floating[Any]], weight: bool
) -> Any:
    """w(u, v) / W(u) beside each arc of the reversed graph; kept on the device."""

    def make() -> Any:
        shares = in_shares(reverse, problem, weight).astype(real)
        device.reserve({"share": shares.nbytes})
        return device.upload(shares)

    return device.cached(reverse, ("pagerank-share", real, weight), make)


def in_shares(reverse: Graph, problem: Problem, weight: bool) -> npt.NDArray[np.float64]:
    """w(u, v) / W(u) of each arc of the reversed graph; 0 where W(u) is."""
    weights = arc_weights(reverse, weight)
    assert weights is not None
    whole = problem.out[reverse.col_idx]
    return np.divide(weights, whole, out=np.zeros_like(whole), where=whole > 0)


class SerialRows(PlainRows):
    """One work-item walks all rows."""

    variant = "serial"

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, numbers: Numbers, weight: bool
    ) -> None:
        super().__init__(device, graph, problem, numbers, weight)
        if self.flat:
            self.chain = self.flat_chain()

    def explain(self) -> list[str]:
        return ["one work-item walks all rows (thesis listing 3.1)", *([FLAT] if self.flat else [])]

    def compile(self, defines: dict[str, Any]) -> None:
        self._program = self.device.program("ranking/solver", **defines, **self.csr.defines, LOCAL=1)
        self._program.pagerank_serial  # noqa: B018

    def enqueue(self, travel: Any, parts: Any, state: Any, vertex: tuple[Any, ...]) -> None:
        self._program.pagerank_serial.exact(
            1,
            np.int32(self.n),
            self.csr.row_ptr,
            self.csr.col_idx,
            self.share,
            travel,
            parts,
            state,
            *vertex,
            local=1,
        )


class PullRows(PlainRows):
    """One work-item a vertex (a run of them on CPUs), ranks divided at every arc."""

    variant = "pull"
    travel_rank = True
    _degree: Any = None

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, numbers: Numbers, weight: bool
    ) -> None:
        super().__init__(device, graph, problem, numbers, weight)
        self.groups = -(-self.n // (self.shape.local * self.shape.items))
        self.parts = self.groups
        self.chain = max(self.chain, self.shape.items + int(log2(self.shape.local)))
        if self.flat:
            self.groups = self.parts = 1
            self.chain = self.flat_chain()

    def _upload_more(self) -> None:
        if not self.weighted:
            out = self.problem.out

            def make() -> Any:
                beside = out.astype(np.int32)[self.reverse.col_idx]
                self.device.reserve({"degree": beside.nbytes})
                return self.device.upload(beside)

            self._degree = self.device.cached(self.reverse, "pagerank-degree", make)

    def explain(self) -> list[str]:
        each = f"{self.shape.items} consecutive vertices" if self.shape.items > 1 else "one vertex"
        what = (
            "the out-degree stands beside each arc, which divides by it (Parallel I)"
            if self.travel_rank
            else "one division a vertex (Parallel II)"
        )
        if self.flat:
            return [f"{FLAT}; {what}"]
        return [f"one work-item takes {each}; {what}"]

    def compile(self, defines: dict[str, Any]) -> None:
        shape = self.shape
        self._program: Program = self.device.program(
            "ranking/rows_pull", **defines, **self.csr.defines, ITEMS=shape.items, LOCAL=shape.local
        )
        self._kernel = (
            self._program.pagerank_pull if self.travel_rank else self._program.pagerank_contribution
        )

    def enqueue(self, travel: Any, parts: Any, state: Any, vertex: tuple[Any, ...]) -> None:
        csr, local = self.csr, self.shape.local
        beside = (self._degree,) if self.travel_rank else ()
        self._kernel.exact(
            self.groups * local,
            np.int32(self.n),
            csr.row_ptr,
            csr.col_idx,
            *beside,
            self.share,
            travel,
            parts,
            state,
            *vertex,
            local=local,
        )


class ContributionRows(PullRows):
    """One work-item a vertex (a run of them on CPUs), one division a vertex."""

    variant = "contribution"
    travel_rank = False

    def _upload_more(self) -> None:
        pass


class SubgroupRows(PlainRows):
    """A row by a sub-group; rows that are longer than a piece by several work-groups."""

    variant = "subgroup"

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, numbers: Numbers, weight: bool
    ) -> None:
        super().__init__(device, graph, problem, numbers, weight)
        shape = self.shape
        features = device.features
        self.local = shape.team_local
        if "HAVE_SUBGROUPS" in features:
            self.team, self.by = 0, "OpenCL's sub-group functions"
            self.local = max(self.local, 64)
        elif "HAVE_PTX" in features:
            self.team, self.by = 32, "PTX shuffles in a warp"
        else:
            self.team, self.by = shape.team, f"local memory, {shape.team} work-items"
        # every group's share of the tally has to be added up: no more groups than keep the device busy
        busy = self.n // (GROUPS_FOR_A_UNIT * device.compute_units)
        self.rows = min(max(shape.rows, 1 << max(0, busy.bit_length() - 1)), shape.most_rows)
        self.parts = -(-self.n // self.rows)
        # the part of a row that a lane adds up is at most all of a piece
        self.chain = max(
            min(self.chain, shape.piece) + _longest(self.reverse.row_ptr) // shape.piece + 16, self.rows
        )

    def _upload_more(self) -> None:
        piece = self.shape.piece

        def make() -> tuple[int, Any, Any]:
            lengths = np.diff(self.reverse.row_ptr)
            count = np.where(lengths > piece, -(-lengths // piece), 0)
            first = np.zeros(self.n + 1, np.int32)
            np.cumsum(count, out=first[1:])
            row = np.repeat(np.arange(self.n, dtype=np.int32), count)
            return len(row), self.device.upload(first), self.device.upload(row)

        made = self.device.cached(self.reverse, ("pagerank-pieces", piece), make)
        self.pieces, self._first_piece, self._piece_row = made
        self._piece_sum = self.device.empty(self.pieces, np.float64)  # an ACC has 8 bytes either way

    def explain(self) -> list[str]:
        return [
            f"a row is summed by a sub-group: {self.by} (Parallel III)",
            f"rows of more than {self.shape.piece} arcs go in pieces to work-groups of {self.local}: "
            f"{self.pieces} pieces",
        ]

    def compile(self, defines: dict[str, Any]) -> None:
        self._program: Program = self.device.program(
            "ranking/rows_subgroup",
            **defines,
            **self.csr.defines,
            LOCAL=self.local,
            TEAM=self.team,
            PIECE=self.shape.piece,
            ROWS=self.rows,
        )

    def enqueue(self, travel: Any, parts: Any, state: Any, vertex: tuple[Any, ...]) -> None:
        csr, local = self.csr, self.local
        self._program.pagerank_pieces.exact(
            self.pieces * local,
            np.int32(self.pieces),
            self._piece_row,
            self._first_piece,
            csr.row_ptr,
            csr.col_idx,
            self.share,
            travel,
            state,
            self._piece_sum,
            local=local,
        )
        self._program.pagerank_subgroup.exact(
            self.parts * local,
            np.int32(self.n),
            self._first_piece,
            self._piece_sum,
            csr.row_ptr,
            csr.col_idx,
            self.share,
            travel,
            parts,
            state,
            *vertex,
            local=local,
        )


PLAIN: dict[str, type[PlainRows]] = {
    kind.variant: kind for kind in (SerialRows, PullRows, ContributionRows, SubgroupRows)
}
