"""Pipelines for Intel FPGAs, on the emulator: results, launches, binaries, the model's tables.

That the results are right is tested everywhere else too: the emulator takes pipelines by itself.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_runs import ROOT
from devices import working_devices

import clgraph
from clgraph import Graph
from clgraph.cli import main
from clgraph.csr.partitions import Cut, make_layout
from clgraph.device import Device, Setup, get_device
from clgraph.device.launch import Launch, record_launches
from clgraph.device.program import read_source
from clgraph.errors import BuildError, DeviceError, InputError
from clgraph.fpga import binary, model, offline, parameters, pipelines
from clgraph.traversal import search as bfs_search

PARTITIONS = ("traversal/search_partitions", "ranking/partitions")


@pytest.fixture(scope="module")
def emulator(request: pytest.FixtureRequest) -> Device:
    wanted = (request.config.getoption("--devices") or "fpga").split(",")
    found = working_devices().get("fpga")
    if found is None or found.kind != "emulator" or "fpga" not in wanted:
        pytest.skip("needs Intel's FPGA emulator (pip install 'pyclgraph[fpga-emulator]'), in --devices fpga")
    return found.with_setup(Setup(kernels="pipeline"))


@pytest.fixture(scope="module")
def graph() -> Graph:
    """Long and short rows, several components, parallel edges, single vertices."""
    random = np.random.default_rng(5)
    tail = np.concatenate((random.integers(0, 900, 2500), np.zeros(300, np.int64), np.arange(950, 990)))
    head = np.concatenate(
        (random.integers(0, 900, 2500) // 3, random.integers(1, 900, 300), np.arange(951, 991))
    )
    return Graph.from_edges(tail, head, duplicates="keep")


def works(graph: Graph, device: Device) -> dict[str, Any]:
    """What every algorithm with pipelines finds."""
    found: dict[str, Any] = {}
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
            search = clgraph.bfs(graph, sources, method=method, device=device)  # type: ignore[arg-type]
            arrays = (search.distance, search.predecessor, search.source_of)
            found[f"bfs {method} {sources}"] = [None if a is None else a.tolist() for a in arrays]
    parts = clgraph.connected_components(graph, device=device)
    found["components"] = (parts.labels.tolist(), parts.sizes.tolist())
    walks = clgraph.personalized_pagerank(
        graph, [0, 7], method="monte-carlo", walks=3000, seed=1, device=device, dangling="drop"
    )
    assert walks.visits is not None
    found["walks"] = walks.visits.tolist()
    return found


def ranks(graph: Graph, device: Device) -> list[Any]:
    return [
        clgraph.pagerank(graph, variant=variant, tol=0, max_iter=20, device=device, dtype=dtype).ranks  # type: ignore[arg-type]
        for variant, dtype in (("serial", "float32"), ("pull", "float64"), ("auto", "float32"))
    ]


@pytest.fixture(scope="module")
def expected(graph: Graph) -> dict[str, Any]:
    """By kernels over ranges, on a CPU (the emulator if there is none)."""
    devices = working_devices()
    other = next((devices[word] for word in ("pocl", "intel") if word in devices), devices["fpga"])
    device = other.with_setup(Setup(kernels="ndrange"))
    return {**works(graph, device), "ranks": ranks(graph, device)}


# --- what runs ------------------------------------------------------------------------------------


@pytest.mark.device
def test_results_and_launches(
    emulator: Device, graph: Graph, expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As kernels over ranges have it; each pipeline over one work-item, and none of them as a range."""
    with record_launches() as launches:
        found = works(graph, emulator)
        for mine, other in zip(ranks(graph, emulator), expected["ranks"], strict=True):
            assert np.abs(mine.astype(np.float64) - other).sum() < 1e-6
        top = clgraph.personalized_pagerank(
            graph, [0, 7], method="monte-carlo", walks=3000, seed=1, device=emulator, dangling="drop", top=5
        )
        assert top.visits is not None
        assert top.visits.tolist() == [
            [counts[v] for v in ids] for counts, ids in zip(found["walks"], top.ids.tolist(), strict=True)
        ]
        # levels pushed, levels pulled and pushed again: of a graph of this size all would be fused
        for alpha, beta in ((1, 18), (15, 18), (15, 1)):
            shape = dataclasses.replace(bfs_search.SERIAL, fuse_arcs=24, alpha=alpha, beta=beta)
            monkeypatch.setattr(bfs_search, "SHAPES", dataclasses.replace(bfs_search.SHAPES, emulator=shape))
            for sources in (0, [5, 700, 960]):
                search = clgraph.bfs(graph, sources, device=emulator)
                arrays = (search.distance, search.predecessor, search.source_of)
                assert [None if a is None else a.tolist() for a in arrays] == expected[
                    f"bfs hybrid {sources}"
                ]
        for number in (np.uint8(3), np.int32(-5), np.uint64(1 << 40)):
            filled = emulator.empty(100, number.dtype)
            bits = np.frombuffer(number.tobytes(), f"u{number.itemsize}")[0]
            emulator.memory._fill_kernel(number.itemsize)(99, filled, np.int64(99), bits)
            assert np.all(emulator.download(filled, number.dtype, 99) == number)
    for name, value in found.items():
        assert value == expected[name], name
    every = {(file, kernel) for file in pipelines.PIPELINES for kernel in pipelines.kernels(file)}
    assert {(x.program, x.kernel) for x in launches} == {
        x for x in every if x[0] not in PARTITIONS
    }  # test_partitions
    only_one_work_item(launches)


def only_one_work_item(launches: list[Launch]) -> None:
    for launch in launches:
        assert launch.pipeline == (launch.program in pipelines.PIPELINES), launch
        if launch.pipeline:
            assert launch.global_size == launch.local_size == (1,), launch


@pytest.mark.device
def test_ranges_on_the_emulator(emulator: Device, graph: Graph, expected: dict[str, Any]) -> None:
    """The other form still works there, and is never launched as a pipeline."""
    device = emulator.with_setup(Setup(kernels="ndrange"))
    with record_launches() as launches:
        sample = clgraph.sample(graph, "drv", size="55%", seed=3, device=device)
        search = clgraph.bfs(graph, 0, device=device)
    assert (sample.vertices.tolist(), sample.edges.tolist()) == expected["drv"]
    assert search.distance.tolist() == expected["bfs hybrid 0"][0]
    assert not any(x.pipeline for x in launches)
    assert sample.kernels == "ndrange"
    assert "cl/sampling/exact.cl" in sample.built


@pytest.mark.device
@pytest.mark.parametrize("channels", [0, 1])
def test_parameters_change_nothing(
    emulator: Device, graph: Graph, expected: dict[str, Any], channels: int
) -> None:
    """Small ones, so that rows, blocks and registers end in the middle of everything; and channels."""
    device = Device(emulator.raw, emulator.spec, Setup(kernels="pipeline"))
    device.pipeline_parameters = {
        "UNROLL": 2,
        "AHEAD": 3,
        "HAZARD": 5,
        "WALKS": 7,
        "ADDERS": 3,
        "LOCAL_WORDS": 1,
        "LOCAL_RANKS": 4,
        "ROW_BLOCK": 32,
        "HISTOGRAMS": 2,
        "EARLY_OUT": 0,
        "LANES": 3,
        "SETTLES": 2,
        "ARC_BLOCK": 8,
    }
    if channels:
        device.pipeline_parameters = {"CHANNELS": 1}
        assert device.program("ranking/solver", REAL="double").pagerank_serial.partner is not None
        assert device.program("ranking/solver", REAL="double").pagerank_finish.partner is None
    else:
        found = works(graph, device)
        assert {name: found[name] for name in found} == {name: expected[name] for name in found}
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
def test_partitions(
    emulator: Device, graph: Graph, settings: dict[str, int], directed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chips too small for the graph: rows and words of bitmaps are cut anywhere, no bit changes."""
    device = Device(emulator.raw, emulator.spec, Setup(kernels="pipeline"))
    device.pipeline_parameters = {**settings, "PULL_PARTITIONS": 1}
    if directed:
        tail = np.repeat(np.arange(graph.num_vertices), np.diff(graph.row_ptr))
        graph = Graph.from_edges(
            tail, graph.col_idx, weights=1.0 + tail % 7, directed=True, duplicates="keep"
        )
    # pulls from the first level on
    shape = dataclasses.replace(bfs_search.SERIAL, fuse_arcs=24, alpha=100_000)
    monkeypatch.setattr(bfs_search, "SHAPES", dataclasses.replace(bfs_search.SHAPES, emulator=shape))
    with record_launches() as launches:
        for sources in (0, [5, 700, int(graph.ids[-1])]):
            mine, other = (clgraph.bfs(graph, sources, device=d) for d in (device, emulator))
            for found, wanted in zip(
                (mine.distance, mine.predecessor, mine.source_of),
                (other.distance, other.predecessor, other.source_of),
                strict=True,
            ):
                assert (found is None) == (wanted is None)
                assert found is None or np.array_equal(found, wanted)  # type: ignore[arg-type]
        for options in (
            {},
            {"dtype": "float64", "norm": "l2"},
            {"personalization": np.arange(graph.num_vertices)},
        ):
            one, all_ = (
                clgraph.pagerank(graph, device=d, tol=0, max_iter=12, **options) for d in (device, emulator)
            )
            assert (one.variant, all_.variant) == ("partitions", "contribution")
            assert np.array_equal(one.ranks, all_.ranks)
            assert one.residual == all_.residual
    kernels = {x.kernel for x in launches}
    assert {"bfs_move", "bfs_pull_placed", "pagerank_move", "pagerank_sum", "bfs_pull"} <= kernels
    only_one_work_item(launches)


@pytest.mark.device
def test_what_has_no_pipelines(emulator: Device) -> None:
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
        ],
        "pipeline": [clgraph.pagerank(graph, device=emulator), rank(graph, [3, 4], top=5, device=emulator)],
    }.items():
        assert [x.kernels for x in found] == [kernels] * len(found)


@pytest.mark.device
def test_power_from_every_source(emulator: Device, graph: Graph) -> None:
    """Personalized PageRank by PageRank's pipelines: what lanes of ranges find."""
    ranges = emulator.with_setup(Setup(kernels="ndrange"))
    for sources, options in (
        ([0, 700, 7, 700], {}),
        ([{3: 1, 5: 2}, {7: 1}], {"dangling": "personalization"}),
        ([7, 3], {"dangling": {5: 1.0, 9: 2.0}, "norm": "l1"}),
    ):
        mine, other = (
            clgraph.personalized_pagerank(graph, sources, tol=0, max_iter=15, device=device, **options)  # type: ignore[arg-type]
            for device in (emulator, ranges)
        )
        assert (mine.kernels, other.kernels) == ("pipeline", "ndrange")
        assert mine.ranks is not None
        assert np.abs(mine.ranks - other.ranks).sum(axis=1).max() < 1e-6
        assert mine.iterations.tolist() == other.iterations.tolist()


def test_cut() -> None:
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


def signature(text: str, kernel: str) -> list[str]:
    """Arguments of a kernel, macros expanded, without what says how they are accessed."""
    text = text.replace("\\\n", " ")
    plain = dict(re.findall(r"^#define (\w+) +(.*)$", text, re.MULTILINE))
    calls = {
        name: (parameter, body)
        for name, parameter, body in re.findall(r"^#define (\w+)\((\w*)\) +(.*)$", text, re.MULTILINE)
    }
    found = re.search(rf"(?:__kernel|PIPELINE) void {kernel}\(((?:[^()]|\([^()]*\))*)\)", text)
    assert found, kernel
    arguments = found[1]
    for _ in range(6):
        for name, (parameter, body) in calls.items():
            arguments = re.sub(
                rf"\b{name}\(([^()]*)\)",
                lambda m, p=parameter, b=body: re.sub(rf"\b{p}\b", m[1], b),
                arguments,
            )
        arguments = re.sub(
            r"\b[A-Z][A-Z_]+\b",
            lambda m: plain.get(m[0], m[0]) if "ARG" in m[0] or m[0] == "ROWS" else m[0],
            arguments,
        )
    words = re.sub(r"//.*", "", arguments)
    words = re.sub(r"\b(__global|const|restrict|volatile)\b", " ", words)
    return [" ".join(word.replace("*", " * ").split()) for word in words.split(",") if word.strip()]


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in pipelines.PIPELINES
        if name not in ("ranking/solver", "ranking/rows_pull", *PARTITIONS)
    ],
)
def test_same_names_and_arguments(name: str) -> None:
    ours, theirs = read_source(f"fpga/{name}"), read_source(name)
    without = {
        "components_long",
        "bfs_push_long",
        "bfs_pull_rest",
    }  # rows of any length are one to a pipeline
    assert set(pipelines.kernels(name)) == set(re.findall(r"__kernel void (\w+)\(", theirs)) - without
    for kernel in pipelines.kernels(name):
        assert signature(ours, kernel) == signature(theirs, kernel), kernel


@pytest.mark.device
@pytest.mark.filterwarnings("ignore:Pre-build attribute access")
def test_for_boards_by_the_front_end(emulator: Device) -> None:
    """The emulator's compiler has aoc's pragmas and attributes: it takes all, with a board's parameters."""
    import pyopencl as cl

    order = offline.Order(Path("x.aocx"), "some board")
    for name, text in order.units().items():
        made = cl.Program(emulator.context, text)
        made.compile(order.flags)
        log = made.get_build_info(emulator.raw, cl.program_build_info.LOG)
        said = [x for x in log.split("\n") if "warning:" in x and "FPGA emulator environment" not in x]
        assert not said, (name, said)


def test_no_work_item_functions_in_pipelines() -> None:
    """Nothing asks which work-item it is, nothing is atomic, nothing waits at a barrier."""
    for file in (file for file in (ROOT / "cl" / "fpga").rglob("*") if file.is_file()):
        text = re.sub(r"//.*", "", file.read_text())
        assert not re.search(
            r"\b(get_\w+_(id|size)|atomic_\w+|barrier|work_group_\w+|sub_group_\w+)\b", text
        ), file


# --- what may be chosen ---------------------------------------------------------------------------


@pytest.mark.device
def test_choosing(emulator: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLGRAPH_KERNELS", raising=False)
    assert get_device("emulator").kernels == "pipeline"
    assert get_device("emulator", kernels="ndrange").kernels == "ndrange"
    assert get_device(emulator, kernels="ndrange") is get_device(emulator, kernels="ndrange")
    monkeypatch.setenv("CLGRAPH_KERNELS", "ndrange")
    assert get_device("emulator").kernels == "ndrange"
    assert get_device("emulator", kernels="pipeline").kernels == "pipeline"
    monkeypatch.setenv("CLGRAPH_KERNELS", "both")
    with pytest.raises(DeviceError, match="CLGRAPH_KERNELS is 'both': use 'ndrange' or 'pipeline'"):
        get_device("emulator")


@pytest.mark.device
def test_told_in_json(emulator: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edges = tmp_path / "g.txt"
    edges.write_text("0 1\n1 2\n2 3\n3 0\n")
    main(["components", str(edges), "--device", emulator.spec, "--kernels", "pipeline", "--json", "-q"])
    told = json.loads(capsys.readouterr().out)
    assert told["kernels"] == "pipeline"
    assert "cl/fpga/components/finder.cl" in told["built"]
    assert os.environ.get("CLGRAPH_KERNELS") is None or "--kernels" in sys.argv


def test_parameters() -> None:
    known = parameters.known()
    assert known["UNROLL"].board == 16
    assert known["UNROLL"].emulator < 16
    assert all(p.meaning for p in known.values())
    assert parameters.parse(["UNROLL=8", "CHANNELS=1"]) == {"UNROLL": 8, "CHANNELS": 1}
    for wrong, reason in {
        "SPEED=9": "no parameter 'SPEED'",
        "UNROLL=fast": "give a whole number",
        "UNROLL=12": "power of two",
        "UNROLL=64": "32 at most",
        "OFFSET_BITS=48": "32 or 64",
        "ROW_BLOCK=100": "multiple of 32",
        "CHANNELS=2": "0 or 1",
        "WALKS=0": "use 1",
    }.items():
        with pytest.raises(InputError, match=reason):
            parameters.parse([wrong])
    with pytest.raises(InputError, match="must be a multiple of UNROLL=16"):
        offline.compile_binary(offline.Order(Path("x.aocx"), settings={"ARC_BLOCK": 1000}))


def test_wide_offsets() -> None:
    order = offline.Order(Path("x.aocx"), settings={"OFFSET_BITS": 64}, only=("bfs",))
    assert ("traversal/search", {"OFFSET": "long"}) in order.wanted
    assert "#define bfs_fill bfs_fill__OFFSET_long" in order.units()["traversal_search__OFFSET_long.cl"]


# --- binaries -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(emulator: Device, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A binary of all pipelines for the emulator."""
    path = tmp_path_factory.mktemp("binary") / "clgraph.aocx"
    order = offline.Order(path, "emulator")
    offline._by_runtime(order, print)
    return path


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    for file in (made, binary.sidecar_of(made)):
        shutil.copy(file, tmp_path)
    return tmp_path / made.name


def alter(path: Path, **changes: Any) -> None:
    side = binary.sidecar_of(path)
    side.write_text(json.dumps(json.loads(side.read_text()) | changes))


RUN = """
import json, sys
import numpy as np
import clgraph
from clgraph.device.launch import record_launches
arrays = np.load(sys.argv[1])
graph = clgraph.Graph.from_edges(arrays["tail"], arrays["head"])
with record_launches() as launches:
    answers = {
        name: clgraph.sample(graph, name, size="50%", seed=2, device="emulator").vertices.tolist()
        for name in ("drv", "drve")
    }
    answers["bfs"] = clgraph.bfs(graph, 0, device="emulator").distance.tolist()
    ranks = clgraph.pagerank(graph, device="emulator", tol=1e-6)
    large = clgraph.powerlaw_graph(20_000, average_degree=12, seed=1)  # more than the chip holds
    answers["variant"] = clgraph.pagerank(large, device="emulator").variant
    answers["reached"] = clgraph.bfs(large, 0, device="emulator").reached
answers["kernels"] = sorted({x.kernel for x in launches if x.program.endswith("partitions")})
answers["ranks"] = ranks.ranks.tolist()
answers["sizes"] = sorted({x.global_size for x in launches})
answers["built"] = ranks.built
print(json.dumps(answers))
"""


@pytest.mark.device
def test_without_a_compiler(made: Path, emulator: Device, tmp_path: Path) -> None:
    """A fresh process, nothing kept on disk, run-time compilation switched off: everything from the file."""
    random = np.random.default_rng(1)
    tail, head = random.integers(0, 300, 900), random.integers(0, 300, 900)
    np.savez(tmp_path / "g.npz", tail=tail, head=head)
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "CLGRAPH_NO_COMPILE": "1",
        "CLGRAPH_CACHE_DIR": str(tmp_path / "cache"),
        "CLGRAPH_FPGA_BINARY": str(made),
        "CLGRAPH_KERNELS": "pipeline",
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path / "g.npz")],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    graph = Graph.from_edges(tail, head)
    for name in ("drv", "drve"):
        sample = clgraph.sample(graph, name, size="50%", seed=2, device=emulator)
        assert answers[name] == sample.vertices.tolist()
    assert answers["bfs"] == clgraph.bfs(graph, 0, device=emulator).distance.tolist()
    assert np.abs(clgraph.pagerank(graph, device=emulator, tol=1e-6).ranks - answers["ranks"]).sum() < 1e-6
    assert answers["sizes"] == [[1]]
    assert answers["variant"] == "partitions"
    large = clgraph.powerlaw_graph(20_000, average_degree=12, seed=1)
    assert answers["reached"] == clgraph.bfs(large, 0, device=emulator.with_setup(Setup("ndrange"))).reached
    assert answers["kernels"] == ["bfs_move", "bfs_pull_placed", "pagerank_move", "pagerank_sum"]
    assert answers["built"][0] == str(made)
    assert not (tmp_path / "cache" / "programs").exists()


@pytest.mark.device
def test_no_binary_no_compiler(emulator: Device, monkeypatch: pytest.MonkeyPatch, copy: Path) -> None:
    monkeypatch.setenv("CLGRAPH_NO_COMPILE", "1")
    board = Device(emulator.raw, emulator.spec, Setup(kernels="pipeline"))
    assert "clgraph fpga compile" in str(board.fault)
    assert "CLGRAPH_FPGA_BINARY" in str(board.fault)
    with pytest.raises(BuildError, match="--fpga-binary"):
        board.program("traversal/search")
    board = Device(emulator.raw, emulator.spec, Setup(binary=str(copy)))
    assert board.fault is None
    assert board.features == frozenset()
    with pytest.raises(BuildError, match=r"cl/sampling/contract\.cl has no pipeline"):
        board.program("sampling/contract")
    with pytest.raises(BuildError, match="binaries hold float32"):
        board.program("ranking/solver", REAL="double")
    with pytest.raises(BuildError, match="OFFSET_BITS=64"):
        board.program("traversal/search", OFFSET="long")
    random = np.random.default_rng(2)
    tail, head = random.integers(0, 300, (2, 900))
    graph = Graph.from_edges(tail, head, directed=True, weights=1.0 + tail % 3)
    for variant in ("auto", "serial", "pull"):
        assert clgraph.pagerank(graph, variant=variant, device=board).kernels == "pipeline"  # type: ignore[arg-type]
    for dangling in ("uniform", "personalization", "drop", {3: 1.0}):
        walks: dict[str, Any] = {"method": "monte-carlo", "walks": 2000, "seed": 1}
        for options in (walks, {}):
            found, wanted = (
                clgraph.personalized_pagerank(graph, [3, 5], top=4, dangling=dangling, device=d, **options)
                for d in (board, emulator)
            )
            assert found.kernels == "pipeline"
            assert np.abs(found.scores - wanted.scores).max() < 1e-6
    ranges = Device(emulator.raw, emulator.spec, Setup(kernels="ndrange"))
    assert "come from no binary" in str(ranges.fault)


@pytest.mark.device
def test_bad_binaries(emulator: Device, copy: Path, tmp_path: Path) -> None:
    def load(force: bool = False) -> Any:
        return Device(emulator.raw, emulator.spec, Setup(binary=str(copy), force=force)).pipelines.binary

    def refused(reason: str) -> None:
        with pytest.raises(BuildError, match=reason):
            load()

    whole, side = copy.read_bytes(), json.loads(binary.sidecar_of(copy).read_text())
    assert load().program("traversal/search", {}).pipeline
    alter(copy, sources="0" * 64)
    refused("other kernel sources .*--force")
    assert load(force=True).program("traversal/search", {})
    alter(copy, **side | {"board": "de5net_a7"})
    refused("made for board de5net_a7, and .*Emulation Device: compile with --emulate")
    first = side["programs"][0]
    alter(copy, **side | {"programs": [{**first, "kernels": [*first["kernels"], "fill_16"]}]})
    refused("lacks the kernel fill_16 that")
    alter(copy, **side | {"programs": [{**first, "kernels": first["kernels"][1:]}]})
    refused(r"lacks the kernel fill_1 of cl/fpga/device/memory_fill\.cl")
    alter(copy, **side | {"programs": [p for p in side["programs"] if p["file"] != "sampling/exact"]})
    with pytest.raises(
        BuildError, match=r"no pipelines of cl/fpga/sampling/exact\.cl: compile it with --only sample"
    ):
        load().program("sampling/exact", {})
    alter(copy, **side | {"parameters": {**side["parameters"], "SPEED": 9}})
    refused("parameters SPEED differ from")
    alter(copy, **side | {"format": 99})
    refused("has format 99, this clgraph reads 1")
    alter(copy, **side)
    copy.write_bytes(whole[:1000])
    refused(f"has 1000 bytes, its sidecar says {len(whole)}: the copy is incomplete")
    copy.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
    refused("is not the binary that its sidecar describes")
    rubbish = b"rubbish" * 100
    copy.write_bytes(rubbish)
    alter(copy, size=len(rubbish), sha256=__import__("hashlib").sha256(rubbish).hexdigest())
    refused("refused the binary .*built for just this device")
    binary.sidecar_of(copy).write_text("{")
    refused("is damaged")
    binary.sidecar_of(copy).unlink()
    refused("has no sidecar clgraph.aocx.json")
    copy.unlink()
    refused("cannot read the FPGA binary")
    with pytest.raises(BuildError, match="no such file; `clgraph fpga compile"):
        binary.read_sidecar(copy)


@pytest.mark.device
def test_a_binary_that_nobody_takes(
    emulator: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is named is used or refused; one of the environment is for those that take it."""
    monkeypatch.delenv("CLGRAPH_KERNELS", raising=False)
    with pytest.raises(DeviceError, match=r"kernels='ndrange' .* uses none: leave out x\.aocx"):
        get_device(emulator, kernels="ndrange", fpga_binary="x.aocx")
    (tmp_path / "g.txt").write_text("0 1\n")
    command = ["components", str(tmp_path / "g.txt"), "-q"]
    others = [d for word, d in working_devices().items() if word in ("pocl", "intel")]
    for device in others[:1]:
        with pytest.raises(DeviceError, match=r"is not an FPGA and uses no binary: leave out x\.aocx"):
            get_device(device, fpga_binary="x.aocx")
        with pytest.raises(SystemExit):
            main([*command, "--device", device.spec, "--fpga-binary", "x.aocx"])
        assert "leave out x.aocx" in capsys.readouterr().err
        monkeypatch.setenv("CLGRAPH_FPGA_BINARY", "x.aocx")
        main([*command, "--device", device.spec])


@pytest.mark.device
def test_show(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["fpga", "show", str(made)])
    shown = capsys.readouterr().out
    assert "same as this clgraph's" in shown
    assert "components/finder ARC_KEY=uint: components_init__ARC_KEY_uint" in shown
    assert "UNROLL=4" in shown
    main(["fpga", "show", str(made), "--json"])
    assert json.loads(capsys.readouterr().out)["same_sources"] is True


# --- aoc, a fake one ------------------------------------------------------------------------------

AOC = """#!/bin/sh
if [ "$1" = "-version" ]; then
  echo "Intel(R) FPGA SDK for OpenCL(TM), 64-Bit Offline Compiler"; echo "Version 19.1.0 Build 240"; exit 0
fi
printf '%s\\n' "$@" > {folder}/line
if [ -n "$AOC_FAILS" ]; then echo "Error: cannot fit kernel into device"; exit 3; fi
while [ $# -gt 1 ]; do if [ "$1" = "-o" ]; then out=$2; fi; shift; done
base=${{out%.aocx}}
mkdir -p "$base"
cat > "$base/acl_quartus_report.txt" <<X
ALUTs: 74264
Logic utilization: 166,113 / 234,720 ( 71 % )
DSP blocks: 2 / 256 ( < 1 % )
RAM blocks: 1,453 / 2,560 ( 57 % )
Actual clock freq: 201.5
Kernel fmax: 202.88
2x clock fmax: 10000
X
[ -n "$AOC_WRITES_NOTHING" ] || echo binary > "$out"
"""


@pytest.fixture
def aoc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the PATH with an aoc that notes its line."""
    folder = tmp_path / "bin"
    folder.mkdir()
    tool = folder / "aoc"
    tool.write_text(AOC.format(folder=folder))
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return folder


def test_aoc_line_and_report(aoc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "x.aocx"
    command = [
        "fpga",
        "compile",
        "-o",
        str(out),
        "--board",
        "de5net_a7",
        "--param",
        "UNROLL=8",
        "--only",
        "pagerank",
    ]
    main(command)
    line = (aoc / "line").read_text().split("\n")
    assert line[:5] == ["-board=de5net_a7", "-report", "-DKIND_FPGA", "-DINTEL_PIPELINES", "-DUNROLL=8"]
    sources = [word for word in line if word.endswith(".cl")]
    assert {Path(s).name.split("__")[0].removesuffix(".cl") for s in sources} == {
        "device_memory_fill",
        "ranking_solver",
        "ranking_partitions",
        "ranking_rows_pull",
    }
    assert all("PIPELINE void" in Path(s).read_text() for s in sources)
    told = capsys.readouterr()
    assert " -board=de5net_a7 " in told.err
    assert "202.88 MHz" in told.out
    side = json.loads((tmp_path / "x.aocx.json").read_text())
    assert side["compiler"] == "Version 19.1.0 Build 240"
    assert side["parameters"]["UNROLL"] == 8
    assert side["parameters"]["HAZARD"] == parameters.known()["HAZARD"].board
    assert side["report"]["fmax_mhz"] == 202.88
    assert side["report"]["resources"]["RAM blocks"] == {"used": 1453, "of": 2560}
    main(["fpga", "show", str(out)])
    assert "RAM blocks: 1453 of 2560" in capsys.readouterr().out
    main(["fpga", "compile", "-o", str(tmp_path / "r.aocx"), "--report", "--json", "-q"])
    assert "-rtl" in (aoc / "line").read_text().split("\n")
    assert json.loads(capsys.readouterr().out)["report_only"] is True
    assert not (tmp_path / "r.aocx.json").exists()
    main(["fpga", "compile", "-o", str(tmp_path / "e.aocx"), "--emulate"])
    assert (aoc / "line").read_text().split("\n")[0] == "-march=emulator"


def test_aoc_fails(
    aoc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    order = offline.Order(tmp_path / "x.aocx", "de5net_a7", only=("bfs",))
    monkeypatch.setenv("AOC_FAILS", "1")
    with pytest.raises(BuildError, match=r"(?s)status 3.*x\.log.*cannot fit kernel"):
        offline.compile_binary(order)
    assert "cannot fit" in order.log.read_text()
    monkeypatch.delenv("AOC_FAILS")
    monkeypatch.setenv("AOC_WRITES_NOTHING", "1")
    with pytest.raises(BuildError, match="ended without an error, but there is no"):
        offline.compile_binary(order)
    capsys.readouterr()


def test_no_aoc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit):
        main(["fpga", "compile", "--board", "de5net_a7", "-o", str(tmp_path / "x.aocx")])
    said = capsys.readouterr().err
    assert "aoc, Intel's offline compiler, is not on the PATH" in said
    assert "aoc -board=de5net_a7 -report" in said
    for wrong in (["--emulate", "--board", "b"], ["--only", "drv"], ["--param", "UNROLL=3"]):
        with pytest.raises(SystemExit):
            main(["fpga", "compile", *wrong])


# --- the model ------------------------------------------------------------------------------------


def test_tables_of_the_model() -> None:
    """docs/fpga.md holds what the model computes: python -m clgraph.fpga.model docs/fpga.md."""
    page = (ROOT / "docs" / "fpga.md").read_text()
    assert model.fill_in(page) == page
    w = model.workload()
    assert abs(w.arcs / w.n - 5) < 1e-9
    for board in model.BOARDS:
        for run in model.RUNS:
            assert 0 < model.total(run, w, board) < 1000
