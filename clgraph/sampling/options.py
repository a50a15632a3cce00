"""The options of `clgraph.sample`: their names and types, their checks, and what they come to."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np

from clgraph.arguments import flag, one_id, shown, unknown_option
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph
from clgraph.sampling.table import (
    CONTRACTING,
    EXACT,
    EXPLORING,
    LITERATURE,
    METHODS,
    REDUCTIONS,
    plain_method,
)
from clgraph.sampling.table import OPTIONS as OF_LITERATURE
from clgraph.sizes import number_given, parse_size, target_size

if TYPE_CHECKING:
    from clgraph.device import Device

SHARED = ("mode", "start", "mix")  # options that both these methods and those of the literature have

OF_SHARDS = ("output", "outputs", "forest", "checkpoint")

Size = float | int | str


class SampleOptions(TypedDict, total=False):
    """The keywords of `clgraph.sample` besides sizes and seeds; its docstring says what they mean."""

    seed: int | None
    device: str | Device | None
    mode: Literal["auto", "batched", "exact", "ordered"]
    tolerance: float | None
    components: Literal["afforest", "bfs"] | None
    far_scan: bool | None
    connection: Literal["weak", "strong"]
    weight: float | str | None
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
    walks: bool | None
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


@dataclass(frozen=True)
class Options:
    """How to sample, checked; see `clgraph.sample`."""

    method: str
    mode: str
    tolerance: Fraction | None
    components: str | None
    far_scan: bool | None
    connection: str
    mix: Fraction | None
    start: int | None
    older_name: bool = False  # whether `mix` was given as `weight`
    given: dict[str, Any] = field(default_factory=dict)

    @property
    def exact(self) -> bool:
        """Whether it runs in exact mode."""
        return self.mode == "exact"

    @property
    def induced(self) -> bool:
        """Whether the run leaves all edges among the vertices that it leaves, and says so."""
        return self.method in EXPLORING or (self.method == "drv" and self.exact)

    @property
    def chance(self) -> Fraction:
        """The probability that a draw of drve or dhyb is an edge of a random vertex, not any edge."""
        if self.method == "drve":
            return Fraction(1)
        return Fraction(4, 5) if self.mix is None else self.mix

    def idle(self) -> list[str]:
        """Notes on options that were given but have no effect."""
        batched = not self.exact and self.method not in CONTRACTING + EXPLORING
        given = (("tolerance", self.tolerance), ("components", self.components), ("far_scan", self.far_scan))
        notes = [
            f"{name} is of batched deletion and played no part"
            + (" (mode='batched' asks for it)" if self.method in EXACT else "")
            for name, value in given
            if value is not None and not batched
        ]
        if self.mix is not None and self.method != "dhyb":
            notes.append("mix is of dhyb and played no part")
        elif self.older_name:
            notes.append("weight is the older name of mix: say mix")
        if self.start is not None and self.method not in EXPLORING:
            notes.append("start is of ebfs and edfs and played no part")
        return notes


def _one_of(name: str, value: Any, *known: str) -> None:
    if not isinstance(value, str) or value not in known:
        raise InputError(f"unknown {name} {shown(value)}: use {', '.join(known[:-1])} or {known[-1]}")


def check_options(graph: Graph, method: str, **options: Unpack[SampleOptions]) -> Options:
    """Validate the options of a run; those that no method reads (seed, device, ...) may be among them.

    Raises
    ------
    TypeError
        An option of another name.
    InputError
        An unknown word, a number out of range, or options that exclude each other.
    """
    check_names(options)
    mode = options.get("mode", "auto")
    components = options.get("components")
    connection = options.get("connection", "weak")
    start = options.get("start")
    far_scan = options.get("far_scan")
    method = plain_method(method)
    if not isinstance(method, str) or method not in REDUCTIONS:
        names = (*METHODS, *(each.words for each in METHODS.values()))
        close = get_close_matches(method, names, 1) if isinstance(method, str) else []
        hint = f"did you mean {close[0]!r}? The" if close else "the"
        raise InputError(f"unknown method {shown(method)}: {hint} known ones are {', '.join(METHODS)}")
    for name in OF_LITERATURE:
        if options.get(name) is not None and name not in SHARED:
            users = ", ".join(short for short, each in LITERATURE.items() if name in each.options)
            raise InputError(f"{name} is not an option of {method}, but of {users}: leave it out")
    _one_of("mode", mode, "auto", "exact", "batched")
    if components is not None:
        _one_of("components", components, "afforest", "bfs")
    _one_of("connection", connection, "weak", "strong")
    strong = connection == "strong" and graph.directed
    if mode == "exact" and method not in EXACT:
        raise InputError(
            f"mode 'exact' exists for {' and '.join(EXACT)}: {method} runs batched (mode 'auto' or 'batched')"
        )
    if mode == "exact" and strong:
        raise InputError("mode 'exact' keeps weak components: connection 'strong' runs batched")
    if strong and method in CONTRACTING + EXPLORING:
        raise InputError(f"connection 'strong' is of the methods that delete: {method} keeps weak components")
    if strong and components is not None:
        raise InputError(f"components {components!r} finds weak components: leave it out for 'strong'")
    mix, older = options.get("mix"), options.get("weight")
    if mix is not None and older is not None:
        raise InputError("give mix or weight, its older name, not both")
    if mode == "auto":
        mode = "exact" if method in EXACT and not strong else "batched"
    return Options(
        method,
        mode,
        _number("tolerance", options.get("tolerance"), "a number of vertices, 0 or more"),
        components,
        None if far_scan is None else flag(far_scan, "far_scan"),
        "strong" if strong else "weak",
        _number("mix", mix, "a probability, 0 to 1", most=1)
        if older is None
        else _number("weight", older, "a probability, 0 to 1", most=1),
        None if start is None else int(graph.index(one_id(start, "start"))[0]),
        older is not None,
    )


def given_options(options: Mapping[str, Any], sizes: Sequence[Size] | None) -> dict[str, Any]:
    """The options that somebody gave and that change what is drawn, as a record has them."""
    beside = ("seed", "device", "progress", "strict", "min_size")
    given: dict[str, Any] = {}
    for name, value in options.items():
        if value is not None and name not in beside:
            given[name] = _plain(value)
    return given if sizes is None else {**given, "sizes": [_plain(size) for size in sizes]}


def _plain(value: Any) -> Any:
    """A value for JSON; what is no plain value (an array of strata) as text, which cannot be replayed."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return (
        value if value is None or isinstance(value, (str, int, float, bool)) else f"<{type(value).__name__}>"
    )


def check_names(options: Mapping[str, Any]) -> None:
    """Raise TypeError, as Python does, for an option that no method has."""
    known = {"method", "size", "sizes", "seeds", *SampleOptions.__annotations__}
    for name in options:
        if name not in SampleOptions.__annotations__:
            raise unknown_option("sample", name, known)


def check_not_of_shards(options: Mapping[str, Any]) -> None:
    """Raise InputError for an option that only graphs in shards have."""
    for name in OF_SHARDS:
        if options.get(name) is not None:
            raise InputError(f"{name} is an option of graphs in shards (clgraph.open_shards): leave it out")


def _number(name: str, value: Any, what: str, most: int | None = None) -> Fraction | None:
    """An option as the exact number that its decimals say."""
    if value is None:
        return None
    number = number_given(value)
    if number is None or number < 0 or (most is not None and number > most):
        raise InputError(f"{name} {shown(value)}: give {what}")
    return number


def check_graph(graph: Any) -> Graph:
    """A graph with at least one vertex; a SciPy sparse array is turned into one."""
    made = as_graph(graph)
    if made.num_vertices == 0:
        raise InputError("the graph has no vertices: there is nothing to sample")
    return made


def check_sizes(
    graph: Graph | Any, size: Size | None, sizes: Sequence[Size] | None, strict: bool
) -> list[tuple[Size, int]]:
    """(size as asked for, target n*) of every sample.

    Raises
    ------
    InputError
        Neither or both of `size` and `sizes`, a size that is none, or one that `strict` forbids.
    """
    strict = flag(strict, "strict")
    if (size is None) == (sizes is None):
        raise InputError("give either size or sizes: how many vertices the sample shall have at most")
    if isinstance(sizes, str):
        raise InputError(
            f"sizes is {shown(sizes)}: give a list, such as ['70%', '50%'] (size takes a single one)"
        )
    asked = [size] if sizes is None else list(sizes)
    if not asked:
        raise InputError("sizes is empty: name at least one")
    wanted = []
    for each in asked:
        target = target_size(each, graph.num_vertices)  # type: ignore[arg-type]
        if strict and target > graph.num_vertices:
            raise InputError(f"size {each} is larger than the graph ({graph.num_vertices} vertices)")
        wanted.append((each, target))
    return wanted  # type: ignore[return-value]


def tiny(size: Size, n: int) -> str | None:
    """The question whether a percentage was meant, for a count that is tiny for a graph of `n` vertices."""
    parsed = parse_size(size)
    if not isinstance(parsed, int) or not 2 <= parsed <= 100 or 20 * parsed > n:
        return None
    return f"size {size} is a count: {parsed} of {n} vertices; did you mean {parsed}%?"


def check_min_size(min_size: Any, graph: Graph, method: str) -> int:
    """The vertices that a sample has at least, of methods whose samples may have fewer than asked for."""
    if not isinstance(method, str) or plain_method(method) not in REDUCTIONS:
        raise InputError(f"min_size is of {', '.join(REDUCTIONS)}: leave it out for {shown(method)}")
    return target_size(min_size, graph.num_vertices)


def check_seeds(first: int, seeds: int | None) -> int:
    """The number of runs, of which the last has a valid seed too."""
    if seeds is None:
        return 1
    if isinstance(seeds, bool) or not isinstance(seeds, (int, np.integer)) or seeds < 1:
        raise InputError(f"seeds is {shown(seeds)}: give a count of runs, 1 or more")
    if first + int(seeds) > 2**64:
        raise InputError(f"seed {first} with {seeds} runs: the last seed would be above 2**64 - 1")
    return int(seeds)
