"""Tables of vertices: a row for each, with a header; the attributes of a graph whose file has none.

The column of ids is called ``id``, ``node``, ``vertex`` or ``name``, else it is the first one. Fields are
separated by commas, or by tabs where the header has one; quotes are those of CSV. An empty field is no value.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

from clgraph.arguments import real_number, whole_number
from clgraph.errors import InputError
from clgraph.formats.common import check_file, counted, numbered_lines, quoted, reading, vertex_id
from clgraph.graph.attributes import Attributes, Column
from clgraph.graph.graph import Graph

ID_NAMES = ("id", "node", "nodeid", "node_id", "vertex", "vertexid", "vertex_id", "name")


def add_vertex_table(graph: Graph, path: Path, max_ratio: float) -> None:
    """Take the attributes of a graph's vertices from a table; vertices may be missing in either."""
    check_file(path)
    text_ids = graph.ids.dtype == object
    with reading(path):
        lines = numbered_lines(path, "utf-8", max_ratio)
        header = next(lines)[1]
        mark = "\t" if "\t" in header else ","
        names = [name.strip() for name in _fields(path, 1, header, mark)]
        if len(names) < 2:
            raise InputError(
                f"{path}, line 1: {quoted(header.strip())} should name two columns: ids and another"
            )
        for number, name in enumerate(names):
            if not name or names.index(name) != number:
                raise InputError(f"{path}, line 1: a column {name!r} that is there twice, or has no name")
        key = next((i for i, name in enumerate(names) if name.lower() in ID_NAMES), 0)
        columns = {name: Column() for i, name in enumerate(names) if i != key}
        seen: set[Any] = set()
        for number, line in lines:
            if not line.strip():
                continue
            fields = _fields(path, number, line, mark)
            if len(fields) != len(names):
                found = counted(len(fields), "field")
                raise InputError(
                    f"{path}, line {number}: {found} where line 1 names {len(names)}; put fields with commas "
                    "into quotes, in one line"
                )
            name = fields.pop(key).strip()
            vertex = name if text_ids and name else vertex_id(f"{path}, line {number}", name)
            if vertex in seen:
                raise InputError(f"{path}, line {number}: a second row of the vertex {vertex!r}; keep one")
            seen.add(vertex)
            for column, text in zip(columns.values(), fields, strict=True):
                if text.strip():
                    column.texts[vertex] = text.strip()
    for column in columns.values():
        column.kind = kind_of(column.texts.values())
    known = set(graph.ids.tolist())
    # ids of another kind would silently give no vertex an attribute
    if columns and not any(vertex in known for column in columns.values() for vertex in column.texts):
        raise InputError(
            f"{path}: none of its ids is a vertex of the graph; see that both files mean the same"
        )
    graph.attributes = (graph.attributes or Attributes()).with_vertices(columns)


def _fields(path: Path, number: int, line: str, mark: str) -> list[str]:
    try:
        return next(csv.reader([line.rstrip("\r\n")], delimiter=mark, strict=True), [])
    except csv.Error as error:
        raise InputError(f"{path}, line {number}: {error}; correct the quotes") from error


def kind_of(texts: Any) -> str:
    """Return the kind of a column from its texts."""
    numbers = [real_number(text) for text in texts]
    if not numbers or any(number is None or not math.isfinite(number) for number in numbers):
        words = {text.lower() for text in texts}
        return "boolean" if words and words <= {"true", "false"} else "string"
    whole = all(text.lstrip("+-").isdigit() and whole_number(text) is not None for text in texts)
    return "integer" if whole else "number"
