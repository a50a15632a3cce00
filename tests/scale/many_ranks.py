"""What ``test_ranks.py`` runs under mpiexec: calls against one device, and faults, in one job.

``many_ranks.py FOLDER COUNT FILE...`` compares COUNT random graphs and these files; rank 0 prints "ok".
"""

import os
import resource
import shutil
import signal
import sys
import time
from pathlib import Path

import numpy as np
from mpi4py import MPI

import clgraph
from clgraph.errors import ClgraphError, DeviceError
from clgraph.sampling.shards.forest import Forest
from clgraph.scale import comm as module

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # what tests share, as for pytest
from graph_files import raising
from sharded_calls import engine_calls, values

COMM = MPI.COMM_WORLD
RANK, SIZE = COMM.Get_rank(), COMM.Get_size()
DEVICE = "pocl"


def digest(found):
    """What must be equal of a result, comparable."""
    return [each.tobytes() if isinstance(each, np.ndarray) else each for each in values(found)]


def compare(graph, path, seed, shard_edges):
    """All calls, at all ranks against rank 0 alone."""
    at_rank_0(lambda: clgraph.write_shards(graph, path, shard_edges=shard_edges))
    shards = clgraph.open_shards(path)
    many = {
        name: digest(call()) for name, call in engine_calls(shards, DEVICE, seed, dtype="float64").items()
    }
    if RANK == 0:
        alone = engine_calls(graph, DEVICE, seed, dtype="float64")
        for name, found in many.items():
            expected = digest(alone[name]())
            assert found == expected, f"{path.name}, {name}, seed {seed}: not as on one device"
    COMM.Barrier()


def at_rank_0(call):
    """A call at rank 0, for which the others wait."""
    if RANK == 0:
        call()
    COMM.Barrier()


def refused(what, call, *words):
    """A call that must fail at all ranks within its time, with these words, and leave nothing."""
    started = time.monotonic()
    try:
        call()
    except (ClgraphError, OSError) as error:
        text = str(error)
    else:
        text = "it did not fail"
    for word in words:
        assert word in text, f"{what}, rank {RANK}: {text!r} has no {word!r}"
    assert time.monotonic() - started < 30, f"{what}: took {time.monotonic() - started:.0f} s"
    COMM.Barrier()


def faults(folder):
    """Each fault of a shard, a rank, a disk; then the same call without it."""
    rng = np.random.default_rng(1)
    source = folder / "faults.clgs"
    for path in (source, folder / "o.clgs"):
        graph = clgraph.Graph.from_edges(*rng.integers(0, 300, (2, 900)))
        at_rank_0(lambda graph=graph, path=path: clgraph.write_shards(graph, path, shard_edges=100))
    copy, out = folder / "copy.clgs", folder / "out.clgs"

    def sample(path=copy, output=out):
        return clgraph.sample(clgraph.open_shards(path), size="50%", seed=1, device=DEVICE, output=output)

    def fault(what, spoil, *words):
        if RANK == 0:
            shutil.copytree(source, copy)
            spoil()
        COMM.Barrier()
        refused(what, sample, *words)
        if RANK == 0:
            left = sorted(path.name for path in folder.iterdir() if path.name.startswith((".", "out")))
            assert not left, f"{what}: leaves {left}"
            shutil.rmtree(copy)
        COMM.Barrier()

    lost = copy / "pairs-000004.clg"  # rank 1's of 3
    fault("a shard is missing", lost.unlink, lost.name)
    fault("a shard is cut off", lambda: os.truncate(lost, 4200), lost.name, "cut off")

    def change():
        data = bytearray(lost.read_bytes())
        data[4100] ^= 4  # of the first array
        lost.write_bytes(data)

    fault("a byte is changed", change, lost.name)
    other = folder / "o.clgs" / "manifest.json"
    said = (str(copy), "is not the shard that the manifest lists")
    fault("another graph's manifest", lambda: shutil.copy(other, copy), *said)

    add = Forest.add
    if RANK == 1:
        Forest.add = raising(DeviceError("the device is gone"))
    who = [] if RANK == 1 else ["rank 1"]
    refused("a device fails", lambda: sample(source), "the device is gone", *who)
    Forest.add = add
    assert not out.exists()

    sample(source)  # all kernels are built: PoCL writes files as it compiles
    COMM.Barrier()
    at_rank_0(lambda: shutil.rmtree(out))
    if RANK == 1:
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))
    refused("rank 1's disk is full", lambda: sample(source), "cannot write", ".clg")
    if RANK == 1:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not out.exists()
    for name in ("no such folder", "/sys/kernel"):
        refused("a folder to which nobody may write", lambda n=name: sample(source, Path(n, "s.clgs")), name)

    refused("different datasets", lambda: sample([source, folder / "o.clgs"][RANK % 2]), "the ranks differ")
    version, module.__version__ = module.__version__, f"9.{RANK}"
    refused("different versions", lambda: sample(source), "the ranks differ", "clgraph 9.0", "clgraph 9.1")
    module.__version__ = version
    made = sample(source)
    if RANK == 0:
        alone = folder / "alone.clgs"
        shards = clgraph.open_shards(source, comm=MPI.COMM_SELF)
        expected = clgraph.sample(shards, size="50%", seed=1, device=DEVICE, output=alone)
        assert made.shards.fingerprint == expected.shards.fingerprint


def main():
    """Compare, break, and say that all is right."""
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    module.devices_of(DEVICE, COMM)  # files are read on devices before the first call on shards
    for number in range(count):
        rng = np.random.default_rng(number)
        n = int(rng.integers(1, 90))
        edges = rng.integers(0, n, (2, int(rng.integers(0, 3 * n))))
        graph = clgraph.Graph.from_edges(*edges, directed=number % 3 == 1, vertices=np.arange(n))
        compare(graph, folder / "random.clgs", number, (1000, 30, 1)[number % 3])
    for name in sys.argv[3:]:
        graph = clgraph.read(name, directed="Wiki" in name or "cnr" in name, device=DEVICE)
        compare(graph, folder / f"{Path(name).name}.clgs", 7, graph.num_arcs // 7 + 1)
    faults(folder)
    COMM.Barrier()
    if RANK == 0:
        print("ok", flush=True)


try:
    main()
except BaseException as error:
    import traceback

    traceback.print_exc()
    print(f"rank {RANK}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    COMM.Abort(1)
