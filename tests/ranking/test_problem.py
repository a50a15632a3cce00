"""The arguments of PageRank and what of them is rejected; its result and the highest ranks."""

import pickle

import numpy as np
import pytest
from ranking_checks import mixed_graph
from transfers import transfers

from clgraph import Graph
from clgraph.csr.device_csr import DeviceGraph, SelectedIds
from clgraph.csr.upload import graph_of, upload_csr
from clgraph.errors import InputError
from clgraph.ranking import pagerank

BAD = {
    "nan": ({"personalization": [1, np.nan, 1]}, "personalization of vertex 20 is nan"),
    "infinite": ({"nstart": [1, np.inf, 1]}, "nstart of vertex 20 is inf"),
    "negative": ({"dangling": {10: 1, 30: -1}}, "dangling of vertex 30 is -1"),
    "zero": ({"personalization": {10: 0}}, "zero everywhere"),
    "empty": ({"personalization": {}}, "empty dict"),
    "no such id": ({"personalization": {11: 1}}, "personalization: vertex 11 is not in the graph"),
    "id of another type": ({"nstart": {"x": 1}}, "nstart: .*'x'.* is not in the graph"),
    "shape": ({"personalization": [1, 2]}, r"shape \(2,\); the graph has 3"),
    "words": ({"personalization": ["a", "b", "c"]}, "not a number"),
    "policy": ({"dangling": "ignore"}, "use 'personalization', 'uniform', 'drop'"),
    "damping 1": ({"damping": 1}, "damping is 1"),
    "damping nan": ({"damping": float("nan")}, "finite"),
    "damping negative": ({"damping": -0.1}, "at least 0 and below 1"),
    "damping text": ({"damping": "0.85"}, "use a number"),
    "tol negative": ({"tol": -1e-6}, "tol is -1e-06"),
    "tol nan": ({"tol": float("nan")}, "finite"),
    "tol too small": ({"tol": 1e-7}, "below the round-off of float32.*float64"),
    "tol too small, l2": ({"tol": 1e-7, "norm": "l2"}, "round-off"),
    "tol too small, linf": ({"tol": 1e-7, "norm": "linf"}, "round-off"),
    "tol too small, nx": ({"tol": 1e-7, "norm": "nx"}, "round-off"),
    "tol too small, float64": ({"tol": 1e-17, "dtype": "float64"}, "round-off of float64"),
    "vacuous": ({"tol": 2}, "cannot fail"),
    "vacuous, nx": ({"tol": 0.7, "norm": "nx"}, "cannot fail"),
    "vacuous, linf": ({"tol": 1, "norm": "linf"}, "cannot fail"),
    "norm": ({"norm": "l3"}, "norm is 'l3'"),
    "max_iter": ({"max_iter": 0}, "max_iter is 0"),
    "max_iter float": ({"max_iter": 10.0}, "max_iter is 10.0"),
    "variant": ({"variant": "fast"}, "variant is 'fast'"),
    "dtype": ({"dtype": "float16"}, "dtype is 'float16'"),
    "what then": ({"on_nonconvergence": "ignore"}, "on_nonconvergence"),
    "weight": ({"weight": "yes"}, "weight is 'yes'"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_bad_input(options, message):
    graph = Graph.from_edges([10, 20, 20], [20, 30, 10], directed=True)
    with pytest.raises(InputError, match=message):
        pagerank(graph, **options)


def test_bad_graphs():
    with pytest.raises(InputError, match="no vertices"):
        pagerank(Graph.from_edges([], []))
    for bad in (-1.0, np.nan, np.inf):
        graph = Graph.from_edges([10, 20], [20, 30], weights=[1, 1], directed=True)
        vars(graph)["weights"] = np.array([1.0, bad])
        with pytest.raises(InputError, match=f"the arc 20 -> 30 is {bad}"):
            pagerank(graph)
    assert pagerank(graph, weight=False).converged


# --- the result ------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_top(device):
    graph = Graph.from_edges(["a", "b", "c", "d", "e"], ["c", "c", "a", "e", "d"], directed=True)
    found = pagerank(graph, max_iter=500, device=device)
    best = found.top(10)
    names, values = ([pair[i] for pair in best] for i in (0, 1))
    assert sorted(names) == list("abcde")
    assert names[0] == "c"
    assert names.index("d") < names.index("e")  # equal ranks: the smaller index first
    assert values == sorted(values, reverse=True)
    assert found.top(4) == best[:4] and found.top(0) == []
    for bad in (-1, 1.5, True):
        with pytest.raises(InputError, match="k is"):
            found.top(bad)
    ring = Graph.from_edges(np.arange(50), (np.arange(50) + 1) % 50, directed=True)
    assert [v for v, _ in pagerank(ring, device=device).top(7)] == list(range(7))


def test_top_on_the_device(device):
    """Ranks that stayed there are selected there, and only ids of the chosen are looked up."""
    graph = mixed_graph(2).with_ids(np.arange(60)[::-1] * 3)
    chosen = SelectedIds(graph.ids, device.upload(np.arange(60, dtype=np.int32)), 60)
    there = graph_of(device, DeviceGraph(upload_csr(device, graph), directed=False, ids=chosen))
    options = {"variant": "bins", "weight": False, "device": device}
    kept = pagerank(there, **options)
    found = pagerank(there, arrays="device", **options)
    assert "_ids" not in vars(there)
    with transfers() as moved:
        best = found.top(9)
    sizes = [size for size, method, _ in moved if method in ("download", "take")]
    assert sizes and max(sizes) <= 9 * 4
    assert best == kept.top(9) and found.top(99) == kept.top(99)
    assert pickle.loads(pickle.dumps(kept)).top(9) == best


@pytest.mark.smoke
def test_result_tells_all(device):
    found = pagerank(mixed_graph(1), device=device, dangling="uniform")
    assert {"build", "upload", "compile", "iterate", "download", "total"} <= set(found.seconds)
    assert found.plan
    assert all(isinstance(line, str) for line in found.plan)
    told = found.device, found.dangling, found.norm, found.dtype
    assert told == (device.name, "uniform", "l1", "float32")
    assert 0 < found.residual < 1e-6 <= found.error_bound
