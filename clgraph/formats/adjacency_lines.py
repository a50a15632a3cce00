"""Text formats with a line of neighbours for each vertex behind a header: METIS's and WebGraph's.

METIS's files (.graph) count vertices from 1 and are undirected: every edge is listed twice. The header is
``n m [fmt [ncon]]``; fmt's three digits say whether lines hold vertex sizes, `ncon` vertex weights, and a
weight after each neighbour. A blank line is a vertex without neighbours.

WebGraph's ASCII graphs (.graph-txt) count vertices from 0 and are directed. The header is their number.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, compress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.formats.cells import cells, only_whole_weights, write_cells, writing
from clgraph.formats.common import Loaded, Options, check_vertex_count, counted, graph_of_arcs, open_binary
from clgraph.graph.checks import Arcs, without_twin
from clgraph.graph.graph import Graph
from clgraph.progress import reached

BLOCK = 1 << 22  # bytes of text worked on at a time
LISTS = 1 << 16  # rows of neighbours worked on at a time: a few MB, which stay in the cache
INT64_END = 2**63
COMMENT = b"%"  # of METIS
NCON_MAX = 1_000_000  # weights of one vertex, which a damaged header may promise


class Header(NamedTuple):
    """Header of a file of neighbours."""

    n: int  # vertices
    edges: int = 0
    before: int = 0  # numbers in a line before its neighbours
    weighted: bool = False  # whether a weight follows each neighbour


Parse = Callable[[Path, list[bytes], Options], Header]  # of the fields of the header; [] where there is none


class Lists(NamedTuple):
    """Lines of neighbours: their header, and the arcs, vertices counted from 0."""

    header: Header
    arcs: Arcs
    lines: npt.NDArray[np.int64]  # the number of each vertex's line


def _read(
    path: Path, options: Options, parse_header: Parse, first: int, comment: bytes | None = None
) -> Lists:
    """Read the header and the arcs; in the file vertices are counted from `first`."""
    header, lengths, numbers, lines = _numbers(path, options, parse_header, first, comment)
    n, before = header.n, header.before

    def check(right: npt.NDArray[np.bool_], what: str) -> None:
        """Raise InputError for the first line, of those of vertices and behind them, that is not right."""
        if not np.all(right):
            raise InputError(f"{path}, line {lines[np.argmin(right)]}: {what}")

    if len(lengths) < n:
        raise InputError(
            f"{path}: the header says {n} vertices, but {counted(len(lengths), 'line')} follow; download "
            "the file again"
        )
    # blank lines may follow the last vertex; more lines are a fault where they hold numbers
    blank = lengths == 0
    blank[:n] = True
    check(blank, f"more lines than the {n} vertices of the header; correct the header")
    lengths = lengths[:n]
    if before:
        check(lengths >= before, f"fewer numbers than the {before} vertex weights that the header says")
        # the place of a number in its line decides whether it is a weight of the vertex
        start = np.cumsum(lengths) - lengths
        numbers = numbers[np.arange(len(numbers)) - np.repeat(start, lengths) >= before]
        lengths = lengths - before
    weights = None
    if header.weighted:
        check(lengths % 2 == 0, "a neighbour without its weight, which the header says is there")
        weights, numbers, lengths = numbers[1::2].astype(np.float64), numbers[::2], lengths // 2
    tail = np.repeat(np.arange(n, dtype=np.int32), lengths)
    outside = (numbers < first) | (numbers >= n + first)
    if np.any(outside):
        i = int(np.argmax(outside))
        raise InputError(
            f"{path}, line {lines[tail[i]]}: neighbour {numbers[i]} of vertex {tail[i] + first} is not a "
            f"vertex: they are {first} .. {n + first - 1}"
        )
    return Lists(header, (tail, (numbers - first).astype(np.int32), weights), lines)


def _numbers(
    path: Path, options: Options, parse_header: Parse, first: int, comment: bytes | None
) -> tuple[Header, npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Read the header, how many numbers each line after it holds, these numbers, and the lines' own."""
    # what Python takes as parts of numbers; files with comments may have signs
    refused = (b"_", b"+", b"-") if comment is None else (b"_",)
    header: Header | None = None
    known = 0  # lines of the file before this block
    lengths, numbers, places = ([np.empty(0, np.int64)] for _ in range(3))
    with open_binary(path, options.max_ratio) as file:
        while lines := file.readlines(BLOCK):
            place = np.arange(known + 1, known + 1 + len(lines))
            known += len(lines)
            if comment is not None:
                counts = [not line.lstrip().startswith(comment) for line in lines]
                place, lines = place[counts], list(compress(lines, counts))
            fields = [line.split() for line in lines]
            if header is None:
                skip = next((i for i, words in enumerate(fields) if words or comment is None), len(fields))
                if skip < len(fields):
                    header = parse_header(path, fields[skip], options)
                fields, place, lines = fields[skip + 1 :], place[skip + 1 :], lines[skip + 1 :]
            lengths.append(np.fromiter(map(len, fields), np.int64, len(fields)))
            places.append(place)
            try:
                # one look at the whole text is cheaper than one at each word
                if any(mark in whole for whole in [b"".join(lines)] for mark in refused):
                    raise ValueError("no plain digits")
                numbers.append(np.fromiter(map(int, chain.from_iterable(fields)), np.int64))
            except (ValueError, OverflowError) as error:
                # Python's error names no line, so the word is looked for again
                for number, words in zip(place.tolist(), fields, strict=True):
                    for word in words:
                        if not word.isdigit() or len(word) > 4000 or int(word) >= INT64_END:
                            assert header is not None
                            weight = " or a weight" if header.weighted or header.before else ""
                            raise InputError(
                                f"{path}, line {number}: {word[:80].decode(errors='replace')!r} where the "
                                f"whole number of a neighbour{weight} should be: vertices are {first} .. "
                                f"{header.n + first - 1}"
                            ) from error
                raise
    if header is None:
        header = parse_header(path, [], options)
    return header, np.concatenate(lengths), np.concatenate(numbers), np.concatenate(places)


def _write(graph: Graph, path: Path, head: str, first: int) -> None:
    """Write a header, and each vertex's neighbours, counted from `first`, with their (whole) weights."""
    n = graph.num_vertices
    # each number is spelt once, and rows are gathered from the spellings
    numbers = cells(np.arange(first, n + first), b" ")
    end = np.zeros((1, 8 * numbers.shape[1]), np.uint8)
    end[0, -1] = ord("\n")
    text = np.concatenate((numbers, end.view(np.uint64)))  # the last cell ends a row
    with writing(path) as file:
        file.write(f"{head}\n".encode())
        for start in range(0, n, LISTS):
            row_ptr = graph.row_ptr[start : start + LISTS + 1]
            reached(int(row_ptr[0]) / max(graph.num_arcs, 1))
            arcs = slice(int(row_ptr[0]), int(row_ptr[-1]))
            ends = (row_ptr[1:] - row_ptr[0]).astype(np.int64)
            columns = [text[np.insert(graph.col_idx[arcs], ends, n)]]
            if graph.weights is not None:
                weight = cells(graph.weights[arcs].astype(np.int64), b" ")
                columns.append(np.insert(weight, ends, 0, axis=0))
            write_cells(file, *columns)


# --- METIS ---


def read_metis(path: Path, options: Options) -> Loaded:
    """Read a METIS graph file (see `clgraph.read`)."""
    header, (tail, head, weights), lines = _read(path, options, _metis_header, 1, COMMENT)
    weights = weights if options.weights else None
    if (found := without_twin((tail, head, weights))) is not None:
        u, v = found
        what = "as often" if weights is None else "as often, with the same weight"
        raise InputError(
            f"{path}, line {lines[u]}: vertex {u + 1} lists {v + 1}, but vertex {v + 1} (line {lines[v]}) "
            f"does not list {u + 1} {what}; METIS files hold every edge twice: correct the line, or give "
            "directed graphs as edge lists"
        )
    once = tail <= head
    edges = int(np.count_nonzero(once))
    if header.edges != edges and 2 * header.edges != len(head):
        raise InputError(
            f"{path}: the header says {header.edges} edges, but the lines hold {edges}; download the file "
            "again or correct the header"
        )
    arcs: Arcs = tail, head, weights
    directed = options.direction(False)
    if not directed:
        arcs = tail[once], head[once], None if weights is None else weights[once]
    graph = graph_of_arcs(arcs, header.n, options, directed, first=1)
    notes = ["vertex weights"] if header.before else []
    notes += ["edge weights"] if header.weighted and not options.weights else []
    return Loaded(graph, counted(len(head), "entry", "entries"), notes)


def look(path: Path, options: Options) -> tuple[Header, int] | None:
    """Return the header, and how many bytes end with it; None where there is none."""
    skip = 0
    with open_binary(path, options.max_ratio) as file:
        for line in file:
            skip += len(line)
            # comments and blank lines may stand before the header
            if line.strip() and not line.lstrip().startswith(COMMENT):
                return _metis_header(path, line.split(), options), skip
    return None


def _metis_header(path: Path, fields: list[bytes], options: Options) -> Header:
    if not fields:
        raise InputError(f"{path}: holds no header 'vertices edges', only blank lines or comments")
    shown = b" ".join(fields)[:80].decode(errors="replace")
    if not 2 <= len(fields) <= 4 or not all(field.isdigit() and len(field) < 20 for field in fields):
        raise InputError(
            f"{path}: the header {shown!r} should be 'vertices edges [fmt [ncon]]'; is this a METIS file?"
        )
    fmt = fields[2].decode().zfill(3) if len(fields) > 2 else "000"
    if len(fmt) > 3 or set(fmt) - {"0", "1"}:
        raise InputError(f"{path}: fmt {fmt!r} in the header {shown!r} should be three digits, each 0 or 1")
    check_vertex_count(path, n := int(fields[0]), options)
    ncon = (int(fields[3]) if len(fields) > 3 else 1) if fmt[1] == "1" else 0
    if ncon > NCON_MAX:
        raise InputError(
            f"{path}: {ncon} weights of each vertex (ncon in the header {shown!r}); at most {NCON_MAX}"
        )
    if options.weights and fmt[2] == "0":
        raise InputError(f"{path}: the header says that the file has no edge weights; leave weights=True out")
    return Header(n, int(fields[1]), int(fmt[0]) + ncon, fmt[2] == "1")


def write_metis(graph: Graph, path: Path) -> None:
    """Write a METIS graph file; weights must be positive whole numbers."""
    if graph.directed or graph.num_self_loops:
        why = f"METIS files cannot hold its {counted(graph.num_self_loops, 'self-loop')}"
        if graph.directed:
            why = "it is directed, METIS files are undirected (read it with directed=False)"
        raise InputError(f"cannot write {path}: {why}; use another format")
    only_whole_weights(graph, path, "METIS", 1)
    fmt = "" if graph.weights is None else " 001"
    _write(graph, path, f"{graph.num_vertices} {graph.num_edges}{fmt}", first=1)


# --- WebGraph ---


def read_webgraph(path: Path, options: Options) -> Loaded:
    """Read an ASCII graph of WebGraph (see `clgraph.read`)."""
    header, arcs, _ = _read(path, options, _webgraph_header, 0)
    graph = graph_of_arcs(arcs, header.n, options, options.direction(True), twins=True)
    return Loaded(graph, counted(len(arcs[0]), "arc"))


def _webgraph_header(path: Path, fields: list[bytes], options: Options) -> Header:
    if len(fields) != 1 or not fields[0].isdigit() or len(fields[0]) > 99:
        shown = b" ".join(fields)[:80].decode(errors="replace")
        raise InputError(f"{path}, line 1: {shown!r} where the number of vertices should be")
    check_vertex_count(path, n := int(fields[0]), options)
    return Header(n)


def write_webgraph(graph: Graph, path: Path) -> list[str]:
    """Write an ASCII graph of WebGraph."""
    _write(graph, path, f"{graph.num_vertices}", first=0)
    return [] if graph.directed else ["each edge written as two arcs (the format is directed)"]
