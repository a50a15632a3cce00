"""The result of a PageRank call."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import whole
from clgraph.errors import ConvergenceError, ConvergenceWarning
from clgraph.ranking.problem import OnNonconvergence, Problem, Stop
from clgraph.results import RunsOn

if TYPE_CHECKING:
    from clgraph.device import Device


@dataclass(frozen=True, repr=False)
class PageRankResult(RunsOn):
    """Ranks of all vertices, and how they came about.

    Attributes
    ----------
    ranks : float32 or float64 array, shape (n,)
        In the graph's vertex order; they sum to 1 (under dangling="drop" to less). A
        ``pyopencl.array.Array`` if that was requested by arrays="device".
    iterations : int
        How often the recurrence was applied; `ranks` is the newest iterate.
    residual : float
        Difference of the last two iterates in `norm` ("nx": their L1 difference).
    norm : str
    tol : float
    converged : bool or None
        None if tol=0 requests exactly max_iter iterations.
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
    _ids: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None = field(default=None, repr=False)
    _there: Device | None = field(default=None, repr=False, compare=False)

    def top(self, k: int = 20) -> list[tuple[Any, float]]:
        """The k highest ranks, descending, with their vertices' ids; equal ones: smaller index first.

        Ranks that stayed on the device are selected there.
        """
        if whole(k, "k") == 0:
            return []
        ranks: Any = self.ranks
        n = len(ranks)
        if self._there is not None:
            from clgraph.ranking.top import highest

            with self._there.alone():
                found = highest(self._there, ranks.base_data, n, min(k, n), ranks.dtype.type)
            return self._named(*found)
        if k < n:
            # only ranks as high as the k-th are sorted
            least = np.partition(ranks, n - k)[n - k]
            some = np.flatnonzero(ranks >= least)
        else:
            some = np.arange(n)
        best = some[np.argsort(-ranks[some], kind="stable")[:k]]
        return self._named(best, ranks[best])

    def to_pandas(self) -> Any:
        """A data frame with a row for each vertex: "vertex" (its id), "rank".

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        from clgraph.graph.frames import frame_of

        index = np.arange(len(self.ranks))
        return frame_of({"vertex": index if self._ids is None else self._ids(index), "rank": self.ranks})

    def _named(self, index: npt.NDArray[Any], values: npt.NDArray[Any]) -> list[tuple[Any, float]]:
        ids = index if self._ids is None else self._ids(index)
        return list(zip(ids.tolist(), values.tolist(), strict=True))

    def _facts(self) -> dict[str, Any]:
        return {
            "vertices": len(self.ranks),
            "iterations": self.iterations,
            "converged": "(as many as requested)" if self.converged is None else bool(self.converged),
            f"residual ({self.norm})": float(self.residual),
            "error at most": float(self.error_bound),
            "variant": self.variant,
            "device": self.device,
        }


def remedy(dtype: str, iterations: int, max_iter: int) -> str:
    """Suggest a remedy for a tolerance not reached: ranks that stop before `max_iter` are in a cycle."""
    if iterations == max_iter:
        return "a larger max_iter or tol will do"
    wider = "dtype='float64' or " if dtype == "float32" else ""
    return f"the roundings of {dtype} ranks keep it there, whatever max_iter is: {wider}a larger tol will do"


def report_nonconvergence(result: PageRankResult, stop: Stop, what: OnNonconvergence) -> None:
    """Raise or warn, as requested, that the residual is not below the threshold."""
    text = (
        f"PageRank did not converge on {result.device}: after {result.iterations} iterations the residual "
        f"(norm {result.norm!r}) is {result.residual:.3g}, not below {stop.threshold:.3g}; "
        f"{remedy(result.dtype, result.iterations, stop.max_iter)}, or on_nonconvergence='return' (the "
        "error's `result` holds what was reached)"
    )
    if what == "raise":
        raise ConvergenceError(text, result)
    if what == "warn":
        warnings.warn(text, ConvergenceWarning, stacklevel=3)
