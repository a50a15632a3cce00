"""Fields of Pajek's lines: what follows the label of a vertex, or the weight of an edge, as attributes.

Of a vertex up to three coordinates come first, then its shape; the others are pairs of a name and a value.
The shape stands before other fields also where there is none, as `SHAPE`, which Pajek draws then: igraph
reads no others without it. An edge's label is its field ``l``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from clgraph.graph.attributes import Attributes, Column
from clgraph.graph.io.common import few
from clgraph.sizes import real_number

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
    """What is known of vertices and edges, as lines hold it.

    Parameters
    ----------
    known : Attributes
    numbered : bool
        Whether the vertices' ids are their numbers in the file, so that labels can be what is known as such.
    """

    def __init__(self, known: Attributes, *, numbered: bool) -> None:
        self.numbered = numbered
        self.left: dict[str, None] = {}
        self.vertices, self.edges = self._named("node", known.vertices), self._named("edge", known.edges)
        if self.edges.pop("l", None) is not None:  # which would be read as a label
            self.left["edge l"] = None

    def _named(self, owner: str, columns: Any) -> dict[str, Column]:
        self.left |= {f"{owner} {name}": None for name in columns if not NAME.fullmatch(name)}
        return {name: column for name, column in columns.items() if NAME.fullmatch(name)}

    def _held(self, owner: str, found: Iterable[tuple[str, str | None]]) -> dict[str, str]:
        """The texts that there are, and that a line can hold."""
        texts = {name: text for name, text in found if text is not None}
        for name in [name for name, text in texts.items() if NO_VALUE.search(text)]:
            del texts[name]
            self.left[f"{owner} {name}"] = None
        return texts

    def of_vertex(self, vertex: Any) -> str:
        """What follows the number of a vertex, given by id."""
        columns = self.vertices.items()
        texts = self._held("node", ((name, each.texts.get(vertex, each.default)) for name, each in columns))
        label = texts.pop("label", vertex) if self.numbered else vertex
        words = [f'"{label}"']
        for axis in AXES:
            if real_number(texts.get(axis, "")) is None:
                break
            words.append(texts.pop(axis))
        if texts and NAME.fullmatch(texts.get("shape", SHAPE)):
            words.append(texts.pop("shape", SHAPE))
        return " ".join([*words, *(f'{name} "{text}"' for name, text in texts.items())])

    def of_edges(self, tails: Any, heads: Any, directed: bool, weights: Iterable[str]) -> Iterator[str]:
        """What follows the ends of edges, given by the ids of their ends: weights, then fields."""
        columns = self.edges.items()
        found = [each.edge_texts(tails, heads, directed) for _, each in columns]
        for weight, row in zip(weights, zip(*found, strict=True), strict=False):
            own = (
                (name, each.default if text is None else text)
                for (name, each), text in zip(columns, row, strict=True)
            )
            texts = self._held("edge", own).items()
            yield " ".join(
                [weight, *(f'{"l" if name == "label" else name} "{text}"' for name, text in texts)]
            )

    def notes(self) -> list[str]:
        """What lines could not hold, once they are written."""
        names = ", ".join(few(list(self.left)))
        why = "Pajek's names are letters, digits and _, its values without quotes and line ends"
        return [f"left out: {names}; {why}"] if names else []
