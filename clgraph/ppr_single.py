"""One source by the power method on the rows of PageRank's plans, where these beat lanes (GPUs)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.pagerank_plan import make_solver
from clgraph.ppr_lanes import Answers, Options
from clgraph.ppr_top import Top

if TYPE_CHECKING:
    from clgraph.device import Device, Kind
    from clgraph.graph import Graph
    from clgraph.pagerank_problem import Problem, Stop
    from clgraph.pagerank_rows import Numbers
    from clgraph.ppr_problem import Queries

# PageRank's plan for one source, by kind of device; lanes where none is named
PLAN: dict[Kind, str] = {"gpu": "bins"}


def takes(device: Device, method: str, options: Options, jobs: list[int]) -> bool:
    """Whether a call is one for `Single`: its test is made at every iteration and is the plain one."""
    plain = options.check_every == 1 and not options.squared and not options.stable_top
    return method == "power" and len(jobs) == 1 and plain and device.kind in PLAN


class Single:
    """Buffers and launches of one call with one source; the same interface as `Lanes`."""

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, queries: Queries, stop: Stop, numbers: Numbers,
        method: str, weight: bool, options: Options, jobs: list[int],
    ) -> None:  # fmt: skip
        self.device, self.graph, self.queries, self.numbers = device, graph, queries, numbers
        self.job, self.top, self.n = jobs[0], options.top, problem.n
        p = queries.distinct_vector(self.job)
        back = p if problem.policy == "personalization" else problem.dangling
        asked = replace(problem, personalization=p, dangling=back, start=p)
        self.solver = make_solver(PLAN[device.kind], device, graph, asked, stop, numbers, weight)

    @property
    def round_off_chain(self) -> int:
        """As of `Lanes`."""
        return self.solver.round_off_chain

    def explain(self) -> tuple[str, ...]:
        """What was chosen and why, a line each."""
        return ("one source: the rows of PageRank's own plan", *self.solver.explain())

    def upload(self) -> None:
        """Bring the graph to the device, and allocate the vectors."""
        self.solver.upload()
        order = self.solver.rows.order
        self._order = None
        if order is not None and self.top is not None:
            key = ("ppr-order", PLAN[self.device.kind], str(self.numbers.real))
            self._order = self.device.cached(self.graph, key, lambda: self.device.upload(order))
            self._lane = self.device.zeros(1, np.int32)

    def compile(self) -> None:
        """Build the kernels."""
        self.solver.compile()
        self._top = None
        if self.top is not None:
            self._lane = self.device.zeros(1, np.int32)
            numbered = self._order is not None
            self._top = Top(self.device, self.n, self.top, 1, self.numbers.real, numbered=numbered)

    def run(self) -> Answers:
        """The source to its end."""
        solver, i = self.solver, self.job
        answers = Answers(self.queries.distinct, self.n, self.top, self.numbers.real)
        solver.run()
        if self._top is None:
            answers.values[i], iterations, met, moved, residual = solver.take()
        else:
            assert answers.index is not None
            self._top.enqueue(self._lane, 1, solver._rank, number=self._order)
            answers.index[i : i + 1], answers.values[i : i + 1] = self._top.take(1)
            iterations, met, moved, residual = self._end()
        answers.iterations[i], answers.converged[i] = iterations, met
        answers.moved[i], answers.residual[i] = moved, residual
        answers.ended[i] = "tol" if met else "max_iter"
        return answers

    def _end(self) -> tuple[int, bool, float, float]:
        """What `Solver.take` says beside the ranks, which stay where they are."""
        dev, solver = self.device, self.solver
        _, iterations, met = dev.download(solver._state, np.int32, 3).tolist()
        if self.numbers.compensated:
            sums: Any = dev.download(solver._sums, np.float32, 6).astype(np.float64).reshape(3, 2).sum(axis=1)
        else:
            sums = dev.download(solver._sums, np.float64, 3)
        return iterations, bool(met), float(sums[1]), float(sums[2])
