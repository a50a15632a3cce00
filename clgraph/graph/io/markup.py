"""What GraphML and GEXF share: XML parsed in pieces, vertices and edges as they come, elements written.

Expat is Python's own parser. Document types are refused, and with them entities that expand without end and
those that name other files.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph.attributes import Attributes, Column
from clgraph.graph.graph import Graph
from clgraph.graph.io.common import (
    Loaded,
    Options,
    cells,
    check_vertex_count,
    counted,
    encoded,
    few,
    no_place,
    open_binary,
    reading,
    write_cells,
)
from clgraph.graph.io.edges import ID_MAX
from clgraph.sizes import real_number, whole_number

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

Words = dict[str, str]  # an element's attributes


class Network:
    """The vertices and edges of a file, as they are found in it."""

    def __init__(self, path: Path, options: Options) -> None:
        self.path, self.options = path, options
        self.directed = False
        self.lines: dict[Any, int] = {}  # of each vertex
        self.edges: list[tuple[Any, Any, float | None, int]] = []  # source, target, weight, line
        self.left: dict[str, None] = {}  # what is not kept
        self.columns: dict[str, dict[str, Column]] = {"node": {}, "edge": {}}
        self.last: Any = None  # the vertex, or the ends of the edge, that came last

    def wrong(self, line: int, what: str) -> InputError:
        """The error for what stands in a line."""
        return InputError(f"{self.path}, line {line}: {what}")

    def name(self, words: Words, key: str, line: int, element: str) -> Any:
        """The vertex that an attribute names."""
        text = words.get(key)
        if not text:
            raise self.wrong(line, f"{element} without {key!r}; the file is damaged")
        if self.options.ids == "str":
            return text
        value = whole_number(text) if text.isdigit() else None
        if value is None or value > ID_MAX:
            raise self.wrong(
                line,
                f"{text[:80]!r} is not a vertex id, a whole number up to {ID_MAX}; if ids are text, read "
                "with --ids str (ids='str')",
            )
        return value

    def add_node(self, words: Words, line: int) -> None:
        """A vertex."""
        name = self.name(words, "id", line, "node")
        if name in self.lines:
            raise self.wrong(line, f"node {str(name)[:80]!r} is also in line {self.lines[name]}; keep one")
        self.lines[name], self.last = line, name

    def column(self, owner: str, name: str, kind: str = "string") -> Column:
        """An attribute of nodes or edges."""
        return self.columns[owner].setdefault(name, Column(kind))

    def note(self, owner: str, name: str, text: str) -> None:
        """An attribute of the vertex or edge that came last; of parallel edges the first one's counts."""
        self.column(owner, name).texts.setdefault(self.last, text)

    def add_edge(self, source: Any, target: Any, weight: float | None, line: int) -> None:
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
                "other here: read it with --undirected (directed=False)",
            )

    def weight(self, text: str, line: int) -> float:
        """The number that a text spells."""
        value = real_number(text.strip())
        if value is None or not math.isfinite(value):
            raise self.wrong(
                line, f"weight {text[:80]!r} is not a finite number; correct it or leave --weights out"
            )
        return value

    def loaded(self) -> Loaded:
        """The graph."""
        check_vertex_count(self.path, len(self.lines))
        for source, target, _, line in self.edges:
            for end in (source, target):
                if end not in self.lines:
                    raise self.wrong(line, f"the edge's end {str(end)[:80]!r} is no node of the file")
        kind: Any = object if self.options.ids == "str" else np.int64
        sources, targets, weights, _ = zip(*self.edges, strict=True) if self.edges else ((),) * 4
        graph = Graph.from_edges(
            np.array(sources, kind),
            np.array(targets, kind),
            weights=np.array(weights, np.float64) if self.options.weights else None,
            directed=self.options.direction(self.directed),
            duplicates=self.options.duplicates,
            vertices=np.array(list(self.lines), kind),
        )
        kept = [
            {name: column for name, column in columns.items() if column.texts or column.default is not None}
            for columns in self.columns.values()
        ]
        graph.attributes = Attributes(*kept) if any(kept) else None
        for column in [] if graph.directed else kept[1].values():
            texts, column.texts = column.texts, {}
            for ends, text in texts.items():
                column.texts.setdefault((min(ends), max(ends)), text)
        return Loaded(graph, counted(len(self.edges), "edge"), few(list(self.left)))


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
            hint = f"; read it with --format {stack[0]}" if stack[0] in ("graphml", "gexf") else ""
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
