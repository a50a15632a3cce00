"""Pipelines for Intel FPGAs, on the emulator: results, launches, their sources.

Other tests check results too: the emulator uses pipelines by default.
"""

import dataclasses
import itertools
import re

import numpy as np
import pytest
from cli_runs import ROOT
from devices import working_devices

import clgraph
from clgraph import Graph
from clgraph.csr.partitions import Cut, make_layout
from clgraph.device import Device, Setup
from clgraph.device.launch import record_launches
from clgraph.device.program import read_source
from clgraph.device.signature import signatures
from clgraph.fpga import parameters, pipelines
from clgraph.traversal import search as module

PARTITIONS = ("traversal/search_partitions", "ranking/partitions")


@pytest.fixture(scope="module")
def graph():
    """Long and short rows, several components, parallel edges, single vertices."""
    random = np.random.default_rng(5)
    tail = [*random.integers(0, 900, 2500), *[0] * 300, *range(950, 990)]
    head = [*random.integers(0, 900, 2500) // 3, *random.integers(1, 900, 300), *range(951, 991)]
    return Graph.from_edges(tail, head, duplicates="keep")


def lists(search):
    """The arrays of a search, to be compared."""
    arrays = (search.distance, search.predecessor, search.source_of)
    return [None if array is None else array.tolist() for array in arrays]


WALKS = {"method": "monte-carlo", "walks": 3000, "seed": 1, "dangling": "drop"}


def works(graph, device):
    """What every algorithm with pipelines finds."""
    found = {}
    for name, options in {
        "drv": {"method": "drv"},
        "dre": {"method": "dre"},
        "drv batched": {"method": "drv", "mode": "batched"},
        "dre batched": {"method": "dre", "mode": "batched", "components": "bfs"},
        "drv undone": {"method": "drv", "mode": "batched", "tolerance": 0, "size": "40%"},
        "dre searched": {"method": "dre", "mode": "batched", "far_scan": False},
        "drve": {"method": "drve", "tolerance": 0},
        "dhyb": {"method": "dhyb"},
    }.items():
        sample = clgraph.sample(graph, seed=3, device=device, **{"size": "55%"} | options)
        found[name] = (sample.vertices.tolist(), sample.edges.tolist())
    for method in ("hybrid", "frontier"):
        for sources in (0, [5, 700, 960]):
            search = clgraph.bfs(graph, sources, method=method, device=device)
            found[f"bfs {method} {sources}"] = lists(search)
    parts = clgraph.connected_components(graph, device=device)
    found["components"] = (parts.labels.tolist(), parts.sizes.tolist())
    walks = clgraph.personalized_pagerank(graph, [0, 7], device=device, **WALKS)
    assert walks.visits is not None
    found["walks"] = walks.visits.tolist()
    strata = np.arange(graph.num_vertices) % 3
    edges = graph.edge_indices()
    weighted = Graph.from_edges(edges.source, edges.target, weights=1.0 + np.arange(len(edges.source)) % 7)
    for name, drawing in {
        "rdn": {"size": "20%"},
        "rn": {"size": 90, "strata": strata},
        "rnn": {"size": 3, "seeds": 4},
        "re": {"edges": "10%"},
        "rne": {"size": 100},
        "ties": {"size": 100, "seeds": 3},
        "mhrw": {"steps": 300, "walkers": 20, "seeds": 2},
        "rwj": {"size": 50, "walkers": 40},
        "rwr": {"size": 50, "keep": "tree"},
        "nbrw": {"steps": 70, "walkers": 20, "seeds": 2, "keep": "visited"},
        "cnarw": {"size": 50, "walkers": 3},
        "rw": {"steps": 70, "walkers": 20, "weighted": True, "thin": 3},
        "rj": {"size": 60, "weighted": True},
    }.items():
        drawn_from = weighted if "weighted" in drawing else graph
        drawn = clgraph.sample(drawn_from, name, seed=3, device=device, **drawing)
        several = drawn if "seeds" in drawing else [drawn]
        found[name] = [(one.vertices.tolist(), one.edges.tolist(), one.weight.tolist()) for one in several]
    return found


def ranks(graph, device):
    return [
        clgraph.pagerank(graph, variant=variant, tol=0, max_iter=20, device=device, dtype=dtype).scores
        for variant, dtype in (("serial", "float32"), ("pull", "float64"), ("auto", "float32"))
    ]


@pytest.fixture(scope="module")
def expected(graph):
    """By kernels over ranges, on a CPU (the emulator if there is none)."""
    devices = working_devices()
    other = next((devices[word] for word in ("pocl", "intel") if word in devices), devices["fpga"])
    device = other.with_setup(Setup(kernels="ndrange"))
    return {**works(graph, device), "ranks": ranks(graph, device)}


@pytest.mark.device
def test_results_and_launches(emulator, graph, expected, monkeypatch):
    """As kernels over ranges have it; each pipeline over one work-item, and none of them as a range."""
    with record_launches() as launches:
        found = works(graph, emulator)
        for mine, other in zip(ranks(graph, emulator), expected["ranks"], strict=True):
            assert np.abs(mine.astype(np.float64) - other).sum() < 1e-6
        top = clgraph.personalized_pagerank(graph, [0, 7], device=emulator, top=5, **WALKS)
        assert top.visits is not None
        assert top.visits.tolist() == [
            [counts[v] for v in ids] for counts, ids in zip(found["walks"], top.ids.tolist(), strict=True)
        ]
        # levels pushed, levels pulled and pushed again: of a graph of this size all would be fused
        for alpha, beta in ((1, 18), (15, 18), (15, 1)):
            shape = dataclasses.replace(module.SERIAL, fuse_arcs=24, alpha=alpha, beta=beta)
            monkeypatch.setattr(module, "LAUNCH", dataclasses.replace(module.LAUNCH, emulator=shape))
            for sources in (0, [5, 700, 960]):
                search = clgraph.bfs(graph, sources, device=emulator)
                assert lists(search) == expected[f"bfs hybrid {sources}"]
        for number in (np.uint8(3), np.int32(-5), np.uint64(1 << 40)):
            filled = emulator.empty(100, number.dtype)
            bits = np.frombuffer(number.tobytes(), f"u{number.itemsize}")[0]
            emulator._fill_kernel(number.itemsize)(99, buffer=filled, count=99, value=bits)
            assert np.all(emulator.download(filled, number.dtype, 99) == number)
    for name, value in found.items():
        assert value == expected[name], name
    every = {(file, kernel) for file in pipelines.PIPELINES for kernel in pipelines.kernels(file)}
    # samples become graphs by kernels over ranges, which boards leave to the host; so does much of walks
    ranged = ("csr/", "sampling/literature/", "sampling/members")
    mine_alone = {(x.program, x.kernel) for x in launches if x.pipeline or not x.program.startswith(ranged)}
    assert mine_alone == {x for x in every if x[0] not in PARTITIONS}  # test_partitions
    only_one_work_item(launches)


def only_one_work_item(launches):
    for launch in launches:
        assert launch.pipeline == (launch.program in pipelines.PIPELINES), launch
        if launch.pipeline:
            assert launch.global_size == launch.local_size == (1,), launch


@pytest.mark.device
def test_ranges_on_the_emulator(emulator, graph, expected):
    """The other form still works there, and is never launched as a pipeline."""
    device = emulator.with_setup(Setup(kernels="ndrange"))
    with record_launches() as launches:
        sample = clgraph.sample(graph, "drv", size="55%", seed=3, device=device)
        search = clgraph.bfs(graph, 0, device=device)
    assert (sample.vertices.tolist(), sample.edges.tolist()) == expected["drv"]
    assert search.distance.tolist() == expected["bfs hybrid 0"][0]
    assert not any(x.pipeline for x in launches)
    assert sample.provenance["kernels"] == "ndrange"
    assert "cl/sampling/exact.cl" in sample.provenance["built"]


SMALL = (
    "UNROLL=2 AHEAD=3 HAZARD=5 WALKS=7 ADDERS=3 LOCAL_WORDS=1 LOCAL_RANKS=4 ROW_BLOCK=32 HISTOGRAMS=2 "
    "EARLY_OUT=0 LANES=3 SETTLES=2 ARC_BLOCK=8"
)


@pytest.mark.device
@pytest.mark.parametrize("channels", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_parameters_change_nothing(emulator, graph, expected, channels):
    """Small ones, so that rows, blocks and registers end in the middle of everything; and channels."""
    device = Device(emulator.raw, emulator.spec, Setup(kernels="pipeline"))
    device.pipeline_parameters = {"CHANNELS": 1} if channels else parameters.parse(SMALL.split())
    if channels:
        assert device.program("theses/serial", REAL="double").pagerank_serial.partner is not None
        assert device.program("ranking/solver", REAL="double").pagerank_finish.partner is None
    else:
        assert works(graph, device) == {name: found for name, found in expected.items() if name != "ranks"}
    for mine, other in zip(ranks(graph, device), ranks(graph, emulator), strict=True):
        assert np.array_equal(mine, other)  # sums in fixed point do not depend on the order


@pytest.mark.device
@pytest.mark.parametrize(
    "settings",
    [
        {"UNROLL": 2, "LOCAL_WORDS": 16, "LOCAL_RANKS": 256},
        {"UNROLL": 4, "LOCAL_WORDS": 20, "LOCAL_RANKS": 128, "ROW_BLOCK": 32, "ARC_BLOCK": 8, "EARLY_OUT": 0},
        {"UNROLL": 1, "LOCAL_WORDS": 8, "LOCAL_RANKS": 300},
    ],
)
@pytest.mark.parametrize("directed", [False, True])
def test_partitions(emulator, graph, settings, directed, monkeypatch):
    """Chips too small for the graph: rows and words of bitmaps are cut anywhere, no bit changes."""
    device = Device(emulator.raw, emulator.spec, Setup(kernels="pipeline"))
    device.pipeline_parameters = {**settings, "PULL_PARTITIONS": 1}
    if directed:
        tail = graph.tails
        graph = Graph.from_edges(
            tail, graph.col_idx, weights=1.0 + tail % 7, directed=True, duplicates="keep"
        )
    # pulls from the first level on
    shape = dataclasses.replace(module.SERIAL, fuse_arcs=24, alpha=100_000)
    monkeypatch.setattr(module, "LAUNCH", dataclasses.replace(module.LAUNCH, emulator=shape))
    with record_launches() as launches:
        for sources in (0, [5, 700, int(graph.ids[-1])]):
            mine, other = (clgraph.bfs(graph, sources, device=d) for d in (device, emulator))
            assert lists(mine) == lists(other)
        for options in (
            {},
            {"dtype": "float64", "norm": "l2"},
            {"personalization": np.arange(graph.num_vertices)},
        ):
            one, all_ = (
                clgraph.pagerank(graph, device=d, tol=0, max_iter=12, **options) for d in (device, emulator)
            )
            assert (one.variant, all_.variant) == ("partitions", "contribution")
            assert np.array_equal(one.scores, all_.scores)
            assert one.residual == all_.residual
    kernels = {x.kernel for x in launches}
    assert {"bfs_move", "bfs_pull_placed", "pagerank_move", "pagerank_sum", "bfs_pull"} <= kernels
    only_one_work_item(launches)


@pytest.mark.device
def test_what_has_no_pipelines(emulator):
    """It runs as ranges, and the result says so."""
    graph = clgraph.powerlaw_graph(300, seed=1)
    rank = clgraph.personalized_pagerank
    for kernels, found in {
        "ndrange": [
            clgraph.bfs_many(graph, [0, 1], device=emulator),
            rank(graph, [3], method="coo", device=emulator),
            rank(graph, [3], check_every=2, device=emulator),
        ],
        "mixed": [
            clgraph.sample(graph, "cre", size="50%", seed=1, device=emulator),
            clgraph.pagerank(graph, variant="subgroup", device=emulator),
            clgraph.sample(graph, "rw", size=9, seed=1, device=emulator),
        ],
        "pipeline": [
            clgraph.sample(graph, "re", edges=9, seed=1, device=emulator),
            clgraph.pagerank(graph, device=emulator),
            rank(graph, [3, 4], top=5, device=emulator),
        ],
    }.items():
        assert [x.provenance["kernels"] for x in found] == [kernels] * len(found)


@pytest.mark.device
def test_power_from_every_source(emulator, graph):
    """Personalized PageRank by PageRank's pipelines: what lanes of ranges find."""
    ranges = emulator.with_setup(Setup(kernels="ndrange"))
    for sources, options in (
        ([0, 700, 7, 700], {}),
        ([{3: 1, 5: 2}, {7: 1}], {"dangling": "personalization"}),
        ([7, 3], {"dangling": {5: 1.0, 9: 2.0}, "norm": "l1"}),
    ):
        mine, other = (
            clgraph.personalized_pagerank(graph, sources, tol=0, max_iter=15, device=device, **options)
            for device in (emulator, ranges)
        )
        assert (mine.provenance["kernels"], other.provenance["kernels"]) == ("pipeline", "ndrange")
        assert np.abs(mine.scores - other.scores).sum(axis=1).max() < 1e-6
        assert mine.iterations.tolist() == other.iterations.tolist()


def test_cut():
    """No partitions where all fits, none where their tiles would mostly be filling."""
    graph = clgraph.powerlaw_graph(1000, seed=1)
    assert Cut.of(graph, size=1000, room=1000, burst=4) is None
    cut = Cut.of(graph, size=300, room=300, burst=4)
    assert cut is not None
    assert (cut.partitions, cut.each, cut.blocks) == (4, 284, -(-graph.num_arcs // 284))
    assert Cut.of(graph, size=20, room=20, burst=4) is None
    layout = make_layout(cut, graph.row_ptr, graph.col_idx)
    value = np.arange(1000) * 7 + 1
    bounds = layout.tile.reshape(cut.blocks, cut.partitions, 2)
    assert not np.any(bounds % cut.burst)
    moved = np.concatenate(
        [value[j * 300 + layout.source[a:b]] for j, (a, b) in enumerate(itertools.pairwise(layout.begin))]
    )
    for b in range(cut.blocks):
        chip = np.concatenate([moved[start:end] for start, end in bounds[b]])
        assert len(chip) <= 300
        arcs = slice(b * cut.each, (b + 1) * cut.each)
        assert np.array_equal(chip[layout.place[arcs]], value[graph.col_idx[arcs]])


@pytest.mark.parametrize("name", [name for name in pipelines.PIPELINES if name not in PARTITIONS])
def test_same_names_and_arguments(name):
    ours, theirs = read_source(f"fpga/{name}"), read_source(name)
    without = {
        "components_long",
        "bfs_push_long",
        "bfs_pull_rest",  # rows of any length are one to a pipeline
        "components_link_some",
        "components_link_outside",  # a pipeline links all vertices alike
        "largest_pairs",  # the host goes through the blocks of a board
        "draw_runs",  # runs side by side are no pipelines
    }
    assert set(pipelines.kernels(name)) == set(re.findall(r"__kernel void (\w+)\(", theirs)) - without
    mine, others = signatures(ours, ()), signatures(theirs, ())
    for kernel in pipelines.kernels(name):
        assert [*map(str, mine[kernel].parameters)] == [*map(str, others[kernel].parameters)], kernel


def test_no_work_item_functions_in_pipelines():
    """Nothing asks which work-item it is, nothing is atomic, nothing waits at a barrier."""
    for file in (file for file in (ROOT / "cl" / "fpga").rglob("*") if file.is_file()):
        text = re.sub(r"//.*", "", file.read_text())
        asks = r"\b(get_\w+_(id|size)|atomic_\w+|barrier|work_group_\w+|sub_group_\w+)\b"
        assert not re.search(asks, text), file
