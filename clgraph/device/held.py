"""The buffers inside a value: what a kept object amounts to in a device's memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyopencl as cl

# of clgraph's own objects those that are kept for a graph, not the machinery that they refer to
OTHERS = ("clgraph.graph", "clgraph.device")


def buffers_in(value: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Each buffer in a value that is not in `seen` yet, with the name of the attribute that has it.

    Looks into containers and into clgraph's own objects, but not into devices and graphs.
    """
    found: list[tuple[str, Any]] = [("", value)]
    while found:
        name, value = found.pop()
        if id(value) in seen:
            continue
        if isinstance(value, cl.MemoryObjectHolder):
            seen.add(id(value))
            yield name, value
        elif isinstance(value, (list, tuple, set)):
            found += [(name, each) for each in value]
        elif isinstance(value, dict):
            found += [(key if isinstance(key, str) else name, each) for key, each in value.items()]
        else:
            kind = type(value)
            if kind.__module__ == "clgraph.device.scratch" or (
                kind.__module__.startswith("clgraph.") and not kind.__module__.startswith(OTHERS)
            ):
                seen.add(id(value))
                found += [(key.lstrip("_"), each) for key, each in getattr(value, "__dict__", {}).items()]
