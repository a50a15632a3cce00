"""The checks of a selftest, by kernel family."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from inspect import signature
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import scipy.sparse as sp

from clgraph.centrality.betweenness import dependencies
from clgraph.centrality.distances import closeness_centrality
from clgraph.centrality.neighbours import average_neighbor_degree
from clgraph.components import connected_components, largest_component
from clgraph.csr.build import build_rows
from clgraph.csr.generate import barabasi_albert_graph, erdos_renyi_graph, powerlaw_graph, rmat_graph
from clgraph.csr.generate_stubs import lfr_graph
from clgraph.device.driver_selftest import Check
from clgraph.errors import ClgraphError
from clgraph.files import read, write
from clgraph.graph import Graph, build_csr
from clgraph.measures.cores import find_cores
from clgraph.measures.hops import hop_plots
from clgraph.measures.pack import Pack
from clgraph.measures.spectrum import largest_eigenvalues
from clgraph.measures.tally import component_sizes, degree_histograms, degree_products, find_corners
from clgraph.measures.triangle_count import count_triangles, triangles
from clgraph.methods import CONTRACTING, EXACT, EXPLORING
from clgraph.public import PUBLIC, Public, call_as, load
from clgraph.ranking import Variant, pagerank
from clgraph.ranking.personalized import Method, personalized_pagerank
from clgraph.reference import reference_bfs, reference_sample, verify_bfs, verify_components, verify_sample
from clgraph.reference.centrality import reference_betweenness, reference_closeness
from clgraph.reference.measures import (
    reference_average_neighbor_degree,
    reference_core_numbers,
    reference_eigenvalues,
)
from clgraph.reference.models import reference_barabasi_albert, reference_erdos_renyi, reference_lfr
from clgraph.reference.pagerank import reference_pagerank, verify_pagerank, verify_ppr
from clgraph.reference.reduction import reference_contract, reference_forest
from clgraph.reference.samples import verify_draw
from clgraph.sampling import deletion_order, sample
from clgraph.sampling.deletion_times import rows_of_curve
from clgraph.sampling.shards.forest import Forest
from clgraph.traversal import bfs, bfs_many

if TYPE_CHECKING:
    from clgraph.device import Device

ALL_KINDS = ("power_law", "path", "directed", "star", "rings", "large")
DELETING = ("drv", "dre", "drve", "dhyb")
LFR: dict[str, Any] = {
    "mixing": 0.3,
    "degree_exponent": 2.0,
    "min_degree": 3,
    "max_degree": 9,
    "community_exponent": 1.0,
    "min_community": 10,
    "max_community": 20,
    "seed": 9,
}
LEAVES, FEWER = 100_000, 9000  # rows that every kernel cuts into pieces
CHAIN = 5000  # more steps than one launch takes on GPUs


class Graphs:
    """Small graphs for comparisons with references, larger ones that fill many work-groups."""

    @cached_property
    def power_law(self) -> Graph:
        """400 vertices."""
        return powerlaw_graph(400, average_degree=4, seed=5)

    @cached_property
    def path(self) -> Graph:
        """300 levels."""
        return Graph.from_edges(np.arange(299), np.arange(1, 300))

    @cached_property
    def directed(self) -> Graph:
        """Directed, with vertices that nothing leaves."""
        rng = np.random.default_rng(11)
        return Graph.from_edges(rng.integers(0, 200, 500), rng.integers(0, 200, 500), directed=True)

    @cached_property
    def weighted_zeros(self) -> Graph:
        """Directed, parallel arcs; weights that are zero, that sums absorb, and that are not whole."""
        rng = np.random.default_rng(13)
        weights = rng.choice([0, 1e-20, 0.25, 1, 3.7], 900)
        ends = rng.integers(0, 200, (2, 900))
        return Graph.from_edges(*ends, weights=weights, directed=True, duplicates="keep")

    @cached_property
    def star(self) -> Graph:
        """A centre and `LEAVES` leaves, a thousand of them in a ring; joined to one with `FEWER` leaves."""
        leaves, ring, other = np.arange(1, LEAVES + 1), np.arange(1, 1001), LEAVES + 1
        tails = np.zeros(LEAVES, np.int64), ring, np.full(FEWER + 1, other)
        heads = leaves, ring % 1000 + 1, np.append(np.arange(other + 1, other + 1 + FEWER), 0)
        return Graph.from_edges(np.concatenate(tails), np.concatenate(heads))

    @cached_property
    def rings(self) -> Graph:
        """300 rings of 16 vertices, scattered: everything is as large as everything else."""
        v = np.arange(4800)
        number = np.random.default_rng(3).permutation(4800)
        return Graph.from_edges(number[v], number[v // 16 * 16 + (v + 1) % 16])

    @cached_property
    def large(self) -> Graph:
        """20 000 vertices of a power law: many work-groups, too large for kernels of one."""
        return powerlaw_graph(20_000, average_degree=14, seed=7)

    @cached_property
    def large_directed(self) -> Graph:
        """20 000 vertices and 90 000 arcs."""
        rng = np.random.default_rng(12)
        return Graph.from_edges(
            rng.zipf(1.6, 90_000) % 20_000, rng.integers(0, 20_000, 90_000), directed=True
        )

    @cached_property
    def chain(self) -> Graph:
        """A directed ring of `CHAIN` vertices, and as many again that lead out of it in a line."""
        v = np.arange(2 * CHAIN - 1)
        return Graph.from_edges(np.append(v, CHAIN - 1), np.append(v + 1, 0), directed=True)


def list_checks(device: Device) -> Iterator[tuple[str, str, Callable[[], Check]]]:
    """Yield family and name of every check, and a function that runs it."""
    graphs = Graphs()
    for family, name, graph, check, *args in (
        *_structure(),
        *_searches(),
        *_ranks(device),
        *_samples(),
        ("measures", "degrees, triangles, hop plot", "", _measures),
        ("measures", "several graphs at once", "", _packed),
        ("measures", "eigenvalues", "", _spectrum),
        ("centrality", "distances, degrees, paths", "", _centrality),
        ("forests of large graphs", "*", "power_law", _forest),
        *_examples(device),
    ):
        name = name.replace("*", graph.replace("_", " "))
        yield family, name, partial(_run, family, name, graphs, graph, check, *args, device)


def _run(family: str, name: str, graphs: Graphs, graph: str, check: Callable[..., None], *args: Any) -> Check:
    started = perf_counter()
    try:
        check(getattr(graphs, graph) if graph else graphs, *args)
        wrong = None
    except (AssertionError, ClgraphError) as error:
        wrong = str(error) or type(error).__name__
    return Check(family, name, wrong, perf_counter() - started)


# a check: family, name (* stands for its graph's), graph (none: all of them), function, which raises what is
# wrong, and its arguments besides the device
Listed = tuple[Any, ...]


def _structure() -> Iterator[Listed]:
    yield "graph generator", "power law and R-MAT", "", _generated
    yield "graph generator", "models made on devices only", "", _modelled
    for name in ("star", "rings", "large_directed"):
        yield "graph building", "*", name, _built
    for file in ("graph.txt", "graph.clg"):
        yield "reading files", file, "large", _read, file
    for name in ALL_KINDS:
        yield "components", "*", name, _components, "weak"
    for name in ("directed", "large_directed", "chain"):
        yield "strong components", "*", name, _components, "strong"


def _searches() -> Iterator[Listed]:
    for name in (*ALL_KINDS, "large_directed"):
        yield "search", "*", name, _bfs
    for name, count in (("power_law", 70), ("star", 40), ("large", 9), ("large", 64), ("path", 5)):
        yield "searches at once", f"*, {count} sources", name, _many, count


def _ranks(device: Device) -> Iterator[Listed]:
    doubles = "HAVE_FP64" in device.features and device.kernels == "ndrange"
    for variant in sorted(set(get_args(Variant)) - (set() if doubles else {"fixed"})):
        family = f"pagerank {variant}" if variant in ("subgroup", "small", "bins", "runs") else "pagerank"
        for name in (
            ("directed",) if variant == "small" else ("directed", "large_directed", "star", "power_law")
        ):
            yield family, f"{variant}, *", name, _pagerank, variant
    for method in get_args(Method):
        kinds = {"coo": " coo", "coo-flat": " coo", "monte-carlo": " monte-carlo"}
        for name in ("directed", "rings"):
            yield f"personalized pagerank{kinds.get(method, '')}", f"{method}, *", name, _ppr, method


def _samples() -> Iterator[Listed]:
    for method in EXACT:
        yield "samples", f"{method}, *", "power_law", _sample, method, "exact"
    yield "samples", "drv, curve of a *", "power_law", _curve
    yield "samples", "drv, several seeds", "power_law", _seeds, "drv", "exact"
    yield "samples", "drv, *", "large", _valid, "drv", {"mode": "exact"}
    kinds: dict[str, tuple[str, ...]] = {"batched samples": DELETING}
    kinds |= {"samples by contraction": CONTRACTING, "samples by exploration": EXPLORING}
    for family, methods in kinds.items():
        for method in methods:
            yield family, f"{method}, *", "power_law", _sample, method, "batched"
            for name in ("star", "large") if method not in ("drv", "dhyb") else ():
                yield family, f"{method}, *", name, _valid, method, {}
    yield "batched samples", "dhyb, several seeds", "power_law", _seeds, "dhyb", "batched"
    yield "samples by contraction", "crve, several seeds", "power_law", _contractions
    for method in ("rn", "rdn", "re"):
        yield "samplers of the literature", f"{method}, *", "large", _drawn, method, "30%"
    yield "samplers of the literature", "chordal, *", "power_law", _drawn, "chordal", None
    yield "batched samples", "drve, *", "directed", _sample, "drve", "batched"
    strong = {"connection": "strong"}
    yield "samples by strong components", "drv, *", "large_directed", _valid, "drv", strong


def _examples(device: Device) -> Iterator[Listed]:
    for each in PUBLIC:
        if not each.doubles or "HAVE_FP64" in device.features:
            for name in each.selftest.split():
                yield each.family, f"{each.name}, *", name, _verified, each


def _verified(graph: Graph, each: Public, device: Device) -> None:
    """Check the example of a public function by its verifier."""
    function = load(each.home, each.name)
    options: dict[str, Any] = {"device": device}
    if "HAVE_FP64" not in device.features and "dtype" in signature(function).parameters:
        options["dtype"] = "float32"
    found = call_as(each.call, function, {"graph": graph}, **options)
    home, _, name = each.verifier.partition("(")[0].rpartition(".")
    call_as(each.verifier, load(f"reference.{home}", name), {"graph": graph, "found": found})


def _equal(found: Any, expected: Any, wrong: str, rtol: float | None = None) -> None:
    same = np.array_equal(found, expected)
    if rtol is not None and np.shape(found) == np.shape(expected):
        same = np.allclose(found, expected, rtol=rtol)
    if not same:
        raise AssertionError(wrong)


def _same(found: Graph, expected: Graph) -> None:
    for name in ("ids", "row_ptr", "col_idx"):
        _equal(getattr(found, name), getattr(expected, name), f"{name} is not that of the host's graph")


def _generated(graphs: Graphs, device: Device) -> None:
    _same(powerlaw_graph(20_000, seed=9, device=device), powerlaw_graph(20_000, seed=9))
    _same(rmat_graph(12, seed=9, device=device), rmat_graph(12, seed=9))


def _modelled(graphs: Graphs, device: Device) -> None:
    _same(erdos_renyi_graph(90, 300, seed=9, device=device), reference_erdos_renyi(90, 300, seed=9))
    _same(barabasi_albert_graph(90, 3, seed=9, device=device), reference_barabasi_albert(90, 3, seed=9))
    found = lfr_graph(60, **LFR, device=device)
    expected, community, _ = reference_lfr(60, **LFR)
    _same(found.graph, expected)
    _equal(found.community, community, "the communities are not those of the reference")


def _built(graph: Graph, device: Device) -> None:
    order = np.random.default_rng(1).permutation(graph.num_arcs)
    tail, head = graph.tails[order].astype(np.int32), graph.col_idx[order].astype(np.int32)
    n, count = graph.num_vertices, len(tail)
    ends, loop = (device.upload(tail), device.upload(head)), tail == head
    forms: Any = product(("merge", "keep"), ("scatter", "buckets"))
    for duplicates, algorithm in forms:
        mirror = duplicates == "merge"
        expected = build_csr(tail[~loop], head[~loop], n, directed=not mirror, duplicates=duplicates)
        rows = build_rows(device, n, *ends, count, mirror=mirror, duplicates=duplicates, algorithm=algorithm)
        wrong = f"rows differ from the host's ({algorithm}, {duplicates})"
        _equal(rows.arcs, expected.num_arcs, wrong)
        _equal(device.download(rows.row_ptr, rows.offset, n + 1), expected.row_ptr, wrong)
        _equal(device.download(rows.col_idx, np.int32, rows.arcs), expected.col_idx, wrong)


def _read(graph: Graph, name: str, device: Device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        write(graph, path)
        made = read(path, device=device)
        if device.has_compiler and not device.is_fpga and made._residence is None:
            raise AssertionError(f"{name} was left to the host's reader")
        _same(made, read(path, device="host"))


def _bfs(graph: Graph, device: Device) -> None:
    for source in graph.ids[[0, -1]].tolist():
        verify_bfs(graph, bfs(graph, source, device=device))


def _many(graph: Graph, count: int, device: Device) -> None:
    sources = graph.ids[:: max(1, graph.num_vertices // count)][:count].tolist()
    found = bfs_many(graph, sources, device=device).distance
    for row in range(0, count, max(1, count // 8)):
        _equal(
            found[row],
            reference_bfs(graph, sources[row])[0],
            f"the distances from vertex {sources[row]} are wrong",
        )


def _components(graph: Graph, connection: Literal["weak", "strong"], device: Device) -> None:
    found = connected_components(graph, connection=connection, device=device)
    verify_components(graph, found)
    largest = largest_component(graph, connection=connection, device=device)
    _equal(largest.ids, graph.ids[found.labels == 0], "the largest component is another one")


def _pagerank(graph: Graph, variant: Variant, device: Device) -> None:
    found = pagerank(graph, variant=variant, tol=1e-5, device=device)
    verify_pagerank(graph, found)
    expected = reference_pagerank(graph, iterations=found.iterations)
    away = float(np.abs(found.scores - expected).sum())
    if away > 1e-6:
        raise AssertionError(f"{away:.3g} (L1) away from the reference")


def _ppr(graph: Graph, method: Method, device: Device) -> None:
    sources = graph.ids[:9].tolist()
    walks: dict[str, Any] = {"walks": 5000, "seed": 4} if method == "monte-carlo" else {}
    for top in (None, 7):
        found = personalized_pagerank(graph, sources, method=method, top=top, device=device, **walks)
        verify_ppr(graph, found, sources)


def _sample(graph: Graph, method: str, mode: Literal["exact", "batched"], device: Device) -> None:
    ways: tuple[Literal["afforest", "bfs"], ...] = ("afforest", "bfs")
    for components, size in product(ways, ("50%", "10%")):
        expected = reference_sample(graph, method, size=size, seed=3, mode=mode)
        made = sample(graph, method, size=size, seed=3, device=device, mode=mode, components=components)
        verify_sample(graph, made)
        for found, wanted in ((made.vertices, expected.vertices), (made.edges, expected.edges)):
            _equal(found, wanted, f"differs from the reference ({size}, {components})")


def _seeds(graph: Graph, method: str, mode: Literal["exact", "batched"], device: Device) -> None:
    for made in sample(graph, method, size="50%", seed=3, seeds=5, mode=mode, device=device):
        expected = reference_sample(graph, method, size="50%", seed=made.seed, mode=mode)
        for found, wanted in ((made.vertices, expected.vertices), (made.edges, expected.edges)):
            _equal(found, wanted, f"the sample of seed {made.seed} differs from the reference")


def _contractions(graph: Graph, device: Device) -> None:
    made = sample(graph, "crve", size="50%", seed=3, seeds=5, device=device)
    for seed in (3, 7):
        expected = reference_contract(graph, "crve", sizes=["50%"], seed=seed)[0]
        wrong = f"the sample of seed {seed} differs from the reference"
        _equal(made[seed - 3].contracted_to, expected.contracted_to, wrong)


def _valid(graph: Graph, method: str, options: dict[str, Any], device: Device) -> None:
    made = sample(graph, method, size="50%", seed=3, device=device, **options)
    verify_sample(graph, made, **{key: value for key, value in options.items() if key == "connection"})


def _drawn(graph: Graph, method: str, size: str | None, device: Device) -> None:
    verify_draw(graph, sample(graph, method, size=size, seed=3, device=device))


def _centrality(graphs: Graphs, device: Device) -> None:
    for graph in (graphs.directed, graphs.power_law):
        close = closeness_centrality(graph, device=device)
        _equal(close, reference_closeness(graph), "closeness is wrong", rtol=1e-12)
    for graph in (graphs.directed, graphs.star):
        found = average_neighbor_degree(graph, device=device)
        _equal(found, reference_average_neighbor_degree(graph), "the degrees of neighbours are wrong")
    if "HAVE_FP64" not in device.features:
        return
    some = np.arange(0, graphs.power_law.num_vertices, 40, dtype=np.int32)
    found = dependencies(device, graphs.power_law, some)
    expected = reference_betweenness(graphs.power_law, some.tolist())
    _equal(found, expected, "betweenness is wrong", rtol=1e-12)


def _forest(graph: Graph, device: Device) -> None:
    once = graph.tails < graph.col_idx
    tail, head = graph.tails[once], graph.col_idx[once]
    rows = np.searchsorted(tail, np.arange(graph.num_vertices + 1)).astype(np.int32)
    edges = list(zip(tail.tolist(), head.tolist(), strict=True))
    for by_edges, method in ((False, "drv"), (True, "dre")):
        forest = Forest(device, graph.num_vertices, 3, edges=by_edges, room=max(500, graph.num_vertices))
        forest.add_rows(rows, head)
        _equal(
            forest.words(),
            reference_forest(graph.num_vertices, edges, 3, method),
            f"differs from the reference ({method})",
        )


def _matrix(graph: Graph) -> sp.csr_array:
    n = graph.num_vertices
    return sp.csr_array((np.ones(graph.num_arcs, np.int64), graph.col_idx, graph.row_ptr), (n, n))


def _measures(graphs: Graphs, device: Device) -> None:
    """Degrees, triangles, hop plot of one graph."""
    for graph in (graphs.large, graphs.star):
        degrees = np.repeat(*degree_histograms(Pack.of(device, [graph]))[0])
        _equal(degrees, np.sort(graph.degrees), "the degrees are wrong")
        lower = sp.tril(_matrix(graph), format="csr")
        total = int((lower @ lower).multiply(lower).sum())  # paths down, closed by an arc
        _equal(triangles(graph, device).sum(), 3 * total, "the triangles are wrong")
    small = graphs.power_law
    distances = np.concatenate([reference_bfs(small, v)[0] for v in small.ids.tolist()])
    pairs = np.cumsum(np.bincount(distances[distances >= 0]))
    (hops,) = hop_plots(Pack.of(device, [small]), 0, small.num_vertices)
    _equal(hops.pairs, pairs, "the hop plot is wrong")


def _packed(graphs: Graphs, device: Device) -> None:
    """Measures of several graphs one behind the other."""
    several = [graphs.power_law, graphs.path, Graph.from_edges(*np.triu_indices(9, 1)), graphs.power_law]
    pack = Pack.of(device, several)
    cores = device.download(find_cores(device, pack.graph), np.int32, pack.csr.n)
    corners = find_corners(pack, count_triangles(device, pack.graph))
    each = (degree_histograms(pack), degree_products(pack), component_sizes(pack), corners)
    for i, (graph, degrees, products, sizes, corner) in enumerate(zip(several, *each, strict=True)):
        matrix, degree = _matrix(graph), graph.degrees.astype(np.int64)
        _equal(np.repeat(*degrees), np.sort(degree), "the degrees are wrong")
        _equal(products, degree @ (matrix @ degree), "the products of neighbours' degrees are wrong")
        total = (matrix @ matrix).multiply(matrix).sum() // 6
        _equal(corner.total, total, "the triangles by degree are wrong")
        label = sp.csgraph.connected_components(matrix)[1]
        _equal(np.repeat(*sizes), np.sort(np.bincount(label)), "the components' sizes are wrong")
        _equal(
            cores[pack.begin[i] : pack.begin[i + 1]],
            reference_core_numbers(graph),
            "the core numbers are wrong",
        )


def _spectrum(graphs: Graphs, device: Device) -> None:
    """Eigenvalues of several graphs side by side."""
    several = [graphs.power_law, graphs.path, graphs.power_law]
    for graph, (values, _) in zip(several, largest_eigenvalues(Pack.of(device, several)), strict=True):
        _equal(values, reference_eigenvalues(graph, 20), "the eigenvalues are wrong", rtol=1e-6)


def _curve(graph: Graph, device: Device) -> None:
    """Sizes of the largest component after each deletion by drv, found together."""
    order = graph.indices_of(deletion_order(graph, "drv", 3))
    matrix, left, gone, expected = _matrix(graph), np.arange(graph.num_vertices), 0, []
    for vertex in [-1, *order[: graph.num_vertices // 2].tolist()]:
        if vertex >= 0 and vertex not in left:
            continue  # it went with a component before
        gone += vertex >= 0
        left = left[left != vertex]
        label = sp.csgraph.connected_components(matrix[left][:, left])[1]
        left = left[label == np.argmax(np.bincount(label))]
        expected.append((gone, len(left)))
    found = rows_of_curve(device, graph, 3, expected[-1][1], edges=False)
    sizes = [(int(a), int(b)) for a, b, _ in zip(*found, strict=True)]
    _equal(sizes, expected, "the sizes after each deletion are wrong")
