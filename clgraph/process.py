"""What belongs to the whole process: its filters of warnings, and what a fork has left in it."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_MAPS = "/proc/self/maps"


class _Process:
    turns = threading.RLock()  # two threads that change filters restore each other's, and leave wrong ones
    inherited = b""  # what was mapped into it when it was forked


def watch_forks() -> None:
    """At every fork from now on, note in the child what it has of its parent."""
    if hasattr(os, "register_at_fork"):  # Windows does not fork
        os.register_at_fork(after_in_child=_begin)


def _begin() -> None:
    # short: Python drops a Ctrl-C that comes now
    _Process.turns = threading.RLock()  # who had a turn is a thread of the parent
    if "pyopencl" in sys.modules and os.path.exists(_MAPS):
        _Process.inherited = Path(_MAPS).read_bytes()


def is_inherited(stem: str) -> bool:
    """Whether a library (``libpocl``) was loaded before this process was forked, by whomever."""
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
