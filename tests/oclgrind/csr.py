"""Rows from arcs, graphs that are drawn on the device."""

from dataclasses import replace
from functools import partial

import numpy as np

import clgraph
from clgraph import Graph
from clgraph.bench.graph500 import KERNELS, Listed, construct, make_edges, validate
from clgraph.csr import build, properties, sort
from clgraph.csr.compact import arcs_of_view, compact, labelled, some_rows, those_of
from clgraph.csr.device_csr import SelectedIds
from clgraph.csr.scan import running_sums
from clgraph.csr.upload import device_graph, graph_of, reversed_arcs, upload_csr, without_directions
from clgraph.graph import build_csr
from clgraph.reference import models
from clgraph.sampling.selection import extract


def _csr_build(device, **options):
    rng = np.random.default_rng(7)
    tail = np.r_[rng.integers(0, 50, 90), np.full(30, 11)].astype(np.int32)
    head = np.r_[rng.integers(0, 50, 90), np.arange(20, 50)].astype(np.int32)
    proper, ends = tail != head, (device.upload(tail), device.upload(head))
    for mirror, duplicates in ((True, "merge"), (False, "keep")):
        how = {"mirror": mirror, "duplicates": duplicates, **options}
        rows = build.build_rows(device, 53, *ends, len(tail), **how)
        want = build_csr(tail[proper], head[proper], 53, directed=not mirror, duplicates=duplicates)
        assert device.download(rows.row_ptr, rows.offset, 54).tolist() == want.row_ptr.tolist()
        assert device.download(rows.col_idx, np.int32, rows.arcs).tolist() == want.col_idx.tolist()


# short rows, one chunk, several chunks that are merged
case_csr_build = partial(_csr_build, algorithm="scatter")


def case_csr_buckets(device):
    """Rows from arcs as CPUs do it."""
    build.SLICE_ARCS = 40
    _csr_build(device, algorithm="buckets")


def case_lightest(device):
    """Weights of an edge list, of parallel arcs the least; trees that are checked against the list."""
    edges = make_edges(4, 3)
    graph = construct(edges, device)
    least = np.full((16, 16), np.inf)
    np.minimum.at(least, (edges.source, edges.target), edges.weight)
    least = np.minimum(least, least.T)
    assert graph.weights is not None
    assert graph.weights.tolist() == least[graph.tails, graph.col_idx].tolist()
    root = int(graph.degrees.argmax())
    for search in KERNELS.values():
        parent, distance = (array.copy() for array in search(graph, root, device)())
        parent[root] = root
        validate(Listed(device, edges), root, parent, distance)


def _same_rows(graph, want):
    assert graph.row_ptr.tolist() == want.row_ptr.tolist()
    assert graph.col_idx.tolist() == want.col_idx.tolist()


def case_generate(device):
    """Edges drawn on the device, from the power law and from R-MAT."""
    law = partial(clgraph.powerlaw_graph, 300, average_degree=1, seed=2)
    for make in (law, partial(clgraph.rmat_graph, 5, edge_factor=3, seed=2)):
        _same_rows(make(device=device), make())


def case_generate_models(device):
    """Different edges in rounds, preferential attachment, shuffled stubs, communities."""
    law = {"exponent": 2.0, "min_degree": 1, "max_degree": 9}
    lfr = {"mixing": 0.3, "degree_exponent": 2.0, "min_degree": 3, "max_degree": 7, "seed": 2}
    lfr |= {"community_exponent": 1.0, "min_community": 9, "max_community": 14}
    found = clgraph.lfr_graph(40, **lfr, device=device)
    wanted, community, _ = models.reference_lfr(40, **lfr)
    assert found.community.tolist() == community
    _same_rows(found.graph, wanted)
    for name, args, options in (
        ("erdos_renyi", (12, 20), {}),
        ("erdos_renyi", (9, 30), {}),
        ("watts_strogatz", (20, 4, 0.5), {}),
        ("watts_strogatz", (5, 4, 1.0), {}),  # all are neighbours already: edges are left out
        ("static_model", (30,), {"average_degree": 5, "alpha": 0.8, "shift": 1.0}),
        ("barabasi_albert", (40, 3), {}),
        ("configuration", (40,), law),
        ("configuration", (40,), law | {"seed": 3}),  # an odd number of stubs
    ):
        options = {"seed": 2, **options}
        want = getattr(models, f"reference_{name}")(*args, **options)
        graph = getattr(clgraph, f"{name}_graph")(*args, **options, device=device)
        _same_rows(graph, want[0] if isinstance(want, tuple) else want)


def case_facts(device):
    """Self-loops and parallel arcs are counted; the longest row and the lengths of some; weights."""
    graph = Graph.from_edges([0, 0, 1, 2, 2, 5], [1, 1, 1, 2, 3, 5], duplicates="keep")
    rows = upload_csr(device, graph)
    assert properties.count_loops_and_copies(device, rows) == (3, 2)
    assert properties.count_nonisolated(device, rows) == np.count_nonzero(graph.degrees)
    assert properties.find_hub(device, rows) == graph.degrees.argmax()
    lengths = properties.lengths_of(device, rows, np.array([4, 0], np.int32))
    assert lengths.tolist() == graph.degrees[[4, 0]].tolist()
    weights = np.arange(rows.arcs, dtype=np.float64)
    buffer = device.upload(weights)
    assert properties.survey_weights(device, rows, buffer) == (0, weights[-1], weights.mean(), True)
    for kind in (np.uint32, np.float32):
        cast = device.download(properties.cast_weights(device, rows, buffer, kind), kind, rows.arcs)
        assert cast.tolist() == weights.tolist()


def case_scan(device):
    """Running sums of blocks, and of their sums."""
    values = np.random.default_rng(1).integers(0, 9, 300).astype(np.int32)
    found = running_sums(device, device.upload(values), 300)
    assert device.download(found, np.int64, 301).tolist() == [0, *np.cumsum(values).tolist()]


def case_sort(device):
    """Keys with values, in groups and (as CPUs do it) by single work-items."""
    keys = np.random.default_rng(1).integers(0, 32, 90).astype(np.uint32)
    for shape in (sort.LAUNCH.of(device), sort.LaunchConfig(local=1, each=20, bits=3)):
        sort.LAUNCH = replace(sort.LAUNCH, simulator=shape)
        _, value = sort.sort_by_key(device, device.upload(keys, writable=True), 90, 5)
        found = device.download(value, np.int32, 90)
        assert found.tolist() == np.argsort(keys, kind="stable").tolist()


def case_compact(device):
    """Some vertices and arcs of a directed graph, with what belongs to them; some of its rows."""
    rng = np.random.default_rng(4)
    ends = rng.integers(0, 30, (2, 120))
    for duplicates in ("merge", "keep"):
        graph = Graph.from_edges(*ends, weights=rng.random(120), directed=True, duplicates=duplicates)
        view = graph.undirected
        simple, live = view.without_self_loops, rng.random(graph.num_vertices) < 0.6
        between = live[simple.tails] & live[simple.col_idx]
        marks, there = (device.upload(mask.view(np.uint8)) for mask in (between, live))
        rows = upload_csr(device, graph)
        arcs = arcs_of_view(device, rows, upload_csr(device, simple), marks, copies=view.is_multigraph)
        made = graph_of(device, compact(device, device_graph(device, graph), there, arcs, loops=False))
        want = extract(graph, live, between)
        for name in ("row_ptr", "col_idx", "weights", "ids"):
            assert np.array_equal(getattr(made, name), getattr(want, name)), name
        label = rng.integers(0, 3, graph.num_vertices).astype(np.int32)
        chosen = labelled(device, rows, device.upload(label), 2)
        assert np.array_equal(device.download(chosen, np.uint8, len(label)), label == 2)
        ids = SelectedIds(None, device.upload(label), graph.num_vertices)
        own = device.download(those_of(device, rows, ids, there), np.uint8, len(label))
        assert np.array_equal(own, live[label])
        listed = np.array([3, 7, 3], np.int32)
        assert np.array_equal(
            some_rows(device, rows, listed).of(1), graph.col_idx[slice(*graph.row_ptr[7:9])]
        )


def case_views(device):
    """A directed graph reversed, and without directions."""
    rng = np.random.default_rng(4)
    ends = rng.integers(0, 30, (2, 120))
    for duplicates, weights in (("merge", None), ("keep", rng.random(120))):
        graph = Graph.from_edges(*ends, weights=weights, directed=True, duplicates=duplicates)
        parts = device_graph(device, graph)
        back = reversed_arcs(device, parts)
        assert back is not None
        made = without_directions(device, parts, back, copies=graph.is_multigraph)
        if made is None:  # no 64-bit floats
            continue
        for view, want in ((back, graph.reverse), (made, graph.undirected)):
            there = graph_of(device, view)
            for name in ("row_ptr", "col_idx", "weights", "multiplicity"):
                assert np.array_equal(getattr(there, name), getattr(want, name)), name
    # so few vertices are sorted by all bits
    few = Graph.from_edges([0, 2, 3, 3], [1, 1, 0, 2], directed=True)
    back = reversed_arcs(device, device_graph(device, few))
    assert back is not None
    assert np.array_equal(graph_of(device, back).col_idx, few.reverse.col_idx)
