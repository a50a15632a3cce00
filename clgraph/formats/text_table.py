"""Text formats that are tables: perhaps a header, then a row of numbers for each edge.

`TextTable` describes one whose header tells how many vertices and edges there are; its module parses that
header. `read_table` reads the rows of any: by whole blocks (`read_integers`, `read_names`), else by NumPy's
parser. Only if that fails too, or a number is out of range, `scan_rows` goes through the lines in Python: it
defines what is valid, names the line that is not, and reads the rare file that the others cannot.
"""

from __future__ import annotations

import math
import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.formats.cells import (
    cells,
    edge_chunks,
    ended_by,
    only_whole_weights,
    whole_cells,
    write_cells,
    writing,
)
from clgraph.formats.common import (
    ID_MAX,
    MAX_RATIO,
    Loaded,
    Options,
    check_vertex_count,
    counted,
    finite_weight,
    graph_of_arcs,
    numbered_lines,
    open_binary,
    open_text,
    quoted,
    unpacked_size,
    vertex_id,
)
from clgraph.formats.packed import ZSTD, Unpacked
from clgraph.graph.graph import Graph
from clgraph.system import no_warnings

Lines = Iterable[tuple[int, str]]  # with their numbers
Rows = tuple[Any, Any, Any]  # source, target, weights or None

# one field of a row with quotes, and what ends it: "text with "" and ,", or text that begins with no quote
FIELD = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|((?:[^",\s][^,]*)?))(,|\Z)')


@dataclass(frozen=True)
class Layout:
    """Layout of the rows of one file."""

    columns: tuple[int, ...]  # of source, target and, if wanted, weight
    width: int  # fields in the first row
    skip: int  # lines before it
    delimiter: str | None = None  # None: any run of white space
    comment: str = "#"  # the character that opens comments; of a `row` the word that begins them
    header: str | None = None
    note: str = ""  # on a first row that may have been meant as a header
    further: int = 0  # columns behind these
    empty: bool = False  # no row follows
    row: str = ""  # what a row is, where all have `width` fields: "an edge 'source,target' should be"
    mark: str = ""  # the word that each of these begins with
    ids: tuple[int, int] = (0, ID_MAX)  # the lowest and the highest
    lightest: float = -math.inf  # the lowest weight
    whole: bool = False  # whether weights are whole numbers (Matrix Market's, on devices)


def read_table(path: Path, layout: Layout, options: Options) -> Rows:
    """The rows of a file: source ids, target ids, weights or None."""
    if options.ids == "int" and not layout.empty:
        weighted = len(layout.columns) == 3
        plain = None if weighted else read_integers(path, layout, options.max_ratio)
        if plain is not None and (not layout.row or _are_ids(layout, *plain)):
            return plain[0], plain[1], None
    # NumPy would unpack whatever comes, and the scanner keeps all rows
    unpacked_size(path, options.max_ratio)
    # NumPy takes signs, which rows of a fixed form do not have
    if options.ids == "int" and not layout.empty and (weighted or not layout.row):
        # NumPy reads a named file in blocks, an open one line by line
        named = nullcontext(os.path.abspath(path))
        with open_text(path, "latin-1", options.max_ratio) if path.suffix == ZSTD else named as file:
            if (rows := load_rows(file, layout)) is not None:
                return rows
    return scan_rows(
        numbered_lines(path, encoding_of(options), options.max_ratio), str(path), layout, options
    )


def encoding_of(options: Options) -> str:
    """Return the encoding of a table's text."""
    # integers need no decoding, and comments are often in some old encoding: latin-1 takes any byte
    return "utf-8" if options.ids == "str" else "latin-1"


def load_rows(file: Any, layout: Layout) -> Rows | None:
    """Return the rows of a file, given by name or open, by NumPy; None where it does not take one."""
    weighted = len(layout.columns) == 3
    # of the mark two characters, so that no longer word is taken for it
    kinds: list[tuple[str, Any]] = [("mark", "S2")] if layout.mark else []
    kinds += [("source", np.int64), ("target", np.int64), ("weight", np.float64)]
    try:
        # "no data": the scan says it better; an older NumPy takes 1.5 for an integer
        with no_warnings(errors=DeprecationWarning):
            table = np.loadtxt(
                file,
                dtype=kinds if weighted else np.int64,
                comments=None if layout.row else layout.comment,
                delimiter=layout.delimiter,
                skiprows=layout.skip,
                usecols=None if layout.row else layout.columns,
                ndmin=1 if weighted else 2,
                quotechar=None,  # a stray quote would swallow rows up to the next one
                encoding="latin-1",
            )
    except (ValueError, DeprecationWarning):
        return None
    if len(table) == 0 or (layout.mark and np.any(table["mark"] != layout.mark.encode())):
        return None
    source, target = (table["source"], table["target"]) if weighted else (table[:, 0], table[:, 1])
    weights = table["weight"] if weighted else None
    if not _are_ids(layout, source, target):
        return None
    if weights is not None and not np.all(np.isfinite(weights) & (weights >= layout.lightest)):
        return None
    return source, target, weights


def _are_ids(layout: Layout, *ends: Any) -> bool:
    lowest, highest = layout.ids
    return all(len(end) == 0 or (end.min() >= lowest and end.max() <= highest) for end in ends)


def scan_rows(numbered: Lines, path: str, layout: Layout, options: Options) -> Rows:
    """Read row by row; the first bad row raises an InputError that names its line."""
    ends: tuple[list[Any], list[Any]] = ([], [])
    weights: list[float] = []
    as_int, weighted = options.ids == "int", len(layout.columns) == 3
    for number, line in numbered:
        if number <= layout.skip:
            continue
        if as_int and not layout.row:
            line = line.split("#")[0].split("%")[0]
        line = line.strip(" \r\n" if layout.delimiter == "\t" else None)
        if not line or (not layout.row and line[0] in "#%"):
            continue
        where = f"{path}, line {number}"
        fields = split_row(line, layout.delimiter, where)
        if layout.row and fields[0] == layout.comment:
            continue
        _check_fields(where, line, fields, layout)
        for end, column in zip(ends, layout.columns, strict=False):
            name = fields[column]
            if as_int:
                end.append(vertex_id(where, name.strip(), layout.ids, plus=True))
            elif name:
                end.append(name)
            else:
                raise InputError(f"{where}: an empty id in {quoted(line)}; complete or delete the line")
        if weighted:
            text = fields[layout.columns[2]].strip()
            weights.append(finite_weight(where, text, always=bool(layout.row)))
            if weights[-1] < layout.lightest:
                raise InputError(f"{where}: weight {quoted(text)} is below {layout.lightest:g}; correct it")
    source, target = (np.array(end, np.int64 if as_int else object) for end in ends)
    return source, target, np.array(weights) if weighted else None


def _check_fields(where: str, line: str, fields: list[str], layout: Layout) -> None:
    """Raise InputError unless a row has the fields that it should."""
    if layout.row:
        if len(fields) != layout.width or (layout.mark and fields[0] != layout.mark):
            raise InputError(f"{where}: {quoted(line)} where {layout.row}")
    elif len(fields) <= max(layout.columns):
        weighted = len(layout.columns) == 3
        wanted = "two ids and a weight" if weighted else "two ids"
        hint = "complete or delete the line"
        if weighted and len(fields) > 1:
            hint += ", or leave weights=True out"
        raise InputError(
            f"{where}: {counted(len(fields), 'field')} in {quoted(line)}, but a row is {wanted}; {hint}"
        )


def split_row(line: str, delimiter: str | None, where: str) -> list[str]:
    """The fields of a row, without white space around them; what is in quotes stays as it is."""
    if delimiter != "," or '"' not in line:
        return [field.strip() for field in line.split(delimiter)]
    fields, place, more = [], 0, True
    while more:
        found = FIELD.match(line, place)
        if found is None:
            raise InputError(f"{where}: quotes that do not match in {quoted(line)}; correct them")
        inside, bare, comma = found.groups()
        fields.append(bare.strip() if inside is None else inside.replace('""', '"'))
        place, more = found.end(), bool(comma)
    return fields


# --- the fast path where ids are text: parsed and numbered by Arrow, where it is installed ---
#
# Anything unusual (a comment between the rows, white space around a field, rows of different lengths, quotes
# inside a field) sends the whole file to `scan_rows` instead.


SMALL = 1 << 20  # bytes of a file that is scanned sooner than Arrow is imported
MARK = "\ufeff".encode()
QUOTE, COMMA, LINE_FEED, RETURN = b'",\n\r'


def read_names(path: Path, layout: Layout, max_ratio: float = MAX_RATIO) -> tuple[Any, ...] | None:
    """Return tails and heads by vertex number, weights or None, and ids; None leaves the file to the scanner.

    Vertices are counted by ascending id.
    """
    if path.stat().st_size < SMALL:
        return None
    with open_binary(path, max_ratio) as file:
        before = [file.readline() for _ in range(layout.skip)]
        text = file.read()
    if not all(map(_ends_plainly, before)):
        return None  # whoever counted the lines took a carriage return for a line's end
    return parse_names(text, layout)


def parse_names(text: bytes, layout: Layout) -> tuple[Any, ...] | None:
    """As `read_names`, of the text behind the lines to skip."""
    if find_spec("pyarrow") is None:
        return None
    pa, csv, compute = (import_module(name) for name in ("pyarrow", "pyarrow.csv", "pyarrow.compute"))

    columns, mark = layout.columns, layout.delimiter or " "
    if min(columns[:2]) != 0 or max(columns) >= layout.width or not _is_plain(text, mark):
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
    if not _are_names(names, layout.delimiter):
        return None
    ids = np.empty(len(names), object)
    ids[:] = names
    weights = table[ends[2]].to_numpy() if len(ends) == 3 else None
    if weights is not None and not np.all(np.isfinite(weights)):
        return None
    number = np.empty(len(ids), np.int32)
    number[order.to_numpy()] = np.arange(len(ids), dtype=np.int32)
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in both.chunks])
    tail, head = number[codes].reshape(2, -1)
    return tail, head, weights, ids


def _ends_plainly(text: bytes) -> bool:
    return text.count(b"\r") == text.count(b"\r\n")


def _is_plain(text: bytes, mark: str) -> bool:
    """True if Arrow and the scanner agree on what is a line and a field of it."""
    if b"\0" in text or not _ends_plainly(text) or text.startswith(MARK):
        return False
    try:
        text.isascii() or text.decode()
    except UnicodeDecodeError:
        return False
    return mark != "," or b'"' not in text or _has_plain_quotes(np.frombuffer(text, np.uint8))


def _has_plain_quotes(text: npt.NDArray[np.uint8]) -> bool:
    """True if quotes enclose whole fields of one line, and are doubled inside."""
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
    """True if the scanner would read these fields, in ascending order, as they are, at any place in a row."""
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


def read_integers(path: Path, layout: Layout, max_ratio: float = MAX_RATIO) -> Columns | None:
    """Return the columns of a file whose rows are integers, one character apart; None for anything else."""
    parts: list[Columns] = []
    rest = b""
    with open_binary(path, max_ratio) as file:
        for _ in range(layout.skip):
            if b"\r" in file.readline().removesuffix(b"\n").removesuffix(b"\r"):
                return None  # whoever counted the lines to skip took this for a line end
        while data := file.read(BLOCK):
            cut = data.rfind(b"\n") + 1
            block, rest = b"".join((bytes(PAD), rest, data[:cut])), rest * (not cut) + data[cut:]
            if cut:
                if (found := _integers(block, layout)) is None:
                    return None
                parts.append(found)
            if len(rest) > BLOCK:
                return None
    if rest:
        if (found := integer_rows(rest + b"\n", layout)) is None:
            return None
        parts.append(found)
    return [np.concatenate(part) for part in zip(*parts, strict=True)] if parts else None


def integer_rows(lines: bytes, layout: Layout) -> Columns | None:
    """Return the columns of whole lines of integers, one character apart; None if they hold anything else."""
    return _integers(bytes(PAD) + lines, layout)


def _integers(block: bytes, layout: Layout) -> Columns | None:
    """As `integer_rows`, of lines behind `PAD` bytes."""
    if max(layout.columns) >= layout.width:
        return None
    separators = (44,) if layout.delimiter == "," else (9, 32)
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    text = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(text < ord("0"))[PAD:]
    if len(ends) % layout.width or text.max() > ord("9"):
        return None
    separator = text[ends].reshape(-1, layout.width)
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
    table = values.reshape(-1, layout.width)
    found = (table[:, column] for column in layout.columns)
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


# --- formats that list their vertices, each in a line, before the rows ---


def listed_vertices(
    lines: Iterator[tuple[int, str]], path: Path, options: Options, *, end: str | None = None
) -> tuple[dict[Any, str], int]:
    """Return the vertices of lines and their labels, and the number of the last line.

    With `end` a line is an id and perhaps a label, and the list ends with a line of this word; without it a
    line is an id.
    """
    labels: dict[Any, str] = {}
    number = 0
    for number, line in lines:
        name, label = (line.strip(), "") if end is None else [*line.split(None, 1), "", ""][:2]
        if not name:
            continue
        if name == end:
            return labels, number
        vertex = name if options.ids == "str" else vertex_id(f"{path}, line {number}", name)
        if vertex in labels:
            raise InputError(f"{path}, line {number}: vertex {quoted(name)} a second time; keep it once")
        labels[vertex] = label.strip()
    if end is not None:
        raise InputError(f"{path}: no line {end!r} between vertices and edges; is this a .tgf file?")
    return labels, number


def listed_graph(
    path: Path, rows: Rows, vertices: Any, options: Options, directed: bool, where: str
) -> Graph:
    """Return the graph of rows between listed vertices; an InputError names the first other one."""
    source, target, weights = rows
    graph = Graph.from_edges(
        source, target, weights=weights, directed=directed, duplicates=options.duplicates, vertices=vertices
    )
    if graph.num_vertices > len(vertices):
        known = set(vertices.tolist())
        ends = enumerate(zip(source.tolist(), target.tolist(), strict=True), 1)
        row, vertex = next((row, v) for row, both in ends for v in both if v not in known)
        raise InputError(f"{path}, row {row}: vertex {vertex} is not in {where}; add it there")
    return graph


# --- formats whose header announces what follows ---


@dataclass(frozen=True)
class Header:
    """Header of a text table: counts, direction, and where it ends."""

    n: int  # vertices, numbered from 1
    rows: int
    directed: bool
    line: int  # the number of the last of these lines


@dataclass(frozen=True)
class TextTable:
    """A text format: a header that counts vertices and edges, then a row of numbers for each edge."""

    title: str  # what messages call it
    parse_header: Callable[[Path, Iterator[tuple[int, str]]], Header]  # of the path and the numbered lines
    header: Callable[[Graph], str]  # of a graph to be written
    row: str  # what a row is, its noun second: "an edge 'source,target' should be"
    delimiter: str | None = None  # what separates fields; None: white space
    mark: str = ""  # the word that begins rows
    comment: str = ""  # the word that begins comments
    # whether each row ends with a weight, a whole number when it is written; else there are none
    weighted: bool = False
    twins: bool = False  # whether each edge of an undirected graph is two rows

    def read(self, path: Path, options: Options) -> Loaded:
        """Read a file (see `clgraph.read`)."""
        noun = self.row.split()[1]
        header = self.parse_header(path, numbered_lines(path, "latin-1", options.max_ratio))
        n, count = header.n, header.rows
        check_vertex_count(path, n, options)
        first, size = len(self.mark[:1]), path.stat().st_size
        width = first + 2 + self.weighted
        with open_binary(path, options.max_ratio) as file:
            plain = not isinstance(file.raw, Unpacked)  # type: ignore[attr-defined]
        # a field and what ends it are two bytes; of a compressed file the rows are counted
        if plain and count > size // (2 * width) + 1:
            raise InputError(
                f"{path}, line {header.line}: announces {count} {noun}s in only {size} bytes; download "
                "it again"
            )
        layout = Layout(
            tuple(range(first, width)),
            width,
            header.line,
            self.delimiter,
            self.comment,
            row=self.row,
            mark=self.mark,
            ids=(1, n),
        )
        source, target, weights = read_table(path, layout, options)
        if len(source) != count:
            raise InputError(
                f"{path}, line {header.line}: says {count} {noun}s, but {len(source)} follow; download it "
                "again or correct the line"
            )
        # files count vertices from 1
        tail, head = (end.astype(np.int32) - np.int32(1) for end in (source, target))
        directed = options.direction(header.directed)
        if directed and not header.directed:  # both arcs of each edge
            other = tail != head
            tail, head = np.concatenate((tail, head[other])), np.concatenate((head, tail[other]))
        arcs = tail, head, weights if options.weights else None
        graph = graph_of_arcs(arcs, n, options, directed, first=1, twins=self.twins)
        skipped = [f"{noun} weights"] if self.weighted and not options.weights else []
        return Loaded(graph, counted(count, noun), skipped)

    def write(self, graph: Graph, path: Path) -> list[str]:
        """Write a file; returns notes of its own on what it does not hold."""
        if self.weighted:
            only_whole_weights(graph, path, self.title)
        names = cells(np.arange(1, graph.num_vertices + 1), (self.delimiter or " ").encode())
        last = names if self.weighted else ended_by(names, b"\n")
        mark = cells(np.array([self.mark.encode()]), b" ")
        with writing(path) as file:
            file.write(self.header(graph).encode())
            for tail, head, weight in edge_chunks(graph, both_arcs=self.twins):
                columns = [mark[np.zeros(len(tail), np.int8)]] if self.mark else []
                columns += [names[tail], last[head]]
                if self.weighted:
                    columns.append(whole_cells(np.ones(len(tail)) if weight is None else weight, b"\n"))
                write_cells(file, *columns)
        notes = []
        if self.weighted and graph.weights is None:
            notes.append("arcs written with weight 1, which the format needs")
        if self.twins and not graph.directed:
            notes.append("each edge written as two arcs (the format is directed)")
        return notes
