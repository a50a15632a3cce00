"""GEXF, Gephi's format, as Gephi and NetworkX read and write it.

The weight of an edge is its attribute ``weight``, 1 where it has none. Labels, positions, times and other
attributes are not kept.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from clgraph.errors import InputError
from clgraph.graph.graph import Graph
from clgraph.graph.io.common import Loaded, Options, cells, id_cells, writing
from clgraph.graph.io.edges import weight_cells
from clgraph.graph.io.markup import Network, Words, attribute_text, parse, write_elements
from clgraph.graph.io.written import CHUNK, edges_in_pieces, merged_note

DIRECTIONS = {"directed": True, "undirected": False, "mutual": None}
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
"""
TIMES = {"start", "end", "startopen", "endopen", "timestamp", "timestamps", "intervals"}


class _Reader:
    def __init__(self, network: Network) -> None:
        self.network = network
        self.titles: dict[tuple[str, str], str] = {}  # (class, id) of an attribute -> its title
        self.kind = ""  # of the attributes that are being declared
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
            self.kind = words.get("class", "")
        elif name == "attribute":
            self.titles[self.kind, words.get("id", "")] = words.get("title") or words.get("id", "")
        elif name == "node":
            network.add_node(words, line)
            if words.get("label", words["id"]) != words["id"]:
                network.left["node label"] = None
            if words.keys() & TIMES:
                network.left["times"] = None
        elif name == "edge":
            self._edge(words, line)
        elif name == "attvalue":
            owner = next((each for each in reversed(stack) if each in ("node", "edge")), "")
            key = words.get("for") or words.get("id", "")
            network.left[f"{owner} {self.titles.get((owner, key), key)}"] = None
        elif name in ("color", "position", "size", "shape", "thickness"):
            network.left["looks"] = None
        elif name == "spell":
            network.left["times"] = None

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
        if words.get("label"):
            network.left["edge label"] = None
        if words.keys() & TIMES:
            network.left["times"] = None
        network.edges.append((source, target, weight, line))

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
    parse(path, options, "gexf", reader.start, lambda *_: None, lambda: False)
    if not reader.graphs:
        raise InputError(f"{path}: holds no <graph>; download it again")
    if options.weights and network.edges and not reader.weighted:
        raise InputError(f"{path}: no edge has a weight; leave --weights out")
    return network.loaded()


def write_gexf(graph: Graph, path: Path) -> list[str]:
    """Write a GEXF file."""
    names = id_cells(graph, b'"', partial(attribute_text, path))
    direction = "directed" if graph.directed else "undirected"
    number = 0
    with writing(path) as file:
        file.write(HEAD.encode())
        file.write(f'<graph mode="static" defaultedgetype="{direction}">\n<nodes>\n'.encode())
        for start in range(0, graph.num_vertices, CHUNK):
            some = names[start : start + CHUNK]
            write_elements(file, len(some), b'<node id="', some, b' label="', some, b"/>\n")
        file.write(b"</nodes>\n<edges>\n")
        for tail, head, weight in edges_in_pieces(graph):
            count = len(tail)
            each = cells(np.arange(number, number + count), b'"')
            number += count
            ends = b'<edge id="', each, b' source="', names[tail], b' target="', names[head]
            if weight is None:
                write_elements(file, count, *ends, b"/>\n")
            else:
                write_elements(file, count, *ends, b' weight="', weight_cells(weight, b'"'), b"/>\n")
        file.write(b"</edges>\n</graph>\n</gexf>\n")
    return merged_note(graph)
