"""Bars for files: from the second second on, on a terminal only."""

import io
import sys
from contextlib import nullcontext

import click
import pytest
from graphs import tangle

from clgraph import progress
from clgraph.cli.command import Command, Run
from clgraph.cli.options import quiet_option
from clgraph.files.read_ahead import LAUNCH, LaunchConfig
from clgraph.files.summary import read_with_summary, write_with_summary


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    return now


def test_a_bar_says_bytes(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with Run({}).progress("reading g.txt", data=True) as tell:
        assert tell is not None
        tell(1_000_000, 10_000_000)
        assert terminal.getvalue() == ""
        clock[0] += 1.5
        tell(5_000_000, 10_000_000)
    assert "reading g.txt" in terminal.getvalue() and "5.0/10.0 MB" in terminal.getvalue()


def test_no_bar_elsewhere(clock, monkeypatch):
    with Run({}).progress("reading", data=True) as tell:
        assert tell is None  # no terminal
    monkeypatch.setattr(sys, "stderr", Terminal())

    @click.command(cls=Command)
    @quiet_option
    def quiet(run):
        with run.progress("reading", data=True) as tell:
            assert tell is None

    quiet.main(["--quiet"], standalone_mode=False)


def test_a_reader_tells_its_progress(device, clock, tmp_path, monkeypatch):
    if device.is_fpga:
        pytest.skip("the host reads")
    (tmp_path / "g.txt").write_text("10 20\n" * 1000)
    seen = []
    monkeypatch.setattr(Run, "progress", lambda *_, **how: nullcontext(lambda *at: seen.append(at)))
    monkeypatch.setattr("clgraph.files.dispatch.SMALL", 0)
    monkeypatch.setattr("clgraph.cli.command.open_device", lambda spec: device)
    monkeypatch.setitem(vars(LAUNCH), device.kind, LaunchConfig(chunk=1000, ahead=2, threads=1))
    Run({}).read(str(tmp_path / "g.txt"))
    assert seen[-1] == (6000, 6000) and [done for done, _ in seen][:3] == [1000, 2000, 3000]


@pytest.mark.parametrize("name", ["g.clg", "g.txt", "g.txt.gz", "g.mtx"])
@pytest.mark.parametrize("where", ["host", "device"])
def test_progress_reaches_the_end(device, tmp_path, name, where):
    """Of every way to read and to write: bytes so far, and in all once these are known."""
    if where == "device" and device.is_fpga:
        pytest.skip("the host reads and writes")
    graph, path = tangle(3, n=30_000, edges=120_000), tmp_path / name
    there = device if where == "device" else "host"
    for call, given in ((write_with_summary, (graph, path)), (read_with_summary, (path,))):
        seen = []
        call(*given, device=there, progress=lambda *at: seen.append(at))  # noqa: B023
        least = 0 if "gz" in name or "clg" in name else path.stat().st_size // 2
        assert least <= seen[-1][0] <= path.stat().st_size * (4 if "gz" in name else 1)
        assert seen[-1][1] in (None, path.stat().st_size) or "txt" in name or name == "g.mtx"


@pytest.mark.parametrize(
    "suffix", ["txt", "mtx", "graph", "e", "net", "graphml", "gexf", "gr", "graph-txt", "sg"]
)
def test_writers_tell_how_much_there_will_be(tmp_path, suffix, monkeypatch):
    for name in ("cells.CHUNK", "adjacency_lines.LISTS", "ldbc.CHUNK"):
        monkeypatch.setattr(f"clgraph.formats.{name}", 1 << 12)
    graph, path = tangle(3, n=30_000, edges=250_000).without_self_loops, tmp_path / f"g.{suffix}"
    seen = []
    write_with_summary(graph, path, device="host", progress=lambda *each: seen.append(each))
    size = path.stat().st_size
    known = [of for done, of in seen if done > size / 2]
    assert known and all(of is not None and 0.5 * size < of < 2 * size for of in known), seen
