"""Files that Python imports instead of a module that clgraph needs, because their folder comes first.

Not those that a package manager has put there: with `pip install --target`, modules of a cluster, Spack or
EasyBuild, the folders of ``PYTHONPATH`` are where packages are installed.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder, all_suffixes
from importlib.metadata import Distribution, distributions
from pathlib import Path
from urllib.parse import unquote, urlsplit

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
    return [(name, file, why) for name, file, why in found if not _is_installed(name, file)]


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


def _is_installed(name: str, file: Path) -> bool:
    """Whether a module belongs to a distribution in its folder, or to an editable one of this environment."""
    beside = distributions(path=[str(file.parent)])
    return any(name in _modules_of(each) for each in beside) or any(
        file.is_relative_to(source) for each in distributions() if (source := _source_of(each))
    )


def _modules_of(distribution: Distribution) -> set[str]:
    """The modules that a distribution says that it has; one that says nothing has that of its own name."""
    listed = (distribution.read_text("top_level.txt") or "").split()
    files = [each.parts[0].split(".")[0] for each in distribution.files or []]
    return {*listed, *files} or {(distribution.metadata["Name"] or "").lower()}


def _source_of(distribution: Distribution) -> Path | None:
    """The folder that an editable install leads to."""
    text = distribution.read_text("direct_url.json")
    told = json.loads(text) if text else {}
    if not told.get("dir_info", {}).get("editable"):
        return None
    return Path(os.path.realpath(unquote(urlsplit(told["url"]).path)))


def _built_in(name: str) -> bool:
    """Whether a module is part of the interpreter, so that no file can hide it."""
    return BuiltinImporter.find_spec(name) is not None or FrozenImporter.find_spec(name) is not None
