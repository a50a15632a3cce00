"""The options of `clgraph.sample`: their names and types, sizes and seeds."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np

from clgraph.arguments import flag, shown, unknown_option
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph
from clgraph.sampling.table import REDUCTIONS, plain_method
from clgraph.sizes import parse_size, target_size

if TYPE_CHECKING:
    from clgraph.device import Device

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
