"""Host code in Python's development mode, where every warning is an error: no file left open, nothing old."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cli_runs import environment

from clgraph.device import Device

SCRIPT = """
import gc, sys, warnings
from pathlib import Path

def leave_open(path):
    open(path)

import clgraph
from clgraph.cli import main
from mixed_calls import mixed_calls

def command(*args):
    try:
        main([*args, "-q"])
    except SystemExit as stop:
        assert not stop.code, (args, stop.code)

if sys.argv[2] == "left open":
    leave_open(sys.executable)
    gc.collect()
    sys.exit()
device = clgraph.get_device(sys.argv[1])
graph = clgraph.powerlaw_graph(300, seed=1)
for suffix in ("txt", "csv", "txt.gz", "mtx", "graph", "v", "npz", "clg", "parquet", "arrow"):
    name = f"g.{suffix}"
    clgraph.write(graph, name)
    assert clgraph.read(name).num_edges == graph.num_edges
    command("convert", name, "again.clg")
    command("info", name)
for bad in ("0 1\\n1 x\\n", "", "\\xff"):
    Path("bad.txt").write_bytes(bad.encode("latin-1"))
    for ids in ("int", "str"):
        try:
            clgraph.read("bad.txt", ids=ids)
        except clgraph.InputError:
            pass
for call in mixed_calls(device).values():
    call()
on = ("--device", device.spec)
command("sample", "g.clg", "--size", "9", "--seed", "1", "-o", "s.clg", "--record", "s", "--verify", *on)
command("bfs", "g.clg", "-s", "1", "-o", "b.tsv", *on)
command("components", "g.clg", "-o", "c.tsv", *on)
command("pagerank", "g.clg", "-o", "p.tsv", *on)
gc.collect()
"""


@pytest.mark.first_device
@pytest.mark.parametrize("what", ["closed", "left open"])
def test_no_warning_of_ours(device: Device, tmp_path: Path, what: str) -> None:
    tests = str(Path(__file__).parent)
    # the libraries' own warnings as they are imported, and compilers' notes, are not ours
    strict = ["-X", "dev", "-W", "error", "-W", "ignore:Non-empty compiler output"]
    done = subprocess.run(
        [
            sys.executable,
            *strict,
            "-c",
            f"import sys; sys.path.insert(0, {tests!r})\n{SCRIPT}",
            device.spec,
            what,
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment(),
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    assert ("Warning" in done.stderr) == (what == "left open"), done.stderr
    assert ("Exception ignored" in done.stderr) == (what == "left open"), done.stderr
