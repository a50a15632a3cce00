"""Parsing and writing of XML for GraphML and GEXF.

Expat is Python's own parser. Document types are refused, and with them entities that expand without end and
those that name other files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.formats.cells import (
    CHUNK,
    cells,
    edge_chunks,
    encoded,
    id_cells,
    no_place,
    text_cells,
    weight_cells,
    write_cells,
)
from clgraph.formats.common import (
    ID_MAX,
    Loaded,
    Options,
    check_vertex_count,
    counted,
    few,
    finite_weight,
    natural,
    open_binary,
)
from clgraph.graph.attributes import Attributes, Column
from clgraph.graph.graph import Graph

PARSED = 1 << 20  # bytes parsed at a time
NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
ESCAPES = {ord(mark): f"&#{ord(mark)};" for mark in '&<>"\t\n\r'}

#: what formats call the types of attributes, and what we write
KINDS = {
    "boolean": "boolean",
    **dict.fromkeys(("int", "integer", "long", "short", "byte"), "integer"),
    **dict.fromkeys(("float", "double"), "number"),
}
TYPES = {"boolean": "boolean", "integer": "long", "number": "double", "string": "string"}

NAMES = ("name", "label")  # attributes that ids="name" looks for
Words = dict[str, str]  # an element's attributes


class Network:
    """The vertices and edges of a file, as they are found in it; a format's class has `start` and `end`."""

    root = ""  # the name of the outermost element

    def __init__(self, path: Path, options: Options) -> None:
        self.path, self.options = path, options
        self.directed = False
        self.wants = False  # whether text is to be kept for the innermost element
        self.graphs = 0
        self.lines: dict[str, int] = {}  # of each vertex
        self.edges: list[tuple[str, str, float | None, int]] = []  # source, target, weight, line
        self.skipped: dict[str, None] = {}  # what is not kept
        self.columns: dict[str, dict[str, Column]] = {"node": {}, "edge": {}}
        self.last: Any = None  # the vertex, or the ends of the edge, that came last

    def start(self, stack: list[str], words: Words, line: int) -> None:
        """Take the beginning of an element: the names of those around it and its own, its attributes."""
        raise NotImplementedError

    def end(self, stack: list[str], text: str, line: int) -> None:
        """Take the end of an element: the same names, its text."""
        raise NotImplementedError

    def start_graph(self, line: int) -> None:
        """Take the beginning of the graph; InputError for another one."""
        self.graphs += 1
        if self.graphs > 1:
            raise self.wrong(line, "a second or a nested graph; clgraph reads files of one graph")

    def wrong(self, line: int, what: str) -> InputError:
        """The error for what stands in a line."""
        return InputError(f"{self.path}, line {line}: {what}")

    def name(self, words: Words, key: str, line: int, element: str) -> str:
        """The vertex that an attribute names."""
        text = words.get(key)
        if not text:
            raise self.wrong(line, f"{element} without {key!r}; the file is damaged")
        return text

    def add_node(self, words: Words, line: int) -> None:
        """Add a vertex."""
        name = self.name(words, "id", line, "node")
        if name in self.lines:
            raise self.wrong(line, f"node {name[:80]!r} is also in line {self.lines[name]}; keep one")
        self.lines[name], self.last = line, name

    def column(self, owner: str, name: str, kind: str = "string") -> Column:
        """Return the column of an attribute of nodes or edges."""
        return self.columns[owner].setdefault(name, Column(kind))

    def note(self, owner: str, name: str, text: str) -> None:
        """Set an attribute of the vertex or edge that came last; the first of parallel edges counts."""
        self.column(owner, name).texts.setdefault(self.last, text)

    def add_edge(self, source: str, target: str, weight: float | None, line: int) -> None:
        """Add an edge."""
        self.last = source, target
        self.edges.append((source, target, weight, line))

    def check_direction(self, directed: bool | None, line: int) -> None:
        """Raise InputError for an edge that is not as all are; None is one of both directions at once."""
        if self.options.directed is not False and directed is not self.directed:
            kinds = {True: "directed", False: "undirected", None: "mutual"}
            raise self.wrong(
                line,
                f"a {kinds[directed]} edge in a graph that is {kinds[self.directed]}; graphs are one or the "
                "other here: read it with directed=False",
            )

    def weight(self, text: str, line: int) -> float:
        """The number that a text spells."""
        return finite_weight(f"{self.path}, line {line}", text.strip())

    def read(self) -> Loaded:
        """Parse the file, and return the graph in it."""
        parser = expat.ParserCreate()
        # else one text would come in several calls
        parser.buffer_text = True
        stack: list[str] = []
        text: list[str] = []

        def begin(name: str, words: Words) -> None:
            stack.append(name.rpartition(":")[2])
            text.clear()
            if len(stack) == 1 and stack[0] != self.root:
                hint = f"; read it with format='{stack[0]}'" if stack[0] in ("graphml", "gexf") else ""
                raise self.wrong(
                    parser.CurrentLineNumber, f"<{name[:80]}> where <{self.root}> should be{hint}"
                )
            self.start(stack, words, parser.CurrentLineNumber)

        def finish(name: str) -> None:
            self.end(stack, "".join(text), parser.CurrentLineNumber)
            text.clear()
            stack.pop()

        def take(data: str) -> None:
            if self.wants:
                text.append(data)

        def refuse(*_: Any) -> None:
            raise self.wrong(
                parser.CurrentLineNumber,
                "a document type (<!DOCTYPE), which can make a small file expand or read others; remove it",
            )

        parser.StartElementHandler, parser.EndElementHandler = begin, finish
        parser.CharacterDataHandler = take
        parser.StartDoctypeDeclHandler = refuse
        with open_binary(self.path, self.options.max_ratio) as file:
            try:
                while data := file.read(PARSED):
                    parser.Parse(data, False)
                parser.Parse(b"", True)
            except InputError:
                raise
            except expat.ExpatError as error:
                raise InputError(f"{self.path}: not well-formed XML: {error}; download it again") from error
            except (LookupError, ValueError) as error:
                raise InputError(
                    f"{self.path}: its encoding is not known: {error}; convert it to UTF-8"
                ) from error
        if not self.graphs:
            raise InputError(f"{self.path}: holds no <graph>; download it again")
        return self._loaded()

    def _loaded(self) -> Loaded:
        """Return the graph that was found."""
        check_vertex_count(self.path, len(self.lines))
        for source, target, _, line in self.edges:
            for end in (source, target):
                if end not in self.lines:
                    raise self.wrong(line, f"the edge's end {end[:80]!r} is no node of the file")
        ids, note = self._ids()
        kind: Any = np.int64 if ids and all(isinstance(each, int) for each in ids.values()) else object
        sources, targets, weights, _ = zip(*self.edges, strict=True) if self.edges else ((),) * 4
        graph = Graph.from_edges(
            np.array([ids[end] for end in sources], kind),
            np.array([ids[end] for end in targets], kind),
            weights=np.array(weights, np.float64) if self.options.weights else None,
            directed=self.options.direction(self.directed),
            duplicates=self.options.duplicates,
            vertices=np.array(list(ids.values()), kind),
        )
        graph.attributes = attributes_by_id(self.columns["node"], self.columns["edge"], ids, graph.directed)
        return Loaded(graph, counted(len(self.edges), "edge") + note, few(list(self.skipped)))

    def _ids(self) -> tuple[dict[str, Any], str]:
        """The id of each node, by its own in the file, which is text; and what the summary says of it."""
        nodes = self.columns["node"]
        if self.options.ids == "name":
            name = next((each for each in NAMES if each in nodes), None)
            if name is None:
                raise InputError(f"{self.path}: its nodes have no attribute 'name'; leave ids='name' out")
            return _as_numbers(self._values(name, nodes.pop(name))), f"; ids: the attribute {name!r}"
        ids = {node: node for node in self.lines}
        found: dict[str, Any] = ids if self.options.ids == "str" else _as_numbers(ids)
        note = "; ids are text" if found is ids and ids and self.options.ids == "int" else ""
        names = nodes["name"].texts if "name" in nodes else {}
        if ids and len({*names.values()} - {""}) == len(ids) and names != ids:
            note += "; --ids name takes the attribute 'name' for ids"
        return found, note

    def _values(self, name: str, column: Column) -> dict[str, str]:
        """The values of an attribute, which must tell the nodes apart."""
        found: dict[str, str] = {}
        first: dict[str, str] = {}
        for node, line in self.lines.items():
            text = found[node] = column.texts.get(node) or column.default or ""
            if not text:
                raise self.wrong(line, f"node {node[:80]!r} has no {name!r}; leave ids='name' out")
            if (other := first.setdefault(text, node)) != node:
                raise self.wrong(
                    line,
                    f"node {node[:80]!r} has the {name} {text[:80]!r}, and so has {other[:80]!r}; leave "
                    "ids='name' out",
                )
        return found


def _as_numbers(ids: dict[str, str]) -> dict[str, Any]:
    """Return the ids as whole numbers if all spell distinct ones; else unchanged."""
    found = {}
    for node, text in ids.items():
        value = natural(text)
        if value is None or value > ID_MAX:
            return ids
        found[node] = value
    return found if len(set(found.values())) == len(found) else ids


def attributes_by_id(
    nodes: Mapping[str, Column], edges: Mapping[str, Column], ids: Mapping[Any, Any], directed: bool
) -> Attributes | None:
    """Return the attributes by id, which are by the names that vertices have in a file; `ids` are theirs."""
    by_id: list[dict[str, Column]] = [{}, {}]
    for name, column in nodes.items():
        by_id[0][name] = replace(column, texts={ids[each]: text for each, text in column.texts.items()})
    for name, column in edges.items():
        texts: dict[Any, str] = {}
        for (u, v), text in column.texts.items():
            # of parallel edges, and of both directions, the first one counts
            ends = ids[u], ids[v]
            texts.setdefault(ends if directed else (min(ends), max(ends)), text)
        by_id[1][name] = replace(column, texts=texts)
    found = [
        {name: each for name, each in columns.items() if each.texts or each.default is not None}
        for columns in by_id
    ]
    return Attributes(*found) if any(found) else None


def attribute_text(path: Path, name: str) -> bytes:
    """An id as the value of an attribute; InputError if XML cannot hold it."""
    if found := NO_XML.search(name):
        raise no_place(path, name, f"holds {found[0]!r}, which XML cannot")
    return encoded(path, name.translate(ESCAPES))


FIELD = re.compile(r"\{(\w+)\}.")  # of a template, and the mark that ends it
Found = list[tuple[str, str]]  # names and texts of an element's attributes


class Writer:
    """Writes vertices and edges, a chunk at a time, as elements.

    A `spell` gives the text after an element's own attributes.
    """

    def __init__(self, graph: Graph, path: Path) -> None:
        self.graph, self._path = graph, path
        self.known = graph.attributes or Attributes()
        self.names = id_cells(graph, b'"', partial(attribute_text, path))
        self.numbers: dict[tuple[str, str], int] = {}  # of attributes, by whose they are and name

    def declare(self, line: str, but: str = "") -> dict[str, str]:
        """Number the attributes, and return the elements that declare those of nodes and of edges."""
        lines = {"node": "", "edge": ""}
        for owner, columns in (("node", self.known.vertices), ("edge", self.known.edges)):
            for name, column in columns.items():
                if name != but:
                    number = self.numbers[owner, name] = len(self.numbers)
                    default = "" if column.default is None else self.escaped(name, column.default)
                    lines[owner] += line.format(
                        owner=owner,
                        number=number,
                        name=self.escaped(name, name),
                        type=TYPES[column.kind],
                        default=default and f"<default>{default}</default>",
                    )
        return lines

    def escaped(self, name: str, text: str) -> str:
        """The value of an attribute, or its name, inside XML; InputError if XML cannot hold it."""
        if found := NO_XML.search(text):
            raise InputError(
                f"cannot write {self._path}: the attribute {name[:80]!r} of a vertex or edge holds "
                f"{found[0]!r}, which XML cannot; correct it"
            )
        return text.translate(ESCAPES)

    def nodes(self, file: IO[bytes], template: str, spell: Callable[[Found, Any], str]) -> None:
        """Write vertices, each a template around its ``{id}``; `spell` gets attributes and id, or neither."""
        for start in range(0, self.graph.num_vertices, CHUNK):
            end: Any = spell([], None)
            if self.known:
                ids = self.graph.ids[start : start + CHUNK].tolist()
                end = text_cells(map(spell, self.known.of_vertices(ids), ids))
            write_elements(file, template, end, {"id": self.names[start : start + CHUNK]})

    def edges(self, file: IO[bytes], template: str, spell: Callable[[Found], str]) -> None:
        """Write edges, each a `template` around ``{source}``, ``{target}``, ``{weight}`` and ``{number}``."""
        number, mark = 0, template.partition("{weight}")[2][:1].encode()
        for tail, head, weight in edge_chunks(self.graph):
            fields = {"source": self.names[tail], "target": self.names[head]}
            if weight is not None:
                fields["weight"] = weight_cells(weight, mark)
            if "{number}" in template:
                fields["number"] = cells(np.arange(number, number + len(tail)), b'"')
            end: Any = spell([])
            if self.known:
                tails, heads = self.graph.ids[tail].tolist(), self.graph.ids[head].tolist()
                end = text_cells(map(spell, self.known.of_edges(tails, heads, self.graph.directed)))
            write_elements(file, template, end, fields)
            number += len(tail)


def write_elements(file: IO[bytes], template: str, end: Any, fields: dict[str, npt.NDArray[Any]]) -> None:
    """Write elements: a template around fields, cells that end with the mark behind them; a text or cells."""
    same = np.zeros(len(next(iter(fields.values()))), np.intp)
    texts = FIELD.split(template)
    if isinstance(end, str):
        texts[-1] += end
    columns = [
        fields[text] if i % 2 else cells(np.array([text[:-1].encode()]), text[-1:].encode())[same]
        for i, text in enumerate(texts)
        if text
    ]
    write_cells(file, *columns, *([] if isinstance(end, str) else [end]))
