"""Edge lists: one edge per row, two ids and perhaps a weight.

These are SNAP's files (comments begin with ``#``), networkrepository's (``%``), and CSV with or without a
header; fields are separated by commas, tabs or spaces, lines end in LF or CRLF. Plain files take the fast
path (`digits`), others NumPy's parser. Only if that fails too, or a number is out of range, `_scan` goes
through the lines in Python: it defines what is valid, names the line that is not, and reads the rare file
that the others cannot.
"""

from __future__ import annotations

import csv
import math
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph.graph import Graph
from clgraph.graph.io.common import (
    Loaded,
    Options,
    cells,
    counted,
    id_cells,
    open_binary,
    open_text,
    reading,
    write_cells,
    writing,
)
from clgraph.graph.io.digits import read_integers

SOURCE_NAMES = ("source", "src", "from", "fromnodeid", "from_node", "u", "tail", "start", "id1", "node1")
TARGET_NAMES = ("target", "dst", "to", "tonodeid", "to_node", "v", "head", "end", "id2", "node2")
WEIGHT_NAMES = ("weight", "w", "value", "cost")
ID_MAX = 2**63 - 1
CHUNK = 1 << 18  # rows written at a time: a few MB, which stay in the cache


@dataclass(frozen=True)
class _Layout:
    """How the rows of one file look."""

    comment: str  # the character that opens comments
    delimiter: str | None  # None: any run of white space
    columns: tuple[int, ...]  # of source, target and, if asked for, weight
    width: int  # fields in the first row
    skip: int  # lines before it
    header: str | None


def read_edges(path: Path, options: Options) -> Loaded:
    """Read an edge list (see `clgraph.read`)."""
    source, target, weights, header = read_rows(path, options)
    graph = Graph.from_edges(
        source, target, weights=weights, directed=options.direction(), duplicates=options.duplicates
    )
    return Loaded(graph, counted(len(source), "row"), [] if header is None else [f"header {header!r}"])


def read_rows(path: Path, options: Options) -> tuple[Any, Any, Any, str | None]:
    """Source ids, target ids, weights or None, and the header line if there is one."""
    with reading(path):
        layout = _look(path, options)
        rows = _parse(path, layout) if options.ids == "int" else None
        return *(_scan(path, layout, options) if rows is None else rows), layout.header


def _encoding(options: Options) -> str:
    # integers need no decoding, and comments are often in some old encoding: latin-1 takes any byte
    return "utf-8" if options.ids == "str" else "latin-1"


def _look(path: Path, options: Options) -> _Layout:
    """Find the first row and how it is laid out."""
    comment, lines = "#", 0
    with _text(path, options) as file:
        for number, raw in _numbered(file, path):
            lines, line = number, raw.strip()
            if line and line[0] not in "#%":
                break
            comment = line[0] if line else comment
        else:
            what = "is blank or a comment" if lines == 1 else "are blank or comments"
            raise InputError(f"{path}: holds no edges: its {counted(lines, 'line')} {what}")
        delimiter = None
        if options.ids == "str" and "\t" in line:
            delimiter = "\t"
        elif "," in line:
            delimiter = ","
        fields = _split(line, delimiter, f"{path}, line {lines}")
        names = [field.lower() for field in fields]
        columns, header = [0, 1, 2], None
        source, target, weight = (
            next((i for i, name in enumerate(names) if name in known), None)
            for known in (SOURCE_NAMES, TARGET_NAMES, WEIGHT_NAMES)
        )
        if source is not None and target is not None:
            rest = [i for i in range(len(fields)) if i not in (source, target)]
            columns = [source, target, weight if weight is not None else (rest or [len(fields)])[0]]
            header = line
        elif options.ids == "int" and delimiter == "," and len(fields) > 1:
            header = None if any(map(_is_number, fields)) else line
        rows_follow = (raw.strip() and raw.strip()[0] not in "#%" for _, raw in _numbered(file, path))
        if header is not None and not any(rows_follow):
            raise InputError(f"{path}: holds no edges, only the header {header!r}")
    skip = lines if header is not None else lines - 1
    wanted = tuple(columns[: 3 if options.weights else 2])
    return _Layout(comment, delimiter, wanted, len(fields), skip, header)


def _parse(path: Path, layout: _Layout) -> tuple[Any, Any, Any] | None:
    """Integers (and weights) by NumPy; None if the file holds anything that it or we do not accept."""
    weighted = len(layout.columns) == 3
    if not weighted:
        comma = layout.delimiter == ","
        plain = read_integers(path, layout.skip, layout.width, layout.columns, comma)
        if plain is not None:
            return plain[0], plain[1], None
    kinds = [("source", np.int64), ("target", np.int64), ("weight", np.float64)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "no data": the scan says it better
            table = np.loadtxt(
                os.path.abspath(path),  # NumPy reads a named file in blocks, an open one line by line
                dtype=kinds if weighted else np.int64,
                comments=layout.comment,
                delimiter=layout.delimiter,
                quotechar=None,  # or a stray quote would swallow rows up to the next one
                skiprows=layout.skip,
                usecols=layout.columns,
                encoding="latin-1",
                ndmin=1 if weighted else 2,
            )
    except ValueError:
        return None
    source, target = (table["source"], table["target"]) if weighted else (table[:, 0], table[:, 1])
    weights = table["weight"] if weighted else None
    if len(table) == 0 or min(source.min(), target.min()) < 0:
        return None
    if weights is not None and not np.all(np.isfinite(weights)):
        return None
    return source, target, weights


def _scan(path: Path, layout: _Layout, options: Options) -> tuple[Any, Any, Any]:
    """Read row by row; the first bad row raises an InputError that names its line."""
    ends: tuple[list[Any], list[Any]] = ([], [])
    weights: list[float] = []
    as_int = options.ids == "int"
    with _text(path, options) as file:
        for number, line in _numbered(file, path):
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
                    hint += ", or leave --weights out"
                raise InputError(
                    f"{where}: {counted(len(fields), 'field')} in {line[:80]!r}, but a row is {wanted}; "
                    f"{hint}"
                )
            for end, column in zip(ends, layout.columns, strict=False):
                name = fields[column]
                digits = name.removeprefix("+")
                if as_int and not (digits.isascii() and digits.isdigit() and int(digits) <= ID_MAX):
                    _bad_id(where, name)
                if not name:
                    raise InputError(f"{where}: an empty id in {line[:80]!r}; complete or delete the line")
                end.append(int(name) if as_int else name)
            if options.weights:
                weights.append(_weight(where, fields[layout.columns[2]]))
    source, target = (np.array(end, np.int64 if as_int else object) for end in ends)
    return source, target, np.array(weights) if options.weights else None


def _bad_id(where: str, name: str) -> NoReturn:
    if name.isascii() and name.lstrip("+-").isdigit():
        what = "is negative" if name[0] == "-" else "does not fit in 64 bits"
        raise InputError(
            f"{where}: id {name} {what}; ids are whole numbers from 0 to {ID_MAX}, or text with --ids str"
        )
    raise InputError(
        f"{where}: {name[:80]!r} where a vertex id, a whole number, should be; "
        "if ids are text, read with --ids str (ids='str')"
    )


def _weight(where: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(
            f"{where}: weight {text[:80]!r} is not a finite number; correct it or leave --weights out"
        )
    return value


def _text(path: Path, options: Options) -> IO[str]:
    return open_text(path, _encoding(options))


def _numbered(file: IO[str], path: Path) -> Iterator[tuple[int, str]]:
    """Lines and their numbers, without a byte order mark; an InputError names a line that is not UTF-8."""
    try:
        for number, line in enumerate(file, 1):
            if number == 1:
                line = line.removeprefix("\ufeff").removeprefix("\xef\xbb\xbf")
            yield number, line
    except UnicodeDecodeError as error:
        with open_binary(path) as raw:
            number = next((i for i, line in enumerate(raw, 1) if not _decodes(line)), 0)
        raise InputError(
            f"{path}, line {number}: bytes that are not UTF-8 ({error.reason}); convert it with iconv"
        ) from error


def _decodes(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _split(line: str, delimiter: str | None, where: str) -> list[str]:
    if delimiter == "," and '"' in line:
        try:
            return [field.strip() for field in next(csv.reader([line], skipinitialspace=True, strict=True))]
        except csv.Error as error:
            raise InputError(f"{where}: quotes that do not match in {line[:80]!r}; correct them") from error
    return [field.strip() for field in line.split(delimiter)]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def write_edges(graph: Graph, path: Path) -> list[str]:
    """Write an edge list: tabs, or commas and a header for .csv; one row an edge, u <= v if undirected.

    Returns notes on what the file does not hold.
    """
    comma = path.name.removesuffix(".gz").endswith(".csv")
    separator = b"," if comma else b"\t"
    source = id_cells(graph, separator, path, ',"\n\r' if comma else "\t\n\r")
    target = source.copy()
    target.view(np.uint8)[:, -1] = (separator if graph.weights is not None else b"\n")[0]
    rows = graph.rows
    with writing(path) as file:
        if comma:
            file.write(b"source,target,weight\n" if graph.weights is not None else b"source,target\n")
        for start in range(0, graph.num_arcs, CHUNK):
            tail, head = rows[start : start + CHUNK], graph.col_idx[start : start + CHUNK]
            weight = None if graph.weights is None else graph.weights[start : start + CHUNK]
            if not graph.directed:
                once = tail <= head
                tail, head = tail[once], head[once]
                weight = None if weight is None else weight[once]
            columns = [source[tail], target[head]]
            if weight is not None:
                columns.append(weight_cells(weight, b"\n"))
            write_cells(file, *columns)
    return lost_in_edges(graph)


def weight_cells(weights: npt.NDArray[np.float64], mark: bytes) -> npt.NDArray[np.uint64]:
    """Weights as the shortest text that reads back to the same number."""
    # equal weights are formatted once: they are often small whole numbers
    values, place = np.unique(weights, return_inverse=True)
    return cells(np.array([repr(value).encode() for value in values.tolist()], dtype="S"), mark)[place]


def lost_in_edges(graph: Graph) -> list[str]:
    """What an edge list does not hold."""
    notes = isolated_note(graph)
    if graph.multiplicity is not None:
        notes.append(f"{graph.num_duplicates} merged parallel edges written once")
    return notes


def isolated_note(graph: Graph) -> list[str]:
    """A note where vertices have no edges, which a list of edges does not hold."""
    touched = np.zeros(graph.num_vertices, bool)
    touched[graph.col_idx] = True
    touched |= graph.degrees > 0
    isolated = graph.num_vertices - int(np.count_nonzero(touched))
    return [f"{counted(isolated, 'vertex', 'vertices')} without edges left out"] if isolated else []
