"""Searches that spread, slow and obviously right: snowball, forest fire, respondent-driven sampling."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np

from clgraph import keyed
from clgraph.arguments import target_size
from clgraph.graph import Graph
from clgraph.reference.common import (
    ReferenceSample,
    Rows,
    by_priority,
    check_arrivals,
    check_kept,
    directed_rows,
    expect,
    given_starts,
    lg,
    race_key,
    start_order,
    words,
)
from clgraph.reference.traversal import first_start

METHODS = ("snowball", "ff", "rds", "spikyball")


class Spread:
    """The rows that a search sees, and what a vertex takes of them."""

    def __init__(self, graph: Graph, method: str, seed: int, options: dict[str, Any]) -> None:
        self.method, self.seed = method, seed
        direction = options.get("direction", "both")
        self.rows = directed_rows(graph, direction)
        self.back = None
        if graph.directed and direction != "both":
            self.back = directed_rows(graph, "in" if direction == "out" else "out")
        self.p = Fraction(str(options.get("p", "0.7")))
        self.r = Fraction(str(options.get("r", 0)))
        self.share = Fraction(str(options.get("share", "0.1")))
        powers = options.get("powers", (0, 0, 0))
        self.powers = [floor(Fraction(str(x)) * 2**16) for x in powers]
        weighted = options.get("weighted") and self.powers[1]
        self.heavy = Rows(graph).arc_weights() if weighted else None  # of parallel arcs the first counts
        self.most = options.get("k", 50) if method == "snowball" else options.get("coupons", 3)

    def names(self, v: int, row: list[int]) -> list[int]:
        """v's neighbours in the order of their numbers."""
        return sorted(set(row), key=lambda u: words(self.seed, v, u, 0, keyed.TAG_ARC)[0])

    def taken(self, v: int, seen: set[int]) -> list[list[int]]:
        """Neighbours that v takes by each kind of arc, if these were seen."""
        names = self.names(v, self.rows[v])
        if self.method == "snowball":
            return [names[: self.most]]
        open_ = [u for u in names if u not in seen]
        if self.method == "rds":
            return [open_[: self.most]]
        a, b = words(self.seed, v, 0, 0, keyed.TAG_COIN)
        made = [open_[: count_below(a, self.p)]]
        if self.back is not None and self.r > 0:
            made.append(
                [u for u in self.names(v, self.back[v]) if u not in seen][: count_below(b, self.r * self.p)]
            )
        return made

    def acts(self, active: list[int], seen: set[int], stage: int) -> list[tuple[int, int, int]]:
        """What these vertices take in a stage: from, to, and the kind of arc."""
        if self.method == "spikyball":
            return self.arcs_taken(active, seen, stage)
        taken = ((v, *each) for v in sorted(active) for each in enumerate(self.taken(v, seen)))
        return [(v, u, kind) for v, kind, names in taken for u in names]

    def arcs_taken(self, active: list[int], seen: set[int], stage: int) -> list[tuple[int, int, int]]:
        """spikyball: of the arcs from these vertices to unseen ones a share, by race."""
        heavy = self.heavy
        arcs = [(v, u) for v in sorted(active) for u in sorted(set(self.rows[v])) if u not in seen]
        arcs = [arc for arc in arcs if heavy is None or heavy[arc][0]]
        out = Counter(v for v, _ in arcs)
        enter = Counter(u for _, u in arcs)
        keys = {}
        for v, u in arcs:
            a, b, c = self.powers
            weight = a * (lg(out[v]) >> 16) + c * (lg(enter[u]) >> 16)
            if heavy is not None:
                weight += b * (lg(heavy[v, u][0]) >> 16)
            weight = min(max(weight, -128 * 2**40), 63 * 2**40)
            keys[v, u] = race_key(*words(self.seed, v, u, stage, keyed.TAG_ARC), weight)
        many = max(1, floor(self.share * len(arcs) + Fraction(1, 2)))
        return [(*arc, 0) for arc in sorted(sorted(arcs, key=lambda arc: (keys[arc], arc))[:many])]


def count_below(x: int, p: Fraction) -> int:
    """The largest j with x < floor(2^64 p^j)."""
    j = 0
    while x < 2**64 * p ** (j + 1) // 1:
        j += 1
    return j


def reference_spread(graph: Graph, method: str, *, seed: int, **options: Any) -> ReferenceSample:
    """Spread by the definition, on the host; arguments as in `clgraph.sample`."""
    spread = Spread(graph, method, seed, options)
    n = len(spread.rows)
    stages = options.get("stages")
    target = n if stages is not None else min(target_size(options["size"], n), n)
    order = start_order(n, seed)
    starts = list(dict.fromkeys(given_starts(graph, options)))
    if not starts:
        first = first_start(graph, seed)
        many = options.get("starts", 10) if method == "rds" else 1
        starts = [first, *[v for v in order if v != first][: many - 1]]
    if options.get("mode", "auto") == "exact":
        came, parent, named = _queue(spread, starts, order, target)
    else:
        came, parent, named = _stages(spread, starts, order, target, stages)
    made = Rows(graph).draw_kept(came, options.get("keep", "induced"), target, parent, named)
    if method == "rds":
        made.more["parent"] = [graph.ids[parent[v]] for v in sorted(came)]
    return made


Found = tuple[list[int], dict[int, int], set[tuple[int, int, int]]]


def _stages(spread: Spread, starts: list[int], order: list[int], target: int, stages: int | None) -> Found:
    came: list[int] = []
    seen: set[int] = set()
    parent: dict[int, int] = {}
    named: set[tuple[int, int, int]] = set()

    def bring(new: set[int]) -> list[int]:
        ranked = by_priority(new, spread.seed)
        seen.update(new)
        came.extend(ranked)
        return ranked

    active = bring(set(starts))
    parent |= {v: v for v in starts}
    number = 0
    while len(came) < target and number != stages:
        number += 1
        new: set[int] = set()
        for v, u, kind in spread.acts(active, seen, number):
            if kind == 0:
                named.add((v, u, 0))
            if u not in seen:
                new.add(u)
                parent.setdefault(u, v)
        if not new:
            if stages is not None:
                break
            new = {next(v for v in order if v not in seen)}
            parent |= {v: v for v in new}
        active = bring(new)
    return came[:target], parent, named


def _queue(spread: Spread, starts: list[int], order: list[int], target: int) -> Found:
    came = starts[:target]
    parent = {v: v for v in came}
    named: set[tuple[int, int, int]] = set()
    head = 0
    while len(came) < target:
        if head == len(came):
            start = next(v for v in order if v not in parent)
            parent[start] = start
            came.append(start)
            continue
        v = came[head]
        head += 1
        for kind in range(2):
            # what a vertex takes by the second kind of arc, it takes of those that are left
            for u in [*spread.taken(v, set(parent)), []][kind]:
                if len(came) == target:
                    break
                if kind == 0:
                    named.add((v, u, 0))
                if u not in parent:
                    parent[u] = v
                    came.append(u)
    return came, parent, named


def verify_spread(graph: Graph, sample: Any) -> None:
    """Check a search's sample: its size, its edges, and that each vertex but starts has one before it.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    request = sample.selection.request
    check_kept(graph, sample, graph.num_vertices)
    check_arrivals(graph, sample)
    if sample.method == "rds":
        recruited = Counter(np.asarray(sample.parent)[sample.parent != sample.vertices].tolist())
        most = max(recruited.values(), default=0)
        expect(most <= request.k, f"a vertex recruited {most} others, more than k = {request.k}")
