"""The samplers of the literature: their names, kinds, options and papers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """A sampler.

    Attributes
    ----------
    kind : str
        What it draws, a key of `KINDS`.
    does : str
        In a sentence.
    options : tuple of str
        The options that it reads, besides size, seed and device.
    paper : str
    also : tuple of str
        Other names: those of littleballoffur first.
    """

    kind: str
    does: str
    options: tuple[str, ...]
    paper: str
    also: tuple[str, ...] = ()


_WALK = ("start", "walkers", "steps", "burn_in", "thin", "patience", "keep", "direction", "walks")
_STAGES = ("start", "mode", "keep", "direction")

METHODS = {
    "rn": Method(
        "vertices",
        "vertices, all with one probability",
        ("strata",),
        "Leskovec, Faloutsos 2006",
        ("RandomNode",),
    ),
    "rdn": Method(
        "vertices",
        "vertices in proportion to their degrees (weighted: to the weights of their edges)",
        ("weighted", "strata"),
        "Leskovec, Faloutsos 2006",
        ("DegreeBased",),
    ),
    "rpn": Method(
        "vertices",
        "vertices in proportion to their PageRank",
        ("strata",),
        "Leskovec, Faloutsos 2006",
        ("PageRankBased",),
    ),
    "re": Method(
        "edges",
        "edges, all with one probability (weighted: in proportion to their weights)",
        ("edges", "weighted", "keep"),
        "Leskovec, Faloutsos 2006",
        ("RandomEdge",),
    ),
    "rne": Method(
        "edges",
        "a vertex, then an edge of it, again and again",
        ("edges", "keep"),
        "Leskovec, Faloutsos 2006",
        ("RandomNodeEdge",),
    ),
    "hyb": Method(
        "edges",
        "with probability `mix` as rne, else as re",
        ("edges", "mix", "keep"),
        "Leskovec, Faloutsos 2006",
        ("HybridNodeEdge",),
    ),
    "ties": Method(
        "ties",
        "edges in random order bring their ends; then all edges among these",
        (),
        "Ahmed, Neville, Kompella 2011 (ES-i)",
        ("RandomEdgeWithInduction",),
    ),
    "rnn": Method(
        "near",
        "vertices in random order, each with all its neighbours",
        ("starts",),
        "Leskovec, Faloutsos 2006",
        ("RandomNodeNeighbor",),
    ),
    "rw": Method(
        "walk",
        "to a neighbour, all with one probability (weighted: in proportion to the weights)",
        (*_WALK, "weighted"),
        "Leskovec, Faloutsos 2006; Gjoka et al. 2010",
        ("RandomWalk", "LoopErasedRandomWalk"),
    ),
    "rwr": Method(
        "walk",
        "with probability `p` back to the start, else as rw",
        (*_WALK, "p", "weighted"),
        "Leskovec, Faloutsos 2006",
        ("RandomWalkWithRestart",),
    ),
    "rj": Method(
        "walk",
        "with probability `p` to any vertex, else as rw",
        (*_WALK, "p", "weighted"),
        "Leskovec, Faloutsos 2006",
        ("RandomWalkWithJump",),
    ),
    "rwj": Method(
        "walk",
        "with probability alpha / (d + alpha) to any vertex, else as rw",
        (*_WALK, "alpha"),
        "Avrachenkov, Ribeiro, Towsley 2010",
    ),
    "mhrw": Method(
        "walk",
        "to a neighbour u, taken with probability min(1, d / d(u)) (alpha < 1: to the power of alpha)",
        (*_WALK, "alpha"),
        "Gjoka et al. 2010; Li et al. 2015 (alpha)",
        ("MetropolisHastingsRandomWalk",),
    ),
    "gmd": Method(
        "walk",
        "stays with probability 1 - d / c where d < c, else as rw",
        (*_WALK, "c"),
        "Bar-Yossef et al. 2000; Li et al. 2015",
    ),
    "nbrw": Method(
        "walk",
        "as rw, but back where it came from only at dead ends",
        _WALK,
        "Lee, Xu, Eun 2012",
        ("NonBackTrackingRandomWalk",),
    ),
    "mhda": Method(
        "walk",
        "as mhrw, but instead of back where it came from rather to another neighbour",
        _WALK,
        "Lee, Xu, Eun 2012",
    ),
    "cnarw": Method(
        "walk",
        "to neighbours that share few of their neighbours with the vertex",
        _WALK,
        "Li et al. 2019",
        ("CommonNeighborAwareRandomWalk",),
    ),
    "cnrw": Method(
        "walk",
        "entered by the same arc again, to another neighbour than the last times",
        _WALK,
        "Zhou, Zhang, Das 2015",
        ("CirculatedNeighborsRandomWalk",),
    ),
    "fs": Method(
        "frontier",
        "of several walkers one moves at a time, chosen in proportion to the degree of where it is",
        tuple(name for name in _WALK if name != "walks"),
        "Ribeiro, Towsley 2010",
        ("Frontier",),
    ),
    "snowball": Method(
        "stages",
        "each vertex of a stage names `k` neighbours at random",
        (*_STAGES, "k", "stages"),
        "Goodman 1961",
        ("SnowBall",),
    ),
    "ff": Method(
        "stages",
        "forest fire: each vertex burns a geometric number of unseen neighbours, p / (1 - p) on average",
        (*_STAGES, "p", "r"),
        "Leskovec, Kleinberg, Faloutsos 2005; Leskovec, Faloutsos 2006",
        ("ForestFire",),
    ),
    "rds": Method(
        "stages",
        "respondent-driven sampling: each vertex recruits `coupons` unseen neighbours",
        (*_STAGES, "coupons", "starts"),
        "Heckathorn 1997; Gile 2011 (weights)",
    ),
    "spikyball": Method(
        "spikyball",
        "of the arcs that leave a stage a `share`, in proportion to `powers` of degrees and weights",
        ("start", "keep", "direction", "share", "powers", "weighted"),
        "Ricaud, Aspert, Miz 2020",
        ("SpikyBall",),
    ),
    "diffusion": Method(
        "passage",
        "a seen vertex at random takes a neighbour at random, again and again",
        ("start", "keep"),
        "Rozemberczki, Sarkar 2018",
        ("DiffusionSampler", "DiffusionTreeSampler"),
    ),
    "xsn": Method(
        "expansion",
        "expansion snowball: of the sample's neighbours the one with most neighbours elsewhere",
        ("start", "keep"),
        "Maiya, Berger-Wolf 2010",
        ("CommunityStructureExpansion",),
    ),
    "sp": Method(
        "paths",
        "shortest paths between random pairs: the edges that most of them use",
        ("keep",),
        "Rezvanian, Meybodi 2015",
        ("ShortestPath",),
    ),
    "ust": Method(
        "tree",
        "a uniform spanning tree, of each component; with `size` its branches to some vertices",
        ("start", "keep"),
        "Wilson 1996; Propp, Wilson 1998",
    ),
    "chordal": Method(
        "chordal",
        "all vertices, and edges without a cycle of 4 or more that has no chord",
        ("mode",),
        "Dearing, Shier, Warner 1988 (exact); Halappanavar et al. 2012 (ordered)",
    ),
    "quasi-chordal": Method(
        "chordal",
        "a maximal chordal subgraph of each of `parts`, and edges between these that close triangles with it",
        ("parts",),
        "Dempsey, Duraisamy, Ali, Bhowmick 2011, 2012",
    ),
    "pies": Method(
        "stream",
        "a stream's vertices, replaced at random as edges come, and the edges among them from then on",
        (),
        "Ahmed, Neville, Kompella 2014",
        ("RandomEdgeWithPartialInduction", "WithPartialInduction"),
    ),
    "gsh": Method(
        "stream",
        "edges of a stream: with probability `q` where they touch one that is held, else with `p`",
        ("p", "q", "closing"),
        "Ahmed, Duffield, Neville, Kompella 2014",
    ),
    "gps": Method(
        "stream",
        "a number of a stream's edges by priority: 1 + `triangles` for each triangle they close, or weights",
        ("edges", "triangles", "block", "weighted"),
        "Ahmed, Duffield, Willke, Rossi 2017",
    ),
}
KINDS = {
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
UNSIZED = tuple(name for name, each in METHODS.items() if each.kind == "chordal" or name in ("gsh", "ust"))
STREAMS = tuple(name for name, method in METHODS.items() if method.kind == "stream")
ALIASES = {name.lower(): short for short, method in METHODS.items() for name in (*method.also, short)}
# every option that some sampler reads
OPTIONS = tuple(dict.fromkeys(name for method in METHODS.values() for name in method.options))


def known(method: object) -> str | None:
    """The short name of a sampler of the literature, by any of its names; None if it is none."""
    if not isinstance(method, str):
        return None
    plain = method.lower()
    return ALIASES.get(plain) or ALIASES.get(plain.replace("sampler", "", 1))
