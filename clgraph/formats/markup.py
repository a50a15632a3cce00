"""What GraphML and GEXF share: XML parsed in pieces, vertices and edges as they come, elements written.

Expat is Python's own parser. Document types are refused, and with them entities that expand without end and
those that name other files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.formats.common import (
    ID_MAX,
    Loaded,
    Options,
    cells,
    check_vertex_count,
    counted,
    encoded,
    few,
    finite_weight,
    natural,
    no_place,
    open_binary,
    reading,
    write_cells,
)
from clgraph.graph.attributes import Attributes, Column
from clgraph.graph.graph import Graph

PIECE = 1 << 20  # bytes parsed at a time
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
    """The vertices and edges of a file, as they are found in it."""

    def __init__(self, path: Path, options: Options) -> None:
        self.path, self.options = path, options
        self.directed = False
        self.lines: dict[str, int] = {}  # of each vertex
        self.edges: list[tuple[str, str, float | None, int]] = []  # source, target, weight, line
        self.left: dict[str, None] = {}  # what is not kept
        self.columns: dict[str, dict[str, Column]] = {"node": {}, "edge": {}}
        self.last: Any = None  # the vertex, or the ends of the edge, that came last

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
        """A vertex."""
        name = self.name(words, "id", line, "node")
        if name in self.lines:
            raise self.wrong(line, f"node {name[:80]!r} is also in line {self.lines[name]}; keep one")
        self.lines[name], self.last = line, name

    def column(self, owner: str, name: str, kind: str = "string") -> Column:
        """An attribute of nodes or edges."""
        return self.columns[owner].setdefault(name, Column(kind))

    def note(self, owner: str, name: str, text: str) -> None:
        """An attribute of the vertex or edge that came last; of parallel edges the first one's counts."""
        self.column(owner, name).texts.setdefault(self.last, text)

    def add_edge(self, source: str, target: str, weight: float | None, line: int) -> None:
        """An edge."""
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

    def loaded(self) -> Loaded:
        """The graph."""
        check_vertex_count(self.path, len(self.lines))
        for source, target, _, line in self.edges:
            for end in (source, target):
                if end not in self.lines:
                    raise self.wrong(line, f"the edge's end {end[:80]!r} is no node of the file")
        ids, told = self._ids()
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
        kept = [
            {name: column for name, column in columns.items() if column.texts or column.default is not None}
            for columns in self.columns.values()
        ]
        for column in kept[0].values():
            column.texts = {ids[vertex]: text for vertex, text in column.texts.items()}
        for column in kept[1].values():
            column.texts = {(ids[u], ids[v]): text for (u, v), text in column.texts.items()}
        graph.attributes = Attributes(*kept) if any(kept) else None
        for column in [] if graph.directed else kept[1].values():
            texts, column.texts = column.texts, {}
            for ends, text in texts.items():
                column.texts.setdefault((min(ends), max(ends)), text)
        return Loaded(graph, counted(len(self.edges), "edge") + told, few(list(self.left)))

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
        told = "; ids are text" if found is ids and ids and self.options.ids == "int" else ""
        names = nodes["name"].texts if "name" in nodes else {}
        if ids and len({*names.values()} - {""}) == len(ids) and names != ids:
            told += "; --ids name takes the attribute 'name' for ids"
        return found, told

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
    """The same as whole numbers, if all spell such, and different ones."""
    found = {}
    for node, text in ids.items():
        value = natural(text)
        if value is None or value > ID_MAX:
            return ids
        found[node] = value
    return found if len(set(found.values())) == len(found) else ids


def parse(
    path: Path,
    options: Options,
    root: str,
    start: Callable[[list[str], Words, int], None],
    end: Callable[[list[str], str, int], None],
    wants_text: Callable[[], bool],
) -> None:
    """Parse a file and call back.

    Parameters
    ----------
    root : str
        The name of the outermost element.
    start : callable
        At the beginning of an element: (names of the elements around it and its own, attributes, line).
    end : callable
        At its end: (the same names, its text, line).
    wants_text : callable
        Whether text is to be kept for the innermost element.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    stack: list[str] = []
    text: list[str] = []

    def begin(name: str, words: Words) -> None:
        stack.append(name.rpartition(":")[2])
        text.clear()
        if len(stack) == 1 and stack[0] != root:
            hint = f"; read it with format='{stack[0]}'" if stack[0] in ("graphml", "gexf") else ""
            raise InputError(
                f"{path}, line {parser.CurrentLineNumber}: <{name[:80]}> where <{root}> should be{hint}"
            )
        start(stack, words, parser.CurrentLineNumber)

    def finish(name: str) -> None:
        end(stack, "".join(text), parser.CurrentLineNumber)
        text.clear()
        stack.pop()

    def take(data: str) -> None:
        if wants_text():
            text.append(data)

    def refuse(*_: Any) -> None:
        raise InputError(
            f"{path}, line {parser.CurrentLineNumber}: a document type (<!DOCTYPE), which can make a small "
            "file expand or read others; remove it"
        )

    parser.StartElementHandler, parser.EndElementHandler = begin, finish
    parser.CharacterDataHandler = take
    parser.StartDoctypeDeclHandler = refuse
    with reading(path), open_binary(path, options.max_ratio) as file:
        try:
            while piece := file.read(PIECE):
                parser.Parse(piece, False)
            parser.Parse(b"", True)
        except InputError:
            raise
        except expat.ExpatError as error:
            raise InputError(f"{path}: not well-formed XML: {error}; download it again") from error
        except (LookupError, ValueError) as error:
            raise InputError(f"{path}: its encoding is not known: {error}; convert it to UTF-8") from error


def attribute_text(path: Path, name: str) -> bytes:
    """An id as the value of an attribute; InputError if XML cannot hold it."""
    if found := NO_XML.search(name):
        raise no_place(path, name, f"holds {found[0]!r}, which XML cannot")
    return encoded(path, name.translate(ESCAPES))


def escaped(path: Path, name: str, text: str) -> str:
    """The value of an attribute, or its name, inside XML; InputError if XML cannot hold it."""
    if found := NO_XML.search(text):
        raise InputError(
            f"cannot write {path}: the attribute {name[:80]!r} of a vertex or edge holds {found[0]!r}, which "
            "XML cannot; correct it"
        )
    return text.translate(ESCAPES)


def default_of(path: Path, name: str, column: Column) -> str:
    """The element with the default of an attribute, if it has one."""
    return "" if column.default is None else f"<default>{escaped(path, name, column.default)}</default>"


def ends_of_elements(found: Iterable[Any], spell: Callable[[Any], str], empty: str) -> npt.NDArray[Any]:
    """Cells with what stands in each element behind its own attributes: nothing, or what `spell` makes."""
    texts = [(spell(each) if each else empty).encode() for each in found]
    made = np.empty(len(texts), object)
    made[:] = texts
    return made


def write_elements(file: IO[bytes], count: int, *parts: bytes | npt.NDArray[Any]) -> None:
    """Write so many elements, of texts that are the same in all and cells that are not."""
    same = np.zeros(count, np.intp)
    columns = [
        cells(np.array([part[:-1]]), part[-1:])[same] if isinstance(part, bytes) else part for part in parts
    ]
    write_cells(file, *columns)
