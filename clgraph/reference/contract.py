"""Contraction, slow and obviously right: drawn edges are contracted one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import scipy.sparse.csgraph as csgraph

from clgraph import keyed
from clgraph.arguments import shown, target_size
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph
from clgraph.reference.checks import check_result
from clgraph.reference.components import in_largest_component
from clgraph.reference.sampling import EdgeList, ReferenceSample

if TYPE_CHECKING:
    from clgraph.sampling.result import Sample

METHODS = ("cre", "crve")


class _Contracting:
    """The current simple graph: which vertex each original one has become, and the pairs that are joined."""

    def __init__(self, graph: Graph, method: str, seed: int) -> None:
        self.method, self.seed, self.step = method, seed, 0
        self.edges = EdgeList.of(graph)
        inside = in_largest_component(graph.undirected)
        self.group = np.where(inside, np.arange(graph.num_vertices), -1).astype(np.int32)

    @property
    def live(self) -> npt.NDArray[np.int64]:
        return np.flatnonzero(self.group == np.arange(len(self.group)))

    def pairs(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """(pairs of groups that an edge joins, as rows (low, high) in order; the smallest rank for each)."""
        e = self.edges
        a, b = self.group[e.low], self.group[e.high]
        apart = (a != b) & (a >= 0)
        both = np.stack((np.minimum(a, b), np.maximum(a, b)), axis=1)[apart]
        pairs, first = np.unique(both, axis=0, return_index=True)
        return pairs, e.rank[apart][first]  # the first of equals, and ranks ascend

    def draws(self) -> Iterator[tuple[int, int]]:
        """The edges drawn in this step, one after the other."""
        live, (pairs, _) = self.live, self.pairs()
        arcs = np.concatenate((pairs, pairs[:, ::-1]))
        arcs = arcs[np.lexsort((arcs[:, 1], arcs[:, 0]))]  # a CSR: ascending rows, ascending in each
        begin = np.searchsorted(arcs[:, 0], live)
        end = np.searchsorted(arcs[:, 0], live, side="right")
        number = 0
        while True:
            first_bits, second_bits = keyed.draw(self.seed, self.step, np.arange(number, number + 256))
            if self.method == "cre":
                slots = keyed.below(first_bits, len(arcs))
            else:
                v = keyed.below(first_bits, len(live))
                slots = begin[v] + keyed.below(second_bits, end[v] - begin[v])
            yield from arcs[slots].tolist()
            number += 256

    def contract(self, count: int) -> None:
        """Contract drawn edges until this many vertices are gone."""
        now = {v: v for v in self.live.tolist()}
        for u, v in self.draws():
            a, b = _find(now, u), _find(now, v)
            if a != b:
                now[max(a, b)] = min(a, b)
                count -= 1
            if count == 0:
                break
        became = {v: _find(now, v) for v in now}
        self.group = np.array([became.get(g, -1) for g in self.group.tolist()], dtype=np.int32)
        self.step += 1


def _find(above: dict[int, int], v: int) -> int:
    while above[v] != v:
        v = above[v]
    return v


def reference_contract(
    graph: Graph, method: str, *, sizes: Sequence[float | int | str], seed: int, single: bool = False
) -> list[ReferenceSample]:
    """Contract by the definition, on the host.

    Parameters
    ----------
    graph : Graph
    method : {"cre", "crve"}
    sizes : sequence of float, int or str
        In decreasing order: samples of one run.
    seed : int
    single : bool
        One contraction at a time, each drawn in the graph that the one before it left (which is the law that
        batches come close to), instead of batches.

    Returns
    -------
    list of ReferenceSample
    """
    if method not in METHODS:
        raise InputError(f"unknown method {shown(method)}: reference_contract knows {', '.join(METHODS)}")
    if graph.num_vertices == 0:
        raise InputError("the graph has no vertices")
    state = _Contracting(graph, method, seed)
    made = []
    for size in sizes:
        target = target_size(size, graph.num_vertices)
        excess, step = len(state.live) - target, 0
        while (left := len(state.live) - target) > 0:
            share = max(Fraction(1, 2 ** (step + 1)), Fraction(3, 100))
            state.contract(1 if single else max(1, min(ceil(share * excess), left)))
            step += 1
        _, ranks = state.pairs()
        made.append(
            ReferenceSample(
                graph.ids[state.live], np.sort(ranks), target, iterations=state.step, group=state.group
            )
        )
    return made


def verify_contraction(graph: Graph, sample: Sample) -> None:
    """Check a contraction against its definition.

    The groups partition the largest component and are connected; there are exactly `target` of them (or the
    component is untouched); two are joined iff an original edge joins them, by the smallest such edge; the
    sample's graph is made of exactly them, weights and counts summed.

    Raises
    ------
    InputError
        If it is no such result, or its arrays are on a device.
    AssertionError
        What does not hold.
    """
    graph = check_result(graph, sample, "sample", vertices=("iuUO", 1), edges=("i", 1), group=("i?", 1))
    as_graph(sample.graph)
    n, group = graph.num_vertices, sample.group
    if group is None or group.shape != (n,):
        raise AssertionError("the sample has no group for every vertex")
    view = graph.undirected
    inside = in_largest_component(view)
    if not np.array_equal(group >= 0, inside):
        raise AssertionError("the groups do not partition the largest component")
    member = np.flatnonzero(inside)
    if group.max(initial=-1) >= n:
        raise AssertionError(f"vertex {int(np.argmax(group))} is in group {group.max()}, which no vertex is")
    smallest = np.full(n, n)
    np.minimum.at(smallest, group[member], member)
    if np.any(smallest[group[member]] != group[member]):
        raise AssertionError("a group does not bear the number of its smallest vertex")
    live = np.flatnonzero(group == np.arange(n))
    if len(live) != min(sample.target, len(member)):
        raise AssertionError(f"{len(live)} groups: the target is {sample.target}")

    tail, head = view.tails, view.col_idx
    same = (group[tail] == group[head]) & (group[tail] >= 0)
    ones = np.ones(int(np.count_nonzero(same)), dtype=np.int8)
    adjacency = sp.coo_array((ones, (tail[same], head[same])), shape=(n, n))
    _, labels = csgraph.connected_components(adjacency, directed=False)
    if np.any(labels[member] != labels[group[member]]):
        raise AssertionError("a group is not connected")

    edges = EdgeList.of(graph)
    a, b = group[edges.low], group[edges.high]
    apart = a != b  # an edge does not leave the component
    pair = (np.minimum(a, b).astype(np.int64) << 32 | np.maximum(a, b))[apart]
    pairs, first = np.unique(pair, return_index=True)
    if not np.array_equal(np.sort(edges.rank[apart][first]), sample.edges):
        raise AssertionError("the sample's edges are not the smallest ones that join two groups")

    made = sample.graph
    if not np.array_equal(made.ids, graph.ids[live]):
        raise AssertionError("sample.graph does not have the groups as its vertices")
    small = made.undirected
    if small.num_self_loops or small.is_multigraph:
        raise AssertionError("sample.graph has a loop or parallel edges")
    up = small.tails < small.col_idx
    got = live[small.tails[up]] << 32 | live[small.col_idx[up]]
    if not np.array_equal(got, pairs):
        raise AssertionError("sample.graph does not join the groups that an original edge joins")
    for name in ("weights", "multiplicity"):
        whole, mine = getattr(graph, name), getattr(made, name)
        if name == "weights" and (whole is None) != (mine is None):
            raise AssertionError("sample.graph has weights, or the original has, but not both")
        between = group[graph.tails] != group[graph.col_idx]
        total = np.count_nonzero(between) if whole is None else whole[between].sum()
        here = made.num_arcs if mine is None else mine.sum()
        if (whole is not None or name == "multiplicity") and not np.isclose(here, total):
            raise AssertionError(
                f"the {name} of sample.graph come to {here}, between the groups they are {total}"
            )
