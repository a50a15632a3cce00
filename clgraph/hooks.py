"""Functions of higher levels that lower levels call without importing them.

`clgraph/__init__.py` registers these functions; it runs before any other module of the package, and each of
them imports what it needs when it is first called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: (device, graph) -> the graph's arrays on the device: `Graph.device_arrays`, done by `clgraph.csr.upload`
arrays_on: Callable[[Any, Any], Any]
#: device -> its pipelines (kernels of one work-item), done by `clgraph.fpga`: few devices need them
pipelines_of: Callable[[Any], Any]
#: adds to each `clgraph.lazy.Table` what only `clgraph.theses` has
add_variants: Callable[[], None]
