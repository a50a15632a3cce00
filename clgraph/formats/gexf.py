"""GEXF, Gephi's format, as Gephi and NetworkX read and write it.

The weight of an edge is its attribute ``weight``, 1 where it has none. Labels (that are not the ids) and
declared attributes become `Graph.attributes`; positions, other looks and times are not kept.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from clgraph.errors import InputError
from clgraph.formats.common import (
    CHUNK,
    Loaded,
    Options,
    cells,
    edges_in_pieces,
    id_cells,
    weight_cells,
    writing,
)
from clgraph.formats.markup import (
    KINDS,
    TYPES,
    Network,
    Words,
    attribute_text,
    default_of,
    ends_of_elements,
    escaped,
    parse,
    write_elements,
)
from clgraph.graph.attributes import Attributes, Column
from clgraph.graph.graph import Graph

DIRECTIONS = {"directed": True, "undirected": False, "mutual": None}
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
"""
LABEL = "label"
TIMES = {"start", "end", "startopen", "endopen", "timestamp", "timestamps", "intervals"}


class _Reader:
    def __init__(self, network: Network) -> None:
        self.network = network
        self.titles: dict[tuple[str, str], str] = {}  # (class, id) of an attribute -> its title
        self.owner = ""  # of the attributes that are being declared
        self.declared: Column | None = None
        self.wants = False
        self.graphs = 0
        self.usual: bool | None = False  # the direction of edges that say none
        self.first_edge = True
        self.weighted = False

    def start(self, stack: list[str], words: Words, line: int) -> None:
        """An element begins."""
        network, name = self.network, stack[-1]
        if name == "graph":
            self.graphs += 1
            if self.graphs > 1:
                raise network.wrong(line, "a second graph; clgraph reads files of one graph")
            self.usual = self._direction(words.get("defaultedgetype", "undirected"), line)
            network.directed = bool(self.usual)
        elif name == "attributes":
            self.owner = words.get("class", "")
        elif name == "attribute":
            title = words.get("title") or words.get("id", "")
            self.titles[self.owner, words.get("id", "")] = title
            self.declared = None
            if self.owner in network.columns:
                kind = KINDS.get(words.get("type", "string"), "string")
                self.declared = network.column(self.owner, title, kind)
        elif name == "default":
            self.wants = self.declared is not None and "attribute" in stack
        elif name == "node":
            network.add_node(words, line)
            named = network.options.ids == "name"
            if "label" in words and (named or words["label"] != words["id"]):
                network.note("node", LABEL, words["label"])
            if words.keys() & TIMES:
                network.left["times"] = None
        elif name == "edge":
            self._edge(words, line)
        elif name == "attvalue":
            owner = next((each for each in reversed(stack) if each in ("node", "edge")), "")
            key = words.get("for") or words.get("id", "")
            title = self.titles.get((owner, key), key)
            if owner and not words.keys() & TIMES:
                network.note(owner, title, words.get("value", ""))
            else:
                network.left[f"{owner} {title}".strip()] = None
        elif name in ("color", "position", "size", "shape", "thickness"):
            network.left["looks"] = None
        elif name == "spell":
            network.left["times"] = None

    def end(self, stack: list[str], text: str, line: int) -> None:
        """An element ends."""
        if self.wants and self.declared is not None:
            self.declared.default = text
        self.wants = False

    def _edge(self, words: Words, line: int) -> None:
        network = self.network
        source, target = (network.name(words, end, line, "edge") for end in ("source", "target"))
        kind = self._direction(words["type"], line) if "type" in words else self.usual
        if self.first_edge:  # what all edges say counts, not what they would be if they did not
            network.directed, self.first_edge = bool(kind), False
        network.check_direction(kind, line)
        weight = 1.0
        if "weight" in words:
            self.weighted = True
            if network.options.weights:
                weight = network.weight(words["weight"], line)
            else:
                network.left["edge weights"] = None
        if words.keys() & TIMES:
            network.left["times"] = None
        network.add_edge(source, target, weight, line)
        if words.get("label"):
            network.note("edge", LABEL, words["label"])

    def _direction(self, word: str, line: int) -> bool | None:
        if word not in DIRECTIONS:
            raise self.network.wrong(
                line, f"edges of the type {word[:80]!r}, which is none of {list(DIRECTIONS)}"
            )
        return DIRECTIONS[word]


def read_gexf(path: Path, options: Options) -> Loaded:
    """Read a GEXF file (see `clgraph.read`)."""
    network = Network(path, options)
    reader = _Reader(network)
    parse(path, options, "gexf", reader.start, reader.end, lambda: reader.wants)
    if not reader.graphs:
        raise InputError(f"{path}: holds no <graph>; download it again")
    if options.weights and network.edges and not reader.weighted:
        raise InputError(f"{path}: no edge has a weight; leave weights=True out")
    return network.loaded()


def write_gexf(graph: Graph, path: Path) -> None:
    """Write a GEXF file."""
    names = id_cells(graph, b'"', partial(attribute_text, path))
    direction = "directed" if graph.directed else "undirected"
    known = graph.attributes or Attributes()
    ids = graph.ids if known else None
    declared, numbers = _declared(path, known)
    number = 0
    with writing(path) as file:
        file.write(HEAD.encode())
        file.write(f'<graph mode="static" defaultedgetype="{direction}">\n{declared}<nodes>\n'.encode())
        for start in range(0, graph.num_vertices, CHUNK):
            some = names[start : start + CHUNK]
            if ids is None:
                write_elements(file, len(some), b'<node id="', some, b' label="', some, b"/>\n")
                continue
            texts = ids[start : start + CHUNK].tolist()
            found = known.of_vertices(texts)
            labelled = zip(found, texts, strict=True)
            write_elements(
                file,
                len(some),
                b'<node id="',
                some,
                ends_of_elements(labelled, partial(_node_end, path, numbers), ""),
            )
        file.write(b"</nodes>\n<edges>\n")
        for tail, head, weight in edges_in_pieces(graph):
            count = len(tail)
            each = cells(np.arange(number, number + count), b'"')
            number += count
            parts: list[Any] = [b'<edge id="', each, b' source="', names[tail], b' target="', names[head]]
            if weight is not None:
                parts += [b' weight="', weight_cells(weight, b'"')]
            end: Any = b"/>\n"
            if ids is not None:
                data = known.of_edges(ids[tail].tolist(), ids[head].tolist(), graph.directed)
                end = ends_of_elements(data, partial(_inside, path, "edge", numbers), "/>\n")
            write_elements(file, count, *parts, end)
        file.write(b"</edges>\n</graph>\n</gexf>\n")


def _declared(path: Path, known: Attributes) -> tuple[str, dict[tuple[str, str], int]]:
    """The declarations of attributes, and their numbers."""
    numbers: dict[tuple[str, str], int] = {}
    lines = []
    for owner, columns in (("node", known.vertices), ("edge", known.edges)):
        some = {name: column for name, column in columns.items() if name != LABEL}
        if some:
            lines.append(f'<attributes class="{owner}">\n')
        for name, column in some.items():
            numbers[owner, name] = len(numbers)
            lines.append(
                f'<attribute id="{numbers[owner, name]}" title="{escaped(path, name, name)}" '
                f'type="{TYPES[column.kind]}">{default_of(path, name, column)}</attribute>\n'
            )
        if some:
            lines.append("</attributes>\n")
    return "".join(lines), numbers


def _node_end(path: Path, numbers: dict[tuple[str, str], int], given: Any) -> str:
    found, name = given
    if not any(key == LABEL for key, _ in found):
        found = [*found, (LABEL, str(name))]
    return _inside(path, "node", numbers, found)


def _inside(path: Path, owner: str, numbers: dict[tuple[str, str], int], found: Any) -> str:
    """What follows an element's own attributes: its label and its data."""
    label = "".join(f' label="{escaped(path, name, text)}"' for name, text in found if name == LABEL)
    values = "".join(
        f'<attvalue for="{numbers[owner, name]}" value="{escaped(path, name, text)}"/>'
        for name, text in found
        if name != LABEL
    )
    return f"{label}><attvalues>{values}</attvalues></{owner}>\n" if values else f"{label}/>\n"
