"""Graph500: the specification's generator, construction, searches and shortest paths, their validation.

The specification (version 2.0, https://graph500.org/?page_id=12) says what is timed: kernel 1 makes a graph
of a list of edges in memory, kernel 2 searches it from 64 roots, kernel 3 finds shortest paths by weight from
them. Each tree is checked against the list of edges, never against the graph made of it. TEPS are the edges
of the list within the root's component, copies and self-loops included, per second.

Bytes on the device, of n = 2^S vertices and m = 16 n edges in the list, of at most 2 m arcs:

* kernel 1: the list (8 m, weights 4 m), rows (4 (n + 1) or, from 2^31 arcs on, 8 (n + 1), and 8 m), rows
  before copies are merged (8 m), then weights as they are placed (8 m) and in float64 (16 m). The list goes
  afterwards.
* kernel 2: rows; per vertex distance, predecessor and two lists (16 n).
* kernel 3: rows, weights in float64 and float32 (24 m), per vertex a distance, four lists and two stamps, and
  predecessors (32 n).
* validation: the list again (8 m, weights 4 m), and 36 n.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from clgraph import system
from clgraph.bench.harness import Case, Context, Figures, median, quantity
from clgraph.csr.build import build_rows, place_lightest
from clgraph.csr.upload import DeviceGraph, graph_of
from clgraph.errors import ClgraphError, InputError
from clgraph.traversal import bfs
from clgraph.traversal.paths import shortest_paths

if TYPE_CHECKING:
    from clgraph.bench.store import Record
    from clgraph.device import Device
    from clgraph.graph import Graph

T = TypeVar("T")
Vertices = npt.NDArray[np.int32]
Floats32 = npt.NDArray[np.float32]
Tree = tuple[npt.NDArray[Any], ...]  # parents and distances
A, B, C = 0.57, 0.19, 0.19  # the specification's initiator
EDGE_FACTOR, ROOTS = 16, 64
MOST_EDGES = 2**31
# edges of a task of one thread; also of one stream of random numbers, so that cores change no edge
CHUNK = 1 << 20


def _in_threads(work: Callable[[int, int], T], count: int) -> list[T]:
    """Call ``work(begin, end)`` for chunks of `count` items; NumPy lets go of the lock in each."""
    begins = range(0, count, CHUNK)
    with ThreadPoolExecutor(system.cores()) as pool:
        return list(pool.map(lambda begin: work(begin, min(begin + CHUNK, count)), begins))


# --- the generator ---


@dataclass(frozen=True)
class Edges:
    """A list of edges in memory: what kernel 1 makes a graph of.

    Attributes
    ----------
    num_vertices : int
    source, target : int32 arrays, shape (edges,)
        In random order; copies and self-loops are among them.
    weight : float32 array, shape (edges,)
        Uniform in [0, 1).
    """

    num_vertices: int
    source: Vertices
    target: Vertices
    weight: Floats32


def make_edges(scale: int, edge_factor: int = EDGE_FACTOR, seed: int = 1) -> Edges:
    """Draw edges as the specification's Kronecker generator does.

    Each edge picks a quadrant of the adjacency matrix for each bit of its ends, and a weight. Then the
    vertices get random labels. Edges are drawn independently of each other, so that their order is random
    already.
    """
    count, n = edge_factor << scale, 1 << scale
    ends, weight = np.empty((2, count), np.int32), np.empty(count, np.float32)
    # the streams of edges are keyed by their number; this one is none of theirs
    random = np.random.Generator(np.random.Philox(key=[seed, 2**63]))
    label = random.permutation(n).astype(np.int32)

    def draw(begin: int, end: int) -> None:
        random = np.random.Generator(np.random.Philox(key=[seed, begin // CHUNK]))
        source, target = (np.zeros(end - begin, np.int32) for _ in range(2))
        for bit in range(scale):
            lower = random.random(end - begin) > A + B
            # the right half of the lower half, or of the upper one
            right = random.random(end - begin) > np.where(lower, C / (1 - (A + B)), A / (A + B))
            source |= lower.astype(np.int32) << bit
            target |= right.astype(np.int32) << bit
        ends[0, begin:end], ends[1, begin:end] = label[source], label[target]
        random.random(dtype=np.float32, out=weight[begin:end])

    _in_threads(draw, count)
    return Edges(n, ends[0], ends[1], weight)


# --- kernels ---


def construct(edges: Edges, device: Device, *, weighted: bool = True) -> Graph:
    """Kernel 1: make a graph on the device of a list of edges.

    Loops are dropped; of copies the lightest stays.
    """
    with device.alone():
        ends = device.upload(edges.source), device.upload(edges.target)
        n, count = edges.num_vertices, len(edges.source)
        rows = build_rows(device, n, *ends, count, mirror=True)
        if weighted:
            weight = device.upload(edges.weight)
            rows.values["weights"] = place_lightest(device, rows, *ends, weight, count, mirror=True)
        device.finish()
        return graph_of(device, DeviceGraph(rows, directed=False, num_self_loops=0, is_multigraph=False))


def _search(graph: Graph, root: int, device: Device) -> Callable[[], Tree]:
    """Kernel 2; what it returns brings the tree to the host, after the clock has stopped."""
    found = bfs(graph, root, arrays="device", device=device)
    device.finish()
    arrays: Any = (found.predecessor, found.distance)
    return lambda: tuple(each.get() for each in arrays)


def _paths(graph: Graph, root: int, device: Device) -> Callable[[], Tree]:
    """Kernel 3; distances and predecessors come to the host within the time."""
    found = shortest_paths(graph, root, dtype="float32", device=device)
    assert found.predecessor is not None
    tree = found.predecessor, found.distance
    return lambda: tree


def pick_roots(graph: Graph, count: int, seed: int) -> npt.NDArray[np.int64]:
    """Draw vertices that have edges besides loops, each at most once."""
    able = np.flatnonzero(graph.degrees)
    if not len(able):
        raise ClgraphError("no vertex has an edge to another one; give another --seed or a larger --scale")
    random = np.random.Generator(np.random.Philox(key=[seed, 2**63 + 1]))
    return random.choice(able, min(count, len(able)), replace=False)


# --- validation ---

# the checks of `cl/bench/graph500.cl`, in the order of its `wrong`; the rule that a vertex breaks by each,
# and what is said of it (of an edge see `_broken_edge`)
CHECKS = ("range", "cycle", "value", "half", "edge", "list")
OF_LEVELS = {
    "range": (1, "the parent of vertex {} is not below {}"),
    "cycle": (1, "vertex {} is on a cycle, or its way up does not end at the root"),
    "value": (2, "the level of vertex {} is not its parent's plus 1"),
    "list": (5, "vertex {} and its parent are no edge of the list"),
}
OF_DISTANCES = OF_LEVELS | {
    "value": (2, "vertex {} has no distance from 0 on"),
    "half": (2, "vertex {} has a parent and no distance, or the reverse"),
}
NOT_TIGHT = {"list": (2, "no edge between vertex {} and its parent makes up their distances")}
IN_LIST, TIGHT = 1, 2  # bits of what the device notes of vertices
TREE = ("parent", "value", "known", "up", "steps", "further", "more")  # a word per vertex; `ends` are two


class Listed:
    """A list of edges in the memory of the device that checks trees against it.

    Parameters
    ----------
    device : Device
    edges : Edges
    weighted : bool
        Whether shortest paths are checked, too.
    """

    def __init__(self, device: Device, edges: Edges, *, weighted: bool = True) -> None:
        self.device, self.edges, self.count = device, edges, len(edges.source)
        with device.alone():
            n, lists = edges.num_vertices, ("sources", "targets", "weights")[: 2 + weighted]
            trees = dict.fromkeys(TREE, 4 * n) | {"ends": 8 * n}  # which `validate` allocates
            device.reserve(dict.fromkeys(lists, 4 * self.count) | trees)
            self.source, self.target = device.upload(edges.source), device.upload(edges.target)
            self.weight = device.upload(edges.weight) if weighted else None


def validate(listed: Listed, root: int, parent: Vertices, distance: npt.NDArray[Any]) -> None:
    """Check a search, or shortest paths, by the specification's five rules.

    The second is stricter here for shortest paths: distances of a vertex and its parent differ by the weight
    of an edge between them, as float32 adds it. With the third, by which no edge makes a distance shorter, it
    follows that all distances are the least ones.

    Parameters
    ----------
    listed : Listed
    root : int
    parent : int32 array, shape (n,)
        The root's is itself; -1 where the search did not come.
    distance : int32 or float32 array, shape (n,)
        Levels of a search, -1 where it did not come; or distances of paths, infinity there.

    Raises
    ------
    ClgraphError
        The rule that is broken, and a vertex or an edge that breaks it.
    """
    with listed.device.alone():
        _check(listed, root, parent, distance)


def _check(listed: Listed, root: int, parent: Vertices, distance: npt.NDArray[Any]) -> None:
    device, n, items, none = listed.device, len(parent), listed.device.tuning.items, np.uint32(2**32 - 1)
    paths, passes = distance.dtype == np.float32, -(-n // items)
    assert not paths or listed.weight is not None
    program = device.program("bench/graph500", ITEMS=items, PATHS=paths or None)
    tree = SimpleNamespace(
        n=n,
        root=root,
        parent=device.upload(parent),
        value=device.upload(distance.view(np.int32)),
        wrong=device.upload(np.full(len(CHECKS), none), writable=True),
        ends=device.empty(2 * n, np.int32),
        known=device.zeros(n, np.uint32),
        **{name: device.empty(n, np.int32) for name in TREE[3:]},
    )

    def none_failed(said: dict[str, tuple[int, str]]) -> None:
        for name, at in zip(
            CHECKS, device.download(tree.wrong, np.uint32, len(CHECKS)).tolist(), strict=True
        ):
            if at != none and name == "edge":
                raise _broken_edge(listed.edges, at, parent, distance if paths else None)
            if at != none:
                rule, what = said[name]
                raise _broken(rule, what.format(at, n))

    said = OF_DISTANCES if paths else OF_LEVELS
    program.tree_begin.launch(tree, passes)
    none_failed(said)
    if parent[root] != root:
        raise _broken(1, f"the root's parent is {parent[root]}")
    # each round doubles the steps that `up` takes; a tree of n vertices has ended after log2(n) of them
    for _ in range(n.bit_length()):
        moved = device.zeros(1, np.int32)
        program.tree_climb.launch(tree, passes, moved=moved)
        tree.up, tree.further, tree.steps, tree.more = tree.further, tree.up, tree.more, tree.steps
        if not device.download(moved, np.int32, 1)[0]:
            break
    program.tree_vertices.launch(tree, passes)
    none_failed(said)
    if paths and distance[root] != 0:
        raise _broken(2, f"the root is at {distance[root]}")
    edges = {"source": listed.source, "target": listed.target, "weight": listed.weight}
    program.tree_edges.launch(tree, -(-listed.count // items), count=listed.count, **edges)
    program.tree_known.launch(tree, passes, wanted=IN_LIST)
    none_failed(said)
    if paths:
        program.tree_known.launch(tree, passes, wanted=TIGHT)
        none_failed(said | NOT_TIGHT)


def _broken_edge(edges: Edges, at: int, parent: Vertices, distance: Floats32 | None) -> ClgraphError:
    u, v = int(edges.source[at]), int(edges.target[at])
    rule, what = 3, "joins levels that differ by more than 1"
    if min(parent[u], parent[v]) < 0:
        rule, what = 4, "has one end outside the tree"
    elif distance is not None:
        what = f"joins distances {distance[u]} and {distance[v]}, its weight is {edges.weight[at]}"
    return _broken(rule, f"edge {at} ({u}, {v}) {what}")


def _broken(rule: int, what: str) -> ClgraphError:
    return ClgraphError(f"rule {rule} of the validation does not hold: {what}")


# --- the run, and its output block ---


# each takes graph, root and device; it returns what brings parents and distances to the host
KERNELS: dict[str, Callable[[Graph, int, Device], Callable[[], Tree]]] = {"bfs": _search, "sssp": _paths}


@dataclass(frozen=True)
class Settings:
    """What a run depends on."""

    scale: int
    edge_factor: int = EDGE_FACTOR
    roots: int = ROOTS
    seed: int = 1

    def __post_init__(self) -> None:
        """Raise InputError for more edges than kernels number in 32 bits, with arcs both ways."""
        if (count := self.edge_factor << self.scale) > MOST_EDGES:
            raise InputError(
                f"scale {self.scale} and edge factor {self.edge_factor} are {count} edges: give smaller "
                f"ones, of at most {MOST_EDGES}, whose arcs both ways are at most 2^32"
            )


class Constructed(NamedTuple):
    """A graph made by kernel 1.

    Attributes
    ----------
    listed : Listed
        The list, for checks: uploaded once more after the construction.
    graph : Graph
    of_source : int array, shape (n,)
        Edges of the list that begin at each vertex.
    generation, construction : float
        Seconds.
    """

    listed: Listed
    graph: Graph
    of_source: npt.NDArray[np.int64]
    generation: float
    construction: float


def cases(settings: Settings, kernels: Collection[str] = ()) -> list[Case]:
    """Return a case for each kernel, or those of some names.

    Raises
    ------
    InputError
        A kernel is unknown.
    """
    for name in kernels:
        if name not in KERNELS:
            raise InputError(f"--kernel {name}: the kernels are {', '.join(KERNELS)}")
    names = [name for name in KERNELS if not kernels or name in kernels]
    return [
        Case(
            "graph500",
            f"scale{settings.scale}",
            name,
            "clgraph",
            partial(_run, settings, name, "sssp" in names),
            True,
            vars(settings),
        )
        for name in names
    ]


def _make(settings: Settings, weighted: bool, device: Device) -> Constructed:
    clock = time.perf_counter
    begun = clock()
    edges = make_edges(settings.scale, settings.edge_factor, settings.seed)
    generation = clock() - begun
    # kernels are built for another graph, as a program in C is compiled before it is run
    _construct_ready(make_edges(8), weighted, device)
    begun = clock()
    graph = _construct_ready(edges, weighted, device)
    construction = clock() - begun
    of_source = np.bincount(edges.source, minlength=edges.num_vertices)
    listed = Listed(device, edges, weighted=weighted)
    return Constructed(listed, graph, of_source, generation, construction)


def _construct_ready(edges: Edges, weighted: bool, device: Device) -> Graph:
    """Kernel 1, with all that searches want of the graph once: weights are looked through, and rounded."""
    graph = construct(edges, device, weighted=weighted)
    bfs(graph, 0, arrays="device", device=device)
    if weighted:
        shortest_paths(graph, 0, cutoff=0, dtype="float32", device=device)
    device.finish()
    return graph


def _run(settings: Settings, name: str, weighted: bool, context: Context) -> Figures:
    device, clock, search = context.device, time.perf_counter, KERNELS[name]
    made: Constructed = context.made("graph500", partial(_make, settings, weighted, device))
    search(construct(make_edges(8), device), 0, device)  # builds its kernels
    seconds, counted, checking = [], [], []
    for root in map(int, pick_roots(made.graph, settings.roots, settings.seed)):
        begun = clock()
        found = search(made.graph, root, device)
        seconds.append(clock() - begun)
        begun = clock()
        parent, distance = found()
        parent[root] = root
        try:
            validate(made.listed, root, parent, distance)
        except ClgraphError as error:
            raise ClgraphError(f"search from {root}: {error}") from error
        counted.append(_edges_within(parent, made.of_source))
        checking.append(clock() - begun)
    teps = np.array(counted) / seconds
    values = {
        "generation": quantity(made.generation, "s"),
        "construction": quantity(made.construction, "s"),
        name: median(seconds),
        "teps": {**median(teps, "1/s"), "harmonic_mean": float(harmonic(teps)[0])},
        "validation": quantity(sum(checking), "s"),
    }
    lists = {"times": seconds, "edges": counted, "validation_times": checking}
    sizes = {"of_vertices": made.graph.num_vertices, "of_arcs": made.graph.num_arcs}
    return Figures(values, {**sizes, "of_tuples": made.listed.count, **lists})


def _edges_within(parent: Vertices, of_source: npt.NDArray[np.int64]) -> int:
    """Count the edges of the list in a tree, at their sources: both ends of an edge are in it, or none."""

    def within(begin: int, end: int) -> int:
        return int(of_source[begin:end][parent[begin:end] >= 0].sum())

    return sum(_in_threads(within, len(parent)))


def harmonic(values: Any) -> tuple[float, float]:
    """Harmonic mean, and its standard deviation after Norris (Ann. Math. Statist. 11, 1940)."""
    inverse = 1 / np.asarray(values, np.float64)
    mean = float(1 / inverse.mean())
    if len(inverse) < 2:
        return mean, 0.0
    spread = np.sqrt(((inverse - inverse.mean()) ** 2).sum()) / (len(inverse) - 1)
    return mean, float(spread) * mean**2


def block(records: Sequence[Record]) -> list[str]:
    """Return the output block of a run, line by line, with the names of the reference code."""
    if not records:
        return []
    options, values = records[0]["options"], records[0]["values"]
    lines: list[tuple[str, Any]] = [
        ("SCALE", options["scale"]),
        ("edgefactor", options["edge_factor"]),
        ("NBFS", len(records[0]["details"]["times"])),
        ("graph_generation", values["generation"]["value"]),
        ("construction_time", values["construction"]["value"]),
    ]
    for record in records:
        lines += _statistics(record)
    width = max(len(name) for name, _ in lines) + 2
    return [f"{name + ':':<{width}} {_number(figure)}" for name, figure in lines]


def _statistics(record: Record) -> list[tuple[str, Any]]:
    """Return the lines of one kernel."""
    who, details = record["what"], record["details"]
    times, counted = np.array(details["times"]), np.array(details["edges"], np.float64)
    checks = np.array(details["validation_times"])
    lines: list[tuple[str, Any]] = []
    all_figures = {"time": times, "nedge": counted, "TEPS": counted / times, "validate": checks}
    for name, figures in all_figures.items():
        quartiles = np.quantile(figures, [0, 0.25, 0.5, 0.75, 1])
        kinds = ("min", "firstquartile", "median", "thirdquartile", "max")
        lines += [(f"{who} {kind}_{name}", figure) for kind, figure in zip(kinds, quartiles, strict=True)]
        if name == "TEPS":
            mean, spread = harmonic(figures)
            kind = "harmonic_"
        else:
            mean, spread = figures.mean(), figures.std(ddof=1) if len(figures) > 1 else 0.0
            kind = ""
        lines += [(f"{who} {kind}mean_{name}", mean), (f"{who} {kind}stddev_{name}", spread)]
    return [*lines, (f"{who} validation", f"passed, {len(times)} of {len(times)} trees")]


def _number(figure: Any) -> str:
    return f"{figure:.10g}" if isinstance(figure, float) else str(figure)
