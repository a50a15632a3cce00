"""Child processes, which end with this one; one tries a driver, since a broken driver ends its process."""

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
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clgraph import system
from clgraph.device import cache

SECONDS = 120.0  # the slowest first probe seen so far took 4


# --- signals --------------------------------------------------------------------------------------


class _Termination:
    """The terminating signals that this process has received, and whether to act on them only later."""

    def __init__(self) -> None:
        self.caught: list[int] = []
        self.held = False


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
        if not _termination.held:
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


def _raise_held() -> None:
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
    process = _started(command, options)
    with process:
        try:
            _termination.held = False
            out, err = _communicate(process, timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def _started(command: Sequence[str], options: dict[str, Any]) -> subprocess.Popen[str]:
    # a signal that arrives before Popen returns must wait, or nothing would end the child
    _termination.held = True
    try:
        return subprocess.Popen(command, text=True, errors="replace", **options)
    except BaseException:
        _termination.held = False
        _raise_held()
        raise


def lines(
    module: str, *arguments: str, env: dict[str, str], seconds: float
) -> Generator[str, None, str | None]:
    """The lines that ``python -m MODULE ARGUMENTS`` prints, as they come.

    Parameters
    ----------
    module : str
    *arguments : str
    env : dict
        Its environment.
    seconds : float
        It is ended when it prints nothing for so long.

    Returns
    -------
    str or None
        How it ended, unless it ended well.
    """
    command = [sys.executable, *options(), "-m", module, *arguments]
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        try:
            process = _started(
                command, {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": said, "env": env}
            )
        except OSError as error:
            return f"could not be started: {error}"
        with process:
            try:
                _termination.held = False
                told: queue.SimpleQueue[str | None] = queue.SimpleQueue()
                with system.starting_threads():
                    threading.Thread(target=_listen, args=(process, told), daemon=True).start()
                while (line := _next(told, seconds)) is not None:
                    yield line
            except TimeoutError:
                process.kill()
                return f"did not end within {seconds:.0f} s"
            except BaseException:
                process.kill()
                raise
        said.seek(0)
        return _how_it_ended(process.returncode, said.read())


def _listen(process: subprocess.Popen[str], told: queue.SimpleQueue[str | None]) -> None:
    assert process.stdout is not None
    try:
        for line in process.stdout:
            told.put(line.rstrip("\n"))
    finally:
        told.put(None)


def _next(told: queue.SimpleQueue[str | None], seconds: float) -> str | None:
    end = time.monotonic() + seconds
    while True:
        _raise_held()
        try:
            return told.get(timeout=min(1.0, max(0.0, end - time.monotonic())))
        except queue.Empty:
            if time.monotonic() >= end:
                raise TimeoutError from None


def _how_it_ended(status: int, errors: str) -> str | None:
    said = (errors.strip() or "no output").split("\n")[-1]
    if status < 0:
        return f"ended the process that used it ({signal.Signals(-status).name}): {said}"
    return f"exit status {status}: {said}" if status else None


def _communicate(process: subprocess.Popen[str], timeout: float | None) -> tuple[str, str]:
    """`Popen.communicate` that looks for caught signals every second.

    Python drops an exception that a signal's handler raises while a finalizer runs, and a signal that another
    thread received does not wake this one.
    """
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        _raise_held()
        left = 1.0 if end is None else min(1.0, max(0.0, end - time.monotonic()))
        try:
            return process.communicate(timeout=left)
        except subprocess.TimeoutExpired:
            if end is not None and time.monotonic() >= end:
                raise subprocess.TimeoutExpired(process.args, timeout or 0.0) from None


# --- drivers --------------------------------------------------------------------------------------


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


STARTED = "clgraph: the drivers are asked now"


def started() -> None:
    """For the child: from here on, whatever ends this process without an answer is a driver."""
    print(STARTED, flush=True)


def ask(module: str, *arguments: str, **variables: str) -> tuple[Any, str | None, bool]:
    """Run ``python -m MODULE ARGUMENTS``, with these environment variables, and read its last line, JSON.

    Returns
    -------
    answer
        What it printed; None if it printed no answer.
    problem : str or None
        Without an answer: how it ended.
    died : bool
        Whether a driver ended it (by a signal, or by leaving the process as libraries should not), or it did
        not end in time.
    """
    try:
        done = run(
            [sys.executable, *options(), "-m", module, *arguments],
            timeout=SECONDS,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**environment(), **variables},
        )
    except subprocess.TimeoutExpired:
        return None, f"did not answer within {SECONDS:.0f} s", True
    except OSError as error:
        return None, f"could not be started: {error}", False
    if done.returncode < 0:
        return None, _how_it_ended(done.returncode, done.stderr), True
    try:
        # the last line: drivers may print anything before it
        return json.loads(done.stdout.rstrip().split("\n")[-1]), None, False
    except ValueError:
        said = (done.stderr.strip() or "no output").split("\n")[-1]
        problem = f"exit status {done.returncode}: {said}"
    # Python's own failures come with a traceback
    if STARTED in done.stdout.split("\n") and "Traceback (most recent call last)" not in done.stderr:
        return None, f"ended the process that used it ({problem})", True
    return None, problem, False
