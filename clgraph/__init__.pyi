"""Written from `clgraph.public` by ``python tests/test_public.py``: what type checkers see."""

from clgraph import datasets as datasets
from clgraph._version import __version__ as __version__
from clgraph.centrality.betweenness import betweenness_centrality as betweenness_centrality
from clgraph.centrality.betweenness import edge_betweenness_centrality as edge_betweenness_centrality
from clgraph.centrality.distances import average_shortest_path_length as average_shortest_path_length
from clgraph.centrality.distances import closeness_centrality as closeness_centrality
from clgraph.centrality.distances import harmonic_centrality as harmonic_centrality
from clgraph.centrality.distances import shortest_path as shortest_path
from clgraph.centrality.distances import shortest_path_length as shortest_path_length
from clgraph.centrality.eigen import eigenvector_centrality as eigenvector_centrality
from clgraph.centrality.eigen import hits as hits
from clgraph.centrality.eigen import katz_centrality as katz_centrality
from clgraph.centrality.neighbours import average_neighbor_degree as average_neighbor_degree
from clgraph.centrality.neighbours import degree_assortativity_coefficient as degree_assortativity_coefficient
from clgraph.communities.multilevel import Partition as Partition
from clgraph.communities.multilevel import leiden as leiden
from clgraph.communities.multilevel import louvain as louvain
from clgraph.communities.partitions import modularity as modularity
from clgraph.communities.propagation import LabelPropagationResult as LabelPropagationResult
from clgraph.communities.propagation import label_propagation as label_propagation
from clgraph.components import Components as Components
from clgraph.components import connected_components as connected_components
from clgraph.components import largest_component as largest_component
from clgraph.csr.generate import barabasi_albert_graph as barabasi_albert_graph
from clgraph.csr.generate import erdos_renyi_graph as erdos_renyi_graph
from clgraph.csr.generate import powerlaw_graph as powerlaw_graph
from clgraph.csr.generate import rmat_graph as rmat_graph
from clgraph.csr.generate import static_model_graph as static_model_graph
from clgraph.csr.generate import watts_strogatz_graph as watts_strogatz_graph
from clgraph.csr.generate_stubs import Communities as Communities
from clgraph.csr.generate_stubs import configuration_graph as configuration_graph
from clgraph.csr.generate_stubs import lfr_graph as lfr_graph
from clgraph.device import Device as Device
from clgraph.device import devices as devices
from clgraph.device import get_device as get_device
from clgraph.device import profile as profile
from clgraph.errors import BuildError as BuildError
from clgraph.errors import CapacityError as CapacityError
from clgraph.errors import ClgraphError as ClgraphError
from clgraph.errors import ConvergenceError as ConvergenceError
from clgraph.errors import ConvergenceWarning as ConvergenceWarning
from clgraph.errors import DeviceError as DeviceError
from clgraph.errors import InputError as InputError
from clgraph.files import read as read
from clgraph.files import write as write
from clgraph.graph import Graph as Graph
from clgraph.graph.pyg import to_pyg_data as to_pyg_data
from clgraph.measures import Quality as Quality
from clgraph.measures import average_clustering as average_clustering
from clgraph.measures import clustering as clustering
from clgraph.measures import core_numbers as core_numbers
from clgraph.measures import eigenvalues as eigenvalues
from clgraph.measures import k_core as k_core
from clgraph.measures import quality as quality
from clgraph.measures import transitivity as transitivity
from clgraph.measures import triangles as triangles
from clgraph.ranking import PageRankResult as PageRankResult
from clgraph.ranking import pagerank as pagerank
from clgraph.ranking.personalized import personalized_pagerank as personalized_pagerank
from clgraph.ranking.personalized.result import PersonalizedResult as PersonalizedResult
from clgraph.reference import reference_bfs as reference_bfs
from clgraph.reference import reference_components as reference_components
from clgraph.reference import reference_pagerank as reference_pagerank
from clgraph.reference import reference_sample as reference_sample
from clgraph.reference import verify_bfs as verify_bfs
from clgraph.reference import verify_components as verify_components
from clgraph.reference import verify_pagerank as verify_pagerank
from clgraph.reference import verify_sample as verify_sample
from clgraph.reference.pagerank import reference_ppr as reference_ppr
from clgraph.reference.pagerank import top_accuracy as top_accuracy
from clgraph.reference.pagerank import verify_ppr as verify_ppr
from clgraph.sampling import Sample as Sample
from clgraph.sampling import Samples as Samples
from clgraph.sampling import sample as sample
from clgraph.sampling.curve import ReductionCurve as ReductionCurve
from clgraph.sampling.curve import ReductionCurves as ReductionCurves
from clgraph.sampling.curve import deletion_order as deletion_order
from clgraph.sampling.curve import reduction_curve as reduction_curve
from clgraph.sampling.fanout import NeighborSample as NeighborSample
from clgraph.sampling.fanout import sample_neighbors as sample_neighbors
from clgraph.sampling.shards import SavedForest as SavedForest
from clgraph.sampling.shards import merge_forests as merge_forests
from clgraph.sampling.shards import open_forest as open_forest
from clgraph.sampling.shards import save_forest as save_forest
from clgraph.sampling.split import EdgePart as EdgePart
from clgraph.sampling.split import EdgeSplit as EdgeSplit
from clgraph.sampling.split import split_edges as split_edges
from clgraph.scale import Shards as Shards
from clgraph.scale import join_shards as join_shards
from clgraph.scale import open_shards as open_shards
from clgraph.scale import write_shards as write_shards
from clgraph.studies import Study as Study
from clgraph.studies import study as study
from clgraph.theses.copra import copra_graph as copra_graph
from clgraph.traversal import BFSResult as BFSResult
from clgraph.traversal import ManyBFSResult as ManyBFSResult
from clgraph.traversal import bfs as bfs
from clgraph.traversal import bfs_many as bfs_many
from clgraph.traversal.paths import ShortestPathsResult as ShortestPathsResult
from clgraph.traversal.paths import shortest_paths as shortest_paths

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
    "EdgePart",
    "EdgeSplit",
    "Graph",
    "InputError",
    "LabelPropagationResult",
    "ManyBFSResult",
    "NeighborSample",
    "PageRankResult",
    "Partition",
    "PersonalizedResult",
    "Quality",
    "ReductionCurve",
    "ReductionCurves",
    "Sample",
    "Samples",
    "SavedForest",
    "Shards",
    "ShortestPathsResult",
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
    "edge_betweenness_centrality",
    "eigenvalues",
    "eigenvector_centrality",
    "erdos_renyi_graph",
    "get_device",
    "harmonic_centrality",
    "hits",
    "join_shards",
    "k_core",
    "katz_centrality",
    "label_propagation",
    "largest_component",
    "leiden",
    "lfr_graph",
    "louvain",
    "merge_forests",
    "modularity",
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
    "sample_neighbors",
    "save_forest",
    "shortest_path",
    "shortest_path_length",
    "shortest_paths",
    "split_edges",
    "static_model_graph",
    "study",
    "to_pyg_data",
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
