"""Streams, slow and obviously right: one edge after the other, with lists and exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from clgraph import keyed
from clgraph.arguments import target_size
from clgraph.formats.arrivals import Names, arrivals
from clgraph.graph import Graph
from clgraph.reference.common import ReferenceSample, Rows, below, expect, words
from clgraph.sampling.literature.streams import in_units

METHODS = ("pies", "gsh", "gps")
Edge = tuple[Any, Any]  # ids: numbers, or names


@dataclass
class ReferenceStream:
    """Reservoir after the last edge: times of edges, ascending, with probabilities; vertices."""

    times: list[int]
    vertices: list[int]
    probability: list[float] | None = None
    triangles: float | None = None


def coin(seed: int, t: int, j: int = 0) -> tuple[int, int]:
    """The words of arrival t."""
    return words(seed, t % 2**32, t >> 32, j, keyed.TAG_COIN)


def reference_pies(edges: Sequence[Edge], size: int, seed: int) -> ReferenceStream:
    """Partial induction: vertices in slots; the edges of one that goes go with it."""
    slots: list[int] = []
    held: list[tuple[int, int, int]] = []
    full = None
    for t, (u, v) in enumerate(edges, 1):
        missing = [x for x in (u, v) if x not in slots]
        if full is None and len(slots) + len(missing) > size:
            full = t - 1
        if full is None:
            slots += missing
            if len(slots) == size:
                full = t
        elif missing and below(coin(seed, t)[0], t) < full:
            bits = coin(seed, t, 1)
            for x, y, word in ((u, v, bits[0]), (v, u, bits[1])):
                if x in slots:
                    continue
                free = [i for i in range(len(slots)) if slots[i] != y]
                i = free[below(word, len(free))]
                held = [e for e in held if slots[i] not in e[:2]]
                slots[i] = x
        if u in slots and v in slots:
            held.append((u, v, t))
    return ReferenceStream([t for _, _, t in held], sorted(slots))


def reference_gsh(
    edges: Sequence[Edge], p: Fraction, q: Fraction, seed: int, closing: bool = False
) -> ReferenceStream:
    """Sample and hold: the coin of each edge against p, or q where it touches a held edge."""
    near: dict[int, set[int]] = {}
    times, probability = [], []
    for t, (u, v) in enumerate(edges, 1):
        chance = q if u in near or v in near else p
        if closing and near.get(u, set()) & near.get(v, set()):
            chance = Fraction(1)
        if coin(seed, t)[0] < 2**64 * chance // 1:
            near.setdefault(u, set()).add(v)
            near.setdefault(v, set()).add(u)
            times.append(t)
            probability.append(float(chance))
    return ReferenceStream(times, sorted(near), probability)


def reference_gps(
    edges: Sequence[Edge], size: int, seed: int, triangles: int = 9, weights: Any = None, block: int = 1
) -> ReferenceStream:
    """Priority sampling: the edges of largest priority, and the largest that was dropped, block by block."""
    held: list[tuple[Fraction, int, int, int, int]] = []  # priority, -t, w, u, v
    z = Fraction(0)
    estimate = Fraction(0)
    for first in range(0, len(edges), block):
        # each edge that a new one may close a triangle with: its ends, 1 / p, and whether it was held before
        seen = [(a, b, max(Fraction(1), z / w), True) for _, _, w, a, b in held]
        for t, (u, v) in enumerate(edges[first : first + block], first + 1):
            closed = 0
            near = [(b if a == u else a, one, old) for a, b, one, old in seen if u in (a, b)]
            for x, one, old in near:
                for c, d, other, older in seen:
                    if x != v and {c, d} == {x, v}:
                        closed += old and older
                        estimate += one * other
            w = 1 + triangles * closed if weights is None else weights[t - 1]
            if w == 0:
                continue
            seen.append((u, v, Fraction(1), False))
            held.append((Fraction(w * 2**64, coin(seed, t)[0] | 1), -t, w, u, v))
        held.sort(reverse=True)
        if len(held) > size:
            z = max(z, held[size][0])
            del held[size:]
    held.sort(key=lambda e: -e[1])
    probability = [1.0 if z == 0 else float(min(Fraction(1), w / z)) for _, _, w, _, _ in held]
    vertices = sorted({x for e in held for x in e[3:]})
    return ReferenceStream([-e[1] for e in held], vertices, probability, float(estimate))


def reference_arrivals(stream: Sequence[Edge], method: str, *, seed: int, **options: Any) -> ReferenceStream:
    """Stream edges in this order, without loops; return the reservoir."""
    if method == "pies":
        return reference_pies(stream, options["size"], seed)
    if method == "gsh":
        p, q = (Fraction(str(options.get(name, d))) for name, d in (("p", "0.3"), ("q", "0.7")))
        return reference_gsh(stream, p, q, seed, options.get("closing", False))
    rest = options.get("triangles", 9), options.get("weights"), options.get("block", 1)
    return reference_gps(stream, options["edges"], seed, *rest)


def in_order(rows: Rows, seed: int) -> list[int]:
    """A graph's edges without loops in order of their priority."""
    edges = zip(rows.ends, rows.edges.copy.tolist(), strict=True)
    priority = [words(seed, u, v, copy, keyed.TAG_EDGE)[0] for (u, v), copy in edges]
    return sorted(range(rows.m), key=lambda e: (priority[e], e))


def _weights(rows: Rows, order: list[int], weighted: Any) -> list[int] | None:
    weights = rows.weights() if weighted else []
    return [weights[e] for e in order] if weighted else None


def reference_stream(graph: Graph, method: str, *, seed: int, **options: Any) -> ReferenceSample:
    """Stream a graph by the definition; arguments as in `clgraph.sample`."""
    rows = Rows(graph)
    order = in_order(rows, seed)
    known = {"weights": _weights(rows, order, options.get("weighted")), **options}
    for name, whole in (("size", rows.n), ("edges", rows.m)):
        if name in options:
            known[name] = target_size(options[name], whole)
    made = reference_arrivals([rows.ends[e] for e in order], method, seed=seed, **known)
    taken = sorted((order[t - 1], t, i) for i, t in enumerate(made.times))
    more: dict[str, Any] = {"arrival": [t for _, t, _ in taken]}
    if made.probability is not None:
        more["probability"] = np.array([made.probability[i] for _, _, i in taken])
    inside = np.isin(np.arange(rows.n), made.vertices)
    ranks = rows.edges.rank[[e for e, _, _ in taken]]
    return ReferenceSample(graph.ids[inside], ranks, known.get("size", 0), more=more)


def verify_reservoir(
    edges: Sequence[Edge], reservoir: Any, method: str, seed: int, options: dict[str, Any]
) -> None:
    """Check the reservoir of a run over a stream whose edges, without loops, are these.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    expect(reservoir.arrivals == len(edges), f"{reservoir.arrivals} edges came instead of {len(edges)}")
    times = reservoir.arrival.tolist()
    ends = [tuple(sorted(edges[t - 1])) for t in times]
    found = [
        tuple(sorted(pair)) for pair in zip(reservoir.source.tolist(), reservoir.target.tolist(), strict=True)
    ]
    expect(
        ends == found and len(set(times)) == len(times), "its edges are not those that came at their times"
    )
    wanted = reference_arrivals(edges, method, seed=seed, **options)
    which = "of largest priority" if method == "gps" else "that its coins hold"
    expect(sorted(times) == wanted.times, f"its edges are not those {which}")
    expect(
        sorted(reservoir.vertices.tolist()) == wanted.vertices, "its vertices are not those of the definition"
    )
    if wanted.triangles is not None:
        expect(
            abs(reservoir.in_stream - wanted.triangles) <= 1e-6 * max(1.0, wanted.triangles),
            f"{reservoir.in_stream} triangles in the stream instead of {wanted.triangles}",
        )


def verify_stream(graph: Graph, sample: Any) -> None:
    """Check a sample of a graph that was streamed; see `verify_reservoir`."""
    rows, request = Rows(graph), sample.selection.request
    order = in_order(rows, sample.seed)
    weights = _weights(rows, order, request.view.weighted)
    expect(
        rows.edges.rank[sorted(order[t - 1] for t in sample.stream.arrival.tolist())].tolist()
        == sample.edges.tolist(),
        "its edges are not those that came at their times",
    )
    _verify([rows.ends[e] for e in order], sample, weights)


def verify_arrivals(source: Any, sample: Any, *, weighted: bool = False, **read_as: Any) -> None:
    """Check a sample of a stream of which no graph exists, read once more; see `verify_reservoir`."""
    edges: list[Edge] = []
    weights: list[int] | None = [] if weighted else None
    names = Names()
    for chunk in arrivals(source, names, weighted=weighted, **read_as):
        ends = [names.of(end) if names.text else end for end in (chunk.source, chunk.target)]
        edges += zip(*(end.tolist() for end in ends), strict=True)
        if weights is not None and chunk.weight is not None:
            weights += in_units(chunk.weight).tolist()
    _verify(edges, sample, weights)


def _verify(edges: list[Edge], sample: Any, weights: list[int] | None) -> None:
    request = sample.selection.request
    options: dict[str, Any] = {"size": request.target, "edges": request.target_edges}
    options |= {name: getattr(request, name) for name in ("closing", "p", "q", "triangles", "block")}
    verify_reservoir(edges, sample.stream, sample.method, sample.seed, {**options, "weights": weights})
