"""Small graphs that several tests draw, and comparisons that several make."""

import numpy as np

from clgraph import Graph

EDGE_LISTS = ("facebook_combined.txt", "cnr-2000.edges.gz", "Email-Enron.txt", "Wiki-Vote.txt")
# real graphs of CLGRAPH_TEST_DATA, and whether they are read as directed; METIS files are undirected
READINGS = [(name, directed) for name in EDGE_LISTS for directed in (False, True)]
READINGS += [("wing.graph", False), ("power.graph", False)]


def random_graph(seed, n, m, **kwargs):
    """A graph of n vertices and m drawn pairs, loops and parallel edges among them."""
    rng = np.random.default_rng(seed)
    return Graph.from_edges(rng.integers(0, n, m), rng.integers(0, n, m), vertices=np.arange(n), **kwargs)


def varied_graph(seed):
    """A graph of up to 90 vertices, by turns directed, with copies, weighted; and its generator."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 90))
    m = int(rng.integers(0, 4 * n))
    directed, duplicates = seed % 4 == 1, "keep" if seed % 3 == 0 else "merge"
    weights = rng.random(m) if seed % 5 == 0 else None
    return random_graph(seed, n, m, directed=directed, duplicates=duplicates, weights=weights), rng


def as_networkx(graph):
    """A graph's pairs in NetworkX, without copies."""
    import networkx as nx

    made = (nx.DiGraph if graph.directed else nx.Graph)()
    made.add_nodes_from(range(graph.num_vertices))
    made.add_edges_from(zip(graph.tails.tolist(), graph.col_idx.tolist(), strict=True))
    return made


def as_multigraph(graph):
    """A graph's edges in NetworkX with their copies, each with its share of the weight."""
    import networkx as nx

    made = (nx.MultiDiGraph if graph.directed else nx.MultiGraph)()
    made.add_nodes_from(range(graph.num_vertices))
    tail, head, weights, counts = graph.edge_indices()
    times = np.ones(len(tail), int) if counts is None else counts
    shares = np.ones(len(tail)) if weights is None else weights / times
    edges = (np.repeat(column, times).tolist() for column in (tail, head, shares))
    made.add_weighted_edges_from(zip(*edges, strict=True))
    return made


def same(one, other):
    """Two graphs are equal: ids, rows, weights and counts, types included."""
    assert one.directed == other.directed
    assert one.ids.tolist() == other.ids.tolist() and one.ids.dtype == other.ids.dtype
    np.testing.assert_array_equal(one.row_ptr, other.row_ptr)
    np.testing.assert_array_equal(one.col_idx, other.col_idx)
    for name in ("weights", "multiplicity"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        if a is not None:
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


def tangle(seed, n=150, edges=900, **options):
    """Hubs, loops, parallel edges, vertices without edges."""
    ends = (np.random.default_rng(seed).random((2, edges)) ** 3 * n).astype(int)
    return Graph.from_edges(*ends, vertices=np.arange(n), **options)


def to_networkx(graph):
    """The undirected graph without loops and parallel edges, by index."""
    import networkx as nx

    made = nx.Graph(as_networkx(graph))
    made.remove_edges_from(list(nx.selfloop_edges(made)))
    return made
