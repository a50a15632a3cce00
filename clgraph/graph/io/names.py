"""The fast path through edge lists whose ids are text: parsed and numbered by Arrow, where it is installed.

`clgraph.graph.io.edges` says what is right: anything unusual (a comment between the rows, white space
around a field, rows of different lengths, quotes inside a field) sends the whole file to its scanner instead.
"""

from __future__ import annotations

from bisect import bisect_left
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.graph.io.common import MAX_RATIO, open_binary

SMALL = 1 << 20  # bytes of a file that is scanned sooner than Arrow is imported
MARK = "\ufeff".encode()
QUOTE, COMMA, LINE_FEED, RETURN = b'",\n\r'


def read_names(
    path: Path,
    skip: int,
    width: int,
    columns: tuple[int, ...],
    delimiter: str | None,
    max_ratio: float = MAX_RATIO,
) -> tuple[Any, ...] | None:
    """The rows of a file behind its first `skip` lines by vertex number, counted by ascending id.

    Parameters
    ----------
    width : int
        Fields in a row.
    columns : tuple of int
        Of source, target and, if asked for, weight.
    delimiter : str, optional
        None: white space.

    Returns
    -------
    tail, head : int32 arrays, shape (rows,)
    weights : float64 array, shape (rows,), or None
    ids : object array of str
        Or None in place of all four: the file is left to the scanner.
    """
    if path.stat().st_size < SMALL:
        return None
    with open_binary(path, max_ratio) as file:
        before = [file.readline() for _ in range(skip)]
        text = file.read()
    if not all(map(_ends_plainly, before)):
        return None  # whoever counted the lines took a carriage return for a line's end
    return parse_names(text, width, columns, delimiter)


def parse_names(
    text: bytes, width: int, columns: tuple[int, ...], delimiter: str | None
) -> tuple[Any, ...] | None:
    """As `read_names`, of the text behind those lines."""
    if find_spec("pyarrow") is None:
        return None
    pa, csv, compute = (import_module(name) for name in ("pyarrow", "pyarrow.csv", "pyarrow.compute"))

    mark = delimiter or " "
    if min(columns[:2]) != 0 or max(columns) >= width or not _is_plain(text, mark):
        return None
    ends = [f"f{column}" for column in columns]
    types: dict[str, Any] = dict.fromkeys(ends[:2], pa.dictionary(pa.int32(), pa.string()))
    types |= dict.fromkeys(ends[2:], pa.float64())
    try:
        table = csv.read_csv(
            pa.BufferReader(text),
            csv.ReadOptions(autogenerate_column_names=True),
            csv.ParseOptions(delimiter=mark, quote_char='"' if mark == "," else False),
            csv.ConvertOptions(
                column_types=types, include_columns=ends, null_values=[], strings_can_be_null=False
            ),
        )
        if table.num_columns != len(ends) or table.num_rows == 0:
            return None
        both = pa.chunked_array([chunk for end in ends[:2] for chunk in table[end].chunks])
        both = both.unify_dictionaries()
    except pa.ArrowException:
        return None
    found = both.chunk(0).dictionary
    order = compute.sort_indices(found)
    names = found.take(order).to_pylist()
    if not _are_names(names, delimiter):
        return None
    ids = np.empty(len(names), object)
    ids[:] = names
    weights = None
    if len(ends) == 3:
        weights = table[ends[2]].to_numpy()
        if not np.all(np.isfinite(weights)):
            return None
    number = np.empty(len(ids), np.int32)
    number[order.to_numpy()] = np.arange(len(ids), dtype=np.int32)
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in both.chunks])
    tail, head = number[codes].reshape(2, -1)
    return tail, head, weights, ids


def _ends_plainly(text: bytes) -> bool:
    return text.count(b"\r") == text.count(b"\r\n")


def _is_plain(text: bytes, mark: str) -> bool:
    """Whether Arrow and the scanner agree on what is a line and a field of it."""
    if b"\0" in text or not _ends_plainly(text) or text.startswith(MARK):
        return False
    try:
        text.isascii() or text.decode()
    except UnicodeDecodeError:
        return False
    return mark != "," or b'"' not in text or _has_plain_quotes(np.frombuffer(text, np.uint8))


def _has_plain_quotes(text: npt.NDArray[np.uint8]) -> bool:
    """Whether quotes enclose whole fields of one line, and are doubled inside."""
    places = np.flatnonzero(text == QUOTE)
    line = np.searchsorted(np.flatnonzero(text == LINE_FEED), places)
    if len(places) % 2 or np.any(line[::2] != line[1::2]):
        return False
    opening, closing = places[::2], places[1::2]
    framed = np.concatenate(([LINE_FEED], text, [LINE_FEED]))
    doubled = opening[1:] == closing[:-1] + 1
    before, after = framed[opening], framed[closing + 2]
    begins = np.isin(before, (LINE_FEED, COMMA))
    begins[1:] |= doubled
    ends = np.isin(after, (LINE_FEED, COMMA, RETURN))
    ends[:-1] |= doubled
    return bool(np.all(begins) and np.all(ends))


def _are_names(names: list[str], delimiter: str | None) -> bool:
    """Whether the scanner would read these fields, in ascending order, as they are, at any place in a row."""
    if delimiter is None:
        whole = "\n".join(names).split() == names
    else:
        whole = names[0] != "" and list(map(str.strip, names)) == names
    comments = (bisect_left(names, chr(ord(mark) + 1)) - bisect_left(names, mark) for mark in "#%")
    return whole and not any(comments)
