"""Communities, slow and obviously right: dictionaries of neighbours and Python's integers."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any

import numpy as np

from clgraph.graph import Graph, as_graph
from clgraph.reference.common import check_result, expect, words

# a vertex's neighbours with the weight of the edge; its self-loop counts twice
Rows = list[dict[int, int]]
VERTEX = 1  # what keyed numbers of vertices are for


def weighted_rows(graph: Graph, weight: bool) -> Rows:
    """The neighbours of each vertex, both ways, with whole weights."""
    view = graph.undirected
    values: list[Any] = [1] * view.num_arcs if view.multiplicity is None else view.multiplicity.tolist()
    if weight and view.weights is not None:
        given = [Fraction(each) for each in view.weights.tolist()]
        values = list(given)
        if any(each.denominator > 1 for each in given) or 2 * sum(given) >= 2**40:
            scale = Fraction(1)
            while max(given) * scale < 2**29:
                scale *= 2
            while max(given) * scale >= 2**30:
                scale /= 2
            total = sum(round(each * scale) for each in given)
            scale *= Fraction(2) ** (38 - total.bit_length())
            values = [round(each * scale) for each in given]
    rows: Rows = [{} for _ in range(view.num_vertices)]
    for u, v, w in zip(view.tails.tolist(), view.col_idx.tolist(), values, strict=True):
        rows[u][v] = rows[u].get(v, 0) + int(w) * (2 if u == v else 1)
    return rows


class State:
    """Vertices in communities: labels, strengths of vertices and of communities."""

    def __init__(self, rows: Rows, label: list[int], resolution: int) -> None:
        self.rows, self.label, self.resolution = rows, label, resolution
        self.strength = [sum(row.values()) for row in rows]
        self.weight = sum(self.strength)
        self.total: dict[int, int] = {}
        for v, c in enumerate(label):
            self.total[c] = self.total.get(c, 0) + self.strength[v]

    def quality(self) -> int:
        """Modularity times 1024 times the square of the whole weight."""
        inside = sum(
            w for v, row in enumerate(self.rows) for u, w in row.items() if self.label[u] == self.label[v]
        )
        return 1024 * self.weight * inside - self.resolution * sum(t * t for t in self.total.values())

    def wanted(self, v: int, closed: Collection[int] = ()) -> int:
        """The community of the largest gain, not in `closed`: its own of equals, then the smallest."""
        own = self.label[v]
        near = {own: 0}
        for u, w in self.rows[v].items():
            if u != v:
                near[self.label[u]] = near.get(self.label[u], 0) + w
        best, most = own, self._worth(v, own, near[own])
        for c in sorted(near):
            if c not in closed and self._worth(v, c, near[c]) > most:
                best, most = c, self._worth(v, c, near[c])
        return best

    def _worth(self, v: int, c: int, near: int) -> int:
        others = self.total[c] - (self.strength[v] if self.label[v] == c else 0)
        return 1024 * self.weight * near - self.resolution * self.strength[v] * others

    def move(self, v: int, c: int) -> None:
        """Move a vertex."""
        self.total[self.label[v]] -= self.strength[v]
        self.label[v] = c
        self.total[c] += self.strength[v]


def reference_louvain(
    graph: Graph, resolution: float = 1.0, seed: int = 0, weight: bool = True
) -> tuple[list[int], float, int]:
    """Labels by decreasing size, modularity, and number of levels."""
    return _communities(graph, resolution, seed, weight, refines=False)


def reference_leiden(
    graph: Graph, resolution: float = 1.0, seed: int = 0, weight: bool = True
) -> tuple[list[int], float, int]:
    """Labels by decreasing size, modularity, and number of levels."""
    return _communities(graph, resolution, seed, weight, refines=True)


def _communities(
    graph: Graph, resolution: float, seed: int, weight: bool, refines: bool
) -> tuple[list[int], float, int]:
    rows = weighted_rows(as_graph(graph), weight)
    n, steps = len(rows), round(resolution * 1024)
    label, stage, levels = list(range(n)), 0, 0
    whole = sum(sum(row.values()) for row in rows)
    if not whole:
        return label, float("nan"), 0
    best = None
    while True:
        level, moved, climbed, node = rows, list(label), 0, list(range(n))
        while True:
            stage, climbed = stage + 1, climbed + 1
            found = _move_all(State(level, moved, steps), seed, stage, 1000)[0]
            kept = moved
            if refines or best is not None:
                stage += 1
                kept = _refined(level, moved, steps, seed, stage)
            into, first = _numbered(kept), _numbered(moved)
            if len(set(into)) == len(level):
                label = [first[c] for c in node]
                break
            smaller: Rows = [{} for _ in set(into)]
            for v, row in enumerate(level):
                for u, w in row.items():
                    smaller[into[v]][into[u]] = smaller[into[v]].get(into[u], 0) + w
            begin = list(range(len(smaller)))
            if (
                refines or best is not None
            ):  # a community has the number of the part that its first vertex is in
                for v in range(len(level)):
                    begin[into[v]] = into[moved.index(moved[v])]
            node, level, moved = [into[c] for c in node], smaller, begin
        levels = max(levels, climbed)
        if best is not None and (found - best) * 1000 < 1024 * whole * whole:
            break
        best = found
    stage += 1
    awake = _move_all(State(rows, label, steps), seed, stage, 100_000_000)[1]
    while True:
        stage += 1
        state, awake = _finished(State(rows, label, steps), awake, seed, stage), None
        if not refines:
            break
        parts = _connected_parts(rows, label)
        if len(set(parts)) == len(set(label)):
            break
        label = parts
    members: dict[int, list[int]] = {}
    for v, c in enumerate(label):
        members.setdefault(c, []).append(v)
    order = sorted(members.values(), key=lambda each: (-len(each), each[0]))
    place = {v: i for i, each in enumerate(order) for v in each}
    modularity = float(Fraction(state.quality(), 1024 * whole * whole))
    return [place[v] for v in range(n)], modularity, levels


def _numbered(label: list[int]) -> list[int]:
    """Communities numbered by their first vertices."""
    number: dict[int, int] = {}
    return [number.setdefault(c, len(number)) for c in label]


def _connected_parts(rows: Rows, label: list[int]) -> list[int]:
    """The smallest vertex that each can reach inside its community."""
    part = [-1] * len(rows)
    for start in range(len(rows)):
        if part[start] < 0:
            part[start], waiting = start, [start]
            while waiting:
                v = waiting.pop()
                for u in rows[v]:
                    if part[u] < 0 and label[u] == label[v]:
                        part[u] = start
                        waiting.append(u)
    return part


def _refined(rows: Rows, within: list[int], resolution: int, seed: int, stage: int) -> list[int]:
    """Join vertices alone with others of their community."""
    n = len(rows)
    inside = [{u: w for u, w in row.items() if within[u] == within[v]} for v, row in enumerate(rows)]
    state = State(rows, list(range(n)), resolution)
    state.rows = inside  # strengths are those of all arcs
    for part in _sliced(n, seed, stage, 0, min(n, 32)):
        alone = {v for v in part if state.label[v] == v and state.label.count(v) == 1}
        wants = [(v, state.wanted(v, closed=alone)) for v in part if v in alone]
        for v, c in wants:
            state.move(v, c)
    return state.label


def _sliced(n: int, seed: int, stage: int, number: int, slices: int) -> list[list[int]]:
    """The vertices of each slice of a pass."""
    parts: list[list[int]] = [[] for _ in range(slices)]
    for v in range(n):
        parts[(words(seed, v, stage, number, VERTEX)[0] >> 48) * slices >> 16].append(v)
    return parts


def _finished(state: State, awake: set[int] | None, seed: int, stage: int) -> State:
    """Make moves that share no community until none gains; `awake` None: all decide."""
    n, label, number = len(state.rows), state.label, 0
    while True:
        moved: set[int] = set()
        again: set[int] = set()
        for part in _sliced(n, seed, stage, number, 1 if awake is None else min(n, 32)):
            deciding = [v for v in part if awake is None or v in awake]
            wants = [(v, c) for v in deciding if (c := state.wanted(v)) != label[v]]
            free: dict[int, int] = {}
            for v, c in wants:
                free.setdefault(label[v], v)
                free.setdefault(c, v)
            may = [(v, c) for v, c in wants if free[label[v]] == free[c] == v]
            for v, c in may:
                state.move(v, c)
            moved |= {v for v, _ in may}
            again |= {v for v, _ in wants} - moved
        number += 1
        if moved:
            awake = again | {u for v in moved for u in state.rows[v] if label[u] != label[v]}
        elif awake is None:
            return state
        else:
            awake = None


def _move_all(state: State, seed: int, stage: int, enough: int) -> tuple[int, set[int] | None]:
    """Move vertices, slice by slice, until a pass gains too little; the quality, and who is awake."""
    n, label = len(state.rows), state.label
    best, slices, number, awake = state.quality(), min(n, 32), 0, set(range(n))
    while True:
        before = list(label)
        moved = 0
        for part in _sliced(n, seed, stage, number, slices):
            for v, c in [(v, state.wanted(v)) for v in part if v in awake]:
                moved += c != label[v]
                state.move(v, c)
        number += 1
        if not moved:
            return best, None
        found = state.quality()
        if found > best:
            gain, best = found - best, found
            left = [v for v in range(n) if label[v] != before[v]]
            awake = {u for v in left for u in state.rows[v] if label[u] != label[v]}
            if gain * enough < 1024 * state.weight**2:
                return best, awake
            continue
        awake = set(range(n))
        for v, c in enumerate(before):
            state.move(v, c)
        slices *= 4
        if slices > min(n, 1024):
            return best, None


def verify_louvain(graph: Graph, found: Any, weight: bool = True) -> None:
    """Check that communities are a partition with the modularity stated, which no vertex can raise by moving.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    graph = check_result(graph, found, "louvain", labels=("i", 1), sizes=("i", 1))
    labels, n = found.labels.tolist(), graph.num_vertices
    expect(len(labels) == n, f"{len(labels)} labels for {n} vertices")
    expect(all(0 <= c < found.count for c in labels), "labels are not 0 to count - 1")
    counts = np.bincount(found.labels, minlength=found.count)
    expect(counts.tolist() == found.sizes.tolist(), "sizes are not those of the labels")
    expect(all(found.sizes > 0) and all(np.diff(found.sizes) <= 0), "communities are not by decreasing size")
    state = State(weighted_rows(graph, weight), labels, round(found.resolution * 1024))
    if not state.weight:
        expect(np.isnan(found.modularity), f"modularity {found.modularity!r} of a graph without weight")
        return
    modularity = float(Fraction(state.quality(), 1024 * state.weight**2))
    expect(found.modularity == modularity, f"modularity is {modularity!r}, not {found.modularity!r}")
    for v in range(n):
        c = state.wanted(v)
        expect(c == labels[v], f"vertex {graph.ids[v]} gains by moving from community {labels[v]} to {c}")


def verify_leiden(graph: Graph, found: Any, weight: bool = True) -> None:
    """Check the same as of Louvain's communities, and that each is connected.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    verify_louvain(graph, found, weight)
    graph = as_graph(graph)
    parts = _connected_parts(weighted_rows(graph, weight), found.labels.tolist())
    expect(
        len(set(parts)) == found.count, f"{found.count} communities have {len(set(parts))} connected parts"
    )
