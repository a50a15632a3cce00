"""Every public name of clgraph, once: where it is, how it is called, and what it is checked by.

`clgraph` has its names from this table, and what type checkers read (``clgraph/__init__.pyi``) is written
from it (``python tests/test_public.py``). The pages of ``docs/api/``, the self-test, the fuzzer and the tests
that call every function (threads, faults of memory, other libraries' graphs) read it, so that a new function
is one entry here. Kernel families are here too.

Pure data, which loads nothing: ``import clgraph`` and ``clgraph --help`` read it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple


class Public(NamedTuple):
    """A public name.

    Attributes
    ----------
    name : str
    home : str
        The module that it is imported from, below `clgraph`.
    page : str
        The page of ``docs/api/`` that describes it, in the order of this table.
    call : str
        An example: `graph` is Zachary's karate club (34 vertices, undirected), `parts` a graph of two
        components; everything else is literal. Functions that take a `device` are tried with it by threads,
        with every buffer denied to them, and with the graphs of other libraries.
    reference : str
        The slow and plain implementation, below `clgraph.reference`.
    verifier : str
        What checks a result (`found`) of `call` against its definition, below `clgraph.reference`.
    selftest : str
        Graphs (of `clgraph.selftest.checks.Graphs`) on which the self-test calls and verifies it, as Oclgrind
        does on that of `call`; most families have checks of their own in `clgraph.selftest.checks`.
    family : str
        The kernel family (see `FAMILIES`) that `call` needs.
    doubles : bool
        It needs numbers of 64 bits on the device.
    values : str
        What the fuzzer calls it with: good values of the arguments by position (``;`` between arguments,
        ``|`` between values), then ``name=VALUES``, unless `OPTIONS` has them. A word in capitals is a list
        of ``tests/fuzz/arguments.py``.
    members : str
        Of a class whose instances the package uses inside, too: the names that are public, with blanks
        between. All of a class's names without an underscore are, if it is empty.
    lacks : dict of str to str
        Of a function, why it has no `call`, `reference`, `verifier`, `family` or `values`.
    """

    name: str
    home: str
    page: str
    call: str = ""
    reference: str = ""
    verifier: str = ""
    selftest: str = ""
    family: str = ""
    doubles: bool = False
    values: str = ""
    members: str = ""
    lacks: Mapping[str, str] = {}

    @property
    def is_function(self) -> bool:
        """True for a function: classes have capitals, `datasets` is a module."""
        return self.name.islower() and self.home != self.name


# why functions lack what others have
EXACT = {"verifier": "the reference gives the same, bit for bit or to the last digits"}
HOST = {"family": "runs on the host"}
MODEL = {"verifier": "the reference draws the same edges"}
NUMPY = {"reference": "without a device NumPy makes the same graph, bit for bit", **MODEL}
CHECK = dict.fromkeys(("reference", "verifier", "family"), "a check itself")
VERIFIER = CHECK | {"call": "the verifier of an entry with a result"}
STORED = dict.fromkeys(("reference", "verifier"), "stores a graph: what is read is compared with it")
PYG = {
    "call": "needs PyTorch Geometric: tests/graph/exchange/test_pyg.py",
    **dict.fromkeys(("reference", "verifier", "values"), "arrays of the graph, which a test compares"),
}
FILES = {"call": "takes the name of a file", **STORED}
DATASET = {"call": "takes or makes a dataset: tests/sharded_calls.py"}
SHARDS = DATASET | STORED
MACHINE = dict.fromkeys(("call", "reference", "verifier", "family"), "computes nothing")
COUNTED = {
    "reference": "tests count with NetworkX, the self-test with SciPy",
    "verifier": "exact numbers, equal to theirs",
}
POINTS = dict.fromkeys(("reference", "verifier"), "its points are sizes of samples, which are compared")
ORDER = dict.fromkeys(("reference", "verifier"), "what reference_sample deletes comes in this order")
MEASURED = dict.fromkeys(("reference", "verifier"), "each measure has its own, or is compared with a library")
STUDIED = {
    **dict.fromkeys(("reference", "verifier"), "its rows are samples and their quality"),
    "values": "many calls of sample and quality, which are fuzzed",
}

ERRORS = (
    "ClgraphError",
    "InputError",
    "DeviceError",
    "BuildError",
    "CapacityError",
    "ConvergenceError",
    "ConvergenceWarning",
)


def _function(
    name: str,
    call: str = "graph",
    values: str = "GRAPHS",
    *,
    reference: str = "",
    verifier: str = "",
    lacks: Mapping[str, str] = {},
    **more: Any,
) -> Public:
    """Return the entry of a function: what is not given is the usual, unless it is in `lacks`.

    Parameters
    ----------
    call : str
        The arguments of the example alone.
    reference : str
        ``{}`` in it is the function's name, without ``_graph`` or ``_centrality``.
    verifier : str
        Default: of ``M.reference_X`` it is ``M.verify_X(graph, found)``.
    **more
        See `Public`.
    """
    reference = reference.format(name.removesuffix("_graph").removesuffix("_centrality"))
    if reference and not verifier:
        verifier = f"{reference.replace('reference_', 'verify_')}(graph, found)"
    fields = {"call": f"{name}({call})", "reference": reference, "verifier": verifier, "values": values}
    return Public(name, lacks=lacks, **{**more, **fields, **dict.fromkeys(lacks, "")})


#: the fuzzer's values of options that mean the same in every function that has them
OPTIONS = {
    "arrays": "'host'",
    "average_degree": "2.0 | 5 | 49",
    "connection": "'weak' | 'strong'",
    "damping": "0.85 | 0 | 0.5",
    "dangling": "'uniform' | 'personalization' | {0: 1}",
    "depth_limit": "None | 2 | 1",
    "directed": "True | False",
    "duplicates": "'merge' | 'keep'",
    "max_iter": "100 | 50 | 3 | 1",
    "normalized": "True | False",
    "nstart": "None | {0: 1}",
    "on_nonconvergence": "'warn' | 'raise'",
    "personalization": "None | {0: 1}",
    "rng": "None | 7 | np.random.SeedSequence(1) | np.random.default_rng(2) | np.random.PCG64(3)",
    "seed": "1",
    "tol": "1e-6 | 1e-3 | 1e-8",
    "weight": "True | False",
}

# entries that are alike
_generator = partial(
    _function,
    home="csr.generate",
    page="graph",
    family="graph generator",
    reference="models.reference_{}",
    lacks=MODEL,
)
_measure = partial(
    _function, home="measures", page="sampling", family="measures", reference="measures.reference_{}"
)
_samples = partial(_function, page="sampling", family="samples")
_dataset = partial(_function, home="scale", page="shards", lacks=SHARDS | HOST)
_forest = partial(
    _function,
    home="sampling.shards",
    page="shards",
    reference="reduction.reference_forest",
    family="forests of large graphs",
    lacks=DATASET | EXACT,
)
_traversal = partial(_function, page="traversal", reference="traversal.reference_bfs")
_components = partial(
    _traversal, home="components", reference="traversal.reference_components", family="components"
)
_distances = partial(
    _function,
    home="centrality.distances",
    page="centrality",
    family="centrality",
    reference="centrality.reference_{}",
)
_eigen = partial(_distances, home="centrality.eigen")
_neighbours = partial(_distances, home="centrality.neighbours")
_communities = partial(
    _function, page="communities", reference="communities.reference_{}", family="communities"
)
_path = partial(_distances, reference="traversal.reference_bfs", family="search")
_device = partial(_function, home="device", page="devices", lacks=MACHINE)
_check = partial(_function, home="reference", page="verification", lacks=CHECK)
_verifier = partial(_check, lacks=VERIFIER)

PUBLIC: tuple[Public, ...] = (
    # --- graphs
    Public(
        "Graph",
        "graph",
        "graph",
        values="ARRAYS ; ARRAYS ; weights=ARRAYS ; multiplicity=ARRAYS ; ids=ARRAYS",
    ),
    Public("datasets", "datasets", "graph"),
    _function("to_pyg_data", home="graph.pyg", page="graph", lacks=PYG | HOST),
    _function(
        "read",
        values=(
            "'g.txt' | 'none.txt' | '.' | 'g.xyz' | '' | P('g.txt') | 'g.txt\\0' ; format='edges' | 'mtx' "
            "| 'clg' ; ids='int' | 'str' | 'name' ; weights=True | False"
        ),
        home="files",
        page="graph",
        family="reading files",
        lacks=FILES,
    ),
    _function(
        "write",
        values=(
            "GRAPHS ; 'o.txt' | 'o.clg' | 'none/o.txt' | '.' | 'o' | 'o.npz' | 'o.mtx' | 'o' * 244 + "
            "'.txt' | 'a\\0.txt' ; format='edges' | 'metis' | 'ldbc' | 'npz'"
        ),
        home="files",
        page="graph",
        lacks=FILES | {"family": "small graphs are written by the host"},
    ),
    _generator("powerlaw_graph", "30, seed=1", "0 | 1 | 50 ; exponent=2.5", lacks=NUMPY),
    _generator(
        "rmat_graph",
        "4, seed=1",
        "0 | 1 | 5 ; edge_factor=2 | 0 | 0.5 ; a=0.5 ; b=0.2 | 0.9 ; c=0.1 ; scramble=True | False",
        lacks=NUMPY,
    ),
    _generator("barabasi_albert_graph", "30, 2, seed=1", "0 | 3 | 50 ; 0 | 1 | 3 | 49"),
    _generator("erdos_renyi_graph", "30, 40, seed=1", "0 | 1 | 50 ; 0 | 40 | 1225"),
    _generator("watts_strogatz_graph", "30, 4, 0.1, seed=1", "0 | 3 | 50 ; 0 | 2 | 3 | 40 ; 0 | 0.5 | 1 | 2"),
    _generator(
        "configuration_graph",
        "30, seed=1",
        "0 | 1 | 50 ; exponent=2 | 0 | 30 ; min_degree=1 | 0 | 9 ; max_degree=9 | 60",
        home="csr.generate_stubs",
    ),
    _generator("static_model_graph", "30, seed=1", "0 | 1 | 50 ; alpha=0.5 | 2 | -1 ; shift=0 | 3.5"),
    _generator(
        "lfr_graph",
        "200, seed=1",
        "0 | 60 | 200 ; mixing=0 | 0.5 | 1 | 2 ; degree_exponent=2 ; min_degree=1 | 5 ; max_degree=10 | 300 "
        "; community_exponent=1 ; min_community=1 | 20 ; max_community=25 | 1000",
        home="csr.generate_stubs",
        verifier="models.verify_communities(found, mixing=0.1)",
        lacks={},
    ),
    _generator("copra_graph", "100", "0 | 10 | 200", home="theses.copra", lacks=NUMPY),
    Public("Communities", "csr.generate_stubs", "graph"),
    # --- sampling and quality
    _samples(
        "sample",
        'graph, "drv", size=9, seed=1',
        "GRAPHS ; METHODS ; size=1 | 0.5 | 2 | '50%' ; seed=1 | 2 ; mode='auto' | 'batched' | 'exact' ; "
        "tolerance=None | 0 | 2 ; connection='weak' | 'strong' ; components='afforest' | 'bfs' | None ; "
        "far_scan=True | False ; mix=0.5 | '0.8' ; start=0 | None ; strict=True | False ; min_size=1 | 3",
        home="sampling",
        reference="samples.reference_sample",
    ),
    Public("Sample", "sampling", "sampling"),
    Public("Samples", "sampling", "sampling"),
    _samples(
        "reduction_curve",
        'graph, "drv", 1',
        "GRAPHS ; METHODS ; size=1 | 0.5 ; mode='auto' | 'batched' ; seeds=None | 1 | 2",
        home="sampling.curve",
        lacks=POINTS,
    ),
    Public("ReductionCurve", "sampling.curve", "sampling"),
    Public("ReductionCurves", "sampling.curve", "sampling"),
    _samples(
        "sample_neighbors",
        "graph, [1, 27], [3, 2], seed=1",
        "GRAPHS ; [0] | [0, 1] | ['a'] ; [1] | [2, -1] | [3, 1, 2] ; replace=True | False ; weighted=False | "
        "True ; direction='in' | 'out' ; disjoint=True | False ; relabel=True | False ; batches=None | 1 | 2 "
        "| [1, 1]",
        home="sampling.fanout",
        reference="fanout.reference_neighbors",
        verifier="fanout.verify_neighbors(graph, found, [3, 2])",
        selftest="power_law directed large",
        family="layered neighbours",
    ),
    Public("NeighborSample", "sampling.fanout", "sampling"),
    _samples(
        "split_edges",
        "graph, seed=1",
        "GRAPHS ; test=0.1 | 0 | 2 | 0.5 | 1.5 ; validation=0.05 | 0 | 1 ; keep_connected=True | False ; "
        "negatives=1.0 | 0 | 2 | 1e9 ; negative_law='uniform' | 'degree'",
        home="sampling.split",
        reference="split.reference_split_edges",
        selftest="power_law directed large",
        family="edge splits",
    ),
    Public("EdgeSplit", "sampling.split", "sampling"),
    Public("EdgePart", "sampling.split", "sampling"),
    _samples(
        "deletion_order",
        'graph, "dre"',
        "GRAPHS ; method='drv' | 'dre'",
        home="sampling.curve",
        lacks=HOST | ORDER,
    ),
    _measure(
        "quality",
        "graph, eigenvalues=False",
        "GRAPHS ; GRAPHS ; relation=None | 'none' | 'subset' | 'contraction' | 'x' ; hop_sources=1 | 3 ; "
        "eigenvalues=True | False | None",
        lacks=MEASURED,
    ),
    Public("Quality", "measures", "sampling"),
    _samples("study", 'graph, ["drv"], [9], seeds=1, eigenvalues=False', home="studies", lacks=STUDIED),
    Public("Study", "studies", "sampling"),
    _measure("triangles", lacks=COUNTED),
    _measure(
        "clustering",
        'graph, definition="ldbc"',
        "GRAPHS ; definition='undirected' | 'ldbc' | 'networkx'",
        verifier='measures.verify_clustering(graph, found, definition="ldbc")',
        selftest="directed large_directed",
    ),
    _measure("average_clustering", values="GRAPHS ; definition='ldbc' | 'networkx'", lacks=COUNTED),
    _measure("transitivity", lacks=COUNTED),
    _measure("core_numbers"),
    _measure(
        "eigenvalues",
        values="GRAPHS ; count=1 | 20 ; matrix='laplacian' | 'normalized laplacian'",
        lacks={"family": "few vertices are left to the host"},
    ),
    _measure(
        "k_core", values="GRAPHS ; k=None | 1 | 2", reference="measures.reference_core_numbers", lacks=EXACT
    ),
    # --- shards
    _dataset(
        "write_shards",
        values=(
            "GRAPHS ; 'o.clgs' | 'none/o.clgs' | 'o.txt' | '.' ; sections=None | ['pairs'] | ['rows'] | "
            "['in'] ; shard_edges=1 | 5"
        ),
    ),
    _dataset("open_shards", values="'g.txt' | 'none.clgs' | '.' | P('x') ; verify=True | False"),
    Public(
        "Shards",
        "scale",
        "shards",
        members="num_vertices num_edges directed ids indices_of fingerprint folder",
    ),
    _dataset("join_shards", values="SHARDS"),
    _forest(
        "save_forest",
        values="SHARDS ; 'o.forest' | 'none/o' ; method='drv' | 'dre' ; which=None | [0] | [0, 1]",
    ),
    _forest(
        "merge_forests", values="['g.txt'] | [] | ['none.forest', 'none.forest'] ; 'o.forest' | 'none/o'"
    ),
    _dataset("open_forest", values="'g.txt' | 'none.forest' | '.'", home="sampling.shards"),
    Public("SavedForest", "sampling.shards", "shards"),
    # --- traversal
    _traversal(
        "bfs",
        "graph, 1",
        "GRAPHS ; 0 | 1 | [0, 1] | 'a' ; method='hybrid' | 'frontier' ; predecessors=True | False",
        home="traversal",
        family="search",
    ),
    Public("BFSResult", "traversal", "traversal"),
    _traversal(
        "bfs_many",
        "graph, [1, 6]",
        "GRAPHS ; [0] | [0, 1] | ['a'] ; dtype=None | 'int8' | 'int32' ; lanes=32 | 64",
        home="traversal",
        family="searches at once",
        lacks=EXACT,
    ),
    Public("ManyBFSResult", "traversal", "traversal"),
    _traversal(
        "shortest_paths",
        "graph, [1, 6]",
        "GRAPHS ; 0 | [0, 1] | ['a'] | [] ; weights=True | False ; delta='auto' | 0.5 | 0 ; "
        "cutoff=None | 2 | 0.5 ; predecessors=True | False ; dtype='float32' | 'float64'",
        home="traversal.paths",
        reference="weighted.reference_shortest_paths",
        selftest="directed weighted_zeros",
        family="weighted search",
    ),
    Public("ShortestPathsResult", "traversal.paths", "traversal"),
    _components("connected_components"),
    Public("Components", "components", "traversal"),
    _components("largest_component", "parts", lacks=EXACT),
    # --- ranking
    _function(
        "pagerank",
        values="GRAPHS ; norm='l1' | 'l2' ; dtype='float32' | 'float64'",
        home="ranking",
        page="ranking",
        reference="pagerank.reference_pagerank",
        family="pagerank",
    ),
    Public("PageRankResult", "ranking", "ranking"),
    _function(
        "personalized_pagerank",
        "graph, [1, 2, 3]",  # one alone takes PageRank's kernels
        "GRAPHS ; [0] | 0 | [0, 1] | ['a'] | [[0, 1], [1]] | {'u': ['a']} | {1: [0]} ; exclude=None | 'self' "
        "| 'neighbours' | [1] | ('self', [0]) ; method='power' | 'walks' ; top=None | 2 ; walks=None | 100 ; "
        "epsilon=None | 0.1 ; confidence=0.9 ; check_every=1 | 3 ; squared=True | False ; stored=True | "
        "False ; stable_top=0 | 1 ; dtype='float32'",
        home="ranking.personalized",
        page="ranking",
        reference="pagerank.reference_ppr",
        verifier="pagerank.verify_ppr(graph, found, [1, 2, 3])",
        family="personalized pagerank",
    ),
    Public("PersonalizedResult", "ranking.personalized.result", "ranking"),
    # --- centrality
    _distances(
        "betweenness_centrality",
        home="centrality.betweenness",
        values="GRAPHS ; k=None | 1 | 2 ; sources=None | [0] | ['a'] ; endpoints=True | False",
        doubles=True,
    ),
    _distances(
        "edge_betweenness_centrality",
        home="centrality.betweenness",
        values="GRAPHS ; k=None | 1 | 2 ; sources=None | [0] | ['a']",
        doubles=True,
    ),
    _distances(
        "closeness_centrality",
        values="GRAPHS ; vertices=None | [0] | [0, 1] | ['a'] ; improved=True | False",
        verifier='centrality.verify_distances(graph, "closeness", found, [0, 9, 33])',
    ),
    _distances(
        "harmonic_centrality",
        values="GRAPHS ; vertices=None | [0] | [0, 1] | ['a'] ; sources=None | [1] | ['a']",
        verifier='centrality.verify_distances(graph, "harmonic", found, [0, 9, 33])',
    ),
    _eigen("eigenvector_centrality", doubles=True),
    _eigen(
        "katz_centrality",
        "graph, alpha=0.01",
        "GRAPHS ; alpha=0.1 | 0.9 ; beta=1.0 | {0: 1}",
        verifier="centrality.verify_katz(graph, found, alpha=0.01)",
        selftest="directed",
        doubles=True,
    ),
    _eigen(
        "hits",
        "graph, weight=False",
        verifier="centrality.verify_hits(graph, *found, weight=False)",
        doubles=True,
    ),
    _path(
        "shortest_path",
        "graph, 1, 27",
        "GRAPHS ; 0 | 'a' ; 1 | 0 ; weights=True | False",
        lacks={"verifier": "a path of edges, as long as the reference's distance"},
    ),
    _path(
        "shortest_path_length", "graph, 1, 27", "GRAPHS ; 0 | 'a' ; 1 | 0 ; weights=True | False", lacks=EXACT
    ),
    _distances("average_shortest_path_length", values="GRAPHS ; weights=True | False", lacks=EXACT),
    _neighbours(
        "average_neighbor_degree",
        values="GRAPHS ; source='out' | 'in' | 'in+out' ; target='out' | 'in' | 'in+out'",
        reference="measures.reference_average_neighbor_degree",
        lacks=EXACT,
    ),
    _neighbours(
        "degree_assortativity_coefficient",
        values="GRAPHS ; x='out' | 'in' ; y='out' | 'in'",
        reference="measures.reference_degree_assortativity",
        lacks=EXACT,
    ),
    # --- communities
    _communities(
        "label_propagation",
        "graph, 4",
        "GRAPHS ; 3 | 0 | 10**9 ; 'synchronous' | 'stable'",
        home="communities.propagation",
        selftest="power_law star large_directed",
    ),
    Public("LabelPropagationResult", "communities.propagation", "communities"),
    _communities(
        "modularity",
        "parts, [0, 0, 0, 1, 1]",
        "GRAPHS ; [0, 0, 1] | [0] | ARRAYS ; resolution=1.0 | 0 | 0.5",
        home="communities.partitions",
        verifier="communities.verify_modularity(parts, found, [0, 0, 0, 1, 1])",
    ),
    _communities(
        "louvain",
        values="GRAPHS ; resolution=1 | 0.5 | 2000",
        home="communities.multilevel",
        reference="multilevel.reference_{}",
        selftest="directed",
    ),
    _communities(
        "leiden",
        values="GRAPHS ; resolution=1 | 0.5 | 2000",
        home="communities.multilevel",
        reference="multilevel.reference_{}",
        selftest="directed",
    ),
    Public("Partition", "communities.multilevel", "communities"),
    # --- devices
    _device("devices", lacks=MACHINE | {"values": "what it gives is this machine's"}),
    _device(
        "get_device",
        values="None | 'cpu' | 'none' | '0:0' | '9:9' | '' ; kernels='ndrange' | None ; force=False",
    ),
    _device("profile", lacks=MACHINE | {"values": "what it gives is this machine's"}),
    Public(
        "Device",
        "device",
        "devices",
        members="name kind spec platform_name driver_version global_memory max_buffer features verdict "
        "context queue raw finish alone",
    ),
    # --- references and verification
    _check(
        "reference_sample",
        'graph, "drv", size="50%", seed=1',
        "GRAPHS ; method='drv' | 'dre' | 'drve' | 'dhyb' | 'cre' | 'crve' | 'ebfs' | 'edfs' ; size=1 | 0.5 | "
        "2 | '50%' ; mode='exact' | 'batched' ; start=None | 0 ; tolerance=None | 1 ; mix=0.5",
    ),
    _check("reference_bfs", "graph, 1", "GRAPHS ; 0 | [0, 1] | 'a'"),
    _check("reference_components"),
    _check("reference_pagerank", "graph, iterations=3", "GRAPHS ; iterations=3 | 0"),
    _check(
        "reference_ppr",
        "graph, [1], iterations=3",
        "GRAPHS ; [0] | 0 | [0, 1] ; iterations=3",
        home="reference.pagerank",
    ),
    *(
        _verifier(f"verify_{name}", values="GRAPHS ; RESULTS ; CHANGES")
        for name in ("sample", "bfs", "components", "pagerank")
    ),
    _verifier(
        "verify_ppr", values="GRAPHS ; RESULTS ; CHANGES ; [0] | [0, 1] | 'a'", home="reference.pagerank"
    ),
    _check(
        "top_accuracy",
        "[1, 0], [0.4, 0.6], 1",
        "[[0, 1]] | [0] ; np.array([[0.5, 0.5]]) | np.ones(2) ; k=1 | 2",
        home="reference.pagerank",
    ),
    # --- errors
    *(Public(name, "errors", "errors") for name in ERRORS),
)
BY_NAME = {each.name: each for each in PUBLIC}

#: kernels that a driver gets right or wrong together: the beginning of a kernel file's name, without ``cl/``
#: and ``.cl``, and its family; the longest one counts
FAMILIES = {
    "device/": "",  # the probe tries these
    "csr/": "graph building",
    "csr/generate": "graph generator",
    "files/": "reading files",
    "centrality/": "centrality",
    "communities/": "communities",
    "components/": "components",
    "components/strong": "strong components",
    "traversal/": "search",
    "bench/": "search",  # they check its trees
    "traversal/many": "searches at once",
    "traversal/weighted": "weighted search",
    "ranking/": "pagerank",
    "ranking/small": "pagerank small",
    "ranking/bins": "pagerank bins",
    "ranking/runs": "pagerank runs",
    "ranking/personalized/": "personalized pagerank",
    "ranking/personalized/walks": "personalized pagerank monte-carlo",
    "sampling/": "samples",
    "sampling/contract": "samples by contraction",
    "sampling/array_frontier": "batched samples",
    "sampling/copra": "batched samples",
    "sampling/draw": "batched samples",
    "sampling/literature/": "samplers of the literature",
    "sampling/repair": "batched samples",
    "sampling/select": "batched samples",
    "sampling/explore": "samples by exploration",
    "sampling/fanout": "layered neighbours",
    "sampling/split": "edge splits",
    "sampling/strong": "samples by strong components",
    "measures/": "measures",
    # engines for shards are judged by the one that the self-test runs: all of them load rows alike
    "scale/": "forests of large graphs",
    "sampling/shards/": "forests of large graphs",
    "components/shards": "forests of large graphs",
    "traversal/blocks": "forests of large graphs",
    "ranking/shards": "forests of large graphs",
    "theses/": "pagerank",
    "theses/subgroup": "pagerank subgroup",
    "theses/coo": "personalized pagerank coo",
}


def family_of(program: str) -> str:
    """The family of a kernel file; empty for those of the device's own."""
    found = [beginning for beginning in FAMILIES if program.startswith(beginning)]
    return FAMILIES[max(found, key=len)] if found else program.split("/")[0]


def load(module: str, name: str = "") -> Any:
    """A module below `clgraph`, or what has a name in it."""
    from importlib import import_module

    # the only import by name in the package: what the table names is loaded when it is first used, so that a
    # program pays for what it calls
    found = import_module(f"clgraph.{module}")
    return getattr(found, name) if name else found


def call_as(text: str, function: Callable[..., Any], names: Mapping[str, Any], **options: Any) -> Any:
    """Call a function with the arguments of an example.

    Parameters
    ----------
    text : str
        ``NAME(ARGUMENTS)``: names, starred names and literals.
    function : callable
    names : mapping
        What the names stand for.
    **options
        More arguments by name.
    """
    import ast

    def value(node: ast.expr) -> Any:
        return names[node.id] if isinstance(node, ast.Name) else ast.literal_eval(node)

    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    given: list[Any] = []
    for node in call.args:
        given += value(node.value) if isinstance(node, ast.Starred) else [value(node)]
    named = {str(each.arg): value(each.value) for each in call.keywords}
    return function(*given, **named, **options)
