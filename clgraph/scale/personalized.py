"""Personalized PageRank of graphs in shards by random walks: ranks share the sources, each has the graph."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.ranking.personalized import PersonalizedResult, personalized_pagerank
from clgraph.scale.on_device import join_on
from clgraph.scale.ranks import Ranks, run_on_ranks, shared_seed
from clgraph.scale.shards import Shards

if TYPE_CHECKING:
    from clgraph.device import Device

# arrays of a result with a row for each source
COLUMNS = ("ranks", "scores", "iterations", "residuals", "error_bounds", "visits", "lost", "standard_errors")


def walk_shards(
    shards: Shards, sources: Any, *, seed: int | None, device: Any, **options: Any
) -> PersonalizedResult:
    """`clgraph.personalized_pagerank` of a graph in shards by method "monte-carlo".

    The graph is joined on each device, which it must fit; rank r answers sources r, r + P, ... Counts are
    keyed by (seed, source, walk, step), so that who answers does not matter.
    """
    wanted = _vertices(sources)
    index = shards.index(wanted)
    agreed = shared_seed(seed, shards.comm)

    def work(ranks: Ranks, dev: Device) -> PersonalizedResult:
        asked = {"sources": str(index.tolist()), "seed": str(seed), "options": str(sorted(options.items()))}
        ranks.agree(dataset=shards.fingerprint, method="monte-carlo", **asked)
        own = wanted[ranks.rank :: ranks.size]
        # of more ranks than sources the last ones answer the first again, and keep that to themselves
        found = personalized_pagerank(
            join_on(dev, shards), own or wanted[:1], method="monte-carlo", seed=agreed, device=dev, **options
        )
        return _together(ranks, found, len(own), wanted, shards)

    return run_on_ranks(work, device, shards.comm)


def _vertices(sources: Any) -> list[Any]:
    """The sources, of which all are vertices."""
    wanted = [sources] if isinstance(sources, (str, bytes)) or np.ndim(sources) == 0 else sources
    if isinstance(sources, dict) or any(isinstance(each, dict) or np.ndim(each) for each in wanted):
        raise InputError(
            f"sources are {shown(sources)}: of a graph in shards they are ids of vertices; distributions "
            "need a Graph (clgraph.join_shards)"
        )
    if not len(wanted):
        raise InputError("no source is given: personalized PageRank needs at least one vertex to start from")
    return list(wanted)


def _together(
    ranks: Ranks, own: PersonalizedResult, count: int, wanted: list[Any], shards: Shards
) -> PersonalizedResult:
    """One result of those of all ranks, of which this one's has `count` rows of its own."""
    if ranks.size == 1:
        return own

    def rows(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        made = np.empty((len(wanted), *array.shape[1:]), array.dtype)
        for rank, part in enumerate(ranks.everywhere(array[:count].reshape(-1))):
            mine = made[rank :: ranks.size]
            mine[:] = part.reshape(mine.shape)
        return made

    columns: dict[str, Any] = {}
    for name in COLUMNS:
        array = getattr(own, name)
        columns[name] = None if array is None else rows(array)
    ids = (
        None
        if own.ids is None
        else shards.ids[rows(shards.index(own.ids.reshape(-1)).reshape(own.ids.shape))]
    )
    if own.excluded is not None:
        own = replace(own, excluded=None)  # of other ranks it is not known
    ended = own.ended[:1] * len(wanted)
    names = shards.ids[shards.index(wanted)].tolist()
    return replace(own, **columns, ids=ids, ended=ended, sources=names)
