"""The NetworkX backend ``clgraph``: NetworkX's own functions, run on an OpenCL device.

Not imported by `clgraph` itself: NetworkX finds it by its entry point (``networkx.backends``) and loads it
when it is first used. It is chosen by a call (``nx.pagerank(G, backend="clgraph")``), or for all calls where
it is faster (``NETWORKX_BACKEND_PRIORITY=clgraph``, ``nx.config.backend_priority = ["clgraph"]``). The device
is ``nx.config.backends.clgraph.device``, or what `clgraph.get_device` chooses.
"""

from typing import Any

from _clgraph_networkx import FUNCTIONS
from clgraph.networkx_backend.communities import on_start_tests
from clgraph.networkx_backend.converted import ConvertedGraph, convert_from_nx, convert_to_nx
from clgraph.networkx_backend.rules import can_run, function_of, should_run
from clgraph.networkx_backend.running import call_counts

__all__ = ["ConvertedGraph", "call_counts", "can_run", "convert_from_nx", "convert_to_nx", "on_start_tests"]
__all__ += ["should_run"]
__all__ += FUNCTIONS


def __getattr__(name: str) -> Any:
    """NetworkX's dispatcher looks up its functions here; `_clgraph_networkx` lists them."""
    if name in FUNCTIONS:
        return function_of(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
