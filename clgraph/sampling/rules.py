"""What the options of the samplers of the literature must be, beside each other and on a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, given_ids, number_given, shown, target_size, whole, word
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.methods import WHOLE_MAX, Method, option_of

if TYPE_CHECKING:
    from clgraph.sampling.literature.view import View

GROWING = ("passage", "expansion", "tree")  # what is visited is a tree there


@dataclass(frozen=True)
class Strata:
    """Groups of vertices, each with a sample of its own.

    Attributes
    ----------
    code : int32 array, shape (n,)
        The number of each vertex's group.
    names : list
    wanted : list of int
        Vertices to take of each.
    """

    code: npt.NDArray[np.int32]
    names: list[Any]
    wanted: list[int]


def keep_of(plan: Method, values: Mapping[str, Any]) -> str:
    """Return what a sample keeps: as asked, else as the method draws."""
    drawn = dict.fromkeys(("edges", "chordal", "stream"), "visited") | {"tree": "tree"}
    keep: str = values.get("keep", drawn.get(plan.kind, "induced"))
    if keep == "visited" and plan.kind in GROWING:
        keep = "tree"
    if keep == "tree" and plan.kind in ("edges", "paths"):
        raise InputError("keep='tree' is of walks and spreading: edges that race, and paths, have no tree")
    return keep


def walk_rules(view: View, method: str, values: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Check the options of walks against each other and against the graph."""
    if isinstance(values.get("walks"), np.bool_):
        values["walks"] = bool(values["walks"])
    if "walks" in values:
        word(values["walks"], "walks", (True, False, "ids", "device"))
    if "walks_per_vertex" in values:
        _walks_of_all_vertices(view, values, given)
    elif values["walkers"] > view.n:
        raise InputError(
            f"walkers is {values['walkers']}, and the graph has {view.n} vertices: use at most as many"
        )
    steps = values.get("steps")
    if steps is None and ("burn_in" in given or "thin" in given or values.get("walks")):
        raise InputError("burn_in, thin and walks go with steps: give steps, not size")
    moves = values["walkers"] if method == "fs" else 1  # a step of fs is a move of each walker
    if steps is not None and moves * (steps - values["burn_in"]) < values["thin"]:
        raise InputError(f"{steps} steps, less burn_in, do not make one visit that counts: give more steps")
    # the mean degree, rounded up
    mean = max(1, ceil(Fraction(view.rows.num_arcs, view.n)))
    if method == "rwj":
        values.setdefault("alpha", Fraction(mean))
    if method == "gmd":
        values.setdefault("c", mean)
    if view.weighted and view.weightless >= 0:
        name = view.original.ids[view.weightless]
        raise InputError(f"all edges of vertex {name} have the weight 0: a walk cannot leave it")


def _walks_of_all_vertices(view: View, values: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Set the walkers and starts of `walks_per_vertex`: passes over all vertices that have edges."""
    if "walkers" in given or "start" in given:
        raise InputError(
            "walks_per_vertex says where walkers begin and how many there are: leave walkers and start out"
        )
    if values.get("steps") is None:
        raise InputError("walks_per_vertex goes with steps: give the length of the walks, not size")
    starts = np.flatnonzero(view.original.undirected.without_self_loops.degrees).astype(np.int32)
    each, walkers = values["walks_per_vertex"], values["walks_per_vertex"] * len(starts)
    if not walkers:
        raise InputError("the graph has no edges (loops aside): no walk can begin")
    if walkers > WHOLE_MAX:
        raise InputError(
            f"walks_per_vertex is {each}, and {len(starts)} vertices have edges: at most "
            f"{WHOLE_MAX // len(starts)} walks of each fit a call; make several calls with other seeds"
        )
    values["start"], values["walkers"] = starts, walkers


def stage_rules(method: str, values: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Check the options of searches that spread against each other."""
    if values.get("mode") == "auto":
        values["mode"] = "batched"
    if method == "snowball" and "stages" in given and values["mode"] == "exact":
        raise InputError("stages counts stages, and mode 'exact' has none: leave one of them out")
    if method == "ff" and values["r"] and values["direction"] == "both":
        raise InputError("r is of directed fires: give direction='out' (or 'in') with it")
    if method == "spikyball":
        values["powers"] = check_powers(given.get("powers", (0, 0, 0)))
    if "coupons" in values:
        values["k"] = values.pop("coupons")


def chordal_values(
    view: View, method: str, size: Any, values: dict[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Check the options of chordal subgraphs, which have no size."""
    if size is not None:
        raise InputError(f"{method} takes all vertices, and the edges that it can: leave size out")
    if method == "chordal":
        return {"mode": "ordered" if values["mode"] == "auto" else values["mode"]}
    parts = given.get("parts", option_of(method, "parts").default)
    if np.ndim(parts) == 0:
        return {"parts": whole(parts, "parts", 1, max(16, view.n))}
    labels = np.asarray(parts)
    if labels.shape != (view.n,) or labels.dtype.kind not in "iuOU":
        raise InputError(
            f"parts has shape {labels.shape} and type {labels.dtype}: give a number of parts, or a whole "
            f"number or a word for each vertex in index order, shape ({view.n},)"
        )
    names, code = numbered(labels, "parts")
    return {"parts": len(names), "labels": code}


def stream_rules(method: str, size: Any, values: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Check the options of streams against each other."""
    if method == "gsh":
        if values["p"] > values["q"]:
            p, q = (shown(given.get(name, option_of(method, name).default)) for name in ("p", "q"))
            raise InputError(f"p {p} is larger than q {q}: give a q that is at least p")
        if values["q"] == 0:
            raise InputError("p and q are 0, so nothing would be held: pass a positive q")
        if size is not None:
            raise InputError("gsh holds as many edges as its p and q make it: leave size out, and give these")
    if method == "gps" and flag(given.get("weighted", False), "weighted"):
        if "triangles" in given:
            raise InputError("weighted and triangles are two ways to weigh edges: leave one of them out")
        if values["block"] > 1:
            raise InputError("weights that are given see no other edges, in blocks or not: leave block out")


def check_start(view: View, start: Any) -> tuple[int, ...]:
    """Return the vertices of one id or several.

    Raises
    ------
    InputError
        If one is not in the graph, or has no edges.
    """
    found = view.original.indices_of(given_ids(start, "start")).tolist()
    if not found:
        raise InputError("start is empty: pass one or more ids, or leave it out")
    degrees = view.original.undirected.without_self_loops.degrees
    for v in found:
        if degrees[v] == 0:
            raise InputError(f"start {view.original.ids[v]} has no edges: give a vertex that has some")
    return tuple(found)


def check_powers(powers: Any) -> tuple[int, int, int]:
    """Return the powers of d_out, of the weight and of d_in (spikyball) in units of 2^-16."""
    each = powers.split(",") if isinstance(powers, str) else powers
    try:
        numbers = [None if isinstance(x, bool) else number_given(x) for x in each]
    except TypeError:
        numbers = []
    if len(numbers) != 3 or any(x is None or abs(x) > 4 for x in numbers):
        raise InputError(
            f"powers {shown(powers)}: pass three numbers from -4 to 4, the powers of d_out, of the edge's "
            "weight, and of d_in"
        )
    a, b, c = (floor(x * 2**16) for x in numbers if x is not None)
    return a, b, c


def numbered(values: npt.NDArray[Any], name: str) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """Return the distinct values, ascending, and the number of each vertex's value."""
    try:
        names, code = np.unique(values, return_inverse=True)
    except TypeError as error:
        raise InputError(f"{name} holds values that have no order ({error}): use numbers or words") from None
    return names, code.ravel().astype(np.int32)


def target_of(size: Any, whole_count: int, name: str, what: str) -> int:
    """Return a count, given one or a share of `whole_count`, as `target_size` reads sizes."""
    try:
        return target_size(size, whole_count)
    except InputError as error:
        raise InputError(f"{name}={shown(size)}: {error} (here: of {whole_count} {what})") from None


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
    drawn_from = count if drawable is None else np.bincount(code[drawable], minlength=len(names)).tolist()
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
    for name, k, most in zip(names.tolist(), wanted, drawn_from, strict=True):
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
