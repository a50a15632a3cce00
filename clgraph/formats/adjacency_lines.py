"""Text formats with a line of neighbours for each vertex, METIS's and WebGraph's: read in blocks, written."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import IO, TypeVar

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.formats.common import Options, cells, open_binary, write_cells
from clgraph.formats.progress import reached
from clgraph.graph.graph import Graph

BLOCK = 1 << 22  # bytes of text worked on at a time
LISTS = 1 << 16  # rows of neighbours worked on at a time: a few MB, which stay in the cache
INT64_END = 2**63

Head = TypeVar("Head")
Numbers = npt.NDArray[np.int64]


def read_lines(
    path: Path,
    options: Options,
    parse_header: Callable[[list[bytes]], Head],
    expected: Callable[[Head], str],
    comment: bytes | None = None,
    signs: bool = False,
) -> tuple[Head, Numbers, Numbers]:
    """The header, how many numbers each line after it holds, and these numbers.

    Parameters
    ----------
    parse_header : callable
        Gives what the fields of the first line say, which is not blank where there are comments; [] for none.
    expected : callable
        Says, by the header, where a word stands that is no number.
    comment : bytes, optional
        What lines begin with that are left out.
    signs : bool
        Whether numbers may have signs.
    """
    refused = (b"_",) if signs else (b"_", b"+", b"-")  # which Python takes as parts of numbers
    header: Head | None = None
    before = 0  # before: lines of the file before this block
    lengths, numbers = [np.empty(0, np.int64)], [np.empty(0, np.int64)]

    def counts(line: bytes) -> bool:
        return comment is None or not line.lstrip().startswith(comment)

    with open_binary(path, options.max_ratio) as file:
        while lines := file.readlines(BLOCK):
            text = [line for line in lines if counts(line)]
            fields = [line.split() for line in text]
            if header is None:
                while fields and not fields[0] and comment is not None:
                    del fields[0]
                if fields:
                    header = parse_header(fields.pop(0))
            lengths.append(np.fromiter(map(len, fields), np.int64, len(fields)))
            try:
                if any(mark in whole for whole in [b"".join(text)] for mark in refused):
                    raise ValueError("no plain digits")
                numbers.append(np.fromiter(map(int, chain.from_iterable(fields)), np.int64))
            except (ValueError, OverflowError) as error:
                for number, line in enumerate(lines, before + 1):
                    for word in line.split() if counts(line) else []:
                        if not word.isdigit() or len(word) > 4000 or int(word) >= INT64_END:
                            assert header is not None
                            shown, why = word[:80].decode(errors="replace"), expected(header)
                            raise InputError(f"{path}, line {number}: {shown!r} {why}") from error
                raise
            before += len(lines)
    if header is None:
        header = parse_header([])
    return header, np.concatenate(lengths), np.concatenate(numbers)


def write_lines(file: IO[bytes], graph: Graph, first: int) -> None:
    """Write a line for each vertex: its neighbours, counted from `first`, each with its (whole) weight."""
    n = graph.num_vertices
    numbers = cells(np.arange(first, n + first), b" ")
    end = np.zeros((1, 8 * numbers.shape[1]), np.uint8)
    end[0, -1] = ord("\n")
    text = np.concatenate((numbers, end.view(np.uint64)))  # the last cell ends a row
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
