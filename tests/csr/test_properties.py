"""Self-loops, parallel arcs, lengths of rows and weights: what devices find out about rows."""

from types import SimpleNamespace

import numpy as np
import pytest
from graphs import random_graph

from clgraph import Graph
from clgraph.csr import properties
from clgraph.csr.properties import count_loops_and_copies, count_nonisolated, find_hub, lengths_of
from clgraph.csr.upload import upload_csr


@pytest.mark.smoke
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("duplicates", ["merge", "keep"])
def test_as_on_the_host(device, directed, duplicates):
    drawn = random_graph(4, 30, 400, directed=directed, duplicates=duplicates)
    for graph in (drawn, Graph.from_edges([], [], vertices=[1, 2], directed=directed)):
        loops, copies = count_loops_and_copies(device, upload_csr(device, graph))
        assert loops == np.count_nonzero(graph.tails == graph.col_idx)
        edges = set(zip(graph.tails.tolist(), graph.col_idx.tolist(), strict=True))
        assert copies == graph.num_arcs - len(edges)
        assert (copies > 0) == graph.is_multigraph
        linked = count_nonisolated(device, upload_csr(device, graph))
        assert linked == np.count_nonzero(graph.degrees) == graph.num_nonisolated


def test_the_longest_row_and_some_lengths(device):
    for graph in (
        random_graph(5, 300, 900),
        Graph.from_edges([2, 2, 5, 5], [3, 4, 6, 7], vertices=range(9)),  # two of them
        Graph.from_edges([], [], vertices=[1, 2]),
    ):
        rows = upload_csr(device, graph)
        assert find_hub(device, rows) == graph.degrees.argmax()
        listed = np.random.default_rng(1).integers(0, graph.num_vertices, 40).astype(np.int32)
        assert lengths_of(device, rows, listed).tolist() == graph.degrees[listed].tolist()


@pytest.mark.parametrize(
    "odd",
    [[2.0**40], [0.25], [np.inf], [-3.0], [np.nan], [np.nan, 0.5], [0.5, np.nan], [np.inf, np.nan]],
    ids=str,
)
def test_weights(device, odd, monkeypatch):
    if "HAVE_FP64" not in device.features:
        pytest.skip("the device has no float64")
    monkeypatch.setattr(properties, "SURVEYORS", 3)
    # each work-item comes back, and the first of them again for a few
    count = 6 * properties.LAUNCH.of(device) + 5
    weights = np.random.default_rng(6).integers(1, 2**20, count).astype(np.float64)
    weights[-1 - len(odd) : -1] = odd  # of one work-item
    rows = SimpleNamespace(arcs=count, defines=upload_csr(device, random_graph(4, 30, 40)).defines)
    found = properties.survey_weights(device, rows, device.upload(weights))
    assert type(found.whole) is bool and found.whole == np.array_equal(weights, np.floor(weights))
    if np.isnan(weights).any():
        assert np.isnan(found[:3]).all()
        return
    assert (found.least, found.largest) == (weights.min(), weights.max())
    assert found.mean == pytest.approx(weights.mean())
