"""Edge lists: one edge per row, two ids and perhaps a weight.

These are SNAP's files (comments begin with ``#``), networkrepository's (``%``), and CSV with or without a
header; fields are separated by commas, tabs or spaces, lines end in LF or CRLF. `look` finds out from the
first two rows how they look, and `clgraph.formats.text_table` reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from clgraph.arguments import real_number
from clgraph.errors import InputError
from clgraph.formats.cells import encoded, id_cells, no_place, plain_name, write_rows, writing
from clgraph.formats.common import Loaded, Options, counted, numbered_lines, quoted, reading
from clgraph.formats.packed import SUFFIXES
from clgraph.formats.text_table import Layout, encoding_of, read_names, read_table, split_row
from clgraph.graph.graph import Graph, build_csr

SOURCE_NAMES = ("source", "src", "from", "fromnodeid", "from_node", "u", "tail", "start", "id1", "node1")
TARGET_NAMES = ("target", "dst", "to", "tonodeid", "to_node", "v", "head", "end", "id2", "node2")
WEIGHT_NAMES = ("weight", "w", "value", "cost")
NO_EDGES = "# no edges"  # a file of comments alone may have been cut off, but one that says so is whole
SEPARATORS = re.compile(r"[\t\n\r]")


def named_columns(names: Iterable[str]) -> list[int | None]:
    """Return the columns that are named as sources, targets and weights are; None where none is."""
    lower = [name.lower() for name in names]
    known = SOURCE_NAMES, TARGET_NAMES, WEIGHT_NAMES
    return [next((i for i, name in enumerate(lower) if name in some), None) for some in known]


def read_edges(path: Path, options: Options) -> Loaded:
    """Read an edge list (see `clgraph.read`)."""
    how: dict[str, Any] = {"directed": options.direction(), "duplicates": options.duplicates}
    lines = numbered_lines(path, encoding_of(options), options.max_ratio)
    layout, named = layout_of(lines, str(path), options), None
    if options.ids == "str":
        # Arrow numbers the names of a large file, where it is installed
        named = read_names(path, layout, options.max_ratio)
    if named is not None:
        source, target, weights, ids = named
        graph = build_csr(source, target, len(ids), weights=weights, ids=ids, **how)
    else:
        source, target, weights = read_table(path, layout, options)
        graph = Graph.from_edges(source, target, weights=weights, **how)
    return Loaded(graph, counted(len(source), "row") + layout.note, skipped_lines(layout))


def skipped_lines(layout: Layout) -> list[str]:
    """Return notes on the header and the columns that were skipped."""
    header = [] if layout.header is None else [f"header {quoted(layout.header)}"]
    return [*header, *([counted(layout.further, "further column")] if layout.further else [])]


def read_rows(path: Path, options: Options) -> tuple[Any, Any, Any, Layout]:
    """Return source ids, target ids, weights or None, and the layout of the rows."""
    with reading(path):
        layout = look(path, options)
        return *read_table(path, layout, options), layout


def look(path: Path, options: Options) -> Layout:
    """Find the first row and how it is laid out."""
    return layout_of(numbered_lines(path, encoding_of(options), options.max_ratio), str(path), options)


def layout_of(lines_of: Iterable[tuple[int, str]], path: str, options: Options) -> Layout:
    """As `look`, for numbered lines; `path` is what messages call their source."""
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
            return Layout(tuple(range(width)), width, lines, comment=comment, empty=True)
        what = "is blank or a comment" if lines == 1 else "are blank or comments"
        raise InputError(f"{path}: holds no edges: its {counted(lines, 'line')} {what}")
    delimiter = None
    # names may hold blanks, so tabs separate them where there are any
    if options.ids == "str" and "\t" in line:
        delimiter = "\t"
    elif "," in line:
        delimiter = ","
    fields = split_row(line, delimiter, f"{path}, line {lines}")
    names = [field.strip().lower() for field in fields]
    source, target, weight = named_columns(names)
    following = next(
        ((n, text) for n, raw in numbered if (text := raw.strip()) and text[0] not in "#%"), None
    )
    is_header, note = options.header, ""
    # among numbers known names are a header; among names they may be vertices of such names
    if is_header is None and source is not None and target is not None:
        is_header = options.ids == "int"
        if not is_header and following is not None:
            row = split_row(following[1], delimiter, f"{path}, line {following[0]}")
            is_header = _unlike(fields, row)
        if not is_header and names[:2] == ["source", "target"]:
            # as clgraph writes it: names alone
            is_header = delimiter == "," and not any(map(_is_number, fields))
        if not is_header:
            note = f"; the first, {quoted(line)}, is an edge (a header is asked for by --header)"
    elif is_header is None:
        words = delimiter == "," and len(fields) > 1 and not any(map(_is_number, fields))
        is_header = options.ids == "int" and words
    empty = is_header and following is None
    if empty and (source is None or target is None):
        raise InputError(f"{path}: holds no edges, only the header {quoted(line)}")
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
    return Layout(wanted, len(fields), skip, delimiter, comment, head, note, max(further, 0), bool(empty))


def _unlike(first: list[str], row: list[str]) -> bool:
    """True if a row looks different from the first: numbers where that has words."""
    pairs = zip(first, row, strict=False)
    changes = [_is_number(other) and not _is_number(one) for one, other in pairs]
    return (len(changes) > 1 and all(changes[:2])) or any(changes[2:])


def _is_number(text: str) -> bool:
    return real_number(text.strip()) is not None


def write_edges(graph: Graph, path: Path) -> None:
    """Write an edge list: tabs, or commas and a header for .csv; one row per edge, u <= v if undirected."""
    separator = b"," if has_commas(path) else b"\t"
    names = id_cells(graph, separator, partial(name_in, path))
    with writing(path) as file:
        file.write(head_of(path, graph.is_weighted, graph.num_arcs))
        write_rows(file, graph, names)


def has_commas(path: Path) -> bool:
    """True if a file of this name is written with commas and a header."""
    plain = path.with_suffix("") if path.suffix in SUFFIXES else path
    return plain.suffix == ".csv"


def head_of(path: Path, weighted: bool, arcs: int) -> bytes:
    """Return the text before the rows: a .csv file's header, in others a comment if there are no rows."""
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
