"""A personalized PageRank call on one device, phase by phase.

The iterating methods are in `clgraph.ranking.personalized.lanes` (one source on a GPU: `clgraph.ranking.personalized.single`), walks in
`clgraph.ranking.personalized.walks`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.ranking.personalized.lanes import Answers, Lanes
from clgraph.ranking.personalized.single import Single, takes
from clgraph.ranking.personalized.walks import Walks, stored_ranks
from clgraph.ranking.problem import check_reachable, error_bound, round_off

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.ranking.personalized.options import Options
    from clgraph.ranking.personalized.problem import Queries
    from clgraph.ranking.problem import Problem, Stop
    from clgraph.ranking.rows import Numbers


class Call:
    """One call on one device: its phases, timed."""

    def __init__(
        self,
        graph: Graph,
        problem: Problem,
        queries: Queries,
        device: Device,
        numbers: Numbers,
        weight: bool,
        top: int | None,
    ) -> None:
        self.graph, self.problem, self.queries, self.device = graph, problem, queries, device
        self.numbers, self.weight, self.top = numbers, weight, top
        self.seconds: dict[str, float] = {}
        self._began = time.perf_counter()

    def _phase(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._began
        self._began = now

    def iterate(self, method: str, stop: Stop, options: Options, dtype: str, stored: bool) -> dict[str, Any]:
        """The iterating methods: what `PersonalizedResult` wants to know, by distinct source."""
        queries, problem = self.queries, self.problem
        from_store = np.flatnonzero(queries.on_dangling >= 1 - 1e-15).tolist() if stored else []
        jobs = sorted(set(range(queries.distinct)) - set(from_store))
        plan: list[str] = []
        answers = Answers(queries.distinct, problem.n, self.top, self.numbers.real)
        rho = round_off(dtype, 0)
        if jobs:
            way = Single if takes(self.device, method, options, jobs) else Lanes
            lanes = way(
                self.device,
                self.graph,
                problem,
                queries,
                stop,
                self.numbers,
                method,
                self.weight,
                options,
                jobs,
            )
            self._phase("build")
            rho = round_off(dtype, lanes.round_off_chain)
            check_reachable(stop, problem.n, dtype, rho)
            lanes.upload()
            self.device.finish()
            self._phase("upload")
            lanes.compile()
            self._phase("compile")
            answers = lanes.run()
            plan += lanes.explain()
            self._phase("run")
        bounds = np.array([error_bound(problem.damping, moved, rho) for moved in answers.moved.tolist()])
        if from_store:
            plan.append(f"{len(from_store)} sources without out-arcs: answered from what is stored")
            answers.residual[from_store] = np.nan
            bounds[from_store] = self._from_store(from_store, answers) + rho
            answers.ended[from_store] = "store"
            answers.converged[from_store] = True
            self._phase("run")
        return {
            "values": answers.values,
            "index": answers.index,
            "iterations": answers.iterations,
            "residuals": answers.residual,
            "ended": answers.ended,
            "error_bounds": bounds,
            "converged": answers.converged if stop.tol > 0 else None,
            "plan": plan,
        }

    def _from_store(self, which: list[int], answers: Answers) -> float:
        """x = (1-d) p + d g_q for sources that no weight leaves; returns the bound of the error of d g_q."""
        problem, d, n = self.problem, self.problem.damping, self.problem.n
        rest, order, bound = None, np.arange(n, dtype=np.int32), 0.0
        if problem.policy in ("uniform", "given"):
            store = stored_ranks(self.device, self.graph, problem, self.numbers, self.weight)
            rest, order, bound = store.host, store.order, d * store.error_bound
        self._phase("upload")
        share = 1.0 if problem.policy == "personalization" else 1 - d
        best = None
        if self.top is not None:  # of the stored ranks as few as can matter
            support = max(len(self.queries.entries(i)[0]) for i in which)
            best = order[: self.top + support]
        for i in which:
            where, mass = self.queries.entries(i)
            some = np.arange(n) if best is None else np.union1d(best, where)
            x = np.zeros(len(some)) if rest is None else d * rest[some]
            if best is None:
                x[where] += share * mass
                answers.values[i] = x
                continue
            x[np.searchsorted(some, where)] += share * mass
            x = x.astype(self.numbers.real)
            chosen = np.argsort(-x, kind="stable")[: self.top]
            assert answers.index is not None
            answers.index[i], answers.values[i] = some[chosen], x[chosen]
        return bound

    def walk(self, seed: int, walks: int) -> dict[str, Any]:
        """Method "monte-carlo": as `iterate`."""
        job = Walks(
            self.device,
            self.graph,
            self.problem,
            self.queries,
            self.numbers,
            self.weight,
            seed,
            walks,
            self.top,
        )
        self._phase("build")
        job.upload()
        self.device.finish()
        self._phase("upload")
        job.compile()
        self._phase("compile")
        values, index = job.run()
        self._phase("run")
        k = self.queries.distinct
        spread = np.sqrt((1 + self.problem.damping) * values.astype(np.float64) / walks)
        return {
            "values": values,
            "index": index,
            "iterations": np.zeros(k, np.int64),
            "residuals": np.full(k, np.nan),
            "ended": ["walks"] * k,
            "error_bounds": np.full(k, np.nan),
            "converged": None,
            "walks": walks,
            "visits": job.visits,
            "lost": job.lost,
            "seed": seed,
            "standard_errors": spread,
            "plan": job.explain(),
        }
