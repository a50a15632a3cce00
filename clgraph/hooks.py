"""What lower floors have done by higher ones, whose modules they must not know.

`clgraph/__init__.py` registers these functions; it runs before any other module of the package, and each of
them imports what it needs when it is first called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

#: (device, graph) -> the graph's arrays on the device: `Graph.on`, done by `clgraph.csr.upload`
arrays_on: Callable[[Any, Any], Any]
#: device -> its pipelines (kernels of one work-item), done by `clgraph.fpga`: few devices need them
pipelines_of: Callable[[Any], Any]
#: adds to each `Table` what only `clgraph.theses` has
add_variants: Callable[[], None]

T = TypeVar("T")


class Table(dict[str, T]):
    """What names lead to, on a floor that looks them up; higher ones add theirs when a name is first missing."""

    def __missing__(self, name: str) -> T:
        """Have them added; a KeyError if that does not bring the name."""
        add_variants()
        if name not in self:
            raise KeyError(name)
        return self[name]
