"""Ranks: the processes, or threads, that work on one dataset together, and the messages between them.

Only this module knows MPI. A message is a NumPy array with four numbers in front; the collective calls are
trees and rings of messages, the same for MPI's ranks, for threads on the devices of one process, and for one
rank alone. A rank that fails informs all others at once: whoever waits for a message looks for that, so that
all raise the same error instead of waiting for ever.
"""

from __future__ import annotations

import os
import queue
import time
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from clgraph import system
from clgraph._version import __version__, pip_hint
from clgraph.errors import ClgraphError, DeviceError, InputError
from clgraph.keyed import check_seed

T = TypeVar("T")
Array = npt.NDArray[Any]
PIECE = 1 << 30  # bytes of a message that MPI gets at once
SHORTEST, LONGEST = 10e-6, 2e-3  # seconds between two looks: MPI's own waits take the cores of CPU devices
STARTED = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "FLUX_JOB_SIZE")


class Ranks:
    """The ranks of a job, seen by one of them; as it is: one rank, which has nobody to talk to.

    Attributes
    ----------
    rank, size : int
    shares_memory : bool
        Whether a message is the sender's array itself.
    """

    rank = 0
    size = 1
    shares_memory = True

    # --- messages -----------------------------------------------------------------------------------

    def _start(self, to: int, array: Array) -> Callable[[], None]:
        """Begin to send; the returned function waits until the array may change."""
        raise AssertionError("there is no other rank")

    def _receive(self, source: int, into: Array | None = None) -> Array:
        """Receive a rank's next message, as bytes (uint8); `into` is room for it, which need not be used."""
        raise AssertionError("there is no other rank")

    def fail(self, error: BaseException) -> None:
        """Inform all others that this rank has failed."""

    def receive(self, source: int, dtype: npt.DTypeLike, into: Array | None = None) -> Array:
        """Return the next message of a rank as a one-dimensional array."""
        return self._receive(source, into).view(dtype)

    def send(self, to: int, array: Array) -> None:
        """Send an array, which is not written to any more, to a rank."""
        self._start(to, array)()

    # --- everybody together -------------------------------------------------------------------------

    def merge(self, value: T, pack: Callable[[T], Array], join: Callable[[T, Array], T]) -> T | None:
        """Return the joined values of all ranks, at rank 0 (None elsewhere); `join` must be associative.

        Rank r + k sends to r for k = 1, 2, 4, ...: log2(size) messages in a row.
        """
        step = 1
        while step < self.size:
            if self.rank & step:
                self.send(self.rank - step, pack(value))
                return None
            if self.rank + step < self.size:
                value = join(value, self._receive(self.rank + step))
            step *= 2
        return value

    def broadcast(self, array: Array | None, dtype: npt.DTypeLike) -> Array:
        """Return rank 0's array, at all ranks."""
        step = 1
        while step < self.size:
            step *= 2
        while step > 1:
            step //= 2
            place = self.rank % (2 * step)
            if place == 0 and self.rank + step < self.size:
                assert array is not None
                self.send(self.rank + step, array)
            elif place == step:
                array = self.receive(self.rank - step, dtype)
        assert array is not None
        return array

    def everywhere(self, array: Array, into: Sequence[Array] | None = None) -> list[Array]:
        """Return the arrays of all ranks, of one dtype and any lengths, at all ranks; by a ring.

        Where messages are copied, they are copied to bytes `into`, one array for each rank, if it is given.
        """
        found: list[Array] = [array] * self.size
        right, left = (self.rank + 1) % self.size, (self.rank - 1) % self.size
        for step in range(self.size - 1):
            wait = self._start(right, found[(self.rank - step) % self.size])
            whose = (self.rank - step - 1) % self.size
            found[whose] = self.receive(left, array.dtype, None if into is None else into[whose])
            wait()
        return found

    def total(self, array: Array) -> Array:
        """Return the sum of the arrays of all ranks, at all ranks."""
        return np.sum(self.everywhere(array), axis=0, dtype=array.dtype)

    def agree(self, **what: str) -> None:
        """Raise InputError unless all ranks were given the same (dataset, method, version, ...)."""
        own = "\n".join(f"{key} {value}" for key, value in {**what, "clgraph": __version__}.items())
        texts = [bytes(each).decode() for each in self.everywhere(np.frombuffer(own.encode(), np.uint8))]
        for rank, text in enumerate(texts):
            for mine, other in zip(texts[0].split("\n"), text.split("\n"), strict=False):
                if mine != other:
                    raise InputError(
                        f"the ranks differ: rank 0 has {mine}, rank {rank} has {other}; give all the same"
                    )

    def shares(self, count: int) -> range:
        """Return the numbers of this rank's shards, out of `count`."""
        return range(self.rank, count, self.size)


class Failure(ClgraphError):
    """Raised by a rank when another one has failed, with that one's message."""


class Threads(Ranks):
    """Ranks that are threads of this process. A message is the sender's array: nobody writes to it any more.

    All share `desks`, which are for each rank its queues of messages by source, and `failed`.
    """

    def __init__(self, rank: int, desks: list[list[queue.SimpleQueue[Array]]], failed: list[Any]) -> None:
        self.rank, self.size = rank, len(desks)
        self._desks, self._failed = desks, failed

    def _start(self, to: int, array: Array) -> Callable[[], None]:
        self._desks[to][self.rank].put(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
        return lambda: None

    def _receive(self, source: int, into: Array | None = None) -> Array:
        while True:
            try:
                return self._desks[self.rank][source].get(timeout=0.05)
            except queue.Empty:
                if self._failed:
                    raise Failure(str(self._failed[0])) from self._failed[0]

    def fail(self, error: BaseException) -> None:
        """Inform all others."""
        self._failed.append(error)

    @staticmethod
    def run(size: int, work: Callable[[Ranks], T]) -> T:
        """Return what `work` does at rank 0, with a thread for each rank; raise the first error of any."""
        desks: list[list[queue.SimpleQueue[Array]]] = [
            [queue.SimpleQueue() for _ in range(size)] for _ in range(size)
        ]
        failed: list[BaseException] = []

        def one(rank: int) -> Any:
            ranks = Threads(rank, desks, failed)
            try:
                return work(ranks)
            except Failure:
                pass  # the rank that failed first has noted its own error, which is raised below
            except BaseException as error:  # raised in the caller's thread
                ranks.fail(error)
            return None

        with system.thread_pool(size, "clgraph-rank") as pool:
            try:
                jobs = [pool.submit(one, rank) for rank in range(size)]
                results = [job.result() for job in jobs]
            except BaseException as error:  # Ctrl-C reaches the main thread only; no thread could be started
                failed.append(error)
                raise
        if failed:
            raise failed[0]
        return results[0]


class Mpi(Ranks):
    """Ranks of an MPI communicator, which is duplicated: messages of others do not get in between."""

    DATA, FAILED = 1, 2
    shares_memory = False

    def __init__(self, comm: Any) -> None:
        from mpi4py import MPI

        self._mpi, self._comm = MPI, comm.Dup()
        self.rank, self.size = self._comm.Get_rank(), self._comm.Get_size()
        local = comm.Split_type(MPI.COMM_TYPE_SHARED)
        self.local_rank, self.local_size = local.Get_rank(), local.Get_size()
        local.Free()

    def _wait(self, request: Any) -> None:
        # waits grow: short messages come at once, and long ones leave the cores to the devices
        pause = SHORTEST
        while not request.Test():
            state = self._mpi.Status()
            if self._comm.Iprobe(self._mpi.ANY_SOURCE, self.FAILED, state):
                text = np.empty(state.Get_count(self._mpi.BYTE), np.uint8)
                self._comm.Recv([text, self._mpi.BYTE], state.Get_source(), self.FAILED)
                raise Failure(bytes(text).decode("utf-8", "replace"))
            time.sleep(pause)
            pause = min(2 * pause, LONGEST)

    def _start(self, to: int, array: Array) -> Callable[[], None]:
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        length = np.array([len(data)], np.int64)
        requests = [self._comm.Isend([length.view(np.uint8), self._mpi.BYTE], to, self.DATA)]
        for begin in range(0, len(data), PIECE):
            requests.append(self._comm.Isend([data[begin : begin + PIECE], self._mpi.BYTE], to, self.DATA))

        def wait(alive: Any = (data, length)) -> None:  # the arrays live until they are sent
            for request in requests:
                self._wait(request)

        return wait

    def _receive(self, source: int, into: Array | None = None) -> Array:
        length = np.empty(1, np.int64)
        self._wait(self._comm.Irecv([length.view(np.uint8), self._mpi.BYTE], source, self.DATA))
        fits = into is not None and into.nbytes == length[0]
        data = into if into is not None and fits else np.empty(int(length[0]), np.uint8)
        for begin in range(0, len(data), PIECE):
            self._wait(self._comm.Irecv([data[begin : begin + PIECE], self._mpi.BYTE], source, self.DATA))
        return data

    def fail(self, error: BaseException) -> None:
        """Inform all others; they may be gone already, so nobody waits for that."""
        text = np.frombuffer(f"rank {self.rank}: {error}".encode()[:4000], np.uint8).copy()
        requests = [
            self._comm.Isend([text, self._mpi.BYTE], other, self.FAILED)
            for other in range(self.size)
            if other != self.rank
        ]
        # ranks that have ended already never take the message
        deadline = time.monotonic() + 5
        while requests and time.monotonic() < deadline:
            requests = [request for request in requests if not request.Test()]
            time.sleep(LONGEST)

    def close(self) -> None:
        """Give the communicator back, once all ranks are done."""
        self._comm.Free()


def world() -> Any:
    """Return MPI's communicator of all processes if a launcher has started several, else None."""
    counts = [int(count) for name in STARTED if (count := os.environ.get(name, "")).isdigit()]
    if max(counts, default=1) < 2 and "PMIX_RANK" not in os.environ:
        return None
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise InputError(
            "a launcher has started this as one of several processes, but mpi4py is missing, without which "
            f"each would do the whole work: {pip_hint('mpi')}"
        ) from error
    comm = MPI.COMM_WORLD
    if comm.Get_size() == 1 and max(counts, default=1) > 1:
        library = MPI.Get_library_version().splitlines()[0][:60]
        raise InputError(
            f"you started {max(counts)} processes, but each sees itself alone: mpi4py uses the library "
            f"{library}, the launcher is another MPI's; use the launcher of that library"
        )
    return comm if comm.Get_size() > 1 else None


def shared_seed(seed: int | None, comm: Any = None) -> int:
    """Return a seed, checked; None draws one, the same for all ranks of `comm` (default: all of a job)."""
    found = check_seed(seed)
    comm = (comm or world()) if seed is None else None
    return found if comm is None else int(comm.bcast(found))


def run_on_ranks(work: Callable[[Ranks, Any], T], device: Any = None, comm: Any = None) -> T:
    """Run ``work(ranks, device)`` on all ranks there are, each with a device of its own.

    `device` may be several, in a list or separated by commas. MPI's ranks on one host take them in turn;
    without MPI each gets a thread. By default `comm` has all processes, if a launcher has started several.
    """
    comm = world() if comm is None else comm
    if comm and comm.Get_size() > 1:
        ranks = Mpi(comm)
        try:
            made = work(ranks, _of_host(_specs(device), ranks))
        except Failure:
            raise
        except BaseException as error:
            ranks.fail(error)
            raise
        ranks.close()
        return made
    devices = devices_of(device)
    if len(devices) == 1:
        return work(Ranks(), devices[0])
    return Threads.run(len(devices), lambda ranks: work(ranks, devices[ranks.rank]))


def devices_of(device: Any, comm: Any = None) -> list[Any]:
    """Return the devices of this process in `run_on_ranks`."""
    from clgraph.device import get_device

    wanted = _specs(device)
    if comm is not None and comm.Get_size() > 1:
        return [_of_host(wanted, Mpi(comm))]
    if len(wanted) < 2:
        return [get_device(*wanted)]
    with system.thread_pool(len(wanted), "clgraph-open") as pool:  # a GPU's context takes a while
        return list(pool.map(get_device, wanted))


def _specs(device: Any) -> list[Any]:
    if device is None:
        return []
    if isinstance(device, str):
        return [part.strip() for part in device.split(",")]
    return list(device) if isinstance(device, Sequence) else [device]


@cache
def _say_shared(processes: int, devices: int) -> None:
    """Warn, once, that there are fewer devices than processes."""
    some = "1 device" if devices == 1 else f"{devices} devices"
    warnings.warn(f"{processes} processes of this host share {some}: start one a device", stacklevel=6)


def _of_host(wanted: list[Any], ranks: Mpi) -> Any:
    """Return the device of an MPI rank: by default the host's GPUs in turn, else its CPU device."""
    from socket import gethostname

    from clgraph.device import get_device
    from clgraph.device.cache import drivers_folder, make_room
    from clgraph.device.choosing import list_devices

    if (
        ranks.local_size > 1
    ):  # settings of PoCL that ranks of one host need, before the first look at any driver
        place = (
            (drivers_folder() or make_room("pocl").parent) / "pocl" / f"{gethostname()}-{ranks.local_rank}"
        )
        os.environ.setdefault("POCL_CACHE_DIR", str(place))
        os.environ.setdefault("POCL_MAX_PTHREAD_COUNT", str(max(1, system.cores() // ranks.local_size)))
    if not wanted:
        wanted = [each for each in list_devices() if each.kind == "gpu"] or [None]
    if ranks.rank == 0 and ranks.local_size > len(wanted):
        _say_shared(ranks.local_size, len(wanted))
    try:
        return get_device(wanted[ranks.local_rank % len(wanted)])
    except ClgraphError as error:
        raise DeviceError(f"rank {ranks.rank}: {error}") from error
