"""Graphs of every kind, and graphs that are on a device only."""

import numpy as np
import pytest

from clgraph import Graph
from clgraph.csr.upload import DeviceCSR, DeviceGraph, SelectedIds, graph_of
from clgraph.graph.residency import NAMES

KINDS = [
    {"directed": directed, "duplicates": duplicates, "weighted": weighted, "names": names}
    for directed in (False, True)
    for duplicates in ("merge", "keep")
    for weighted, names in ((False, False), (True, False), (False, True))
]


def of_kinds(kinds=KINDS):
    """Run a test with ``kind``: each of these."""
    return pytest.mark.parametrize("kind", kinds, ids=lambda kind: "-".join(map(str, kind.values())))


def make(n, m, *, weighted, names, **options):
    rng = np.random.default_rng(n)
    ends = (rng.random((2, m)) ** 2 * n).astype(int)
    weights = rng.random(m) if weighted else None
    if names:
        ends = np.array([f"v{i}" for i in range(n)], object)[ends]
    return Graph.from_edges(*ends, weights=weights, **options)


def made_there(device, graph):
    """The same graph, made on the device."""
    columns = {"weights": graph.weights, "multiplicity": graph.multiplicity}
    rows = DeviceCSR(
        graph.num_vertices,
        graph.num_arcs,
        device.upload(graph.row_ptr),
        device.upload(graph.col_idx),
        graph._offset_type,
        values={name: device.upload(array) for name, array in columns.items() if array is not None},
    )
    place = device.upload(np.arange(graph.num_vertices, dtype=np.int32))
    ids = None if graph._has_identity_ids else SelectedIds(graph.ids, place, graph.num_vertices)
    return graph_of(device, DeviceGraph(rows, directed=graph.directed, ids=ids))


def looked_at(graph):
    return [name for name in NAMES if vars(graph).get(name) is not None]
