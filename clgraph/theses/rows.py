"""The PageRank thesis's variants serial, pull (Parallel I) and subgroup (Parallel III).

Host half of ``cl/theses/serial.cl``, ``pull.cl`` and ``subgroup.cl``. Its Parallel II, contribution, serves
variant "auto" too and is in `clgraph.ranking.rows`. On an H200 1000 iterations of ego-Facebook take 35.5 ms
by pull, 20.0 ms by contribution, 21.3 ms by subgroup, and 9.3 ms by "auto".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.device.launch_config import DeviceLimits, LaunchTable, WorkGroup, fit_group
from clgraph.ranking.rows import FLAT, TALLY, ContributionRows, PlainRows

if TYPE_CHECKING:
    from clgraph.device.program import Program


class SerialRows(PlainRows):
    """One work-item walks all rows."""

    variant = "serial"

    def prepare(self) -> None:
        super().prepare()
        if self.flat:
            self.chain = self.flat_chain()

    def explain(self) -> list[str]:
        return ["one work-item walks all rows (thesis listing 3.1)", *([FLAT] if self.flat else [])]

    def compile(self, defines: dict[str, Any]) -> None:
        self._program = self.device.program("theses/serial", **defines, **self.csr.defines, LOCAL=1)
        self._program.pagerank_serial  # noqa: B018

    def enqueue(self, contribution: Any, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        self._program.pagerank_serial.exact(
            1,
            n=self.n,
            **self.csr.buffers,
            share=self.share,
            contribution=contribution,
            parts=parts,
            state=state,
            **vectors,
            local=1,
        )


class PullRows(ContributionRows):
    """As contribution, with one division an arc: Parallel I."""

    variant = "pull"
    words = "the out-degree is stored beside each arc, which divides by it (Parallel I)"
    sends_rank = True
    _degree: Any = None

    def upload(self) -> None:
        super().upload()
        if not self.weighted:
            out = self.problem.out

            def make() -> Any:
                beside = out.astype(np.int32)[self.reverse.col_idx]
                self.device.reserve({"degree": beside.nbytes})
                return self.device.upload(beside)

            self._degree = self.device.cached(self.reverse, "tail-degrees", make)

    def compile(self, defines: dict[str, Any]) -> None:
        kernel = self._program("theses/pull", defines).pagerank_pull
        self._kernel = kernel.bind(degree=self._degree)


# --- Parallel III: a sub-group a row ----------------------------------------------------------------------


@dataclass(frozen=True)
class LaunchConfig(WorkGroup):
    """Launch shape.

    Attributes
    ----------
    team : int
        Work-items that sum a row together, where the device has no sub-groups and no warps.
    rows, most_rows : int
        Rows of a work-group at least and at most, powers of two, multiples of local / team.
    piece : int
        Longer rows are cut into pieces for work-groups.
    """

    team: int
    rows: int
    most_rows: int
    piece: int

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits."""
        local = fit_group(self.local, device, each=TALLY + 8)
        return replace(self, local=local, team=min(self.team, local))


# sharing between work-items costs more on CPUs than it saves there, so a team is small
LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, team=32, rows=8, most_rows=256, piece=1024),
    cpu=LaunchConfig(local=16, team=4, rows=512, most_rows=512, piece=1024),
    simulator=LaunchConfig(local=8, team=4, rows=4, most_rows=8, piece=6),
)
GROUPS_FOR_A_UNIT = 16  # work-groups for each compute unit, if there are enough rows


@dataclass(frozen=True)
class Pieces:
    """Pieces of long rows: how many, the first one of each row, and the row of each (on the device)."""

    count: int
    first: Any
    row: Any


class SubgroupRows(PlainRows):
    """A row is summed by a sub-group; one that is longer than a piece by several work-groups."""

    variant = "subgroup"

    def prepare(self) -> None:
        super().prepare()
        shape = self.shape = LAUNCH.of(self.device)
        features = self.device.features
        self.local = shape.local
        if "HAVE_SUBGROUPS" in features and self.device.max_work_group >= 64:
            self.team, self.by = 0, "OpenCL's sub-group functions"
            self.local = max(self.local, 64)
        elif "HAVE_PTX" in features and self.local >= 32:
            self.team, self.by = 32, "PTX shuffles in a warp"
        else:
            self.team, self.by = shape.team, f"local memory, {shape.team} work-items"
        # every group's part of the tally has to be added up: no more groups than keep the device busy
        busy = self.n // (GROUPS_FOR_A_UNIT * self.device.compute_units)
        self.rows = min(max(shape.rows, 1 << max(0, busy.bit_length() - 1)), shape.most_rows)
        self.parts = -(-self.n // self.rows)
        # the part of a row that a lane adds up is at most all of a piece
        self.chain = max(min(self.longest, shape.piece) + self.longest // shape.piece + 16, self.rows)

    def upload(self) -> None:
        super().upload()
        piece = self.shape.piece

        def make() -> Pieces:
            lengths = np.diff(self.reverse.row_ptr)
            count = np.where(lengths > piece, -(-lengths // piece), 0)
            first = np.zeros(self.n + 1, np.int32)
            np.cumsum(count, out=first[1:])
            row = np.repeat(np.arange(self.n, dtype=np.int32), count)
            return Pieces(len(row), self.device.upload(first), self.device.upload(row))

        self.pieces = self.device.cached(self.reverse, ("subgroup-pieces", piece), make)
        self._piece_sum = self.device.empty(self.pieces.count, np.float64)  # an ACC has 8 bytes either way

    def explain(self) -> list[str]:
        return [
            f"a row is summed by a sub-group: {self.by} (Parallel III)",
            f"rows of more than {self.shape.piece} arcs go in pieces to work-groups of {self.local}: "
            f"{self.pieces.count} pieces",
        ]

    def compile(self, defines: dict[str, Any]) -> None:
        self._program: Program = self.device.program(
            "theses/subgroup",
            **defines,
            **self.csr.defines,
            LOCAL=self.local,
            TEAM=self.team,
            PIECE=self.shape.piece,
            ROWS=self.rows,
        )

    def enqueue(self, contribution: Any, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        csr, local = self.csr, self.local
        self._program.pagerank_pieces.exact(
            self.pieces.count * local,
            pieces=self.pieces.count,
            piece_row=self.pieces.row,
            first_piece=self.pieces.first,
            row_ptr=csr.row_ptr,
            col_idx=csr.col_idx,
            share=self.share,
            contribution=contribution,
            state=state,
            piece_sum=self._piece_sum,
            local=local,
        )
        self._program.pagerank_subgroup.exact(
            self.parts * local,
            n=self.n,
            first_piece=self.pieces.first,
            piece_sum=self._piece_sum,
            **csr.buffers,
            share=self.share,
            contribution=contribution,
            parts=parts,
            state=state,
            **vectors,
            local=local,
        )
