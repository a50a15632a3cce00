"""Source by source by the power method, on the rows of PageRank's plans.

For one source on GPUs, where these are faster than lanes; for any number of sources where PageRank has
pipelines, which lanes do not have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.shapes import Shapes
from clgraph.ranking.personalized.engine import Outcome
from clgraph.ranking.personalized.top import Top
from clgraph.ranking.plan import KINDS, choose
from clgraph.ranking.solver import Solver, Vectors

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.ranking.personalized.engine import Request
    from clgraph.ranking.personalized.sources import Queries

# PageRank's plan for one source; None: lanes take it
SHAPES: Shapes[str | None] = Shapes(gpu="bins", cpu=None, simulator=None)
FEW = 64  # entries of a source that are written one by one


def takes(request: Request, jobs: list[int]) -> bool:
    """Whether a call is one for `Single`: with the plain test, made at every iteration."""
    options, device = request.options, request.device
    plain = options.check_every == 1 and not options.squared and not options.stable_top
    fit = device.has_pipeline("ranking/rows_pull") or (len(jobs) == 1 and SHAPES.of(device) is not None)
    return options.method == "power" and plain and fit


class SourceSolver(Solver):
    """PageRank's solver for one source at a time: what all calls share stays on the device.

    Building, permuting and bringing whole vectors would take many times as long as the iterations.
    """

    def __init__(self, graph: Graph, queries: Queries, job: int, weight: bool, *args: Any) -> None:
        super().__init__(*args)
        self.graph, self.queries, self.job, self.weight = graph, queries, job, weight

    def turn_to(self, job: int) -> None:
        """Go over to another source; only once uploaded."""
        if job != self.job:
            self.job = job
            self.hold(self.make_vectors())

    def make_vectors(self) -> Vectors:
        """1 / out-degree as kept, and the source's few entries."""
        dev, problem = self.device, self.problem
        key = ("ppr-inverse", self.variant, self.numbers.dtype, self.weight)
        inverse = dev.cached(self.graph, key, lambda: super(SourceSolver, self).make_vectors().inverse)
        vertices, mass = self.queries.entries(self.job)
        order = self.rows.order
        where = vertices if order is None else self._place_of(order)[vertices].astype(np.int64)
        p = dev.zeros(self.n, self.numbers.real)
        values = mass.astype(self.numbers.real)
        if len(where) > FEW:
            dense = np.zeros(self.n, self.numbers.real)
            dense[where] = values
            dev.write(p, dense)
        else:
            for place, value in zip(where.tolist(), values, strict=True):
                dev.write(p, value, offset=place)
        q = p if problem.policy == "personalization" else self._vector(problem.dangling)
        return Vectors(inverse, p, q, p)

    def _place_of(self, order: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Where each vertex stands in the rows' order."""

        def make() -> npt.NDArray[np.int32]:
            place = np.empty(self.n, np.int32)
            place[order] = np.arange(self.n, dtype=np.int32)
            return place

        found: npt.NDArray[np.int32] = self.device.cached(
            self.graph, ("ppr-place", self.variant, self.numbers.dtype), make
        )
        return found


class Single:
    """The engine of the power method for one source at a time."""

    def __init__(self, request: Request, jobs: list[int]) -> None:
        self.request, self.jobs = request, jobs
        self.device, self.graph, self.numbers = request.device, request.graph, request.numbers
        device, graph, problem = request.device, request.graph, request.problem
        plan = SHAPES.of(device) or choose(device, graph, request.numbers)
        rows = KINDS[plan](device, graph, problem, request.numbers, request.weight)
        self.solver = SourceSolver(
            graph,
            request.queries,
            jobs[0],
            request.weight,
            device,
            problem,
            request.options.stop,
            request.numbers,
            rows,
        )
        self.round_off = request.checked_round_off(self.solver.round_off_chain)

    def explain(self) -> tuple[str, ...]:
        """What was chosen and why, a line each."""
        each = "one source" if len(self.jobs) == 1 else f"{len(self.jobs)} sources, one after the other"
        return (f"{each}: the rows of PageRank's own plan", *self.solver.explain())

    def upload(self) -> None:
        """Bring the graph to the device, and allocate the vectors."""
        self.solver.upload()
        order = self.solver.rows.order
        self._order = None
        if order is not None and self.request.options.top is not None:
            key = ("ppr-order", self.solver.variant, self.numbers.dtype)
            self._order = self.device.cached(self.graph, key, lambda: self.device.upload(order))

    def compile(self) -> None:
        """Build the kernels."""
        self.solver.compile()
        self._top, top = None, self.request.options.top
        if top is not None:
            self._lane = self.device.zeros(1, np.int32)
            numbered = self._order is not None
            n, real = self.request.problem.n, self.numbers.real
            self._top = Top(self.device, n, top, 1, real, numbered=numbered)

    def run(self) -> Outcome:
        """Take each source to its end."""
        found = Outcome.blank(self.request, self.round_off, self.explain())
        for i in self.jobs:
            self.solver.turn_to(i)
            self.solver.run()
            self._take(i, found)
        return found

    def _take(self, i: int, found: Outcome) -> None:
        if self._top is None:
            found.values[i], iterations, met, moved, residual = self.solver.take()
        else:
            assert found.index is not None
            self._top.enqueue(self._lane, 1, self.solver.rank, number=self._order)
            found.index[i : i + 1], found.values[i : i + 1] = self._top.take(1)
            iterations, met, moved, residual = self.solver.end()
        found.put_end(self.request, i, iterations, moved, residual, met, "tol" if met else "max_iter")
