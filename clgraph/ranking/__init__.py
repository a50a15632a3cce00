"""PageRank: the call and its result. (`clgraph.ranking.personalized` has personalized PageRank.)"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import whole, word
from clgraph.errors import ConvergenceError, ConvergenceWarning
from clgraph.graph import Graph
from clgraph.progress import Tell, with_progress
from clgraph.ranking.problem import (
    Norm,
    OnNonconvergence,
    Problem,
    Stop,
    Variant,
    check_dtype,
    check_reachable,
    error_bound,
    make_problem,
    make_stop,
    round_off,
)
from clgraph.results import Arrays, RunsOn
from clgraph.run import opened, run_on

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.scale.comm import Ranks

__all__ = ["PageRankResult", "pagerank"]


@dataclass(frozen=True, repr=False)
class PageRankResult(RunsOn):
    """Scores of all vertices, and how they were computed.

    Attributes
    ----------
    scores : float32 or float64 array, shape (n,)
        In the graph's vertex order; they sum to 1 (under dangling="drop" to less). A
        ``pyopencl.array.Array`` if that was requested by arrays="device".
    iterations : int
        Applications of the recurrence; `scores` is the newest iterate.
    residual : float
        Difference of the last two iterates in `norm` ("nx": their L1 difference).
    norm : str
    tol : float
    converged : bool or None
        None if tol=0 requests exactly max_iter iterations.
    error_bound : float
        The scores are no farther than this (L1) from the exact ones.
    round_off : float
        Its part that comes from roundings in one iteration (rho).
    variant : str
        The one that ran; for "auto" the one that it chose: "small", "runs" or "bins".
    plan : tuple of str
        Choices and their reasons, one line each.
    dtype : str
    seconds : dict of float
        Time by phase: "build" (the graph reversed, and put into the variant's order; once per graph),
        "upload", "compile", "iterate" (from the first launch to the end of the last kernel), "download",
        "total".
    device : str
    dangling : str
        The policy in force: "personalization", "uniform", "drop" or "given".
    """

    scores: npt.NDArray[Any]
    iterations: int
    residual: float
    norm: str
    tol: float
    converged: bool | None
    error_bound: float
    round_off: float
    variant: str
    plan: tuple[str, ...]
    dtype: str
    seconds: dict[str, float]
    device: str
    dangling: str
    _problem: Problem = field(repr=False)  # for the verifier and the command
    _ids: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None = field(default=None, repr=False)
    _device: Device | None = field(default=None, repr=False, compare=False)

    def top(self, k: int = 20) -> list[tuple[Any, float]]:
        """Return the k highest scores, descending, with their vertices' ids; ties: smaller index first.

        Scores that stayed on the device are selected there.
        """
        if whole(k, "k") == 0:
            return []
        scores: Any = self.scores
        n = len(scores)
        if self._device is not None:
            from clgraph.ranking.top import highest

            with self._device.alone():
                found = highest(self._device, scores.base_data, n, min(k, n), scores.dtype.type)
            return self._named(*found)
        # only scores as high as the k-th are sorted
        least = max(n - k, 0)
        some = np.flatnonzero(scores >= np.partition(scores, least)[least])
        best = some[np.argsort(-scores[some], kind="stable")[:k]]
        return self._named(best, scores[best])

    def to_pandas(self) -> Any:
        """Return a data frame with a row per vertex: "vertex" (its id), "score".

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        from clgraph.graph.frames import frame_of

        index = np.arange(len(self.scores))
        return frame_of({"vertex": index if self._ids is None else self._ids(index), "score": self.scores})

    def _named(self, index: npt.NDArray[Any], values: npt.NDArray[Any]) -> list[tuple[Any, float]]:
        ids = index if self._ids is None else self._ids(index)
        return list(zip(ids.tolist(), values.tolist(), strict=True))

    def _facts(self) -> dict[str, Any]:
        return {
            "vertices": len(self.scores),
            "iterations": self.iterations,
            "converged": "(as many as requested)" if self.converged is None else bool(self.converged),
            f"residual ({self.norm})": float(self.residual),
            "error at most": float(self.error_bound),
            "variant": self.variant,
            "device": self.device,
        }


@with_progress("PageRank")
def pagerank(
    graph: Graph | Any,
    *,
    damping: float = 0.85,
    tol: float = 1e-6,
    norm: Norm = "l1",
    max_iter: int = 100,
    personalization: Any = None,
    dangling: Any = "personalization",
    nstart: Any = None,
    weight: bool = True,
    variant: Variant = "auto",
    dtype: Any = "float32",
    on_nonconvergence: OnNonconvergence = "raise",
    arrays: Arrays = "host",
    device: Device | str | None = None,
    progress: Any = None,
) -> PageRankResult:
    """PageRank by the power method: x(v) = (1-d) p(v) + d (sum of x(u) w(u,v) / W(u) + D q(v)).

    The sum is over the arcs u -> v; W(u) is the weight that leaves u, and D the score of the vertices that no
    weight leaves ("dangling"). An undirected edge counts as two arcs, an undirected self-loop as one.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table, or Shards
        `Shards` need the section rows (undirected) or in (directed). They stay on the device where they fit,
        and are read in each iteration otherwise.
    damping : float
        d, at least 0 and below 1.
    tol : float
        Stop once the residual is strictly below it; 0 runs exactly `max_iter` iterations.
    norm : {"l1", "l2", "linf", "nx"}
        The norm of the difference of two iterates that is the residual. "nx" is NetworkX's test: the L1
        difference is compared with n * tol.
    max_iter : int
    personalization : dict of id to number, array of shape (n,), or None
        p; scaled to sum 1, ids that are left out have 0. None: uniform.
    dangling : {"personalization", "uniform", "drop"}, dict or array
        Where D goes (q): as p (NetworkX), uniformly to all vertices (LDBC), nowhere (the PageRank thesis,
        GAP: the scores then sum to less than 1), or as given.
    nstart : dict, array or None
        The vector to start from; None: uniform.
    weight : bool
        Whether the graph's weights count. Without weights (or with False) merged parallel arcs count as
        often as they appear in the input, as in a NetworkX multigraph.
    variant : {"auto", "serial", "pull", "contribution", "subgroup", "small", "runs", "bins", "fixed"}
        How rows are summed (see ``cl/ranking/`` and ``cl/theses/``): by one work-item; by a work-item a
        vertex, with a division for each arc; the same with one division a vertex; by a sub-group a row.
        "auto" chooses by the device and the graph among "small" (all iterations in one launch), "runs" (CPUs)
        and "bins" (GPUs), which can be asked for by name too; on FPGAs and their emulator, whose kernels are
        pipelines, between "contribution" and the same in partitions that fit on chip (``result.variant`` is
        "partitions" then, which only "auto" takes). "fixed" gives every sum one shape: the same bytes on
        every device with float64; it is what `Shards` take. ``result.plan`` says what was chosen and why.
    dtype : {"float32", "float64"}
        The type of the scores. Sums are more exact than float32 either way: in float64, or compensated where
        the device has no float64.
    on_nonconvergence : {"raise", "warn", "return"}
        Reaction if `max_iter` iterations do not reach `tol`.
    arrays : {"host", "device"}
        "device" leaves the scores where they are, as ``pyopencl.array.Array`` on the device's own queue
        (``get_device(...).queue``), for kernels of your own: they are not downloaded.
    device : Device or str, optional
        As in `clgraph.get_device`; of `Shards` also several, which share the work.
    progress : callable or bool, optional
        Called with (iterations, `max_iter`) now and then; True shows a bar.

    Returns
    -------
    PageRankResult

    Raises
    ------
    InputError
        If an argument or a weight is not as above, the graph is empty, or `tol` is below what `dtype` can
        tell apart or so large that it says nothing.
    ConvergenceError
        If `max_iter` iterations did not reach the tolerance, or the roundings of `dtype` keep the scores from
        reaching it at all (float32 at 1e-6 and a damping of 0.95, say: once the residual is below
        8 * 2^-24 / (1 - d) and no new least one for 20 iterations); its `result` is the newest iterate.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    Examples
    --------
    >>> from clgraph import Graph, pagerank
    >>> found = pagerank(Graph.from_edges([0, 1, 2], [2, 2, 0], directed=True))
    >>> [(vertex, round(score, 3)) for vertex, score in found.top(2)]
    [(2, 0.486), (0, 0.464)]
    """
    start = time.perf_counter()
    dtype = check_dtype(dtype)
    word(variant, "variant", get_args(Variant))
    word(on_nonconvergence, "on_nonconvergence", get_args(OnNonconvergence))
    same = variant, ("auto", "fixed"), "only 'fixed' (and 'auto', which takes it) adds up alike anywhere"
    graph, stays = opened(graph, arrays, variant=same, norm=(norm, ("l1",), "the residual is the L1 norm's"))
    problem = make_problem(
        graph,
        damping=damping,
        personalization=personalization,
        dangling=dangling,
        nstart=nstart,
        weight=weight,
    )
    stop = make_stop(tol, norm, max_iter, problem.n)
    # with the least round-off of any variant: what fails here needs no device
    check_reachable(stop, problem.n, dtype, round_off(dtype, 0))

    from clgraph.ranking.plan import make_solver
    from clgraph.ranking.solver import Numbers

    def solved(run: run_on, make: Callable[[], Any], progress: Tell | None) -> PageRankResult:
        run.lap()
        solver, dev = make(), run.device
        run.lap("build")
        check_reachable(stop, problem.n, dtype, round_off(dtype, solver.round_off_chain))
        solver.upload()
        # uploads are enqueued: without a wait their time would count as the compiler's
        dev.finish()
        run.lap("upload")
        solver.compile()
        run.lap("compile")
        solver.arrays = "device" if stays else "host"
        solver.run(progress)
        run.lap("iterate")
        scores, iterations, met, residual_1, residual = solver.take()
        rho = round_off(dtype, solver.bound_chain)
        solver.give_back()
        run.lap("download")
        return PageRankResult(
            scores=scores,
            iterations=iterations,
            residual=residual,
            norm=norm,
            tol=stop.tol,
            converged=met if stop.tol > 0 else None,
            error_bound=error_bound(problem.damping, residual_1, rho),
            round_off=rho,
            variant=solver.variant,
            plan=solver.explain(),
            dtype=dtype,
            seconds=run.seconds,
            device=dev.name,
            provenance=run.provenance,
            dangling=problem.policy,
            _problem=problem,
            _ids=graph._id_lookup(),
            _device=dev if stays else None,
        )

    alike = isinstance(graph, Graph) and variant in ("auto", "fixed") and norm == "l1" and not stays
    in_blocks = alike and (weight or graph.weights is None)
    sections = ("in" if graph.directed else "rows",) if in_blocks else ()
    run = run_on(device, graph, *sections, values=True, start=start)
    with run.lock, run:
        if (blocks := run.blocks) is not None:
            from clgraph.ranking.reproducible_solver import ShardsSolver
            from clgraph.scale.comm import run_on_ranks

            def work(ranks: Ranks, dev: Device) -> PageRankResult:
                options = f"{problem.damping} {stop} {problem.policy} {dtype}"
                ranks.agree(dataset=blocks.fingerprint, method="pagerank", options=options)
                given = ranks, dev, blocks, problem, stop, dtype
                own = run_on(dev, blocks)
                with own.lock, own:
                    report = progress if ranks.rank == 0 else None
                    return solved(own, lambda: ShardsSolver(*given, weight=weight), report)

            result = run.stamped(run_on_ranks(work, run.device, blocks.comm))
        else:
            numbers = Numbers(run.device, dtype)
            asked = run.device, graph, problem, stop, numbers, bool(weight)
            result = solved(run, lambda: make_solver(variant, *asked), progress)
    if result.converged is False:
        report_nonconvergence(result, stop, on_nonconvergence)
    return result


def remedy(dtype: str, iterations: int, max_iter: int) -> str:
    """Suggest a remedy for a tolerance not reached: scores that stop before `max_iter` are in a cycle."""
    if iterations == max_iter:
        return "a larger max_iter or tol will do"
    wider = "dtype='float64' or " if dtype == "float32" else ""
    return f"the roundings of {dtype} scores keep it there, whatever max_iter is: {wider}a larger tol will do"


def report_nonconvergence(result: PageRankResult, stop: Stop, what: OnNonconvergence) -> None:
    """Raise or warn, as requested, that the residual is not below the threshold."""
    text = (
        f"PageRank did not converge on {result.device}: after {result.iterations} iterations the residual "
        f"(norm {result.norm!r}) is {result.residual:.3g}, not below {stop.threshold:.3g}; "
        f"{remedy(result.dtype, result.iterations, stop.max_iter)}, or on_nonconvergence='return' (the "
        "error's `result` holds what was reached)"
    )
    report_as(what, text, result)


def report_as(what: OnNonconvergence, text: str, result: Any, *, decorators: int = 1) -> None:
    """Raise or warn, as requested; the warning is of the line that called the (decorated) public function."""
    if what == "raise":
        raise ConvergenceError(text, result)
    if what == "warn":
        warnings.warn(text, ConvergenceWarning, stacklevel=4 + decorators)
