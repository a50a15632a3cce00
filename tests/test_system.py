"""Processes of their own: what other systems lack is hidden from clgraph, or every warning is an error."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cli_runs import python

from clgraph import system

HIDE = """
import builtins, importlib, os, pkgutil, signal, sys

system, kind = sys.argv[1:3]
MODULES = {"windows": "pwd grp fcntl resource termios syslog", "macos": ""}[system].split()
NAMES = {
    "windows": "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK fchmod fork geteuid getgid getuid killpg mkfifo "
    "preadv pread posix_fadvise register_at_fork sched_getaffinity sched_setaffinity setsid statvfs sysconf "
    "uname SIGHUP SIGPIPE SIGKILL",
    "macos": "posix_fadvise sched_getaffinity sched_setaffinity",
}[system].split()
PLATFORM = {"windows": "win32", "macos": "darwin"}[system]

class Module:
    def __init__(self, real):
        vars(self)["real"] = real
    def __getattr__(self, name):
        if name in NAMES:
            raise AttributeError(f"{self.real.__name__} has no {name} on {system}")
        return PLATFORM if (self.real, name) == (sys, "platform") else getattr(self.real, name)
    def __setattr__(self, name, value):
        setattr(self.real, name, value)

HIDDEN = {real.__name__: Module(real) for real in (os, signal, sys)}
plain = builtins.__import__

def import_for(name, globals=None, locals=None, fromlist=(), level=0):
    # other packages see this system as it is: what they need of it is their own affair
    if level == 0 and str((globals or {}).get("__name__")).startswith("clgraph"):
        if name in MODULES:
            raise ModuleNotFoundError(f"no {name} on {system}", name=name)
        if name in HIDDEN or (name == "os.path" and not fromlist):
            return HIDDEN[name.partition(".")[0]]
    return plain(name, globals, locals, fromlist, level)

builtins.__import__ = import_for

import clgraph
for found in pkgutil.walk_packages(clgraph.__path__, "clgraph."):
    if not found.name.endswith("__main__") and ".one_core" not in found.name:
        try:
            importlib.import_module(found.name)
        except ModuleNotFoundError as error:
            assert not str(error.name).startswith("clgraph"), error
            assert error.name not in MODULES, error
"""
WORK = """
from clgraph.cli import main
assert clgraph.system.sys.platform == PLATFORM != sys.platform and os.getpid() == clgraph.system.os.getpid()
g = clgraph.Graph.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0])
made = clgraph.sample(g, "drv", size="50%", seed=1, device=kind)
assert made.vertices.tolist() == [1, 2], made
for name in ("g.clg", "g.txt"):
    for _ in range(2):  # the second time there is a file to be replaced
        clgraph.write(g, name)
    assert clgraph.read(name).num_edges == 6
main(["sample", "g.txt", "--size", "3", "--device", kind, "-q", "-o", "out.txt"])
assert open("out.txt").read()
main(["cache", "--clear"])
print("all is well")
"""


@pytest.mark.parametrize("hidden", ["windows", "macos"])
def test_works_without_what_the_system_lacks(device, tmp_path, hidden):
    cache = str(tmp_path / "cache")
    done = python("-c", HIDE + WORK, hidden, device.spec, cwd=tmp_path, CLGRAPH_CACHE_DIR=cache)
    assert done.out.endswith("all is well\n"), done.err[-3000:]
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".clgraph")] == []


def test_files_are_read_from_places_without_preadv(monkeypatch, tmp_path):
    """By several threads that share one descriptor."""
    monkeypatch.delattr(os, "preadv")
    data = os.urandom(1 << 20)
    (tmp_path / "data").write_bytes(data)
    descriptor = os.open(tmp_path / "data", os.O_RDONLY | system.OPEN)
    got = bytearray(len(data))

    def read(begin):
        for at in range(begin, len(data), 4096 * 4):
            assert system.read_at(descriptor, memoryview(got)[at : at + 4096], at) == 4096

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(read, range(0, 4 * 4096, 4096)))
    assert system.read_at(descriptor, memoryview(bytearray(9)), len(data)) == 0
    os.close(descriptor)
    assert bytes(got) == data


def test_no_process_is_interrupted_to_see_whether_it_lives(monkeypatch):
    """On Windows ``os.kill(pid, 0)`` sends Ctrl-C."""
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("it was"))
    assert system.is_alive(os.getpid())


# --- host code in Python's development mode: no file left open, nothing old --------------------------------

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
def test_no_warning_of_ours(device, tmp_path, what):
    script = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n{SCRIPT}"
    # the libraries' own warnings as they are imported, and compilers' notes, are not ours
    strict = ["-X", "dev", "-W", "error", "-W", "ignore:Non-empty compiler output"]
    done = python(
        *strict, "-c", script, device.spec, what, raises=what == "left open", cwd=tmp_path, timeout=500
    )
    assert done.status == 0, done.err
    for words in ("Warning", "Exception ignored"):
        assert (words in done.err) == (what == "left open"), done.err
