"""What a file says of vertices and edges besides the graph: values by id, which samples carry along."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from clgraph.sizes import real_number, whole_number

BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


@dataclass
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


@dataclass(frozen=True)
class Attributes:
    """Attributes by name, of vertices and of edges.

    They go by ids, so that those of a graph are those of any part of it. Of parallel edges the first one's
    count; edges of an undirected graph are looked up in both directions.
    """

    vertices: Mapping[str, Column] = field(default_factory=dict)
    edges: Mapping[str, Column] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.vertices or self.edges)

    def names(self) -> list[str]:
        """As ``node age``, ``edge since``."""
        return [f"node {name}" for name in self.vertices] + [f"edge {name}" for name in self.edges]

    def with_vertices(self, more: Mapping[str, Column]) -> Attributes:
        """These and further ones of vertices, which replace those of the same name."""
        return Attributes({**self.vertices, **more}, self.edges)

    def of_vertices(self, names: Iterable[Any]) -> Iterator[list[tuple[str, str]]]:
        """For each vertex the names and texts that it has."""
        return _texts(self.vertices, ((name,) for name in names))

    def of_edges(self, tails: Iterable[Any], heads: Iterable[Any], directed: bool) -> Iterator[Any]:
        """For each edge the names and texts that it has."""
        pairs = zip(tails, heads, strict=True)
        return _texts(self.edges, (((u, v),) if directed else ((u, v), (v, u)) for u, v in pairs))


def _texts(columns: Mapping[str, Column], keys: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[str, str]]]:
    columns_of = [(name, column.texts) for name, column in columns.items()]
    for each in keys:
        yield [
            (name, texts[key])
            for name, texts in columns_of
            for key in [next((key for key in each if key in texts), None)]
            if key is not None
        ]
