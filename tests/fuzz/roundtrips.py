"""Random graphs written and read again, through every format and every other library."""

import pickle
from pathlib import Path

import numpy as np

import clgraph
from clgraph import Graph
from clgraph.formats.table import find_format
from fuzz.case import Case, Failure
from fuzz.invariants import check_invariants, compare_edges, edges_of
from fuzz.texts import NAMES, weight

FILES = (
    *("g.txt", "g.tsv", "g.csv", "g.edges", "g.txt.gz", "g.csv.gz", "g.wel", "g.mtx", "g.mtx.gz", "g.graph"),
    *("g.metis.gz", "g.v", "g.e.gz", "g.gr", "g.jlg", "g.tgf", "g.sg", "g.wsg", "g.g500", "out.g", "g.net"),
    *("g.graph-txt", "g.graphml", "g.gexf.gz", "g.npz", "g.clg", "g.parquet", "g.arrow"),
)


def kept(name):
    """What a file of this name keeps besides edges and weights, by the table of formats.

    d: direction, v: vertices without edges, m: multiplicity, i: vertices by number only
    """
    form = find_format(Path(name), "konect" if name.startswith("out.") else None)
    isolated = "" if not form.has("isolated") else "v" if form.has("ids") else "i"
    return "d" * form.has("direction") + isolated + "m" * form.has("multiplicity")


# name of the file, or the library, -> what it keeps
FORMATS = {name: kept(name) for name in FILES}
FORMATS |= {"pickle": "dvm", "scipy": "i", "pandas": "m", "table": "dm", "networkx": "dv", "igraph": "dvm"}
EXPORTS = {name: getattr(Graph, f"to_{name}") for name in ("scipy", "pandas", "networkx", "igraph")}
EXPORTS |= {"pickle": pickle.dumps, "table": Graph.to_arrow}
ODD = (
    *("", " ", " a", "a ", "a b", "a\tb", "a,b", '"', 'a"b', "'", "#a", "%a", "a#b", "a%b", "a\nb", "a\rb"),
    *("\r", "\0", "a\0b", "\ufeff", "\ufeffa", "\u2028", "\x85", "a\x85", "\xa0", "a\x1cb", "\x1f", "\ud800"),
    *("-1", "1e5", "+1", "²", "Source", "TARGET", "weight", "node1", "node2", "\x7f", "\\", "\\N", "NA"),
    *("null", "e\u0301", "\u00e9", "﹟"),
)


def graph_case(kind, rng):
    """A graph by its edges, and the way that it takes."""
    text = rng.random() < 0.5
    if text:
        pool = rng.sample(NAMES + (ODD if rng.random() < 0.4 else ()), rng.randrange(1, 10))
    else:
        top = rng.choice((3, 5, 9, 30, 10**6, 2**40, 2**63))
        pool = list(range(min(top, 9))) if top < 31 else [rng.randrange(top) for _ in range(6)]
    count = rng.choice((0, 1, 1, 2, 3, 5, 9, 25))
    ends = [[rng.choice(pool) for _ in range(count)] for _ in range(2)]
    what = {"source": ends[0], "target": ends[1], "directed": rng.random() < 0.5}
    if rng.random() < 0.4:
        what["weights"] = [rng.choice((weight(rng), -0.0, 5e-324, 3.0)) for _ in range(count)]
    if rng.random() < 0.2:
        what["multiplicity"] = [rng.choice((1, 1, 2, 7, 2**20)) for _ in range(count)]
    elif rng.random() < 0.2:
        what["duplicates"] = "keep"
    if rng.random() < 0.3:
        what["vertices"] = rng.sample(pool, rng.randrange(len(pool) + 1))
        what["vertices"] += [] if text else [rng.randrange(40)]
    what["through"] = rng.choice(tuple(FORMATS))
    return Case(kind, {}, what)


def run_graph(case, folder):
    """Whether the graph could be written; raises `Failure` where it came back as another."""
    what = dict(case.what)
    through = what.pop("through")
    ends = {name: what[name] for name in ("source", "target", "vertices") if name in what}
    text = any(isinstance(name, str) for group in ends.values() for name in group)
    for name, group in ends.items():
        what[name] = np.array(group, object if text else np.int64)
    try:
        graph = clgraph.Graph.from_edges(what.pop("source"), what.pop("target"), **what)
    except clgraph.ClgraphError:
        return False
    check_invariants(graph, merged=what.get("duplicates") != "keep")
    try:
        again = _through(graph, through, folder)
    except Refused:
        return False
    check_invariants(again)
    keeps = FORMATS[through]
    if "d" in keeps and again.directed != graph.directed:
        raise Failure("lost", f"directed={graph.directed} became {again.directed}")
    if ("v" in keeps or "i" in keeps) and again.num_vertices != graph.num_vertices:
        raise Failure("lost", f"{graph.num_vertices} vertices became {again.num_vertices}")
    if "v" in keeps and sorted(again.ids.tolist()) != sorted(graph.ids.tolist()):
        raise Failure("lost", "ids of vertices changed")
    compare_edges(*(edges_of(each, by_index="i" in keeps) for each in (graph, again)))
    if "m" in keeps and _counts(graph) != _counts(again):
        raise Failure("lost", f"multiplicity {_counts(graph)} became {_counts(again)}")
    return True


class Refused(Exception):
    """The format cannot hold this graph, and says so."""


def _counts(graph):
    return sorted([] if graph.multiplicity is None else graph.multiplicity[graph.multiplicity > 1].tolist())


def _through(graph, name, folder):
    copies = graph.multiplicity is None and graph.num_duplicates > 0
    duplicates = "keep" if copies else "merge"
    if "." not in name:
        if copies and name == "scipy":
            raise Refused
        try:
            given = EXPORTS[name](graph)
        except clgraph.ClgraphError as error:
            raise Refused from error
        try:
            return _by_library(graph, name, duplicates, given)
        except clgraph.ClgraphError as error:
            raise Failure("lost", f"{name}: not taken back: {error}") from error
    how = {"weights": graph.weights is not None, "duplicates": duplicates}
    if "d" not in FORMATS[name]:
        how["directed"] = graph.directed
    if graph.ids.dtype == object and "i" not in FORMATS[name] and not name.endswith(".npz"):
        how["ids"] = "str"
    try:
        clgraph.write(graph, folder / name, format="konect" if name.startswith("out.") else None)
    except clgraph.ClgraphError as error:
        raise Refused from error
    if graph.num_arcs == 0 and "v" not in FORMATS[name] and "i" not in FORMATS[name]:
        raise Refused  # nothing was promised
    try:
        return clgraph.read(folder / name, **how)
    except clgraph.ClgraphError as error:
        raise Failure("lost", f"{name} was written and is refused: {error}") from error


def _by_library(graph, name, duplicates, given):
    if name == "pickle":
        return pickle.loads(given)
    weighted = graph.weights is not None
    if name == "scipy":
        return Graph.from_scipy(given, directed=graph.directed, weighted=weighted)
    if name in ("pandas", "table"):
        how = {
            "weight": "weight" if weighted else None,
            "multiplicity": None if graph.multiplicity is None else "multiplicity",
        }
        make = Graph.from_pandas if name == "pandas" else Graph.from_arrow
        return make(given, directed=graph.directed, duplicates=duplicates, **how)
    make = Graph.from_networkx if name == "networkx" else Graph.from_igraph
    return make(given, weight=weighted, duplicates=duplicates)
