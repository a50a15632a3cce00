"""Lines as users write them: type checkers accept each in their strictest mode, and say what each gives.

`tests.test_typing` runs mypy and pyright on this file; nothing imports it.
"""

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import clgraph
from clgraph import Graph, Sample, Samples

graph = Graph.from_edges([0, 1, 2], [1, 2, 0])
assert_type(graph.num_vertices, int)
assert_type(graph.num_edges, int)
ids: npt.NDArray[Any] = graph.ids
first: int = int(ids[0])
degrees: npt.NDArray[np.int64] = graph.degrees
matrix: Any = graph.to_scipy()
network: Any = graph.to_networkx()
back: Graph = Graph.from_networkx(network)
larger: Graph = clgraph.powerlaw_graph(1000, seed=1)
component: Graph = larger.largest_component()
again: Graph = clgraph.read("graph.txt", directed=True)
clgraph.write(again, "graph.clg")

# one sample
half = clgraph.sample(larger, "drv", size="50%", seed=1)
assert_type(half, Sample)
vertices: npt.NDArray[Any] = half.vertices
assert_type(half.num_edges, int)
assert_type(half.graph, Graph)
assert_type(half.algorithm, str)
assert_type(half.target_vertices, int)
assert_type(half.notes, tuple[str, ...])
driver: str = half.provenance["driver"]
record: dict[str, Any] = half.to_dict()
plain = clgraph.sample(network, size=5000, device="cpu", mode="exact", strict=True)
assert_type(plain, Sample)
walk = clgraph.sample(larger, "rw", steps=10, walks=True)
trail: npt.NDArray[Any] | None = walk.walks
visits: npt.NDArray[np.int64] | None = walk.visits
weight: npt.NDArray[np.float64] | None = walk.weight
value, error = walk.mean(larger.degrees)
assert_type(value, float)
shares: npt.NDArray[np.float64] = walk.distribution("degree").share
recruits = clgraph.sample(larger, "rds", size="10%", start=[0, 1], coupons=2).distribution("degree", "II")
merged: npt.NDArray[np.int32] | None = clgraph.sample(larger, "cre", size=0.5).contracted_to
stream = clgraph.sample("edges.txt", "gps", edges=100, seed=3).stream
if stream is not None:
    edges_estimate, edges_error = stream.estimate("edges")
    assert_type(edges_estimate, float)

# several samples
runs = clgraph.sample(larger, "drv", size="30%", seeds=3)
assert_type(runs, Samples)
assert_type(runs[0], Sample)
assert_type(runs[1:], Samples)
nested = clgraph.sample(larger, "dre", sizes=["50%", 0.2, 100], seed=7)
assert_type(nested, Samples)
counts: npt.NDArray[np.int64] = nested.num_vertices
average: float = runs.mean(larger.degrees).value
totals: list[int] = [each.num_edges for each in runs]

# what else there is
quality = clgraph.quality(larger, half)
distances: dict[str, float | None] | None = quality.ks
curve: npt.NDArray[np.float64] = clgraph.reduction_curve(larger, "dre", 1).average_degree
ranks: npt.NDArray[Any] = clgraph.pagerank(larger, damping=0.9).scores
reached = clgraph.bfs(larger, 0)
components: npt.NDArray[Any] = clgraph.connected_components(larger).labels
device: clgraph.Device = clgraph.get_device("cpu")
