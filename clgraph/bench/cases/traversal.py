"""Breadth-first search and connected components, compared with other libraries."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from clgraph.bench import peers as others
from clgraph.bench.harness import Case, Context, Figures, median, on_graph, quantity, size, timed
from clgraph.components import connected_components
from clgraph.device.launch_config import LaunchTable
from clgraph.graph import Graph
from clgraph.traversal import bfs, bfs_many

SOURCES, MANY = 16, 64
SECTORS = LaunchTable(gpu=32, cpu=64, simulator=64)  # bytes of a memory sector


def cases(graphs: Sequence[str], peers: str) -> Iterator[Case]:
    """Yield the cases of traversal; a figure comes from several searches from the largest component."""

    def case(graph: str, what: str, who: str, run: Any, *args: Any, **options: Any) -> Case:
        run = on_graph(run, graph, *args)
        return Case("traversal", graph, what, who, run, who.startswith("clgraph"), options)

    for graph in graphs:
        yield case(graph, "bfs", "clgraph hybrid", _bfs, sources=SOURCES)
        for who in others.wanted(others.BFS, peers):
            yield case(graph, "bfs", who, _bfs_peer, who, sources=SOURCES)
        yield case(graph, f"{MANY} searches", "clgraph at once", _many, sources=MANY)
        yield case(graph, f"{MANY} searches", "clgraph one by one", _one_by_one, sources=MANY)
        yield case(graph, "components", "clgraph", _components)
        for who in others.wanted(others.COMPONENTS, peers):
            yield case(graph, "components", who, _components_peer, who)


def giant_sources(context: Context, graph: Graph, count: int) -> list[int]:
    """Vertices drawn from the component of the vertex with the most arcs; the same on every device."""

    def find() -> Any:
        found = bfs(graph, int(graph.ids[np.argmax(graph.degrees)]), device=context.device)
        return np.flatnonzero(found.distance >= 0)

    # searches from small components would end at once
    giant = context.once("giant", find)
    drawn = np.random.default_rng(5).choice(giant, min(count, len(giant)), replace=False)
    return [int(v) for v in graph.ids[drawn]]


def _bfs(graph: Graph, context: Context) -> Figures:
    sources = giant_sources(context, graph, SOURCES)
    search = partial(bfs, graph, device=context.device)
    search(sources[0])
    calls, kernels, levels = [], [], []
    for source in sources:
        timing = timed(partial(search, source), 1, keep=lambda r: (r.seconds["bfs"], r.levels))
        calls += timing.seconds
        kernels.append(timing.results[0][0])
        levels.append(timing.results[0][1])
    middle, depth = statistics.median(kernels), statistics.median(levels)
    # Any search of the whole graph for distances and predecessors reads every arc's head and every row's
    # start, and writes distance and predecessor once. One that stops at the first hit of a row moves less:
    # the share then counts bytes that it did not move.
    moved = 4 * graph.num_arcs + graph.row_ptr.itemsize * graph.num_vertices + 8 * graph.num_vertices
    values = {
        "kernels": median(kernels),
        "call": median(calls),
        "a_level": quantity(middle / depth, "s"),
        **context.of_copy(moved, middle),
    }
    energy = context.energy(partial(search, sources[0]), "a whole call, arrays brought to the host")
    return Figures(values, {**size(graph), "levels": depth}, energy)


def _bfs_peer(graph: Graph, who: str, context: Context) -> Figures:
    search = others.made(who, others.BFS[who], graph)
    sources = [int(v) for v in graph.indices_of(giant_sources(context, graph, SOURCES))]
    search(sources[0])
    seconds: list[float] = []
    for source in sources:
        if sum(seconds) < 20:  # a slow library gets fewer sources
            seconds += timed(partial(search, source), 1).seconds
    return Figures({"call": median(seconds)}, size(graph))


def _many(graph: Graph, context: Context) -> Figures:
    search = partial(bfs_many, graph, giant_sources(context, graph, MANY), device=context.device)
    search()
    timing = timed(search, context.repeat, keep=lambda r: {"kernels": r.seconds["bfs"]})
    energy = context.energy(search, "a whole call, arrays brought to the host")
    return Figures({"kernels": timing.phase("kernels"), "call": timing.quantity}, size(graph), energy)


def _one_by_one(graph: Graph, context: Context) -> Figures:
    sources = giant_sources(context, graph, MANY)
    search = partial(bfs, graph, device=context.device)
    search(sources[0])
    timing = timed(lambda: [search(source).levels for source in sources], context.repeat)
    return Figures({"call": timing.quantity}, size(graph))


def _components(graph: Graph, context: Context) -> Figures:
    device = context.device
    find = partial(connected_components, graph, device=device)
    find()

    def keep(found: Any) -> dict[str, float]:
        return {"kernels": found.seconds["components"] + found.seconds["ranking"]}

    timing = timed(find, context.repeat, keep=keep)
    kernels, moved = timing.phase("kernels"), _components_bytes(graph, SECTORS.of(device))
    values = {"kernels": kernels, "call": timing.quantity, **context.of_copy(moved, kernels["value"])}
    energy = context.energy(find, "a whole call, labels brought to the host")
    return Figures(values, size(graph), energy)


def _components_bytes(graph: Graph, sector: int) -> int:
    """Bytes that the kernels of weak components move at least.

    Labels and hints once per pass (init, start, two compresses, link, rest, finish: 11 words per vertex),
    `row_ptr` once, and one memory sector per row that is not empty; on a directed graph all of `col_idx`
    instead of a sector a row. Label look-ups that hit a cache are not counted.
    """
    rows = int(np.count_nonzero(graph.degrees))
    arcs = 4 * graph.num_arcs if graph.directed else sector * rows
    return 4 * 12 * graph.num_vertices + arcs


def _components_peer(graph: Graph, who: str, context: Context) -> Figures:
    find = others.made(who, others.COMPONENTS[who], graph)
    find()
    return Figures({"call": timed(find, context.repeat).quantity}, size(graph))
