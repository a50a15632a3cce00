"""Compressed sparse rows made on the host: ids numbered, edges sorted, merged and mirrored.

Plain arrays in, plain arrays out; `clgraph.graph.build_csr` makes a Graph of them. Everything rests on
sorting packed 64-bit keys, which NumPy does with the processor's vector instructions: ten times as fast as an
argsort, and without the cache misses of a bucket sort.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from clgraph.aligned import aligned, aligned_empty
from clgraph.errors import InputError

Duplicates = Literal["merge", "keep"]
INT32_MAX = 2**31 - 1
LOW_HALF = 2**32 - 1


class Rows(NamedTuple):
    """The arrays of a Graph (see there), and how many of its arcs are self-loops."""

    row_ptr: npt.NDArray[Any]
    col_idx: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float64] | None
    multiplicity: npt.NDArray[np.int32] | None
    loops: int


def number_vertices(
    source: npt.NDArray[Any], target: npt.NDArray[Any], extra: npt.NDArray[Any] | None = None
) -> tuple[int, npt.NDArray[Any] | None, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Number the ids that occur by ascending id.

    Returns
    -------
    n : int
    ids : array, shape (n,), or None where the ids are 0 .. n-1
    source, target : int32 arrays of indices
    """
    filled = [group for group in (source, target, extra) if group is not None and len(group)]
    if not filled:
        return 0, None, np.empty(0, np.int32), np.empty(0, np.int32)
    if any(group.dtype.kind in "UO" for group in filled):
        unsorted = {name for group in filled for name in group.tolist()}
        strange = next((name for name in unsorted if not isinstance(name, str)), None)
        if strange is not None:
            raise InputError(f"vertex id {strange!r}: ids are all non-negative integers, or all strings")
        names = sorted(unsorted)
        check_count(len(names))
        index = {name: i for i, name in enumerate(names)}
        source, target = (
            np.fromiter(map(index.__getitem__, end.tolist()), np.int32, len(end)) for end in (source, target)
        )
        return len(names), np.array(names, dtype=object), source, target
    for group in filled:
        if group.dtype.kind not in "iu":
            missing: Any = np.flatnonzero(np.isnan(group)) if group.dtype.kind == "f" else ()
            shown = f"nan (row {missing[0]}, counted from 0)" if len(missing) else repr(group.flat[0])
            raise InputError(f"vertex id {shown}: ids are non-negative integers, or strings")
    if len(source) == 0:  # NumPy makes floats of an empty list
        source = target = np.empty(0, np.int64)

    lowest, highest = min(int(group.min()) for group in filled), max(int(group.max()) for group in filled)
    if lowest < 0:
        raise InputError(f"vertex id {lowest} is negative: ids are non-negative integers, or strings")
    if highest > 2**63 - 1:
        raise InputError(f"vertex id {highest} does not fit in 64 bits")
    if highest < 8 * sum(len(group) for group in filled) + 1024:
        present = np.zeros(highest + 1, dtype=bool)
        for group in filled:
            present[group] = True
        n = int(np.count_nonzero(present))
        check_count(n)
        if n == highest + 1:
            return n, None, source.astype(np.int32, copy=False), target.astype(np.int32, copy=False)
        number = np.cumsum(present, dtype=np.int32) - np.int32(1)
        return n, np.flatnonzero(present), number[source], number[target]
    ids = np.unique(np.concatenate([group.astype(np.int64, copy=False) for group in filled]))
    check_count(len(ids))
    return (
        len(ids), ids,
        np.searchsorted(ids, source).astype(np.int32), np.searchsorted(ids, target).astype(np.int32),
    )  # fmt: skip


def check_count(n: int) -> None:
    """Refuse more vertices than an int32 counts."""
    if n > INT32_MAX:
        raise InputError(f"{n} vertices: clgraph takes at most {INT32_MAX}")


def checked_weights(weights: npt.ArrayLike, count: int) -> npt.NDArray[np.float64]:
    """Weights of `count` edges as float64; what is no finite number is named by its row."""
    given = np.asarray(weights)
    if given.dtype.kind not in "biuf":
        raise InputError(f"weights of type {given.dtype}: weights are real numbers")
    if given.shape != (count,):
        raise InputError(f"{count} edges but weights of shape {given.shape}")
    numbers = given.astype(np.float64, copy=False)
    finite = np.isfinite(numbers)
    if not np.all(finite):
        raise InputError(f"weight {int(np.argmin(finite))} (counted from 0) is not finite")
    return numbers


def checked_counts(counts: npt.ArrayLike, count: int) -> npt.NDArray[np.int32]:
    """How many parallel edges each of `count` edges stands for, as int32; all at least 1."""
    given = np.asarray(counts)
    if given.dtype.kind not in "iu":
        raise InputError(f"multiplicity of type {given.dtype}: it counts edges in whole numbers")
    if given.shape != (count,):
        raise InputError(f"{count} edges but a multiplicity of shape {given.shape}")
    wrong = (given < 1) | (given > INT32_MAX)
    if np.any(wrong):
        row = int(np.argmax(wrong))
        raise InputError(f"multiplicity {given[row]} (row {row}, counted from 0): it is at least 1")
    return given.astype(np.int32, copy=False)


def sorted_rows(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    n: int,
    *,
    weights: npt.NDArray[np.float64] | None = None,
    multiplicity: npt.NDArray[np.int32] | None = None,
    directed: bool,
    duplicates: Duplicates = "merge",
) -> Rows:
    """Sort, merge and mirror edges given by vertex index; `multiplicity` counts what a row stands for."""
    low, high = (source, target) if directed else (np.minimum(source, target), np.maximum(source, target))
    key = pack(low, high)
    if weights is not None or multiplicity is not None:
        order = _order(low, high, n)
        weights = None if weights is None else weights[order]
        multiplicity = None if multiplicity is None else multiplicity[order]
    del low, high
    key.sort()
    if duplicates == "merge" and np.any(key[1:] == key[:-1]):
        start = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
        length = np.diff(start, append=len(key))
        counts = length if multiplicity is None else _sums_of_runs(multiplicity, start, length)
        multiplicity = counts.astype(np.int32)
        weights = None if weights is None else _sums_of_runs(weights, start, length)
        key = key[start]
        del counts, start, length
    if multiplicity is not None and not np.any(multiplicity > 1):
        multiplicity = None
    loops = np.flatnonzero(key >> 32 == key & LOW_HALF)
    if directed:
        head = aligned_empty(len(key), np.int32)
        np.copyto(head, key, casting="unsafe")  # the low half
        key >>= 32
    else:
        key, head, weights, multiplicity = _mirror(key, loops, weights, multiplicity)
    return Rows(row_ptr_of(np.bincount(key, minlength=n)), head, weights, multiplicity, len(loops))


def _order(low: npt.NDArray[np.int32], high: npt.NDArray[np.int32], n: int) -> npt.NDArray[np.int64]:
    """Stable argsort by `low` and then by `high`, both below n."""
    bits, place_bits = n.bit_length(), len(low).bit_length()
    if 2 * bits + place_bits > 63:
        by_high = stable_argsort(high)
        return by_high[stable_argsort(low[by_high])]
    key = low.astype(np.int64)
    for width, values in ((bits, high), (place_bits, np.arange(len(low)))):
        key <<= width
        key |= values
    key.sort()
    key &= (1 << place_bits) - 1
    return key


def _sums_of_runs(
    values: npt.NDArray[Any], start: npt.NDArray[np.int64], length: npt.NDArray[np.int64]
) -> npt.NDArray[Any]:
    """Sums of the runs of values that begin at `start`; most runs are of one value."""
    sums, several = values[start], length > 1
    inside = values[np.repeat(several, length)]
    length = length[several]
    sums[several] = np.add.reduceat(inside, np.cumsum(length) - length)
    return sums


def pack(high_half: npt.NDArray[Any], low_half: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Keys that sort by `high_half` (int32, >= 0) and then by `low_half` (0 <= x < 2**32)."""
    key = high_half.astype(np.int64)
    key <<= 32
    key |= low_half
    return key


def row_ptr_of(degree: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Offsets of rows of these lengths: int32, or int64 from 2**31 arcs on."""
    row_ptr = np.zeros(len(degree) + 1, dtype=np.int64)
    np.cumsum(degree, out=row_ptr[1:])
    return aligned(row_ptr.astype(np.int32) if row_ptr[-1] <= INT32_MAX else row_ptr)


def stable_argsort(values: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Stable argsort of non-negative int32 numbers, by sorting keys that hold value and place."""
    if len(values) > LOW_HALF:
        return np.argsort(values, kind="stable")
    key = pack(values, np.arange(len(values)))
    key.sort()
    key &= LOW_HALF
    return key


def _mirror(
    key: npt.NDArray[np.int64],
    loops: npt.NDArray[np.int64],
    weights: npt.NDArray[Any] | None,
    multiplicity: npt.NDArray[Any] | None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any] | None, npt.NDArray[Any] | None]:
    """Tails, heads and values of both arcs of edges (sorted keys low << 32 | high; a loop is one arc)."""
    m = len(key)
    arcs = np.empty(2 * m, np.int64)
    arcs[:m] = key
    np.left_shift(key, 32, out=arcs[m:])
    arcs[m:] |= key >> 32
    arcs[m + loops] = 2**63 - 1  # to the end, and off it
    arcs.sort()
    arcs = arcs[: 2 * m - len(loops)]
    counts = None
    if multiplicity is not None:
        many = np.flatnonzero(multiplicity > 1)
        if len(many) < m // 32:  # a few: looked up one by one
            counts = np.ones(len(arcs), np.int32)
            for keys in (key[many], (key[many] << 32) | (key[many] >> 32)):
                counts[np.searchsorted(arcs, keys)] = multiplicity[many]
    head = aligned_empty(len(arcs), np.int32)
    np.copyto(head, arcs, casting="unsafe")  # the low half
    arcs >>= 32
    if weights is None and (multiplicity is None or counts is not None):
        return arcs, head, None, counts
    # arcs that go up stand in the order of the edges, those that come back in that of the edges' upper ends
    edge = stable_argsort(key.astype(np.int32))
    if len(loops):
        proper = np.ones(m, bool)
        proper[loops] = False
        edge = edge[proper[edge]]
    comes_back = arcs > head

    def of_arcs(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        both = np.empty(len(arcs), values.dtype)
        both[comes_back] = values[edge]
        both[~comes_back] = values
        return both

    if multiplicity is not None and counts is None:
        counts = of_arcs(multiplicity)
    return arcs, head, None if weights is None else of_arcs(weights), counts
