"""What sums the rows of an iterating method: the interface, and method "power" on CPUs.

Host half of ``cl/ranking/personalized/power.cl``. A `Product` has the graph's arrays on the device and
enqueues the kernels that sum and end all rows for the lanes of a run; `clgraph.ranking.personalized.lanes`
does the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.ranking.sell import SETTLE, balanced
from clgraph.ranking.transition_weights import upload_shares

if TYPE_CHECKING:
    from clgraph.ranking.personalized.engine import Request


class Product:
    """The arrays by which rows are summed, and the launches. Each sub-class sums them in its own way.

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

    def __init__(self, request: Request, width: int) -> None:
        self.device, self.graph, self.problem = request.device, request.graph, request.problem
        self.numbers, self.weight, self.width = request.numbers, request.weight, width
        self.n = request.graph.num_vertices
        self.weighted = request.problem.weighted

    def explain(self) -> list[str]:
        """What is done, in words."""
        raise NotImplementedError

    def upload(self) -> None:
        """Bring the arrays to the device, where they stay as long as the graph lives."""
        raise NotImplementedError

    def compile(self, defines: dict[str, Any]) -> None:
        """Build the kernels; `defines` are those of the run."""
        raise NotImplementedError

    def enqueue(self, test: bool, last: int, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        """Enqueue an iteration's sums.

        Parameters
        ----------
        test : bool
            Whether the difference of the iterates is wanted.
        last : int
            The last iteration.
        parts, state : buffers
        vectors : dict
            PPR_VERTEX_ARGS of ``cl/ranking/personalized/lanes.h``.
        """
        raise NotImplementedError

    def _shares(self, *, by_tail: bool = False) -> Any:
        """The shares of the graph's arcs, as `upload_shares` has them; None where all arcs weigh the same."""
        if not self.weighted:
            return None
        real = self.numbers.real
        return upload_shares(self.device, self.graph, self.problem, real, self.weight, by_tail=by_tail)


# --- method "power" on CPUs -----------------------------------------------------------------------------

# runs of rows, a work-item each: enough for balance on any number of cores (GPUs take
# `clgraph.ranking.personalized.teams` instead)
LAUNCH = LaunchTable(gpu=256, cpu=256, simulator=3)


@dataclass(frozen=True)
class Cut:
    """Runs of rows: how many, the longest chain of additions, and (on the device) their bounds."""

    count: int
    chain: int
    bound: Any


class Runs(Product):
    """One work-item takes a run of rows, and all lanes: method "power" on CPUs."""

    csr: DeviceCSR

    def __init__(self, request: Request, width: int) -> None:
        super().__init__(request, width)
        self.reverse = reverse = self.graph.reverse
        runs, device = LAUNCH.of(self.device), self.device

        def make() -> Cut:
            longest = int(np.diff(reverse.row_ptr).max(initial=0))
            cost = reverse.row_ptr.astype(np.int64) + SETTLE * np.arange(len(reverse.row_ptr))
            bound = balanced(cost, runs)
            return Cut(len(bound) - 1, max(longest, int(np.diff(bound).max())), device.upload(bound))

        self._cut = device.cached(reverse, ("ppr-runs", runs), make)
        self.parts, self.chain = self._cut.count, self._cut.chain

    def explain(self) -> list[str]:
        return [f"{self.width} lanes: one work-item takes a run of rows and all lanes, {self.parts} runs"]

    def upload(self) -> None:
        self.csr = upload_csr(self.device, self.reverse)
        self._share = self._shares()

    def compile(self, defines: dict[str, Any]) -> None:
        self._program = self.device.program("ranking/personalized/power", **defines, **self.csr.defines)

    def enqueue(self, test: bool, last: int, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        csr = self.csr
        self._program.ppr_runs.exact(
            self.parts,
            test=test,
            last=last,
            bound=self._cut.bound,
            **csr.buffers,
            share=self._share,
            parts=parts,
            state=state,
            **vectors,
            local=1,
        )
