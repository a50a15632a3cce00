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
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from clgraph import system
from clgraph.bench.harness import Case, Context, Figures, median, quantity
from clgraph.csr.build import build_rows, place_lightest
from clgraph.csr.upload import DeviceGraph, graph_of
from clgraph.errors import ClgraphError, InputError
from clgraph.traversal import bfs
from clgraph.traversal.weighted import shortest_paths

if TYPE_CHECKING:
    from clgraph.bench.store import Record
    from clgraph.device import Device
    from clgraph.graph import Graph

T = TypeVar("T")
Vertices = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Tree = tuple[npt.NDArray[Any], ...]  # parents and distances
A, B, C = 0.57, 0.19, 0.19  # the specification's initiator
EDGE_FACTOR, ROOTS = 16, 64
MOST_EDGES = 2**30
# edges of a task of one thread; also of one stream of random numbers, so that cores change no edge
CHUNK = 1 << 20
# edges, or vertices, of a task that validates: smaller ones wait for the interpreter's lock, larger ones for
# memory (scale 24, 16 cores: the edges of a tree take 1.4, 0.8 and 0.95 s with 2^16, 2^18 and 2^20)
CHECKED = 1 << 18


def _in_threads(work: Callable[[int, int], T], count: int, chunk: int = CHUNK) -> list[T]:
    """Call ``work(begin, end)`` for chunks of `count` items; NumPy lets go of the lock in each."""
    begins = range(0, count, chunk)
    with ThreadPoolExecutor(system.cores()) as pool:
        return list(pool.map(lambda begin: work(begin, min(begin + chunk, count)), begins))


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
    weight: Weights


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


def validate(edges: Edges, root: int, parent: Vertices, distance: Vertices) -> None:
    """Check a search by the specification's five rules.

    Parameters
    ----------
    edges : Edges
    root : int
    parent : int32 array, shape (n,)
        The root's is itself; -1 where the search did not come.
    distance : int32 array, shape (n,)
        Levels of the tree; -1 where the search did not come.

    Raises
    ------
    ClgraphError
        The rule that is broken, and a vertex or an edge that breaks it.
    """
    n, reached = len(parent), parent >= 0
    level = _tree(root, parent, reached)
    # as levels come from the tree, those that the search found must be the same
    _none(2, distance != np.where(reached, level, -1), "the level of vertex {} is not its parent's plus 1")
    level = np.where(reached, level, np.int32(-2))  # by more than 1 from any in the tree
    in_list = np.zeros(n, np.bool_)
    in_list[root] = True

    def check(begin: int, u: Ends, v: Ends) -> None:
        apart = np.abs(u.value - v.value) > 1
        if apart.any():
            at = int(np.argmax(apart))
            both = u.parent[at] >= 0 and v.parent[at] >= 0
            what = "joins levels that differ by more than 1" if both else "has one end outside the tree"
            raise _broken(3 if both else 4, f"edge {begin + at} ({u.vertex[at]}, {v.vertex[at]}) {what}")
        for low, high in ((u, v), (v, u)):  # all threads write the same
            in_list[high.vertex[high.parent == low.vertex]] = True

    _look_through(edges, parent, level, check)
    _none(5, reached & ~in_list, "vertex {} and its parent are no edge of the list")


def validate_paths(edges: Edges, root: int, parent: Vertices, distance: Weights) -> None:
    """Check shortest paths by the specification's five rules.

    The second is stricter here: distances of a vertex and its parent differ by the weight of an edge between
    them, as float32 adds it. With the third, by which no edge makes a distance shorter, it follows that all
    distances are the least ones.

    Parameters
    ----------
    edges : Edges
    root : int
    parent : int32 array, shape (n,)
        The root's is itself; -1 where the search did not come.
    distance : float32 array, shape (n,)
        Infinity where the search did not come.

    Raises
    ------
    ClgraphError
        The rule that is broken, and a vertex or an edge that breaks it.
    """
    reached = parent >= 0
    _tree(root, parent, reached)
    _none(2, ~(distance >= 0), "vertex {} has no distance from 0 on")
    _none(2, reached != (distance < np.inf), "vertex {} has a parent and no distance, or the reverse")
    if distance[root] != 0:
        raise _broken(2, f"the root is at {distance[root]}")
    in_list, tight = np.zeros((2, len(parent)), np.bool_)
    in_list[root] = tight[root] = True

    def check(begin: int, u: Ends, v: Ends) -> None:
        weight = edges.weight[begin : begin + len(u.vertex)]
        to_u, to_v = v.value + weight, u.value + weight
        shorter = (to_u < u.value) | (to_v < v.value)
        if shorter.any():
            at = int(np.argmax(shorter))
            if u.parent[at] >= 0 and v.parent[at] >= 0:
                what = f"joins distances {u.value[at]} and {v.value[at]}, its weight is {weight[at]}"
                raise _broken(3, f"edge {begin + at} ({u.vertex[at]}, {v.vertex[at]}) {what}")
            raise _broken(
                4, f"edge {begin + at} ({u.vertex[at]}, {v.vertex[at]}) has one end outside the tree"
            )
        for low, high, made in ((u, v, to_v), (v, u, to_u)):  # all threads write the same
            of_tree = high.parent == low.vertex
            in_list[high.vertex[of_tree]] = True
            tight[high.vertex[of_tree & (made == high.value)]] = True

    _look_through(edges, parent, distance, check)
    _none(5, reached & ~in_list, "vertex {} and its parent are no edge of the list")
    _none(2, reached & ~tight, "no edge between vertex {} and its parent makes up their distances")


class Ends(NamedTuple):
    """One end of some edges of the list, its parent and its level or distance; arrays of one thread."""

    vertex: Vertices
    parent: Vertices
    value: npt.NDArray[Any]


def _look_through(
    edges: Edges, parent: Vertices, value: npt.NDArray[Any], check: Callable[[int, Ends, Ends], None]
) -> None:
    """Call ``check(begin, sources, targets)`` for the edges from `begin` on, in threads."""
    # a vertex's two words are read at once, into memory that a thread keeps: new memory would cost more
    both = np.empty((len(parent), 2), np.int32)
    both[:, 0], both[:, 1] = parent, value.view(np.int32)
    packed, own = both.view(np.int64)[:, 0], threading.local()

    def look(begin: int, end: int) -> None:
        if not hasattr(own, "rooms"):
            own.rooms = [np.empty((2, CHECKED), np.int64) for _ in range(2)]
        ends = []
        for whole, room in zip((edges.source, edges.target), own.rooms, strict=True):
            index, found = room[:, : end - begin]
            index[:] = whole[begin:end]
            np.take(packed, index, out=found, mode="clip")  # which needs no buffer; all are in range
            words = found.view(np.int32).reshape(-1, 2)
            ends.append(Ends(whole[begin:end], words[:, 0], words.view(value.dtype)[:, 1]))
        check(begin, *ends)

    _in_threads(look, len(edges.source), CHECKED)


def _tree(root: int, parent: Vertices, reached: npt.NDArray[np.bool_]) -> Vertices:
    """Check the first rule; return each vertex's steps up to the root, -1 where the search did not come."""
    n = len(parent)
    _none(1, parent >= n, f"the parent of vertex {{}} is not below {n}")
    if parent[root] != root:
        raise _broken(1, f"the root's parent is {parent[root]}")
    level = _levels(root, parent, reached)
    _none(1, (level < 0) & reached, "vertex {} is on a cycle, or its way up does not end at the root")
    return level


def _levels(root: int, parent: Vertices, reached: npt.NDArray[np.bool_]) -> Vertices:
    """Return the steps from each vertex up to the root; -1 where they do not lead there."""
    n = len(parent)
    everyone = np.arange(n, dtype=np.int32)
    up = np.where(reached, parent, everyone)
    steps = (up != everyone).astype(np.int32)

    # each round doubles the steps that `up` takes; a tree of n vertices has ended after log2(n) of them
    def climb(begin: int, end: int) -> bool:
        at = up[begin:end]
        np.add(steps[begin:end], steps[at], out=more[begin:end])
        further[begin:end] = up[at]
        return np.array_equal(further[begin:end], at)

    for _ in range(n.bit_length()):
        more, further = np.empty_like(steps), np.empty_like(up)
        if all(_in_threads(climb, n, CHECKED)):
            break
        steps, up = more, further
    return np.where(reached & (up == root), steps, np.int32(-1))


def _none(rule: int, wrong: npt.NDArray[np.bool_], what: str) -> None:
    if wrong.any():
        raise _broken(rule, what.format(int(np.argmax(wrong))))


def _broken(rule: int, what: str) -> ClgraphError:
    return ClgraphError(f"rule {rule} of the validation does not hold: {what}")


# --- the run, and its output block ---


class Kernel(NamedTuple):
    """A kernel that is run from each root.

    Attributes
    ----------
    run : callable
        Takes graph, root and device; returns what brings parents and distances to the host.
    validate : callable
        Takes edges, root, parents and distances; raises if a rule is broken.
    """

    run: Callable[[Graph, int, Device], Callable[[], Tree]]
    validate: Callable[..., None]


# validate is looked up when it is called
KERNELS = {
    "bfs": Kernel(_search, lambda *tree: validate(*tree)),
    "sssp": Kernel(_paths, lambda *tree: validate_paths(*tree)),
}


@dataclass(frozen=True)
class Settings:
    """What a run depends on."""

    scale: int
    edge_factor: int = EDGE_FACTOR
    roots: int = ROOTS
    seed: int = 1

    def __post_init__(self) -> None:
        """Raise InputError for more edges than devices count the arcs of."""
        if (count := self.edge_factor << self.scale) > MOST_EDGES:
            raise InputError(
                f"scale {self.scale} and edge factor {self.edge_factor} are {count} edges: give smaller "
                f"ones, of at most {MOST_EDGES}, whose arcs both ways a device can count in 32 bits"
            )


class Constructed(NamedTuple):
    """A graph made by kernel 1.

    Attributes
    ----------
    edges : Edges
    graph : Graph
    of_source : int array, shape (n,)
        Edges of the list that begin at each vertex.
    generation, construction : float
        Seconds.
    """

    edges: Edges
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
    # of an edge in the tree both ends are: edges are counted at their sources
    of_source = np.bincount(edges.source, minlength=edges.num_vertices)
    return Constructed(edges, graph, of_source, generation, construction)


def _construct_ready(edges: Edges, weighted: bool, device: Device) -> Graph:
    """Kernel 1, with all that searches want of the graph once: weights are looked through, and rounded."""
    graph = construct(edges, device, weighted=weighted)
    bfs(graph, 0, arrays="device", device=device)
    if weighted:
        shortest_paths(graph, 0, cutoff=0, dtype="float32", device=device)
    device.finish()
    return graph


def _run(settings: Settings, name: str, weighted: bool, context: Context) -> Figures:
    device, clock, kernel = context.device, time.perf_counter, KERNELS[name]
    made: Constructed = context.made("graph500", partial(_make, settings, weighted, device))
    kernel.run(construct(make_edges(8), device), 0, device)  # builds its kernels
    seconds, counted, checking = [], [], []
    for root in map(int, pick_roots(made.graph, settings.roots, settings.seed)):
        begun = clock()
        found = kernel.run(made.graph, root, device)
        seconds.append(clock() - begun)
        begun = clock()
        parent, distance = found()
        parent[root] = root
        try:
            kernel.validate(made.edges, root, parent, distance)
        except ClgraphError as error:
            raise ClgraphError(f"search from {root}: {error}") from error
        counted.append(int(made.of_source[parent >= 0].sum()))
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
    sizes = {"of_vertices": made.edges.num_vertices, "of_arcs": made.graph.num_arcs}
    return Figures(values, {**sizes, "of_tuples": len(made.edges.source), **lists})


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
