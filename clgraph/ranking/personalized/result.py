"""The result of a personalized PageRank call, and the outcome of its engines."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
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
    """Ranks from the point of view of each source, and the record of how they were computed.

    Rows are in the order of the caller's sources; a vertex given twice has two equal rows
    (a distribution given twice takes walks of its own each time).

    Attributes
    ----------
    ranks : float32 or float64 array, shape (k, n), or None
        In the graph's vertex order; None if `top` was given. (With ``arrays="device"`` a
        ``pyopencl.array.Array``.)
    ids : array, shape (k, top), or None
        Ids of the highest ranks, descending; equal ones: smaller index first.
    scores : float32 or float64 array, shape (k, top), or None
        Their ranks.
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
        How often the recurrence was applied (monte-carlo, stored answers: 0).
    residuals : float64 array, shape (k,)
        Difference of the last two iterates in `norm`, at the last check (monte-carlo, stored answers: NaN).
    converged : bool array, shape (k,), or None
        None if tol=0 requests exactly max_iter iterations, and for monte-carlo.
    ended : list of str
        What ended each source: "tol", "top" (stable), "max_iter", "round-off" (roundings keep it from
        the tolerance), "store" or "walks".
    error_bounds : float64 array, shape (k,)
        The ranks are no farther than this (L1) from the exact ones (monte-carlo: NaN).
    walks : int or None
        Walks from each source (monte-carlo).
    visits : uint32 array, shape (k, n) or (k, top), or None
        How often walks visited each vertex, or at those of `ids`. Equal on all devices for one seed.
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
    vertex_ids : array, shape (n,), or None
        The graph's ids, where there are whole `ranks` and the ids are not 0 .. n-1.
    excluded : list of int64 arrays, or None
        The vertices (indices) that `exclude` left out of the top of each source.
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
    vertex_ids: npt.NDArray[Any] | None = field(default=None, repr=False)
    excluded: list[npt.NDArray[np.int64]] | None = field(default=None, repr=False)

    def to_pandas(self) -> Any:
        """The ranks as a data frame: a line for each source and vertex, the highest first.

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
        from clgraph.graph.exchange.common import library

        pandas = library("pandas", "pandas")
        values = self.scores if self.ranks is None else self.ranks
        assert values is not None
        k, width = values.shape
        ids = self.ids
        if ids is None:
            ids = np.tile(np.arange(width) if self.vertex_ids is None else self.vertex_ids, (k, 1))
        columns = {
            "source": [name for name in self.sources for _ in range(width)],
            "vertex": ids.ravel(),
            "score": values.ravel(),
        }
        if self.standard_errors is not None:
            columns["standard_error"] = self.standard_errors.ravel()
        return pandas.DataFrame(columns)

    def _facts(self) -> dict[str, Any]:
        values = self.ids if self.ids is not None else self.ranks
        facts: dict[str, Any] = {
            "sources": len(self.sources),
            "ranks of each": 0 if values is None else values.shape[1],
            "method": self.method,
        }
        if self.walks is not None:
            facts |= {"walks": self.walks, "seed": self.seed}
        else:
            facts["error at most"] = float(np.max(self.error_bounds, initial=0))
        return {**facts, "damping": self.damping, "device": self.device}


@dataclass(frozen=True)
class Outcome:
    """Ranks found by an engine. A row is a distinct source, or (after `of_rows`) one of the caller's.

    Attributes
    ----------
    values : float32 or float64 array, shape (count, n) or (count, k)
        The ranks, or the k highest.
    index : int32 array, shape (count, k), or None
        The vertices that have these.
    iterations : int64 array, shape (count,)
    residuals, error_bounds : float64 arrays, shape (count,)
        NaN where there is none.
    converged : bool array, shape (count,)
    ended : array of str objects, shape (count,)
        What ended each: "tol", "top", "max_iter", "round-off", "store" or "walks".
    round_off : float
        What the roundings of an iteration can move the ranks by (L1).
    plan : tuple of str
        What was chosen and why, a line each.
    visits : uint32 array like `values`, or None
        How often walks visited each vertex.
    lost : int64 array, shape (count,), or None
        Walks that ended at a vertex without out-arcs.
    standard_errors : float64 array like `values`, or None
    """

    values: npt.NDArray[Any]
    index: npt.NDArray[np.int32] | None
    iterations: npt.NDArray[np.int64]
    residuals: npt.NDArray[np.float64]
    error_bounds: npt.NDArray[np.float64]
    converged: npt.NDArray[np.bool_]
    ended: npt.NDArray[np.object_]
    round_off: float
    plan: tuple[str, ...] = ()
    visits: npt.NDArray[np.uint32] | None = None
    lost: npt.NDArray[np.int64] | None = None
    standard_errors: npt.NDArray[np.float64] | None = None

    @classmethod
    def blank(cls, request: Request, round_off: float, plan: tuple[str, ...] = ()) -> Outcome:
        """Allocate an outcome for all distinct sources of a call."""
        count, top = request.queries.distinct, request.options.top
        width = request.problem.n if top is None else top
        shape, real = (count, width), np.dtype(request.numbers.real)
        values: Any = None
        if request.stays:
            device = request.device
            device.reserve({"ranks": count * width * real.itemsize})
            values = device.array(device.empty(count * width, real), real, count * width).reshape(shape)
        return cls(
            values=np.zeros(shape, real) if values is None else values,
            index=None if top is None else np.zeros((count, width), np.int32),
            iterations=np.zeros(count, np.int64),
            residuals=np.full(count, np.nan),
            error_bounds=np.full(count, np.nan),
            converged=np.zeros(count, np.bool_),
            ended=np.full(count, "", dtype=object),
            round_off=round_off,
            plan=plan,
        )

    def put_ranks(self, request: Request, source: int, ranks: Any, offset: int = 0) -> None:
        """Store the ranks of all vertices for a source, from the `offset`-th value of a device buffer on."""
        n, device = request.problem.n, request.device
        if request.stays:
            self.values[source] = device.array(ranks, self.values.dtype, offset + n)[offset:]
        else:
            self.values[source] = device.download(ranks, self.values.dtype, n, offset=offset)

    def put_end(
        self,
        request: Request,
        sources: Any,
        iterations: Any,
        moved: Any,
        residuals: Any,
        met: Any,
        steady: Any = False,
    ) -> None:
        """Record how some sources ended; `moved`: the L1 differences of their last two iterates."""
        self.iterations[sources] = iterations
        self.residuals[sources] = residuals
        self.error_bounds[sources] = error_bound(request.problem.damping, moved, self.round_off)
        self.converged[sources] = met | steady
        last = np.where(iterations < request.options.stop.max_iter, "round-off", "max_iter")
        # a list, or a string for one source: an array would itself become the entry
        self.ended[sources] = np.where(steady, "top", np.where(met, "tol", last)).tolist()

    def without(self, left_out: list[npt.NDArray[np.int64]]) -> Outcome:
        """Return the outcome without these vertices of each source; all rows keep the same length."""
        assert self.index is not None
        width = self.index.shape[1]
        top = width - max(map(len, left_out))
        rows = zip(self.index, left_out, strict=True)
        place = np.stack([np.flatnonzero(~np.isin(row, gone))[:top] for row, gone in rows])
        arrays: dict[str, Any] = {
            name: np.take_along_axis(value, place, axis=1)
            for name, value in vars(self).items()
            if isinstance(value, np.ndarray) and value.ndim == 2 and value.shape[1] == width
        }
        return replace(self, **arrays)

    def of_rows(self, row: npt.NDArray[np.int64]) -> Outcome:
        """Return the rows of the caller's sources; `row` maps each to its distinct source."""
        arrays: dict[str, Any] = {
            name: value[row] for name, value in vars(self).items() if isinstance(value, np.ndarray)
        }
        if not isinstance(self.values, np.ndarray) and row.tolist() != list(range(len(self.values))):
            from pyopencl.array import concatenate

            arrays["values"] = concatenate([self.values[i] for i in row.tolist()]).reshape(len(row), -1)
        return replace(self, **arrays)


def make_result(
    request: Request,
    found: Outcome,
    seconds: dict[str, float],
    *,
    excluded: list[npt.NDArray[np.int64]] | None,
    **how: Any,
) -> PersonalizedResult:
    """Build the result of a call, in the order of the caller's sources."""
    options, problem, device = request.options, request.problem, request.device
    found = found.of_rows(request.queries.row)
    by_walks = options.method == "monte-carlo"
    same = ("iterations", "residuals", "error_bounds", "visits", "lost", "standard_errors")
    ids = None if found.index is None else ids_of(request.graph, found.index)
    return PersonalizedResult(
        **{name: getattr(found, name) for name in same},
        ranks=found.values if ids is None else None,
        ids=ids,
        scores=None if ids is None else found.values,
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
        seconds=seconds,
        device=device.name,
        vertex_ids=None if ids is not None or request.graph._has_identity_ids else request.graph.ids,
        excluded=excluded,
        **how,
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
    report_as(what, text, result)
