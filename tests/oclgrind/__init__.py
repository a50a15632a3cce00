"""Kernels under Oclgrind, by subject: ``python tests/oclgrind NAME ...`` runs cases, all without a name.

A case is a function ``case_xxx(device)`` in a module of this folder, or a public function with a `selftest`
in `clgraph.public`. It fails if it crashes, if its own check fails, or if Oclgrind complains: of bounds,
uninitialised reads, data races. The simulator is slow: graphs have about 50 vertices, which its small
work-groups (8 work-items of 4 vertices each) still make two of.

Each case runs in a process of its own, forked from one that has imported everything: what it sets in modules
is gone afterwards, and a crash ends no other case. `tests/test_oclgrind.py` runs them all, and sees that no
kernel is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from public_calls import example, verify

from clgraph.public import PUBLIC, Public


def collect() -> dict[str, Callable[[Any], None]]:
    """The cases of all modules of this folder, by name."""
    made = {}
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        for name, case in vars(import_module(f"{__name__}.{path.stem}")).items():
            if name.startswith("case_"):
                made[name.removeprefix("case_")] = case
    for each in PUBLIC:
        if each.selftest:
            made[each.name] = partial(_example, each)
    return made


def _example(each: Public, device: Any) -> None:
    verify(each, example(each, device))


ALL = collect()
