"""The kernel files that have pipelines (``cl/fpga/NAME.cl``), and the names of their kernels in one binary.

What ``cl/NAME.cl`` decides when it is built, a pipeline mostly decides by its arguments (a NULL pointer: no
predecessors are wanted), since a board's binary is built once and holds every kernel. The rest, a type or the
number of arguments, makes variants of a file: `Pipeline.matters` names their build options.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from clgraph.device.program import read_source
from clgraph.errors import InputError

Defines = dict[str, Any]

_KERNEL = re.compile(r"^PIPELINE void (\w+)\(", re.MULTILINE)
_MADE = re.compile(r"^FLAT_KERNEL\((\w+),", re.MULTILINE)


@dataclass(frozen=True)
class Pipeline:
    """A file of ``cl/fpga``.

    Attributes
    ----------
    group : str
        What it is for; ``clgraph fpga compile --only`` selects groups.
    matters : tuple of str
        Build options that make a different program; all others change nothing.
    standard : tuple of tuple of (str, value)
        Variants in a binary, each by its build options.
    without : tuple of (str, tuple)
        Build options with the values that no pipeline is for: these variants run as ranges.
    """

    group: str
    matters: tuple[str, ...] = ()
    standard: tuple[tuple[tuple[str, Any], ...], ...] = ((),)
    without: tuple[tuple[str, tuple[Any, ...]], ...] = ()

    def takes(self, defines: Mapping[str, Any]) -> bool:
        """True if there is a pipeline for a variant."""
        return not any(defines.get(name) in values for name, values in self.without)


_OFFSET = ("OFFSET",)
# a board has no float64: sums end as pairs of floats there
_BOARD = (("COMPENSATED", True), ("REAL", "float"))
_PULL = (*_BOARD, ("SEND_RANK", True))
_NUMBERS = ("OFFSET", "REAL", "COMPENSATED")
_RANKS = (*_NUMBERS, "SHIFT", "SEND_RANK")

PIPELINES: dict[str, Pipeline] = {
    "device/memory_fill": Pipeline("all"),
    "sampling/copra": Pipeline("sample", _OFFSET),
    "sampling/array_frontier": Pipeline("sample", _OFFSET),
    "sampling/draw": Pipeline("sample", _OFFSET),
    "sampling/select": Pipeline("sample", _OFFSET),
    "sampling/exact": Pipeline("sample", _OFFSET),
    "sampling/marks": Pipeline("sample", _OFFSET),
    "sampling/literature/race": Pipeline(
        "draw",
        ("OFFSET", "WEIGHT", "ARCS", "NO_EDGES"),
        ((), (("WEIGHT", 1),), (("WEIGHT", 2),), (("ARCS", 1), ("NO_EDGES", 1))),
    ),
    "sampling/literature/smallest": Pipeline("draw", ("ITEM",)),
    # rw, rwr, rj, mhrw, nbrw; others are compiled where they are asked for. Weights come as an argument
    "sampling/literature/walk": Pipeline(
        "draw",
        ("OFFSET", "METHOD"),
        ((), *((("METHOD", method),) for method in (1, 2, 4, 7))),
        without=(("METHOD", (8, 10, 11)),),
    ),
    "components/finder": Pipeline(
        "components", ("OFFSET", "ARC_KEY", "SAMPLES"), ((), (("ARC_KEY", "uint"),))
    ),
    "components/finder_rank": Pipeline("components"),
    "traversal/search": Pipeline("bfs", _OFFSET),
    "traversal/search_push": Pipeline("bfs", _OFFSET),
    "traversal/search_pull": Pipeline("bfs", _OFFSET),
    "traversal/search_partitions": Pipeline("bfs", _OFFSET),
    "traversal/search_fused": Pipeline("bfs", _OFFSET),
    "ranking/solver": Pipeline("pagerank", _RANKS, (_BOARD, _PULL)),
    "ranking/contribution": Pipeline("pagerank", _RANKS, (_BOARD,)),
    "ranking/partitions": Pipeline("pagerank", _RANKS, (_BOARD,)),
    "ranking/personalized/walks": Pipeline("walks", _NUMBERS, (_BOARD,)),
    "ranking/top": Pipeline("walks", ("REAL", "LANES"), ((("REAL", "float"),),)),
    "theses/serial": Pipeline("pagerank", _RANKS, (_BOARD,)),
    "theses/pull": Pipeline("pagerank", _RANKS, (_PULL,)),
}
#: further groups that a group needs
NEEDS = {"sample": ("components",), "walks": ("pagerank",), "draw": ("components",)}
GROUPS = tuple(dict.fromkeys(p.group for p in PIPELINES.values() if p.group != "all"))


def variant(name: str, defines: Mapping[str, Any]) -> Defines:
    """The build options that matter, without those that are at their defaults."""
    given = {key: defines[key] for key in PIPELINES[name].matters if defines.get(key) not in (None, False, 0)}
    for key, default in (("OFFSET", "int"), ("REAL", ""), ("LANES", 1)):
        if given.get(key) == default:
            del given[key]
    return given


def suffix(defines: Mapping[str, Any]) -> str:
    """Return the suffix of a variant's kernel names in a binary, such as ``__ARC_KEY_uint``."""
    if not defines:
        return ""
    return "__" + "_".join(f"{key}_{value}" for key, value in sorted(defines.items()))


def kernels(name: str) -> tuple[str, ...]:
    """Return the names of the kernels in a file of ``cl/fpga``."""
    text = read_source(f"fpga/{name}")
    return tuple(dict.fromkeys([*_KERNEL.findall(text), *_MADE.findall(text)]))


def wanted(groups: Iterable[str], *, wide: bool = False) -> list[tuple[str, Defines]]:
    """Return the files and variants of a binary for some groups (none: all); `wide` for 64-bit offsets."""
    selected = list(groups) or list(GROUPS)
    for group in selected:
        if group not in GROUPS:
            raise InputError(f"no group of pipelines {group!r}: there are {', '.join(GROUPS)}")
    for group in list(selected):
        selected += [other for other in NEEDS.get(group, ()) if other not in selected]
    found: list[tuple[str, Defines]] = []
    for name, pipeline in PIPELINES.items():
        if pipeline.group in (*selected, "all"):
            for standard in pipeline.standard:
                defines = dict(standard)
                if wide and "OFFSET" in pipeline.matters:
                    defines["OFFSET"] = "long"
                found.append((name, variant(name, defines)))
    return found


def unit(name: str, defines: Mapping[str, Any]) -> str:
    """Return a self-contained source file for the offline compiler: options first, kernels renamed."""
    lines = [f"// cl/fpga/{name}.cl with all it includes, made by `clgraph fpga compile`"]
    lines += [f"#define {key} {1 if value is True else value}" for key, value in sorted(defines.items())]
    if end := suffix(defines):
        for kernel in kernels(name):
            lines += [f"#define {kernel} {kernel}{end}", f"#define {kernel}_write {kernel}_write{end}"]
    return "\n".join(lines) + "\n" + read_source(f"fpga/{name}")


@cache
def source_hash() -> str:
    """Return the SHA-256 of all files of ``cl/fpga`` and their includes; a binary must have the same."""
    sha = hashlib.sha256()
    for name in PIPELINES:
        text = read_source(f"fpga/{name}")
        # the text contains included files of other packages (Random123)
        sha.update(f"{name} {len(text)}\n".encode() + text.encode())
    return sha.hexdigest()
