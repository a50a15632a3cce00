"""Pajek's .net files: numbered vertices with labels, arcs and edges one a line or as lists of neighbours.

``*Vertices n`` opens the file; then come ``*Arcs`` and ``*Edges`` (``u v weight``, the weight 1 where there
is none), ``*Arcslist`` and ``*Edgeslist`` (``u v1 v2 ...``). A file with arcs is directed, and its edges are
two arcs each. Labels are the ids if ids are text, else the numbers are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from clgraph.arguments import real_number
from clgraph.errors import InputError
from clgraph.formats.cells import (
    CHUNK,
    cells,
    edge_chunks,
    encoded,
    ended_by,
    id_cells,
    no_place,
    text_cells,
    weight_cells,
    write_cells,
    writing,
)
from clgraph.formats.common import (
    Loaded,
    Options,
    as_utf8,
    check_vertex_count,
    counted,
    few,
    finite_weight,
    graph_of_arcs,
    natural,
    numbered_lines,
    quoted,
    vertex_id,
)
from clgraph.formats.markup import attributes_by_id, write_elements
from clgraph.formats.vertex_table import kind_of
from clgraph.graph.attributes import Attributes, Column
from clgraph.graph.graph import Graph

# --- fields: what follows the label of a vertex, or the weight of an edge, as attributes ---
#
# A vertex has up to three coordinates, then its shape; the other fields are pairs of a name and a value.
# The shape stands before other fields also where there is none, as `SHAPE`, which Pajek draws then: igraph
# reads no others without it. An edge's label is its field ``l``.


AXES = ("x", "y", "z")
SHAPE = "ellipse"  # of a vertex that says none
FIELD = re.compile(r'"([^"]*)"|(\S+)')
NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
NO_VALUE = re.compile('["\r\n\ud800-\udfff]')


def parse_fields(text: str, *, of_edge: bool) -> tuple[list[tuple[str, str]], bool]:
    """Names and values, and whether that is all that the text says."""
    words = [quoted or plain for quoted, plain in FIELD.findall(text)]
    pairs: list[tuple[str, str]] = []
    if not of_edge:
        while words and len(pairs) < len(AXES) and real_number(words[0]) is not None:
            pairs.append((AXES[len(pairs)], words.pop(0)))
        if len(words) % 2 and NAME.fullmatch(words[0]):
            pairs.append(("shape", words.pop(0)))
    rest = list(zip(words[::2], words[1::2], strict=False))
    named = [(name, value) for name, value in rest if NAME.fullmatch(name)]
    pairs += [("label" if of_edge and name == "l" else name, value) for name, value in named]
    return pairs, len(words) == 2 * len(named)


class Fields:
    """Attributes of vertices and edges as the fields of lines.

    If the vertices' ids are their numbers in the file (`numbered`), labels can be what is known as such.
    """

    def __init__(self, known: Attributes, *, numbered: bool) -> None:
        self.numbered = numbered
        self.skipped: dict[str, None] = {}
        vertices, edges = self._named("node", known.vertices), self._named("edge", known.edges)
        if edges.pop("l", None) is not None:  # which would be read as a label
            self.skipped["edge l"] = None
        self.known = Attributes(vertices, edges)

    def _named(self, owner: str, columns: Mapping[str, Column]) -> dict[str, Column]:
        self.skipped |= {f"{owner} {name}": None for name in columns if not NAME.fullmatch(name)}
        return {name: column for name, column in columns.items() if NAME.fullmatch(name)}

    def _texts(
        self, owner: str, columns: Mapping[str, Column], found: list[tuple[str, str]]
    ) -> dict[str, str]:
        """The texts that there are, defaults too, and that a line can hold."""
        own = dict(found)
        texts = {name: own.get(name, column.default) for name, column in columns.items()}
        strange = {name for name, text in texts.items() if text is not None and NO_VALUE.search(text)}
        self.skipped |= {f"{owner} {name}": None for name in columns if name in strange}
        return {name: text for name, text in texts.items() if text is not None and name not in strange}

    def of_vertex(self, vertex: Any, found: list[tuple[str, str]]) -> str:
        """Return the text after a vertex's number; the vertex is given by id."""
        texts = self._texts("node", self.known.vertices, found)
        label = texts.pop("label", vertex) if self.numbered else vertex
        words = [f'"{label}"']
        for axis in AXES:
            if real_number(texts.get(axis, "")) is None:
                break
            words.append(texts.pop(axis))
        if texts and NAME.fullmatch(texts.get("shape", SHAPE)):
            words.append(texts.pop("shape", SHAPE))
        return " ".join([*words, *(f'{name} "{text}"' for name, text in texts.items())]) + "\n"

    def of_edge(self, weight: str, found: list[tuple[str, str]]) -> str:
        """Return the text after the ends of an edge."""
        texts = self._texts("edge", self.known.edges, found).items()
        words = (f'{"l" if name == "label" else name} "{text}"' for name, text in texts)
        return " ".join([weight, *words]) + "\n"

    def notes(self) -> list[str]:
        """Return notes on attributes that the lines could not hold."""
        names = ", ".join(few(list(self.skipped)))
        why = "Pajek's names are letters, digits and _, its values without quotes and line ends"
        return [f"left out: {names}; {why}"] if names else []


SECTIONS = {"*arcs": True, "*edges": False, "*arcslist": True, "*edgeslist": False}  # directed?
VERTEX = re.compile(r'([0-9]+)(?:\s+(?:"([^"]*)"|([^\s"]\S*))(?:\s+(.*))?)?')


class _Reader:
    def __init__(self, path: Path, options: Options) -> None:
        self.path, self.options = path, options
        self.n: int | None = None
        self.labels: dict[int, str] = {}
        self.rows: list[tuple[int, int, float, bool]] = []  # ends, weight, whether it is an arc
        self.section = ""
        self.arcs = False  # whether a section of arcs was there
        self.weighted = False
        self.skipped: dict[str, None] = {}
        self.known: tuple[dict[str, Column], ...] = {}, {}  # fields of vertices and edges, by name

    def line(self, where: str, text: str) -> None:
        """Take one line."""
        words = text.split()
        if text[0] == "*":
            self._open(where, words)
        elif self.section == "*vertices":
            self._vertex(where, text)
        elif self.section in SECTIONS:
            self._edge(where, text)
        else:
            raise InputError(f"{where}: {quoted(text)} where '*Vertices n' should be; is this a Pajek file?")

    def _open(self, where: str, words: list[str]) -> None:
        self.section = words[0].lower()
        self.arcs = self.arcs or SECTIONS.get(self.section, False)
        if self.section == "*vertices":
            n = natural(words[1]) if len(words) > 1 else None
            if n is None or self.n is not None:
                raise InputError(f"{where}: {quoted(' '.join(words))} should be one '*Vertices n'")
            check_vertex_count(self.path, n, self.options)
            self.n = n
        elif self.section in SECTIONS and self.n is None:
            raise InputError(f"{where}: {words[0][:80]} before '*Vertices n'")
        elif self.section not in SECTIONS and self.section != "*network":
            known = "*Arcs, *Edges, *Arcslist and *Edgeslist"
            raise InputError(f"{where}: the section {quoted(words[0])}; clgraph reads {known}")

    def _vertex(self, where: str, text: str) -> None:
        found = VERTEX.fullmatch(text)
        if found is None:
            raise InputError(f"{where}: {quoted(text)} where a vertex, a number and its label, should be")
        v = self._number(where, found[1])
        label = found[2] if found[2] is not None else found[3]
        if v in self.labels:
            raise InputError(f"{where}: vertex {v} has a label already; keep one")
        if label is not None:
            self.labels[v] = label
        self._fields(found[4] or "", 0, v)

    def _fields(self, text: str, of: int, *keys: Any) -> None:
        """Note what follows the label of a vertex (0), or the weight of an edge (1)."""
        pairs, all_read = parse_fields(text, of_edge=of == 1)
        if not all_read:
            self.skipped[f"fields of {('vertices', 'edges')[of]}"] = None
        for name, value in pairs:
            for key in keys:
                self.known[of].setdefault(name, Column()).texts.setdefault(key, value)

    def _edge(self, where: str, text: str) -> None:
        words = text.split()
        if len(words) < 2:
            raise InputError(f"{where}: {quoted(words[0])} where two vertices should be")
        is_arc = SECTIONS[self.section]
        u, v = (self._number(where, word) for word in words[:2])
        if self.section.endswith("list"):
            self.rows += [(u, self._number(where, word), 1.0, is_arc) for word in words[1:]]
            return
        weight = 1.0
        if len(words) > 2:
            self.weighted = True
            self.skipped["edge weights"] = None
            if self.options.weights:
                weight = finite_weight(where, words[2])
        self.rows.append((u, v, weight, is_arc))
        if len(words) > 3:
            # an edge may become two arcs
            self._fields(text.split(None, 3)[3], 1, (u, v), *([] if is_arc else [(v, u)]))

    def _number(self, where: str, word: str) -> int:
        return vertex_id(where, word, (1, self.n or 0))


def read_pajek(path: Path, options: Options) -> Loaded:
    """Read a Pajek network (see `clgraph.read`)."""
    reader = _Reader(path, options)
    # numbers need no decoding: latin-1 takes any byte, and what is UTF-8 is read again as that
    encoding = "utf-8" if options.ids == "str" else "latin-1"
    for number, line in numbered_lines(path, encoding, options.max_ratio):
        text = (line if options.ids == "str" else as_utf8(line)).strip()
        if text and text[0] != "%":
            reader.line(f"{path}, line {number}", text)
    n = reader.n
    if n is None:
        raise InputError(f"{path}: has no line '*Vertices n'; is this a Pajek file?")
    rows = np.array(reader.rows, [("tail", "i4"), ("head", "i4"), ("weight", "f8"), ("arc", "?")])
    if options.weights and len(rows) and not reader.weighted:
        raise InputError(f"{path}: no line has a weight; leave weights=True out")
    rows = rows[np.argsort(~rows["arc"], kind="stable")]
    # Pajek writes an empty section of arcs before edges
    directed = options.direction(bool(rows["arc"].any()) or (reader.arcs and not len(rows)))
    tail, head, weight = rows["tail"] - 1, rows["head"] - 1, rows["weight"]
    if directed:  # an edge is two arcs
        again = ~rows["arc"] & (tail != head)
        tail, head = np.concatenate((tail, head[again])), np.concatenate((head, tail[again]))
        weight = np.concatenate((weight, weight[again]))
    first = 0 if options.ids == "str" else 1
    graph = graph_of_arcs((tail, head, weight), n, options, directed, first=first)
    if options.ids == "str":
        graph = graph.with_ids(_names(path, n, reader.labels))
    graph.attributes = _attributes(reader, graph)
    if options.weights:
        reader.skipped.pop("edge weights", None)
    return Loaded(graph, counted(len(rows), "edge"), list(reader.skipped))


def _attributes(reader: _Reader, graph: Graph) -> Attributes | None:
    """Return the attributes of vertices and edges, by the graph's ids."""
    vertices, edges = reader.known
    if "shape" in vertices and set(vertices["shape"].texts.values()) == {SHAPE}:
        del vertices["shape"]
    if reader.options.ids != "str":
        labels = {v: label for v, label in reader.labels.items() if label != str(v)}
        vertices = ({"label": Column(texts=labels)} if labels else {}) | vertices
    for column in (*vertices.values(), *edges.values()):
        column.kind = kind_of(column.texts.values())
    return attributes_by_id(vertices, edges, dict(enumerate(graph.ids.tolist(), 1)), graph.directed)


def _names(path: Path, n: int, labels: dict[int, str]) -> Any:
    names = np.empty(n, object)
    names[:] = [labels.get(v) or str(v) for v in range(1, n + 1)]
    first: dict[str, int] = {}
    for v, name in enumerate(names.tolist(), 1):
        if (other := first.setdefault(name, v)) != v:
            raise InputError(
                f"{path}: the vertices {other} and {v} are both called {quoted(name)}; rename one, or read "
                "the file without ids='str'"
            )
    return names


def write_pajek(graph: Graph, path: Path) -> list[str]:
    """Write a Pajek network; ids are its labels, or the vertices' numbers if they have other labels."""
    n = graph.num_vertices
    known = graph.attributes or Attributes()
    ids = graph.ids if known else None
    fields = Fields(known, numbered=ids is not None and np.array_equal(ids, np.arange(1, n + 1)))
    labels = id_cells(graph, b'"', partial(_label, path))
    source = cells(np.arange(1, n + 1), b" ")
    target = source if graph.weights is not None or fields.known.edges else ended_by(source, b"\n")
    with writing(path) as file:
        file.write(f"*Vertices {n}\n".encode())
        for start in range(0, n, CHUNK):
            some = {"number": source[start : start + CHUNK], "label": labels[start : start + CHUNK]}
            if ids is not None and fields.known.vertices:
                some_ids = ids[start : start + CHUNK].tolist()
                rows = map(fields.of_vertex, some_ids, fields.known.of_vertices(some_ids))
                write_cells(file, some["number"], text_cells(rows))
            else:
                write_elements(file, '{number} "{label}"', "\n", some)
        file.write(b"*Arcs\n" if graph.directed else b"*Edges\n")
        for tail, head, weight in edge_chunks(graph):
            columns = [source[tail], target[head]]
            if ids is not None and fields.known.edges:
                weights = repeat("1") if weight is None else map(repr, weight.tolist())
                found = fields.known.of_edges(ids[tail].tolist(), ids[head].tolist(), graph.directed)
                columns.append(text_cells(map(fields.of_edge, weights, found)))
            elif weight is not None:
                columns.append(weight_cells(weight, b"\n"))
            write_cells(file, *columns)
    return fields.notes()


def _label(path: Path, name: str) -> bytes:
    if found := re.search(r'["\r\n]', name):
        raise no_place(path, name, f"holds {found[0]!r}, which a label of Pajek's cannot")
    return encoded(path, name)
