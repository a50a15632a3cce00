"""What a process that was forked has of its parent's libraries."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_inherited: set[str] = set()


def watch() -> None:
    """Note at every fork from now on, in the child, which libraries are there, if pyopencl is among them."""
    os.register_at_fork(after_in_child=_note)


def _note() -> None:
    if "pyopencl" in sys.modules:
        _inherited.update(loaded_libraries())


def loaded_libraries() -> set[str]:
    """Stems of the shared libraries of this process (``libpocl``); empty where there is no ``/proc``."""
    try:
        lines = Path("/proc/self/maps").read_bytes().split(b"\n")
    except OSError:
        return set()
    names = {line.rpartition(b"/")[2] for line in lines if b".so" in line}
    return {os.fsdecode(name).split(".so")[0] for name in names}


def inherited(stem: str) -> bool:
    """Whether a library was loaded before this process was forked, by whatever part of its parent."""
    return stem in _inherited
