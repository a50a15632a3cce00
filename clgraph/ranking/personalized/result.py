"""The result of a personalized PageRank call, and the outcome of its engines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.ranking import remedy, report_as
from clgraph.ranking.personalized.request import ids_of
from clgraph.ranking.problem import error_bound
from clgraph.results import RunsOn

if TYPE_CHECKING:
    from clgraph.ranking.personalized.request import Request
    from clgraph.ranking.problem import OnNonconvergence, Stop


@dataclass(frozen=True, repr=False)
class PersonalizedResult(RunsOn):
    """Scores from the point of view of each source, and how they were computed.

    Rows are in the order of the caller's sources; a vertex given twice has two equal rows
    (a distribution given twice takes walks of its own each time).

    Attributes
    ----------
    scores : float32 or float64 array, shape (k, n) or (k, top)
        In the graph's vertex order; if `top` was given, the highest ones, descending. (With
        ``arrays="device"`` a ``pyopencl.array.Array``.)
    ids : array, shape (k, top), or None
        The vertices with the highest scores; equal ones: smaller index first. None without `top`.
    sources : list
        The source ids, "distribution i", or the users (their positions, if they have no names).
    method : str
    dangling : str
        The policy in force: "uniform", "personalization", "drop" or "given".
    dangling_vector : float64 array, shape (n,), or None
        The distribution, if it was given.
    damping, tol : float
    norm : str
    iterations : int64 array, shape (k,)
        Applications of the recurrence (monte-carlo, stored answers: 0).
    residuals : float64 array, shape (k,)
        Difference of the last two iterates in `norm`, at the last check (monte-carlo, stored answers: NaN).
    converged : bool array, shape (k,), or None
        None if tol=0 requests exactly max_iter iterations, and for monte-carlo.
    ended : list of str
        Why each source ended: "tol", "top" (stable), "max_iter", "round-off" (roundings keep it from
        the tolerance), "store" or "walks".
    error_bounds : float64 array, shape (k,)
        The scores are no farther than this (L1) from the exact ones (monte-carlo: NaN).
    walks : int or None
        Walks from each source (monte-carlo).
    visits : uint32 array, shape (k, n) or (k, top), or None
        How often walks visited each vertex, or at those of `ids`. Equal on all devices for one seed.
    lost : int64 array, shape (k,), or None
        Walks that ended at a vertex without out-arcs.
    standard_errors : float64 array like `visits`, or None
        Of the scores (monte-carlo): at most ``sqrt((1 + d) score / walks)``, taken at the estimated score.
    seed : int or None
    epsilon, confidence : float or None
        What `walks` was derived from.
    plan : tuple of str
        Choices and their reasons, one line each.
    dtype : str
    seconds : dict of float
        Time by phase: "build", "upload" (with the stored scores, once), "compile", "run" (from the first
        launch to the end of the last kernel, results brought as they come), "total".
    device : str
    vertex_ids : array, shape (n,), or None
        The graph's ids, without `top`, unless the ids are 0 .. n-1.
    excluded : list of int64 arrays, or None
        The vertices (indices) that `exclude` left out of the top of each source.
    """

    scores: npt.NDArray[Any]
    ids: npt.NDArray[Any] | None
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
    vertex_ids: npt.NDArray[Any] | None = field(default=None, repr=False)
    excluded: list[npt.NDArray[np.int64]] | None = field(default=None, repr=False)

    def to_pandas(self) -> Any:
        """Return the scores as a data frame: a row per source and vertex, the highest first.

        Returns
        -------
        pandas.DataFrame
            Columns "source", "vertex" (ids), "score"; of Monte Carlo also "standard_error". Without `top` all
            vertices of each source, in the graph's order.

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        from clgraph.graph.frames import frame_of

        k, width = self.scores.shape
        ids = self.ids
        if ids is None:
            ids = np.tile(np.arange(width) if self.vertex_ids is None else self.vertex_ids, (k, 1))
        columns = {
            "source": [name for name in self.sources for _ in range(width)],
            "vertex": ids.ravel(),
            "score": self.scores.ravel(),
        }
        if self.standard_errors is not None:
            columns["standard_error"] = self.standard_errors.ravel()
        return frame_of(columns)

    def _facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "sources": len(self.sources),
            "scores of each": self.scores.shape[1],
            "method": self.method,
        }
        if self.walks is not None:
            facts |= {"walks": self.walks, "seed": self.seed}
        else:
            facts["error at most"] = float(np.max(self.error_bounds, initial=0))
        return {**facts, "damping": self.damping, "device": self.device}


class Outcome:
    """Scores that an engine finds, a row for each distinct source; `make_result` rearranges them in place.

    Attributes
    ----------
    scores : float32 or float64 array, shape (count, n) or (count, top)
    index : int32 array, shape (count, top), or None
        The vertices that have these.
    round_off : float
        What the roundings of an iteration can move the scores by (L1).

    The others are as in `PersonalizedResult`; NaN or None where there is none.
    """

    def __init__(self, request: Request, round_off: float, plan: tuple[str, ...] = ()) -> None:
        self.request, self.round_off, self.plan = request, round_off, plan
        count, top, real = request.queries.distinct, request.options.top, np.dtype(request.numbers.real)
        shape = count, request.problem.n if top is None else top
        if request.stays:
            device, size = request.device, shape[0] * shape[1]
            device.reserve({"scores": size * real.itemsize})
            self.scores: Any = device.array(device.empty(size, real), real, size).reshape(shape)
        else:
            self.scores = np.zeros(shape, real)
        self.index: Any = None if top is None else np.zeros(shape, np.int32)
        self.iterations = np.zeros(count, np.int64)
        self.residuals, self.error_bounds = np.full((2, count), np.nan)
        self.converged, self.ended = np.zeros(count, np.bool_), np.full(count, "", dtype=object)
        self.visits: Any = None
        self.lost: Any = None
        self.standard_errors: Any = None

    def put_scores(self, source: int, scores: Any, offset: int = 0) -> None:
        """Store the scores of all vertices for a source, from the `offset`-th value of a device buffer on."""
        n, device, real = self.scores.shape[1], self.request.device, self.scores.dtype
        if self.request.stays:
            self.scores[source] = device.array(scores, real, offset + n)[offset:]
        else:
            self.scores[source] = device.download(scores, real, n, offset=offset)

    def put_end(
        self, sources: Any, iterations: Any, moved: Any, residuals: Any, met: Any, steady: Any = False
    ) -> None:
        """Record how some sources ended; `moved`: the L1 differences of their last two iterates."""
        self.iterations[sources] = iterations
        self.residuals[sources] = residuals
        self.error_bounds[sources] = error_bound(self.request.problem.damping, moved, self.round_off)
        self.converged[sources] = met | steady
        last = np.where(iterations < self.request.options.stop.max_iter, "round-off", "max_iter")
        # a list, or a string for one source: an array would itself become the entry
        self.ended[sources] = np.where(steady, "top", np.where(met, "tol", last)).tolist()

    def _select(self, take: Callable[[npt.NDArray[Any]], npt.NDArray[Any]], ndim: int) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray) and value.ndim >= ndim:
                setattr(self, name, take(value))

    def leave_out(self, left_out: list[npt.NDArray[np.int64]]) -> None:
        """Drop these vertices of each source; all rows keep the same length."""
        top = self.index.shape[1] - max(map(len, left_out))
        rows = zip(self.index, left_out, strict=True)
        position = np.stack([np.flatnonzero(~np.isin(row, gone))[:top] for row, gone in rows])
        self._select(lambda value: np.take_along_axis(value, position, axis=1), 2)

    def expand(self, row: npt.NDArray[np.int64]) -> None:
        """Replace the distinct sources by the caller's; `row` maps each to its distinct source."""
        self._select(lambda value: value[row], 1)
        if self.request.stays and row.tolist() != list(range(len(self.scores))):
            from pyopencl.array import concatenate

            self.scores = concatenate([self.scores[i] for i in row.tolist()]).reshape(len(row), -1)


def make_result(
    found: Outcome, left_out: list[npt.NDArray[np.int64]] | None, **run: Any
) -> PersonalizedResult:
    """Build the result of a call, in the order of the caller's sources, without the vertices left out."""
    request, row = found.request, found.request.queries.row
    options, problem, device = request.options, request.problem, request.device
    if left_out is not None:
        found.leave_out(left_out)
    found.expand(row)
    by_walks = options.method == "monte-carlo"
    same = ("scores", "iterations", "residuals", "error_bounds", "visits", "lost", "standard_errors")
    whole = found.index is None
    return PersonalizedResult(
        **{name: getattr(found, name) for name in same},
        ids=None if whole else ids_of(request.graph, found.index),
        sources=request.queries.names,
        method=options.method,
        dangling=problem.policy,
        dangling_vector=problem.dangling if problem.policy == "given" else None,
        damping=problem.damping,
        tol=options.stop.tol,
        norm=options.stop.norm,
        converged=None if by_walks or options.stop.tol == 0 else found.converged,
        ended=found.ended.tolist(),
        walks=options.walks if by_walks else None,
        seed=options.seed if by_walks else None,
        epsilon=None if options.epsilon is None else float(options.epsilon),
        confidence=None if options.epsilon is None else float(options.confidence),
        plan=(f"method {options.method} on {device.name}", *found.plan, f"dangling mass: {problem.policy}"),
        dtype=request.numbers.dtype,
        device=device.name,
        vertex_ids=request.graph.ids if whole and not request.graph._has_identity_ids else None,
        excluded=None if left_out is None else [left_out[i] for i in row],
        **run,
    )


def report_nonconvergence(result: PersonalizedResult, stop: Stop, what: OnNonconvergence) -> None:
    """Raise or warn, if some source did not reach the tolerance."""
    if result.converged is None or result.converged.all():
        return
    bad = np.flatnonzero(~result.converged)
    i = int(bad[0])
    then = remedy(result.dtype, int(result.iterations[i]), stop.max_iter)
    text = (
        f"personalized PageRank did not converge on {result.device} for {len(bad)} of {len(result.sources)} "
        f"sources: after {result.iterations[i]} iterations the residual of source {result.sources[i]!r} "
        f"(norm {result.norm!r}) is {result.residuals[i]:.3g}, not below {stop.threshold:.3g}; "
        f"{then}, or on_nonconvergence='return' (the error's `result` holds what was reached)"
    )
    report_as(what, text, result, decorators=2)
