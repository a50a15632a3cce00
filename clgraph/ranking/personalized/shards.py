"""Personalized PageRank of graphs in shards by random walks: ranks share the sources, each has the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.csr.build import build_rows
from clgraph.csr.device_csr import DeviceGraph
from clgraph.csr.upload import graph_of
from clgraph.errors import CapacityError, InputError
from clgraph.ranking.personalized.result import PersonalizedResult
from clgraph.scale.comm import Ranks, run_on_ranks, shared_seed
from clgraph.scale.loading import LAUNCH, Loading
from clgraph.scale.shards import Shards
from clgraph.scale.writing import join_shards

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.scale.shards import Shards


# --- A whole graph on a device, from its shards: made there, without a copy on the host ---


def join_on(device: Device, shards: Shards) -> Graph:
    """Return the graph of `clgraph.join_shards`, built on the device if possible.

    The host makes graphs with weights, counts of merged edges, or self-loops, and what does not fit the
    device while it is made.
    """
    manifest = shards.manifest
    name = "pairs" if not shards.directed else "out" if "out" in manifest.sections else "in"
    section = shards.section(name)
    if manifest.weights or manifest.multiplicity or section.loops or not section.edges:
        return join_shards(shards)
    try:
        return _made(device, shards, name, section.edges) or join_shards(shards)
    except CapacityError:
        return join_shards(shards)


def _made(device: Device, shards: Shards, name: str, edges: int) -> Graph | None:
    """Build the graph of a section's rows; None if a row holds a head twice."""
    n, run = shards.num_vertices, LAUNCH.of(device)
    with device.alone():
        device.reserve({"tails": 4 * edges, "heads": 4 * edges})
        tail, head = device.empty(edges, np.int32), device.empty(edges, np.int32)
    at = 0
    for rows in Loading(device, shards).rows(name, range(len(shards.section(name).shards))):
        with device.alone():
            program = device.program("scale/loading", RUN=run, PAIRS=int(name == "pairs"), **rows.defines)
            program.loading_ends(-(-rows.arcs // run), **rows.arguments, at=at, tail=tail, head=head)
            device.finish()  # the shard's buffers are free
        at += rows.arcs
    if name == "in":
        # "in" has rows of heads
        tail, head = head, tail
    with device.alone():
        made = build_rows(device, n, tail, head, edges, mirror=not shards.directed)
        if made.arcs != edges * (1 if shards.directed else 2):
            return None
        ids = None if shards.manifest.ids is None else shards.ids
        parts = DeviceGraph(made, directed=shards.directed, ids=ids, num_self_loops=0, is_multigraph=False)
        return graph_of(device, parts)


# arrays of a result with a row for each source
COLUMNS = ("scores", "iterations", "residuals", "error_bounds", "visits", "lost", "standard_errors")


def walk_shards(
    shards: Shards,
    sources: Any,
    walk: Callable[..., PersonalizedResult],
    *,
    seed: int | None,
    device: Any,
    options: Mapping[str, Any],
) -> PersonalizedResult:
    """`clgraph.personalized_pagerank` of a graph in shards by method "monte-carlo".

    `walk` is that call for a graph, with its `options`, on which all ranks must agree. The graph is joined on
    each device, which it must fit; rank r answers sources r, r + P, ... Counts are keyed by (seed, source,
    walk, step), so that who answers does not matter.
    """
    chosen = _vertices(sources)
    index = shards.indices_of(chosen)
    agreed = shared_seed(seed, shards.comm)

    def work(ranks: Ranks, dev: Device) -> PersonalizedResult:
        agreement = {
            "sources": str(index.tolist()),
            "seed": str(seed),
            "options": str(sorted(options.items())),
        }
        ranks.agree(dataset=shards.fingerprint, method="monte-carlo", **agreement)
        own = chosen[ranks.rank :: ranks.size]
        # of more ranks than sources the last ones answer the first again, and keep that to themselves
        found = walk(join_on(dev, shards), own or chosen[:1], seed=agreed, device=dev)
        return _together(ranks, found, len(own), chosen, shards)

    return run_on_ranks(work, device, shards.comm)


def _vertices(sources: Any) -> list[Any]:
    """Return the sources as a list; all must be vertices."""
    several = isinstance(sources, (list, tuple)) or np.ndim(sources) > 0
    chosen = sources if several else [sources]
    if any(isinstance(each, (dict, list, tuple)) or np.ndim(each) for each in chosen):
        raise InputError(
            f"sources are {shown(sources)}: of a graph in shards they are ids of vertices; distributions "
            "need a Graph (clgraph.join_shards)"
        )
    if not len(chosen):
        raise InputError("no source is given: personalized PageRank needs at least one vertex to start from")
    return list(chosen)


def _together(
    ranks: Ranks, own: PersonalizedResult, count: int, chosen: list[Any], shards: Shards
) -> PersonalizedResult:
    """Join the results of all ranks into one; this rank's has `count` rows of its own."""
    if ranks.size == 1:
        return own

    def rows(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        made = np.empty((len(chosen), *array.shape[1:]), array.dtype)
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
        else shards.ids[rows(shards.indices_of(own.ids.reshape(-1)).reshape(own.ids.shape))]
    )
    if own.excluded is not None:
        own = replace(own, excluded=None)  # of other ranks it is not known
    ended = own.ended[:1] * len(chosen)
    names = shards.ids[shards.indices_of(chosen)].tolist()
    return replace(own, **columns, ids=ids, ended=ended, sources=names)
