"""Vertices that are left out of the highest ranks: the source, what it has already, given ids. Host only.

As many more are selected on the device as any source leaves out; then those left out are taken away.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.ranking.problem import indices_of

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.ranking.personalized.request import Options
    from clgraph.ranking.personalized.result import Outcome
    from clgraph.ranking.personalized.sources import Queries

WORDS = ("self", "neighbours", "neighbors")
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Exclusion:
    """Vertices left out of each source's top.

    Attributes
    ----------
    top : int
        Length of each source's top.
    vertices : list of int64 arrays
        For each distinct source the vertices left out, ascending.
    """

    top: int
    vertices: list[Ints]

    def widened(self, options: Options) -> Options:
        """The options with a top that is still long enough when those left out are taken away."""
        return replace(options, top=self.top + max(map(len, self.vertices)))

    def cut(self, found: Outcome) -> Outcome:
        """Return the outcome without the vertices left out."""
        assert found.index is not None
        width = found.index.shape[1]
        place = np.stack(
            [
                np.flatnonzero(~np.isin(row, gone))[: self.top]
                for row, gone in zip(found.index, self.vertices, strict=True)
            ]
        )
        arrays: dict[str, Any] = {
            name: np.take_along_axis(value, place, axis=1)
            for name, value in vars(found).items()
            if isinstance(value, np.ndarray) and value.ndim == 2 and value.shape[1] == width
        }
        return replace(found, **arrays)


def make_exclusion(graph: Graph, exclude: Any, queries: Queries, top: int | None) -> Exclusion | None:
    """Validate `exclude`; None if nothing is left out.

    Raises
    ------
    InputError
        If it is neither a word nor ids of vertices, there is no `top`, or a source has too few vertices left.
    """
    if exclude is None:
        return None
    word, ids = _parts(exclude)
    if top is None:
        raise InputError("exclude leaves vertices out of the highest ranks: say how many with top")
    everywhere = np.zeros(0, np.int64)
    if ids is not None and any(isinstance(each, (list, tuple, np.ndarray)) for each in ids):
        raise InputError(
            f"exclude is {shown(exclude)}: use 'self', 'neighbours' (the source is one of them), a list of "
            "ids, or a pair of a word and such a list"
        )
    if ids is not None and len(ids):
        everywhere = indices_of(graph, ids, "exclude")
    left_out = []
    for i in range(queries.distinct):
        gone: list[npt.NDArray[Any]] = [everywhere]
        if word is not None:
            gone.append(queries.entries(i)[0])
        if word in WORDS[1:]:
            gone += [graph.col_idx[graph.row_ptr[v] : graph.row_ptr[v + 1]] for v in gone[1].tolist()]
        left_out.append(np.unique(np.concatenate(gone).astype(np.int64)))
        # fewer than `top` left would fill it with vertices that are excluded
        left = queries.n - len(left_out[-1])
        if left < top:
            name = queries.names[int(np.flatnonzero(queries.row == i)[0])]
            raise InputError(
                f"source {shown(name)}: {left} of {queries.n} vertices are not excluded, and top asks for "
                f"{top}: use {left} at most"
                if left
                else f"source {shown(name)}: all vertices are excluded"
            )
    return Exclusion(top, left_out)


def _parts(exclude: Any) -> tuple[str | None, list[Any] | None]:
    """The word and the ids in what was given."""
    if isinstance(exclude, str):
        if exclude not in WORDS:
            raise InputError(
                f"exclude is {shown(exclude)}: use 'self', 'neighbours', a list of ids, or a pair of both"
            )
        return exclude, None
    if (
        isinstance(exclude, tuple)
        and len(exclude) == 2
        and isinstance(exclude[0], str)
        and np.ndim(exclude[1])
    ):
        return _parts(exclude[0])[0], list(exclude[1])
    try:
        return None, list(exclude)
    except TypeError as error:
        raise InputError(
            f"exclude is {shown(exclude)}: use 'self', 'neighbours', a list of ids, or a pair of both"
        ) from error
