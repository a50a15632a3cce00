"""Races of vertices and edges, slow and obviously right: every key, sorted, taken one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.arguments import target_size
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.reference.common import (
    NEVER,
    EdgeList,
    ReferenceSample,
    Rows,
    by_priority,
    check_induced,
    expect,
    inside_of,
    lg,
    race_key,
    words,
)

METHODS = ("rn", "rdn", "rpn", "re", "rne", "hyb", "ties", "rnn")


def reference_race(graph: Graph, method: str, *, seed: int, **options: Any) -> ReferenceSample:
    """Draw by the definition, on the host; arguments as in `clgraph.sample`."""
    rows = Rows(graph)
    size, edges, weighted = options.get("size"), options.get("edges"), options.get("weighted", False)
    if method in ("rn", "rdn", "rpn"):
        return _vertices(rows, method, seed, size, weighted, options.get("strata"))
    if method == "rnn":
        return _neighbours(rows, seed, size, options.get("starts"))
    keys = _edge_keys(rows, method, seed, Fraction(options.get("mix", "0.8")), weighted)
    target = None if size is None else target_size(size, rows.n)
    if target is not None and target < 2:
        raise InputError("an edge has two ends")
    wanted = rows.m if edges is None else target_size(edges, rows.m)
    came: list[int] = []
    taken: list[int] = []
    for e in sorted(range(rows.m), key=lambda e: (keys[e], e)):
        if keys[e] == NEVER or (target is None and len(taken) == wanted):
            break
        new = [v for v in rows.ends[e] if v not in came]
        if target is not None and len(came) + len(new) > target:
            break
        came += new
        taken.append(e)
    ranks = None if method == "ties" or options.get("keep") == "induced" else rows.edges.rank[sorted(taken)]
    return rows.draw(came, ranks, wanted if target is None else target)


def _vertices(rows: Rows, method: str, seed: int, size: Any, weighted: bool, strata: Any) -> ReferenceSample:
    weight = _vertex_weights(rows, method, weighted)
    key = [
        NEVER if weight[v] == 0 else race_key(*words(seed, v, 0, 0, keyed.TAG_VERTEX), lg(weight[v]))
        for v in range(rows.n)
    ]
    order = sorted((v for v in range(rows.n) if key[v] != NEVER), key=lambda v: (key[v], v))
    if strata is None:
        target = target_size(size, rows.n)
        return rows.draw(order[:target], None, target)
    chosen: list[int] = []
    group = np.asarray(strata).tolist()
    for name in sorted(set(group)):
        if isinstance(size, Mapping):
            k = target_size(size[name], group.count(name)) if name in size else 0
        else:
            k = _share(target_size(size, rows.n), group, name)
        chosen += [v for v in order if group[v] == name][:k]
    chosen.sort(key=lambda v: (key[v], v))
    return rows.draw(chosen, None, 0)


def _vertex_weights(rows: Rows, method: str, weighted: bool) -> list[int]:
    if method != "rdn":
        return integer_pagerank(rows) if method == "rpn" else [1] * rows.n
    weight = [0] * rows.n
    for (u, v), w in zip(rows.ends, rows.weights() if weighted else [1] * rows.m, strict=True):
        weight[u] += w
        weight[v] += w
    return weight


def _share(target: int, group: list[Any], name: Any) -> int:
    """Number of vertices of a stratum: in proportion, the largest remainders rounded up."""
    names = sorted(set(group))
    exact = {each: Fraction(target * group.count(each), len(group)) for each in names}
    short = target - sum(floor(share) for share in exact.values())
    up = sorted(names, key=lambda each: floor(exact[each]) - exact[each])[:short]
    return floor(exact[name]) + (name in up)


def integer_pagerank(rows: Rows) -> list[int]:
    """PageRank in units of 2^-62 by integers, 100 steps."""
    n, damping = rows.n, 2**64 * 85 // 100
    x = [2**62 // n] * n
    for _ in range(100):
        share = [each // len(row) if row else 0 for each, row in zip(x, rows.near, strict=True)]
        lost = sum(each for each, row in zip(x, rows.near, strict=True) if not row)
        base = 2**62 * 15 // (100 * n) + (lost * damping >> 64) // n
        x = [base + (sum(share[u] for u in row) * damping >> 64) for row in rows.near]
    return x


def _edge_keys(rows: Rows, method: str, seed: int, mix: Fraction, weighted: bool) -> list[int]:
    n, m = rows.n, rows.m
    weights = rows.weights() if weighted else [1] * m
    part = floor(2**32 * mix)
    keys = []
    for e, ((low, high), copy) in enumerate(zip(rows.ends, rows.edges.copy.tolist(), strict=True)):
        runners = []
        if method in ("re", "ties") and weights[e]:
            runners.append((keyed.TAG_EDGE, low, high, lg(weights[e])))
        if method == "rne" or (method == "hyb" and part > 0):
            share = 0 if method == "rne" else lg(part) - 32 * 2**40 - lg(n)
            runners.append((keyed.TAG_ARC, low, high, share - lg(len(rows.near[low]))))
            runners.append((keyed.TAG_ARC, high, low, share - lg(len(rows.near[high]))))
        if method == "hyb" and part < 2**32:
            runners.append((keyed.TAG_EDGE, low, high, lg(2**32 - part) - 32 * 2**40 - lg(m)))
        made = [race_key(*words(seed, i, j, copy, tag), weight) for tag, i, j, weight in runners]
        keys.append(min(made, default=NEVER))
    return keys


def _neighbours(rows: Rows, seed: int, size: Any, starts: int | None) -> ReferenceSample:
    centres = by_priority(range(rows.n), seed)
    target = rows.n if starts is not None else target_size(size, rows.n)
    came: list[int] = []
    for c in centres[:starts]:
        new = sorted({c, *rows.near[c]} - set(came))
        if len(came) + len(new) > target:
            break
        came += new
    if not came:
        c = centres[0]
        came = [c, *by_priority(set(rows.near[c]), seed)[: target - 1]]
    return rows.draw(came, None, 0 if starts is not None else target)


def verify_race(graph: Graph, sample: Any) -> None:
    """Check a race's sample: nothing left out comes before what was taken, and nothing more would fit.

    Times are floating-point logarithms of the keyed numbers, divided by the weights.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    request, n = sample.selection.request, graph.num_vertices
    inside, edges = inside_of(graph, sample), EdgeList.of(graph)
    induced = request.kind in ("vertices", "near") or request.keep == "induced"
    if induced:
        check_induced(graph, sample)
    if request.kind == "near":
        _verify_near(n, sample, edges, inside)
        return
    if request.kind == "vertices":
        weight = _vertex_weights(Rows(graph), sample.method, request.view.weighted)
        times = _times(sample.seed, np.arange(n), 0, 0, keyed.TAG_VERTEX, np.array(weight, np.float64))
        groups = [(np.ones(n, bool), request.target)]
        if request.strata is not None:
            groups = [(request.strata.code == i, k) for i, k in enumerate(request.strata.wanted)]
        for here, k in groups:
            _first(times[here], inside[here], k, "vertices")
        return
    times, taken = _edge_times(graph, sample, edges), np.isin(edges.rank, sample.edges)
    if request.target is None:
        if not induced:
            _first(times, taken, request.target_edges, "edges")
        return
    first = np.full(n, np.inf)
    np.minimum.at(first, edges.low, times)
    np.minimum.at(first, edges.high, times)
    _first(first, inside)
    _as_many_as_fit(first, inside, request.target)
    if not induced:
        limit = first[~inside].min(initial=np.inf)
        near = any(np.all(taken == (times < limit * slack)) for slack in (1 - CLOSE, 1 + CLOSE))
        expect(near, "its edges are not those that come before the next vertex")


# times are compared up to this, relatively: NumPy's logarithms may differ in the last bits
CLOSE = 1e-9


def _first(
    times: npt.NDArray[np.float64], taken: npt.NDArray[np.bool_], k: int | None = None, what: str = ""
) -> None:
    last, rest = times[taken].max(initial=0), times[~taken].min(initial=np.inf)
    if k is not None:
        wanted, many = min(k, np.count_nonzero(np.isfinite(times))), np.count_nonzero(taken)
        expect(many == wanted, f"{many} {what} instead of {wanted}")
    expect(last <= rest * (1 + CLOSE), f"something left out comes at {rest}, and what was taken up to {last}")
    expect(not np.any(np.isinf(times[taken])), "something of weight 0 was taken")


def _as_many_as_fit(first: npt.NDArray[Any], inside: npt.NDArray[np.bool_], target: int) -> None:
    count = int(np.count_nonzero(inside))
    rest = first[~inside]
    more = int(np.count_nonzero(rest == rest.min())) if len(rest) and np.isfinite(rest.min()) else target + 1
    expect(count <= target < count + more, f"{count} vertices for a target of {target}, and {more} come next")


def _number(seed: int, i: Any, j: Any, k: Any, tag: int) -> npt.NDArray[np.uint64]:
    x = keyed.philox4x32(i, j, k, tag, seed)
    return x[0].astype(np.uint64) | x[1].astype(np.uint64) << np.uint64(32)


def _times(seed: int, i: Any, j: Any, k: Any, tag: int, weight: Any) -> npt.NDArray[np.float64]:
    x = (_number(seed, i, j, k, tag) | np.uint64(1)).astype(np.float64) / 2**64
    with np.errstate(divide="ignore"):
        return np.where(np.asarray(weight) > 0, -np.log2(x) / weight, np.inf)


def _edge_times(graph: Graph, sample: Any, edges: EdgeList) -> npt.NDArray[np.float64]:
    method, seed = sample.method, sample.seed
    low, high, copy, m = edges.low, edges.high, edges.copy, len(edges.low)
    d = np.bincount(np.append(low, high), minlength=graph.num_vertices)
    w = np.array(edges.weights(graph)) / 2**40 if sample.selection.request.view.weighted else np.ones(m)
    by_edge = _times(seed, low, high, copy, keyed.TAG_EDGE, w)
    if method in ("re", "ties"):
        return by_edge
    up = _times(seed, low, high, copy, keyed.TAG_ARC, 1 / d[low])
    down = _times(seed, high, low, copy, keyed.TAG_ARC, 1 / d[high])
    by_ends = np.minimum(up, down)
    if method == "rne":
        return by_ends
    mix = floor(2**32 * sample.selection.request.mix) / 2**32
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = by_ends * graph.num_vertices / mix if mix > 0 else np.full(m, np.inf)
        own = by_edge * m / (1 - mix) if mix < 1 else np.full(m, np.inf)
    return np.minimum(ends, own)


def _verify_near(n: int, sample: Any, edges: EdgeList, inside: npt.NDArray[np.bool_]) -> None:
    request, never = sample.selection.request, np.uint64(NEVER)
    priority = _number(sample.seed, np.arange(n), 0, 0, keyed.TAG_VERTEX)
    if request.starts is not None:
        chosen = np.isin(np.arange(n), np.lexsort((np.arange(n), priority))[: request.starts])
        covered = chosen.copy()
        covered[edges.low[chosen[edges.high]]] = True
        covered[edges.high[chosen[edges.low]]] = True
        expect(np.array_equal(covered, inside), "its vertices are not the centres and their neighbours")
        return
    first = priority.copy()
    np.minimum.at(first, edges.low, priority[edges.high])
    np.minimum.at(first, edges.high, priority[edges.low])
    alone = first == first.min()
    if np.count_nonzero(alone) > request.target:
        others = np.where(alone, priority, never)
        others[int(np.argmin(priority))] = 0
        expect(
            np.count_nonzero(inside) == request.target and not np.any(inside & ~alone),
            "the first centre's neighbours are too many: the target's number of them is needed",
        )
        expect(
            others[inside].max() <= others[~inside].min(initial=never),
            "they are not the neighbours of smallest priority",
        )
        return
    expect(first[inside].max() <= first[~inside].min(initial=never), "a centre was passed over")
    _as_many_as_fit(first.astype(np.float64), inside, request.target)
