"""Requests for samples, checked once against the table of methods."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np
import numpy.typing as npt

from clgraph.arguments import (
    flag,
    number_given,
    one_id,
    parse_size,
    shown,
    target_size,
    unknown_option,
    whole,
    word,
)
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.methods import (
    CONTRACTING,
    EXACT,
    EXPLORING,
    METHODS,
    OPTIONS,
    REDUCTIONS,
    UNSAID,
    Method,
    option_of,
    plain_method,
)
from clgraph.sampling.rules import (
    Strata,
    check_start,
    check_strata,
    chordal_values,
    keep_of,
    stage_rules,
    stream_rules,
    target_of,
    walk_rules,
)

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.keyed import Rng
    from clgraph.sampling.literature.view import View


Size = float | int | str
OF_SHARDS = ("output", "outputs", "forest", "checkpoint")
# the options of any reduction: those of another one play no part, which a note says
_OF_REDUCTIONS = frozenset(name for each in REDUCTIONS.values() for name in each.options)


class SampleOptions(TypedDict, total=False):
    """Keywords of `clgraph.sample` besides sizes and seeds; its docstring explains them."""

    seed: int | None
    rng: Rng | None
    device: str | Device | None
    mode: Literal["auto", "batched", "exact", "ordered"] | None
    tolerance: float | None
    components: Literal["afforest", "bfs"] | None
    far_scan: bool | None
    connection: Literal["weak", "strong"]
    start: Any
    strict: bool
    min_size: Size | None
    progress: Any
    arrays: Literal["host", "device"]
    mix: float | str | None
    edges: float | int | str | None
    keep: Literal["induced", "visited", "tree"] | None
    weighted: bool | None
    starts: int | None
    strata: Any
    walkers: int | None
    steps: int | None
    burn_in: int | None
    thin: int | None
    patience: int | None
    direction: Literal["both", "out", "in"] | None
    walks: bool | Literal["ids", "device"] | None
    walks_per_vertex: int | None
    p: float | str | None
    alpha: float | str | None
    c: int | None
    k: int | None
    stages: int | None
    r: float | str | None
    coupons: int | None
    parts: Any
    share: float | str | None
    powers: Any
    q: float | str | None
    closing: bool | None
    triangles: int | None
    block: int | None
    ids: Literal["int", "str"] | None
    output: str | os.PathLike[str] | None
    outputs: Sequence[str | os.PathLike[str] | None] | None
    forest: Any
    checkpoint: str | os.PathLike[str] | None


KEYWORDS = {"method", "size", "sizes", "seeds", *SampleOptions.__annotations__}
NAMES = KEYWORDS - {*OF_SHARDS}  # which need no closer look


class Request:
    """A checked request; see `clgraph.sample`. A stream without a graph has no view.

    Options are attributes: as given and checked, else with their defaults. `view`, `keep`, `size` and
    `target` are of the samplers of the literature; a reduction has its sizes beside it.

    Attributes
    ----------
    target_edges : int
        Edges to draw or hold, instead of `target` vertices.
    labels : int32 array, or None
        Each vertex's part, where `parts` were given by vertex.
    first_walker : int
        The number of the first walker, where others are walked apart.
    induced : bool
        Whether a reduction keeps all edges among its vertices.
    notes : tuple of str
    given : dict of str to object
        The options of a reduction as a record has them.
    """

    keep = "induced"
    size: Any = None
    target: int | None = None
    target_edges = 0
    strata: Strata | None = None
    start: tuple[int, ...] | npt.NDArray[np.int32] | None = None
    first_walker = 0
    labels: npt.NDArray[np.int32] | None = None
    induced = False
    notes: tuple[str, ...] = ()
    # engines of several methods read these, also for a method that has no such option
    mix, p, r, alpha, k, parts = Fraction(4, 5), Fraction(0), Fraction(0), Fraction(1), 0, 1

    def __init__(
        self, method: str, view: Any = None, *, given: dict[str, Any] | None = None, **values: Any
    ) -> None:
        self.method, self.view, self.given = method, view, given or {}
        vars(self).update(values)

    def __getattr__(self, name: str) -> Any:
        """Return the default of an option that was not given."""
        if name not in OPTIONS:
            raise AttributeError(f"a request has no {name}")
        return OPTIONS[name].default

    @property
    def kind(self) -> str:
        """Kind of the method, a key of `clgraph.methods.KINDS`."""
        return METHODS[self.method].kind

    @property
    def serial(self) -> bool:
        """True if a run is a chain of steps that no device makes faster."""
        return self.kind == "stream" or (self.method == "chordal" and self.mode == "exact")

    @property
    def chain(self) -> int:
        """Steps that a run makes one after the other, at least, where it has nothing else to do: or 0."""
        alone = self.kind == "frontier" or (self.kind == "walk" and self.walkers == 1)
        if not alone or self.walks == "device":
            return 0
        return (self.target or 0) if self.steps is None else self.steps * self.walkers

    @property
    def chance(self) -> Fraction:
        """The probability that a draw of drve or dhyb is an edge of a random vertex, not any edge."""
        return Fraction(1) if self.method == "drve" else self.mix

    @property
    def root(self) -> int | None:
        """The vertex at which an exploration begins."""
        return None if self.start is None else self.start[0]

    @property
    def mix_word(self) -> int:
        """`mix` in units of 2^-32."""
        return floor(self.mix * 2**32)

    @property
    def weighting(self) -> str:
        """How well a vertex's inclusion probability is known: see `clgraph.Sample`."""
        if self.kind == "vertices":
            return "conditional"
        if self.kind == "near" and self.starts is not None:
            return "exact"
        if self.kind in ("edges", "ties", "near") or (self.method == "rds" and self.direction == "both"):
            return "approximate"
        if self.kind in ("walk", "frontier") and self.method != "node2vec":
            # the stationary distribution of a walk along arcs is known by PageRank, from given starts alone
            known = self.start is not None if self.method == "rwr" else self.method == "rj"
            if known or (self.direction == "both" and self.method != "rwr"):
                return "stationary"
        return "none"


# --- Names, sizes, seeds, and single values by the table of methods ---


# what changes nothing that is drawn, or has a place of its own in a record
BESIDE = ("seed", "device", "progress", "strict", "min_size", "size", "seeds")


def given_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were given and change what is drawn, as a record has them."""
    given: dict[str, Any] = {}
    for name, value in options.items():
        if value is not None and name not in BESIDE:
            given[name] = _plain(list(value) if name == "sizes" else value)
    return given


def _plain(value: Any) -> Any:
    """Convert a value for JSON; anything else (an array of strata) becomes text, which cannot be replayed."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return (
        value if value is None or isinstance(value, (str, int, float, bool)) else f"<{type(value).__name__}>"
    )


def check_names(options: Mapping[str, Any], *, shards: bool = False) -> None:
    """Raise TypeError, as Python does, for an option of no method, and InputError for one of shards alone."""
    for name, value in options.items():
        if name not in KEYWORDS:
            raise unknown_option("sample", name, KEYWORDS)
        if name in OF_SHARDS and value is not None and not shards:
            raise InputError(f"{name} is an option of graphs in shards (clgraph.open_shards): leave it out")


def check_sizes(
    graph: Graph | Any, size: Size | None, sizes: Sequence[Size] | None, strict: bool
) -> list[tuple[Size, int]]:
    """(size as asked for, target n*) of every sample.

    Raises
    ------
    InputError
        Neither or both of `size` and `sizes`, a size that is none, or one that `strict` forbids.
    """
    strict = strict is not False and flag(strict, "strict")
    if (size is None) == (sizes is None):
        raise InputError("pass either size or sizes: the largest number of vertices in the sample")
    if isinstance(sizes, str):
        raise InputError(
            f"sizes is {shown(sizes)}: give a list, such as ['70%', '50%'] (size takes a single one)"
        )
    asked = [size] if sizes is None else list(sizes)
    if not asked:
        raise InputError("sizes is empty: pass at least one size")
    wanted = []
    for each in asked:
        target = target_size(each, graph.num_vertices)  # type: ignore[arg-type]
        if strict and target > graph.num_vertices:
            raise InputError(f"size {each} is larger than the graph ({graph.num_vertices} vertices)")
        wanted.append((each, target))
    return wanted  # type: ignore[return-value]


def tiny(size: Size, n: int) -> str | None:
    """Ask whether a percentage was meant, if a count is tiny for a graph of `n` vertices; else None."""
    parsed = parse_size(size)
    if not isinstance(parsed, int) or not 2 <= parsed <= 100 or 20 * parsed > n:
        return None
    return f"size {size} is a count: {parsed} of {n} vertices; did you mean {parsed}%?"


def check_min_size(min_size: Any, graph: Graph, method: str) -> int:
    """Return the least number of vertices; only reductions may give fewer than asked for."""
    if not isinstance(method, str) or plain_method(method) not in REDUCTIONS:
        raise InputError(f"min_size is of {', '.join(REDUCTIONS)}: leave it out for {shown(method)}")
    return target_size(min_size, graph.num_vertices)


def check_seeds(first: int, seeds: int) -> int:
    """Return the number of runs, if the last one has a valid seed, too."""
    if isinstance(seeds, bool) or not isinstance(seeds, (int, np.integer)) or seeds < 1:
        raise InputError(f"seeds is {shown(seeds)}: give a count of runs, 1 or more")
    if first + int(seeds) > 2**64:
        raise InputError(f"seed {first} with {seeds} runs: the last seed would be above 2**64 - 1")
    return int(seeds)


def check_request(
    graph: Graph, method: Any, options: Mapping[str, Any], size: Any = None, *, strict: bool = False
) -> Request:
    """Check what is wanted of a method.

    Parameters
    ----------
    graph : Graph
        With at least one vertex.
    method : str
        By any of its names.
    options : mapping
        By name; None where not given. Those that no method reads (seed, device, ...) may be among them.
    size : float, int, str, mapping, or None
        Of the samplers of the literature; `check_sizes` reads those of reductions.
    strict : bool
        As `size`.

    Raises
    ------
    TypeError
        An option of another name.
    InputError
        An unknown method or word, an option of another method, a value out of range, options that exclude
        each other, too many or too few sizes, ...
    """
    if graph.num_vertices == 0:
        raise InputError("the graph has no vertices: there is nothing to sample")
    method = check_method(method)
    given = _own(method, options)
    if method not in REDUCTIONS:
        return _drawing(graph, method, size, strict, given)
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name != "min_size":
            values[name] = checked(method, name, value)
    mode, strong = values.get("mode", "auto"), values.get("connection") == "strong" and graph.directed
    searches = method in CONTRACTING + EXPLORING
    if mode == "exact" and method not in EXACT:
        raise InputError(
            f"mode 'exact' exists for {' and '.join(EXACT)}: {method} runs batched (mode 'auto' or 'batched')"
        )
    if mode == "exact" and strong:
        raise InputError("mode 'exact' keeps weak components: connection 'strong' runs batched")
    if strong and searches:
        raise InputError(f"connection 'strong' is of the methods that delete: {method} keeps weak components")
    if strong and "components" in values:
        raise InputError(
            f"components {values['components']!r} finds weak components: leave it out for 'strong'"
        )
    if mode == "auto":
        values["mode"] = mode = "exact" if method in EXACT and not strong else "batched"
    values["connection"] = "strong" if strong else "weak"
    notes = []
    if mode == "exact" or searches:
        hint = " (mode='batched' asks for it)" if method in EXACT else ""
        for name in ("tolerance", "components", "far_scan"):
            if name in given:
                notes.append(f"{name} is of batched deletion and played no part{hint}")
    if "mix" in given and method != "dhyb":
        notes.append("mix is of dhyb and played no part")
    if "start" in given:
        values["start"] = (int(graph.indices_of(one_id(given["start"], "start"))[0]),)
        if method not in EXPLORING:
            notes.append("start is of ebfs and edfs and played no part")
    induced = method in EXPLORING or (method == "drv" and mode == "exact")
    return Request(method, **values, induced=induced, notes=tuple(notes), given=given_options(options))


def check_method(name: Any) -> str:
    """Return a method's short name, given any of its names."""
    if isinstance(name, str) and name in METHODS:
        return name
    method = plain_method(name)
    if not isinstance(method, str) or method not in METHODS:
        known = {each: short for short, one in METHODS.items() for each in (short, one.words)}
        close = get_close_matches(method, known, 3) if isinstance(method, str) else []
        nearest = dict.fromkeys(f"{known[each]!r} ({METHODS[known[each]].words})" for each in close)
        hint = f"did you mean {' or '.join(nearest)}? " if nearest else ""
        raise InputError(
            f"unknown method {shown(method)}: {hint}`clgraph methods` lists all with what they do"
        )
    return method


def check_stream(method: str, size: Any, options: Mapping[str, Any]) -> Request:
    """Check what to hold of a stream of which there is no graph; its size is a count.

    Raises
    ------
    InputError
        As `check_request`.
    """
    given = _own(method, options)
    values = _values(method, given)
    stream_rules(method, size, values, given)
    if method == "gsh":
        return Request(method, keep="visited", **values)
    name = "edges" if method == "gps" else "size"
    asked = given.get("edges") if method == "gps" else size
    if asked is None or (method == "gps" and size is not None):
        raise InputError(f"{method} takes {name}: pass how much to hold")
    number = number_given(asked) if not isinstance(asked, bool) else None
    least = 2 if method == "pies" else 1
    if isinstance(asked, (float, np.floating)) or number is None or number.denominator != 1 or number < least:
        raise InputError(
            f"{name}={shown(asked)}: the length of a stream is unknown; give a count, {least} or more"
        )
    target: dict[str, Any] = {"target_edges" if method == "gps" else "target": int(number)}
    return Request(method, keep="visited", size=asked, **target, **values)


def _own(method: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were given, all of them the method's own.

    Raises
    ------
    InputError
        If one is of other methods. (A reduction says in a note that those of other reductions play no part.)
    """
    given: dict[str, Any] = {}
    own = _OF_REDUCTIONS if method in REDUCTIONS else METHODS[method].options
    if not options.keys() <= NAMES:
        check_names(options)
    for name, value in options.items():
        if value is None or name not in OPTIONS or (isinstance(value, str) and value == UNSAID.get(name)):
            continue
        if name not in own:
            users = ", ".join(short for short, each in METHODS.items() if name in each.options)
            raise InputError(f"{name} is not an option of {method}, but of {users}: leave it out")
        given[name] = value
    return given


def checked(method: str, name: str, value: Any) -> Any:
    """Return an option's value, checked for type and range by the table of methods."""
    option = option_of(method, name)
    if option.takes is int:
        assert option.most is not None
        return whole(value, name, int(option.least), int(option.most))
    if option.takes is bool:
        return flag(value, name)
    if isinstance(option.takes, tuple):
        return word(value, name, option.takes)
    if not option.takes:
        return value
    number = None if isinstance(value, bool) else number_given(value)
    least, most = Fraction(option.least), None if option.most is None else Fraction(option.most)
    if (
        number is None
        or not least <= number
        or (number == least and option.ends[0] == "(")
        or (most is not None and (number > most or (number == most and option.ends[1] == ")")))
    ):
        raise InputError(f"{name} {shown(value)}: give {option.range}")
    return number


def _values(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a literature sampler's options that need no graph to be checked, with their defaults."""
    values = {}
    for name in METHODS[method].options:
        value = given.get(name, option_of(method, name).default)
        if value is not None and name not in ("start", "edges", "strata", "powers", "parts"):
            values[name] = checked(method, name, value)
    values.pop("weighted", None)  # the view has it
    return values


# --- The samplers of the literature ---


def _drawing(graph: Graph, method: str, size: Any, strict: bool, given: Mapping[str, Any]) -> Request:
    """Check the request of a sampler of the literature."""
    from clgraph.sampling.literature.view import View

    plan, values = METHODS[method], _values(method, given)
    weighted = flag(given.get("weighted", False), "weighted")
    view = View.of(graph, values.setdefault("direction", "both"), weighted)
    values["keep"] = keep_of(plan, values)
    if "starts" in values and "starts" not in given:
        values["starts"] = min(values["starts"], view.n)
    elif (starts := values.get("starts", 0)) > view.n:
        raise InputError(
            f"starts is {starts}, the graph has {view.n} vertices: use a whole number from 1 to {view.n}"
        )
    if "strata" in given:
        drawable = None
        if method == "rdn":
            drawable = (view.strengths if weighted else view.degrees) > 0
        values["strata"] = check_strata(graph, given["strata"], size, drawable)
    if plan.kind in ("walk", "frontier"):
        walk_rules(view, method, values, given)
    if plan.kind in ("stages", "spikyball"):
        stage_rules(method, values, given)
    if given.get("keep", "induced") != "induced" and view.rows is not graph.undirected.without_self_loops:
        raise InputError("keep='visited' and 'tree' are of the undirected view: leave direction out")
    if "start" in given:
        values["start"] = check_start(view, given["start"])
    if plan.kind == "tree" and size is None:
        size = "100%"
    if plan.kind == "chordal":
        return Request(method, view, **{**values, **chordal_values(view, method, size, values, given)})
    if plan.kind == "stream":
        stream_rules(method, size, values, given)
        if method == "gsh":
            return Request(method, view, **values)
    return Request(method, view, **{**values, **_how_much(graph, view, plan, method, size, given, strict)})


# --- How much ---


def _how_much(
    graph: Graph, view: View, plan: Method, method: str, size: Any, given: Mapping[str, Any], strict: bool
) -> dict[str, Any]:
    """`size`, `target`, `target_edges` and notes."""
    by_edges = plan.kind in ("edges", "ties", "stream", "paths")
    reach = view.num_nonisolated if by_edges or method in ("rdn", "fs") else view.n
    if reach == 0:
        raise InputError(
            f"the graph has no edges (loops and weights of 0 aside): {method} has nothing to draw"
        )
    names: list[str] = [name for name in ("edges", "steps", "stages") if name in plan.options]
    if plan.kind == "near":
        names.append("starts")
    asked = [name for name in names if name in given] + (["size"] if size is not None else [])
    if method == "gps" and asked != ["edges"]:
        raise InputError("gps takes edges, and no size: pass the number of edges to hold")
    if len(asked) != 1:
        choice = " or ".join(["size", *names])
        found = f"{' and '.join(asked)} are given" if asked else "none is given"
        raise InputError(f"{method} takes one of {choice}, and {found}: pass exactly one of them")
    beyond, values = "", {"size": size}
    if asked[0] == "edges":
        m = view.rows.num_arcs // 2
        wanted = target_of(given["edges"], m, "edges", "edges")
        values = {"size": given["edges"], "target_edges": min(wanted, m)}
        if wanted > m:
            beyond = f"{wanted} edges are asked for, the graph has {m} without loops"
    elif isinstance(size, Mapping):
        if "strata" not in given:
            raise InputError("size is a mapping, which goes with strata: give a share or a count")
        values = {"size": dict(size), "target": 0}
    elif size is not None:
        target = values["target"] = target_size(size, graph.num_vertices)
        if by_edges and target < 2:
            raise InputError(f"size {size}: {method} takes edges, and an edge has two ends: give 2 or more")
        if target > reach:
            beyond = f"{target} vertices are asked for, {method} can reach {reach} of {graph.num_vertices}"
    if beyond and strict:
        raise InputError(f"{beyond}: ask for less (or without strict)")
    return {**values, "notes": (f"{beyond}: all of these are taken",) if beyond else ()}
