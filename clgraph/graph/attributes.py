"""Attributes of vertices and edges by id, which samples of a graph keep."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clgraph.arguments import real_number, whole_number

Ends = tuple[list[Any], list[Any]]  # ids of tails and heads
BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(repr=False)
class Column:
    """One attribute.

    Attributes
    ----------
    kind : {"string", "boolean", "integer", "number"}
        What its values spell.
    texts : dict of str
        The values as the file spells them, by vertex id, or by the ids of an edge's ends.
    default : str or None
        The value of those that have none.
    """

    kind: str = "string"
    texts: dict[Any, str] = field(default_factory=dict)
    default: str | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.kind}>"

    def value(self, key: Any) -> Any:
        """The value of a vertex or an edge: a bool, int or float where the text spells one, else the text.

        None where there is none.
        """
        text = self.texts.get(key, self.default)
        if text is None or self.kind == "string":
            return text
        word = text.strip()
        found: Any = whole_number(word) if self.kind == "integer" else real_number(word)
        if self.kind == "boolean":
            found = BOOLEANS.get(word.lower())
        return text if found is None else found

    def edge_values(self, tails: Iterable[Any], heads: Iterable[Any], directed: bool) -> list[Any]:
        """The values of edges, by the ids of their ends; None where there is none."""
        return [self.value(key) for key in self._keys(tails, heads, directed)]

    def edge_texts(self, tails: Iterable[Any], heads: Iterable[Any], directed: bool) -> list[str | None]:
        """The texts of edges; None where there is none, or the default."""
        return [self.texts.get(key) for key in self._keys(tails, heads, directed)]

    def _keys(self, tails: Iterable[Any], heads: Iterable[Any], directed: bool) -> Iterator[Any]:
        ends = (end.tolist() if isinstance(end, np.ndarray) else end for end in (tails, heads))
        for u, v in zip(*ends, strict=True):
            yield (u, v) if directed or (u, v) in self.texts else (v, u)

    def reversed(self) -> Column:
        """Return the attribute for edges that point the other way."""
        return Column(self.kind, {(v, u): text for (u, v), text in self.texts.items()}, self.default)

    def renamed(self, old: Ends, new: Ends, directed: bool) -> Column:
        """Return the attribute for the same edges under other ids of their ends."""
        texts = zip(zip(*new, strict=True), self.edge_texts(*old, directed), strict=True)
        return Column(self.kind, {key: text for key, text in texts if text is not None}, self.default)


def free_names(columns: Mapping[str, Column], taken: Collection[Any]) -> dict[str, Column]:
    """The columns under names that nothing else has: as many underscores follow as that takes."""
    found = {name: column for name, column in columns.items() if name not in taken}
    for name, column in columns.items():
        if name in taken:
            while name in taken or name in found:
                name += "_"
            found[name] = column
    return found


@dataclass(frozen=True, repr=False)
class Attributes:
    """Attributes by name, of vertices and of edges.

    They go by ids, so that those of a graph are those of any part of it. Of parallel edges the first one's
    count; edges of an undirected graph are looked up in both directions.
    """

    vertices: Mapping[str, Column] = field(default_factory=dict)
    edges: Mapping[str, Column] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.vertices or self.edges)

    def __repr__(self) -> str:
        line = f"<Attributes: {', '.join(self.names()) or 'none'}>"
        return line if len(line) <= 300 else f"{line[:296]}...>"

    def names(self) -> list[str]:
        """List the attributes as ``node age``, ``edge since``."""
        return [f"node {name}" for name in self.vertices] + [f"edge {name}" for name in self.edges]

    def with_vertices(self, more: Mapping[str, Column]) -> Attributes:
        """Add attributes of vertices; they replace those of the same name."""
        return Attributes({**self.vertices, **more}, self.edges)

    def reversed(self) -> Attributes:
        """Return the attributes of the reversed graph."""
        return Attributes(self.vertices, {name: column.reversed() for name, column in self.edges.items()})

    def renamed(self, ids: Mapping[Any, Any], old: Ends, new: Ends, directed: bool) -> Attributes:
        """Return the attributes of the same graph under other ids: of vertices by the old, of edges' ends."""
        vertices = {
            name: Column(
                column.kind, {ids[v]: text for v, text in column.texts.items() if v in ids}, column.default
            )
            for name, column in self.vertices.items()
        }
        edges = {name: column.renamed(old, new, directed) for name, column in self.edges.items()}
        return Attributes(vertices, edges)

    def vertex_values(self, ids: list[Any], taken: Collection[Any] = ()) -> dict[str, list[Any]]:
        """The values of vertices by name, but none of the names `taken`; None where there is none."""
        return {
            name: [column.value(v) for v in ids] for name, column in free_names(self.vertices, taken).items()
        }

    def edge_values(
        self, tails: Any, heads: Any, directed: bool, taken: Collection[Any] = ()
    ) -> dict[str, list[Any]]:
        """The values of edges by name, but none of the names `taken`; None where there is none."""
        return {
            name: column.edge_values(tails, heads, directed)
            for name, column in free_names(self.edges, taken).items()
        }

    def of_vertices(self, names: list[Any]) -> Iterator[list[tuple[str, str]]]:
        """For each vertex the names and texts that it has, but defaults."""
        found = [map(each.texts.get, names) for each in self.vertices.values()]
        return _rows(len(names), list(self.vertices), found)

    def of_edges(self, tails: list[Any], heads: list[Any], directed: bool) -> Iterator[list[tuple[str, str]]]:
        """For each edge the names and texts that it has, but defaults."""
        found = [each.edge_texts(tails, heads, directed) for each in self.edges.values()]
        return _rows(len(tails), list(self.edges), found)


def _rows(count: int, names: list[str], columns: list[Any]) -> Iterator[list[tuple[str, str]]]:
    for _, *row in zip(range(count), *columns, strict=True):
        yield [(name, text) for name, text in zip(names, row, strict=True) if text is not None]
