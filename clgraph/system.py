"""Features of Linux that other systems lack, each with its substitute.

Nobody has run clgraph on Windows or macOS: there is this module, and tests that hide what those systems lack.

Also what belongs to the whole process: its filters of warnings, what a fork has left in it, and its signals.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import stat
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from clgraph.errors import ClgraphError

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor
    from types import FrameType

T = TypeVar("T")
#: for `os.open`: children do not inherit the file, and Windows leaves its bytes alone
OPEN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
#: the signals by which somebody else ends a process; Windows has no hang-up
TERMINATING: tuple[int, ...] = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)
#: the signal of a pipe without a reader, also where there is none: its number is part of an exit status
SIGPIPE: int = getattr(signal, "SIGPIPE", 13)


def user() -> int | None:
    """The user's number; None where users have none (Windows)."""
    return os.getuid() if hasattr(os, "getuid") else None


def cores() -> int:
    """Processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory() -> int | None:
    """Bytes of memory of this computer; None where the system does not say so (Windows)."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def is_alive(pid: int) -> bool:
    """True if a process of that number runs here, or if asking would do harm (Windows)."""
    if sys.platform == "win32":
        return True  # os.kill(pid, 0) would send it Ctrl-C
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass  # somebody else's
    return True


def copy_mode(descriptor: int, mode: int) -> None:
    """Give an open file the permissions of another one's mode; Windows has none to give."""
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, stat.S_IMODE(mode))


def open_folder(folder: str | os.PathLike[str]) -> int | None:
    """A descriptor that brings a folder to the disk; None where folders cannot be opened (Windows)."""
    if not hasattr(os, "O_DIRECTORY"):
        return None
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | OPEN)
    except OSError:
        return None  # a folder that one may write to but not read


def lock_file(descriptor: int) -> bool:
    """Lock an open file until it is closed; False if another process, or another opening of it, has it.

    Where neither the system (Windows) nor the file system has such locks, nobody is kept out.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EINVAL):
            raise
    return True


_seeking = threading.Lock()


def read_at(descriptor: int, view: memoryview, offset: int) -> int:
    """Fill a view, or a part of it, from a place of an open file; 0 at its end."""
    if hasattr(os, "preadv"):
        return os.preadv(descriptor, [view], offset)
    with _seeking:  # without preadv the place is the file's, and threads share it
        os.lseek(descriptor, offset, os.SEEK_SET)
        data = os.read(descriptor, len(view))
    view[: len(data)] = data
    return len(data)


@contextmanager
def starting_threads() -> Iterator[None]:
    """Within the block a thread that the system does not start is a ClgraphError."""
    try:
        yield
    except RuntimeError as error:
        if "can't start new thread" not in str(error):
            raise
        raise ClgraphError(
            "the system starts no more threads for this user or container; end other programs, or raise the "
            "limit (ulimit -u, pids.max)"
        ) from error


def thread_pool(most: int, name: str) -> ThreadPoolExecutor:
    """A pool of threads, which are started as tasks come (see `starting_threads`)."""
    return _pool_class()(most, name)


@cache
def _pool_class() -> type[ThreadPoolExecutor]:
    from concurrent.futures import ThreadPoolExecutor  # 15 ms, which `import clgraph` does without

    class Pool(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
            with starting_threads():
                return super().submit(fn, *args, **options)

    return Pool


def ahead(
    work: Callable[..., T], given: Iterable[tuple[Any, ...]], threads: int | None = None
) -> Iterator[T]:
    """Yield what `work` makes of each of some arguments, in order; as many at a time as there are cores."""
    threads = cores() if threads is None else threads
    with thread_pool(threads, "clgraph-ahead") as pool:
        waiting: deque[Future[T]] = deque()
        for each in given:
            waiting.append(pool.submit(work, *each))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


_MAPS = "/proc/self/maps"


class _Process:
    turns = threading.RLock()  # two threads that change filters restore each other's, and leave wrong ones
    inherited = b""  # what was mapped into it when it was forked


def _begin() -> None:
    # short: Python drops a Ctrl-C that comes now
    _Process.turns = threading.RLock()  # who had a turn is a thread of the parent
    if "pyopencl" in sys.modules and os.path.exists(_MAPS):
        _Process.inherited = Path(_MAPS).read_bytes()


def watch_forks(begin: Callable[[], None] = _begin) -> None:
    """At every fork from now on, note in the child what it has of its parent."""
    if hasattr(os, "register_at_fork"):  # Windows does not fork
        os.register_at_fork(after_in_child=begin)


def is_inherited(stem: str) -> bool:
    """True if a library (``libpocl``) was loaded before this process was forked, by whomever."""
    names = (line.rpartition(b"/")[2] for line in _Process.inherited.split(b"\n"))
    return any(os.fsdecode(name).split(".so")[0] == stem for name in names if b".so" in name)


@contextmanager
def no_warnings(*, errors: type[Warning] | None = None) -> Iterator[None]:
    """Within the block no warning is shown.

    Parameters
    ----------
    errors : class of warnings, optional
        These are raised instead.
    """
    with _Process.turns, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if errors is not None:
            warnings.simplefilter("error", errors)
        yield


def exchange(one: Path, other: Path) -> bool:
    """Let two files or folders of one folder change names at once; False where the system cannot do that."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2  # Linux; not every file system of it
    except (AttributeError, OSError, TypeError):
        return False
    here, swap = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return call(here, os.fsencode(one), here, os.fsencode(other), swap) == 0


# --- signals ---


class Termination:
    """Terminating signals that this process has received, and whether they are deferred.

    Also whether any signal, Ctrl-C's too, has interrupted it, and whether a timer is about to raise that.
    """

    def __init__(self) -> None:
        self.caught: list[int] = []
        self.deferred = self.interrupted = self.pending = False


termination = Termination()


@contextmanager
def signals_as_interrupts() -> Iterator[list[int]]:
    """Within the block SIGTERM and SIGHUP raise KeyboardInterrupt, so that files and children are cleaned up.

    As SIGINT does; each once no import is at a point where that would leave a lock locked, and once more if
    it came within a callback of a weak reference or where an object is freed: Python ignores what is raised
    there. (On systems with timers that raise signals, and in the main thread.)

    Yields
    ------
    list of int
        The terminating signals caught so far.
    """
    termination.caught, termination.interrupted = [], False
    in_main_thread = threading.current_thread() is threading.main_thread()
    timers = in_main_thread and _ALARM is not None and signal.getsignal(_ALARM) is signal.SIG_DFL

    def interrupt(number: int, frame: FrameType | None) -> None:
        termination.interrupted = True
        if number != signal.SIGINT:
            termination.caught.append(number)
            for each in mine:
                # timeout(1) sends its signal twice, to the process and to its group: the second one must not
                # interrupt the clean-up after the first
                signal.signal(each, signal.SIG_IGN)
            if termination.deferred:
                return
        stop(frame, 1000 if timers else 0)

    def stop(frame: FrameType | None, tries: int) -> None:
        # importlib's locks might stay locked for ever, and what its callbacks of weak references raise is
        # ignored: a millisecond later, then. (A wait for another thread's import is interrupted in the end.)
        if not tries or not _is_importlib(frame):
            termination.pending = False
            raise KeyboardInterrupt
        stop_later(tries)

    def stop_later(tries: int) -> None:
        termination.pending = True

        def later(_: int, now: FrameType | None) -> None:
            # not if it has been raised meanwhile, or will be by `raise_deferred`
            if termination.pending and not (termination.deferred and termination.caught):
                stop(now, tries - 1)

        signal.signal(_ALARM, later)
        signal.setitimer(signal.ITIMER_REAL, 0.001)

    show = sys.unraisablehook

    def not_ignored(what: sys.UnraisableHookArgs) -> None:
        mine = threading.current_thread() is threading.main_thread() and what.exc_type is not None
        if mine and issubclass(what.exc_type, KeyboardInterrupt):
            stop_later(1000)
        else:
            show(what)

    # not if it is ignored already (nohup), and not in a thread, where Python sets no handlers
    mine = [each for each in TERMINATING if in_main_thread and signal.getsignal(each) is signal.SIG_DFL]
    usual = signal.default_int_handler
    ctrl_c = in_main_thread and signal.getsignal(signal.SIGINT) is usual
    for each in (*mine, signal.SIGINT) if ctrl_c else mine:
        signal.signal(each, interrupt)
    if timers:
        sys.unraisablehook = not_ignored
    try:
        yield termination.caught
    finally:
        if sys.unraisablehook is not_ignored:
            sys.unraisablehook = show
        if timers and (termination.interrupted or termination.pending):
            termination.pending = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(_ALARM, signal.SIG_DFL)
        if ctrl_c:
            signal.signal(signal.SIGINT, usual)
        if not termination.caught:  # else the process is about to end
            for each in mine:
                signal.signal(each, signal.SIG_DFL)


# of a timer; None on Windows
_ALARM: Any = getattr(signal, "SIGALRM", None)


def _is_importlib(frame: FrameType | None) -> bool:
    return frame is not None and frame.f_code.co_filename.startswith("<frozen importlib")


def raise_deferred() -> None:
    """Raise KeyboardInterrupt if a terminating signal has come in the meantime."""
    if termination.caught:
        termination.pending = False
        raise KeyboardInterrupt
