"""What belongs to the whole process: its filters of warnings, and what a fork has left in it."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class _Process:
    turns = threading.RLock()  # two threads that change filters restore each other's, and leave wrong ones
    inherited: frozenset[str] = frozenset()


def watch_forks() -> None:
    """At every fork from now on, note in the child what it has of its parent."""
    if hasattr(os, "register_at_fork"):  # Windows does not fork
        os.register_at_fork(after_in_child=_begin)


def _begin() -> None:
    _Process.turns = threading.RLock()  # who had a turn is a thread of the parent
    if "pyopencl" in sys.modules:
        _Process.inherited = _libraries()


def _libraries() -> frozenset[str]:
    """Stems of the shared libraries of this process (``libpocl``); none where there is no ``/proc``."""
    try:
        lines = Path("/proc/self/maps").read_bytes().split(b"\n")
    except OSError:
        return frozenset()
    names = {line.rpartition(b"/")[2] for line in lines if b".so" in line}
    return frozenset(os.fsdecode(name).split(".so")[0] for name in names)


def is_inherited(stem: str) -> bool:
    """Whether a library was loaded before this process was forked, by whatever part of its parent."""
    return stem in _Process.inherited


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
