"""Graph500: the specification's generator, construction, 64 searches, their validation, and its output block.

The specification (version 2.0, https://graph500.org/?page_id=12) says what is timed: kernel 1 makes a graph
of a list of edges in memory, kernel 2 searches it from 64 roots. Each tree is checked against the list of
edges, never against the graph made of it. TEPS are the edges of the list within the root's component, copies
and self-loops included, per second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from clgraph import system
from clgraph.bench.harness import Case, Context, Figures, median, quantity
from clgraph.csr.generate import finish_graph
from clgraph.errors import ClgraphError
from clgraph.traversal import bfs

if TYPE_CHECKING:
    from clgraph.bench.store import Record
    from clgraph.device import Device
    from clgraph.graph import Graph

T = TypeVar("T")
Vertices = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
A, B, C = 0.57, 0.19, 0.19  # the specification's initiator
EDGE_FACTOR, ROOTS = 16, 64
# edges of a task of one thread; also of one stream of random numbers, so that cores change no edge
CHUNK = 1 << 20


def _in_threads(work: Callable[[int, int], T], count: int) -> list[T]:
    """Call ``work(begin, end)`` for chunks of `count` edges; NumPy lets go of the lock in each."""
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
    """

    num_vertices: int
    source: Vertices
    target: Vertices


def make_edges(scale: int, edge_factor: int = EDGE_FACTOR, seed: int = 1) -> Edges:
    """Draw edges as the specification's Kronecker generator does.

    Each edge picks a quadrant of the adjacency matrix for each bit of its ends. Then the vertices get random
    labels, and the edges a random order.
    """
    count, n = edge_factor << scale, 1 << scale
    ends = np.empty((2, count), np.int32)

    def draw(begin: int, end: int) -> None:
        random = np.random.Generator(np.random.Philox(key=[seed, begin // CHUNK]))
        source, target = (np.zeros(end - begin, np.int32) for _ in range(2))
        for bit in range(scale):
            lower = random.random(end - begin) > A + B
            # the right half of the lower half, or of the upper one
            right = random.random(end - begin) > np.where(lower, C / (1 - (A + B)), A / (A + B))
            source |= lower.astype(np.int32) << bit
            target |= right.astype(np.int32) << bit
        ends[0, begin:end], ends[1, begin:end] = source, target

    _in_threads(draw, count)
    # the streams of edges are keyed by their number; this one is none of theirs
    random = np.random.Generator(np.random.Philox(key=[seed, 2**63]))
    label = random.permutation(n).astype(np.int32)
    order = random.permutation(count)
    shuffled = np.empty_like(ends)

    def place(begin: int, end: int) -> None:
        for of, to in zip(ends, shuffled, strict=True):
            to[begin:end] = label[of[order[begin:end]]]

    _in_threads(place, count)
    return Edges(n, shuffled[0], shuffled[1])


# --- kernels ---


def construct(edges: Edges, device: Device) -> Graph:
    """Kernel 1: make a graph on the device of a list of edges; loops are dropped, copies merged."""
    with device.alone():
        tail, head = device.upload(edges.source), device.upload(edges.target)
        count = len(edges.source)
        return finish_graph(device, edges.num_vertices, tail, head, count, duplicates="merge")


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
    _none(1, parent >= n, f"the parent of vertex {{}} is not below {n}")
    if parent[root] != root:
        raise _broken(1, f"the root's parent is {parent[root]}")
    level = _levels(root, parent, reached)
    _none(1, (level < 0) & reached, "vertex {} is on a cycle, or its way up does not end at the root")
    # as levels come from the tree, those that the search found must be the same
    _none(2, distance != np.where(reached, level, -1), "the level of vertex {} is not its parent's plus 1")
    level = np.where(reached, level, np.int32(-2))  # by more than 1 from any in the tree
    in_list = np.zeros(n, np.bool_)
    in_list[root] = True

    def check(begin: int, end: int) -> None:
        u, v = edges.source[begin:end], edges.target[begin:end]
        apart = np.abs(level[u] - level[v]) > 1
        if apart.any():
            at = int(np.argmax(apart))
            both = reached[u[at]] and reached[v[at]]
            what = "joins levels that differ by more than 1" if both else "has one end outside the tree"
            raise _broken(3 if both else 4, f"edge {begin + at} ({u[at]}, {v[at]}) {what}")
        # all threads write the same
        in_list[v[parent[v] == u]] = True
        in_list[u[parent[u] == v]] = True

    _in_threads(check, len(edges.source))
    _none(5, reached & ~in_list, "vertex {} and its parent are no edge of the list")


def _levels(root: int, parent: Vertices, reached: npt.NDArray[np.bool_]) -> Vertices:
    """Return the steps from each vertex up to the root; -1 where they do not lead there."""
    n = len(parent)
    up = np.where(reached, parent, np.arange(n))
    steps = (up != np.arange(n)).astype(np.int64)
    # each round doubles the steps that `up` takes; a tree of n vertices has ended after log2(n) of them
    for _ in range(n.bit_length()):
        further = up[up]
        if np.array_equal(further, up):
            break
        steps += steps[up]
        up = further
    return np.where(reached & (up == root), steps, -1).astype(np.int32)  # half the bytes to gather


def _none(rule: int, wrong: npt.NDArray[np.bool_], what: str) -> None:
    if wrong.any():
        raise _broken(rule, what.format(int(np.argmax(wrong))))


def _broken(rule: int, what: str) -> ClgraphError:
    return ClgraphError(f"rule {rule} of the validation does not hold: {what}")


# --- the run, and its output block ---


@dataclass(frozen=True)
class Settings:
    """What a run depends on."""

    scale: int
    edge_factor: int = EDGE_FACTOR
    roots: int = ROOTS
    seed: int = 1


def cases(settings: Settings) -> Iterator[Case]:
    """Yield the one case of a run."""
    options = vars(settings)
    yield Case("graph500", f"scale{settings.scale}", "bfs", "clgraph", partial(_run, settings), True, options)


def _run(settings: Settings, context: Context) -> Figures:
    device, clock = context.device, time.perf_counter
    begun = clock()
    edges = make_edges(settings.scale, settings.edge_factor, settings.seed)
    generation = clock() - begun
    # kernels are built for another graph, as a program in C is compiled before it is run
    bfs(construct(make_edges(8), device), 0, arrays="device", device=device)
    begun = clock()
    graph = construct(edges, device)
    construction = clock() - begun
    # of an edge in the tree both ends are: edges are counted at their sources
    of_source = np.bincount(edges.source, minlength=edges.num_vertices)
    seconds, counted, checking = [], [], []
    for root in map(int, pick_roots(graph, settings.roots, settings.seed)):
        begun = clock()
        found = bfs(graph, root, arrays="device", device=device)
        device.finish()
        seconds.append(clock() - begun)
        begun = clock()
        arrays: Any = (found.predecessor, found.distance)
        parent, distance = (each.get() for each in arrays)
        parent[root] = root
        try:
            validate(edges, root, parent, distance)
        except ClgraphError as error:
            raise ClgraphError(f"search from {root}: {error}") from error
        counted.append(int(of_source[parent >= 0].sum()))
        checking.append(clock() - begun)
    teps = np.array(counted) / seconds
    values = {
        "generation": quantity(generation, "s"),
        "construction": quantity(construction, "s"),
        "bfs": median(seconds),
        "teps": {**median(teps, "1/s"), "harmonic_mean": float(harmonic(teps)[0])},
        "validation": quantity(sum(checking), "s"),
    }
    lists = {"times": seconds, "edges": counted, "validation_times": checking}
    sizes = {"of_vertices": edges.num_vertices, "of_arcs": graph.num_arcs, "of_tuples": len(edges.source)}
    return Figures(values, {**sizes, **lists})


def harmonic(values: Any) -> tuple[float, float]:
    """Harmonic mean, and its standard deviation after Norris (Ann. Math. Statist. 11, 1940)."""
    inverse = 1 / np.asarray(values, np.float64)
    mean = float(1 / inverse.mean())
    if len(inverse) < 2:
        return mean, 0.0
    spread = np.sqrt(((inverse - inverse.mean()) ** 2).sum()) / (len(inverse) - 1)
    return mean, float(spread) * mean**2


def block(record: Record) -> list[str]:
    """Return the output block of a run, line by line, with the names of the reference code."""
    values, details, options = record["values"], record["details"], record["options"]
    times, counted = np.array(details["times"]), np.array(details["edges"], np.float64)
    teps = counted / times
    lines: list[tuple[str, Any]] = [
        ("SCALE", options["scale"]),
        ("edgefactor", options["edge_factor"]),
        ("NBFS", len(times)),
        ("graph_generation", values["generation"]["value"]),
        ("construction_time", values["construction"]["value"]),
    ]
    for name, figures in (("time", times), ("nedge", counted), ("TEPS", teps)):
        quartiles = np.quantile(figures, [0, 0.25, 0.5, 0.75, 1])
        kinds = ("min", "firstquartile", "median", "thirdquartile", "max")
        lines += [(f"bfs {kind}_{name}", figure) for kind, figure in zip(kinds, quartiles, strict=True)]
        if name == "TEPS":
            mean, spread = harmonic(figures)
            kind = "harmonic_"
        else:
            mean, spread = figures.mean(), figures.std(ddof=1) if len(figures) > 1 else 0.0
            kind = ""
        lines += [(f"bfs {kind}mean_{name}", mean), (f"bfs {kind}stddev_{name}", spread)]
    lines.append(("bfs validation", f"passed, {len(times)} of {len(times)} trees"))
    width = max(len(name) for name, _ in lines) + 2
    return [f"{name + ':':<{width}} {_number(figure)}" for name, figure in lines]


def _number(figure: Any) -> str:
    return f"{figure:.10g}" if isinstance(figure, float) else str(figure)
