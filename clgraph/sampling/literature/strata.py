"""Groups of vertices, each with a sample of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.sampling.literature.values import target_of
from clgraph.sampling.literature.wish import Strata
from clgraph.sizes import target_size


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
    try:
        names, code = np.unique(values, return_inverse=True)
    except TypeError as error:
        raise InputError(f"strata holds values that have no order ({error}): use numbers or words") from None
    code = code.ravel()
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
    return Strata(code.astype(np.int32), names.tolist(), wanted)


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
