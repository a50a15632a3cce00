"""Sources without out-arcs answered from stored scores, as the contest's slides do: the option `stored`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.ranking.personalized.engines import run_engine
from clgraph.ranking.personalized.result import Outcome
from clgraph.ranking.personalized.walks import dangling_scores

if TYPE_CHECKING:
    from clgraph.ranking.personalized.request import Request
    from clgraph.ranking.personalized.walks import DanglingScores
    from clgraph.run import run_on

ALL = 1 - 1e-15  # a source with so much of its mass on dangling vertices has all of it there


def answer_stored(request: Request, run: run_on) -> Outcome:
    """Answer a call's sources: those without out-arcs from stored scores, the others by its method."""
    queries = request.queries
    from_store = np.flatnonzero(queries.on_dangling >= ALL).tolist()
    jobs = sorted(set(range(queries.distinct)) - set(from_store))
    found = run_engine(request, jobs, run) if jobs else Outcome(request, request.checked_round_off(0))
    if from_store:
        store = dangling_scores(request)
        run.lap("upload")
        fill_from_store(request, store, from_store, found)
        line = f"{len(from_store)} sources without out-arcs: answered from what is stored"
        found.plan = (*found.plan, line)
        run.lap("run")
    return found


def fill_from_store(
    request: Request, store: DanglingScores | None, sources: list[int], found: Outcome
) -> None:
    """Answer sources that no weight leaves.

    x = (1-d) p + d g; under "personalization" x = p, under "drop" x = (1-d) p.
    """
    problem, d, n, top = request.problem, request.problem.damping, request.problem.n, request.options.top
    scores, order = np.zeros(n), np.arange(n, dtype=np.int32)
    if store is not None:
        g = store.result
        scores, order = request.device.cached(g, "on the host", lambda: _on_host(g.scores))
    share = 1.0 if problem.policy == "personalization" else 1 - d
    best = None
    if top is not None:  # of the stored scores as few as can matter
        support = max(len(request.queries.entries(i)[0]) for i in sources)
        best = order[: top + support]
    for i in sources:
        where, mass = request.queries.entries(i)
        some = np.arange(n) if best is None else np.union1d(best, where)
        x = d * scores[some]
        if best is None:
            x[where] += share * mass
            found.scores[i] = x.astype(request.numbers.real)
            continue
        x[np.searchsorted(some, where)] += share * mass
        x = x.astype(request.numbers.real)
        chosen = np.argsort(-x, kind="stable")[:top]
        found.index[i], found.scores[i] = some[chosen], x[chosen]
    found.residuals[sources] = np.nan
    found.error_bounds[sources] = (0.0 if store is None else d * store.result.error_bound) + found.round_off
    found.ended[sources] = "store"
    found.converged[sources] = True


def _on_host(given: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """The scores, and the vertices by descending score, equal ones by index."""
    scores = (given if isinstance(given, np.ndarray) else given.get()).astype(np.float64)
    return scores, np.argsort(-scores, kind="stable").astype(np.int32)
