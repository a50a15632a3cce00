"""Imports of optional libraries, and lists of names in messages."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from clgraph._version import pip_hint
from clgraph.errors import InputError


def library(name: str, extra: str) -> Any:
    """Import an optional library; an InputError names the extra that installs it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(
            f"this needs {name.split('.')[0]}, which cannot be imported ({error}): {pip_hint(extra)}"
        ) from error


def listed(names: Iterable[Any]) -> str:
    """Names for a message: ``'a', 'b', 'c'``, the first ten of them."""
    shown = [repr(name) for name in names]
    return ", ".join(shown[:10]) + (f" and {len(shown) - 10} more" if len(shown) > 10 else "") or "none"
