"""Files that Python imports instead of a module that clgraph needs, because their folder comes first."""

from __future__ import annotations

import os
import sys
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder, all_suffixes
from pathlib import Path

# what clgraph imports beside Python's own modules
NEEDED = frozenset({"pyopencl", "pytools", "numpy", "scipy", "click", "rich"})


def shadows() -> list[tuple[str, Path, str]]:
    """Modules that another file hides, or would hide under ``python -m``.

    Looked at are the current folder, which ``python -m clgraph``, ``python -c`` and an interactive Python put
    first, and the folders that come before Python's own modules (``PYTHONPATH``).

    Returns
    -------
    list of (name, file, why)
    """
    standard = os.path.dirname(os.path.realpath(os.__file__))
    path = [os.path.realpath(entry or ".") for entry in sys.path]
    before = path[: path.index(standard)] if standard in path else path
    current = os.path.realpath(".")
    found = []
    for folder in dict.fromkeys([*before, current]):
        others = [entry for entry in path if entry != folder]
        if folder == current:
            why = "`python -m`, `python -c` and an interactive Python look into the current folder first"
        else:
            why = f"{folder} comes before Python's own modules (PYTHONPATH)"
        for name, file in _modules(folder):
            # loaded by now: all of Python's modules that clgraph imports
            needed = name in NEEDED or (name in sys.stdlib_module_names and name in sys.modules)
            if needed and not _built_in(name) and PathFinder.find_spec(name, others) is not None:
                found.append((name, file, why))
    return found


def _modules(folder: str) -> list[tuple[str, Path]]:
    """The modules in a folder: files, and folders that are packages."""
    suffixes = sorted(all_suffixes(), key=len, reverse=True)  # .cpython-312-x86_64-linux-gnu.so before .so
    found = []
    for entry in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        file = Path(folder, entry)
        suffix = next((suffix for suffix in suffixes if entry.endswith(suffix)), "")
        if suffix or any((file / f"__init__{each}").exists() for each in suffixes):
            found.append((entry.removesuffix(suffix), file))
    return found


def _built_in(name: str) -> bool:
    """Whether a module is part of the interpreter, so that no file can hide it."""
    return BuiltinImporter.find_spec(name) is not None or FrozenImporter.find_spec(name) is not None
