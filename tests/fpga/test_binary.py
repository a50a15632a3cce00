"""Binaries for FPGAs, on the emulator: loading them, refusing those that do not fit; the form of kernels."""

import hashlib
import json
import os
import sys

import numpy as np
import pytest
from cli_runs import ROOT, python
from devices import working_devices
from graph_files import put
from graphs import random_graph

import clgraph
from clgraph.device import Device, Setup, get_device
from clgraph.device.launch import record_launches
from clgraph.errors import BuildError, DeviceError
from clgraph.fpga import binary


def alter(path, **changes):
    side = binary.sidecar_of(path)
    side.write_text(json.dumps(json.loads(side.read_text()) | changes))


def answers(device):
    """What is found on a device, in numbers and words that JSON has, and how."""
    graph = random_graph(1, 300, 900)
    large = clgraph.powerlaw_graph(20_000, average_degree=12, seed=1)  # more than the chip holds
    with record_launches() as launches:
        samples = [clgraph.sample(graph, each, size="50%", seed=2, device=device) for each in ("drv", "drve")]
        small_search, search = (clgraph.bfs(each, 0, device=device) for each in (graph, large))
        ranks = clgraph.pagerank(graph, device=device, tol=1e-6)
        variant = clgraph.pagerank(large, device=device).variant
    exact = [sample.vertices.tolist() for sample in samples], small_search.distance.tolist(), search.reached
    return {
        "exact": [*exact],
        "ranks": ranks.scores.tolist(),
        "variant": variant,
        "built": [*ranks.provenance["built"]],
        "kernels": sorted({x.kernel for x in launches if x.program.endswith("partitions")}),
        "sizes": sorted({x.global_size for x in launches}),
    }


@pytest.mark.device
def test_without_a_compiler(made, emulator, tmp_path):
    """A fresh process, nothing kept on disk, run-time compilation switched off: everything from the file."""
    settings = {
        "CLGRAPH_WITHOUT": "compiler",
        "CLGRAPH_CACHE_DIR": str(tmp_path / "cache"),
        "CLGRAPH_FPGA_BINARY": str(made),
        "CLGRAPH_KERNELS": "pipeline",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}",
    }
    found, expected = python(__file__, **settings).json(), answers(emulator.with_setup(Setup("ndrange")))
    assert found["exact"] == expected["exact"]
    assert np.abs(np.subtract(found["ranks"], expected["ranks"])).sum() < 1e-6
    assert found["sizes"] == [[1]]
    assert found["variant"] == "partitions"
    assert found["kernels"] == ["bfs_move", "bfs_pull_placed", "pagerank_move", "pagerank_sum"]
    assert found["built"][0] == str(made)
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
    graph = random_graph(2, 300, 900, directed=True, weights=1.0 + np.arange(900) % 3)
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
    graph = put(tmp_path / "g.txt", "0 1\n")
    others = [d for word, d in working_devices().items() if word in ("pocl", "intel")]
    for device in others[:1]:
        with pytest.raises(DeviceError, match=r"is not an FPGA and uses no binary: leave out x\.aocx"):
            get_device(device, fpga_binary="x.aocx")
        command = "components", graph, "-q", "--device", device.spec
        run(*command, "--fpga-binary", "x.aocx").refused("leave out x.aocx")
        monkeypatch.setenv("CLGRAPH_FPGA_BINARY", "x.aocx")
        assert run(*command).status == 0


@pytest.mark.device
def test_show(made, run):
    shown = run("fpga show", made).out
    assert "same as this clgraph's" in shown
    assert "components/finder ARC_KEY=uint: components_init__ARC_KEY_uint" in shown
    assert "UNROLL=4" in shown
    assert run("fpga show", made, "--json").json()["same_sources"] is True


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
    edges = put(tmp_path / "g.txt", "0 1\n1 2\n2 3\n3 0\n")
    told = run("components --kernels pipeline --json -q", edges, "--device", emulator.spec).json()
    assert told["kernels"] == "pipeline"
    assert "cl/fpga/components/finder.cl" in told["built"]
    assert os.environ.get("CLGRAPH_KERNELS") is None or "--kernels" in sys.argv


if __name__ == "__main__":
    print(json.dumps(answers("emulator")))
