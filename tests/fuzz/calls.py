"""Calls of the public API with arguments that are right, odd and wrong.

Arguments are Python expressions, so that a case that failed can be read and typed in.
"""

import dataclasses
import math
import os
import re
import tempfile
import warnings
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import clgraph
from clgraph import Graph
from clgraph.reference import pagerank, reduction, samples, traversal
from fuzz.arguments import COUNTS, DEVICE, FRAMES, GRAPHS, HOST, LONG, NO_GRAPHS, ODD, RESULTS
from fuzz.case import Case, Failure
from fuzz.invariants import check_invariants


def call_case(kind, rng):
    """A call of one function: mostly good values, one or two odd ones, now and then a wrong name."""
    table = DEVICE if kind == "device" else HOST
    name = rng.choice(tuple(table))
    places, named = table[name]
    args = [rng.choice(values) for values in places]
    kwargs = {key: rng.choice(values) for key, values in named.items() if rng.random() < 0.35}
    for key in ("size", "steps", "directed"):
        if key in named and key not in kwargs:
            kwargs[key] = rng.choice(named[key])
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        key = rng.choice([*range(len(args)), *named])
        if key == 0 and places[0] is GRAPHS:
            value = rng.choice(GRAPHS if name in METHOD_CALLS else NO_GRAPHS)
        else:
            value = rng.choice(ODD)
        if value in LONG and (key in COUNTS or name.endswith("_graph")):
            value = "-1"
        if key == "tol" and value in ("0", "0.0", "-0.0", "5e-324"):
            value = "'x'"
        (args if isinstance(key, int) else kwargs)[key] = value
    if name.startswith("verify_"):
        change = args.pop(2)
        if rng.random() < 0.7:  # of the function that is checked, and mostly of the graph
            mine = [value for value in RESULTS if value.startswith(VERIFIERS[name][0])]
            args[1] = rng.choice(mine)
            if rng.random() < 0.7:
                args[0] = args[1][args[1].index("G(") : args[1].index(")") + 1]
        if change != "None":
            args[1] = f"changed({args[1]}, {change})"
    if name == "frame":
        frame = rng.choice(FRAMES) % (args[1], args[2])
        name, args = f"Graph.from_{'pandas' if frame.startswith('pd') else 'arrow'}", [frame]
    if rng.random() < 0.01:
        kwargs["nonsense"] = "1"
    if name in METHOD_CALLS:
        name = METHOD_CALLS[name].format(args.pop(0))
    return Case(kind, {}, {"call": name, "args": args, "kwargs": kwargs})


METHODS = ("subgraph", "edge_subgraph", "with_ids", "indices_of", "neighbors")
METHOD_CALLS = {name: f"{{}}.{name}" for name in METHODS} | {"whole": "whole({})"}
# of each verifier the function whose results it checks, and the module that it is in
VERIFIERS = {
    "verify_bfs": ("bfs(", traversal),
    "verify_components": ("connected_components(", traversal),
    "verify_pagerank": ("pagerank(", pagerank),
    "verify_ppr": ("personalized_pagerank(", pagerank),
    "verify_sample": ("sample(", samples),
    "verify_deletion": ("sample(", reduction),
    "verify_contraction": ("sample(", reduction),
    "verify_exploration": ("sample(", reduction),
}


def changed(result, change):
    """A result with something else in one of its fields; itself if it has no such field."""
    name, value = change
    names = [field.name for field in dataclasses.fields(result)]
    return dataclasses.replace(result, **{name: value}) if name in names else result


@cache
def graph_named(name):
    """Small graphs of all kinds."""
    one, two = [0, 1, 2, 3], [1, 2, 3, 4]
    make = Graph.from_edges
    return {
        "empty": lambda: make([], []),
        "one": lambda: make([], [], vertices=[0]),
        "isolated": lambda: make([], [], vertices=[0, 1, 2]),
        "edge": lambda: make([0], [1]),
        "loop": lambda: make([0], [0]),
        "path": lambda: make(one, two),
        "ring": lambda: make([0, 1, 2], [1, 2, 0]),
        "star": lambda: make([0] * 70, list(range(1, 71))),
        "names": lambda: make(["a", "b"], ["b", "c"]),
        "gaps": lambda: make([5, 2**40], [7, 5]),
        "weighted": lambda: make(one, two, weights=[0.5, 2.0, 1.0, 3.0]),
        "copies": lambda: make([0, 0, 1], [1, 1, 2], duplicates="keep"),
        "counts": lambda: make([0, 0, 1], [1, 1, 2], directed=True),
        "directed": lambda: make(one, two, directed=True),
        "cycle": lambda: make([0, 1, 2, 2], [1, 2, 0, 3], directed=True),
        "zero": lambda: make(one, two, weights=[0.0, -1.0, 0.0, 1.0], directed=True),
        "huge": lambda: make(one, two, weights=[1e308, 1e308, 5e-324, 1e308]),
        "blocks": lambda: make([0, 1, 3, 4, 4], [1, 2, 4, 5, 4], vertices=[9]),
    }[name]()


@cache
def shards_named(name):
    """The same graphs as datasets."""
    place = Path(tempfile.mkdtemp(dir=Path(_places().name)), "g.clgs")
    return clgraph.write_shards(graph_named(name), place, shard_edges=2)


@cache
def _places():
    return tempfile.TemporaryDirectory(prefix="fuzz-shards-")  # gone when the process ends


def spoiled(form, name, value):
    """A small SciPy matrix with one entry of an array changed after SciPy checked it."""
    matrix = sp.coo_array((np.ones(4), ([0, 1, 2, 3], [1, 2, 3, 0])), shape=(4, 4)).asformat(form)
    if form == "coo":
        matrix.coords = tuple(np.array(end, np.int64) for end in matrix.coords)
        matrix.coords[name == "col"][1] = value
        return matrix
    array = getattr(matrix, name).astype(np.float64 if name == "data" else np.int64)
    array[2 if name == "indptr" else 1] = value
    setattr(matrix, name, array)
    return matrix


def whole(graph):
    """Everything that can be asked of a graph without arguments."""
    for name in ("reverse", "undirected", "without_self_loops"):
        check_invariants(getattr(graph, name))
    check_invariants(graph.largest_component())
    return repr(graph), graph.to_edges(), graph.is_multigraph, graph.degrees, graph.num_duplicates


@cache
def names_known():
    """What expressions may use."""
    import igraph
    import networkx
    import pandas
    import pyarrow

    known = {name: getattr(clgraph, name) for name in clgraph.__all__ if name not in ("Device", "get_device")}
    modules = {"np": np, "sp": sp, "pd": pandas, "pa": pyarrow, "nx": networkx, "ig": igraph, "math": math}
    own = {"G": graph_named, "S": shards_named, "P": Path, "spoiled": spoiled, "changed": changed}
    return {
        **known,
        **modules,
        **own,
        "clgraph": clgraph,
        "Decimal": Decimal,
        "Fraction": Fraction,
        "whole": lambda graph: lambda: whole(graph),
        "sharded_curve": clgraph.reduction_curve,
        "sharded_components": clgraph.connected_components,
        "sharded_ppr": clgraph.personalized_pagerank,
        **{f"sharded_{name}": known[name] for name in ("sample", "bfs", "bfs_many", "pagerank")},
        **{name: getattr(module, name) for name, (_, module) in VERIFIERS.items()},
        **dict.fromkeys(("graph_quality", "sample_quality"), clgraph.quality),
        **dict.fromkeys(("drawn", "walked", "stepped", "staged", "streamed"), clgraph.sample),
    }


def evaluate(text):
    """The value of an expression."""
    device = {"get_device": clgraph.get_device} if "get_device" in text else {}
    return eval(text, names_known() | device)


def run_call(case, folder):
    """Whether the call was taken; anything raised that is no ClgraphError comes through."""
    os.chdir(folder)
    (folder / "g.txt").write_bytes(b"0 1\n1 2\n")
    what = case.what
    names_known()  # what is wrong with these names is no refusal
    try:
        args = [evaluate(text) for text in what["args"]]
        kwargs = {key: evaluate(text) for key, text in what["kwargs"].items()}
        call = evaluate(what["call"])
    except Exception:
        return False  # what the others refuse to make
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = call(*args, **kwargs)
        for each in result if isinstance(result, clgraph.Samples) else [result]:
            graph = getattr(each, "graph", each)
            if isinstance(graph, clgraph.Graph):
                check_invariants(graph)
    except clgraph.ClgraphError:
        return False
    except TypeError as error:
        if not re.search("unexpected keyword argument|required|positional argument", str(error)):
            raise
        return False
    except AssertionError as error:
        if what["call"].startswith("verify"):
            return False
        raise Failure("raw", f"AssertionError: {error}") from error
    return True
