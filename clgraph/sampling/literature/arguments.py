"""The options of the samplers of the literature, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clgraph.arguments import flag, shown, whole, word
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.sampling.literature.kinds import (
    chordal_values,
    gsh_size,
    stage_values,
    stream_values,
    walk_values,
)
from clgraph.sampling.literature.plan import METHODS, OPTIONS, Method
from clgraph.sampling.literature.strata import check_strata
from clgraph.sampling.literature.values import check_start, probability, target_of
from clgraph.sampling.literature.view import View
from clgraph.sampling.literature.wish import Wish
from clgraph.sizes import number_given, target_size

# what clgraph.sample takes for other methods: their defaults mean "not given"
OTHERS = {
    "mode": "auto",
    "connection": "weak",
    "tolerance": None,
    "components": None,
    "far_scan": None,
    "weight": None,
}
GROWING = ("passage", "expansion", "tree")  # what is visited is a tree there
KEEPS = ("induced", "visited", "tree")


def check_wish(graph: Graph, method: str, size: Any, strict: bool, options: Mapping[str, Any]) -> Wish:
    """Check the options of a sampler.

    Parameters
    ----------
    graph : Graph
        With at least one vertex.
    method : str
        Its short name.
    size : float, int, str, mapping, or None
    strict : bool
    options : mapping
        By name; None where not given.

    Raises
    ------
    InputError
        An option of another method, a value out of range, too many or too few sizes, ...
    """
    plan = METHODS[method]
    given = _own(plan, method, options)
    direction = word(given.get("direction", "both"), "direction", ("both", "out", "in"))
    weighted = flag(given.get("weighted", False), "weighted")
    view = View.of(graph, direction, weighted)
    values: dict[str, Any] = {"direction": direction}
    values["keep"] = _keep(plan, given)
    if "mix" in given:
        values["mix"] = probability("mix", given["mix"])
    if "starts" in given and plan.kind == "near":
        values["starts"] = whole(given["starts"], "starts", 1, graph.num_vertices)
    if "strata" in given:
        drawable = None
        if method == "rdn":
            drawable = (view.strengths if weighted else view.degrees) > 0
        values["strata"] = check_strata(graph, given["strata"], size, drawable)
    if plan.kind in ("walk", "frontier"):
        values |= walk_values(view, method, given)
    if plan.kind in ("stages", "spikyball"):
        values |= stage_values(view, method, given)
    if plan.kind in GROWING and "start" in given:
        values["start"] = check_start(view, given["start"])
    if plan.kind == "tree" and size is None:
        size = "100%"
    if plan.kind == "chordal":
        return Wish(method, view, **values, **chordal_values(view, method, size, options))
    if plan.kind == "stream":
        values |= stream_values(method, given)
        if method == "gsh":
            return Wish(method, view, **values, **gsh_size(size))
    if reachable(view, plan, method) == 0:
        raise InputError(
            f"the graph has no edges (loops and weights of 0 aside): {method} has nothing to draw"
        )
    values |= _how_much(graph, view, plan, method, size, given, strict)
    return Wish(method, view, **values)


def _own(plan: Method, method: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options given, all of them the method's own.

    Raises
    ------
    InputError
        If one is of other methods.
    """
    given = {name: value for name, value in options.items() if value is not None and name in OPTIONS}
    if given.get("mode") == "auto":
        del given["mode"]
    for name, default in OTHERS.items():
        if name in options and options[name] != default and name not in plan.options:
            raise InputError(f"{name} is of other methods than {method}: leave it out")
    for name in given:
        if name not in plan.options:
            users = ", ".join(short for short, each in METHODS.items() if name in each.options)
            raise InputError(f"{name} is not an option of {method}, but of {users}: leave it out")
    return given


def check_stream(method: str, size: Any, options: Mapping[str, Any]) -> Wish:
    """What to hold of a stream of which there is no graph; its size is a count.

    Raises
    ------
    InputError
        As `check_wish`.
    """
    plan = METHODS[method]
    given = _own(plan, method, options)
    values = stream_values(method, given)
    flag(given.get("weighted", False), "weighted")
    if method == "gsh":
        return Wish(method, None, "visited", **values, **gsh_size(size))
    name = "edges" if method == "gps" else "size"
    asked = given.get("edges", None) if method == "gps" else size
    if asked is None or (method == "gps" and size is not None):
        raise InputError(f"{method} takes {name}: how much shall be held?")
    number = number_given(asked) if not isinstance(asked, bool) else None
    least = 2 if method == "pies" else 1
    if isinstance(asked, (float, np.floating)) or number is None or number.denominator != 1 or number < least:
        raise InputError(
            f"{name}={shown(asked)}: how long a stream is, nobody knows; give a count, {least} or more"
        )
    if method == "gps":
        return Wish(method, None, "visited", size=asked, target_edges=int(number), **values)
    return Wish(method, None, "visited", size=asked, target=int(number), **values)


def _keep(plan: Method, given: Mapping[str, Any]) -> str:
    drawn = dict.fromkeys(("edges", "chordal", "stream"), "visited") | {"tree": "tree"}
    default = drawn.get(plan.kind, "induced")
    keep: str = word(given.get("keep", default), "keep", KEEPS)
    if keep == "visited" and plan.kind in GROWING:
        keep = "tree"
    if keep == "tree" and plan.kind in ("edges", "paths"):
        raise InputError("keep='tree' is of walks and spreading: edges that race, and paths, have no tree")
    return keep


def _how_much(
    graph: Graph, view: View, plan: Method, method: str, size: Any, given: Mapping[str, Any], strict: bool
) -> dict[str, Any]:
    """`size`, `target`, `target_edges` and notes."""
    names: list[str] = [name for name in ("edges", "steps", "stages") if name in plan.options]
    if plan.kind == "near":
        names.append("starts")
    asked = [name for name in names if name in given] + (["size"] if size is not None else [])
    if method == "gps" and asked != ["edges"]:
        raise InputError("gps takes edges: how many shall be held?")
    if len(asked) != 1:
        choice = " or ".join(["size", *names])
        found = f"{' and '.join(asked)} are given" if asked else "none is given"
        raise InputError(f"{method} takes one of {choice}, and {found}: how much shall be drawn?")
    notes: list[str] = []
    if asked[0] == "edges":
        m = view.rows.num_arcs // 2
        wanted = target_of(given["edges"], m, "edges", "edges")
        if wanted > m:
            _beyond(strict, notes, f"{wanted} edges are asked for, the graph has {m} without loops")
        return {"size": given["edges"], "target_edges": min(wanted, m), "notes": tuple(notes)}
    if asked[0] != "size":
        return {"size": None, "notes": ()}
    if isinstance(size, Mapping):
        if "strata" not in given:
            raise InputError("size is a mapping, which goes with strata: give a share or a count")
        return {"size": dict(size), "target": 0, "notes": ()}
    target = target_size(size, graph.num_vertices)
    if plan.kind in ("edges", "ties", "stream", "paths") and target < 2:
        raise InputError(f"size {size}: {method} takes edges, and an edge has two ends: give 2 or more")
    reach = reachable(view, plan, method)
    if target > reach:
        what = f"{target} vertices are asked for, {method} can reach {reach} of {graph.num_vertices}"
        _beyond(strict, notes, what)
    return {"size": size, "target": target, "notes": tuple(notes)}


def _beyond(strict: bool, notes: list[str], what: str) -> None:
    if strict:
        raise InputError(f"{what}: ask for less (or without strict)")
    notes.append(f"{what}: all of these are taken")


def reachable(view: View, plan: Method, method: str) -> int:
    """How many vertices a method can draw at all."""
    if plan.kind in ("edges", "ties", "stream", "paths") or method in ("rdn", "fs"):
        return view.num_linked
    return view.n
