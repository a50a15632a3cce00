"""Processes that may die: each works through cases and says on a pipe what became of them.

Most are forked from this one, which has imported everything and opened no driver. Those that use a device
are started afresh, since drivers do not survive a fork.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import re
import resource
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

from cli_runs import environment

import clgraph
import clgraph.cli
from fuzz.case import Case, Failure
from fuzz.kinds import KINDS, kind_of, make

SECONDS = 5.0  # of processor time for one input
DEVICE_SECONDS = 100.0  # kernels are built in it
WALL = 120.0  # for what sleeps
ADDRESSES, DATA, RESIDENT = 4 << 30, 512 << 20, 256 << 20  # bytes that an input may take
TESTS = Path(__file__).resolve().parent.parent
LIBRARIES = ("igraph", "networkx", "pandas", "pyarrow.parquet", "pyarrow.compute", "scipy.io")
LIBRARIES += ("scipy.sparse.csgraph",)


@dataclass(frozen=True)
class Outcome:
    """What became of a case: "accepted", "refused", or the kind of failure."""

    label: str  # its number, or the name of its file
    end: str
    what: str = ""

    @property
    def signature(self):
        """The same for failures of one cause."""
        return self.end + " " + re.sub(r"[0-9]+|'[^']*'|\"[^\"]*\"", "#", self.what)[:120]


def in_a_fork(do, *args):
    """Call a function in a fork of this process, which ends with it: 0, or as after an exception; its id."""
    if child := os.fork():
        return child
    status = 70
    try:
        do(*args)
        status = 0
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    except KeyboardInterrupt:  # before a command has begun, or after its end
        status = 130
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


# --- in the worker ------------------------------------------------------------------------------------------


def import_all():
    """What cases use, before the first fork; none of it opens a driver."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    for name in LIBRARIES:
        importlib.import_module(name)
    for found in pkgutil.walk_packages(clgraph.__path__, "clgraph."):
        if found.name.split(".")[1] not in ("__main__", "bench", "networkx_backend"):
            importlib.import_module(found.name)


def run_one(case, folder):
    """How a case ends, in this process."""
    try:
        return ("accepted" if KINDS[case.kind].run(case, folder) else "refused"), ""
    except Failure as failure:
        return failure.kind, failure.what
    except MemoryError as error:
        return "memory", f"MemoryError {_place(error)}"
    except BaseException as error:
        return "raw", f"{type(error).__name__} {_place(error)}: {str(error)[:200]}"


def _place(error):
    """The innermost line of clgraph that an exception went through."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        _, folder, file = frame.filename.rpartition(f"{os.sep}clgraph{os.sep}")
        if folder:
            return f"in {file}:{frame.name}"
    return "outside clgraph"


def work(cases, out, folder, device):
    """Run cases one after the other, and say on the pipe how each ends."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    sizes = {name: int(status[name].split()[0]) * 1024 for name in ("VmSize", "VmData")}
    if not device:
        resource.setrlimit(resource.RLIMIT_AS, (sizes["VmSize"] + ADDRESSES,) * 2)
        resource.setrlimit(resource.RLIMIT_DATA, (sizes["VmData"] + DATA,) * 2)
    before = _resident()
    for label, case in cases:
        os.write(out, f"begin {label}\n".encode())
        signal.setitimer(signal.ITIMER_PROF, DEVICE_SECONDS if device else SECONDS)
        end, what = run_one(case, folder)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if not device and _resident() - before > RESIDENT:
            if end in ("accepted", "refused"):
                end, what = "memory", "hundreds of MB for a small input"
            before = _resident()
        os.write(out, json.dumps([label, end, what[:500]]).encode() + b"\n")
        os.chdir("/")
        for entry in list(os.scandir(folder)):
            shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)


def _resident():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def numbered(seed, numbers, device, only=KINDS):
    """The cases of these numbers that are for this sort of worker and of these kinds."""
    for number in numbers:
        if KINDS[kind_of(number)].device == device and kind_of(number) in only:
            yield str(number), make(seed, number)


# --- in the server ------------------------------------------------------------------------------------------


class Worker:
    """One process, the pipe that it writes to, and the case that it is at."""

    def __init__(self, start, device):
        shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir=shared))
        read, write = os.pipe()
        self.device = device
        self.pid = start(write, self.folder)
        os.close(write)
        self.pipe = os.fdopen(read, "rb", buffering=0)
        self.rest, self.at, self.last, self.since = b"", "", "", time.monotonic()

    def outcomes(self):
        """What has been written since the last call; at the end of the process, how it ended."""
        data = self.pipe.read(1 << 16) or b""
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            self.since = time.monotonic()
            if line.startswith(b"begin "):
                self.at = self.last = line[6:].decode()
            else:
                yield Outcome(*json.loads(line))
                self.at = ""
        if not data:
            self.pipe.close()
            code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            shutil.rmtree(self.folder, ignore_errors=True)
            self.pid = 0
            if code in (-signal.SIGPROF, -signal.SIGKILL):
                yield Outcome(self.at or self.last, "hang", "took longer than it may")
            elif code:
                how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
                yield Outcome(self.at or self.last, "crash", how)

    def stop_if_stuck(self):
        """End a process that sleeps at a case."""
        if time.monotonic() - self.since > WALL + DEVICE_SECONDS * self.device:
            os.kill(self.pid, signal.SIGKILL)


def forked(cases):
    """A worker forked from this process."""

    def start(write, folder):
        return in_a_fork(lambda: work(cases(), write, folder, device=False))

    return Worker(start, device=False)


def spawned(*args):
    """A worker for a device: ``python tests/fuzz --work ...``."""

    def start(write, folder):
        command = [sys.executable, TESTS / "fuzz", "--work", str(write), folder, *map(str, args)]
        nothing = subprocess.DEVNULL
        return subprocess.Popen(command, pass_fds=[write], stdin=nothing, env=environment()).pid

    return Worker(start, device=True)


def spawned_main(args):
    """The other end of `spawned`, for a range of inputs or for a file of cases.

    Parameters
    ----------
    args : list of str
        ``PIPE FOLDER range SEED START STOP KIND ...`` or ``PIPE FOLDER file FILE``.
    """
    out, folder = int(args[0]), Path(args[1])
    if args[2] == "range":
        seed, start, stop = map(int, args[3:6])
        cases = numbered(seed, range(start, stop), True, args[6:])
    else:
        listed = json.loads(Path(args[3]).read_text())
        cases = [(label, Case.from_json(text)) for label, text in listed.items()]
    work(cases, out, folder, device=True)
    os._exit(0)  # without the drivers' own farewells


def follow(workers, replaced):
    """Outcomes of some workers as they come; one that has ended is replaced until there is nothing left."""
    with selectors.DefaultSelector() as selector:
        for worker in workers:
            selector.register(worker.pipe, selectors.EVENT_READ, worker)
        while selector.get_map():
            for key, _ in selector.select(timeout=1):
                worker = key.data
                died = None
                selector.unregister(worker.pipe)
                for outcome in worker.outcomes():
                    died = outcome if worker.pid == 0 else None
                    yield outcome
                if worker.pid:
                    selector.register(worker.pipe, selectors.EVENT_READ, worker)
                elif (next_one := replaced(worker, died)) is not None:
                    selector.register(next_one.pipe, selectors.EVENT_READ, next_one)
            for key in list(selector.get_map().values()):
                key.data.stop_if_stuck()


def outcomes_of(cases):
    """Run these cases, each in a process that may die."""
    found = {}

    def run(labels, device):
        def next_worker(*_):
            todo = {label: cases[label] for label in labels if label not in found}
            if not todo:
                return None
            if not device:
                return forked(todo.items)
            file = Path(tempfile.mkdtemp(prefix="fuzz-cases-"), "cases.json")
            file.write_text(json.dumps({label: case.to_json() for label, case in todo.items()}))
            return spawned("file", file)

        if first := next_worker():
            for outcome in follow([first], next_worker):
                found.setdefault(outcome.label or labels[0], outcome)

    for device in (False, True):
        run([label for label, case in cases.items() if KINDS[case.kind].device == device], device)
    return found
