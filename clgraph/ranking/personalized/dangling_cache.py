"""The ranks of the dangling distribution, made once for a graph.

Walks that are lost at dangling vertices are made up for by them. Sources without out-arcs can be answered
from them, too (`clgraph.theses.stored`).
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.lazy import lazy
from clgraph.ranking import PageRankResult, pagerank
from clgraph.ranking.solver import by_pipelines, narrowed

if TYPE_CHECKING:
    from collections.abc import Hashable

    from clgraph.ranking.personalized.request import Request

# L1 difference at which these ranks are done (float64): far below the usual 1e-6, as calls of all
# tolerances share them
TOL = 1e-10


class DanglingRanks:
    """g, the PageRank whose personalization and dangling distribution are both q.

    Attributes
    ----------
    buffer : device buffer, or None
        The ranks on the device, in `real`; None where they are on the host only.
    error_bound : float
        The ranks are no farther than this (L1) from the exact ones.
    iterations : int
    """

    def __init__(self, found: PageRankResult) -> None:
        self._found: Any = found.ranks
        self.buffer = None if isinstance(found.ranks, np.ndarray) else found.ranks.base_data
        self.real: Any = found.ranks.dtype.type
        self.error_bound, self.iterations = found.error_bound, found.iterations

    @lazy
    def ranks(self) -> npt.NDArray[np.float64]:
        """On the host."""
        ranks = self._found if self.buffer is None else self._found.get()
        return ranks.astype(np.float64)

    @lazy
    def order(self) -> npt.NDArray[np.int32]:
        """The vertices by descending rank, equal ones by index."""
        return np.argsort(-self.ranks, kind="stable").astype(np.int32)


def dangling_ranks(request: Request) -> DanglingRanks | None:
    """g, made once for a graph, damping and q, and kept as long as the graph lives.

    To an L1 difference of 1e-10 where the device has float64. None unless q is uniform or was given.
    """
    graph, problem, device = request.graph, request.problem, request.device
    if problem.policy not in ("uniform", "given"):
        return None
    wide = not request.numbers.compensated

    def make() -> DanglingRanks:
        found = pagerank(
            graph,
            damping=problem.damping,
            personalization=problem.dangling if problem.policy == "given" else None,
            dangling="personalization",
            weight=request.weight,
            tol=TOL if wide else 1e-6,
            # damping near 1 converges slowly, and a limit would only be a second tolerance
            max_iter=1_000_000,
            dtype="float64" if wide else "float32",
            arrays="host" if by_pipelines(device) else "device",
            device=device,
        )
        return DanglingRanks(found)

    return device.cached(graph, _key(request), make)


def upload_ranks(request: Request, found: DanglingRanks) -> Any:
    """Return them on the device, in the call's type; kept there as long as the graph lives."""
    device, real = request.device, request.numbers.real

    def make() -> Any:
        if found.buffer is None:
            return device.upload(found.ranks.astype(real))
        return found.buffer if found.real is real else narrowed(device, found.buffer, request.problem.n)

    return device.cached(request.graph, (_key(request), real), make)


def _key(request: Request) -> Hashable:
    problem = request.problem
    given = problem.dangling if problem.policy == "given" else None
    mark = None if given is None else sha256(given.tobytes()).hexdigest()
    return "dangling-ranks", problem.damping, mark, request.weight, request.numbers.compensated
