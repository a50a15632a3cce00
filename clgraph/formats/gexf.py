"""GEXF, Gephi's format, as Gephi and NetworkX read and write it.

The weight of an edge is its attribute ``weight``, 1 where it has none. Labels (that are not the ids) and
declared attributes become `Graph.attributes`; positions, other looks and times are not kept.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from clgraph.errors import InputError
from clgraph.formats.cells import writing
from clgraph.formats.common import Loaded, Options
from clgraph.formats.markup import KINDS, Found, Network, Words, Writer
from clgraph.graph.attributes import Column
from clgraph.graph.graph import Graph

DIRECTIONS = {"directed": True, "undirected": False, "mutual": None}
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
"""
LABEL = "label"
ATTRIBUTE = '<attribute id="{number}" title="{name}" type="{type}">{default}</attribute>\n'
TIMES = {"start", "end", "startopen", "endopen", "timestamp", "timestamps", "intervals"}


class GEXF(Network):
    """Reader of GEXF elements."""

    root = "gexf"

    def __init__(self, path: Path, options: Options) -> None:
        super().__init__(path, options)
        self.titles: dict[tuple[str, str], str] = {}  # (class, id) of an attribute -> its title
        self.owner = ""  # of the attributes that are being declared
        self.declared: Column | None = None
        self.usual: bool | None = False  # the direction of edges that say none
        self.first_edge = True
        self.weighted = False

    def start(self, stack: list[str], words: Words, line: int) -> None:
        """Take the beginning of an element."""
        name = stack[-1]
        if name == "graph":
            self.start_graph(line)
            self.usual = self._direction(words.get("defaultedgetype", "undirected"), line)
            self.directed = bool(self.usual)
        elif name == "attributes":
            self.owner = words.get("class", "")
        elif name == "attribute":
            title = words.get("title") or words.get("id", "")
            self.titles[self.owner, words.get("id", "")] = title
            self.declared = None
            if self.owner in self.columns:
                kind = KINDS.get(words.get("type", "string"), "string")
                self.declared = self.column(self.owner, title, kind)
        elif name == "default":
            self.wants = self.declared is not None and "attribute" in stack
        elif name == "node":
            self.add_node(words, line)
            named = self.options.ids == "name"
            if "label" in words and (named or words["label"] != words["id"]):
                self.note("node", LABEL, words["label"])
            if words.keys() & TIMES:
                self.skipped["times"] = None
        elif name == "edge":
            self._edge(words, line)
        elif name == "attvalue":
            owner = next((each for each in reversed(stack) if each in ("node", "edge")), "")
            key = words.get("for") or words.get("id", "")
            title = self.titles.get((owner, key), key)
            if owner and not words.keys() & TIMES:
                self.note(owner, title, words.get("value", ""))
            else:
                self.skipped[f"{owner} {title}".strip()] = None
        elif name in ("color", "position", "size", "shape", "thickness"):
            self.skipped["looks"] = None
        elif name == "spell":
            self.skipped["times"] = None

    def end(self, stack: list[str], text: str, line: int) -> None:
        """Take the end of an element."""
        if self.wants and self.declared is not None:
            self.declared.default = text
        self.wants = False

    def _edge(self, words: Words, line: int) -> None:
        source, target = (self.name(words, end, line, "edge") for end in ("source", "target"))
        kind = self._direction(words["type"], line) if "type" in words else self.usual
        if self.first_edge:  # what all edges say counts, not what they would be if they did not
            self.directed, self.first_edge = bool(kind), False
        self.check_direction(kind, line)
        weight = 1.0
        if "weight" in words:
            self.weighted = True
            if self.options.weights:
                weight = self.weight(words["weight"], line)
            else:
                self.skipped["edge weights"] = None
        if words.keys() & TIMES:
            self.skipped["times"] = None
        self.add_edge(source, target, weight, line)
        if words.get("label"):
            self.note("edge", LABEL, words["label"])

    def _direction(self, word: str, line: int) -> bool | None:
        if word not in DIRECTIONS:
            raise self.wrong(line, f"edges of the type {word[:80]!r}, which is none of {list(DIRECTIONS)}")
        return DIRECTIONS[word]


def read_gexf(path: Path, options: Options) -> Loaded:
    """Read a GEXF file (see `clgraph.read`)."""
    network = GEXF(path, options)
    loaded = network.read()
    if options.weights and network.edges and not network.weighted:
        raise InputError(f"{path}: no edge has a weight; leave weights=True out")
    return loaded


def write_gexf(graph: Graph, path: Path) -> None:
    """Write a GEXF file."""
    writer, weighted = Writer(graph, path), graph.weights is not None
    declared = (
        f'<attributes class="{owner}">\n{lines}</attributes>\n' if lines else ""
        for owner, lines in writer.declare(ATTRIBUTE, LABEL).items()
    )

    def inside(owner: str, found: Found) -> str:
        """The label of an element and its data, which follow its own attributes."""
        label = "".join(f' label="{writer.escaped(name, text)}"' for name, text in found if name == LABEL)
        values = "".join(
            f'<attvalue for="{writer.numbers[owner, name]}" value="{writer.escaped(name, text)}"/>'
            for name, text in found
            if name != LABEL
        )
        return f"{label}><attvalues>{values}</attvalues></{owner}>\n" if values else f"{label}/>\n"

    def node(found: Found, name: Any) -> str:
        labelled = name is None or any(key == LABEL for key, _ in found)
        return inside("node", found if labelled else [*found, (LABEL, str(name))])

    # without attributes the label is part of each node's template
    label, weight = "" if writer.known else ' label="{id}"', ' weight="{weight}"' if weighted else ""
    direction = "directed" if graph.directed else "undirected"
    with writing(path) as file:
        file.write(f'{HEAD}<graph mode="static" defaultedgetype="{direction}">\n'.encode())
        file.write(f"{''.join(declared)}<nodes>\n".encode())
        writer.nodes(file, '<node id="{id}"' + label, node)
        file.write(b"</nodes>\n<edges>\n")
        edge = '<edge id="{number}" source="{source}" target="{target}"' + weight
        writer.edges(file, edge, partial(inside, "edge"))
        file.write(b"</edges>\n</graph>\n</gexf>\n")
