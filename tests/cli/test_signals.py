"""Ended from outside (SIGTERM, SIGHUP): what Ctrl-C leaves, and no more."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from browser import plotting  # noqa: F401
from cli_runs import environment

# what the shell that began the tests ignores (nohup: SIGHUP) is inherited, and no matter of these tests
AS_EVER = """
import signal
signal.pthread_sigmask(signal.SIG_SETMASK, [])
for each in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, signal.SIG_DFL)
"""
# the signal comes when the whole output lies in its temporary file, just before that is renamed; every
# signal is sent twice, as timeout(1) does
IN_WRITING = """
import os, signal, sys
replace = os.replace

def interrupted(source, target):
    if os.fspath(target) == sys.argv[2]:
        print(os.path.getsize(source), flush=True)
        for _ in range(2):
            os.kill(os.getpid(), int(sys.argv[1]))
    replace(source, target)

os.replace = interrupted
from clgraph.cli import main
main(sys.argv[3:])
"""
# the child process of a bench case is one that ends its parent and would then live on
IN_A_CHILD = """
import sys, types
import clgraph.bench.cases.sampling as cases
cases.sys = types.SimpleNamespace(executable=sys.argv[1], path=sys.path)
from clgraph.cli import main
main(sys.argv[2:])
"""


def python(code, *args):
    return subprocess.run(
        [sys.executable, "-c", AS_EVER + code, *map(str, args)],
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        env=environment(),
    )


@pytest.mark.parametrize(
    ("number", "status", "word"),
    [(signal.SIGTERM, 143, "terminated"), (signal.SIGHUP, 129, "the terminal was closed")],
)
def test_an_output_is_whole_or_as_it_was(tmp_path, number, status, word):
    out = tmp_path / "graph.txt"
    out.write_text("what was there before\n")
    args = ("generate", "powerlaw", "--vertices", "2000", "--seed", "1", "-o", out)
    done = python(IN_WRITING, number.value, out, *args)
    assert done.returncode == status, done.stderr
    assert int(done.stdout) > 1000  # the temporary file was there
    assert done.stderr.split("\n")[-2] == f"clgraph: {word}"
    assert "Traceback" not in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["graph.txt"]
    assert out.read_text() == "what was there before\n"


@pytest.mark.first_device
def test_a_report_is_whole_or_not_there(device, plotting, tmp_path):  # noqa: F811
    graph, report = tmp_path / "graph.txt", tmp_path / "report.html"
    graph.write_text("".join(f"{v} {(v + 1) % 40}\n{v} {(v + 7) % 40}\n" for v in range(40)))
    done = python(
        IN_WRITING,
        signal.SIGTERM.value,
        report,
        "quality",
        graph,
        "--report",
        report,
        "--device",
        device.spec,
    )
    assert done.returncode == 143, done.stderr
    assert int(done.stdout) > 1000
    assert done.stderr.endswith("clgraph: terminated\n")
    assert "Traceback" not in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["graph.txt"]


@pytest.mark.first_device
def test_a_bench_leaves_no_child_behind(device, tmp_path):
    killer, told, out = tmp_path / "killer", tmp_path / "pid", tmp_path / "out"
    killer.write_text(f"#!/bin/sh\necho $$ > {told}\nkill -TERM $PPID\nexec sleep 600\n")
    killer.chmod(0o755)
    done = python(
        IN_A_CHILD,
        killer,
        "bench",
        "sampling",
        "--sizes",
        "300",
        "--only",
        "*/drv exact/clgraph, one core",
        "--device",
        device.spec,
        "--no-figures",
        "--out",
        out,
    )
    assert done.returncode == 143, done.stderr
    assert f"0 of 1 cases are in {out / 'cases'}: the same command goes on from there" in done.stderr
    assert done.stderr.endswith("clgraph: terminated\n")
    assert "Traceback" not in done.stderr
    child = Path("/proc", told.read_text().strip(), "stat")
    deadline = time.monotonic() + 30
    while _runs(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _runs(child)
    assert [file.name for file in out.iterdir()] == ["cases"]
    assert not list((out / "cases").iterdir())


def _runs(stat):
    """Whether a process is there, and more than an entry that nobody has asked for yet."""
    try:
        return stat.read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False
