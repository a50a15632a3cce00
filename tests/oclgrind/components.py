"""Weak and strong components."""

from functools import partial

import numpy as np

from clgraph import Graph
from clgraph.components import finder
from clgraph.components.strong import StrongFinder
from clgraph.csr.upload import upload_csr
from clgraph.reference.traversal import reference_components
from oclgrind.shared import reshape

V = np.arange(50)


def _components(device, directed=False, **options):
    """Weak components, then sizes and numbers."""
    graph = Graph.from_edges(
        *np.random.default_rng(1).integers(0, 50, (2, 45)), directed=directed, vertices=V
    )
    csr = upload_csr(device, graph)
    made = finder.GiantFinder(device, 50, csr.arcs, **options)
    label = device.zeros(50, np.int32)  # masked: all are there
    keys = {"arc_key": device.zeros(csr.arcs, np.uint32)} if "arc_keys" in options else {}
    made.labels_into(csr.row_ptr, csr.row_ptr, csr.col_idx, label, one_way=directed, **keys)
    labels, sizes = reference_components(graph)
    assert made.largest_label(label) == (int(np.argmin(labels)), sizes[0], 50)
    assert finder.all_sizes(made.rank(label), 50).tolist() == sizes.tolist()
    assert device.download(label, np.int32, 50).tolist() == labels.tolist()


case_components = _components  # of plain rows
case_components_directed = partial(_components, directed=True)  # rows that hold an arc once
# long rows in pieces, masks and arc keys
case_components_pieces = partial(_components, long_row=2, piece=3, masked=True, arc_keys=True)


def case_components_linked_at_once(device):
    """Every vertex links in one launch, as on GPUs."""
    reshape(finder, link_every=1)
    _components(device)


def case_components_copra(device):
    """Weak components of COPRA rows with dead slots."""
    # vertices 0 .. 49 in a ring, 10 .. 19 and 30 removed
    live = np.ones(50, bool)
    live[10:20] = live[30] = False
    slots = np.full((50, 4), -2, np.int32)
    slots[:, 1] = V
    slots[:, 2], slots[:, 3] = np.sort(((V + 1) % 50, (V - 1) % 50), axis=0)
    slots[:, 2:][~live[slots[:, 2:]] | ~live[:, None]] = -1
    bounds = [device.upload(np.where(live, 4 * V + side, -1).astype(np.int32)) for side in (2, 4)]
    made = finder.GiantFinder(device, 50, 200, copra=True, long_row=1, piece=1)
    label = device.empty(50, np.int32)
    made.labels_into(*bounds, device.upload(slots.ravel()), label)
    found = device.download(label, np.int32, 50)
    assert found.tolist() == np.select([~live, V < 20, V < 30], [-1, 0, 20], 0).tolist()
    assert made.largest_label(label) == (0, 29, 39)


def case_components_no_majority(device):
    """The largest component where none has half of the vertices."""
    bounds = (20, 40)  # paths 0 .. 19 and 20 .. 39, as long as each other, and 40 .. 49
    tails = V[:-1][~np.isin(V[1:], bounds)]
    csr = upload_csr(device, Graph.from_edges(tails, tails + 1, vertices=V))
    made = finder.GiantFinder(device, 50, csr.arcs)
    label = device.zeros(50, np.int32)
    made.labels_into(csr.row_ptr, csr.row_ptr, csr.col_idx, label)
    assert made.largest_label(label) == (0, 20, 50)
    finder.FEW = 0  # the last pass on the device
    assert made.largest_label(label) == (0, 20, 50)


def _strong(device, long_row):
    random = np.random.default_rng(2).integers(0, 50, (2, 70))
    path, turned_back = (V[:-1], V[1:]), (np.append(V[:-1], V[1::2]), np.append(V[1:], V[::2]))
    for ends in (random, path, turned_back):
        graph = Graph.from_edges(*ends, directed=True, vertices=V)
        label = device.empty(50, np.int32)
        rows = upload_csr(device, graph), upload_csr(device, graph.reverse)
        StrongFinder(device, *rows, long_row=long_row, piece=2, chase=4).labels_into(label)
        labels, _ = reference_components(graph, connection="strong")
        smallest = np.array([np.argmax(labels == c) for c in range(labels.max() + 1)])
        assert device.download(label, np.int32, 50).tolist() == smallest[labels].tolist()


case_strong = partial(_strong, long_row=None)
case_strong_pieces = partial(_strong, long_row=2)  # long rows in pieces
