"""Kernels under Oclgrind: each case runs in a process of its own, ``python tests/oclgrind_cases.py NAME``.

`tests/test_oclgrind.py` starts them with CLGRAPH_DEVICE=oclgrind and Oclgrind's checks (bounds, uninitialised
reads, data races) on; a case fails if it crashes, if its own check fails, or if Oclgrind has anything to say.
To add one, write a function ``case_xxx(device)`` here, on graphs of about 50 vertices.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

# on the simulator a work-group is 8 work-items of 4 vertices each: 50 vertices span two
KERNELS = Path(__file__).parent / "kernels"


def build_test_kernel(device: Any, name: str) -> Any:
    """A program from tests/kernels/NAME.cl, with cl/common.h in front."""
    from clgraph.device.program import build_source, kernel_folder

    source = (kernel_folder() / "common.h").read_text() + (KERNELS / f"{name}.cl").read_text()
    return build_source(device, name, source, device.build_options)


def case_device(device: Any) -> None:
    """The device floor's own kernels and copies."""
    for dtype in (np.int8, np.int32, np.int64, np.float64):
        buffer = device.zeros(50, dtype)
        device.fill(buffer, np.dtype(dtype).type(7), 40)
        other = device.empty(50, dtype)
        device.copy(other, buffer, 50 * np.dtype(dtype).itemsize)
        assert device.download(other, dtype, 50).tolist() == [7] * 40 + [0] * 10
    assert device.fault is None
    assert "HAVE_INT64_ATOMICS" in device.features


def case_pipelines(device: Any) -> None:
    """The FPGA's single-work-item kernels: not that they race, but where they read and write."""
    import dataclasses

    import clgraph
    from clgraph import Graph
    from clgraph.device import Setup
    from clgraph.traversal import search as bfs_search

    random = np.random.default_rng(5)
    tail = np.concatenate((random.integers(0, 40, 60), np.zeros(9, np.int64)))
    head = np.concatenate((random.integers(0, 40, 60) // 2, random.integers(1, 40, 9)))
    graph = Graph.from_edges(tail, head, duplicates="keep")
    pipelines = device.with_setup(Setup(kernels="pipeline"))
    answers = []
    for form in (pipelines, device):
        drv = clgraph.sample(graph, "drv", size="60%", seed=3, device=form)
        drve = clgraph.sample(graph, "drve", size="60%", seed=3, components="bfs", device=form)
        found = [drv.vertices.tolist(), drve.vertices.tolist(), drve.edges.tolist()]
        for alpha in (1, 15):
            shape = dataclasses.replace(bfs_search.SHAPES.simulator, fuse_arcs=2, alpha=alpha)
            bfs_search.SHAPES = dataclasses.replace(bfs_search.SHAPES, simulator=shape)
            search = clgraph.bfs(graph, [0, 3], device=form)
            found += [search.distance.tolist(), search.predecessor.tolist(), search.source_of.tolist()]
        found.append(clgraph.connected_components(graph, device=form).labels.tolist())
        found.append(clgraph.bfs(graph, 0, method="frontier", device=form).distance.tolist())
        top = clgraph.personalized_pagerank(
            graph, 0, method="monte-carlo", walks=60, seed=1, device=form, dangling="drop", top=3
        )
        found.append(top.visits.tolist())
        answers.append(found)
    assert answers[0] == answers[1]
    clgraph.pagerank(graph, variant="pull", tol=0, max_iter=2, device=pipelines)


def case_partitions(device: Any) -> None:
    """The same where the chip is smaller than the graph."""
    import dataclasses

    import clgraph
    from clgraph import Graph
    from clgraph.device import Setup
    from clgraph.device.launch import record_launches
    from clgraph.traversal import search as bfs_search

    random = np.random.default_rng(5)
    tail = np.concatenate((random.integers(0, 140, 150), np.zeros(30, np.int64)))
    graph = Graph.from_edges(tail, np.concatenate((random.integers(0, 140, 150), np.arange(110, 140))))
    pipelines = device.with_setup(Setup(kernels="pipeline"))
    pipelines.pipeline_parameters = {"UNROLL": 1, "LOCAL_WORDS": 4, "LOCAL_RANKS": 64, "ROW_BLOCK": 32}
    shape = dataclasses.replace(bfs_search.SHAPES.simulator, fuse_arcs=2, alpha=1000)
    bfs_search.SHAPES = dataclasses.replace(bfs_search.SHAPES, simulator=shape)
    with record_launches() as launches:
        found = clgraph.bfs(graph, 0, device=pipelines)
        ranks = clgraph.pagerank(graph, tol=0, max_iter=2, device=pipelines)
    assert {"bfs_move", "bfs_pull_placed", "pagerank_move", "pagerank_sum"} <= {x.kernel for x in launches}
    assert found.distance.tolist() == clgraph.bfs(graph, 0, device=device).distance.tolist()
    assert abs(ranks.ranks.sum() - 1) < 1e-6


def case_shared(device: Any) -> None:
    """SHARED_LOAD and SHARED_STORE beside atomics on the same word are no race."""
    word = device.zeros(2, np.int32)
    build_test_kernel(device, "races").shared_word(50, word, np.int32(50))
    assert device.download(word, np.int32, 1)[0] == 49


def case_planted_race(device: Any) -> None:
    """All work-items write one word: Oclgrind must say so (the test expects this case to fail)."""
    build_test_kernel(device, "races").planted_race(50, device.zeros(1, np.int32), np.int32(50))
    device.finish()


def case_planted_overrun(device: Any) -> None:
    """A read behind the end of a buffer: Oclgrind must say so (the test expects this case to fail)."""
    out = device.zeros(50, np.int32)
    build_test_kernel(device, "races").planted_overrun(50, out, device.zeros(50, np.int32), np.int32(50))
    device.finish()


def case_planted_uninitialised(device: Any) -> None:
    """A branch on memory that nothing has written: Oclgrind must say so (the test expects that)."""
    out = device.zeros(50, np.int32)
    build_test_kernel(device, "races").planted_uninitialised(
        50, out, device.empty(50, np.int32), np.int32(50)
    )
    device.finish()


def _components(device: Any, directed: bool, **options: Any) -> None:
    from clgraph.components.finder import GiantFinder
    from clgraph.csr.upload import upload_csr
    from clgraph.graph import Graph
    from clgraph.reference.components import reference_components

    tails, heads = np.random.default_rng(1).integers(0, 50, (2, 45))
    graph = Graph.from_edges(tails, heads, directed=directed, vertices=np.arange(50))
    csr = upload_csr(device, graph)
    finder = GiantFinder(device, 50, csr.arcs, **options)
    label = device.zeros(50, np.int32)  # masked: all are there
    keys = {"arc_key": device.zeros(csr.arcs, np.uint32)} if "arc_key" in options else {}
    finder.labels_into(csr.row_ptr, csr.row_ptr, csr.col_idx, label, one_way=directed, **keys)
    labels, sizes = reference_components(graph)
    assert finder.largest_label(label) == (int(np.argmin(labels)), sizes[0], 50)
    assert finder.rank(label).tolist() == sizes.tolist()
    assert device.download(label, np.int32, 50).tolist() == labels.tolist()


def case_components(device: Any) -> None:
    """Weak components of plain rows, then sizes and numbers."""
    _components(device, directed=False)


def case_components_directed(device: Any) -> None:
    """Weak components of rows that hold an arc once."""
    _components(device, directed=True)


def case_components_pieces(device: Any) -> None:
    """Weak components with long rows in pieces, masks and arc keys."""
    _components(device, directed=False, long_row=2, piece=3, masked=True, arc_key="uint")


def case_components_copra(device: Any) -> None:
    """Weak components of COPRA rows with dead slots."""
    from clgraph.components.finder import GiantFinder

    # vertices 0 .. 49 in a ring, 10 .. 19 and 30 removed
    live = np.ones(50, bool)
    live[10:20] = live[30] = False
    slots = np.full((50, 4), -2, np.int32)
    slots[:, 1] = v = np.arange(50)
    slots[:, 2], slots[:, 3] = np.sort(((v + 1) % 50, (v - 1) % 50), axis=0)
    slots[:, 2:][~live[slots[:, 2:]] | ~live[:, None]] = -1
    start = np.where(live, 4 * v + 2, -1).astype(np.int32)
    end = np.where(live, 4 * v + 4, -1).astype(np.int32)
    finder = GiantFinder(device, 50, 200, copra=True, long_row=1, piece=1)
    label = device.empty(50, np.int32)
    finder.labels_into(device.upload(start), device.upload(end), device.upload(slots.ravel()), label)
    found = device.download(label, np.int32, 50)
    assert found.tolist() == np.select([~live, v < 20, v < 30], [-1, 0, 20], 0).tolist()
    assert finder.largest_label(label) == (0, 29, 39)


def _strong(device: Any, long_row: int | None) -> None:
    from clgraph.components.strong import StrongFinder
    from clgraph.graph import Graph
    from clgraph.reference.components import reference_components

    rng = np.random.default_rng(2)
    v = np.arange(50)
    ends = [
        rng.integers(0, 50, (2, 70)),
        (v[:-1], v[1:]),
        (np.append(v[:-1], v[1::2]), np.append(v[1:], v[::2])),
    ]
    for tails, heads in ends:
        graph = Graph.from_edges(tails, heads, directed=True, vertices=v)
        label = device.empty(50, np.int32)
        finder = StrongFinder(device, graph, long_row=long_row, piece=2, chase=4)
        finder.labels_into(label)
        labels, _ = reference_components(graph, connection="strong")
        smallest = np.array([np.argmax(labels == c) for c in range(labels.max() + 1)])
        assert device.download(label, np.int32, 50).tolist() == smallest[labels].tolist()


def case_strong(device: Any) -> None:
    """Strong components."""
    _strong(device, None)


def case_strong_pieces(device: Any) -> None:
    """Strong components with long rows in pieces."""
    _strong(device, 2)


def _bfs(device: Any, many: bool = False, method: Any = "hybrid", **shape: Any) -> None:
    from dataclasses import replace

    from clgraph.graph import Graph
    from clgraph.reference.bfs import reference_bfs
    from clgraph.traversal import bfs, bfs_many
    from clgraph.traversal import search as bfs_search

    shapes = bfs_search.SHAPES
    bfs_search.SHAPES = replace(shapes, simulator=replace(shapes.simulator, **shape))
    rng = np.random.default_rng(5)
    tails = np.r_[rng.integers(0, 50, 60), np.zeros(20, np.int64), np.arange(20, 40)]
    heads = np.r_[rng.integers(0, 50, 60), np.arange(20), np.arange(21, 41)]
    kept = []  # Oclgrind takes a buffer in the place of a freed one as uninitialised even where it was filled
    for directed in (False, True):
        graph = Graph.from_edges(tails, heads, directed=directed, vertices=np.arange(53))
        kept.append(graph)
        if many:
            sources = np.r_[np.arange(39), 52]  # the last one has no arcs
            found = bfs_many(graph, sources, device=device)
            want = [reference_bfs(graph, source)[0] for source in sources]
            assert found.distance.tolist() == np.array(want).tolist()
            continue
        for sources, predecessors in (([7], True), ([7, 30], True), ([7], False)):
            found = bfs(graph, sources, method=method, predecessors=predecessors, device=device)
            distance, predecessor, source_of = reference_bfs(graph, sources)
            assert found.distance.tolist() == distance.tolist()
            assert found.predecessor is None or found.predecessor.tolist() == predecessor.tolist()
            assert found.source_of.tolist() == source_of.tolist()


# a GPU's way, small enough for 53 vertices to go through all of it
_TEAM = {"team": True, "local": 32, "fused_local": 16, "rows": 8, "items": 1, "long_row": 6, "long_piece": 4}


def case_bfs_frontier(device: Any) -> None:
    """Breadth-first search, Algorithm 5."""
    _bfs(device, method="frontier")


def case_bfs(device: Any) -> None:
    """Breadth-first search as CPUs do it: serial levels, push, pull."""
    _bfs(device)


def case_bfs_push(device: Any) -> None:
    """The same, by push alone."""
    _bfs(device, fuse_arcs=0, alpha=0)


def case_bfs_pull(device: Any) -> None:
    """The same, by pull as long as there is anything to find."""
    _bfs(device, fuse_arcs=0, alpha=10**9, beta=3)


def case_bfs_team_fused(device: Any) -> None:
    """Breadth-first search as GPUs do it: many levels in one launch of one work-group."""
    _bfs(device, **{**_TEAM, "long_row": 1000}, fuse_count=64, fuse_arcs=1000)


def case_bfs_team_push(device: Any) -> None:
    """The same, by push alone, long rows in pieces."""
    _bfs(device, **_TEAM, fuse_count=4, fuse_arcs=8, alpha=0)


def case_bfs_team_pull(device: Any) -> None:
    """The same, by pull, long rows by work-groups."""
    _bfs(device, **_TEAM, fuse_count=4, fuse_arcs=0, alpha=10**9, beta=3, pull_short=2)


def _many(device: Any, counts: tuple[int, int, int, int], **shape: Any) -> None:
    from dataclasses import replace

    from clgraph.traversal import many as bfs_many

    names = ("fused_count", "fused_arcs", "pull_share", "scatter_share")
    shapes, changes = bfs_many.SHAPES, dict(zip(names, counts, strict=True))
    run = (shapes.gpu if shape.get("team") else shapes.simulator).run
    bfs_many.SHAPES = replace(shapes, simulator=replace(shapes.simulator, run=run, **changes))
    _bfs(device, many=True, **shape)


def case_bfs_many(device: Any) -> None:
    """Many searches at once: fused levels, push."""
    _many(device, (8, 30, 0, 0))


def case_bfs_many_scatter(device: Any) -> None:
    """Many searches at once: scatter, pull."""
    _many(device, (0, 0, 3, 10**9))


def case_bfs_many_ranked(device: Any) -> None:
    """Many searches at once with vertices numbered by degree, from the first pull on."""
    from clgraph.traversal import many as bfs_many
    from clgraph.traversal import ranked as bfs_ranked

    bfs_ranked.MANY_VERTICES, bfs_ranked.HOT_SHARE = 0, 1
    bfs_many.RANK_SEARCHES = 1
    _many(device, (0, 0, 3, 10**9))


def case_bfs_many_team(device: Any) -> None:
    """Many searches at once as GPUs do it: fused levels, push."""
    _many(device, (8, 60, 0, 0), **_TEAM)


def case_bfs_many_team_pull(device: Any) -> None:
    """The same: scatter, pull, long rows by work-groups."""
    _many(device, (0, 0, 3, 10**9), **_TEAM)


def _sample(device: Any, method: str, **options: Any) -> None:
    """A sample of a graph with parallel edges, checked against the reference."""
    from clgraph import Graph
    from clgraph.reference import reference_sample, verify_sample
    from clgraph.sampling import sample

    rng = np.random.default_rng(6)
    graph = Graph.from_edges(rng.integers(0, 40, 60), rng.integers(0, 40, 60), duplicates="keep")
    made = sample(graph, method, size="60%", seed=5, device=device, **options)
    expected = reference_sample(
        graph, method, size="60%", seed=5, mode=made.mode, tolerance=options.get("tolerance")
    )
    assert np.array_equal(made.vertices, expected.vertices)
    assert np.array_equal(made.edges, expected.edges)
    verify_sample(graph, made)


def case_sample_drv(device: Any) -> None:
    """Batched removal of vertices, with undo."""
    _sample(device, "drv", mode="batched", tolerance=0)


def case_sample_dre(device: Any) -> None:
    """Batched removal of edges by their owners."""
    _sample(device, "dre", mode="batched", components="bfs", tolerance=0)


def case_sample_dre_scan(device: Any) -> None:
    """Batched removal of edges, walking back for the owner and scanning for the far side."""
    _sample(device, "dre", mode="batched", far_scan=True)


def case_sample_drve(device: Any) -> None:
    """Batched removal of a vertex's edge."""
    _sample(device, "drve", tolerance=0)


def case_sample_followed(device: Any) -> None:
    """The same, and removal of vertices, with the component followed from batch to batch."""
    import clgraph.sampling.methods as methods
    from clgraph.sampling.repair import Repair

    methods.finder_for = Repair  # type: ignore[assignment]
    _sample(device, "drve", tolerance=0)
    _sample(device, "drv", mode="batched", tolerance=0)


def case_sample_dhyb(device: Any) -> None:
    """Batched removal of a vertex's edge or of any edge."""
    _sample(device, "dhyb", tolerance=0)


def _strong_sample(device: Any, method: str, duplicates: Any, long_row: int | None) -> None:
    """A sample that keeps the largest strong component, checked against the reference."""
    import functools

    from clgraph import Graph
    from clgraph.reference import reference_sample
    from clgraph.sampling import sample, strong

    rng = np.random.default_rng(8)
    strong.StrongFinder.__init__ = functools.partialmethod(strong.StrongFinder.__init__, long_row=long_row)  # type: ignore[assignment]
    graph = Graph.from_edges(*rng.integers(0, 40, (2, 110)), directed=True, duplicates=duplicates)
    made = sample(graph, method, size="50%", seed=5, device=device, connection="strong")
    expected = reference_sample(graph, method, size="50%", seed=5, mode="batched", connection="strong")
    assert np.array_equal(made.vertices, expected.vertices)
    assert np.array_equal(made.edges, expected.edges)


def case_sample_strong(device: Any) -> None:
    """The largest strong component after batches of vertices."""
    _strong_sample(device, "drv", "merge", None)


def case_sample_strong_pieces(device: Any) -> None:
    """The same after batches of parallel edges, with long rows in pieces."""
    _strong_sample(device, "dre", "keep", 2)


def case_exact_drv(device: Any) -> None:
    """Exact removal of vertices by probes."""
    import clgraph.sampling.threshold_search

    clgraph.sampling.threshold_search.FEW = 3
    _sample(device, "drv", mode="exact")


def case_exact_dre(device: Any) -> None:
    """Exact removal of edges by probes."""
    import clgraph.sampling.threshold_search

    clgraph.sampling.threshold_search.FEW = 3
    _sample(device, "dre", mode="exact")


def _csr_build(device: Any, **options: Any) -> None:
    from clgraph.csr.build import build_rows
    from clgraph.graph import build_csr

    rng = np.random.default_rng(7)
    tail = np.r_[rng.integers(0, 50, 90), np.full(30, 11)].astype(np.int32)
    head = np.r_[rng.integers(0, 50, 90), np.arange(20, 50)].astype(np.int32)
    proper = tail != head
    for mirror, duplicates in ((True, "merge"), (False, "keep")):
        rows = build_rows(
            device,
            53,
            device.upload(tail),
            device.upload(head),
            len(tail),
            mirror=mirror,
            duplicates=duplicates,
            **options,
        )
        want = build_csr(tail[proper], head[proper], 53, directed=not mirror, duplicates=duplicates)  # type: ignore[arg-type]
        assert device.download(rows.row_ptr, rows.offset, 54).tolist() == want.row_ptr.tolist()
        assert device.download(rows.col_idx, np.int32, rows.arcs).tolist() == want.col_idx.tolist()


def case_csr_build(device: Any) -> None:
    """Rows from arcs: short ones, one chunk, several chunks that are merged."""
    _csr_build(device, way="scatter")


def case_csr_buckets(device: Any) -> None:
    """Rows from arcs as CPUs do it."""
    import clgraph.csr.build_buckets

    clgraph.csr.build_buckets.SLICE_ARCS = 40
    _csr_build(device, way="buckets")


def case_generate(device: Any) -> None:
    """Edges drawn on the device, from the power law and from R-MAT."""
    from clgraph.csr.generate import powerlaw_graph, rmat_graph

    for make in (
        lambda **where: powerlaw_graph(300, average_degree=1, seed=2, **where),
        lambda **where: rmat_graph(5, edge_factor=3, seed=2, **where),
    ):
        graph, want = make(device=device), make()
        assert graph.row_ptr.tolist() == want.row_ptr.tolist()
        assert graph.col_idx.tolist() == want.col_idx.tolist()


def _contract(device: Any, method: str) -> None:
    """A contraction in chunks of a few draws, checked against the reference."""
    from clgraph import Graph
    from clgraph.reference.contract import reference_contract
    from clgraph.sampling import contract
    from clgraph.sampling.contract import ContractRun

    few = replace(contract.SHAPES.of(device), chunk=16)
    contract.SHAPES = replace(contract.SHAPES, simulator=few)
    rng = np.random.default_rng(6)
    graph = Graph.from_edges(rng.integers(0, 40, 70), rng.integers(0, 40, 70), duplicates="keep")
    run = ContractRun(device, graph.simple, 5, method=method)
    run.start()
    for wanted in reference_contract(graph, method, sizes=["60%", 3, 1], seed=5):
        run.shrink_to(wanted.target)
        left = run.download()
        assert np.array_equal(left.group, wanted.group)
        assert np.count_nonzero(left.arcs) == 2 * len(wanted.edges)


def case_contract_cre(device: Any) -> None:
    """Contraction of uniform edges."""
    _contract(device, "cre")


def case_contract_crve(device: Any) -> None:
    """Contraction of a uniform vertex's edge."""
    _contract(device, "crve")


def _explore(device: Any, method: str) -> None:
    """An exploration, checked against the reference."""
    import clgraph.sampling.explore
    from clgraph import Graph
    from clgraph.reference.explore import reference_explore
    from clgraph.sampling.explore import ExploreRun

    clgraph.sampling.explore.CAPACITY = 4
    rng = np.random.default_rng(6)
    graph = Graph.from_edges(rng.integers(0, 40, 70), rng.integers(0, 40, 70), duplicates="keep")
    run = ExploreRun(device, graph.simple, 5, method=method)
    run.start()
    for wanted in reference_explore(graph, method, sizes=["60%", "30%", 1], seed=5):
        run.shrink_to(wanted.target)
        left = run.download()
        assert np.array_equal(graph.ids[left.vertices], wanted.vertices)
        assert np.count_nonzero(left.arcs) == 2 * len(wanted.edges)


def case_explore_ebfs(device: Any) -> None:
    """Exploration breadth-first, a level cut."""
    _explore(device, "ebfs")


def case_explore_edfs(device: Any) -> None:
    """Exploration depth-first, one neighbour at a time."""
    from clgraph.sampling import explore

    one = replace(explore.SHAPES.of(device), lanes=1)
    explore.SHAPES = replace(explore.SHAPES, simulator=one)
    _explore(device, "edfs")


def case_explore_edfs_lanes(device: Any) -> None:
    """Exploration depth-first as GPUs do it: several neighbours at a time."""
    _explore(device, "edfs")


def _pagerank(device: Any, variant: str, *, weighted: bool = False, **options: Any) -> None:
    from clgraph import Graph
    from clgraph.ranking import pagerank
    from clgraph.reference.pagerank import reference_pagerank

    ends = (np.random.default_rng(3).random((2, 180)) ** 2 * 50).astype(int)
    weights = np.random.default_rng(5).integers(0, 4, 180) if weighted else None
    graph = Graph.from_edges(*ends, weights=weights, vertices=np.arange(50), directed=True)
    found = pagerank(graph, variant=variant, tol=0, max_iter=3, device=device, **options)  # type: ignore[arg-type]
    names = ("personalization", "dangling", "nstart")
    wanted = {name: value for name, value in options.items() if name in names}
    right = reference_pagerank(graph, iterations=3, **wanted)
    assert np.abs(found.ranks - right).sum() < 1e-6
    # launches after the test was met do nothing
    options["norm"] = "linf"
    stopped = pagerank(graph, variant=variant, tol=1e-2, device=device, **options)  # type: ignore[arg-type]
    assert stopped.converged


def case_pagerank_serial(device: Any) -> None:
    """One work-item; distributions given."""
    _pagerank(device, "serial", personalization={3: 1, 4: 2}, dangling={7: 1}, nstart={0: 1})


def case_pagerank_pull(device: Any) -> None:
    """A work-item a vertex: Parallel I and II."""
    _pagerank(device, "pull")
    _pagerank(device, "contribution", weighted=True, dangling="drop")


def case_pagerank_subgroup(device: Any) -> None:
    """A team a row, long rows in pieces."""
    _pagerank(device, "subgroup", norm="l2")


def case_pagerank_small(device: Any) -> None:
    """All iterations in one launch."""
    _pagerank(device, "small")
    _pagerank(device, "small", weighted=True, dangling="uniform", dtype="float64")


def case_pagerank_runs(device: Any) -> None:
    """Runs of slices, pieces."""
    _pagerank(device, "runs")
    _pagerank(device, "runs", weighted=True)


def case_pagerank_bins(device: Any) -> None:
    """Slices by teams, hot sources in local memory, pieces and their blocks."""
    _pagerank(device, "bins")
    _pagerank(device, "bins", weighted=True)


def _ppr(device: Any, method: str, sources: Any, teams: bool = False, **options: Any) -> None:
    from dataclasses import replace

    from clgraph import Graph
    from clgraph.ranking.personalized import lanes, personalized_pagerank, top, walks
    from clgraph.reference.ppr import verify_ppr

    if teams:
        lanes.SHAPES = replace(lanes.SHAPES, simulator=lanes.Shape((8,), teams=True, local=4))
        top.SHAPES = replace(top.SHAPES, simulator=16)
        walks.SHAPES = replace(walks.SHAPES, simulator=walks.Shape(each=5, local=8))
    ends = (np.random.default_rng(4).random((2, 150)) ** 2 * 50).astype(int)
    weights = np.random.default_rng(5).integers(0, 4, 150) if options.pop("weighted", False) else None
    graph = Graph.from_edges(*ends, weights=weights, vertices=np.arange(50), directed=True)
    found = personalized_pagerank(graph, sources, method=method, device=device, **options)  # type: ignore[arg-type]
    verify_ppr(graph, found, sources)


def case_ppr(device: Any) -> None:
    """Personalized PageRank by runs of rows: lanes that are taken and started again, a top k."""
    _ppr(device, "power", [0, 3, 9, 14, 21, 30, 33, 38, 41, 47], tol=1e-3, top=4, check_every=2)


def case_ppr_vectors(device: Any) -> None:
    """Distributions, whole vectors, arc weights."""
    sources = [{0: 1, 4: 2}, {49: 1}]
    _ppr(device, "power", sources, weighted=True, dangling={3: 1, 4: 1}, max_iter=4, tol=0)


def case_ppr_teams(device: Any) -> None:
    """The same as GPUs do it: a team a row, long rows in pieces."""
    _ppr(device, "power", [0, 3, 9, 14], teams=True, tol=1e-2, top=4, stable_top=3, weighted=True)


def case_ppr_coo(device: Any) -> None:
    """Atomic adds an arc."""
    _ppr(device, "coo", [0, 3], tol=1e-2, top=4)


def case_ppr_coo_flat(device: Any) -> None:
    """Segmented sums, carries between groups."""
    _ppr(device, "coo-flat", [0, 3], tol=1e-2, dangling="personalization")


def case_ppr_walks(device: Any) -> None:
    """Random walks, with and without weights."""
    _ppr(device, "monte-carlo", [0, 3], walks=60, seed=2, top=4, dangling="drop")
    _ppr(
        device,
        "monte-carlo",
        [{0: 1, 4: 2}],
        walks=60,
        seed=2,
        weighted=True,
        dangling="personalization",
        teams=True,
    )


def _tangle() -> Any:
    from clgraph.graph import Graph

    ends = (np.random.default_rng(6).random((2, 170)) ** 2 * 50).astype(int)
    return Graph.from_edges(*ends, vertices=np.arange(50)).simple


def case_degrees(device: Any) -> None:
    """Degrees in local memory, in global memory, and listed."""
    from clgraph.measures.degrees import degree_histogram

    graph = _tangle()
    degrees, counts = degree_histogram(device, graph, limit=8, bins=4)
    assert np.array_equal(np.repeat(degrees, counts), np.sort(graph.degrees))


def case_hop_plot(device: Any) -> None:
    """Pairs by distance from the planes of many searches."""
    from clgraph.measures.hops import hop_plot
    from clgraph.traversal import bfs_many

    graph = _tangle()
    distance = bfs_many(graph, np.arange(50), device=device).distance
    found = hop_plot(device, graph)
    assert np.array_equal(found.pairs, np.cumsum(np.bincount(distance[distance >= 0])))


def case_triangles(device: Any) -> None:
    """Edges turned, lists walked and searched, sums with a carry by hand."""
    from clgraph import triangles

    graph = _tangle()
    dense = graph.to_scipy().toarray().astype(np.int64)
    dense[dense > 0] = 1
    assert np.array_equal(triangles(graph, device), np.diag(dense @ dense @ dense) // 2)


CASES = {
    name.removeprefix("case_"): case for name, case in list(globals().items()) if name.startswith("case_")
}
PLANTED = [name for name in CASES if name.startswith("planted_")]


if __name__ == "__main__":
    from clgraph.device import get_device

    CASES[sys.argv[1]](get_device("oclgrind"))
