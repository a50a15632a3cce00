"""Random graphs drawn one edge after the other: slow and obviously right, the same graphs as a device makes.

Each model is written down from its definition: the first different edges of a sequence of draws, a list of
ends that grows, a shuffle that is a loop, and edges that are mended with dictionaries and sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from math import floor, gcd
from typing import Any

import numpy as np

from clgraph import keyed
from clgraph.graph import Graph
from clgraph.reference.common import below, expect, words

Edge = tuple[int, int]


def _graph(n: int, edges: Any) -> Graph:
    kept = sorted({(min(e), max(e)) for e in edges if e[0] != e[1]})
    ends = np.array(kept, dtype=np.int64).reshape(-1, 2)
    return Graph.from_edges(ends[:, 0], ends[:, 1], vertices=np.arange(n))


def _number(seed: int, i: int, j: int, k: int) -> tuple[int, int]:
    return words(seed, i, j, k, keyed.TAG_MODEL)


def _in_rounds(count: int, propose: Callable[[int, int], Edge], rounds: int = 1000) -> list[Edge]:
    """Draw edges i = 0, 1, ... in rounds; one that is a loop or a duplicate draws anew in the next round."""
    taken: set[Edge] = set()
    waiting = list(range(count))
    for number in range(rounds):
        still = []
        for i in waiting:
            u, v = propose(i, number)
            edge = (min(u, v), max(u, v))
            if u == v or edge in taken:
                still.append(i)
            else:
                taken.add(edge)
        waiting = still
        if not waiting:
            break
    return list(taken)


def reference_erdos_renyi(n: int, m: int, *, seed: int) -> Graph:
    """Like `clgraph.erdos_renyi_graph`."""

    def propose(i: int, number: int) -> Edge:
        a, b = _number(seed, i, number, 0)
        u, v = below(a, n), below(b, n - 1)
        return u, v + (v >= u)

    everything = {(u, v) for u in range(n) for v in range(u + 1, n)} if 2 * m > n * (n - 1) // 2 else None
    if everything is None:
        return _graph(n, _in_rounds(m, propose))
    return _graph(n, everything - set(_in_rounds(len(everything) - m, propose)))


def reference_watts_strogatz(n: int, degree: int, probability: float, *, seed: int) -> Graph:
    """Like `clgraph.watts_strogatz_graph`."""
    half, rewired = degree // 2, Decimal(repr(float(probability))) * 2**32

    def propose(i: int, number: int) -> Edge:
        v, step = divmod(i, half)
        a = _number(seed, i, number, 0)[0]
        if number == 0:
            stays = a % 2**32 >= int(rewired)
            return v, (v + step + 1) % n if stays else v
        others = [w for w in range(n) if w != v]
        return v, others[below(a, n - 1)]

    return _graph(n, _in_rounds(n * half, propose))


def reference_static_model(n: int, *, average_degree: float, alpha: float, shift: float, seed: int) -> Graph:
    """Like `clgraph.static_model_graph`, for up to 256 vertices (above, ranks are in classes)."""
    if n > 256:
        raise ValueError(f"{n} vertices: 256 at most")
    weights = [
        (Decimal(i) + Decimal(repr(float(shift)))) ** -Decimal(repr(float(alpha))) for i in range(1, n + 1)
    ]
    total = sum(weights)
    limits = [int(sum(weights[: i + 1]) / total * 2**32) for i in range(n - 1)]
    stride = next(s for s in range(max(1, int(n * 0.6180339887498949)), 2 * n + 2) if gcd(s, n) == 1)

    def vertex(x: int) -> int:
        rank = sum(limit <= x >> 32 for limit in limits)
        return rank * stride % n

    def propose(i: int, number: int) -> Edge:
        a, b = _number(seed, i, number, 0)
        return vertex(a), vertex(b)

    return _graph(n, _in_rounds(round(n * average_degree / 2), propose))


def reference_barabasi_albert(n: int, k: int, *, seed: int) -> Graph:
    """Like `clgraph.barabasi_albert_graph`: the list of ends is kept, and grows."""
    ends = [v for v in range(k + 1) for _ in range(k)]
    edges = [(u, v) for v in range(k + 1) for u in range(v)]
    for v in range(k + 1, n):
        drawn: list[int] = []
        while len(set(drawn)) < k:
            drawn.append(ends[below(_number(seed, v, len(drawn), 0)[0], len(ends))])
        edges += [(v, target) for target in set(drawn)]
        for target in drawn[:k]:
            ends += [v, target]
    return _graph(n, edges)


def _law(least: int, most: int, exponent: float) -> Callable[[int], int]:
    """Function from a 64-bit number to a value of the power law, by adding up."""
    masses = [Decimal(k) ** -Decimal(repr(float(exponent))) for k in range(least, most + 1)]
    total, limits, before = sum(masses), [], Decimal(0)
    for mass in masses[:-1]:
        before += mass
        limits.append(int(before / total * 2**64))
    return lambda x: least + sum(limit <= x for limit in limits)


def _shuffled(values: list[int], places: Iterator[tuple[int, int]], seed: int) -> None:
    for i, end in places:
        j = i + below(_number(seed, i, 0, 2)[0], end - i)
        values[i], values[j] = values[j], values[i]


def reference_configuration(
    n: int, *, exponent: float, min_degree: int, max_degree: int, seed: int
) -> tuple[Graph, list[int]]:
    """Like `clgraph.configuration_graph`, and the degrees that were drawn."""
    law = _law(min_degree, max_degree, exponent)
    degrees = [law(_number(seed, v, 0, 1)[0]) for v in range(n)]
    if sum(degrees) % 2:
        degrees[0] += 1 if degrees[0] < max_degree else -1
    stubs = [v for v in range(n) for _ in range(degrees[v])]
    _shuffled(stubs, ((i, len(stubs)) for i in range(len(stubs))), seed)
    return _graph(n, zip(stubs[::2], stubs[1::2], strict=True)), degrees


def reference_sizes(n: int, least: int, most: int, exponent: float, *, seed: int) -> list[int]:
    """Sizes of communities, n in all, in falling order."""
    law = _law(least, most, exponent)
    sizes: list[int] = []
    while sum(sizes) < n:
        sizes.append(law(_number(seed, len(sizes), 0, 6)[0]))
    sizes[-1] -= sum(sizes) - n
    if sizes[-1] < least:
        last, most = sizes.pop(), min(most, n)
        if sum(most - size for size in sizes) >= last:
            for c in range(len(sizes)):
                given = min(last, most - sizes[c])
                sizes[c] += given
                last -= given
        else:
            for c in range(len(sizes)):
                taken = min(least - last, sizes[c] - least)
                sizes[c] -= taken
                last += taken
            sizes.append(last)
            if last < least:
                raise ValueError("no such sizes")
    return sorted(sizes, reverse=True)


def reference_lfr(
    n: int,
    *,
    mixing: float,
    degree_exponent: float,
    min_degree: int,
    max_degree: int,
    community_exponent: float,
    min_community: int,
    max_community: int,
    seed: int,
) -> tuple[Graph, list[int], int]:
    """Like `clgraph.lfr_graph`: the graph, the communities, and how many edges were dropped."""
    law = _law(min_degree, max_degree, degree_exponent)
    degrees = [law(_number(seed, v, 0, 1)[0]) for v in range(n)]
    share = Decimal(repr(float(mixing)))
    outside = [(degrees[v] * int(share * 2**32) + _number(seed, v, 0, 3)[0] % 2**32) >> 32 for v in range(n)]
    inside = [degrees[v] - outside[v] for v in range(n)]
    sizes = reference_sizes(n, min_community, max_community, community_exponent, seed=seed)
    seats = [c for c, size in enumerate(sizes) for _ in range(size)]
    place = list(range(n))
    ranked = sorted(range(n), key=lambda v: -inside[v])
    for r, v in enumerate(ranked):
        fits = sum(size for size in sizes if size > inside[v])
        if fits <= r:
            raise ValueError("no seat")
        j = r + below(_number(seed, r, 0, 4)[0], fits - r)
        place[r], place[j] = place[j], place[r]
    members: list[list[int]] = [[] for _ in sizes]
    for seat, v in sorted(zip(place, ranked, strict=True)):
        members[seats[seat]].append(v)
    community = [c for _, c in sorted((v, c) for c, each in enumerate(members) for v in each)]
    edges: list[Edge | None] = []
    groups: list[range] = []
    stubs: list[int] = []
    for of, stubs_of in [*((each, inside) for each in members), (list(range(n)), outside)]:
        begin = len(stubs)
        stubs += [v for v in of for _ in range(stubs_of[v])]
        stubs += [-1] * (len(stubs) % 2)
        _shuffled(stubs, ((i, len(stubs)) for i in range(begin, len(stubs))), seed)
        groups.append(range(begin // 2, len(stubs) // 2))
    edges = [(u, v) if min(u, v) >= 0 else None for u, v in zip(stubs[::2], stubs[1::2], strict=True)]
    wrong = _mend(edges, groups, community, seed)
    return _graph(n, [edge for e, edge in enumerate(edges) if edge and e not in wrong]), community, len(wrong)


def _mend(edges: list[Edge | None], groups: list[range], community: list[int], seed: int) -> set[int]:
    """Exchange ends of edges out of place, in rounds; those that stay so."""
    group_of = {e: group for group in groups for e in group}

    def fits(u: int, v: int, e: int) -> bool:
        return u != v and (e not in groups[-1] or community[u] != community[v])

    wrong: set[int] = set()
    for number in range(33):
        holder: dict[frozenset[int], int] = {}
        wrong = set()
        for e, edge in enumerate(edges):
            if edge is None:
                continue
            if fits(*edge, e) and frozenset(edge) not in holder:
                holder[frozenset(edge)] = e
            else:
                wrong.add(e)
        if not wrong or number == 32:
            break
        exchanges: dict[int, tuple[int, Edge, Edge]] = {}
        for e in sorted(wrong):
            a, b = edges[e] or (-1, -1)
            for t in range(16):
                x, y = _number(seed, e, 16 * number + t, 5)
                f = group_of[e][below(x, len(group_of[e]))]
                other = edges[f]
                if f == e or other is None:
                    continue
                c, d = other[::-1] if y & 1 else other
                new = frozenset((a, d)), frozenset((c, b))
                if fits(a, d, e) and fits(c, b, e) and new[0] != new[1] and not set(new) & set(holder):
                    exchanges[e] = f, (a, d), (c, b)
                    break
        first: dict[int, int] = {}
        for e in sorted(exchanges):
            first.setdefault(e, e)
            first.setdefault(exchanges[e][0], e)
        for e, (f, mine, theirs) in exchanges.items():
            if first[e] == e == first[f]:
                edges[e], edges[f] = mine, theirs
    return wrong


def verify_communities(found: Any, *, mixing: float) -> None:
    """Check a graph with communities: each vertex is in one, sizes fall, the mixing is near what was asked.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    graph, community = found.graph, [int(c) for c in found.community]
    n, sizes = graph.num_vertices, [0] * found.num_communities
    expect(len(community) == n, f"{len(community)} communities of {n} vertices")
    for v, c in enumerate(community):
        expect(0 <= c < len(sizes), f"vertex {v}: community {c} of {len(sizes)}")
        sizes[c] += 1
    expect(sizes == sorted(sizes, reverse=True) and sizes[-1], "the sizes of the communities do not fall")
    ends = list(zip(graph.tails.tolist(), graph.col_idx.tolist(), strict=True))
    across = sum(community[u] != community[v] for u, v in ends)
    # one stub of each community and one of all may be left out, and those that were dropped
    slack = 2 * (found.dropped + found.num_communities + 1)
    spread = 4 * floor(len(ends) ** 0.5 + 1)
    expect(
        abs(across - mixing * len(ends)) <= slack + spread,
        f"{across} of {len(ends)} arcs lead to other communities, the mixing is {mixing}",
    )
