"""Binaries for FPGAs, on the emulator: loading them, refusing those that do not fit; the form of kernels."""

import hashlib
import json
import os
import sys

import numpy as np
import pytest
from cli_runs import python
from devices import working_devices

import clgraph
from clgraph import Graph
from clgraph.device import Device, Setup, get_device
from clgraph.errors import BuildError, DeviceError
from clgraph.fpga import binary


def alter(path, **changes):
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
answers["ranks"] = ranks.scores.tolist()
answers["sizes"] = sorted({x.global_size for x in launches})
answers["built"] = list(ranks.provenance["built"])
print(json.dumps(answers))
"""


@pytest.mark.device
def test_without_a_compiler(made, emulator, tmp_path):
    """A fresh process, nothing kept on disk, run-time compilation switched off: everything from the file."""
    random = np.random.default_rng(1)
    tail, head = random.integers(0, 300, 900), random.integers(0, 300, 900)
    np.savez(tmp_path / "g.npz", tail=tail, head=head)
    settings = {
        "CLGRAPH_WITHOUT": "compiler",
        "CLGRAPH_CACHE_DIR": str(tmp_path / "cache"),
        "CLGRAPH_FPGA_BINARY": str(made),
        "CLGRAPH_KERNELS": "pipeline",
    }
    done = python("-c", RUN, tmp_path / "g.npz", **settings)
    assert done.status == 0, done.err
    answers = json.loads(done.out)
    graph = Graph.from_edges(tail, head)
    for name in ("drv", "drve"):
        sample = clgraph.sample(graph, name, size="50%", seed=2, device=emulator)
        assert answers[name] == sample.vertices.tolist()
    assert answers["bfs"] == clgraph.bfs(graph, 0, device=emulator).distance.tolist()
    assert np.abs(clgraph.pagerank(graph, device=emulator, tol=1e-6).scores - answers["ranks"]).sum() < 1e-6
    assert answers["sizes"] == [[1]]
    assert answers["variant"] == "partitions"
    large = clgraph.powerlaw_graph(20_000, average_degree=12, seed=1)
    assert answers["reached"] == clgraph.bfs(large, 0, device=emulator.with_setup(Setup("ndrange"))).reached
    assert answers["kernels"] == ["bfs_move", "bfs_pull_placed", "pagerank_move", "pagerank_sum"]
    assert answers["built"][0] == str(made)
    assert not (tmp_path / "cache" / "programs").exists()


@pytest.mark.device
def test_no_binary_no_compiler(emulator, monkeypatch, copy):
    monkeypatch.setenv("CLGRAPH_WITHOUT", "compiler")
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
    with pytest.raises(BuildError, match="binaries contain float32"):
        board.program("ranking/solver", REAL="double")
    with pytest.raises(BuildError, match="OFFSET_BITS=64"):
        board.program("traversal/search", OFFSET="long")
    random = np.random.default_rng(2)
    tail, head = random.integers(0, 300, (2, 900))
    graph = Graph.from_edges(tail, head, directed=True, weights=1.0 + tail % 3)
    for variant in ("auto", "serial", "pull"):
        assert clgraph.pagerank(graph, variant=variant, device=board).provenance["kernels"] == "pipeline"
    for dangling in ("uniform", "personalization", "drop", {3: 1.0}):
        walks = {"method": "monte-carlo", "walks": 2000, "seed": 1}
        for options in (walks, {}):
            found, wanted = (
                clgraph.personalized_pagerank(graph, [3, 5], top=4, dangling=dangling, device=d, **options)
                for d in (board, emulator)
            )
            assert found.provenance["kernels"] == "pipeline"
            assert np.abs(found.scores - wanted.scores).max() < 1e-6
    ranges = Device(emulator.raw, emulator.spec, Setup(kernels="ndrange"))
    assert "come from no binary" in str(ranges.fault)


@pytest.mark.device
def test_bad_binaries(emulator, copy, tmp_path):
    def load(force=False):
        return Device(emulator.raw, emulator.spec, Setup(binary=str(copy), force=force)).pipelines.binary

    def refused(reason):
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
    words = r"no pipelines of cl/fpga/sampling/exact\.cl: compile it with --only sample"
    with pytest.raises(BuildError, match=words):
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
    alter(copy, size=len(rubbish), sha256=hashlib.sha256(rubbish).hexdigest())
    refused("refused the binary .*compiled for exactly this device")
    binary.sidecar_of(copy).write_text("{")
    refused("is damaged")
    binary.sidecar_of(copy).unlink()
    refused("has no sidecar clgraph.aocx.json")
    copy.unlink()
    refused("cannot read the FPGA binary .*: No such file or directory; `clgraph fpga compile")


@pytest.mark.device
def test_a_binary_that_nobody_takes(emulator, tmp_path, run, monkeypatch):
    """One that is named is used or refused; one of the environment is for those that take it."""
    monkeypatch.delenv("CLGRAPH_KERNELS", raising=False)
    with pytest.raises(DeviceError, match=r"kernels='ndrange' .* uses none: leave out x\.aocx"):
        get_device(emulator, kernels="ndrange", fpga_binary="x.aocx")
    (tmp_path / "g.txt").write_text("0 1\n")
    others = [d for word, d in working_devices().items() if word in ("pocl", "intel")]
    for device in others[:1]:
        with pytest.raises(DeviceError, match=r"is not an FPGA and uses no binary: leave out x\.aocx"):
            get_device(device, fpga_binary="x.aocx")
        command = "components", tmp_path / "g.txt", "-q", "--device", device.spec
        done = run(*command, "--fpga-binary", "x.aocx")
        assert done.status != 0 and "leave out x.aocx" in done.err
        monkeypatch.setenv("CLGRAPH_FPGA_BINARY", "x.aocx")
        assert run(*command).status == 0


@pytest.mark.device
def test_show(made, run):
    shown = run("fpga show", made).out
    assert "same as this clgraph's" in shown
    assert "components/finder ARC_KEY=uint: components_init__ARC_KEY_uint" in shown
    assert "UNROLL=4" in shown
    assert json.loads(run("fpga show", made, "--json").out)["same_sources"] is True


@pytest.mark.device
def test_choosing(emulator, monkeypatch):
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
def test_told_in_json(emulator, tmp_path, run):
    edges = tmp_path / "g.txt"
    edges.write_text("0 1\n1 2\n2 3\n3 0\n")
    told = json.loads(run("components --kernels pipeline --json -q", edges, "--device", emulator.spec).out)
    assert told["kernels"] == "pipeline"
    assert "cl/fpga/components/finder.cl" in told["built"]
    assert os.environ.get("CLGRAPH_KERNELS") is None or "--kernels" in sys.argv
