"""The options of each kind of sampler, checked."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from clgraph.arguments import flag, shown, whole, word
from clgraph.errors import InputError
from clgraph.sampling.literature.values import check_powers, check_start, default_c, positive, probability
from clgraph.sampling.literature.view import View


def walk_values(view: View, method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of walks."""
    n = view.n
    values: dict[str, Any] = {
        "walkers": whole(given.get("walkers", 1), "walkers", 1, 2**31 - 1),
        "patience": whole(given.get("patience", 1000), "patience", 1, 2**31 - 1),
        "walks": flag(given.get("walks", False), "walks"),
    }
    if values["walkers"] > n:
        raise InputError(
            f"walkers is {values['walkers']}, and the graph has {n} vertices: use at most as many"
        )
    for name, least in (("steps", 1), ("burn_in", 0), ("thin", 1)):
        if name in given:
            values[name] = whole(given[name], name, least, 2**40)
    steps = values.get("steps")
    if steps is None and ("burn_in" in given or "thin" in given or values["walks"]):
        raise InputError("burn_in, thin and walks go with steps: give steps, not size")
    turns = values["walkers"] if method == "fs" else 1  # whose steps are moves, of whichever walker
    counting = 0 if steps is None else turns * (steps - values.get("burn_in", 0))
    if steps is not None and counting < values.get("thin", 1):
        raise InputError(f"{steps} steps, less burn_in, do not make one visit that counts: give more steps")
    if "start" in given:
        values["start"] = check_start(view, given["start"])
    if method in ("rwr", "rj"):
        values["p"] = probability("p", given.get("p", "0.15"), below_one=True)
    if method == "rwj":
        values["alpha"] = positive("alpha", given["alpha"]) if "alpha" in given else Fraction(default_c(view))
    if method == "mhrw":
        values["alpha"] = probability("alpha", given.get("alpha", 1))
    if method == "gmd":
        values["c"] = whole(given.get("c", default_c(view)), "c", 1, 2**31 - 1)
    if view.weighted:
        lost = np.flatnonzero((view.strengths == 0) & (view.degrees > 0))
        if len(lost):
            name = view.original.ids[lost[0]]
            raise InputError(f"all edges of vertex {name} have the weight 0: a walk cannot leave it")
    if given.get("keep", "induced") != "induced" and view.rows is not view.original.undirected.simple:
        raise InputError("keep='visited' and 'tree' are of the undirected view: leave direction out")
    return values


def stage_values(view: View, method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of searches that spread."""
    mode = word(given.get("mode", "batched"), "mode", ("auto", "batched", "exact"))
    values: dict[str, Any] = {"mode": mode}
    if "start" in given:
        values["start"] = check_start(view, given["start"])
    if method == "snowball":
        values["k"] = whole(given.get("k", 50), "k", 1, 2**31 - 1)
        if "stages" in given:
            values["stages"] = whole(given["stages"], "stages", 1, 2**31)
            if values["mode"] == "exact":
                raise InputError("stages counts stages, and mode 'exact' has none: leave one of them out")
    elif method == "ff":
        values["p"] = probability("p", given.get("p", "0.7"))
        values["r"] = probability("r", given.get("r", 0))
        if values["p"] > Fraction(99, 100):
            raise InputError(
                f"p {shown(given['p'])}: each vertex burns over 99 neighbours; give at most 0.99"
            )
        if values["r"] and given.get("direction", "both") == "both":
            raise InputError("r is of directed fires: give direction='out' (or 'in') with it")
    elif method == "spikyball":
        values["share"] = probability("share", given.get("share", "0.1"))
        if values["share"] == 0:
            raise InputError("share is 0: give what share of its arcs a stage takes, above 0")
        values["powers"] = check_powers(given.get("powers", (0, 0, 0)))
    else:
        values["k"] = whole(given.get("coupons", 3), "coupons", 1, 2**31 - 1)
        values["starts"] = whole(given.get("starts", min(10, view.n)), "starts", 1, 2**31 - 1)
        if values["starts"] > view.n:
            raise InputError(f"starts is {values['starts']}, the graph has {view.n} vertices: give fewer")
    if given.get("keep", "induced") != "induced" and view.rows is not view.original.undirected.simple:
        raise InputError("keep='visited' and 'tree' are of the undirected view: leave direction out")
    return values


def chordal_values(view: View, method: str, size: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of chordal subgraphs, which have no size."""
    if size is not None:
        raise InputError(f"{method} takes all vertices, and the edges that it can: leave size out")
    if method == "chordal":
        mode = word(options.get("mode", "auto"), "mode", ("auto", "ordered", "exact"))
        return {"mode": "ordered" if mode == "auto" else mode}
    parts = options.get("parts")
    if parts is None or np.ndim(parts) == 0:
        return {"parts": whole(16 if parts is None else parts, "parts", 1, max(16, view.n))}
    labels = np.asarray(parts)
    if labels.shape != (view.n,) or labels.dtype.kind not in "iuOU":
        raise InputError(
            f"parts has shape {labels.shape} and type {labels.dtype}: give a number of parts, or a whole "
            f"number or a word for each vertex in index order, shape ({view.n},)"
        )
    try:
        names, code = np.unique(labels, return_inverse=True)
    except TypeError as error:
        raise InputError(f"parts holds values that have no order ({error}): use numbers or words") from None
    return {"parts": len(names), "labels": code.astype(np.int32)}


def stream_values(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of streams, besides size and edges."""
    values: dict[str, Any] = {}
    if method == "gsh":
        values = {name: probability(name, given.get(name, d)) for name, d in (("p", "0.3"), ("q", "0.7"))}
        if values["p"] > values["q"]:
            raise InputError(
                f"p {shown(given.get('p', '0.3'))} is larger than q {shown(given.get('q', '0.7'))}: "
                "give a q that is at least p"
            )
        if values["q"] == 0:
            raise InputError("p and q are 0: nothing would be held")
        values["closing"] = flag(given.get("closing", False), "closing")
    if method == "gps":
        values["triangles"] = whole(given.get("triangles", 9), "triangles", 0, 2**31 - 1)
        if given.get("weighted") and "triangles" in given:
            raise InputError("weighted and triangles are two ways to weigh edges: leave one of them out")
        values["block"] = whole(given.get("block", 1), "block", 1, 2**25)
        if given.get("weighted") and values["block"] > 1:
            raise InputError("weights that are given see no other edges, in blocks or not: leave block out")
    return values


def gsh_size(size: Any) -> dict[str, Any]:
    if size is not None:
        raise InputError("gsh holds as many edges as its p and q make it: leave size out, and give these")
    return {"size": None}
