"""GraphML, as NetworkX, igraph, yEd and Gephi read and write it.

The weight of an edge is its datum of the key whose ``attr.name`` is ``weight``. Other data of vertices and
edges become `Graph.attributes`, but those of further elements (yEd's drawings). Nested graphs and hyperedges
are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from clgraph.errors import InputError
from clgraph.formats.common import CHUNK, Loaded, Options, edges_in_pieces, id_cells, weight_cells, writing
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
from clgraph.graph.attributes import Attributes
from clgraph.graph.graph import Graph

DIRECTIONS = {"directed": True, "undirected": False}
SPELLED = {"true": True, "false": False, "1": True, "0": False}
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""


class _Reader:
    def __init__(self, network: Network) -> None:
        self.network = network
        self.keys: dict[str, tuple[str, str, str]] = {}  # id -> what it is for, name, kind
        self.key = ""  # that is being read
        self.default: float | None = None  # the weight of an edge without one
        self.graphs = 0
        self.wants = False

    def start(self, stack: list[str], words: Words, line: int) -> None:
        """An element begins."""
        network, name = self.network, stack[-1]
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
            self.graphs += 1
            if self.graphs > 1:
                raise network.wrong(line, "a second or a nested graph; clgraph reads files of one graph")
            said = words.get("edgedefault", "")
            if said not in DIRECTIONS:
                raise network.wrong(line, f"edgedefault is {said[:80]!r}, not 'directed' or 'undirected'")
            network.directed = DIRECTIONS[said]
        elif name == "node" and inside == "graph":
            network.add_node(words, line)
        elif name == "edge" and inside == "graph":
            source, target = (network.name(words, end, line, "edge") for end in ("source", "target"))
            if "directed" in words:
                if words["directed"] not in SPELLED:
                    raise network.wrong(
                        line, f"directed is {words['directed'][:80]!r}, not 'true' or 'false'"
                    )
                network.check_direction(SPELLED[words["directed"]], line)
            network.add_edge(source, target, None, line)
        elif name == "hyperedge":
            raise network.wrong(line, "a hyperedge; an edge of a graph has two ends")
        elif name == "data":
            self.key = words.get("key", "")
            if self.key not in self.keys:
                raise network.wrong(line, f"data of the key {self.key[:80]!r}, which is not declared above")
            self.wants = inside in ("node", "edge")
        elif inside == "data" and stack[-3] in ("node", "edge"):
            network.left[f"{stack[-3]} {self.keys[self.key][1]}"] = None

    def end(self, stack: list[str], text: str, line: int) -> None:
        """An element ends."""
        network, name = self.network, stack[-1]
        if self.wants and name == "default" and self._is_weight(self.key):
            if network.options.weights:
                self.default = network.weight(text, line)
        elif self.wants and name == "default":
            domain, shown, kind = self.keys[self.key]
            for owner in ("node", "edge"):
                if domain in (owner, "all"):
                    network.column(owner, shown, kind).default = text
        elif self.wants and not (stack[-2] == "edge" and self._is_weight(self.key)):
            _, shown, kind = self.keys[self.key]
            network.column(stack[-2], shown, kind)
            network.note(stack[-2], shown, text)
        elif self.wants:
            source, target, weight, first = network.edges[-1]
            if weight is not None:
                raise network.wrong(line, "a second weight of the same edge; keep one")
            if network.options.weights:
                network.edges[-1] = source, target, network.weight(text, line), first
            else:
                network.left["edge weights"] = None
        elif name == "edge" and network.options.weights and network.edges:
            source, target, weight, first = network.edges[-1]
            if weight is None and self.default is None:
                raise network.wrong(first, "an edge without a weight; leave weights=True out")
            if weight is None:
                network.edges[-1] = source, target, self.default, first
        self.wants = False

    def _is_weight(self, key: str) -> bool:
        domain, name, _ = self.keys.get(key, ("", "", ""))
        return name == "weight" and domain in ("edge", "all")


def read_graphml(path: Path, options: Options) -> Loaded:
    """Read a GraphML file (see `clgraph.read`)."""
    network = Network(path, options)
    reader = _Reader(network)
    parse(path, options, "graphml", reader.start, reader.end, lambda: reader.wants)
    if not reader.graphs:
        raise InputError(f"{path}: holds no <graph>; download it again")
    return network.loaded()


def write_graphml(graph: Graph, path: Path) -> None:
    """Write a GraphML file."""
    names = id_cells(graph, b'"', partial(attribute_text, path))
    direction = "directed" if graph.directed else "undirected"
    known = graph.attributes or Attributes()
    ids = graph.ids if known else None
    keys, data = _keys(path, known)
    with writing(path) as file:
        file.write(HEAD.encode())
        if graph.weights is not None:
            file.write(b'<key id="weight" for="edge" attr.name="weight" attr.type="double"/>\n')
        file.write(keys.encode())
        file.write(f'<graph edgedefault="{direction}">\n'.encode())
        for start in range(0, graph.num_vertices, CHUNK):
            some = names[start : start + CHUNK]
            end: Any = b"/>\n"
            if ids is not None:
                found = known.of_vertices(ids[start : start + CHUNK].tolist())
                end = ends_of_elements(found, lambda each: f">{data('node', each)}</node>\n", "/>\n")
            write_elements(file, len(some), b'<node id="', some, end)
        for tail, head, weight in edges_in_pieces(graph):
            parts: list[Any] = [b'<edge source="', names[tail], b' target="', names[head]]
            if weight is not None:
                parts += [b'><data key="weight">', weight_cells(weight, b"<"), b"/data>"]
            closed, empty = ("", "</edge>\n") if weight is not None else (">", "/>\n")
            end = empty.encode()
            if ids is not None:
                found = known.of_edges(ids[tail].tolist(), ids[head].tolist(), graph.directed)
                end = ends_of_elements(found, partial(_edge_end, data, closed), empty)
            write_elements(file, len(tail), *parts, end)
        file.write(b"</graph>\n</graphml>\n")


def _edge_end(data: Callable[[str, Any], str], closed: str, found: Any) -> str:
    return f"{closed}{data('edge', found)}</edge>\n"


def _keys(path: Path, known: Attributes) -> tuple[str, Callable[[str, Any], str]]:
    """The declarations of attributes, and what spells the data of an element."""
    keys: dict[tuple[str, str], str] = {}
    lines = []
    for owner, columns in (("node", known.vertices), ("edge", known.edges)):
        for name, column in columns.items():
            key = keys[owner, name] = f"d{len(keys)}"
            lines.append(
                f'<key id="{key}" for="{owner}" attr.name="{escaped(path, name, name)}" '
                f'attr.type="{TYPES[column.kind]}">{default_of(path, name, column)}</key>\n'
            )

    def data(owner: str, found: list[tuple[str, str]]) -> str:
        return "".join(
            f'<data key="{keys[owner, name]}">{escaped(path, name, text)}</data>' for name, text in found
        )

    return "".join(lines), data
