"""PageRank: the call and its result. `clgraph.ranking.solver` is the host half of ``cl/ranking/solver.cl``."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clgraph.errors import ConvergenceError, ConvergenceWarning, InputError
from clgraph.ranking.problem import (
    Norm,
    Problem,
    check_reachable,
    error_bound,
    make_problem,
    make_stop,
    round_off,
)
from clgraph.results import Arrays, RunsOn, on_device

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

Variant = Literal["auto", "serial", "pull", "contribution", "subgroup", "small", "runs", "bins"]
OnNonconvergence = Literal["raise", "warn", "return"]


@dataclass(frozen=True)
class PageRankResult(RunsOn):
    """Ranks of all vertices, and how they came about.

    Attributes
    ----------
    ranks : float32 or float64 array, shape (n,)
        In the graph's vertex order; they sum to 1 (under dangling="drop" to less). A
        ``pyopencl.array.Array`` if arrays="device" asked for that.
    iterations : int
        How often the recurrence was applied; `ranks` is the newest iterate.
    residual : float
        Difference of the last two iterates in `norm` ("nx": their L1 difference).
    norm : str
    tol : float
    converged : bool or None
        None if tol=0 asked for exactly max_iter iterations.
    error_bound : float
        The ranks are no farther than this (L1) from the exact ones.
    round_off : float
        The part of it that comes from roundings in one iteration (rho).
    variant : str
        The one that ran; of "auto" the plan that it chose: "small", "runs" or "bins".
    plan : tuple of str
        What was chosen and why, a line each.
    dtype : str
    seconds : dict of float
        Time by phase: "build" (the graph reversed, and put into the variant's order; once per graph),
        "upload", "compile", "iterate" (from the first launch to the end of the last kernel), "download",
        "total".
    device : str
    dangling : str
        The policy in force: "personalization", "uniform", "drop" or "given".
    problem : Problem
        The recurrence, with its distributions.
    """

    ranks: npt.NDArray[Any]
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
    problem: Problem = field(repr=False)
    _ids: npt.NDArray[Any] | None = field(default=None, repr=False)

    def top(self, k: int = 20) -> list[tuple[Any, float]]:
        """The k highest ranks, descending, with their vertices' ids; equal ones: smaller index first."""
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 0:
            raise InputError(f"k is {k!r}: use a whole number of at least 0")
        ranks = self.ranks if isinstance(self.ranks, np.ndarray) else self.ranks.get()
        n = len(ranks)
        if k == 0:
            return []
        if k < n:
            # whatever is as high as the k-th may be among them: only these are sorted
            least = np.partition(ranks, n - k)[n - k]
            some = np.flatnonzero(ranks >= least)
        else:
            some = np.arange(n)
        best = some[np.argsort(-ranks[some], kind="stable")[:k]]
        ids = best if self._ids is None else self._ids[best]
        return list(zip(ids.tolist(), ranks[best].tolist(), strict=True))


def pagerank(
    graph: Graph,
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
) -> PageRankResult:
    """PageRank by the power method: x(v) = (1-d) p(v) + d (sum of x(u) w(u,v) / W(u) + D q(v)).

    The sum is over the arcs u -> v; W(u) is the weight that leaves u, and D the rank of the vertices that
    none leaves ("dangling"). An undirected edge counts as two arcs, an undirected self-loop as one.

    Parameters
    ----------
    graph : Graph
    damping : float
        d, at least 0 and below 1.
    tol : float
        Stop once the residual is strictly below it; 0 runs exactly `max_iter` iterations.
    norm : {"l1", "l2", "linf", "nx"}
        What the residual is: a norm of the difference of two iterates. "nx" is NetworkX's test: the L1
        difference is held against n * tol.
    max_iter : int
    personalization : dict of id to number, array of shape (n,), or None
        p; scaled to sum 1, ids left out count 0. None: uniform.
    dangling : {"personalization", "uniform", "drop"}, dict or array
        Where D goes (q): as p (NetworkX), to all alike (LDBC), nowhere (the PageRank thesis, GAP: the ranks
        then sum to less than 1), or as given.
    nstart : dict, array or None
        The vector to start from; None: uniform.
    weight : bool
        Whether the graph's weights count. Without weights (or with False) merged parallel arcs count as
        often as they stood in the input, as in a NetworkX multigraph.
    variant : {"auto", "serial", "pull", "contribution", "subgroup", "small", "runs", "bins"}
        How rows are summed (see ``cl/pagerank*.cl``): by one work-item; a work-item a vertex, dividing at
        each arc; the same with one division a vertex; a sub-group a row. "auto" chooses by the device and
        the graph among "small" (all iterations in one launch), "runs" (CPUs) and "bins" (GPUs), which can be
        asked for by name too; on FPGAs and their emulator, whose kernels are pipelines, between
        "contribution" and the same in partitions that fit on chip (``result.variant`` is "partitions" then,
        which only "auto" takes). ``result.plan`` says what and why.
    dtype : {"float32", "float64"}
        Of the ranks. Sums are more exact than float32 either way: float64, or compensated where the device
        has none.
    on_nonconvergence : {"raise", "warn", "return"}
        What happens if `max_iter` iterations do not reach `tol`.
    arrays : {"host", "device"}
        "device" leaves the ranks where they are, as ``pyopencl.array.Array`` on the device's own queue
        (``get_device(...).queue``), for kernels of your own: they are not downloaded.
    device : Device or str, optional
        As in `clgraph.get_device`.

    Returns
    -------
    PageRankResult

    Raises
    ------
    InputError
        If an argument or a weight is not as above, the graph is empty, or `tol` is below what `dtype` can
        tell apart or so large that it says nothing.
    ConvergenceError
        If the tolerance was not reached; its `result` is the newest iterate.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    Examples
    --------
    >>> from clgraph import Graph, pagerank
    >>> found = pagerank(Graph.from_edges([0, 1, 2], [2, 2, 0], directed=True))
    >>> [(vertex, round(rank, 3)) for vertex, rank in found.top(2)]
    [(2, 0.486), (0, 0.464)]
    """
    start = time.perf_counter()
    dtype = _checked_dtype(dtype)
    if variant not in get_args(Variant):
        raise InputError(f"variant is {variant!r}: use one of {', '.join(get_args(Variant))}")
    if on_nonconvergence not in get_args(OnNonconvergence):
        raise InputError(f"on_nonconvergence is {on_nonconvergence!r}: use 'raise', 'warn' or 'return'")
    stays = on_device(arrays)
    problem = make_problem(
        graph,
        damping=damping,
        personalization=personalization,
        dangling=dangling,
        nstart=nstart,
        weight=weight,
    )
    stop = make_stop(tol, norm, max_iter, problem.n)
    check_reachable(stop, problem.n, dtype, round_off(dtype, 0))

    from clgraph.device import get_device
    from clgraph.ranking.plan import make_solver
    from clgraph.ranking.solver import choose_numbers

    dev = get_device(device)
    how = dev.watch()
    numbers = choose_numbers(dev, dtype)
    seconds = {}
    began = time.perf_counter()

    def phase(name: str) -> None:
        nonlocal began
        now = time.perf_counter()
        seconds[name], began = now - began, now

    solver = make_solver(variant, dev, graph, problem, stop, numbers, bool(weight))
    phase("build")
    rho = round_off(dtype, solver.round_off_chain)
    check_reachable(stop, problem.n, dtype, rho)
    solver.upload()
    dev.finish()
    phase("upload")
    solver.compile()
    phase("compile")
    solver.run()
    phase("iterate")
    ranks, iterations, met, residual_1, residual = solver.take(on_device=stays)
    phase("download")
    seconds["total"] = time.perf_counter() - start
    result = PageRankResult(
        ranks=ranks,
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
        seconds=seconds,
        device=dev.name,
        **how(),
        dangling=problem.policy,
        problem=problem,
        _ids=None if graph.has_identity_ids else graph.ids,
    )
    if result.converged is False:
        _not_converged(result, stop.threshold, on_nonconvergence)
    return result


def _not_converged(result: PageRankResult, threshold: float, what: OnNonconvergence) -> None:
    text = (
        f"PageRank did not converge on {result.device}: after {result.iterations} iterations the residual "
        f"(norm {result.norm!r}) is {result.residual:.3g}, not below {threshold:.3g}; a larger max_iter or "
        "tol will do, or on_nonconvergence='return' (the error's `result` holds what was reached)"
    )
    if what == "raise":
        raise ConvergenceError(text, result)
    if what == "warn":
        warnings.warn(text, ConvergenceWarning, stacklevel=3)


def _checked_dtype(dtype: Any) -> str:
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = ""
    if name not in ("float32", "float64"):
        raise InputError(f"dtype is {dtype!r}: use 'float32' or 'float64'")
    return name
