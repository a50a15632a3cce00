"""Compressed sparse rows made on the host: ids numbered, edges sorted, merged and mirrored.

Plain arrays in, plain arrays out; `clgraph.graph.build_csr` makes a Graph of them. All of it rests on
sorting packed 64-bit keys, which NumPy does with vector instructions: ten times as fast as an argsort, and
without the cache misses of a bucket sort.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, shown, word
from clgraph.errors import InputError
from clgraph.graph.arrays import Arrays, aligned, aligned_empty

Duplicates = Literal["merge", "keep"]
INT32_MAX = 2**31 - 1
LOW_HALF = 2**32 - 1


# A column of ids is an array, or `Names`: strings by their codes. pandas and Arrow encode strings so quickly,
# and no Python loop runs over the rows.


@dataclass(frozen=True)
class Names:
    """A column of strings: row i holds ``names[codes[i]]``."""

    codes: npt.NDArray[Any]
    names: list[str]  # some may be used by no row

    def __len__(self) -> int:
        return len(self.codes)


def rows_of_edges(
    source: Any, target: Any, weights: Any, multiplicity: Any, directed: Any, duplicates: Any, vertices: Any
) -> Arrays:
    """Check edges given by vertex id, and make rows of them (see `clgraph.Graph.from_edges`)."""
    ends = [id_column(source, "source"), id_column(target, "target")]
    if len(ends[0]) != len(ends[1]):
        raise InputError(f"source and target differ in shape: {ends[0].shape} and {ends[1].shape}")
    check_rows(directed, duplicates, multiplicity)
    extra = None if vertices is None else id_column(vertices, "vertices")
    values = checked_values(weights, multiplicity, len(ends[0]))
    n, ids, src, dst = number_vertices(ends[0], ends[1], extra)
    return sorted_rows(src, dst, n, **values, ids=ids, directed=bool(directed), duplicates=duplicates)


def checked_values(weights: Any, multiplicity: Any, rows: int) -> dict[str, Any]:
    """Checked weights and counts as parameters of `sorted_rows` and `Arrays`; None where none are given."""
    return {
        "weights": None if weights is None else np.ascontiguousarray(checked_weights(weights, rows)),
        "multiplicity": None
        if multiplicity is None
        else np.ascontiguousarray(checked_counts(multiplicity, rows)),
    }


def check_rows(directed: Any, duplicates: Any, multiplicity: Any) -> None:
    """Raise InputError for options that are none, or exclude each other."""
    word(duplicates, "duplicates", get_args(Duplicates))
    if multiplicity is not None and duplicates == "keep":
        raise InputError("multiplicity counts merged edges: leave duplicates='keep' out")
    flag(directed, "directed")


def id_column(ids: Any, name: str) -> Any:
    """Convert ids to a one-dimensional array, unless they are `Names`; what they hold is checked later."""
    if isinstance(ids, Names):
        return ids
    array = column_of(ids, name, "list of vertex ids")
    if array.dtype.kind == "U" and isinstance(ids, (list, tuple)):
        # NumPy has made text of numbers among strings, and cut off NULs at their ends
        array = np.empty(len(ids), object)
        array[:] = ids
    return array


def column_of(values: npt.ArrayLike, name: str, what: str) -> npt.NDArray[Any]:
    """Convert values to a one-dimensional array; InputError for other shapes and for masked entries."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, OverflowError) as error:  # lists of different lengths, say
        raise InputError(f"{name} is no {what}: {error}") from error
    if array.ndim != 1:
        raise InputError(f"{name} has the shape {array.shape}: a one-dimensional {what} is needed")
    # without numpy.ma loaded there is no masked array
    if "numpy.ma" in sys.modules and np.ma.is_masked(values):
        raise InputError(f"{name} has masked entries: every one is needed; leave such rows out")
    return array


def number_vertices(
    source: Any, target: Any, extra: Any = None
) -> tuple[int, npt.NDArray[Any] | None, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Number the ids that occur, in ascending order.

    Parameters
    ----------
    source, target, extra : arrays or `Names`; the last one optional

    Returns
    -------
    n : int
    ids : array, shape (n,), or None where the ids are 0 .. n-1
    source, target : int32 arrays of indices
    """
    named = {"source": source, "target": target, "vertices": extra}
    groups = {name: group for name, group in named.items() if group is not None and len(group)}
    filled = list(groups.values())
    if not filled:
        return 0, None, np.empty(0, np.int32), np.empty(0, np.int32)
    if any(isinstance(group, Names) for group in filled):
        return _number_names(filled, (source, target))
    # NumPy sorts no mixture of types, and its own strings take the space of the longest: Python numbers names
    if any(group.dtype.kind in "UO" for group in filled):
        _check_names(groups)
        names = sorted({name for group in filled for name in group.tolist()})
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
    if len(source) == 0:  # NumPy makes floats of an empty list, and tables may hold empty names
        source = target = np.empty(0, np.int64)

    lowest, highest = min(int(group.min()) for group in filled), max(int(group.max()) for group in filled)
    for value, why in ((lowest, "is negative"), (highest, "does not fit in 64 bits")):
        if not 0 <= value < 2**63:
            places = ((np.flatnonzero(group == value), name) for name, group in groups.items())
            rows, name = next(place for place in places if len(place[0]))
            raise InputError(
                f"vertex id {value} {why} (row {rows[0]} of {name}, counted from 0): ids are non-negative "
                "integers, or strings"
            )
    # ids so close that a table of all numbers up to the highest costs less than sorting them
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
        len(ids),
        ids,
        np.searchsorted(ids, source).astype(np.int32),
        np.searchsorted(ids, target).astype(np.int32),
    )


def _number_names(filled: list[Any], ends: tuple[Any, Any]) -> tuple[int, Any, Any, Any]:
    """Number the names that rows use, in the order of their code points: as `number_vertices`."""
    for group in filled:
        if not isinstance(group, Names):
            raise InputError(
                f"vertex id {group[0]} beside strings: ids are all non-negative integers, or all strings"
            )
    lists = {id(group.names): group.names for group in filled}
    # mostly one list, of which no dictionary is made
    names = filled[0].names if len(lists) == 1 else list(dict.fromkeys(chain(*lists.values())))
    place = {} if len(lists) == 1 else dict(zip(names, range(len(names)), strict=True))
    places = {
        key: np.fromiter(map(place.get, own), np.int32, len(own)) for key, own in lists.items() if place
    }

    def codes(group: Names) -> Any:
        return places[id(group.names)][group.codes] if places and len(group) else group.codes

    present = np.zeros(len(names), bool)
    for group in filled:
        present[codes(group)] = True
    used = np.flatnonzero(present).tolist()
    check_count(len(used))
    # Python compares strings by code point, as UTF-8 does by bytes: all readers number names alike
    used.sort(key=names.__getitem__)
    number = np.zeros(len(names), np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    ascending = np.empty(len(used), dtype=object)
    ascending[:] = [names[code] for code in used]
    tail, head = (number[codes(end)] if len(end) else np.empty(0, np.int32) for end in ends)
    return len(used), ascending, tail, head


def _check_names(groups: dict[str, npt.NDArray[Any]]) -> None:
    """Raise InputError unless all ids are strings."""
    kinds = {kind for group in groups.values() for kind in set(map(type, group.tolist()))}
    if all(issubclass(kind, str) for kind in kinds):
        return
    whole = all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in kinds)
    for name, group in groups.items():
        for row, value in enumerate(group.tolist()):
            where = f"row {row} of {name}, counted from 0"
            if whole and not 0 <= value < 2**63:  # NumPy makes objects of such numbers
                what = f"{int(value)}" if -(2**200) < value < 2**200 else f"of {int(value).bit_length()} bits"
                raise InputError(f"vertex id {what} is not from 0 to {2**63 - 1} ({where})")
            if not whole and not isinstance(value, str):
                raise InputError(
                    f"vertex id {shown(value)}: ids are all non-negative integers, or all strings ({where})"
                )
    raise InputError("vertex ids of type object: make an integer array of them")


def check_count(n: int) -> None:
    """Raise InputError for more vertices than int32 can number."""
    if n > INT32_MAX:
        raise InputError(f"{n} vertices: clgraph takes at most {INT32_MAX}")


def checked_weights(weights: npt.ArrayLike, count: int) -> npt.NDArray[np.float64]:
    """Check weights of `count` edges, and convert them to float64; the first that is not finite is named."""
    given = column_of(weights, "weights", "list of numbers")
    if given.dtype.kind not in "biuf":
        raise InputError(f"weights of type {given.dtype}: weights are real numbers")
    if given.shape != (count,):
        raise InputError(f"{count} edges but weights of shape {given.shape}")
    with np.errstate(over="ignore"):  # of a longer type
        numbers = given.astype(np.float64, copy=False)
    finite = np.isfinite(numbers)
    if not np.all(finite):
        raise InputError(f"weight {int(np.argmin(finite))} (counted from 0) is not finite")
    return numbers


def checked_counts(counts: npt.ArrayLike, count: int) -> npt.NDArray[np.int32]:
    """Check multiplicities of `count` edges, and convert them to int32; all are at least 1."""
    given = column_of(counts, "multiplicity", "list of numbers")
    if given.dtype.kind not in "iu":
        raise InputError(f"multiplicity of type {given.dtype}: it counts edges in whole numbers")
    if given.shape != (count,):
        raise InputError(f"{count} edges but a multiplicity of shape {given.shape}")
    wrong = (given < 1) | (given > INT32_MAX)
    if np.any(wrong):
        row = int(np.argmax(wrong))
        raise InputError(
            f"multiplicity {given[row]} (row {row}, counted from 0): it is at least 1 and at most {INT32_MAX}"
        )
    return given.astype(np.int32, copy=False)


def sorted_rows(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    n: int,
    *,
    weights: npt.NDArray[np.float64] | None = None,
    multiplicity: npt.NDArray[np.int32] | None = None,
    ids: npt.NDArray[Any] | None = None,
    directed: bool,
    duplicates: Duplicates = "merge",
    rows: int | None = None,
) -> Arrays:
    """Mirror (if undirected), sort and merge edges given by vertex index.

    Parameters
    ----------
    source, target : int32 arrays, shape (edges,)
    n : int
        Number of vertices.
    weights : float64 array, shape (edges,), optional
    multiplicity : int32 array, shape (edges,), optional
        How many parallel edges each one represents.
    ids : array, shape (n,), optional
        Taken over as they are.
    directed : bool
    duplicates : {"merge", "keep"}
        Whether parallel edges become one (weights and multiplicities summed), or stay copies.
    rows : int, optional
        How many rows there are, where that is not `n`: some of a directed graph's, numbered from 0.

    Raises
    ------
    InputError
        If a sum of weights is not finite, or one of multiplicities does not fit in int32: the edge is named.
    """
    ends = (source, target)
    loops = np.flatnonzero(source == target)
    if weights is None and multiplicity is None:
        bits, key, edge = 32, _keys(ends, (32, 0), directed, loops), None
    else:
        bits, key, edge = _keys_and_edges(ends, n, directed, loops)
    weights = None if weights is None else weights[edge]
    multiplicity = None if multiplicity is None else multiplicity[edge]
    del edge
    fresh = np.ones(len(key), bool)
    np.not_equal(key[1:], key[:-1], out=fresh[1:])
    again = np.flatnonzero(~fresh)
    if duplicates == "merge" and len(again):
        # only what repeats is added up: most graphs have few parallel edges, and the rest stays as it is
        first = again[fresh[again - 1]] - 1  # the first of each run of parallel arcs
        run = first - np.searchsorted(again, first)  # the position of the run among merged arcs
        several = np.sort(np.concatenate((first, again)))
        begin = np.searchsorted(several, first)

        def sums(values: npt.NDArray[Any], name: str, most: float) -> npt.NDArray[Any]:
            merged = values[fresh]
            with np.errstate(over="ignore"):
                total = np.add.reduceat(values[several], begin, dtype=np.result_type(values, np.int64))
            fits = np.abs(total) <= most
            if not np.all(fits):
                at = int(np.argmin(fits))
                ends = divmod(int(key[first[at]]), 1 << bits)
                tail, head = ends if ids is None else ids[list(ends)].tolist()
                raise InputError(
                    f"the {name} of the parallel edges from vertex {tail!r} to {head!r} add up to "
                    f"{total[at]}: more than {most:g}; make them smaller, or keep the edges apart with "
                    "duplicates='keep'"
                )
            merged[run] = total
            return merged

        if multiplicity is None:
            multiplicity = np.ones(len(key) - len(again), np.int32)
            multiplicity[run] = np.diff(begin, append=len(several))
        else:
            multiplicity = sums(multiplicity, "multiplicities", INT32_MAX)
        weights = None if weights is None else sums(weights, "weights", np.finfo(np.float64).max)
        key = key[fresh]
    # without parallel edges there is nothing to count, and kernels need no further array
    if multiplicity is not None and not np.any(multiplicity > 1):
        multiplicity = None
    head = aligned_empty(len(key), np.int32)
    np.bitwise_and(key, (1 << bits) - 1, out=head, casting="unsafe")
    key >>= bits  # the tail
    return Arrays(
        row_ptr_of(np.bincount(key, minlength=n if rows is None else rows)),
        head,
        weights=weights,
        multiplicity=multiplicity,
        ids=ids,
        directed=directed,
        num_self_loops=int(np.count_nonzero(key == head)) if len(loops) else 0,
    )


Ends = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]


def _keys(
    ends: Ends, bits: tuple[int, int], directed: bool, loops: npt.NDArray[Any]
) -> npt.NDArray[np.int64]:
    """Sorted keys of the arcs: the tail, the head in `bits[0]` bits, the index of the edge in `bits[1]` bits.

    An undirected edge has two arcs, a self-loop (`loops` has their indices) one.
    """
    m = len(ends[0])
    keys = np.empty((1 if directed else 2, m), np.int64)
    for key, (tail, head) in zip(keys, (ends, ends[::-1]), strict=False):
        key[:] = tail
        key <<= bits[0]
        key |= head
        if bits[1]:
            key <<= bits[1]
            key |= np.arange(m)
    if directed:
        loops = loops[:0]
    # a loop is one arc: its second key must go, and cutting it out here would copy all others
    keys[-1, loops] = 2**63 - 1  # they sort to the end, and are cut off there
    key = keys.reshape(-1)
    key.sort()
    return key[: len(key) - len(loops)]


def _keys_and_edges(
    ends: Ends, n: int, directed: bool, loops: npt.NDArray[Any]
) -> tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Bits of the head in a key, the arcs' sorted keys, each arc's edge (ascending among parallel arcs)."""
    m = len(ends[0])
    bits = n.bit_length(), m.bit_length()
    if 2 * bits[0] + bits[1] <= 63:
        key = _keys(ends, bits, directed, loops)
        edge = key & ((1 << bits[1]) - 1)
        key >>= bits[1]
        return bits[0], key, edge
    # too many bits for one key: a stable sort by head, then one by tail
    edge = np.arange(m)
    tail, head = ends
    if not directed:
        edge = np.delete(np.repeat(edge, 2), 2 * loops)
        turned = np.delete(np.arange(2 * m) & 1, 2 * loops) == 1
        tail, head = (np.where(turned, back[edge], end[edge]) for end, back in (ends, ends[::-1]))
    order = stable_argsort(head)
    order = order[stable_argsort(tail[order])]
    return 32, pack(tail[order], head[order]), edge[order]


def pack(high_half: npt.NDArray[Any], low_half: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Keys that sort by `high_half` (int32, >= 0) and then by `low_half` (0 <= x < 2**32)."""
    key = high_half.astype(np.int64)
    key <<= 32
    key |= low_half
    return key


def row_ptr_of(degree: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return offsets of rows of these lengths: int32, or int64 from 2**31 arcs on."""
    # summed in 64 bits, so that a sum too long for 32 is seen rather than wrapped round
    row_ptr = np.zeros(len(degree) + 1, dtype=np.int64)
    np.cumsum(degree, out=row_ptr[1:])
    return aligned(row_ptr.astype(np.int32) if row_ptr[-1] <= INT32_MAX else row_ptr)


def stable_argsort(values: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Stable argsort of non-negative int32 numbers, by sorting keys of value and position."""
    # a position must fit in the lower half of a key
    if len(values) > LOW_HALF:
        return np.argsort(values, kind="stable")
    key = pack(values, np.arange(len(values)))
    key.sort()
    key &= LOW_HALF
    return key


def exclusive_sums(values: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], int]:
    """Exclusive prefix sums, and the total."""
    up_to = np.zeros(values.size + 1, np.int64)
    np.cumsum(values, out=up_to[1:])
    return up_to[:-1], int(up_to[-1])
