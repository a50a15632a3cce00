"""Personalized PageRank: the call and its result.

The iterating methods are in `clgraph.ppr_lanes`, walks in `clgraph.ppr_walks`.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clgraph.errors import ConvergenceError, ConvergenceWarning, InputError
from clgraph.pagerank import OnNonconvergence, _checked_dtype
from clgraph.pagerank_problem import (
    Norm,
    Problem,
    Stop,
    check_reachable,
    error_bound,
    make_problem,
    make_stop,
    round_off,
)
from clgraph.ppr_problem import Queries, check_walks, make_queries

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.pagerank_rows import Numbers

Method = Literal["power", "coo", "coo-flat", "monte-carlo"]


@dataclass(frozen=True)
class PersonalizedResult:
    """Ranks from the point of view of each source, and how they came about.

    Rows stand in the order of the caller's sources; a source given twice has two equal rows.

    Attributes
    ----------
    ranks : float32 or float64 array, shape (k, n), or None
        In the graph's vertex order; None if `top` was given.
    ids : array, shape (k, top), or None
        Ids of the highest ranks, descending; equal ones: smaller index first.
    scores : float32 or float64 array, shape (k, top), or None
        Their ranks.
    sources : list
        The source ids, or "distribution i".
    method : str
    dangling : str
        The policy in force: "uniform", "personalization", "drop" or "given".
    dangling_vector : float64 array, shape (n,), or None
        The distribution, if it was given.
    damping, tol : float
    norm : str
    iterations : int64 array, shape (k,)
        How often the recurrence was applied (monte-carlo, stored answers: 0).
    residuals : float64 array, shape (k,)
        Difference of the last two iterates in `norm`, at the last check (monte-carlo, stored answers: NaN).
    converged : bool array, shape (k,), or None
        None if tol=0 asked for exactly max_iter iterations, and for monte-carlo.
    ended : list of str
        What ended each source: "tol", "top" (stable), "max_iter", "store" or "walks".
    error_bounds : float64 array, shape (k,)
        The ranks are no farther than this (L1) from the exact ones (monte-carlo: NaN).
    walks : int or None
        Walks from each source (monte-carlo).
    visits : uint32 array, shape (k, n) or (k, top), or None
        How often walks stood at each vertex, or at those of `ids`. Equal on all devices for one seed.
    lost : int64 array, shape (k,), or None
        Walks that ended at a vertex without out-arcs.
    standard_errors : float64 array like `visits`, or None
        Of the ranks (monte-carlo): at most ``sqrt((1 + d) rank / walks)``, taken at the estimated rank.
    seed : int or None
    epsilon, confidence : float or None
        What `walks` was derived from.
    plan : tuple of str
        What was chosen and why, a line each.
    dtype : str
    seconds : dict of float
        Time by phase: "build", "upload" (with the stored ranks, once), "compile", "run" (from the first
        launch to the end of the last kernel, results brought as they come), "total".
    device : str
    """

    ranks: npt.NDArray[Any] | None
    ids: npt.NDArray[Any] | None
    scores: npt.NDArray[Any] | None
    sources: list[Any]
    method: str
    dangling: str
    dangling_vector: npt.NDArray[np.float64] | None = field(repr=False)
    damping: float
    tol: float
    norm: str
    iterations: npt.NDArray[np.int64]
    residuals: npt.NDArray[np.float64]
    converged: npt.NDArray[np.bool_] | None
    ended: list[str]
    error_bounds: npt.NDArray[np.float64]
    walks: int | None
    visits: npt.NDArray[np.uint32] | None
    lost: npt.NDArray[np.int64] | None
    standard_errors: npt.NDArray[np.float64] | None
    seed: int | None
    epsilon: float | None
    confidence: float | None
    plan: tuple[str, ...]
    dtype: str
    seconds: dict[str, float]
    device: str


def personalized_pagerank(
    graph: Graph,
    sources: Any,
    *,
    method: Method = "power",
    damping: float = 0.85,
    tol: float = 1e-6,
    norm: Norm = "l2",
    max_iter: int = 100,
    dangling: Any = "uniform",
    top: int | None = None,
    seed: int | None = None,
    walks: int | None = None,
    epsilon: float | None = None,
    confidence: float = 0.95,
    weight: bool = True,
    check_every: int = 1,
    squared: bool = False,
    stored: bool = False,
    stable_top: int = 0,
    dtype: Any = "float32",
    on_nonconvergence: OnNonconvergence = "raise",
    device: Device | str | None = None,
) -> PersonalizedResult:
    """PageRank from the point of view of one or many sources.

    The recurrence is PageRank's, ``x(v) = (1-d) p(v) + d (sum of x(u) w(u,v) / W(u) + D q(v))``, where p is
    one vertex or a distribution, and the start. D is the rank of the vertices that no weight leaves.
    Mind that it goes to all alike here unless `dangling` says otherwise (PageRank's default differs).

    Parameters
    ----------
    graph : Graph
    sources : id, sequence of ids, dict, sequence of dicts, or array (also SciPy sparse) of shape (k, n)
        Vertices, or distributions over them (dicts of ids to numbers, rows of the array; scaled to sum 1).
    method : {"power", "coo", "coo-flat", "monte-carlo"}
        "power": rows pulled, 8 to 32 sources beside each other. "coo": one work-item an arc and atomic adds
        (of integers in units of 2^-62, so that the same device gives the same bytes). "coo-flat": arcs sorted
        by head, segmented sums. These three differ in time only. "monte-carlo": random walks, see Notes.
    damping : float
        d, at least 0 and below 1.
    tol, norm, max_iter
        Stop once the difference of two iterates is strictly below `tol` in `norm` ("l1", "l2", "linf",
        "nx"); tol=0 runs exactly `max_iter` iterations.
    dangling : {"uniform", "personalization", "drop"}, dict or array
        Where D goes: to all vertices alike, back to the source, nowhere, or as given.
    top : int, optional
        Select so many highest ranks on the device; whole vectors do not leave it then.
    seed : int, optional
        Of the walks; None draws one, and the result records it.
    walks : int, optional
        Walks from each source. If neither this nor `epsilon` is given: 200 000.
    epsilon : float, optional
        Derive `walks`: with probability `confidence` no rank of a source is off by more than this. (In
        exact arithmetic: add `dtype`'s round-off, and the 1e-9 of the stored ranks.)
    confidence : float
    weight : bool
        Whether the graph's weights count. Without them merged parallel arcs count as often as they stood in
        the input.
    check_every : int
        Sum the difference at every so many iterations only. Costs up to check_every - 1 iterations more.
    squared : bool
        Hold the sum of squared differences against tol^2 (norm "l2"): the same test but for the rounding of
        a root, so that it may end an iteration earlier or later where the two are equal to rounding.
    stored : bool
        Answer sources without out-arcs from stored ranks: x = (1-d) p + d g, g the PageRank with
        personalization and dangling distribution q, made once per graph, damping and q (a whole PageRank to
        1e-10). As exact as those; "personalization" and "drop" need no store (x = p and (1-d) p).
    stable_top : int
        Also stop once the `top` k set was the same at so many checks in a row after the first. Costs a
        selection a check, and promises nothing about the ranks or a set that would change later: look at
        `error_bounds`. 0: never.
    dtype : {"float32", "float64"}
        Of the ranks; sums are kept more exactly.
    on_nonconvergence : {"raise", "warn", "return"}
        What happens if `max_iter` iterations do not reach `tol`.
    device : Device or str, optional
        As in `clgraph.get_device`.

    Returns
    -------
    PersonalizedResult

    Raises
    ------
    InputError
        If an argument, source or weight is not as above.
    ConvergenceError
        If the tolerance was not reached by some source; its `result` holds what was.
    DeviceError, BuildError, CapacityError
        If the device fails, or not even one source fits on it. (More sources than fit take their turns.)

    Notes
    -----
    Monte Carlo, complete path [1]_: a walk counts a visit wherever it stands; with probability d it goes on
    along an out-arc; one that goes on at a vertex without out-arcs is lost. Nothing limits its length. The
    first step is taken for all walks together: ``rank = (1-d) (p + d visits / walks) + lost part``. The lost
    part d c / walks comes back as the stored ranks g of q (see `stored`), is dropped, or ("personalization")
    the ranks are divided by their sum. All draws are integers keyed by (seed, source, walk, step), so that
    counts are the same on every device.

    What a walk adds to a rank x has a variance of at most (1+d) x, and moments of at most m! x. `epsilon`
    and `confidence` give `walks` by Chebyshev or Bernstein, whichever needs fewer, for all vertices at once:
    about 3.7 ln(40) / epsilon^2 = 14 / epsilon^2 at 0.95. With dangling="personalization" epsilon is first
    multiplied by (1-d)/2, since the sum that is divided by is an estimate too; such a ratio is consistent
    but not unbiased.

    References
    ----------
    .. [1] K. Avrachenkov, N. Litvak, D. Nemirovsky, N. Osipova, "Monte Carlo Methods in PageRank
       Computation: When One Iteration is Sufficient", SIAM J. Numer. Anal. 45(2), 2007.

    Examples
    --------
    >>> from clgraph import Graph, personalized_pagerank
    >>> graph = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=True)
    >>> personalized_pagerank(graph, [0, 2], top=2).ids
    array([[0, 1],
           [2, 0]])
    """
    start = time.perf_counter()
    dtype = _checked_dtype(dtype)
    if method not in get_args(Method):
        raise InputError(f"method is {method!r}: use one of {', '.join(get_args(Method))}")
    if on_nonconvergence not in get_args(OnNonconvergence):
        raise InputError(f"on_nonconvergence is {on_nonconvergence!r}: use 'raise', 'warn' or 'return'")
    problem = make_problem(graph, damping=damping, dangling=dangling, weight=weight)
    queries = make_queries(graph, sources, problem.out)
    stop = make_stop(tol, norm, max_iter, problem.n)
    k = _whole(top, "top", 1, problem.n) if top is not None else None
    from clgraph.ppr_lanes import Options

    most = 2**31 - 1
    options = Options(
        _whole(check_every, "check_every", 1, most), squared, _whole(stable_top, "stable_top", 0, most), k
    )
    _check_options(method, options, stop, stored, walks, epsilon, seed)
    if method == "monte-carlo":
        count = check_walks(walks, epsilon, confidence, problem.damping, problem.n, problem.policy)
    else:
        check_reachable(stop, problem.n, dtype, round_off(dtype, 0))

    from clgraph.device import get_device
    from clgraph.pagerank_solver import choose_numbers

    dev = get_device(device)
    call = _Call(graph, problem, queries, dev, choose_numbers(dev, dtype), bool(weight), k)
    if method == "monte-carlo":
        from clgraph.keyed import check_seed

        found = call.walk(check_seed(seed), count)
        found["epsilon"] = None if epsilon is None else float(epsilon)
        found["confidence"] = None if epsilon is None else float(confidence)
    else:
        found = call.iterate(method, stop, options, dtype, stored)
    call.seconds["total"] = time.perf_counter() - start
    row = queries.row
    ids = None if found["index"] is None else graph.ids[found["index"][row]]
    values = found["values"][row]
    result = PersonalizedResult(
        ranks=values if ids is None else None, ids=ids, scores=None if ids is None else values,
        sources=queries.names, method=method, dangling=problem.policy,
        dangling_vector=problem.dangling if problem.policy == "given" else None, damping=problem.damping,
        tol=stop.tol, norm=norm, iterations=found["iterations"][row], residuals=found["residuals"][row],
        converged=found["converged"][row] if found["converged"] is not None else None,
        ended=[found["ended"][i] for i in row], error_bounds=found["error_bounds"][row],
        walks=found.get("walks"), visits=_rows(found.get("visits"), row), lost=_rows(found.get("lost"), row),
        standard_errors=_rows(found.get("standard_errors"), row), seed=found.get("seed"),
        epsilon=found.get("epsilon"), confidence=found.get("confidence"),
        plan=(f"method {method} on {dev.name}", *found["plan"], f"dangling mass: {problem.policy}"),
        dtype=dtype, seconds=call.seconds, device=dev.name,
    )  # fmt: skip
    if result.converged is not None and not result.converged.all():
        _not_converged(result, stop, on_nonconvergence)
    return result


def _rows(values: Any, row: npt.NDArray[np.int64]) -> Any:
    return None if values is None else values[row]


class _Call:
    """One call on one device: its phases, timed."""

    def __init__(
        self, graph: Graph, problem: Problem, queries: Queries, device: Device, numbers: Numbers,
        weight: bool, top: int | None,
    ) -> None:  # fmt: skip
        self.graph, self.problem, self.queries, self.device = graph, problem, queries, device
        self.numbers, self.weight, self.top = numbers, weight, top
        self.seconds: dict[str, float] = {}
        self._began = time.perf_counter()

    def _phase(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._began
        self._began = now

    def iterate(self, method: str, stop: Stop, options: Any, dtype: str, stored: bool) -> dict[str, Any]:
        from clgraph.ppr_lanes import Answers, Lanes
        from clgraph.ppr_single import Single, takes

        queries, problem = self.queries, self.problem
        from_store = np.flatnonzero(queries.on_dangling >= 1 - 1e-15).tolist() if stored else []
        jobs = sorted(set(range(queries.distinct)) - set(from_store))
        plan: list[str] = []
        answers = Answers(queries.distinct, problem.n, self.top, self.numbers.real)
        rho = round_off(dtype, 0)
        if jobs:
            way = Single if takes(self.device, method, options, jobs) else Lanes
            lanes = way(
                self.device, self.graph, problem, queries, stop, self.numbers, method, self.weight, options,
                jobs,
            )  # fmt: skip
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
            "values": answers.values, "index": answers.index, "iterations": answers.iterations,
            "residuals": answers.residual, "ended": answers.ended, "error_bounds": bounds,
            "converged": answers.converged if stop.tol > 0 else None, "plan": plan,
        }  # fmt: skip

    def _from_store(self, which: list[int], answers: Any) -> float:
        """x = (1-d) p + d g_q for sources that no weight leaves; returns the bound of the error of d g_q."""
        from clgraph.ppr_walks import stored_ranks

        problem, d, n = self.problem, self.problem.damping, self.problem.n
        rest, bound = np.zeros(n), 0.0
        if problem.policy in ("uniform", "given"):
            store = stored_ranks(self.device, self.graph, problem, self.numbers, self.weight)
            rest, bound = d * store.host, d * store.error_bound
        self._phase("upload")
        share = 1.0 if problem.policy == "personalization" else 1 - d
        best = None
        if self.top is not None:  # of the stored ranks as few as can matter
            support = max(len(self.queries.entries(i)[0]) for i in which)
            best = np.argsort(-rest, kind="stable")[: self.top + support]
        for i in which:
            where, mass = self.queries.entries(i)
            if best is None:
                x = rest.copy()
                x[where] += share * mass
                answers.values[i] = x
                continue
            some = np.union1d(best, where)
            x = rest[some]
            x[np.searchsorted(some, where)] += share * mass
            x = x.astype(self.numbers.real)
            order = np.argsort(-x, kind="stable")[: self.top]
            answers.index[i], answers.values[i] = some[order], x[order]
        return bound

    def walk(self, seed: int, walks: int) -> dict[str, Any]:
        from clgraph.ppr_walks import Walks

        job = Walks(
            self.device, self.graph, self.problem, self.queries, self.numbers, self.weight, seed, walks,
            self.top,
        )  # fmt: skip
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
            "values": values, "index": index, "iterations": np.zeros(k, np.int64),
            "residuals": np.full(k, np.nan), "ended": ["walks"] * k, "error_bounds": np.full(k, np.nan),
            "converged": None, "walks": walks, "visits": job.visits, "lost": job.lost, "seed": seed,
            "standard_errors": spread, "plan": job.explain(),
        }  # fmt: skip


def _whole(value: Any, name: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise InputError(f"{name} is {value!r}: use a whole number from {least} to {most}")
    return int(value)


def _check_options(
    method: str, options: Any, stop: Stop, stored: bool, walks: Any, epsilon: Any, seed: Any
) -> None:
    """Refuse options that the method does not have, or that do not go together."""
    for name, value in (("squared", options.squared), ("stored", stored)):
        if not isinstance(value, (bool, np.bool_)):
            raise InputError(f"{name} is {value!r}: use True or False")
    if method == "monte-carlo":
        for name, given in (
            ("check_every", options.check_every != 1), ("squared", options.squared), ("stored", stored),
            ("stable_top", options.stable_top != 0),
        ):  # fmt: skip
            if given:
                raise InputError(f"{name} is an option of the iterating methods, not of 'monte-carlo'")
        return
    for name, value in (("walks", walks), ("epsilon", epsilon), ("seed", seed)):
        if value is not None:
            raise InputError(f"{name} is {value!r}: an option of method 'monte-carlo', not of {method!r}")
    if options.squared and stop.norm != "l2":
        raise InputError(f"squared=True is a form of the test in norm 'l2', not {stop.norm!r}")
    if options.stable_top and options.top is None:
        raise InputError("stable_top needs top: which k vertices are to be the same")
    if options.stable_top and stop.tol == 0:
        raise InputError("stable_top stops early, and tol=0 asks for exactly max_iter iterations")


def _not_converged(result: PersonalizedResult, stop: Stop, what: OnNonconvergence) -> None:
    assert result.converged is not None
    bad = np.flatnonzero(~result.converged)
    i = int(bad[0])
    text = (
        f"personalized PageRank did not converge on {result.device} for {len(bad)} of {len(result.sources)} "
        f"sources: after {result.iterations[i]} iterations the residual of source {result.sources[i]!r} "
        f"(norm {result.norm!r}) is {result.residuals[i]:.3g}, not below {stop.threshold:.3g}; a larger "
        "max_iter or tol will do, or on_nonconvergence='return' (the error's `result` holds what was reached)"
    )
    if what == "raise":
        raise ConvergenceError(text, result)
    if what == "warn":
        warnings.warn(text, ConvergenceWarning, stacklevel=3)
