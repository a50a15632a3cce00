"""METIS graph files read by a device.

What its kernels do not take is read by `clgraph.formats.adjacency_lines`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.build import build_counted, place_weights
from clgraph.csr.facts import count_single_arcs, differ
from clgraph.csr.upload import DeviceCSR, Parts, graph_of
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import InputError
from clgraph.files.edge_list import from_one, opened
from clgraph.files.parse import Columns, NotTaken, Room, powers_of_five
from clgraph.files.read_ahead import AS_USUAL, How, Piece, pieces
from clgraph.formats import adjacency_lines
from clgraph.formats.common import Loaded, Options, counted, reading
from clgraph.graph import Graph
from clgraph.graph.building import exclusive_sums

if TYPE_CHECKING:
    from clgraph.device import Device


# --- lists of neighbours parsed on a device: host half of ``cl/files/adjacency_lines.cl`` ---


# bytes that one work-item takes: see `clgraph.files.parse.LAUNCH`
LIST_LAUNCH = LaunchTable(gpu=256, cpu=1 << 14, simulator=16)
SEEN = 2
SHORTEST = 2  # bytes of a number


class Lists:
    """Takes pieces of text, each line of which lists the neighbours of the next vertex.

    Parameters
    ----------
    device : Device
    n : int
        Vertices.
    weighted : bool
        Whether each neighbour has its weight, a whole number, behind it.
    total : callable
        Gives about how many bytes the whole text has.
    block : int, optional
        Bytes that one work-item takes.
    """

    def __init__(
        self, device: Device, n: int, weighted: bool, total: Callable[[], int], block: int | None = None
    ) -> None:
        self._device, self._n, self._step = device, n, 2 if weighted else 1
        self._block = block or LIST_LAUNCH.of(device)
        self._program = device.program("files/adjacency_lines", BLOCK=self._block, STEP=self._step)
        self._powers = device.upload(powers_of_five()) if weighted else None
        types: dict[str, type] = {"tails": np.int32, "heads": np.int32}
        if weighted:
            types["weights"] = np.float64
        self._room = Room(device, types, self._step * SHORTEST, total)
        self._lines = self._numbers = self._loops = 0

    def all(self, pieces: Iterable[Piece]) -> Columns:
        """The arcs of all pieces, their ends counted from 0.

        Raises
        ------
        NotTaken
            If anything is left to the host's reader.
        """
        for piece in pieces:
            self._take(piece)
        if not self._numbers:
            raise NotTaken("no neighbours")
        if self._lines < self._n:
            raise NotTaken(f"{counted(self._lines, 'line')} for {self._n} vertices")
        return Columns(*self._room.three, self._numbers // self._step, np.int32, self._n - 1, self._loops)

    def _take(self, piece: Piece) -> None:
        device, nbytes = self._device, piece.end - piece.begin
        text = {"begin": piece.begin, "end": piece.end, "text": piece.buffer}
        blocks = -(-nbytes // self._block)
        lines, numbers = device.empty(blocks, np.int32), device.empty(blocks, np.int32)
        self._program.lists_count(blocks, **text, lines=lines, numbers=numbers)
        sums = []
        for counts in (lines, numbers):
            before, total = exclusive_sums(device.download(counts, np.int32, blocks))
            device.write(counts, before.astype(np.int32))
            sums.append(total)
        step, known = self._step, self._numbers
        self._room.make(-(-known // step), -(-(known + sums[1]) // step), nbytes)
        seen = device.zeros(SEEN, np.uint32)
        tail, head, weight = self._room.three
        self._program.lists_numbers(
            blocks,
            **text,
            line_base=self._lines,
            number_base=known,
            n=self._n,
            lines=lines,
            numbers=numbers,
            powers=self._powers,
            tail=tail,
            head=head,
            weight=weight,
            seen=seen,
        )
        odd, loops = device.download(seen, np.uint32, SEEN).tolist()
        if odd:
            raise NotTaken(f"{counted(odd, 'unusual place')} from line {self._lines + 1} of the lists on")
        self._lines += sums[0]
        self._numbers += sums[1]
        self._loops += loops


def read_metis(path: Path, options: Options, device: Device, how: How = AS_USUAL) -> Loaded:
    """Read a METIS graph file on a device (see `clgraph.files.edge_list.read_edges`)."""
    with reading(path):
        try:
            found = adjacency_lines.look(path, options)
        except InputError as error:  # of the faults of a file the host's reader names the first
            raise NotTaken("an unusual header") from error
        if found is None:
            raise NotTaken("no header")
        (n, m, before, weighted), skip = found
        if before:
            raise NotTaken("weights of vertices")
        if options.weights and not weighted:
            raise NotTaken("no weights")
        with device.alone(), opened(path, options) as source:
            lists = Lists(device, n, weighted, source.total, how.block)
            with closing(pieces(device, source, skip, how, words=True)) as text:
                arcs = lists.all(text)
            edges = (arcs.count + arcs.loops) // 2
            if m != edges and 2 * m != arcs.count:
                raise NotTaken(f"{counted(edges, 'edge')} instead of {m}")
            graph = _graph(device, n, arcs, options)
    # what the lazy value would count
    vars(graph)["num_duplicates"] = (arcs.count if graph.directed else edges) - graph.num_edges
    notes = ["edge weights"] if weighted and not options.weights else []
    return Loaded(graph, counted(arcs.count, "entry", "entries"), notes)


def _graph(device: Device, n: int, arcs: Columns, options: Options) -> Graph:
    """The graph, if each arc has its twin."""
    build = partial(build_counted, device, n, count=arcs.count, mirror=False)
    rows, copies = build(arcs.source, arcs.target)
    if copies is not None and (arcs.weight is not None or options.duplicates == "keep"):
        raise NotTaken("parallel edges")
    weight = None
    if arcs.weight is not None:
        ends = arcs.source, arcs.target
        weight = place_weights(device, rows, *ends, arcs.weight, arcs.count, mirror=False)
        single = count_single_arcs(device, rows, weight) > 0
    else:
        single = _differ(device, rows, copies, *build(arcs.target, arcs.source))
    if single:
        raise NotTaken("neighbours without their twins")
    parts = Parts(
        rows,
        directed=options.direction(False),
        weights=weight if options.weights else None,
        multiplicity=copies,
        ids=from_one(device, n),
        num_self_loops=None if arcs.loops else 0,
        is_multigraph=False,
    )
    return graph_of(device, parts)


def _differ(device: Device, rows: DeviceCSR, copies: Any, other: DeviceCSR, again: Any) -> bool:
    """Whether two graphs, with the multiplicities of their arcs, differ."""
    if rows.arcs != other.arcs or (copies is None) != (again is None):
        return True
    words = (rows.n + 1) * np.dtype(rows.offset).itemsize // 4
    pairs = [(rows.row_ptr, other.row_ptr, words), (rows.col_idx, other.col_idx, rows.arcs)]
    if copies is not None:
        pairs.append((copies, again, rows.arcs))
    return differ(device, rows, *pairs)
