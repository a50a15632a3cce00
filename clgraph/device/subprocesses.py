"""Child processes, which end with this one; some try a driver, since a broken driver ends its process."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clgraph import system
from clgraph.device import cache

SECONDS = 120.0  # without a word from a child; the slowest first probe seen so far took 4

# --- signals --------------------------------------------------------------------------------------


class _Termination:
    """The terminating signals that this process has received, and whether to act on them only later."""

    def __init__(self) -> None:
        self.caught: list[int] = []
        self.deferred = False


_termination = _Termination()


@contextmanager
def signals_as_interrupts() -> Iterator[list[int]]:
    """Within the block SIGTERM and SIGHUP raise KeyboardInterrupt, so that files and children are cleaned up.

    Yields
    ------
    list of int
        The signals caught so far.
    """
    _termination.caught = []

    def interrupt(number: int, _: Any) -> None:
        _termination.caught.append(number)
        for each in mine:
            # timeout(1) sends its signal twice, to the process and to its group: the second one must not
            # interrupt the clean-up after the first
            signal.signal(each, signal.SIG_IGN)
        if not _termination.deferred:
            raise KeyboardInterrupt

    # not if it is ignored already (nohup), and not in a thread, where Python sets no handlers
    in_main_thread = threading.current_thread() is threading.main_thread()
    mine = [
        each for each in system.TERMINATING if in_main_thread and signal.getsignal(each) is signal.SIG_DFL
    ]
    for each in mine:
        signal.signal(each, interrupt)
    try:
        yield _termination.caught
    finally:
        if not _termination.caught:  # else the process is about to end
            for each in mine:
                signal.signal(each, signal.SIG_DFL)


def _raise_deferred() -> None:
    if _termination.caught:
        raise KeyboardInterrupt


def run(
    command: Sequence[str], *, timeout: float | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """`subprocess.run` in text mode; whatever ends this process while it waits ends the child, too.

    Parameters
    ----------
    command : sequence of str
    timeout : float, optional
        Seconds.
    **options
        Of `subprocess.Popen`.
    """
    with _started(command, options) as process:
        out, err = _communicate(process, timeout)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


@contextmanager
def _started(command: Sequence[str], options: dict[str, Any]) -> Iterator[subprocess.Popen[str]]:
    """A process for the block, killed if that raises."""
    # a signal that arrives before Popen returns must wait, or nothing would end the child
    _termination.deferred = True
    try:
        process = subprocess.Popen(command, text=True, errors="replace", **options)
    except BaseException:
        _termination.deferred = False
        _raise_deferred()
        raise
    with process:
        try:
            _termination.deferred = False
            yield process
        except BaseException:
            process.kill()
            raise


def _communicate(process: subprocess.Popen[str], timeout: float | None) -> tuple[str, str]:
    """`Popen.communicate` that looks for caught signals every second.

    Python drops an exception that a signal's handler raises while a finalizer runs, and a signal that another
    thread received does not wake this one.
    """
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        _raise_deferred()
        left = 1.0 if end is None else min(1.0, max(0.0, end - time.monotonic()))
        try:
            return process.communicate(timeout=left)
        except subprocess.TimeoutExpired:
            if end is not None and time.monotonic() >= end:
                raise subprocess.TimeoutExpired(process.args, timeout or 0.0) from None


def options() -> list[str]:
    """Python's options for a child: nothing is imported from the current folder, nor what is barred here.

    ``python -m`` puts the current folder in front of all others: a ``numpy.py`` there would be run.
    """
    return ["-P", *(["-s"] if sys.flags.no_user_site else [])]


def environment() -> dict[str, str]:
    """The environment of a child: it finds clgraph and the cache folder where this process found them."""
    env = dict(os.environ)
    if sys.flags.ignore_environment:  # -E and -I hold for the child, too
        env = {name: value for name, value in env.items() if not name.startswith("PYTHON")}
    root = str(Path(__file__).resolve().parent.parent.parent)
    # an empty entry, as a colon at the end makes one, would be the current folder
    inherited = [entry for entry in env.get("PYTHONPATH", "").split(os.pathsep) if entry]
    env["PYTHONPATH"] = os.pathsep.join([root, *inherited])
    env["CLGRAPH_CACHE_DIR"] = str(cache.cache_folder())
    return env


# --- children that try a driver -------------------------------------------------------------------


MARK = "clgraph: "  # begins the child's lines for its parent: drivers print lines of their own


def say(**what: Any) -> None:
    """For the child: tell its parent something. From here on, what ends this process silently is a driver."""
    print(MARK + json.dumps(what), flush=True)


class Child:
    """``python -m MODULE ARGUMENTS``: iterating over it gives what it says, as that comes.

    Attributes
    ----------
    problem : str or None
        How it ended, once it has, unless it ended well.
    died : bool
        Whether a driver ended it (by a signal, or by leaving the process as libraries should not), or it said
        nothing for `SECONDS`.
    """

    def __init__(self, module: str, *arguments: str, **variables: str) -> None:
        self._command = [sys.executable, *options(), "-m", module, *arguments]
        self._variables = variables
        self.problem: str | None = None
        self.died = False

    def __iter__(self) -> Iterator[dict[str, Any]]:
        with tempfile.TemporaryFile("w+", errors="replace") as errors:
            where = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": errors}
            lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
            last: dict[str, Any] = {}
            try:
                with _started(
                    self._command, {**where, "env": {**environment(), **self._variables}}
                ) as process:
                    with system.starting_threads():
                        threading.Thread(target=_listen, args=(process, lines), daemon=True).start()
                    while (line := _next(lines)) is not None:
                        # not only at its beginning: a driver may have printed half a line before
                        if (begin := line.find(MARK)) >= 0:
                            last = json.loads(line[begin + len(MARK) :])
                            yield last
            except TimeoutError as error:
                self.problem, self.died = str(error), True
                return
            except OSError as error:
                self.problem = f"could not be started: {error}"
                return
            errors.seek(0)
            self._judge(process.returncode, errors.read(), last)

    def _judge(self, status: int, errors: str, last: dict[str, Any]) -> None:
        said = (errors.strip() or "no output").split("\n")[-1]
        if status < 0:
            name = signal.Signals(-status).name
            self.problem, self.died = f"ended the process that used it ({name}): {said}", True
        # a child that has said its end may exit as it likes: what it found is complete
        elif "end" not in last:
            self.problem = f"exit status {status}: {said}"
            # Python's own failures come with a traceback
            if last and "Traceback (most recent call last)" not in errors:
                self.problem, self.died = f"ended the process that used it ({self.problem})", True


def _listen(process: subprocess.Popen[str], lines: queue.SimpleQueue[str | None]) -> None:
    assert process.stdout is not None
    try:
        for line in process.stdout:
            lines.put(line.rstrip("\n"))
    finally:
        lines.put(None)


def _next(lines: queue.SimpleQueue[str | None]) -> str | None:
    """The next line, None at the end; looks for caught signals every second (see `_communicate`)."""
    end = time.monotonic() + SECONDS
    while True:
        _raise_deferred()
        try:
            return lines.get(timeout=min(1.0, max(0.0, end - time.monotonic())))
        except queue.Empty:
            if time.monotonic() >= end:
                raise TimeoutError(f"did not answer within {SECONDS:.0f} s") from None


@dataclass(frozen=True)
class Found:
    """What a child has found at an item, or how it ended there.

    Attributes
    ----------
    item, part : str
        What the child was at; empty if it came to nothing.
    value
        What it found; None where it ended.
    problem : str or None
        How it ended.
    died : bool
        See `Child`.
    seconds : float
        Time since it came to the item.
    """

    item: str
    part: str
    value: Any
    problem: str | None
    died: bool
    seconds: float


def go_through(
    module: str, *arguments: str, known: Mapping[str, Any] | None = None, **variables: str
) -> Iterator[Found]:
    """Have a child process go through items; behind one at which it ends, another child goes on.

    Parameters
    ----------
    module : str
        Gets what is `known` as JSON, then the arguments. It leaves out the items that are known, says
        ``at=(item, part)`` before and ``found=value`` after each step, and ``end=True`` at the end.
    *arguments : str
    known : mapping of item to value, optional
    **variables : str
        Of the child's environment.
    """
    known = dict(known or {})
    while True:
        child = Child(module, json.dumps(known), *arguments, **variables)
        item = part = ""
        since = time.perf_counter()
        ended = False
        for said in child:
            if "at" in said:
                item, part = said["at"]
                since = time.perf_counter()
                # known from now on, so that the next child leaves out what ends this one
                known.setdefault(item, None)
            elif "found" in said:
                known[item] = said["found"]
                yield Found(item, part, said["found"], None, False, time.perf_counter() - since)
            ended = "end" in said
        if ended:
            if child.died:  # by what the driver does as the process ends
                yield Found("", "", None, child.problem, True, 0.0)
            return
        yield Found(item, part, None, child.problem, child.died, time.perf_counter() - since)
        if not item:  # it would come to nothing again
            return
