"""Fixtures of the NetworkX backend's tests."""

import random
from importlib.util import find_spec

import pytest


@pytest.fixture
def on(device, monkeypatch):
    """The backend runs on this device."""
    monkeypatch.setenv("CLGRAPH_DEVICE", device.spec)
    return device


if find_spec("networkx"):  # without it the tests are skipped, each file by itself
    from networkx_graphs import KINDS, names_of, random_graph

    @pytest.fixture(params=KINDS, ids=lambda kind: f"{kind[0].__name__}-{kind[1]}")
    def graph(request):
        """A graph with nodes of some kind, drawn from a fixed seed."""
        make, kind, n, edges = request.param
        rng = random.Random(n + edges)
        return random_graph(make, names_of(kind, n, rng), edges, rng)
