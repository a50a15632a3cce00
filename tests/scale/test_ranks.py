"""Ranks: collective calls of threads, and whole commands under MPI."""

import importlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from cli_runs import ROOT, environment, process

import clgraph
from clgraph.errors import InputError
from clgraph.scale.comm import Ranks, Threads
from clgraph.scale.writing import write_shards

MPIEXEC = shutil.which(
    "mpiexec", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
)


def has_mpi():
    if MPIEXEC is None:
        return False
    return subprocess.run([sys.executable, "-c", "import mpi4py"], check=False).returncode == 0


mpi = pytest.mark.skipif(  # required in CI
    os.environ.get("CI") != "true" and not has_mpi(),
    reason="needs mpi4py and mpiexec: pip install mpi4py mpich",
)


WAYS = ("--method", "dre", "--sizes", "60%,20%", "--seed", "4")


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8])
def test_collective_calls(size):
    def work(ranks):
        own = np.arange(ranks.rank + 1, dtype=np.int64)
        merged = ranks.merge(own, lambda x: x, lambda x, other: np.concatenate((x, other.view(np.int64))))
        told = ranks.broadcast(np.array([1.5, 2.5]) if ranks.rank == 0 else None, np.float64)
        each = ranks.everywhere(own)
        ranks.agree(dataset="same")
        return (
            None if merged is None else merged.tolist(),
            told.tolist(),
            [x.tolist() for x in each],
            ranks.total(np.array([ranks.rank, 1])).tolist(),
            list(ranks.shares(11)),
        )

    results = []
    Threads.run(size, lambda ranks: results.append((ranks.rank, work(ranks))))
    expected = [list(range(rank + 1)) for rank in range(size)]
    shares = []
    for rank, (merged, told, each, total, share) in sorted(results):
        assert merged == ([x for each in expected for x in each] if rank == 0 else None)
        assert told == [1.5, 2.5] and each == expected and total == [size * (size - 1) // 2, size]
        shares += share
    assert sorted(shares) == list(range(11))
    assert work(Ranks())[1] == [1.5, 2.5]


def test_ranks_that_differ():
    with pytest.raises(InputError, match="rank 0 has seed 0, rank 1 has seed 1"):
        Threads.run(2, lambda ranks: ranks.agree(seed=str(ranks.rank)))


def test_an_error_of_one_thread_is_raised():
    def work(ranks):
        if ranks.rank == 2:
            raise InputError("the third one fails")
        ranks.everywhere(np.zeros(1))

    started = time.monotonic()
    with pytest.raises(InputError, match="the third one fails"):
        Threads.run(4, work)
    assert time.monotonic() - started < 5


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    rng = np.random.default_rng(9)
    folder = tmp_path_factory.mktemp("ranks")
    graph = clgraph.Graph.from_edges(*rng.integers(0, 300, (2, 900)) * 2)
    write_shards(graph, folder / "g.clgs", shard_edges=150)
    assert process("sample", folder / "g.clgs", *WAYS, "-o", folder / "alone-{size}.clgs").status == 0
    return folder


def mpi_run(count, *args, cwd=ROOT, timeout=100):
    """Python with these arguments as so many ranks."""
    command = [MPIEXEC, "-n", str(count), sys.executable, *map(str, args)]
    env = environment(POCL_MAX_PTHREAD_COUNT="1")
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout)


@mpi
def test_a_command_under_mpi(dataset):
    """The files of one process; one rank speaks; one trace of all; what is amiss is said once."""
    ways = (*WAYS, "--json", "--device", "pocl")
    out = ("-o", "m-{size}.clgs", "--trace", "t.json")
    done = mpi_run(3, "-m", "clgraph", "sample", "g.clgs", *ways, *out, cwd=dataset)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["samples"]) == 2
    assert done.stderr.count("3 processes of this host share 1 device") == 1
    events = json.loads((dataset / "t.json").read_text())["traceEvents"]
    assert {event["pid"] for event in events if event["name"] == "forest_rows"} == {0, 1, 2}
    same_files(dataset, dataset / "m-{size}.clgs")


def same_files(dataset, out):
    """Both samples consist of the files that one process wrote."""
    for size in ("60%", "20%"):
        one, other = dataset / f"alone-{size}.clgs", Path(str(out).format(size=size))
        assert sorted(file.name for file in one.iterdir()) == sorted(file.name for file in other.iterdir())
        for file in one.iterdir():
            assert file.read_bytes() == (other / file.name).read_bytes()


@mpi
def test_a_fault_ends_the_command_with_one_message(dataset, tmp_path):
    copy = shutil.copytree(dataset / "g.clgs", tmp_path / "g.clgs")
    lost = sorted(copy.glob("pairs-*.clg"))[1]
    os.truncate(lost, 4200)
    started = time.monotonic()
    call = ("sample", "g.clgs", "--size", "50%", "-o", "out.clgs")
    done = mpi_run(2, "-m", "clgraph", *call, cwd=tmp_path)
    assert done.returncode != 0 and time.monotonic() - started < 30
    assert done.stderr.count("clgraph: error: ") == 1 and f"error: rank 1: {lost.parent.name}" in done.stderr
    assert lost.name in done.stderr and "Traceback" not in done.stderr and done.stdout == ""
    assert not (tmp_path / "out.clgs").exists()


@mpi
def test_calls_and_faults_of_many_ranks(tmp_path):
    """Calls against one device, on random graphs; then each fault, told by all ranks."""
    done = mpi_run(3, Path(__file__).with_name("many_ranks.py"), tmp_path, "4", timeout=300)
    assert done.returncode == 0 and done.stdout == "ok\n", done.stderr


FATAL = """
import os, signal, sys, clgraph
from mpi4py import MPI
from clgraph.formats import atomic
from clgraph.sampling.shards import passes
from clgraph.scale.loading import Loading
load, passes.SAVE_EVERY = Loading._load, 0
def fatal(self, name, number):
    if number == 3:
        comm.Recv(bytearray(1), 0)
        os.kill(os.getpid(), signal.SIGKILL)
    return load(self, name, number)
Loading._load = fatal
comm, sync = MPI.COMM_WORLD, atomic.sync
def held(descriptor):
    if comm.Get_rank() == 0: comm.Send(bytearray(1), 1); signal.pause()
    sync(descriptor)
atomic.sync = held
ways = {'sizes': ['60%', '20%'], 'seed': 4, 'checkpoint': sys.argv[2] + '.work'}
names = [sys.argv[2].format(size=size) for size in ways['sizes']]
clgraph.sample(clgraph.open_shards(sys.argv[1]), 'dre', outputs=names, **ways)
"""


@mpi
def test_a_rank_that_is_killed_ends_the_job(dataset, tmp_path):
    """What was found until then is used by a job of another number of ranks, which gives the same files.

    The launcher kills the other rank while it writes what it has found; the temporary file goes, too.
    """
    out = tmp_path / "{size}.clgs"
    started = time.monotonic()
    done = mpi_run(2, "-c", FATAL, dataset / "g.clgs", out, timeout=60)
    assert done.returncode != 0 and time.monotonic() - started < 30
    assert [path.name for path in tmp_path.iterdir()] == ["{size}.clgs.work"]
    assert len([*(tmp_path / "{size}.clgs.work").glob(".clgraph-*.tmp")]) == 1
    call = ("sample", dataset / "g.clgs", *WAYS, "-o", out, "--resume")
    again = mpi_run(3, "-m", "clgraph", *call, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["20%.clgs", "60%.clgs"]
    same_files(dataset, out)


@mpi
def test_a_launcher_of_another_mpi(dataset):
    done = process("components", dataset / "g.clgs", OMPI_COMM_WORLD_SIZE="2")
    assert done.status == 1 and "you started 2 processes, but each sees itself alone" in done.err


def test_launched_without_mpi4py(dataset, monkeypatch):
    monkeypatch.setenv("PMI_SIZE", "2")
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(InputError, match="mpi4py is missing"):
        clgraph.sample(clgraph.open_shards(dataset / "g.clgs"), size=5)


def benchmark(monkeypatch, launcher, tmp_path):
    """`command_seconds` of benchmarks/scale.py, with a script for mpiexec."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    (tmp_path / "mpiexec").write_text(f"#!/bin/sh\n{launcher}\n")
    (tmp_path / "mpiexec").chmod(0o700)
    scale = importlib.import_module("scale")
    monkeypatch.setattr(scale.shutil, "which", lambda *_, **__: str(tmp_path / "mpiexec"))
    return scale.command_seconds(tmp_path / "g.clgs", tmp_path / "s.clgs", "", 2, 1)


def test_the_benchmark_says_why_mpiexec_failed(monkeypatch, tmp_path, capfd):
    """What it says is shown, and the command; there is then no figure."""
    assert benchmark(monkeypatch, "echo not enough slots >&2; exit 3", tmp_path) is None
    said = capfd.readouterr().err
    assert "-n 2" in said and "ended with status 3:\nnot enough slots\n" in said


def test_the_benchmark_lets_open_mpi_run_as_root(monkeypatch, tmp_path):
    needed = '[ "$OMPI_ALLOW_RUN_AS_ROOT$OMPI_ALLOW_RUN_AS_ROOT_CONFIRM" = 11 ]'
    assert benchmark(monkeypatch, needed, tmp_path) > 0
