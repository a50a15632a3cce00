"""PageRank, centralities, triangles, cores and degrees of neighbours, as NetworkX gives them."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import numpy.typing as npt
from networkx.algorithms.centrality import betweenness as networkx_own

from clgraph.errors import ConvergenceError, ConvergenceWarning, InputError
from clgraph.networkx_backend.converted import ConvertedGraph, convert_to_nx
from clgraph.networkx_backend.running import RELEASE, check_in, on_device, with_doubles

if TYPE_CHECKING:
    from clgraph.device import Device

CLOSE = 1e-8  # how far hubs and authorities may be from the exact ones: NetworkX's own default for `tol`
STRICT = 1e-3  # the L1 difference of two iterates must fall below this, whatever the size of the graph
FARTHEST = 2.0  # the largest L1 difference of two distributions: a tolerance above it tests nothing
Floats = npt.NDArray[np.float64]


def pagerank(
    G: ConvertedGraph,
    alpha: float = 0.85,
    personalization: Mapping[Any, Any] | None = None,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: Mapping[Any, Any] | None = None,
    weight: Any = "weight",
    dangling: Mapping[Any, Any] | None = None,
) -> dict[Any, float]:
    """Like `networkx.pagerank`, to a tolerance of min(N * tol, 1e-3)."""
    n = len(G)
    if n == 0:
        return {}
    vectors = {
        name: None if given is None else _vector(G, given)
        for name, given in (("personalization", personalization), ("nstart", nstart), ("dangling", dangling))
    }
    if vectors["personalization"] is not None and not vectors["personalization"].any():
        raise ZeroDivisionError("personalization is zero everywhere")
    range(max_iter)  # a TypeError unless it is a whole number, as in NetworkX
    own = n * tol  # NetworkX's own test
    if max_iter < 1 or not own > 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    if own >= FARTHEST:
        warnings.warn(
            f"NetworkX's tolerance N * tol = {own:.3g} cannot fail: two distributions never differ by more "
            f"than {FARTHEST:g}. clgraph stops below {STRICT:g}; a tol below {STRICT / n:.1g} overrides that",
            ConvergenceWarning,
            stacklevel=2,
        )
    from clgraph.ranking import pagerank as rank

    with on_device("pagerank") as device:
        try:
            found = rank(
                G.weighted(weight),
                damping=alpha,
                # N * tol grows with the graph: at the default tol, any vector of two million nodes meets it
                tol=min(own, STRICT),
                norm="l1",
                max_iter=max_iter,
                personalization=vectors["personalization"],
                nstart=vectors["nstart"],
                dangling="personalization" if vectors["dangling"] is None else vectors["dangling"],
                weight=weight is not None,
                on_nonconvergence="return",
                device=device,
                dtype="float64" if "HAVE_FP64" in device.features else "float32",
            )
        except InputError as error:  # a negative weight, say: NetworkX may know what to do
            raise NotImplementedError(f"clgraph cannot rank this graph: {error}") from error
    if not found.converged:
        if not found.residual < own:
            raise nx.PowerIterationFailedConvergence(max_iter)
        warnings.warn(
            f"after {max_iter} iterations the scores differ by {found.residual:.3g} from the ones before: "
            f"below NetworkX's N * tol = {own:.3g}, not yet below {STRICT:g}",
            ConvergenceWarning,
            stacklevel=2,
        )
    return G.by_node(found.scores)


def eigenvector_centrality(
    G: ConvertedGraph, max_iter: int = 100, tol: float = 1.0e-6, nstart: Any = None, weight: Any = None
) -> dict[Any, float]:
    """Like `networkx.eigenvector_centrality`."""
    from clgraph.centrality.eigen import eigenvector_centrality as central

    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    start = _numbers(G, nstart)
    if start is not None and not start.any():
        raise nx.NetworkXError("initial vector cannot have all zero values")
    with _solving("eigenvector_centrality", max_iter) as device:
        graph = G.weighted(weight or None)
        found = central(graph, max_iter=max_iter, tol=tol, nstart=start, weight=bool(weight), device=device)
    return _named(G, found, nstart)


def katz_centrality(
    G: ConvertedGraph,
    alpha: float = 0.1,
    beta: Any = 1.0,
    max_iter: int = 1000,
    tol: float = 1.0e-6,
    nstart: Any = None,
    normalized: bool = True,
    weight: Any = None,
) -> dict[Any, float]:
    """Like `networkx.katz_centrality`."""
    from clgraph.centrality.eigen import katz_centrality as central

    if len(G) == 0:
        return {}
    added: Any
    try:
        added = float(beta)
    except (TypeError, ValueError) as error:
        if set(beta) != set(G.nodes.objects):
            raise nx.NetworkXError("beta dictionary must have a value for every node") from error
        added = _numbers(G, beta)
    start = _numbers(G, nstart)
    with _solving("katz_centrality", max_iter) as device:
        found = central(
            G.weighted(weight),
            alpha=alpha,
            beta=added,
            max_iter=max_iter,
            tol=tol,
            nstart=start,
            normalized=bool(normalized),
            weight=weight is not None,
            device=device,
        )
    return _named(G, found, nstart)


def hits(
    G: ConvertedGraph,
    max_iter: int = 100,
    tol: float = 1.0e-8,
    nstart: Any = None,
    normalized: bool = True,
    *,
    method: str = "power_iteration" if RELEASE >= (3, 7) else "svd",
) -> tuple[dict[Any, float], dict[Any, float]]:
    """Like `networkx.hits`, which has had a choice of methods since 3.7 and was "svd" before."""
    from clgraph.centrality.eigen import hits as hubs_and_authorities

    if len(G) == 0:
        return {}, {}
    if method == "power_iteration":
        return _iterated_hits(G, max_iter, tol, _numbers(G, nstart), normalized)
    start = None if nstart is None else np.array(list(nstart.values()), np.float64)
    with _solving("hits", max_iter) as device:
        found = hubs_and_authorities(
            G.weighted("weight"),
            max_iter=max_iter,
            # to SciPy, which NetworkX asks, 0 means machine precision: more than an iteration may reach
            tol=min(tol or CLOSE, CLOSE),
            nstart=start,
            normalized=bool(normalized),
            device=device,
        )
    return G.by_node(found[0]), G.by_node(found[1])


def _iterated_hits(
    G: ConvertedGraph, max_iter: int, tol: float, start: Floats | None, normalized: bool
) -> tuple[dict[Any, float], dict[Any, float]]:
    """Iterate step by step as NetworkX does, so that the iteration ends where NetworkX's does."""
    from clgraph.centrality.eigen import Vectors

    hubs = np.ones(len(G)) if start is None else start
    hubs = hubs / hubs.sum()
    with _solving("hits", max_iter) as device:
        vectors = Vectors(device, G.weighted("weight"), True)
        x, y, z = (vectors.vector() for _ in range(3))
        for _ in range(max_iter):
            before = hubs
            device.write(x, hubs)
            vectors.multiply(x, y, transpose=True)
            vectors.multiply(y, z)
            hubs = vectors.take(z)
            hubs = hubs / hubs.max()
            if np.abs(hubs - before).sum() < tol:
                break
        else:
            raise nx.PowerIterationFailedConvergence(max_iter)
        authorities = vectors.take(y)
    scale = np.sum if normalized else np.max  # the largest hub is 1 already
    return G.by_node(hubs / scale(hubs)), G.by_node(authorities / scale(authorities))


def betweenness_centrality(
    G: ConvertedGraph,
    k: Any = None,
    normalized: bool = True,
    weight: Any = None,
    endpoints: bool = False,
    seed: Any = None,
) -> dict[Any, float]:
    """Like `networkx.betweenness_centrality` without weights."""
    from clgraph.centrality.betweenness import dependencies

    n = len(G)
    drawn = None if k is None or k == n else nx.utils.create_py_random_state(seed).sample(list(G), k)
    if n == 0:
        return {}
    sources = np.arange(n) if drawn is None else np.unique([G.nodes.find(node) for node in drawn])
    with on_device("betweenness_centrality") as device:
        found = dependencies(
            with_doubles(device), G.rows, sources.astype(np.int32), endpoints=bool(endpoints)
        )
    # NetworkX's own scaling, which is another one in each release
    options: dict[str, Any] = {"normalized": normalized, "directed": G.is_directed(), "endpoints": endpoints}
    if "sampled_nodes" in inspect.signature(networkx_own._rescale).parameters:
        options["sampled_nodes"] = drawn
    else:
        options["k"] = None if drawn is None else k
    scaled: dict[Any, float] = networkx_own._rescale(G.by_node(found), n, **options)
    return scaled


def edge_betweenness_centrality(
    G: ConvertedGraph, k: Any = None, normalized: bool = True, weight: Any = None, seed: Any = None
) -> dict[Any, float]:
    """Like `networkx.edge_betweenness_centrality` without weights, of graphs without parallel edges."""
    from clgraph.centrality.betweenness import dependencies, of_edges

    n, rows = len(G), G.rows
    drawn = None if k is None else nx.utils.create_py_random_state(seed).sample(list(G), k)
    sources = np.arange(n) if drawn is None else np.unique([G.nodes.find(node) for node in drawn])
    if rows.num_arcs == 0:
        return {}
    with on_device("edge_betweenness_centrality") as device:
        found = dependencies(with_doubles(device), rows, sources.astype(np.int32), by_arc=True)
    tail, head = rows.tails, rows.col_idx
    if not G.is_directed():  # an edge is met first at the end that comes first
        once = tail <= head
        tail, head = tail[once], head[once]
    edges = zip(G.nodes.names(tail), G.nodes.names(head), strict=True)
    values = dict(zip(edges, of_edges(rows, found).tolist(), strict=True))
    # NetworkX's own scaling, which has another name before NetworkX 3.6, and is not told of k there
    given: dict[str, Any] = {"normalized": normalized, "directed": G.is_directed()}
    scaled: dict[Any, float]
    if hasattr(networkx_own, "_rescale_e"):
        scaled = networkx_own._rescale_e(values, n, **given)
    else:
        scaled = networkx_own._rescale(values, n, **given, sampled_nodes=drawn)
    return scaled


def closeness_centrality(
    G: ConvertedGraph, u: Any = None, distance: Any = None, wf_improved: bool = True, *, sp: Any = None
) -> Any:
    """Like `networkx.closeness_centrality` without `distance` and `sp` (known since NetworkX 3.7)."""
    from clgraph.centrality.distances import closeness_centrality as central

    if u is not None:
        check_in(G, Source=u)
    with on_device("closeness_centrality") as device:
        place = None if u is None else [G.nodes.find(u)]
        found = central(G.rows, place, improved=bool(wf_improved), device=device)
    return G.by_node(found) if u is None else found.tolist()[0]


def harmonic_centrality(
    G: ConvertedGraph, nbunch: Any = None, distance: Any = None, sources: Any = None
) -> dict[Any, Any]:
    """Like `networkx.harmonic_centrality` without `distance`."""
    from clgraph.centrality.distances import harmonic_centrality as central

    chosen, counted = _some(G, nbunch), _some(G, sources)
    with on_device("harmonic_centrality") as device:
        found = central(G.rows, chosen, sources=counted, device=device).tolist()
    nodes = G.nodes.objects if chosen is None else G.nodes.names(chosen)
    return {node: value or 0 for node, value in zip(nodes, found, strict=True)}


# --- triangles and clustering coefficients ------------------------------------------------------------------


def triangles(G: ConvertedGraph, nodes: Any = None) -> Any:
    """Like `networkx.triangles`."""
    return of_nodes(G, nodes, _count("triangles", G).tolist())


def clustering(G: ConvertedGraph, nodes: Any = None, weight: Any = None) -> Any:
    """Like `networkx.clustering` without weights."""
    return of_nodes(G, nodes, _coefficients("clustering", G))


def average_clustering(
    G: ConvertedGraph, nodes: Any = None, weight: Any = None, count_zeros: bool = True
) -> Any:
    """Like `networkx.average_clustering` without weights."""
    found = of_nodes(G, nodes, _coefficients("average_clustering", G)).values()
    if not count_zeros:
        found = [value for value in found if value]
    return sum(found) / len(found)


def transitivity(G: ConvertedGraph) -> Any:
    """Like `networkx.transitivity`, for undirected graphs."""
    count = 2 * int(_count("transitivity", G).sum())
    degree = _degrees(G)
    return count / int((degree * (degree - 1)).sum()) if count else 0


def _coefficients(name: str, G: ConvertedGraph) -> list[Any]:
    """The local clustering coefficients; of directed graphs those of directed triangles."""
    if G.is_directed():
        from clgraph.measures.triangle_count import coefficients

        if len(G) == 0:
            return []
        with on_device(name) as device:
            found, most = coefficients(device, G.ascending, "networkx")
        return [t / each if t else 0 for t, each in zip(found.tolist(), most.tolist(), strict=True)]
    count = _count(name, G)
    degree = _degrees(G)
    return [2 * t / (d * (d - 1)) if t else 0 for t, d in zip(count.tolist(), degree.tolist(), strict=True)]


def _degrees(G: ConvertedGraph) -> npt.NDArray[np.int64]:
    """Numbers of neighbours, loops left out."""
    loops = np.zeros(len(G), np.int64)
    loops[G.rows.tails[G.rows.tails == G.rows.col_idx]] = 1
    return np.diff(G.rows.row_ptr) - loops


def _count(name: str, G: ConvertedGraph) -> npt.NDArray[np.int64]:
    from clgraph.measures.triangle_count import triangles as count

    if len(G) == 0:
        return np.zeros(0, np.int64)
    with on_device(name) as device:
        return count(G.ascending, device=device)


# --- cores --------------------------------------------------------------------------------------------------

LOOPS = (
    "Input graph has self loops which is not permitted; "
    "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
)


def core_number(G: ConvertedGraph) -> dict[Any, int]:
    """Like `networkx.core_number`."""
    return _core_numbers("core_number", G)


def k_core(G: ConvertedGraph, k: Any = None, core_number: Mapping[Any, Any] | None = None) -> Any:
    """Like `networkx.k_core`: a NetworkX graph, with the attributes of the nodes and edges that are left."""
    core = _core_numbers("k_core", G) if core_number is None else core_number
    if k is None:
        k = max(core.values())
    whole = convert_to_nx(G) if G.original is None else G.original
    return whole.subgraph(node for node in core if core[node] >= k).copy()


def _core_numbers(name: str, G: ConvertedGraph) -> dict[Any, int]:
    from clgraph.measures.cores import core_numbers

    rows = G.rows
    if np.any(rows.tails == rows.col_idx):
        raise nx.NetworkXNotImplemented(LOOPS)
    if len(G) == 0:
        return {}
    with on_device(name) as device:
        core = core_numbers(G.ascending, device)
    return G.by_node(core)


# --- degrees of neighbours ----------------------------------------------------------------------------------

WORDS = ("in", "out", "in+out")


def degree_assortativity_coefficient(
    G: ConvertedGraph, x: Any = "out", y: Any = "in", weight: Any = None, nodes: Any = None
) -> float:
    """Like `networkx.degree_assortativity_coefficient` of all nodes, without weights."""
    from clgraph.centrality.neighbours import degree_assortativity_coefficient as coefficient

    with on_device("degree_assortativity_coefficient") as device:
        return coefficient(G.rows, x=x, y=y, device=device)


def average_neighbor_degree(
    G: ConvertedGraph, source: Any = "out", target: Any = "out", nodes: Any = None, weight: Any = None
) -> dict[Any, float]:
    """Like `networkx.average_neighbor_degree` without weights."""
    from clgraph.centrality.neighbours import average_neighbor_degree as mean

    if not G.is_directed() and (source, target) != ("out", "out"):
        raise nx.NetworkXError("source and target arguments are only supported for directed graphs")
    # of undirected graphs both are "out" by now
    for role, word in (("source", source), ("target", target)):
        if word not in WORDS:
            raise nx.NetworkXError(f"{role} argument {word} must be 'in', 'out' or 'in+out'")
    with on_device("average_neighbor_degree") as device:
        found = mean(G.rows, source=source, target=target, device=device).tolist()
    some: dict[Any, float] = of_nodes(G, nodes, found)
    return some


# --- shared -------------------------------------------------------------------------------------------


def of_nodes(G: ConvertedGraph, nodes: Any, values: list[Any]) -> Any:
    """Return a dict of all nodes' values or of some, or one node's value."""
    if nodes is None:
        return dict(zip(G.nodes.objects, values, strict=True))
    if nodes in G:
        return values[G.nodes.find(nodes) or 0]
    return {node: values[place] for node, place in found_nodes(G, nodes)}


def found_nodes(G: ConvertedGraph, nbunch: Any) -> Iterator[tuple[Any, int]]:
    """Yield the nodes of an nbunch and their places; nodes that are not in the graph are skipped."""
    if nbunch in G:
        nbunch = [nbunch]
    elif not isinstance(nbunch, Iterable):
        raise nx.NetworkXError(f"Node {nbunch} is not in the graph.")
    for node in nbunch:
        try:
            place = G.nodes.find(node)
        except TypeError as error:
            raise nx.NetworkXError(f"Node {node} in sequence nbunch is not a valid node.") from error
        if place is not None:
            yield node, place


@contextmanager
def _solving(name: str, max_iter: int) -> Iterator[Device]:
    """Provide a device with float64; failures become NetworkX's exceptions."""
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    with on_device(name) as device:
        try:
            yield with_doubles(device)
        except ConvergenceError as error:
            raise nx.PowerIterationFailedConvergence(max_iter) from error
        except InputError as error:  # NetworkX may know what to do
            raise NotImplementedError(f"clgraph cannot do this graph: {error}") from error


def _some(G: ConvertedGraph, nbunch: Any) -> npt.NDArray[np.int32] | None:
    """Return the nodes of an nbunch, each once; None for all."""
    if nbunch is None:
        return None
    return np.unique([place for _, place in found_nodes(G, nbunch)]).astype(np.int32)


def _numbers(G: ConvertedGraph, given: Mapping[Any, Any] | None) -> Floats | None:
    """Values of all nodes in their order."""
    if given is None:
        return None
    return np.array([given[node] for node in G.nodes.objects], np.float64)


def _named(G: ConvertedGraph, found: Floats, nstart: Any = None) -> dict[Any, float]:
    """By node; in the order of `nstart` if that is given, as in NetworkX."""
    values = G.by_node(found)
    return values if nstart is None else {node: values[node] for node in nstart}


def _vector(G: ConvertedGraph, given: Mapping[Any, Any]) -> Floats:
    """Values of nodes in their order: 0 for nodes that are missing; other keys are ignored."""
    values = np.zeros(len(G))
    for node, value in given.items():
        place = G.nodes.find(node)
        if place is not None:
            values[place] = value
    return values
