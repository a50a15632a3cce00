"""The interface of what sums the rows of an iterating method.

A `Product` has the graph's arrays on the device and enqueues the kernels that sum and end all rows for the
lanes of a run; `clgraph.ranking.personalized.lanes` does the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clgraph.ranking.shares import upload_shares

if TYPE_CHECKING:
    from clgraph.ranking.personalized.engine import Request


class Product:
    """The arrays by which rows are summed, and the launches. Each sub-class sums them in its own way.

    Attributes
    ----------
    width : int
        Lanes.
    parts : int
        Work-groups (or runs) that tally.
    chain : int
        The longest chain of additions in float64 storage's own precision.
    """

    parts = 1
    chain = 0

    def __init__(self, request: Request, width: int) -> None:
        self.device, self.graph, self.problem = request.device, request.graph, request.problem
        self.numbers, self.weight, self.width = request.numbers, request.weight, width
        self.n = request.graph.num_vertices
        self.weighted = request.problem.weighted

    def explain(self) -> list[str]:
        """What is done, in words."""
        raise NotImplementedError

    def upload(self) -> None:
        """Bring the arrays to the device, where they stay as long as the graph lives."""
        raise NotImplementedError

    def compile(self, defines: dict[str, Any]) -> None:
        """Build the kernels; `defines` are those of the run."""
        raise NotImplementedError

    def enqueue(self, test: bool, last: int, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        """Enqueue an iteration's sums.

        Parameters
        ----------
        test : bool
            Whether the difference of the iterates is wanted.
        last : int
            The last iteration.
        parts, state : buffers
        vectors : dict
            PPR_VERTEX_ARGS of ``cl/ranking/personalized/lanes.h``.
        """
        raise NotImplementedError

    def _shares(self, *, by_tail: bool = False) -> Any:
        """The shares of the graph's arcs, as `upload_shares` has them; None where all arcs weigh the same."""
        if not self.weighted:
            return None
        real = self.numbers.real
        return upload_shares(self.device, self.graph, self.problem, real, self.weight, by_tail=by_tail)
