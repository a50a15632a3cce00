"""Graphs and files that the tests of formats share."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clgraph import Graph

BANNER = "%%MatrixMarket matrix coordinate "


GRAPHS = {
    "plain": Graph.from_edges([0, 1, 2, 3], [1, 2, 0, 0]),
    "directed": Graph.from_edges([0, 1, 2, 0], [1, 0, 0, 3], directed=True),
    "gaps": Graph.from_edges([7, 1000000, 30], [10, 7, 10]),
    "large ids": Graph.from_edges([2**62, 5], [5, 2**63 - 1], directed=True),
    "strings": Graph.from_edges(["b", "a"], ["a", "zo\u00eb"]),
    "loops": Graph.from_edges([1, 2, 2], [1, 2, 3]),
    "weights": Graph.from_edges([1, 2, 2], [2, 3, 4], weights=[1.0, 3.0, 12.0]),
    "odd weights": Graph.from_edges([1, 2, 2], [2, 3, 4], weights=[0.1, -1e-300, 1 / 3], directed=True),
    "isolated": Graph.from_edges([4], [2], vertices=[1, 2, 3, 4, 5]),
    "no edges": Graph.from_edges([], [], vertices=[1, 2, 3]),
    "one vertex": Graph.from_edges([], [], vertices=[1]),
    "empty": Graph.from_edges([], []),
}


def arcs_of(graph: Graph) -> list[tuple[Any, Any]]:
    return list(zip(graph.ids[graph.rows].tolist(), graph.ids[graph.col_idx].tolist(), strict=True))


def put(path: Path, text: str | bytes) -> Path:
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@contextmanager
def limited_memory(more: int) -> Iterator[None]:
    """No more than `more` bytes of address space beyond what the process has (Linux; elsewhere no limit)."""
    status = Path("/proc/self/statm")
    if not status.exists():
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    now = int(status.read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + more, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
