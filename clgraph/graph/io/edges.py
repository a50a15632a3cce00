"""Edge lists: one edge per row, two ids and perhaps a weight.

These are SNAP's files (comments begin with ``#``), networkrepository's (``%``), and CSV with or without a
header; fields are separated by commas, tabs or spaces, lines end in LF or CRLF. Plain files take the fast
path (`read_integers`), others NumPy's parser. Only if that fails too, or a number is out of range, `_scan`
goes through the lines in Python: it defines what is valid, names the line that is not, and reads the rare
file that the others cannot.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from clgraph.arguments import real_number, whole_number
from clgraph.errors import InputError
from clgraph.graph.graph import Graph, build_csr
from clgraph.graph.io.common import (
    ID_MAX,
    MAX_RATIO,
    Loaded,
    Options,
    counted,
    encoded,
    finite_weight,
    id_cells,
    no_place,
    numbered_lines,
    open_binary,
    open_text,
    plain_name,
    reading,
    unpacked_size,
    write_rows,
    writing,
)
from clgraph.graph.io.packed import SUFFIXES, ZSTD
from clgraph.system import no_warnings

# --- the fast path where ids are text: parsed and numbered by Arrow, where it is installed ---
#
# Anything unusual (a comment between the rows, white space around a field, rows of different lengths, quotes
# inside a field) sends the whole file to `_scan` instead.


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


# --- the fast path through rows of plain non-negative integers, parsed by NumPy in blocks ---
#
# `numpy.loadtxt` takes 3.1 s for 16 million rows; blocks that stay in the cache, parsed eight digits at a
# time (D. Lemire's multiplications, as in simdjson, on arrays of 64-bit words), take 1.2 s. Anything unusual
# (a sign, a comment between the rows, a missing field, two blanks in a row) sends the whole file to
# `numpy.loadtxt` instead, so nothing here has to deal with it.


Columns = list[npt.NDArray[np.integer]]

BLOCK = 1 << 22  # bytes
PAD = 16  # zero bytes before each block, so that the 16 bytes before any number's end exist
# of the 8 bytes before a number's end, the low halves of the last k: its digits
DIGITS = np.array([(2**64 - (1 << (64 - 8 * k))) & 0x0F0F0F0F0F0F0F0F for k in range(9)], np.uint64)


def read_integers(
    path: Path, skip: int, width: int, columns: tuple[int, ...], comma: bool, max_ratio: float = MAX_RATIO
) -> Columns | None:
    """Columns of a file whose lines after the first `skip` are `width` integers, one character apart.

    Returns
    -------
    list of int32 or int64 arrays, or None if the file holds anything else
    """
    parts: list[Columns] = []
    rest = b""
    if max(columns) >= width:
        return None
    with open_binary(path, max_ratio) as file:
        for _ in range(skip):
            if b"\r" in file.readline().removesuffix(b"\n").removesuffix(b"\r"):
                return None  # whoever counted the lines to skip took this for a line end
        while data := file.read(BLOCK):
            cut = data.rfind(b"\n") + 1
            block, rest = b"".join((bytes(PAD), rest, data[:cut])), rest * (not cut) + data[cut:]
            if cut:
                if (found := _integers(block, width, columns, comma)) is None:
                    return None
                parts.append(found)
            if len(rest) > BLOCK:
                return None
    if rest:
        if (found := integer_rows(rest + b"\n", width, columns, comma)) is None:
            return None
        parts.append(found)
    return [np.concatenate(part) for part in zip(*parts, strict=True)] if parts else None


def integer_rows(lines: bytes, width: int, columns: tuple[int, ...], comma: bool) -> Columns | None:
    """Columns of whole lines of `width` integers, one character apart; None if they hold anything else."""
    return None if max(columns) >= width else _integers(bytes(PAD) + lines, width, columns, comma)


def _integers(block: bytes, width: int, columns: tuple[int, ...], comma: bool) -> Columns | None:
    """As `integer_rows`, of lines behind `PAD` bytes."""
    separators = (44,) if comma else (9, 32)
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    text = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(text < ord("0"))[PAD:]
    if len(ends) % width or text.max() > ord("9"):
        return None
    separator = text[ends].reshape(-1, width)
    between = separator[:, :-1]
    right = (between == separators[0]) | (between == separators[-1])
    if not (np.all(separator[:, -1] == ord("\n")) and np.all(right)):
        return None
    length = np.diff(ends, prepend=PAD - 1) - 1
    longest = int(length.max(initial=1))
    if length.min(initial=1) < 1 or longest > 16:
        return None
    words = np.ndarray(len(text) - 7, "<u8", block, strides=(1,))  # the 8 bytes from each position on
    values = _eight_digits(words[ends - 8], np.minimum(length, 8))
    if longest > 8:
        values += _eight_digits(words[ends - 16], np.maximum(length - 8, 0)) * np.uint64(10**8)
    table = values.reshape(-1, width)
    found = (table[:, column] for column in columns)
    return [each.astype(np.int32 if each.max(initial=0) < 2**31 else np.int64) for each in found]


def _eight_digits(words: npt.NDArray[np.uint64], length: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """The numbers that the last `length` bytes of each word spell: by pairs of digits, of pairs, of fours."""
    words &= DIGITS[length]
    for factor, shift, mask in ((2561, 8, 0x00FF00FF00FF00FF), (6553601, 16, 0x0000FFFF0000FFFF)):
        words *= np.uint64(factor)
        words >>= np.uint64(shift)
        words &= np.uint64(mask)
    words *= np.uint64(42949672960001)
    words >>= np.uint64(32)
    return words


SOURCE_NAMES = ("source", "src", "from", "fromnodeid", "from_node", "u", "tail", "start", "id1", "node1")
TARGET_NAMES = ("target", "dst", "to", "tonodeid", "to_node", "v", "head", "end", "id2", "node2")
WEIGHT_NAMES = ("weight", "w", "value", "cost")
NO_EDGES = "# no edges"  # a file of comments alone may have been cut off, but one that says so is whole
SEPARATORS = re.compile(r"[\t\n\r]")
# one field of a row with quotes, and what ends it: "text with "" and ,", or text that begins with no quote
FIELD = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|((?:[^",\s][^,]*)?))(,|\Z)')


def named_columns(names: Iterable[str]) -> list[int | None]:
    """Which columns are called as sources, targets and weights are; None where none is."""
    lower = [name.lower() for name in names]
    known = SOURCE_NAMES, TARGET_NAMES, WEIGHT_NAMES
    return [next((i for i, name in enumerate(lower) if name in some), None) for some in known]


@dataclass(frozen=True)
class Layout:
    """How the rows of one file look."""

    comment: str  # the character that opens comments
    delimiter: str | None  # None: any run of white space
    columns: tuple[int, ...]  # of source, target and, if asked for, weight
    width: int  # fields in the first row
    skip: int  # lines before it
    header: str | None
    note: str  # on a first row that may have been meant as a header
    further: int  # columns behind these
    empty: bool = False  # no row follows


def read_edges(path: Path, options: Options) -> Loaded:
    """Read an edge list (see `clgraph.read`)."""
    how: dict[str, Any] = {"directed": options.direction(), "duplicates": options.duplicates}
    named = None
    if options.ids == "str":
        with reading(path):
            layout = look(path, options)
            shape = layout.width, layout.columns, layout.delimiter
            named = read_names(path, layout.skip, *shape, options.max_ratio)
    if named is not None:
        source, target, weights, ids = named
        graph = build_csr(source, target, len(ids), weights=weights, ids=ids, **how)
    else:
        source, target, weights, layout = read_rows(path, options)
        graph = Graph.from_edges(source, target, weights=weights, **how)
    return Loaded(graph, counted(len(source), "row") + layout.note, skipped_lines(layout))


def skipped_lines(layout: Layout) -> list[str]:
    """What was skipped, for the summary."""
    header = [] if layout.header is None else [f"header {layout.header!r}"]
    return [*header, *([counted(layout.further, "further column")] if layout.further else [])]


def read_rows(path: Path, options: Options) -> tuple[Any, Any, Any, Layout]:
    """Source ids, target ids, weights or None, and how the rows look."""
    with reading(path):
        layout = look(path, options)
        rows = _parse(path, layout, options) if options.ids == "int" and not layout.empty else None
        return *(_scan(path, layout, options) if rows is None else rows), layout


def _encoding(options: Options) -> str:
    # integers need no decoding, and comments are often in some old encoding: latin-1 takes any byte
    return "utf-8" if options.ids == "str" else "latin-1"


def look(path: Path, options: Options) -> Layout:
    """Find the first row and how it is laid out."""
    return layout_of(numbered_lines(path, _encoding(options), options.max_ratio), str(path), options)


def layout_of(lines_of: Iterable[tuple[int, str]], path: str, options: Options) -> Layout:
    """The same, of numbered lines that come from somewhere of this name."""
    comment, lines, says_so = "#", 0, False
    numbered = iter(lines_of)
    for number, raw in numbered:
        lines, line = number, raw.strip()
        if line and line[0] not in "#%":
            break
        comment = line[0] if line else comment
        says_so = says_so or line == NO_EDGES
    else:
        if says_so:
            width = 3 if options.weights else 2
            return Layout(comment, None, tuple(range(width)), width, lines, None, "", 0, empty=True)
        what = "is blank or a comment" if lines == 1 else "are blank or comments"
        raise InputError(f"{path}: holds no edges: its {counted(lines, 'line')} {what}")
    delimiter = None
    if options.ids == "str" and "\t" in line:
        delimiter = "\t"
    elif "," in line:
        delimiter = ","
    fields = _split(line, delimiter, f"{path}, line {lines}")
    names = [field.strip().lower() for field in fields]
    source, target, weight = named_columns(names)
    following = next(
        ((n, text) for n, raw in numbered if (text := raw.strip()) and text[0] not in "#%"), None
    )
    is_header, note = options.header, ""
    if is_header is None and source is not None and target is not None:
        is_header = options.ids == "int"
        if not is_header and following is not None:
            row = _split(following[1], delimiter, f"{path}, line {following[0]}")
            is_header = _unlike(fields, row)
        if not is_header and names[:2] == ["source", "target"]:
            # as clgraph writes it: names alone
            is_header = delimiter == "," and not any(map(_is_number, fields))
        if not is_header:
            note = f"; the first, {line[:80]!r}, is an edge (a header is asked for by --header)"
    elif is_header is None:
        words = delimiter == "," and len(fields) > 1 and not any(map(_is_number, fields))
        is_header = options.ids == "int" and words
    empty = is_header and following is None
    if empty and (source is None or target is None):
        raise InputError(f"{path}: holds no edges, only the header {line!r}")
    columns = [0, 1, 2]
    if is_header and source is not None and target is not None:
        rest = [i for i in range(len(fields)) if i not in (source, target)]
        columns = [source, target, weight if weight is not None else (rest or [len(fields)])[0]]
    row = following[1].split(delimiter) if is_header and following is not None else fields
    further = len(row) - 2 - options.weights
    if not options.weights and columns[2] < len(row) and _is_number(row[columns[2]]):
        note += "; weights not read (use --weights)"
        further -= 1
    skip = lines if is_header else lines - 1
    wanted = tuple(columns[: 3 if options.weights else 2])
    head = line if is_header else None
    return Layout(comment, delimiter, wanted, len(fields), skip, head, note, max(further, 0), bool(empty))


def _unlike(first: list[str], row: list[str]) -> bool:
    """Whether a row looks different from the first: numbers where that has words."""
    pairs = zip(first, row, strict=False)
    changes = [_is_number(other) and not _is_number(one) for one, other in pairs]
    return (len(changes) > 1 and all(changes[:2])) or any(changes[2:])


def _parse(path: Path, layout: Layout, options: Options) -> tuple[Any, Any, Any] | None:
    """Integers (and weights) by NumPy; None if the file holds anything that it or we do not accept."""
    weighted = len(layout.columns) == 3
    if not weighted:
        shape = layout.width, layout.columns, layout.delimiter == ","
        plain = read_integers(path, layout.skip, *shape, options.max_ratio)
        if plain is not None:
            return plain[0], plain[1], None
    unpacked_size(path, options.max_ratio)  # NumPy would unpack whatever comes
    kinds = [("source", np.int64), ("target", np.int64), ("weight", np.float64)]
    table = numpy_table(
        path,
        options,
        dtype=kinds if weighted else np.int64,
        comments=layout.comment,
        delimiter=layout.delimiter,
        skiprows=layout.skip,
        usecols=layout.columns,
        ndmin=1 if weighted else 2,
    )
    if table is None:
        return None
    source, target = (table["source"], table["target"]) if weighted else (table[:, 0], table[:, 1])
    weights = table["weight"] if weighted else None
    if len(table) == 0 or min(source.min(), target.min()) < 0:
        return None
    if weights is not None and not np.all(np.isfinite(weights)):
        return None
    return source, target, weights


def numpy_table(path: Path, options: Options, **how: Any) -> Any:
    """The table that `numpy.loadtxt` reads; None where it does not take a line."""
    # NumPy reads a named file in blocks, an open one line by line
    named = nullcontext(os.path.abspath(path))
    try:
        with (
            open_text(path, "latin-1", options.max_ratio) if path.suffix == ZSTD else named as file,
            # "no data": the scan says it better; an older NumPy takes 1.5 for an integer
            no_warnings(errors=DeprecationWarning),
        ):
            # a stray quote would swallow rows up to the next one
            return np.loadtxt(file, quotechar=None, encoding="latin-1", **how)
    except (ValueError, DeprecationWarning):
        return None


def _scan(path: Path, layout: Layout, options: Options) -> tuple[Any, Any, Any]:
    """Read row by row; the first bad row raises an InputError that names its line."""
    unpacked_size(path, options.max_ratio)  # before millions of rows are kept
    numbered = numbered_lines(path, _encoding(options), options.max_ratio)
    return scan_rows(numbered, str(path), layout, options)


def scan_rows(
    numbered: Iterable[tuple[int, str]], path: str, layout: Layout, options: Options
) -> tuple[Any, Any, Any]:
    """The same, of numbered lines that come from somewhere of this name."""
    ends: tuple[list[Any], list[Any]] = ([], [])
    weights: list[float] = []
    as_int = options.ids == "int"
    for number, line in numbered:
        if number <= layout.skip:
            continue
        if as_int:
            line = line.split("#")[0].split("%")[0]
        line = line.strip(" \r\n" if layout.delimiter == "\t" else None)
        if not line or line[0] in "#%":
            continue
        where = f"{path}, line {number}"
        fields = _split(line, layout.delimiter, where)
        if len(fields) <= max(layout.columns):
            wanted = "two ids and a weight" if options.weights else "two ids"
            hint = "complete or delete the line"
            if options.weights and len(fields) > 1:
                hint += ", or leave weights=True out"
            raise InputError(
                f"{where}: {counted(len(fields), 'field')} in {line[:80]!r}, but a row is {wanted}; {hint}"
            )
        for end, column in zip(ends, layout.columns, strict=False):
            name = fields[column]
            if as_int:
                end.append(_integer(where, name.strip()))
            elif name:
                end.append(name)
            else:
                raise InputError(f"{where}: an empty id in {line[:80]!r}; complete or delete the line")
        if options.weights:
            weights.append(finite_weight(where, fields[layout.columns[2]].strip()))
    source, target = (np.array(end, np.int64 if as_int else object) for end in ends)
    return source, target, np.array(weights) if options.weights else None


def _integer(where: str, name: str) -> int:
    value = None if name.startswith("-") else whole_number(name)
    if value is None or value > ID_MAX:
        _bad_id(where, name)
    return value


def _bad_id(where: str, name: str) -> NoReturn:
    if name.isascii() and name.lstrip("+-").isdigit():
        what = "is negative" if name[0] == "-" else "does not fit in 64 bits"
        raise InputError(
            f"{where}: id {name[:80]} {what}; ids are whole numbers from 0 to {ID_MAX}, or text with "
            "ids='str'"
        )
    raise InputError(
        f"{where}: {name[:80]!r} where a vertex id, a whole number, should be; "
        "if ids are text, read with ids='str'"
    )


def _split(line: str, delimiter: str | None, where: str) -> list[str]:
    """The fields of a row, without white space around them; what is in quotes stays as it is."""
    if delimiter != "," or '"' not in line:
        return [field.strip() for field in line.split(delimiter)]
    fields, place, more = [], 0, True
    while more:
        found = FIELD.match(line, place)
        if found is None:
            raise InputError(f"{where}: quotes that do not match in {line[:80]!r}; correct them")
        quoted, bare, comma = found.groups()
        fields.append(bare.strip() if quoted is None else quoted.replace('""', '"'))
        place, more = found.end(), bool(comma)
    return fields


def _is_number(text: str) -> bool:
    return real_number(text.strip()) is not None


def write_edges(graph: Graph, path: Path) -> list[str]:
    """Write an edge list: tabs, or commas and a header for .csv; one row an edge, u <= v if undirected.

    Returns notes on what the file does not hold.
    """
    separator = b"," if has_commas(path) else b"\t"
    names = id_cells(graph, separator, partial(name_in, path))
    with writing(path) as file:
        file.write(head_of(path, graph.is_weighted, graph.num_arcs))
        write_rows(file, graph, names)
    return lost_in_edges(graph)


def has_commas(path: Path) -> bool:
    """Whether a file of this name is written with commas and a header."""
    plain = path.with_suffix("") if path.suffix in SUFFIXES else path
    return plain.suffix == ".csv"


def head_of(path: Path, weighted: bool, arcs: int) -> bytes:
    """What stands before the rows: the header of a .csv file, in others a comment if there are no rows."""
    if has_commas(path):
        return b"source,target,weight\n" if weighted else b"source,target\n"
    return b"" if arcs else f"{NO_EDGES}\n".encode()


def name_in(path: Path, name: str) -> bytes:
    """An id that is text as a file of this name has it; InputError if it would not be read again."""
    return _csv_name(path, name) if has_commas(path) else plain_name(path, name, SEPARATORS)


def _csv_name(path: Path, name: str) -> bytes:
    """An id as CSV writes it: in quotes where it could be taken for something else without them."""
    if "\n" in name or "\r" in name:
        raise no_place(path, name, "holds the end of a line")
    text = encoded(path, name)
    if name != name.strip() or name[0] in "#%" or "," in name or '"' in name:
        return b'"' + text.replace(b'"', b'""') + b'"'
    return text


def lost_in_edges(graph: Graph) -> list[str]:
    """What an edge list does not hold."""
    notes = isolated_note(graph)
    if graph.multiplicity is not None:
        notes.append(f"{graph.num_duplicates} merged parallel edges written once")
    return notes


def isolated_note(graph: Graph) -> list[str]:
    """A note where vertices have no edges, which a list of edges does not hold."""
    touched = graph.degrees > 0
    if graph.directed:  # else every head is a tail as well
        touched[graph.col_idx] = True
    isolated = graph.num_vertices - int(np.count_nonzero(touched))
    return [f"{counted(isolated, 'vertex', 'vertices')} without edges left out"] if isolated else []
