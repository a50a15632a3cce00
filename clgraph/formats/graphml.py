"""GraphML, as NetworkX, igraph, yEd and Gephi read and write it.

The weight of an edge is its datum of the key whose ``attr.name`` is ``weight``. Other data of vertices and
edges become `Graph.attributes`, but those of further elements (yEd's drawings). Nested graphs and hyperedges
are refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clgraph.formats.cells import writing
from clgraph.formats.common import Loaded, Options
from clgraph.formats.markup import KINDS, Found, Network, Words, Writer
from clgraph.graph.graph import Graph

DIRECTIONS = {"directed": True, "undirected": False}
SPELLED = {"true": True, "false": False, "1": True, "0": False}
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""
KEY = '<key id="d{number}" for="{owner}" attr.name="{name}" attr.type="{type}">{default}</key>\n'


class GraphML(Network):
    """Reader of GraphML elements."""

    root = "graphml"

    def __init__(self, path: Path, options: Options) -> None:
        super().__init__(path, options)
        self.keys: dict[str, tuple[str, str, str]] = {}  # id -> what it is for, name, kind
        self.key = ""  # that is being read
        self.default: float | None = None  # the weight of an edge without one

    def start(self, stack: list[str], words: Words, line: int) -> None:
        """Take the beginning of an element."""
        name = stack[-1]
        inside = stack[-2] if len(stack) > 1 else ""
        self.wants = False
        if name == "key" and inside == "graphml":
            self.key = words.get("id", "")
            shown = words.get("attr.name") or words.get("yfiles.type") or self.key
            kind = KINDS.get(words.get("attr.type", "string"), "string")
            self.keys[self.key] = words.get("for", "all"), shown, kind
        elif name == "default" and inside == "key":
            self.wants = True
        elif name == "graph":
            self.start_graph(line)
            said = words.get("edgedefault", "")
            if said not in DIRECTIONS:
                raise self.wrong(line, f"edgedefault is {said[:80]!r}, not 'directed' or 'undirected'")
            self.directed = DIRECTIONS[said]
        elif name == "node" and inside == "graph":
            self.add_node(words, line)
        elif name == "edge" and inside == "graph":
            source, target = (self.name(words, end, line, "edge") for end in ("source", "target"))
            if "directed" in words:
                if words["directed"] not in SPELLED:
                    raise self.wrong(line, f"directed is {words['directed'][:80]!r}, not 'true' or 'false'")
                self.check_direction(SPELLED[words["directed"]], line)
            self.add_edge(source, target, None, line)
        elif name == "hyperedge":
            raise self.wrong(line, "a hyperedge; an edge of a graph has two ends")
        elif name == "data":
            self.key = words.get("key", "")
            if self.key not in self.keys:
                raise self.wrong(line, f"data of the key {self.key[:80]!r}, which is not declared above")
            self.wants = inside in ("node", "edge")
        elif inside == "data" and stack[-3] in ("node", "edge"):
            self.skipped[f"{stack[-3]} {self.keys[self.key][1]}"] = None

    def end(self, stack: list[str], text: str, line: int) -> None:
        """Take the end of an element."""
        name = stack[-1]
        if self.wants and name == "default" and self._is_weight(self.key):
            if self.options.weights:
                self.default = self.weight(text, line)
        elif self.wants and name == "default":
            domain, shown, kind = self.keys[self.key]
            for owner in ("node", "edge"):
                if domain in (owner, "all"):
                    self.column(owner, shown, kind).default = text
        elif self.wants and not (stack[-2] == "edge" and self._is_weight(self.key)):
            _, shown, kind = self.keys[self.key]
            self.column(stack[-2], shown, kind)
            self.note(stack[-2], shown, text)
        elif self.wants:
            source, target, weight, first = self.edges[-1]
            if weight is not None:
                raise self.wrong(line, "a second weight of the same edge; keep one")
            if self.options.weights:
                self.edges[-1] = source, target, self.weight(text, line), first
            else:
                self.skipped["edge weights"] = None
        elif name == "edge" and self.options.weights and self.edges:
            source, target, weight, first = self.edges[-1]
            if weight is None and self.default is None:
                raise self.wrong(first, "an edge without a weight; leave weights=True out")
            if weight is None:
                self.edges[-1] = source, target, self.default, first
        self.wants = False

    def _is_weight(self, key: str) -> bool:
        domain, name, _ = self.keys.get(key, ("", "", ""))
        return name == "weight" and domain in ("edge", "all")


def read_graphml(path: Path, options: Options) -> Loaded:
    """Read a GraphML file (see `clgraph.read`)."""
    return GraphML(path, options).read()


def write_graphml(graph: Graph, path: Path) -> None:
    """Write a GraphML file."""
    writer, weighted = Writer(graph, path), graph.weights is not None
    lines = writer.declare(KEY)
    weights = '<key id="weight" for="edge" attr.name="weight" attr.type="double"/>\n' if weighted else ""

    def data(owner: str, found: Found) -> str:
        return "".join(
            f'<data key="d{writer.numbers[owner, name]}">{writer.escaped(name, text)}</data>'
            for name, text in found
        )

    def node(found: Found, _: Any) -> str:
        return f">{data('node', found)}</node>\n" if found else "/>\n"

    # an edge with a weight is open already
    opened, empty = ("", "</edge>\n") if weighted else (">", "/>\n")
    weight = '><data key="weight">{weight}</data>' if weighted else ""

    def edge(found: Found) -> str:
        return f"{opened}{data('edge', found)}</edge>\n" if found else empty

    direction = "directed" if graph.directed else "undirected"
    with writing(path) as file:
        file.write(f'{HEAD}{weights}{"".join(lines.values())}<graph edgedefault="{direction}">\n'.encode())
        writer.nodes(file, '<node id="{id}"', node)
        writer.edges(file, '<edge source="{source}" target="{target}"' + weight, edge)
        file.write(b"</graph>\n</graphml>\n")
