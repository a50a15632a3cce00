"""What the tests of centrality share."""

import pytest

import clgraph
from clgraph import DeviceError, Graph


@pytest.fixture
def doubles(device):
    """A device with float64; others report that they have none."""
    if "HAVE_FP64" not in device.features:
        graph = Graph.from_edges([0], [1])
        calls = (clgraph.betweenness_centrality, clgraph.eigenvector_centrality, clgraph.katz_centrality)
        for call in (*calls, clgraph.hits):
            with pytest.raises(DeviceError, match="float64"):
                call(graph, device=device)
        pytest.skip("no float64")
    return device
