"""The engines of personalized PageRank: which one answers a call, and the one that takes a source at a time.

The latter iterates on the rows of PageRank's plans: for one source on GPUs, where these are faster than
lanes; for any number of sources where PageRank has pipelines, which lanes do not have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.device.launch_config import LaunchTable
from clgraph.lazy import Table
from clgraph.ranking.personalized.batched_power import BatchedPower, batch_of
from clgraph.ranking.personalized.request import Request
from clgraph.ranking.personalized.result import Outcome
from clgraph.ranking.personalized.walks import Walks
from clgraph.ranking.plan import KINDS, choose
from clgraph.ranking.top import Top

if TYPE_CHECKING:
    from clgraph.run import run_on


# what answers a call that has an option of this name: `clgraph.theses` adds "stored"
ANSWERS: Table[Callable[[Request, run_on], Outcome]] = Table()


def answer(request: Request, run: run_on) -> Outcome:
    """Find the scores of each distinct source; the time of each phase is noted."""
    if request.options.stored:
        return ANSWERS["stored"](request, run)
    return run_engine(request, list(range(request.queries.distinct)), run)


def run_engine(request: Request, jobs: list[int], run: run_on) -> Outcome:
    """Answer these distinct sources, at least one."""
    engine: Walks | OneSource | BatchedPower
    if request.options.method == "monte-carlo":
        engine = Walks(request, jobs)
    elif takes(request, jobs):
        engine = OneSource(request, jobs)
    else:
        engine = batch_of(request.options.method, request.device)(request, jobs)
    run.lap("build")
    engine.upload()
    request.device.finish()
    run.lap("upload")
    engine.compile()
    run.lap("compile")
    found = engine.run()
    run.lap("run")
    return found


# --- one source after the other, on PageRank's rows --------------------------------------------------------

# PageRank's plan for one source; None: lanes take it
LAUNCH: LaunchTable[str | None] = LaunchTable(gpu="bins", cpu=None, simulator=None)


def takes(request: Request, jobs: list[int]) -> bool:
    """True if `OneSource` answers a call: with the plain test, made at every iteration."""
    options, device = request.options, request.device
    plain = options.check_every == 1 and not options.squared and not options.stable_top
    fit = device.has_pipeline("ranking/contribution") or (len(jobs) == 1 and LAUNCH.of(device) is not None)
    return options.method == "power" and plain and fit


class OneSource:
    """The engine of the power method for one source at a time."""

    def __init__(self, request: Request, jobs: list[int]) -> None:
        self.request, self.jobs, self._job = request, jobs, jobs[0]
        device, graph, numbers = request.device, request.graph, request.numbers
        plan = LAUNCH.of(device) or choose(device, graph, numbers)
        stop = request.options.stop
        self.solver = KINDS[plan](device, graph, request.problem, stop, numbers, request.weight)
        self.compile = self.solver.compile
        self.round_off = request.checked_round_off(self.solver.round_off_chain)

    def upload(self) -> None:
        """Upload what the solver needs."""
        solver: Any = self.solver
        # its problem has no personalization: the source takes its place. For this call alone, since a circle
        # would keep the buffers until the garbage collector runs
        solver.fill_vectors = self._fill_vectors
        try:
            solver.upload()
        finally:
            del solver.fill_vectors

    def _fill_vectors(self) -> None:
        """Give the solver the source's entries, which a kernel writes.

        They are few: to make and upload whole vectors would take many times as long as the iterations.
        """
        solver, problem = self.solver, self.request.problem
        solver.p = solver.start = solver.entries(*self.request.queries.entries(self._job))
        solver.q = solver.p if problem.policy == "personalization" else None
        if problem.dangling is not None:
            solver.q = solver.to_rows(problem.dangling)

    def run(self) -> Outcome:
        """Take each source to its end."""
        request, solver, device, top = self.request, self.solver, self.request.device, None
        each = "one source" if len(self.jobs) == 1 else f"{len(self.jobs)} sources, one after the other"
        plan = (f"{each}: the rows of PageRank's own plan", *solver.explain())
        found = Outcome(request, self.round_off, plan)
        if request.options.top is None:
            solver.arrays = "device" if request.stays else "host"
        else:
            solver.arrays = None
            lane, numbered = device.zeros(1, np.int32), solver.order is not None
            top = Top(device, solver.n, request.options.top, 1, solver.real, numbered=numbered)
        for done, i in enumerate(self.jobs, 1):
            # `upload` has brought the first one
            if i != self._job:
                self._job = i
                self._fill_vectors()
            solver.run()
            if top is None:
                found.scores[i], *end = solver.take()
            else:
                top.enqueue(lane, 1, solver.rank, number=solver.order)
                found.index[i : i + 1], found.scores[i : i + 1] = top.take(1)
                end = list(solver.end())
            iterations, met, moved, residual = end
            found.put_end(i, iterations, moved, residual, met)
            request.tell(done, len(self.jobs))
        solver.give_back()
        return found
