"""Child processes, which end with this one; some try a driver, since a broken driver ends its process."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clgraph import system
from clgraph.device import cache

SECONDS = 120.0  # without a word from a child; the slowest first probe seen so far took 4


def run(command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """`subprocess.run` in text mode; whatever ends this process while it waits ends the child, too.

    Python drops an exception that a signal's handler raises while a finalizer runs, and a signal that another
    thread received does not wake this one: so it looks for caught signals every second.

    Parameters
    ----------
    command : sequence of str
    **options
        Of `subprocess.Popen`.
    """
    with _started(command, options) as process:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                out, err = process.communicate(timeout=1.0)
                return subprocess.CompletedProcess(command, process.returncode, out, err)
            system.raise_deferred()


@contextmanager
def _started(command: Sequence[str], options: dict[str, Any]) -> Iterator[subprocess.Popen[str]]:
    """A process for the block, killed if that raises."""
    # a signal that arrives before Popen returns must wait, or nothing would end the child
    system.termination.deferred = True
    try:
        process = subprocess.Popen(command, text=True, errors="replace", **options)
    except BaseException:
        system.termination.deferred = False
        system.raise_deferred()
        raise
    with process:
        try:
            system.termination.deferred = False
            system.raise_deferred()
            yield process
        except BaseException:
            process.kill()
            raise


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
#: an item, a part of it, and a function that returns its result (JSON, or a dataclass)
Step = tuple[str, str, Callable[[], Any]]


def say(**what: Any) -> None:
    """For the child: send its parent a message. From here on, what ends this process silently is a driver."""
    print(MARK + json.dumps(what, default=asdict), flush=True)


def serve(steps: Callable[..., Iterable[Step]]) -> None:
    """For the child: take the steps that `go_through` asks for.

    Parameters
    ----------
    steps : callable
        Called with what is known, to which values are added as they are found, and the arguments. Steps of
        items that are known at the beginning are left out.
    """
    known, *arguments = map(json.loads, sys.argv[1:])
    over = set(known)
    say()
    for item, part, step in steps(known, *arguments):
        if item not in over:
            say(at=(item, part))
            known[item] = step()
            say(found=known[item])
    say(end=True)


@dataclass(frozen=True)
class Found:
    """Result of a child at an item, or how it ended there.

    Attributes
    ----------
    item, part : str
        What the child was at; empty if it came to nothing, or ended after all.
    value
        What it found; None where it ended.
    problem : str or None
        How it ended.
    died : bool
        Whether a driver ended it (by a signal, or by leaving the process as libraries should not), or it said
        nothing for `SECONDS`.
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
    module: str, *arguments: Any, known: Mapping[str, Any] | None = None, **variables: str
) -> Iterator[Found]:
    """Have a child process go through items; behind one at which it ends, another child goes on.

    Parameters
    ----------
    module : str
        Gets what is `known` and the arguments as JSON: see `serve`.
    *arguments : what JSON can hold
    known : mapping of item to value, optional
    **variables : str
        Of the child's environment.
    """
    known = dict(known or {})
    while True:
        words = [json.dumps(each) for each in (known, *arguments)]
        item, part, since = "", "", time.perf_counter()
        for said in _said_by([sys.executable, *options(), "-m", module, *words], variables):
            if "at" in said:
                item, part = said["at"]
                since = time.perf_counter()
                # known from now on, so that the next child leaves out what ends this one
                known.setdefault(item, None)
            elif "found" in said:
                known[item] = said["found"]
                yield Found(item, part, said["found"], None, False, time.perf_counter() - since)
            elif "end" in said:
                item, part = "", ""  # what the driver does as the process ends is of no item
            elif "problem" in said:
                yield Found(item, part, None, **said, seconds=time.perf_counter() - since)
        if not item:  # all is done, or it would come to nothing again
            return


def _said_by(command: Sequence[str], variables: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield what a child says, as that comes; at last, if it did not end well, `problem` and `died`."""
    last: dict[str, Any] | None = None
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        files = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": errors}
        try:
            with _started(command, {**files, "env": {**environment(), **variables}}) as process:
                for line in _lines(process.stdout):
                    # not only at its beginning: a driver may have printed half a line before
                    if MARK in line:
                        last = json.loads(line.partition(MARK)[2])
                        yield last
        except OSError as error:
            hangs = isinstance(error, TimeoutError)
            yield {"problem": str(error) if hangs else f"could not be started: {error}", "died": hangs}
            return
        errors.seek(0)
        text = errors.read()
    status, output = process.returncode, (text.strip() or "no output").split("\n")[-1]
    if status < 0:
        name = signal.Signals(-status).name
        yield {"problem": f"ended the process that used it ({name}): {output}", "died": True}
    # a child that has said its end may exit as it likes: what it found is complete
    elif last is None or "end" not in last:
        problem = f"exit status {status}: {output}"
        # Python's own failures come with a traceback
        died = last is not None and "Traceback (most recent call last)" not in text
        yield {"problem": f"ended the process that used it ({problem})" if died else problem, "died": died}


def _lines(stream: Any) -> Iterator[str]:
    """The lines of a child's output, as they come; looks for caught signals every second (see `run`)."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def listen() -> None:
        try:
            for line in stream:
                lines.put(line)
        finally:
            lines.put(None)

    with system.starting_threads():
        threading.Thread(target=listen, daemon=True).start()
    heard = time.monotonic()
    while (left := heard + SECONDS - time.monotonic()) > 0:
        system.raise_deferred()
        with contextlib.suppress(queue.Empty):
            if (line := lines.get(timeout=min(1.0, left))) is None:
                return
            yield line
            heard = time.monotonic()
    raise TimeoutError(f"did not answer within {SECONDS:.0f} s")
