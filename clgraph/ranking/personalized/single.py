"""Source by source by the power method on the rows of PageRank's plans.

For one source on GPUs, where these beat lanes; for any number where PageRank has pipelines, which lanes have
not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.ranking.personalized.lanes import Answers
from clgraph.ranking.personalized.top import Top
from clgraph.ranking.plan import KINDS, choose
from clgraph.ranking.solver import Solver, Vectors

if TYPE_CHECKING:
    from clgraph.device import Device, Kind
    from clgraph.graph import Graph
    from clgraph.ranking.personalized.options import Options
    from clgraph.ranking.personalized.problem import Queries
    from clgraph.ranking.problem import Problem, Stop
    from clgraph.ranking.rows import Numbers

# PageRank's plan for one source, by kind of device; lanes where none is named
PLAN: dict[Kind, str] = {"gpu": "bins"}
FEW = 64  # entries of a source that are written one by one


def takes(device: Device, method: str, options: Options, jobs: list[int]) -> bool:
    """Whether a call is one for `Single`: its test is made at every iteration and is the plain one."""
    plain = options.check_every == 1 and not options.squared and not options.stable_top
    fit = device.has_pipeline("ranking/rows_pull") or (len(jobs) == 1 and device.kind in PLAN)
    return method == "power" and plain and fit


class SourceSolver(Solver):
    """PageRank's solver for one source at a time: what all calls share stays on the device.

    Building, permuting and bringing whole vectors would take many times as long as the iterations.
    """

    def __init__(self, graph: Graph, queries: Queries, job: int, weight: bool, *args: Any) -> None:
        super().__init__(*args)
        self.graph, self.queries, self.job, self.weight = graph, queries, job, weight

    def turn_to(self, job: int) -> None:
        """Take another source; once uploaded."""
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
    """Buffers and launches of one call, source by source; the same interface as `Lanes`."""

    def __init__(
        self,
        device: Device,
        graph: Graph,
        problem: Problem,
        queries: Queries,
        stop: Stop,
        numbers: Numbers,
        method: str,
        weight: bool,
        options: Options,
        jobs: list[int],
    ) -> None:
        self.device, self.graph, self.queries, self.numbers = device, graph, queries, numbers
        self.jobs, self.top, self.n = jobs, options.top, problem.n
        plan = PLAN[device.kind] if device.kind in PLAN else choose(device, graph, numbers)
        rows = KINDS[plan](device, graph, problem, numbers, weight)
        self.solver = SourceSolver(graph, queries, jobs[0], weight, device, problem, stop, numbers, rows)

    @property
    def round_off_chain(self) -> int:
        """As of `Lanes`."""
        return self.solver.round_off_chain

    def explain(self) -> tuple[str, ...]:
        """What was chosen and why, a line each."""
        each = "one source" if len(self.jobs) == 1 else f"{len(self.jobs)} sources, one after the other"
        return (f"{each}: the rows of PageRank's own plan", *self.solver.explain())

    def upload(self) -> None:
        """Bring the graph to the device, and allocate the vectors."""
        self.solver.upload()
        order = self.solver.rows.order
        self._order = None
        if order is not None and self.top is not None:
            key = ("ppr-order", self.solver.variant, self.numbers.dtype)
            self._order = self.device.cached(self.graph, key, lambda: self.device.upload(order))

    def compile(self) -> None:
        """Build the kernels."""
        self.solver.compile()
        self._top = None
        if self.top is not None:
            self._lane = self.device.zeros(1, np.int32)
            numbered = self._order is not None
            self._top = Top(self.device, self.n, self.top, 1, self.numbers.real, numbered=numbered)

    def run(self) -> Answers:
        """Each source to its end."""
        answers = Answers(self.queries.distinct, self.n, self.top, self.numbers.real)
        for i in self.jobs:
            self.solver.turn_to(i)
            self.solver.run()
            self._take(i, answers)
        return answers

    def _take(self, i: int, answers: Answers) -> None:
        if self._top is None:
            answers.values[i], iterations, met, moved, residual = self.solver.take()
        else:
            assert answers.index is not None
            self._top.enqueue(self._lane, 1, self.solver.rank, number=self._order)
            answers.index[i : i + 1], answers.values[i : i + 1] = self._top.take(1)
            iterations, met, moved, residual = self.solver.end()
        answers.iterations[i], answers.converged[i] = iterations, met
        answers.moved[i], answers.residual[i] = moved, residual
        answers.ended[i] = "tol" if met else "max_iter"
