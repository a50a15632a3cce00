"""clgraph: sample, traverse and rank graphs on any OpenCL device.

Importing clgraph touches no OpenCL driver: the first use of a device does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clgraph import hooks
from clgraph._version import __version__
from clgraph.system import watch_forks

watch_forks()


def _arrays_on(device: Any, graph: Any) -> Any:
    from clgraph.csr.upload import arrays_on

    return arrays_on(device, graph)


def _pipelines_of(device: Any) -> Any:
    from clgraph.fpga.programs import PipelinePrograms

    return PipelinePrograms(device)


def _add_variants() -> None:
    from clgraph.theses import add_variants

    add_variants()


hooks.arrays_on, hooks.pipelines_of, hooks.add_variants = _arrays_on, _pipelines_of, _add_variants

if TYPE_CHECKING:
    from clgraph import datasets
    from clgraph.centrality import (
        average_neighbor_degree,
        average_shortest_path_length,
        betweenness_centrality,
        closeness_centrality,
        degree_assortativity_coefficient,
        eigenvector_centrality,
        harmonic_centrality,
        hits,
        katz_centrality,
        shortest_path,
        shortest_path_length,
    )
    from clgraph.components import Components, connected_components, largest_component
    from clgraph.csr import (
        Communities,
        barabasi_albert_graph,
        configuration_graph,
        erdos_renyi_graph,
        lfr_graph,
        powerlaw_graph,
        rmat_graph,
        static_model_graph,
        watts_strogatz_graph,
    )
    from clgraph.device import Device, devices, get_device, profile
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
    from clgraph.measures import (
        Quality,
        average_clustering,
        clustering,
        core_numbers,
        eigenvalues,
        k_core,
        quality,
        transitivity,
        triangles,
    )
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
    from clgraph.sampling.literature import DrawnSample, StreamSample
    from clgraph.sampling.shards import SavedForest, ShardedSample, merge_forests, open_forest, save_forest
    from clgraph.scale import Shards, join_shards, open_shards, write_shards
    from clgraph.traversal import BFSResult, ManyBFSResult, bfs, bfs_many

# Every name is imported at its first use: a program pays for what it calls, and no driver is touched before.
_NAMES = {
    "centrality": "average_neighbor_degree average_shortest_path_length betweenness_centrality"
    " closeness_centrality degree_assortativity_coefficient eigenvector_centrality harmonic_centrality hits"
    " katz_centrality shortest_path shortest_path_length",
    "components": "Components connected_components largest_component",
    "csr": "Communities barabasi_albert_graph configuration_graph erdos_renyi_graph lfr_graph"
    " powerlaw_graph rmat_graph static_model_graph watts_strogatz_graph",
    "datasets": "",
    "device": "Device devices get_device profile",
    "errors": "BuildError CapacityError ClgraphError ConvergenceError ConvergenceWarning DeviceError"
    " InputError",
    "files": "read write",
    "graph": "Graph",
    "measures": "Quality average_clustering clustering core_numbers eigenvalues k_core quality"
    " transitivity triangles",
    "ranking": "PageRankResult pagerank",
    "ranking.personalized": "PersonalizedResult personalized_pagerank",
    "reference": "reference_bfs reference_components reference_pagerank reference_sample"
    " verify_bfs verify_components verify_pagerank verify_sample",
    "reference.ppr": "reference_ppr top_accuracy verify_ppr",
    "sampling": "Sample Samples sample",
    "sampling.curve": "ReductionCurve deletion_order reduction_curve",
    "sampling.literature": "DrawnSample StreamSample",
    "sampling.shards": "SavedForest ShardedSample merge_forests open_forest save_forest",
    "scale": "Shards join_shards open_shards write_shards",
    "studies": "Study study",
    "theses.copra": "copra_graph",
    "traversal": "BFSResult ManyBFSResult bfs bfs_many",
}
_HOME = {name: f"clgraph.{module}" for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "BFSResult",
    "BuildError",
    "CapacityError",
    "ClgraphError",
    "Communities",
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
    "SavedForest",
    "ShardedSample",
    "Shards",
    "StreamSample",
    "Study",
    "__version__",
    "average_clustering",
    "average_neighbor_degree",
    "average_shortest_path_length",
    "barabasi_albert_graph",
    "betweenness_centrality",
    "bfs",
    "bfs_many",
    "closeness_centrality",
    "clustering",
    "configuration_graph",
    "connected_components",
    "copra_graph",
    "core_numbers",
    "datasets",
    "degree_assortativity_coefficient",
    "deletion_order",
    "devices",
    "eigenvalues",
    "eigenvector_centrality",
    "erdos_renyi_graph",
    "get_device",
    "harmonic_centrality",
    "hits",
    "join_shards",
    "k_core",
    "katz_centrality",
    "largest_component",
    "lfr_graph",
    "merge_forests",
    "open_forest",
    "open_shards",
    "pagerank",
    "personalized_pagerank",
    "powerlaw_graph",
    "profile",
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
    "save_forest",
    "shortest_path",
    "shortest_path_length",
    "static_model_graph",
    "study",
    "top_accuracy",
    "transitivity",
    "triangles",
    "verify_bfs",
    "verify_components",
    "verify_pagerank",
    "verify_ppr",
    "verify_sample",
    "watts_strogatz_graph",
    "write",
    "write_shards",
]


def __getattr__(name: str) -> Any:
    """Look up a public name, or a folder of public names, when it is first used."""
    from importlib import import_module

    if name in _HOME:
        found = globals()[name] = getattr(import_module(_HOME[name]), name)
        return found
    if name in _NAMES:
        return import_module(f"clgraph.{name}")
    raise AttributeError(f"module 'clgraph' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names; not the folders and modules that imports leave here."""
    return sorted(__all__)
