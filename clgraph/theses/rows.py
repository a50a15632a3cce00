"""The PageRank thesis's variants serial, pull (Parallel I) and subgroup (Parallel III).

Host half of ``cl/theses/serial.cl``, ``pull.cl`` and ``subgroup.cl``. Its Parallel II, contribution, serves
variant "auto" too and is in `clgraph.ranking.plan`. On an H200 1000 iterations of ego-Facebook take
35.5 ms by pull, 20.0 ms by contribution, 21.3 ms by subgroup, and 9.3 ms by "auto".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from clgraph.device.launch_config import DeviceLimits, LaunchTable, WorkGroup, fit_group
from clgraph.ranking.plan import FLAT, ContributionSolver, PlainSolver
from clgraph.ranking.solver import TALLY, Launch


class SerialSolver(PlainSolver):
    """One work-item walks all rows."""

    variant = "serial"

    def prepare(self) -> None:
        super().prepare()
        if self.flat:
            self.chain = self.flat_chain

    def about(self) -> list[str]:
        return ["one work-item walks all rows (thesis listing 3.1)", *([FLAT] if self.flat else [])]

    def build(self, defines: dict[str, Any]) -> None:
        self._kernel = self.device.program("theses/serial", **defines, **self.offset, LOCAL=1).pagerank_serial

    def launches(self) -> list[Launch]:
        return [(self._kernel, 1, 1, self._kernel.arguments_of(self))]


class PullSolver(ContributionSolver):
    """As contribution, with one division an arc: Parallel I."""

    variant = "pull"
    words = "the out-degree is stored beside each arc, which divides by it (Parallel I)"
    sends_rank = True
    degree: Any

    def upload(self) -> None:
        """Bring the degrees, too."""

        def make() -> Any:
            beside = self.problem.out.astype(np.int32)[self.reverse.col_idx]
            self.device.reserve({"degree": beside.nbytes})
            return self.device.upload(beside)

        self.degree = None if self.weighted else self.device.cached(self.reverse, "tail-degrees", make)
        super().upload()

    def build(self, defines: dict[str, Any]) -> None:
        self._kernel = self.program("theses/pull", defines).pagerank_pull


# --- Parallel III: a sub-group a row ----------------------------------------------------------------------


@dataclass(frozen=True)
class LaunchConfig(WorkGroup):
    """Launch configuration.

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
    POWERS: ClassVar[tuple[str, ...]] = ("local", "team", "rows", "most_rows")

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


class SubgroupSolver(PlainSolver):
    """A row is summed by a sub-group; one that is longer than a piece by several work-groups."""

    variant = "subgroup"

    def prepare(self) -> None:
        super().prepare()
        config = self.config = LAUNCH.of(self.device)
        features = self.device.features
        self.group = config.local
        if "HAVE_SUBGROUPS" in features and self.device.max_work_group >= 64:
            self.team, self.by = 0, "OpenCL's sub-group functions"
            self.group = max(self.group, 64)
        elif "HAVE_PTX" in features and self.group >= 32:
            self.team, self.by = 32, "PTX shuffles in a warp"
        else:
            self.team, self.by = config.team, f"local memory, {config.team} work-items"
        # every group's part of the tally has to be added up: no more groups than keep the device busy
        busy = self.n // (GROUPS_FOR_A_UNIT * self.device.compute_units)
        # powers of two, so that teams divide a group's rows
        self.rows = min(max(config.rows, 1 << max(0, busy.bit_length() - 1)), config.most_rows)
        self.tallies = -(-self.n // self.rows)
        # the part of a row that a lane adds up is at most all of a piece
        self.chain = max(min(self.longest, config.piece) + self.longest // config.piece + 16, self.rows)

    def upload(self) -> None:
        """Bring the pieces, too."""
        piece = self.config.piece

        def make() -> tuple[int, Any, Any]:
            lengths = np.diff(self.reverse.row_ptr)
            count = np.where(lengths > piece, -(-lengths // piece), 0)
            first = np.zeros(self.n + 1, np.int32)
            np.cumsum(count, out=first[1:])
            row = np.repeat(np.arange(self.n, dtype=np.int32), count)
            return len(row), self.device.upload(first), self.device.upload(row)

        cached = self.device.cached(self.reverse, ("subgroup-pieces", piece), make)
        self.pieces, self.first_piece, self.piece_row = cached
        super().upload()

    def make_work(self) -> dict[str, Any]:
        return {"piece_sum": self.device.empty(self.pieces, np.float64)}  # an ACC has 8 bytes either way

    def about(self) -> list[str]:
        return [
            f"a row is summed by a sub-group: {self.by} (Parallel III)",
            f"rows of more than {self.config.piece} arcs go in pieces to work-groups of {self.group}: "
            f"{self.pieces} pieces",
        ]

    def build(self, defines: dict[str, Any]) -> None:
        tunables = {"LOCAL": self.group, "TEAM": self.team, "PIECE": self.config.piece, "ROWS": self.rows}
        program = self.device.program("theses/subgroup", **defines, **self.offset, **tunables)
        self._kernels = program.pagerank_pieces, program.pagerank_subgroup

    def launches(self) -> list[Launch]:
        local, groups = self.group, (self.pieces, self.tallies)
        return [
            (kernel, count * local, local, kernel.arguments_of(self))
            for kernel, count in zip(self._kernels, groups, strict=True)
        ]
