"""Graphs, comparisons and laws that the tests of samplers share."""

import dataclasses
from collections import Counter
from itertools import permutations, product

import networkx as nx
import numpy as np
from scipy import stats

from clgraph import Graph, verify_sample
from clgraph.device.launch_config import LaunchTable
from clgraph.methods import REDUCTIONS
from clgraph.reference.samples import reference_draw, reference_sample
from clgraph.sampling import sample
from clgraph.sampling.copra import Copra

# 7 vertices, 9 edges, degrees 2 2 4 3 2 4 1
SEVEN = Graph.from_edges([0, 0, 1, 2, 2, 3, 3, 4, 5], [1, 2, 2, 3, 5, 4, 5, 5, 6])
assert SEVEN.degrees.tolist() == [2, 2, 4, 3, 2, 4, 1]


# options that change what a reduction is, and not only how it is computed
DEFINING = ("tolerance", "connection", "mix", "start")


def awkward_graphs():
    """Isolated vertices, pairs, a path, a star, a lollipop, a clique, parallel edges and loops, dead ends."""
    line = np.arange(11)
    u, v = np.triu_indices(6, 1)
    return [
        Graph.from_edges([0, 2], [1, 3], vertices=np.arange(9)),
        Graph.from_edges(np.arange(0, 12, 2), np.arange(1, 12, 2)),
        Graph.from_edges(line, line + 1),
        Graph.from_edges(np.zeros(9, int), np.arange(1, 10)),
        Graph.from_edges(np.append(u, [5, 6, 7]), np.append(v, [6, 7, 8])),
        Graph.from_edges(u, v),
        Graph.from_edges([0, 0, 0, 1, 2, 2, 3, 3], [1, 1, 2, 1, 3, 3, 3, 4], duplicates="keep"),
        Graph.from_edges([0, 1, 2, 0, 4], [1, 2, 3, 3, 3], directed=True),
    ]


def rows(methods, **options):
    """Each of some methods with each choice of the options: a list is what one may be."""
    choices = [value if isinstance(value, list) else [value] for value in options.values()]
    every = [dict(zip(options, chosen, strict=True)) for chosen in product(*choices)]
    return [(method, each) for method in methods for each in every]


def equals_reference(graph, method, device, *, seed, **options):
    """A sample is its reference's, vertex by vertex and edge by edge, and passes the verifier."""
    made = sample(graph, method, seed=seed, device=device, **options)
    if method in REDUCTIONS:
        known = {name: options[name] for name in ("size", *DEFINING) if name in options}
        wanted = reference_sample(graph, method, seed=seed, mode=made.mode, **known)
    else:
        wanted = reference_draw(graph, method, seed=seed, **options)
    np.testing.assert_array_equal(made.vertices, wanted.vertices)
    np.testing.assert_array_equal(made.edges, wanted.edges)
    if made.mode == "batched" and method in REDUCTIONS and method not in ("ebfs", "edfs"):
        assert made.iterations == wanted.iterations  # explorations know no batches
    if made.order is not None and wanted.order is not None:
        by_edges = made.selection.request.kind in ("edges", "ties", "near")  # several come at once there
        assert by_edges or made.order.tolist() == wanted.order.tolist()
    assert method in REDUCTIONS or wanted.more is not None
    for name, value in (wanted.more or {}).items():
        near = 1e-14 if np.asarray(value).dtype.kind == "f" else 0
        of_stream = made.stream is not None and name in ("arrival", "probability")
        found = getattr(made.stream if of_stream else made, name)
        np.testing.assert_allclose(found, value, rtol=near, err_msg=name)
    verify_sample(graph, made, connection=options.get("connection", "weak"))
    return made


def counts_of(graph):
    """How many of the edges given each edge stands for, as a matrix."""
    counts = np.zeros((graph.num_vertices,) * 2, int)
    counts[graph.tails, graph.col_idx] = 1 if graph.multiplicity is None else graph.multiplicity
    return counts


def weights_of(graph):
    """The weights of all edges, as a matrix."""
    return graph.to_scipy().todense()


def built(device, graph, **options):
    """COPRA of a graph, on the device."""
    copra = Copra(device, graph, **options)
    copra.build()
    return copra


def twins(graph):
    """The other arc of each edge; of parallel ones that of the same copy."""
    other = np.empty(graph.num_arcs, np.int64)
    other[np.lexsort((graph.tails, graph.col_idx))] = np.arange(graph.num_arcs)
    return other


def launch_otherwise(monkeypatch, module, device, **changes):
    """Launch a module's kernels as on the device, but for some fields, whatever the kind of device."""
    shape = dataclasses.replace(module.LAUNCH.of(device), **changes)
    monkeypatch.setattr(module, "LAUNCH", LaunchTable(gpu=shape, cpu=shape, simulator=shape))


def set_counts(graph, method, device, runs=20_000, **options):
    """How often each set of vertices (or, with edges=, of edges) is drawn."""
    many = sample(graph, method, seed=1, seeds=runs, device=device, **options)
    if "edges" in options:
        rank = np.cumsum(graph.tails < graph.col_idx) - 1
        return Counter(tuple(rank[one.selection.arcs.of(one.at)].tolist()) for one in many)
    return Counter(tuple(one.index.tolist()) for one in many)


def successive(weight, k):
    """The law of k draws, one after the other, in proportion to the weights that are left."""
    law = {}
    for order in permutations(range(len(weight)), k):
        p, left = 1.0, float(sum(weight))
        for i in order:
            p *= weight[i] / left
            left -= weight[i]
        law[tuple(sorted(order))] = law.get(tuple(sorted(order)), 0.0) + p
    return law


def fits(counts, law):
    """The p-value of counts under a law: chi-square, what is expected less than 5 times taken together."""
    assert set(counts) <= set(law) and abs(sum(law.values()) - 1) < 1e-9
    expected = np.array(list(law.values())) * counts.total()
    found = np.array([counts[key] for key in law])
    rare = expected < 5
    if rare.any():
        found, expected = (np.append(each[~rare], each[rare].sum()) for each in (found, expected))
    return float(stats.chisquare(found, expected).pvalue)


def largest(vertices, edges):
    """Vertices and edges of the largest component; of equal ones that of the smallest vertex."""
    graph = nx.Graph(edges)
    graph.add_nodes_from(vertices)
    kept = max(nx.connected_components(graph), key=lambda part: (len(part), -min(part)))
    return kept, [(u, v) for u, v in edges if u in kept]


def rows_of_deletions(n, edges, order):
    """Deletions, vertices and edges of the loop, whenever the number of vertices has changed.

    The order is one of vertices, or of pairs as `edges` has them.
    """
    kept, left = largest(range(n), edges)
    rows, deletions = [(0, len(kept), len(left))], 0
    for gone in order:
        by_vertex = isinstance(gone, int)
        if gone not in (kept if by_vertex else left) or len(kept) == 1:
            continue
        if by_vertex:
            kept, left = largest(kept - {gone}, [pair for pair in left if gone not in pair])
        else:
            left.remove(gone)
            kept, left = largest(kept, left)
        deletions += 1
        if len(kept) != rows[-1][1]:
            rows.append((deletions, len(kept), len(left)))
    return rows
