"""Building binaries for FPGAs: the command line of aoc (a fake one), its report; parameters; the model."""

import json
import os
import runpy
from pathlib import Path

import pyopencl as cl
import pytest
from cli_runs import ROOT
from graph_files import put

from clgraph.errors import BuildError, InputError
from clgraph.fpga import offline, parameters


def test_wide_offsets():
    order = offline.Order(Path("x.aocx"), settings={"OFFSET_BITS": 64}, only=("bfs",))
    assert ("traversal/search", {"OFFSET": "long"}) in order.wanted
    assert "#define bfs_fill bfs_fill__OFFSET_long" in order.units()["traversal_search__OFFSET_long.cl"]


@pytest.mark.device
@pytest.mark.filterwarnings("ignore:Pre-build attribute access")
def test_for_boards_by_the_front_end(emulator):
    """The emulator's compiler has aoc's pragmas and attributes: it takes all, with a board's parameters."""
    order = offline.Order(Path("x.aocx"), "some board")
    for name, text in order.units().items():
        made = cl.Program(emulator.context, text)
        made.compile(order.flags)
        log = made.get_build_info(emulator.raw, cl.program_build_info.LOG)
        said = [x for x in log.split("\n") if "warning:" in x and "FPGA emulator environment" not in x]
        assert not said, (name, said)


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
def aoc(tmp_path, monkeypatch):
    """A folder on the PATH with an aoc that notes its line."""
    folder = tmp_path / "bin"
    folder.mkdir()
    put(folder / "aoc", AOC.format(folder=folder)).chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return folder


def test_aoc_line_and_report(aoc, tmp_path, run):
    out = tmp_path / "x.aocx"
    told = run("fpga compile --board de5net_a7 --param UNROLL=8 --only pagerank -o", out).fine()
    line = (aoc / "line").read_text().split("\n")
    assert line[:5] == ["-board=de5net_a7", "-report", "-DKIND_FPGA", "-DINTEL_PIPELINES", "-DUNROLL=8"]
    sources = [word for word in line if word.endswith(".cl")]
    names = "ranking_solver ranking_partitions ranking_contribution theses_serial theses_pull"
    of = {Path(s).name.split("__")[0].removesuffix(".cl") for s in sources}
    assert of == {"device_memory_fill", *names.split()}
    assert all("PIPELINE void" in Path(s).read_text() for s in sources)
    assert " -board=de5net_a7 " in told.err
    assert "202.88 MHz" in told.out
    side = json.loads((tmp_path / "x.aocx.json").read_text())
    assert side["compiler"] == "Version 19.1.0 Build 240"
    assert side["parameters"]["UNROLL"] == 8
    assert side["parameters"]["HAZARD"] == parameters.known()["HAZARD"].board
    assert side["report"]["fmax_mhz"] == 202.88
    assert side["report"]["resources"]["RAM blocks"] == {"used": 1453, "of": 2560}
    assert "RAM blocks: 1453 of 2560" in run("fpga show", out).out
    assert run("fpga compile --report --json -q -o", tmp_path / "r.aocx").json()["report_only"] is True
    assert "-rtl" in (aoc / "line").read_text().split("\n")
    assert not (tmp_path / "r.aocx.json").exists()
    run("fpga compile --emulate -o", tmp_path / "e.aocx").fine()
    assert (aoc / "line").read_text().split("\n")[0] == "-march=emulator"


def test_aoc_fails(aoc, tmp_path, monkeypatch):
    order = offline.Order(tmp_path / "x.aocx", "de5net_a7", only=("bfs",))
    monkeypatch.setenv("AOC_FAILS", "1")
    with pytest.raises(BuildError, match=r"(?s)status 3.*x\.log.*cannot fit kernel"):
        offline.compile_binary(order)
    assert "cannot fit" in order.log.read_text()
    monkeypatch.delenv("AOC_FAILS")
    monkeypatch.setenv("AOC_WRITES_NOTHING", "1")
    with pytest.raises(BuildError, match="ended without an error, but there is no"):
        offline.compile_binary(order)


@pytest.mark.smoke
def test_no_aoc(monkeypatch, tmp_path, run):
    monkeypatch.setenv("PATH", str(tmp_path))
    said = run("fpga compile --board de5net_a7 -o", tmp_path / "x.aocx").err
    assert "aoc, Intel's offline compiler, is not on the PATH" in said
    assert "aoc -board=de5net_a7 -report" in said
    for wrong in ("--emulate --board b", "--only drv", "--param UNROLL=3"):
        assert run(f"fpga compile {wrong}").status != 0


def test_parameters():
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


def test_tables_of_the_model():
    """docs/fpga.md holds what the model computes: python docs/fpga_model.py."""
    model = runpy.run_path(str(ROOT / "docs" / "fpga_model.py"))
    page = (ROOT / "docs" / "fpga.md").read_text()
    assert model["fill_in"](page) == page
    w = model["workload"]()
    assert abs(w.arcs / w.n - 5) < 1e-9
    for board in model["BOARDS"]:
        for run in model["RUNS"]:
            assert 0 < model["total"](run, w, board) < 1000
