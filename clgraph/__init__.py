"""clgraph: sample, traverse and rank graphs on any OpenCL device.

Importing clgraph touches no OpenCL driver: the first use of a device does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clgraph._version import __version__
from clgraph.components import Components, connected_components, largest_component
from clgraph.csr import powerlaw_graph, rmat_graph
from clgraph.errors import (
    BuildError,
    CapacityError,
    ClgraphError,
    ConvergenceError,
    ConvergenceWarning,
    DeviceError,
    InputError,
)
from clgraph.files import read, write
from clgraph.graph import Graph
from clgraph.measures import Quality, clustering, quality, triangles
from clgraph.process import watch_forks
from clgraph.ranking import PageRankResult, pagerank
from clgraph.ranking.personalized import PersonalizedResult, personalized_pagerank
from clgraph.reference import (
    reference_bfs,
    reference_components,
    reference_pagerank,
    reference_sample,
    verify_bfs,
    verify_components,
    verify_pagerank,
    verify_sample,
)
from clgraph.reference.ppr import reference_ppr, top_accuracy, verify_ppr
from clgraph.sampling import Sample, Samples, sample
from clgraph.sampling.curve import ReductionCurve, deletion_order, reduction_curve
from clgraph.sampling.literature import DrawnSample
from clgraph.traversal import BFSResult, ManyBFSResult, bfs, bfs_many

watch_forks()

if TYPE_CHECKING:
    from clgraph.device import Device, get_device
    from clgraph.scale import (
        ShardedSample,
        Shards,
        components_of_shards,
        join_shards,
        open_shards,
        pagerank_of_shards,
        sample_shards,
        write_shards,
    )

#: names looked up at their first use, and where: they import pyopencl, or what few programs need
LATER = {
    "Device": "clgraph.device",
    "get_device": "clgraph.device",
    "ShardedSample": "clgraph.scale",
    "Shards": "clgraph.scale",
    "components_of_shards": "clgraph.scale",
    "join_shards": "clgraph.scale",
    "open_shards": "clgraph.scale",
    "pagerank_of_shards": "clgraph.scale",
    "sample_shards": "clgraph.scale",
    "write_shards": "clgraph.scale",
}

__all__ = [
    "BFSResult",
    "BuildError",
    "CapacityError",
    "ClgraphError",
    "Components",
    "ConvergenceError",
    "ConvergenceWarning",
    "Device",
    "DeviceError",
    "DrawnSample",
    "Graph",
    "InputError",
    "ManyBFSResult",
    "PageRankResult",
    "PersonalizedResult",
    "Quality",
    "ReductionCurve",
    "Sample",
    "Samples",
    "ShardedSample",
    "Shards",
    "__version__",
    "bfs",
    "bfs_many",
    "clustering",
    "components_of_shards",
    "connected_components",
    "deletion_order",
    "get_device",
    "join_shards",
    "largest_component",
    "open_shards",
    "pagerank",
    "pagerank_of_shards",
    "personalized_pagerank",
    "powerlaw_graph",
    "quality",
    "read",
    "reduction_curve",
    "reference_bfs",
    "reference_components",
    "reference_pagerank",
    "reference_ppr",
    "reference_sample",
    "rmat_graph",
    "sample",
    "sample_shards",
    "top_accuracy",
    "triangles",
    "verify_bfs",
    "verify_components",
    "verify_pagerank",
    "verify_ppr",
    "verify_sample",
    "write",
    "write_shards",
]


def __getattr__(name: str) -> Any:
    """Look up the names of `LATER` when they are first used."""
    if name in LATER:
        from importlib import import_module

        return getattr(import_module(LATER[name]), name)
    raise AttributeError(f"module 'clgraph' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, and Python's own; not the folders and modules that imports leave here."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
