"""Graphs cut so that random reads stay in an FPGA's on-chip memory: partitions, blocks and tiles.

Used by ``cl/fpga/ranking/partitions.cl``, whose head comment describes the layout, and
``cl/fpga/traversal/search_partitions.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph


@dataclass(frozen=True)
class Cut:
    """Cut of a graph's vertices into partitions and of its arcs into blocks.

    Attributes
    ----------
    size : int
        Vertices in a partition, whose state fits on chip.
    burst : int
        Tiles are padded to multiples of this many arcs.
    partitions : int
        Number of partitions.
    each : int
        Arcs in a block, whose padded tiles fit on chip.
    blocks : int
        Number of blocks.
    """

    size: int
    burst: int
    partitions: int
    each: int
    blocks: int

    @staticmethod
    def of(graph: Graph, *, size: int, room: int, burst: int) -> Cut | None:
        """Cut a graph, given the on-chip room for the arcs of a block.

        None if all vertices fit on chip together, or if the tiles of so many partitions would mostly be
        padding.
        """
        partitions = -(-graph.num_vertices // size)
        each = room - burst * partitions
        if partitions < 2 or 2 * each < room:
            return None
        return Cut(size, burst, partitions, each, max(1, -(-graph.num_arcs // each)))


@dataclass(frozen=True)
class Layout:
    """Arrays of a cut graph, or their device buffers.

    The head comment of ``cl/fpga/ranking/partitions.cl`` describes them. `moved` is the length of `source`:
    how many values move from partitions to blocks.
    """

    begin: Any
    source: Any
    tile: Any
    ended: Any
    place: Any
    moved: int


def make_layout(cut: Cut, row_ptr: npt.NDArray[Any], col_idx: npt.NDArray[np.int32]) -> Layout:
    """Sort each block's arcs by the partition that their values come from."""
    arcs, parts, blocks = len(col_idx), cut.partitions, cut.blocks
    starts = range(0, arcs, cut.each)
    count = np.zeros((blocks, parts), np.int64)
    for b, first in enumerate(starts):
        count[b] = np.bincount(col_idx[first : first + cut.each] // cut.size, minlength=parts)
    padded = -(-count // cut.burst) * cut.burst
    # in global memory the tiles are ordered by partition; on chip by partition within a block
    in_memory = (np.cumsum(padded.T.ravel()) - padded.T.ravel()).reshape(parts, blocks).T
    on_chip = np.cumsum(padded, axis=1) - padded
    begin = np.zeros(parts + 1, np.int64)
    np.cumsum(padded.sum(axis=0), out=begin[1:])
    source = np.zeros(max(1, int(begin[-1])), np.int32)
    place = np.empty(arcs, np.int32)
    key_type = np.uint16 if parts <= 1 << 16 else np.int32  # NumPy sorts 16 bits by radix
    for b, first in enumerate(starts):
        col = col_idx[first : first + cut.each]
        part = (col // cut.size).astype(key_type)
        order = np.argsort(part, kind="stable")
        part = part[order]
        rank = np.arange(len(col)) - np.searchsorted(part, np.arange(parts))[part]
        source[in_memory[b, part] + rank] = col[order] - part.astype(np.int32) * cut.size
        place[first + order] = on_chip[b, part] + rank
    ends = np.arange(1, blocks + 1) * cut.each
    ended = np.zeros(blocks + 1, np.int32)
    ended[1:] = np.searchsorted(row_ptr[1:], ends, side="right")
    ended[blocks] = len(row_ptr) - 1
    return Layout(
        begin=begin.astype(row_ptr.dtype),
        source=source,
        ended=ended,
        place=place,
        tile=np.stack((in_memory, in_memory + padded), axis=-1).ravel().astype(row_ptr.dtype),
        moved=len(source),
    )


def upload_layout(device: Device, graph: Graph, cut: Cut) -> Layout:
    """Return the layout of a cut graph on a device, cached as long as the graph lives."""

    def make() -> Layout:
        made = make_layout(cut, graph.row_ptr, graph.col_idx)
        arrays = {name: array for name, array in vars(made).items() if name != "moved"}
        device.reserve({name: array.nbytes for name, array in arrays.items()})
        return replace(made, **{name: device.upload(array) for name, array in arrays.items()})

    return device.cached(graph, cut, make)
