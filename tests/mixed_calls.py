"""Every public call that uses a device, on small graphs: what threads do side by side, and what is right."""

from collections.abc import Callable, Sequence
from typing import Any, get_args

import numpy as np
from graphs import random_graph
from public_calls import ON_DEVICE, example, parts
from sharded_calls import sharded_calls

import clgraph
from clgraph.methods import EXACT, REDUCTIONS
from clgraph.ranking.personalized import Method

Call = Callable[[], Sequence[Any]]


def mixed_calls(device):
    """Name -> call, which gives the parts of its result. All calls share three graphs on the device."""
    undirected = random_graph(1, 90, 240)
    directed = random_graph(2, 90, 240, directed=True)
    weighted = random_graph(3, 60, 150, directed=True, weights=np.random.default_rng(3).random(150) + 0.5)
    on = {"device": device}
    calls = {}
    add = calls.__setitem__

    def here(array):
        """An array that may lie on the device."""
        return array.get() if hasattr(array, "get") else array

    def searched(graph, source, **options):
        found = clgraph.bfs(graph, source, **on, **options)
        arrays = map(here, (found.distance, found.predecessor, found.source_of))
        return *arrays, found.levels, found.reached, found.provenance["kernels"]

    def components(graph, **options):
        found = clgraph.connected_components(graph, **on, **options)
        return here(found.labels), found.sizes, found.count

    def ranked(graph, **options):
        found = clgraph.pagerank(graph, tol=1e-4, **on, **options)
        return here(found.scores), found.top(5), found.iterations, found.provenance["kernels"]

    def personal(method, top):
        walks = {"walks": 200, "seed": 4} if method == "monte-carlo" else {}
        found = clgraph.personalized_pagerank(
            directed, directed.ids[:3].tolist(), method=method, top=top, tol=1e-4, **on, **walks
        )
        return [part for part in (found.scores, found.ids, found.scores, found.visits) if part is not None]

    def sampled(graph, method, **options):
        found = clgraph.sample(graph, method, size="40%", seed=6, **on, **options)
        return found.vertices, found.edges, *rows(found.graph)

    def curve(method, **options):
        found = clgraph.reduction_curve(undirected, method, 3, **on, **options)
        return found.deletions, found.vertices, found.edges

    def compared():
        part = undirected.subgraph(np.arange(50))
        return parts(clgraph.quality(undirected, part, eigenvalues=False, **on))

    def studied():
        found = clgraph.study(undirected, "drv,ebfs", "60%,30%", seeds=2, **on)
        return [*parts(found), found.digest]

    def fresh(directed):
        graph = random_graph(5, 70, 200, directed=directed)  # uploaded, searched and freed each time
        views = graph.reverse, graph.undirected, graph.undirected.without_self_loops
        return *searched(graph, 0), *components(graph), *(part for view in views for part in rows(view))

    add("bfs", lambda: searched(undirected, 0))
    add("bfs, directed", lambda: searched(directed, 1))
    add("bfs, frontier", lambda: searched(directed, 1, method="frontier"))
    add("bfs, sources", lambda: searched(undirected, [0, 5, 9], depth_limit=2))
    add("bfs, on the device", lambda: searched(undirected, [0, 5], arrays="device"))
    add("bfs_many", lambda: [clgraph.bfs_many(undirected, range(40), **on).distance])
    add("bfs_many, directed", lambda: [clgraph.bfs_many(directed, range(5), lanes=32, **on).distance])
    add("components", lambda: components(undirected))
    add("components, strong", lambda: components(directed, connection="strong"))
    add("components, on the device", lambda: components(directed, arrays="device"))
    add("largest_component", lambda: rows(clgraph.largest_component(directed, **on)))
    for variant in ("auto", "pull", "runs", "bins"):
        add(f"pagerank {variant}", lambda variant=variant: ranked(weighted, variant=variant))
    add("pagerank, on the device", lambda: ranked(directed, arrays="device"))
    for method in get_args(Method):
        add(f"personalized_pagerank {method}", lambda method=method: personal(method, None))
        add(f"personalized_pagerank {method}, top", lambda method=method: personal(method, 4))
    for method in REDUCTIONS:
        add(f"sample {method}", lambda method=method: sampled(undirected, method))
        add(f"sample {method}, directed", lambda method=method: sampled(directed, method))
    for method in EXACT:
        add(f"sample {method}, batched", lambda method=method: sampled(undirected, method, mode="batched"))
        add(f"sample {method}, strong", lambda method=method: sampled(directed, method, connection="strong"))
        add(f"curve {method}", lambda method=method: curve(method))
        add(f"deletion_order {method}", lambda method=method: [clgraph.deletion_order(undirected, method, 3)])
    add("curve, batched", lambda: curve("drve"))
    add("quality", compared)
    add("study", studied)
    add("eigenvalues, Laplacian", lambda: clgraph.eigenvalues(undirected, 3, matrix="laplacian", **on))
    add("harmonic, some", lambda: [clgraph.harmonic_centrality(undirected, [0, 3], sources=[1, 4], **on)])
    doubles = "HAVE_FP64" in device.features
    if doubles:
        add("katz, directed", lambda: [clgraph.katz_centrality(directed, alpha=0.01, **on)])
        add("betweenness, directed", lambda: [clgraph.betweenness_centrality(directed, **on)])
        add("hits, directed", lambda: clgraph.hits(directed, **on))
    add("neighbor degrees", lambda: [clgraph.average_neighbor_degree(directed, source="in+out", **on)])
    of_directed = clgraph.closeness_centrality, clgraph.degree_assortativity_coefficient
    for call in (*of_directed, clgraph.clustering, clgraph.average_clustering, clgraph.transitivity):
        add(f"{call.__name__}, directed", lambda call=call: [call(directed, **on)])
    for each in ON_DEVICE:  # every public function, as the table calls it
        if doubles or not each.doubles:
            add(each.call, lambda each=each: parts(example(each, device)))
    add("a fresh graph", lambda: fresh(False))
    add("a fresh directed graph", lambda: fresh(True))
    return calls | sharded_calls(device)


def rows(graph):
    """What a graph consists of."""
    return graph.row_ptr, graph.col_idx, graph.ids


def equal(one, other):
    """Whether two results are the same, to the last bit."""
    return len(one) == len(other) and all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f") if isinstance(a, np.ndarray) else a == b
        for a, b in zip(one, other, strict=True)
    )
