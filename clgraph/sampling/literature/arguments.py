"""The options of the samplers of the literature, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, given_ids, shown, whole, word
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.sampling.literature.view import View
from clgraph.sampling.literature.wish import Strata, Wish
from clgraph.sampling.table import LITERATURE, OPTIONS, Method
from clgraph.sizes import number_given, target_size

# --- Single values that options of samplers may have ---


Size = float | int | str


def probability(name: str, value: Any, *, below_one: bool = False) -> Fraction:
    """A probability as the exact number that its decimals say."""
    number = number_given(value) if not isinstance(value, bool) else None
    if number is None or number < 0 or number > 1 or (below_one and number == 1):
        raise InputError(
            f"{name} {shown(value)}: give a probability, 0 to 1" + (", below 1" if below_one else "")
        )
    return number


def positive(name: str, value: Any) -> Fraction:
    number = number_given(value) if not isinstance(value, bool) else None
    if number is None or not 0 < number <= 2**30:
        raise InputError(f"{name} {shown(value)}: give a number above 0, at most 2**30")
    return number


def target_of(size: Size, whole_count: int, name: str, what: str) -> int:
    """A count, or a share of `whole_count` things, as `target_size` reads a size."""
    try:
        return target_size(size, whole_count)
    except InputError as error:
        raise InputError(f"{name}={shown(size)}: {error} (here: of {whole_count} {what})") from None


def default_c(view: View) -> int:
    """The mean degree, rounded up; at least 1."""
    return max(1, ceil(Fraction(view.rows.num_arcs, view.n)))


def check_start(view: View, start: Any) -> tuple[int, ...]:
    """The vertices of one id or several.

    Raises
    ------
    InputError
        If one is not in the graph, or has no edges.
    """
    found = view.original.index(given_ids(start, "start")).tolist()
    if not found:
        raise InputError("start is empty: give an id, several, or leave it out")
    degrees = view.original.undirected.simple.degrees
    for v in found:
        if degrees[v] == 0:
            raise InputError(f"start {view.original.ids[v]} has no edges: give a vertex that has some")
    return tuple(found)


def check_powers(powers: Any) -> tuple[int, int, int]:
    """The powers of a spikyball in units of 2^-16: of d_out, of the weight, of d_in."""
    each = powers.split(",") if isinstance(powers, str) else powers
    try:
        numbers = [None if isinstance(x, bool) else number_given(x) for x in each]
    except TypeError:
        numbers = []
    if len(numbers) != 3 or any(x is None or abs(x) > 4 for x in numbers):
        raise InputError(
            f"powers {shown(powers)}: give three numbers from -4 to 4, the powers of d_out, of the edge's "
            "weight, and of d_in"
        )
    a, b, c = (floor(x * 2**16) for x in numbers if x is not None)
    return a, b, c


def numbered(values: npt.NDArray[Any], name: str) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """The different values, ascending, and the number of each vertex's."""
    try:
        names, code = np.unique(values, return_inverse=True)
    except TypeError as error:
        raise InputError(f"{name} holds values that have no order ({error}): use numbers or words") from None
    return names, code.ravel().astype(np.int32)


# --- The options of each kind of sampler, checked ---


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
    names, code = numbered(labels, "parts")
    return {"parts": len(names), "labels": code}


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


# --- Groups of vertices, each with a sample of its own ---


def check_strata(
    graph: Graph, strata: Any, size: Any, drawable: npt.NDArray[np.bool_] | None = None
) -> Strata:
    """Groups by vertex, and how many of each; `drawable`: the vertices that can come (None: all).

    Raises
    ------
    InputError
        Not one value for each vertex; an unknown group; a group that has too few vertices.
    """
    values = np.asarray(strata)
    if values.shape != (graph.num_vertices,):
        raise InputError(
            f"strata has shape {values.shape}: one value for each vertex in index order is needed, "
            f"shape ({graph.num_vertices},)"
        )
    names, code = numbered(values, "strata")
    count = np.bincount(code, minlength=len(names)).tolist()
    there = count if drawable is None else np.bincount(code[drawable], minlength=len(names)).tolist()
    if isinstance(size, Mapping):
        strange = [name for name in size if name not in names.tolist()]
        if strange:
            raise InputError(f"size names the stratum {shown(strange[0])}, which no vertex has")
        wanted = [
            target_of(size[n], c, f"size of stratum {n!r}", "vertices") if n in size else 0
            for n, c in zip(names.tolist(), count, strict=True)
        ]
    else:
        wanted = proportional(target_size(size, graph.num_vertices), count)
    if not any(wanted):
        raise InputError("size takes no vertex of any stratum: ask for one at least")
    what = "" if drawable is None else " that have edges"
    for name, k, most in zip(names.tolist(), wanted, there, strict=True):
        if k > most:
            raise InputError(
                f"{k} vertices of stratum {name!r} are asked for, it has {most}{what}: ask for fewer"
            )
    return Strata(code, names.tolist(), wanted)


def proportional(target: int, count: Sequence[int]) -> list[int]:
    """`target` shared out in proportion to counts; what rounding leaves goes to the largest remainders."""
    all_of_them = sum(count)
    target = min(target, all_of_them)
    shares = [Fraction(target * each, all_of_them) for each in count]
    wanted = [floor(share) for share in shares]
    order = sorted(range(len(count)), key=lambda i: (wanted[i] - shares[i], i))
    for i in order[: target - sum(wanted)]:
        wanted[i] += 1
    return wanted


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
    plan = LITERATURE[method]
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
    if given.get("keep", "induced") != "induced" and view.rows is not graph.undirected.simple:
        raise InputError("keep='visited' and 'tree' are of the undirected view: leave direction out")
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
            users = ", ".join(short for short, each in LITERATURE.items() if name in each.options)
            raise InputError(f"{name} is not an option of {method}, but of {users}: leave it out")
    return given


def check_stream(method: str, size: Any, options: Mapping[str, Any]) -> Wish:
    """What to hold of a stream of which there is no graph; its size is a count.

    Raises
    ------
    InputError
        As `check_wish`.
    """
    plan = LITERATURE[method]
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
