"""The sampling methods: their names, kinds, options and papers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Method:
    """A sampling method.

    Attributes
    ----------
    words : str
        Its name in words, taken wherever its short one is.
    kind : str
        What it deletes or draws, a key of `KINDS`.
    does : str
        In a sentence.
    options : tuple of str
        The options that it reads, besides size, seed and device.
    paper : str
    also : tuple of str
        Other names: those of littleballoffur first.
    """

    words: str
    kind: str
    does: str
    options: tuple[str, ...]
    paper: str
    also: tuple[str, ...] = ()


_WALK = ("start", "walkers", "steps", "burn_in", "thin", "patience", "keep", "direction", "walks")
_STAGES = ("start", "mode", "keep", "direction")

_SOURCE = "Krishnamurthy, Faloutsos et al. 2007"
_BATCHES = ("mode", "tolerance", "components", "far_scan", "connection", "min_size")

REDUCTIONS = {
    "drv": Method(
        "delete_vertices",
        "deletion",
        "a vertex, uniform among the vertices left, goes with its edges",
        _BATCHES,
        _SOURCE,
    ),
    "dre": Method(
        "delete_edges", "deletion", "an edge, uniform among the edges left, goes", _BATCHES, _SOURCE
    ),
    "drve": Method(
        "delete_vertex_edges",
        "deletion",
        "a vertex uniform, then an edge uniform among its edges left, goes",
        _BATCHES,
        _SOURCE,
    ),
    "dhyb": Method(
        "delete_hybrid",
        "deletion",
        "a drve step with probability `mix`, else a dre step",
        (*_BATCHES, "mix"),
        _SOURCE,
    ),
    "cre": Method(
        "contract_edges",
        "contraction",
        "an edge, uniform among the edges left, is contracted: its ends become one vertex",
        ("min_size",),
        _SOURCE,
    ),
    "crve": Method(
        "contract_vertex_edges",
        "contraction",
        "a vertex uniform, then an edge uniform among its edges left, is contracted",
        ("min_size",),
        _SOURCE,
    ),
    "ebfs": Method(
        "breadth_first",
        "exploration",
        "breadth-first from a random vertex, with the edges among the vertices reached",
        ("start", "min_size"),
        _SOURCE,
        ("BreadthFirstSearch",),
    ),
    "edfs": Method(
        "depth_first",
        "exploration",
        "depth-first from a random vertex, with the edges among the vertices reached",
        ("start", "min_size"),
        _SOURCE,
        ("DepthFirstSearch",),
    ),
}
EXACT = ("drv", "dre")
CONTRACTING = ("cre", "crve")
EXPLORING = ("ebfs", "edfs")

LITERATURE = {
    "rn": Method(
        "random_vertices",
        "vertices",
        "vertices, all with one probability",
        ("strata",),
        "Leskovec, Faloutsos 2006",
        ("RandomNode",),
    ),
    "rdn": Method(
        "vertices_by_degree",
        "vertices",
        "vertices in proportion to their degrees (weighted: to the weights of their edges)",
        ("weighted", "strata"),
        "Leskovec, Faloutsos 2006",
        ("DegreeBased",),
    ),
    "rpn": Method(
        "vertices_by_pagerank",
        "vertices",
        "vertices in proportion to their PageRank",
        ("strata",),
        "Leskovec, Faloutsos 2006",
        ("PageRankBased",),
    ),
    "re": Method(
        "random_edges",
        "edges",
        "edges, all with one probability (weighted: in proportion to their weights)",
        ("edges", "weighted", "keep"),
        "Leskovec, Faloutsos 2006",
        ("RandomEdge",),
    ),
    "rne": Method(
        "random_vertex_edges",
        "edges",
        "a vertex, then an edge of it, again and again",
        ("edges", "keep"),
        "Leskovec, Faloutsos 2006",
        ("RandomNodeEdge",),
    ),
    "hyb": Method(
        "hybrid_edges",
        "edges",
        "with probability `mix` as rne, else as re",
        ("edges", "mix", "keep"),
        "Leskovec, Faloutsos 2006",
        ("HybridNodeEdge",),
    ),
    "ties": Method(
        "edges_with_induction",
        "ties",
        "edges in random order bring their ends; then all edges among these",
        (),
        "Ahmed, Neville, Kompella 2011 (ES-i)",
        ("RandomEdgeWithInduction",),
    ),
    "rnn": Method(
        "vertices_with_neighbors",
        "near",
        "vertices in random order, each with all its neighbours",
        ("starts",),
        "Leskovec, Faloutsos 2006",
        ("RandomNodeNeighbor",),
    ),
    "rw": Method(
        "random_walk",
        "walk",
        "to a neighbour, all with one probability (weighted: in proportion to the weights)",
        (*_WALK, "weighted"),
        "Leskovec, Faloutsos 2006; Gjoka et al. 2010",
        ("RandomWalk", "LoopErasedRandomWalk"),
    ),
    "rwr": Method(
        "random_walk_with_restart",
        "walk",
        "with probability `p` back to the start, else as rw",
        (*_WALK, "p", "weighted"),
        "Leskovec, Faloutsos 2006",
        ("RandomWalkWithRestart",),
    ),
    "rj": Method(
        "random_jump",
        "walk",
        "with probability `p` to any vertex, else as rw",
        (*_WALK, "p", "weighted"),
        "Leskovec, Faloutsos 2006",
        ("RandomWalkWithJump",),
    ),
    "rwj": Method(
        "random_walk_with_jumps",
        "walk",
        "with probability alpha / (d + alpha) to any vertex, else as rw",
        (*_WALK, "alpha"),
        "Avrachenkov, Ribeiro, Towsley 2010",
    ),
    "mhrw": Method(
        "metropolis_hastings",
        "walk",
        "to a neighbour u, taken with probability min(1, d / d(u)) (alpha < 1: to the power of alpha)",
        (*_WALK, "alpha"),
        "Gjoka et al. 2010; Li et al. 2015 (alpha)",
        ("MetropolisHastingsRandomWalk",),
    ),
    "gmd": Method(
        "maximum_degree_walk",
        "walk",
        "stays with probability 1 - d / c where d < c, else as rw",
        (*_WALK, "c"),
        "Bar-Yossef et al. 2000; Li et al. 2015",
    ),
    "nbrw": Method(
        "non_backtracking_walk",
        "walk",
        "as rw, but back where it came from only at dead ends",
        _WALK,
        "Lee, Xu, Eun 2012",
        ("NonBackTrackingRandomWalk",),
    ),
    "mhda": Method(
        "metropolis_hastings_delayed",
        "walk",
        "as mhrw, but instead of back where it came from rather to another neighbour",
        _WALK,
        "Lee, Xu, Eun 2012",
    ),
    "cnarw": Method(
        "common_neighbor_aware_walk",
        "walk",
        "to neighbours that share few of their neighbours with the vertex",
        _WALK,
        "Li et al. 2019",
        ("CommonNeighborAwareRandomWalk",),
    ),
    "cnrw": Method(
        "circulated_neighbors_walk",
        "walk",
        "entered by the same arc again, to another neighbour than the last times",
        _WALK,
        "Zhou, Zhang, Das 2015",
        ("CirculatedNeighborsRandomWalk",),
    ),
    "fs": Method(
        "frontier_sampling",
        "frontier",
        "of several walkers one moves at a time, chosen in proportion to the degree of where it is",
        tuple(name for name in _WALK if name != "walks"),
        "Ribeiro, Towsley 2010",
        ("Frontier",),
    ),
    "snowball": Method(
        "snowball",
        "stages",
        "each vertex of a stage names `k` neighbours at random",
        (*_STAGES, "k", "stages"),
        "Goodman 1961",
        ("SnowBall",),
    ),
    "ff": Method(
        "forest_fire",
        "stages",
        "forest fire: each vertex burns a geometric number of unseen neighbours, p / (1 - p) on average",
        (*_STAGES, "p", "r"),
        "Leskovec, Kleinberg, Faloutsos 2005; Leskovec, Faloutsos 2006",
        ("ForestFire",),
    ),
    "rds": Method(
        "respondent_driven",
        "stages",
        "respondent-driven sampling: each vertex recruits `coupons` unseen neighbours",
        (*_STAGES, "coupons", "starts"),
        "Heckathorn 1997; Gile 2011 (weights)",
    ),
    "spikyball": Method(
        "spikyball",
        "spikyball",
        "of the arcs that leave a stage a `share`, in proportion to `powers` of degrees and weights",
        ("start", "keep", "direction", "share", "powers", "weighted"),
        "Ricaud, Aspert, Miz 2020",
        ("SpikyBall",),
    ),
    "diffusion": Method(
        "diffusion",
        "passage",
        "a seen vertex at random takes a neighbour at random, again and again",
        ("start", "keep"),
        "Rozemberczki, Sarkar 2018",
        ("DiffusionSampler", "DiffusionTreeSampler"),
    ),
    "xsn": Method(
        "expansion_snowball",
        "expansion",
        "expansion snowball: of the sample's neighbours the one with most neighbours elsewhere",
        ("start", "keep"),
        "Maiya, Berger-Wolf 2010",
        ("CommunityStructureExpansion",),
    ),
    "sp": Method(
        "shortest_paths",
        "paths",
        "shortest paths between random pairs: the edges that most of them use",
        ("keep",),
        "Rezvanian, Meybodi 2015",
        ("ShortestPath",),
    ),
    "ust": Method(
        "uniform_spanning_tree",
        "tree",
        "a uniform spanning tree, of each component; with `size` its branches to some vertices",
        ("start", "keep"),
        "Wilson 1996; Propp, Wilson 1998",
    ),
    "chordal": Method(
        "chordal",
        "chordal",
        "all vertices, and edges without a cycle of 4 or more that has no chord",
        ("mode",),
        "Dearing, Shier, Warner 1988 (exact); Halappanavar et al. 2012 (ordered)",
    ),
    "quasi-chordal": Method(
        "quasi_chordal",
        "chordal",
        "a maximal chordal subgraph of each of `parts`, and edges between these that close triangles with it",
        ("parts",),
        "Dempsey, Duraisamy, Ali, Bhowmick 2011, 2012",
    ),
    "pies": Method(
        "partially_induced_edges",
        "stream",
        "a stream's vertices, replaced at random as edges come, and the edges among them from then on",
        (),
        "Ahmed, Neville, Kompella 2014",
        ("RandomEdgeWithPartialInduction", "WithPartialInduction"),
    ),
    "gsh": Method(
        "graph_sample_and_hold",
        "stream",
        "edges of a stream: with probability `q` where they touch one that is held, else with `p`",
        ("p", "q", "closing"),
        "Ahmed, Duffield, Neville, Kompella 2014",
    ),
    "gps": Method(
        "graph_priority_sampling",
        "stream",
        "a number of a stream's edges by priority: 1 + `triangles` for each triangle they close, or weights",
        ("edges", "triangles", "block", "weighted"),
        "Ahmed, Duffield, Willke, Rossi 2017",
    ),
}
METHODS = {**REDUCTIONS, **LITERATURE}
KINDS = {
    "deletion": "reduction by deletion",
    "contraction": "reduction by contraction",
    "exploration": "reduction by exploration",
    "vertices": "race of vertices",
    "edges": "race of edges",
    "ties": "race of edges, then induced",
    "near": "race of vertices with their neighbours",
    "walk": "random walk",
    "frontier": "random walk",
    "stages": "spreading",
    "spikyball": "spreading",
    "passage": "spreading",
    "expansion": "spreading",
    "paths": "shortest paths",
    "tree": "spanning tree",
    "chordal": "chordal subgraph",
    "stream": "stream of edges",
}
# those that say themselves how much they draw
UNSIZED = tuple(name for name, each in LITERATURE.items() if each.kind == "chordal" or name in ("gsh", "ust"))
STREAMS = tuple(name for name, method in LITERATURE.items() if method.kind == "stream")
# every option that some sampler of the literature reads
OPTIONS = tuple(dict.fromkeys(name for method in LITERATURE.values() for name in method.options))


def _plain(name: str) -> str:
    # littleballoffur has it in the middle of names, too: RandomEdgeSamplerWithInduction
    return re.sub("[ _-]", "", name.lower()).replace("sampler", "", 1)


ALIASES = {
    _plain(name): short for short, method in METHODS.items() for name in (*method.also, method.words, short)
}


def plain_method(method: Any) -> Any:
    """The short name of a method, by any of its names; a word that is none is only made small."""
    if not isinstance(method, str):
        return method
    return ALIASES.get(_plain(method), method.lower())


def known(method: object) -> str | None:
    """The short name of a sampler of the literature, by any of its names; None if it is none."""
    short = plain_method(method)
    return short if isinstance(short, str) and short in LITERATURE else None
