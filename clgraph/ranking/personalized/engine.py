"""What the engines of personalized PageRank are asked, and what they find.

An engine answers some distinct sources of a call: `clgraph.ranking.personalized.lanes` (many sources side by
side), `clgraph.ranking.personalized.single` (one after the other) and `clgraph.ranking.personalized.walks`.
It is made for a call and these sources, and used once: upload, compile, run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.progress import Tell
from clgraph.ranking.problem import check_reachable, error_bound, round_off
from clgraph.ranking.rows import leaving_chain

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.ranking.personalized.options import Options
    from clgraph.ranking.personalized.sources import Queries
    from clgraph.ranking.problem import Problem
    from clgraph.ranking.rows import Numbers


@dataclass(frozen=True)
class Request:
    """A call: what is wanted, of which graph, on which device.

    Attributes
    ----------
    device : Device
    graph : Graph
    problem : Problem
    queries : Queries
    options : Options
    numbers : Numbers
        The types of ranks and sums.
    weight : bool
        Whether the graph's weights count: what is kept on the device depends on it.
    progress : callable, optional
        Called with (distinct sources done, of how many).
    stays : bool
        The ranks of all vertices stay on the device.
    """

    device: Device
    graph: Graph
    problem: Problem
    queries: Queries
    options: Options
    numbers: Numbers
    weight: bool
    progress: Tell | None = None
    stays: bool = False

    def tell(self, done: int, of: int) -> None:
        """Say how many of an engine's sources are done."""
        if self.progress:
            self.progress(done, of)

    def checked_round_off(self, chain: int) -> float:
        """rho for a longest chain of additions of that length; an InputError if `tol` is below it.

        What is returned is for the error bound: W has its own chain, which does not hinder convergence.
        """
        rho = round_off(self.numbers.dtype, chain)
        check_reachable(self.options.stop, self.problem.n, self.numbers.dtype, rho)
        more = leaving_chain(self.device, self.graph, self.problem, self.numbers)
        return round_off(self.numbers.dtype, chain + more)


@dataclass(frozen=True)
class Outcome:
    """What was found. A row is a distinct source, or (after `of_rows`) one of the caller's.

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
        """Room for all distinct sources of a call."""
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
        """The ranks of all vertices for a source, from the `offset`-th value of a device buffer on."""
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
        steady: Any,
    ) -> None:
        """Note how some sources ended; `moved`: the L1 differences of their last two iterates."""
        self.iterations[sources] = iterations
        self.residuals[sources] = residuals
        self.error_bounds[sources] = error_bound(request.problem.damping, moved, self.round_off)
        self.converged[sources] = met | steady
        last = np.where(iterations < request.options.stop.max_iter, "round-off", "max_iter")
        # a list, or a string for one source: an array would itself become the entry
        self.ended[sources] = np.where(steady, "top", np.where(met, "tol", last)).tolist()

    def of_rows(self, row: npt.NDArray[np.int64]) -> Outcome:
        """The same by the caller's sources, each of which is the distinct one `row` says."""
        arrays: dict[str, Any] = {
            name: value[row] for name, value in vars(self).items() if isinstance(value, np.ndarray)
        }
        if not isinstance(self.values, np.ndarray) and row.tolist() != list(range(len(self.values))):
            from pyopencl.array import concatenate

            arrays["values"] = concatenate([self.values[i] for i in row.tolist()]).reshape(len(row), -1)
        return replace(self, **arrays)
