"""Weak and strong components."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np


def _components(device: Any, directed: bool, **options: Any) -> None:
    from clgraph.components.finder import GiantFinder, all_sizes
    from clgraph.csr.upload import upload_csr
    from clgraph.graph import Graph
    from clgraph.reference.traversal import reference_components

    tails, heads = np.random.default_rng(1).integers(0, 50, (2, 45))
    graph = Graph.from_edges(tails, heads, directed=directed, vertices=np.arange(50))
    csr = upload_csr(device, graph)
    finder = GiantFinder(device, 50, csr.arcs, **options)
    label = device.zeros(50, np.int32)  # masked: all are there
    keys = {"arc_key": device.zeros(csr.arcs, np.uint32)} if "arc_keys" in options else {}
    finder.labels_into(csr.row_ptr, csr.row_ptr, csr.col_idx, label, one_way=directed, **keys)
    labels, sizes = reference_components(graph)
    assert finder.largest_label(label) == (int(np.argmin(labels)), sizes[0], 50)
    assert all_sizes(finder.rank(label), 50).tolist() == sizes.tolist()
    assert device.download(label, np.int32, 50).tolist() == labels.tolist()


def case_components(device: Any) -> None:
    """Weak components of plain rows, then sizes and numbers."""
    _components(device, directed=False)


def case_components_linked_at_once(device: Any) -> None:
    """Weak components where every vertex links in one launch, as on GPUs."""
    from clgraph.components import finder

    shapes = finder.LAUNCH
    finder.LAUNCH = replace(shapes, simulator=replace(shapes.simulator, link_every=1))
    try:
        _components(device, directed=False)
    finally:
        finder.LAUNCH = shapes


def case_components_directed(device: Any) -> None:
    """Weak components of rows that hold an arc once."""
    _components(device, directed=True)


def case_components_pieces(device: Any) -> None:
    """Weak components with long rows in pieces, masks and arc keys."""
    _components(device, directed=False, long_row=2, piece=3, masked=True, arc_keys=True)


def case_components_copra(device: Any) -> None:
    """Weak components of COPRA rows with dead slots."""
    from clgraph.components.finder import GiantFinder

    # vertices 0 .. 49 in a ring, 10 .. 19 and 30 removed
    live = np.ones(50, bool)
    live[10:20] = live[30] = False
    slots = np.full((50, 4), -2, np.int32)
    slots[:, 1] = v = np.arange(50)
    slots[:, 2], slots[:, 3] = np.sort(((v + 1) % 50, (v - 1) % 50), axis=0)
    slots[:, 2:][~live[slots[:, 2:]] | ~live[:, None]] = -1
    start = np.where(live, 4 * v + 2, -1).astype(np.int32)
    end = np.where(live, 4 * v + 4, -1).astype(np.int32)
    finder = GiantFinder(device, 50, 200, copra=True, long_row=1, piece=1)
    label = device.empty(50, np.int32)
    finder.labels_into(device.upload(start), device.upload(end), device.upload(slots.ravel()), label)
    found = device.download(label, np.int32, 50)
    assert found.tolist() == np.select([~live, v < 20, v < 30], [-1, 0, 20], 0).tolist()
    assert finder.largest_label(label) == (0, 29, 39)


def case_components_no_majority(device: Any) -> None:
    """The largest component where none has half of the vertices."""
    from clgraph.components import finder
    from clgraph.components.finder import GiantFinder
    from clgraph.csr.upload import upload_csr
    from clgraph.graph import Graph

    v = np.arange(49)
    bounds = (20, 40)  # paths 0 .. 19 and 20 .. 39, as long as each other, and 40 .. 49
    joined = ~np.isin(v + 1, bounds)
    graph = Graph.from_edges(v[joined], v[joined] + 1, vertices=np.arange(50))
    csr = upload_csr(device, graph)
    made = GiantFinder(device, 50, csr.arcs)
    label = device.zeros(50, np.int32)
    made.labels_into(csr.row_ptr, csr.row_ptr, csr.col_idx, label)
    assert made.largest_label(label) == (0, 20, 50)
    finder.FEW = 0  # the last pass on the device
    assert made.largest_label(label) == (0, 20, 50)


def _strong(device: Any, long_row: int | None) -> None:
    from clgraph.components.strong import StrongFinder
    from clgraph.csr.upload import upload_csr
    from clgraph.graph import Graph
    from clgraph.reference.traversal import reference_components

    rng = np.random.default_rng(2)
    v = np.arange(50)
    ends = [
        rng.integers(0, 50, (2, 70)),
        (v[:-1], v[1:]),
        (np.append(v[:-1], v[1::2]), np.append(v[1:], v[::2])),
    ]
    for tails, heads in ends:
        graph = Graph.from_edges(tails, heads, directed=True, vertices=v)
        label = device.empty(50, np.int32)
        rows = upload_csr(device, graph), upload_csr(device, graph.reverse)
        finder = StrongFinder(device, *rows, long_row=long_row, piece=2, chase=4)
        finder.labels_into(label)
        labels, _ = reference_components(graph, connection="strong")
        smallest = np.array([np.argmax(labels == c) for c in range(labels.max() + 1)])
        assert device.download(label, np.int32, 50).tolist() == smallest[labels].tolist()


def case_strong(device: Any) -> None:
    """Strong components."""
    _strong(device, None)


def case_strong_pieces(device: Any) -> None:
    """Strong components with long rows in pieces."""
    _strong(device, 2)
