"""The sampling methods, once: their names, kinds, options and papers.

`clgraph.sample` checks its arguments by this table, ``clgraph sample`` and ``clgraph methods`` have their
options and help from it, and the guide on samplers its list of options. Pure data, which loads nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

WHOLE_MAX = 2**31 - 1


class Option(NamedTuple):
    """An option of methods.

    Attributes
    ----------
    help : str
    takes : type, tuple of str, or str
        int, bool, or the words that it can be; in a word or two ("a probability") an exact number, which is
        read as its decimals say; "" what has a check of its own.
    default : object
        None: `help` says what holds instead.
    least, most : int or str
        The range of a number.
    ends : str
        Whether the ends of the range are in it, as intervals are written: "[]", "[)", "(]".
    command : bool
        Whether ``clgraph sample`` has it; arrays and results by array are of Python only.
    """

    help: str
    takes: Any = int
    default: Any = None
    least: int | str = 1
    most: int | str | None = WHOLE_MAX
    ends: str = "[]"
    command: bool = True

    @property
    def range(self) -> str:
        """Range of valid values, in words."""
        if isinstance(self.takes, tuple):
            return f"{', '.join(self.takes[:-1])} or {self.takes[-1]}"
        if self.takes is bool or not self.takes:
            return ""
        what = "a whole number" if self.takes is int else self.takes
        if self.ends == "(]":
            most = (
                f"2**{int(self.most).bit_length() - 1}"
                if isinstance(self.most, int) and self.most > 2
                else self.most
            )
            return f"{what} above {self.least}, at most {most}"
        if self.most is None or (self.takes is int and int(self.most) >= WHOLE_MAX):
            return f"{what}, {self.least} or more"
        return f"{what}, {self.least} to {self.most}" + (f", below {self.most}" if self.ends == "[)" else "")


_probability = partial(Option, takes="a probability", least=0, most=1)
_RESTART = _probability("The probability of a restart, or jump.", default="0.15", ends="[)")
_bias = partial(Option, takes="a number", default=1, least="0.0001", most=10_000)
_CHORDAL = "Edges in an order of the vertices, in parallel (ordered), or one vertex after the other (exact)."
_STARTS = "How many vertices it begins at."
_SPREADING = "All vertices of a stage at once (batched), or one after the other (exact)."

# every option that some methods read; `clgraph.sample` says more of each
OPTIONS = {
    "mode": Option(
        "auto (exact where it exists), exact or batched; chordal: ordered or exact.",
        ("auto", "exact", "batched"),
        "auto",
    ),
    "tolerance": Option(
        "By how many vertices a batch may undershoot (default: 0.001 of the size).",
        "a number of vertices",
        least=0,
        most=None,
    ),
    "components": Option(
        "How batched mode finds the largest component (default: afforest).", ("afforest", "bfs")
    ),
    "far_scan": Option("How the other slot of an edge is found (default: by device).", bool),
    "connection": Option("Which components count in a directed graph.", ("weak", "strong"), "weak"),
    "start": Option("Where to begin (default: drawn by the seed).", ""),
    "min_size": Option("Redraw a sample of fewer vertices, with the next seed.", ""),
    "mix": _probability("The probability of a vertex's edge (rne, drve), not any.", default="0.8"),
    "edges": Option("Number of edges (20% or a count), instead of the size.", ""),
    "starts": Option("How many centres, instead of the size.", int),
    "steps": Option("How many steps a walker makes, instead of the size.", int, most=2**40),
    "walkers": Option("How many walkers.", int, 1),
    "burn_in": Option("With steps: the first ones that do not count.", int, 0, least=0, most=2**40),
    "thin": Option("With steps: only one in this many counts.", int, 1, most=2**40),
    "patience": Option("Steps for each new vertex before a new start.", int, 1000),
    "walks": Option("With steps: keep the walks themselves.", "", False, command=False),
    "direction": Option("Which arcs of a directed graph are followed.", ("both", "out", "in"), "both"),
    "walks_per_vertex": Option("With steps: so many walkers begin at each vertex that has edges.", int),
    "p": _RESTART,
    "q": _probability("The probability of holding an edge that touches one.", default="0.7"),
    "closing": Option("Whether edges that close triangles are always held.", bool, False),
    "triangles": Option("What a triangle that an edge closes adds to its weight.", int, 9, least=0),
    "block": Option("How many edges are weighed together.", int, 1, most=2**25),
    "alpha": Option(
        "The weight of jumps (default: the mean degree, rounded up).",
        "a number",
        least=0,
        most=2**30,
        ends="(]",
    ),
    "c": Option("The degree below which a walk waits (default: the mean degree, rounded up).", int),
    "k": Option("How many neighbours each vertex names.", int, 50),
    "stages": Option("How many stages, instead of the size.", int, most=2**31),
    "r": _probability("With a direction: how likely arcs burn backward, as a factor of p.", default=0),
    "coupons": Option("How many others each vertex recruits.", int, 3),
    "share": _probability(
        "The share of a stage's arcs that is taken.", takes="a share", default="0.1", ends="(]"
    ),
    "powers": Option("Powers of d_out, of the edge's weight and of d_in, each from -4 to 4.", "", (0, 0, 0)),
    "parts": Option("How many parts.", int, 16),
    "weighted": Option(
        "Sample by the edge weights that --weights reads (default: all edges alike).", bool, False
    ),
    "keep": Option(
        "All edges among the vertices, those drawn or walked, or those of first entry.",
        ("induced", "visited", "tree"),
    ),
    "strata": Option("A group for each vertex, each with its share of the size.", "", command=False),
}
# what an option is of one method, where that differs
_OWN = {
    ("ff", "p"): _probability(
        "The probability that one more neighbour burns (0.99: 99 of them on average).",
        most="0.99",
        default="0.7",
    ),
    ("node2vec", "p"): _bias("Back to the vertex before: by 1 / p of a step to a common neighbour."),
    ("node2vec", "q"): _bias("To a vertex that is no neighbour of the one before: by 1 / q."),
    ("gsh", "p"): _probability("The probability of holding an edge that touches none.", default="0.3"),
    ("mhrw", "alpha"): _probability("1 makes visits uniform, 0 gives rw.", default=1),
    ("rds", "starts"): Option(_STARTS, int, 10),
    ("chordal", "mode"): Option(_CHORDAL, ("auto", "ordered", "exact"), "auto"),
    **dict.fromkeys(
        (("snowball", "mode"), ("ff", "mode"), ("rds", "mode")),
        Option(_SPREADING, ("auto", "batched", "exact"), "auto"),
    ),
    ("gps", "edges"): Option("How many edges.", ""),
}


# as good as not given, whatever the method
UNSAID = {"mode": "auto", "connection": "weak"}


def option_of(method: str, name: str) -> Option:
    """Return an option as a method that reads it has it."""
    return _OWN.get((method, name), OPTIONS[name])


@dataclass(frozen=True)
class Method:
    """A sampling method.

    Attributes
    ----------
    names : tuple of str
        Its name in words, then littleballoffur's first, then others; all are taken like its short one.
    does : str
        What a step of it does, in a sentence.
    paper : str
    kind : str
        What it deletes or draws, a key of `KINDS`.
    options : tuple of str
        The options that it reads, besides size, seed and device.
    """

    names: tuple[str, ...]
    does: str
    paper: str
    kind: str
    options: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Its name in words."""
        return self.names[0]


_WALK = (
    *("start", "walkers", "steps", "burn_in", "thin", "patience", "keep", "direction", "walks"),
    "walks_per_vertex",
)
_STAGES = ("start", "mode", "keep", "direction")

_SOURCE = "Krishnamurthy, Faloutsos et al. 2007"
_LESKOVEC = "Leskovec, Faloutsos 2006"
_BATCHES = ("mode", "tolerance", "components", "far_scan", "connection", "min_size")

_deletion = partial(Method, kind="deletion", options=_BATCHES, paper=_SOURCE)
_contraction = partial(Method, kind="contraction", options=("min_size",), paper=_SOURCE)
_exploration = partial(Method, kind="exploration", options=("start", "min_size"), paper=_SOURCE)
_vertices = partial(Method, kind="vertices", options=("strata",), paper=_LESKOVEC)
_edges = partial(Method, kind="edges", paper=_LESKOVEC)
_walk = partial(Method, kind="walk", options=_WALK)
_stages = partial(Method, kind="stages")
_chordal = partial(Method, kind="chordal")
_stream = partial(Method, kind="stream")
# the order is that of tables and lists
METHODS: dict[str, Method] = {
    "drv": _deletion(("delete_vertices",), "a vertex, uniform among the vertices left, goes with its edges"),
    "dre": _deletion(("delete_edges",), "an edge, uniform among the edges left, goes"),
    "drve": _deletion(
        ("delete_vertex_edges",), "a vertex uniform, then an edge uniform among its edges left, goes"
    ),
    "dhyb": _deletion(
        ("delete_hybrid",), "a drve step with probability `mix`, else a dre step", options=(*_BATCHES, "mix")
    ),
    "cre": _contraction(
        ("contract_edges",),
        "an edge, uniform among the edges left, is contracted: its ends become one vertex",
    ),
    "crve": _contraction(
        ("contract_vertex_edges",),
        "a vertex uniform, then an edge uniform among its edges left, is contracted",
    ),
    "ebfs": _exploration(
        ("breadth_first", "BreadthFirstSearch"),
        "breadth-first from a random vertex, with the edges among the vertices reached",
    ),
    "edfs": _exploration(
        ("depth_first", "DepthFirstSearch"),
        "depth-first from a random vertex, with the edges among the vertices reached",
    ),
    "rn": _vertices(("random_vertices", "RandomNode"), "vertices, all with one probability"),
    "rdn": _vertices(
        ("vertices_by_degree", "DegreeBased"),
        "vertices in proportion to their degrees (weighted: to the weights of their edges)",
        options=("weighted", "strata"),
    ),
    "rpn": _vertices(("vertices_by_pagerank", "PageRankBased"), "vertices in proportion to their PageRank"),
    "re": _edges(
        ("random_edges", "RandomEdge"),
        "edges, all with one probability (weighted: in proportion to their weights)",
        options=("edges", "weighted", "keep"),
    ),
    "rne": _edges(
        ("random_vertex_edges", "RandomNodeEdge"),
        "repeatedly a vertex, then an edge of it",
        options=("edges", "keep"),
    ),
    "hyb": _edges(
        ("hybrid_edges", "HybridNodeEdge"),
        "with probability `mix` as rne, else as re",
        options=("edges", "mix", "keep"),
    ),
    "ties": Method(
        ("edges_with_induction", "RandomEdgeWithInduction"),
        "edges in random order bring their ends; then all edges among these",
        "Ahmed, Neville, Kompella 2011 (ES-i)",
        "ties",
    ),
    "rnn": Method(
        ("vertices_with_neighbors", "RandomNodeNeighbor"),
        "vertices in random order, each with all its neighbours",
        _LESKOVEC,
        "near",
        options=("starts",),
    ),
    "rw": _walk(
        ("random_walk", "RandomWalk", "LoopErasedRandomWalk"),
        "to a neighbour, all with one probability (weighted: in proportion to the weights)",
        "Leskovec, Faloutsos 2006; Gjoka et al. 2010",
        options=(*_WALK, "weighted"),
    ),
    "rwr": _walk(
        ("random_walk_with_restart", "RandomWalkWithRestart"),
        "with probability `p` back to the start, else as rw",
        _LESKOVEC,
        options=(*_WALK, "p", "weighted"),
    ),
    "rj": _walk(
        ("random_jump", "RandomWalkWithJump"),
        "with probability `p` to any vertex, else as rw",
        _LESKOVEC,
        options=(*_WALK, "p", "weighted"),
    ),
    "rwj": _walk(
        ("random_walk_with_jumps",),
        "with probability alpha / (d + alpha) to any vertex, else as rw",
        "Avrachenkov, Ribeiro, Towsley 2010",
        options=(*_WALK, "alpha"),
    ),
    "mhrw": _walk(
        ("metropolis_hastings", "MetropolisHastingsRandomWalk"),
        "to a neighbour u, taken with probability min(1, d / d(u)) (alpha < 1: to the power of alpha)",
        "Gjoka et al. 2010; Li et al. 2015 (alpha)",
        options=(*_WALK, "alpha"),
    ),
    "gmd": _walk(
        ("maximum_degree_walk",),
        "stays with probability 1 - d / c where d < c, else as rw",
        "Bar-Yossef et al. 2000; Li et al. 2015",
        options=(*_WALK, "c"),
    ),
    "nbrw": _walk(
        ("non_backtracking_walk", "NonBackTrackingRandomWalk"),
        "as rw, but back where it came from only at dead ends",
        "Lee, Xu, Eun 2012",
    ),
    "mhda": _walk(
        ("metropolis_hastings_delayed",),
        "as mhrw, but prefers another neighbour to going back",
        "Lee, Xu, Eun 2012",
    ),
    "cnarw": _walk(
        ("common_neighbor_aware_walk", "CommonNeighborAwareRandomWalk"),
        "to neighbours that share few of their neighbours with the vertex",
        "Li et al. 2019",
    ),
    "cnrw": _walk(
        ("circulated_neighbors_walk", "CirculatedNeighborsRandomWalk"),
        "on re-entry by the same arc, takes a neighbour that it has not taken before",
        "Zhou, Zhang, Das 2015",
    ),
    "node2vec": _walk(
        ("node2vec_walk",),
        "as rw, but 1 / `p` times as likely back, and 1 / `q` times to no neighbour of the vertex before",
        "Grover, Leskovec 2016",
        options=(*_WALK, "p", "q", "weighted"),
    ),
    "fs": Method(
        ("frontier_sampling", "Frontier"),
        "of several walkers one moves at a time, chosen in proportion to the degree of where it is",
        "Ribeiro, Towsley 2010",
        "frontier",
        options=_WALK[:-2],
    ),
    "snowball": _stages(
        ("snowball", "SnowBall"),
        "each vertex of a stage names `k` neighbours at random",
        "Goodman 1961",
        options=(*_STAGES, "k", "stages"),
    ),
    "ff": _stages(
        ("forest_fire", "ForestFire"),
        "forest fire: each vertex burns a geometric number of unseen neighbours, p / (1 - p) on average",
        "Leskovec, Kleinberg, Faloutsos 2005; Leskovec, Faloutsos 2006",
        options=(*_STAGES, "p", "r"),
    ),
    "rds": _stages(
        ("respondent_driven",),
        "respondent-driven sampling: each vertex recruits `coupons` unseen neighbours",
        "Heckathorn 1997; Gile 2011 (weights)",
        options=(*_STAGES, "coupons", "starts"),
    ),
    "spikyball": Method(
        ("spikyball", "SpikyBall"),
        "of the arcs that leave a stage a `share`, in proportion to `powers` of degrees and weights",
        "Ricaud, Aspert, Miz 2020",
        "spikyball",
        options=("start", "keep", "direction", "share", "powers", "weighted"),
    ),
    "diffusion": Method(
        ("diffusion", "DiffusionSampler", "DiffusionTreeSampler"),
        "a random seen vertex adds a random neighbour, repeatedly",
        "Rozemberczki, Sarkar 2018",
        "passage",
        options=("start", "keep"),
    ),
    "xsn": Method(
        ("expansion_snowball", "CommunityStructureExpansion"),
        "expansion snowball: the neighbour of the sample that has most neighbours outside it",
        "Maiya, Berger-Wolf 2010",
        "expansion",
        options=("start", "keep"),
    ),
    "sp": Method(
        ("shortest_paths", "ShortestPath"),
        "shortest paths between random pairs: the edges that most of them use",
        "Rezvanian, Meybodi 2015",
        "paths",
        options=("keep",),
    ),
    "ust": Method(
        ("uniform_spanning_tree",),
        "a uniform spanning tree, of each component; with `size` its branches to some vertices",
        "Wilson 1996; Propp, Wilson 1998",
        "tree",
        options=("start", "keep"),
    ),
    "chordal": _chordal(
        ("chordal",),
        "all vertices, and edges without a cycle of 4 or more that has no chord",
        "Dearing, Shier, Warner 1988 (exact); Halappanavar et al. 2012 (ordered)",
        options=("mode",),
    ),
    "quasi-chordal": _chordal(
        ("quasi_chordal",),
        "a maximal chordal subgraph of each of `parts`, and edges between these that close triangles with it",
        "Dempsey, Duraisamy, Ali, Bhowmick 2011, 2012",
        options=("parts",),
    ),
    "pies": _stream(
        ("partially_induced_edges", "RandomEdgeWithPartialInduction", "WithPartialInduction"),
        "a stream's vertices, replaced at random as edges come, and the edges among them from then on",
        "Ahmed, Neville, Kompella 2014",
    ),
    "gsh": _stream(
        ("graph_sample_and_hold",),
        "edges of a stream: with probability `q` where they touch one that is held, else with `p`",
        "Ahmed, Duffield, Neville, Kompella 2014",
        options=("p", "q", "closing"),
    ),
    "gps": _stream(
        ("graph_priority_sampling",),
        "a number of a stream's edges by priority: 1 + `triangles` for each triangle they close, or weights",
        "Ahmed, Duffield, Willke, Rossi 2017",
        options=("edges", "triangles", "block", "weighted"),
    ),
}
REDUCTIONS = {
    name: method
    for name, method in METHODS.items()
    if method.kind in ("deletion", "contraction", "exploration")
}
LITERATURE = {name: method for name, method in METHODS.items() if name not in REDUCTIONS}
EXACT = ("drv", "dre")
CONTRACTING = ("cre", "crve")
EXPLORING = ("ebfs", "edfs")
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


def is_common(name: str) -> bool:
    """True if the default method reads an option, or methods of three kinds do."""
    kinds = {method.kind for method in METHODS.values() if name in method.options}
    return name in METHODS["drv"].options or (len(kinds) > 2 and agreed(name))


def agreed(name: str) -> bool:
    """True if an option is the same of all methods that read it."""
    return all(other != name for _, other in _OWN)


def _plain(name: str) -> str:
    # littleballoffur has it in the middle of names, too: RandomEdgeSamplerWithInduction
    return re.sub("[ _-]", "", name.lower()).replace("sampler", "", 1)


ALIASES = {_plain(name): short for short, method in METHODS.items() for name in (*method.names, short)}


def plain_method(method: Any) -> Any:
    """Return a method's short name, given any of its names; other words are only converted to lower case."""
    if not isinstance(method, str):
        return method
    return ALIASES.get(_plain(method), method.lower())


def known(method: object) -> str | None:
    """Return the short name of a sampler of the literature, given any of its names, or None."""
    short = plain_method(method)
    return short if isinstance(short, str) and short in LITERATURE else None
