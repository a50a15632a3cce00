"""Source by source by the power method, on the rows of PageRank's plans.

For one source on GPUs, where these are faster than lanes; for any number of sources where PageRank has
pipelines, which lanes do not have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clgraph.device.launch_config import LaunchTable
from clgraph.ranking.personalized.engine import Outcome
from clgraph.ranking.plan import KINDS, choose
from clgraph.ranking.solver import Solver, Vectors
from clgraph.ranking.top import Top

if TYPE_CHECKING:
    from clgraph.ranking.personalized.engine import Request
    from clgraph.ranking.rows import Rows

# PageRank's plan for one source; None: lanes take it
LAUNCH: LaunchTable[str | None] = LaunchTable(gpu="bins", cpu=None, simulator=None)


def takes(request: Request, jobs: list[int]) -> bool:
    """Whether a call is one for `Single`: with the plain test, made at every iteration."""
    options, device = request.options, request.device
    plain = options.check_every == 1 and not options.squared and not options.stable_top
    fit = device.has_pipeline("ranking/contribution") or (len(jobs) == 1 and LAUNCH.of(device) is not None)
    return options.method == "power" and plain and fit


class SourceSolver(Solver):
    """PageRank's solver for one source at a time.

    A source has few entries, which a kernel writes: to make and upload whole vectors would take many times as
    long as the iterations.
    """

    def __init__(self, request: Request, job: int, rows: Rows) -> None:
        super().__init__(request.device, request.problem, request.options.stop, request.numbers, rows)
        self.queries, self.job = request.queries, job

    def turn_to(self, job: int) -> None:
        """Go over to another source; only once uploaded."""
        if job != self.job:
            self.job = job
            self.vectors = self.make_vectors()

    def make_vectors(self) -> Vectors:
        """What the row order keeps, and the source's entries."""
        problem = self.problem
        p = self.order.entries(*self.queries.entries(self.job))
        q = p if problem.policy == "personalization" else self.order.upload(problem.dangling)
        return Vectors(self.order.inverse_out, p, q, p)


class Single:
    """The engine of the power method for one source at a time."""

    def __init__(self, request: Request, jobs: list[int]) -> None:
        self.request, self.jobs = request, jobs
        device, graph, numbers = request.device, request.graph, request.numbers
        plan = LAUNCH.of(device) or choose(device, graph, numbers)
        rows = KINDS[plan](device, graph, request.problem, numbers, request.weight)
        self.solver = SourceSolver(request, jobs[0], rows)
        self.round_off = request.checked_round_off(self.solver.round_off_chain)

    def explain(self) -> tuple[str, ...]:
        """What was chosen and why, a line each."""
        each = "one source" if len(self.jobs) == 1 else f"{len(self.jobs)} sources, one after the other"
        return (f"{each}: the rows of PageRank's own plan", *self.solver.explain())

    def upload(self) -> None:
        """Bring the graph to the device, and allocate the vectors."""
        self.solver.upload()

    def compile(self) -> None:
        """Build the kernels."""
        self.solver.compile()
        self._top, top, device = None, self.request.options.top, self.request.device
        if top is not None:
            self._number = self.solver.order.order
            self._lane = device.zeros(1, np.int32)
            numbered = self._number is not None
            n, real = self.request.problem.n, self.request.numbers.real
            self._top = Top(device, n, top, 1, real, numbered=numbered)

    def run(self) -> Outcome:
        """Take each source to its end."""
        found = Outcome.blank(self.request, self.round_off, self.explain())
        for done, i in enumerate(self.jobs, 1):
            self.solver.turn_to(i)
            self.solver.run()
            self._take(i, found)
            self.request.tell(done, len(self.jobs))
        self.solver.give_back()
        return found

    def _take(self, i: int, found: Outcome) -> None:
        if self._top is None:
            ranks, iterations, met, moved, residual = self.solver.take(on_device=self.request.stays)
            found.values[i] = ranks
        else:
            assert found.index is not None
            self._top.enqueue(self._lane, 1, self.solver.area.rank, number=self._number)
            found.index[i : i + 1], found.values[i : i + 1] = self._top.take(1)
            iterations, met, moved, residual = self.solver.end()
        found.put_end(self.request, i, iterations, moved, residual, met, False)
