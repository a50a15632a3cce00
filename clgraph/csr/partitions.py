"""Graphs cut so that what is read at random fits an FPGA's on-chip memory: partitions, blocks and tiles.

Used by ``cl/fpga/ranking/partitions.cl``, whose head has the layout, and ``cl/fpga/traversal/search_partitions.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph


@dataclass(frozen=True)
class Cut:
    """Into what a graph's vertices and arcs are cut.

    Attributes
    ----------
    size : int
        Vertices of a partition: so many have their state on chip.
    burst : int
        Arcs of a tile come in multiples of it.
    partitions : int
    each : int
        Arcs of a block: so many that its tiles, filled up, fit on chip.
    blocks : int
    """

    size: int
    burst: int
    partitions: int
    each: int
    blocks: int

    @staticmethod
    def of(graph: Graph, *, size: int, room: int, burst: int) -> Cut | None:
        """Cut a graph; `room` is what a chip has for the arcs of a block.

        None if all vertices fit on chip together, or if the tiles of so many partitions would mostly be
        filling.
        """
        partitions = -(-graph.num_vertices // size)
        each = room - burst * partitions
        if partitions < 2 or 2 * each < room:
            return None
        return Cut(size, burst, partitions, each, max(1, -(-graph.num_arcs // each)))


@dataclass(frozen=True)
class Layout:
    """Arrays of a cut graph, as the head of ``cl/fpga/ranking/partitions.cl`` has them."""

    begin: npt.NDArray[Any]
    source: npt.NDArray[np.int32]
    tile: npt.NDArray[Any]
    ended: npt.NDArray[np.int32]
    place: npt.NDArray[np.int32]


def make_layout(cut: Cut, row_ptr: npt.NDArray[Any], col_idx: npt.NDArray[np.int32]) -> Layout:
    """Sort each block's arcs by the partition that their values come from."""
    arcs, parts, blocks = len(col_idx), cut.partitions, cut.blocks
    starts = range(0, arcs, cut.each)
    count = np.zeros((blocks, parts), np.int64)
    for b, first in enumerate(starts):
        count[b] = np.bincount(col_idx[first : first + cut.each] // cut.size, minlength=parts)
    padded = -(-count // cut.burst) * cut.burst
    # on the way from partitions to blocks they stand by partition, on chip by partition within a block
    there = (np.cumsum(padded.T.ravel()) - padded.T.ravel()).reshape(parts, blocks).T
    here = np.cumsum(padded, axis=1) - padded
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
        source[there[b, part] + rank] = col[order] - part.astype(np.int32) * cut.size
        place[first + order] = here[b, part] + rank
    ends = np.arange(1, blocks + 1) * cut.each
    ended = np.zeros(blocks + 1, np.int32)
    ended[1:] = np.searchsorted(row_ptr[1:], ends, side="right")
    ended[blocks] = len(row_ptr) - 1
    return Layout(
        begin=begin.astype(row_ptr.dtype),
        source=source,
        ended=ended,
        place=place,
        tile=np.stack((there, there + padded), axis=-1).ravel().astype(row_ptr.dtype),
    )


def upload_layout(device: Device, graph: Graph, cut: Cut) -> tuple[dict[str, Any], int]:
    """The arrays of `Layout` on a device, as long as the graph lives, and how many values move."""

    def make() -> tuple[dict[str, Any], int]:
        made = make_layout(cut, graph.row_ptr, graph.col_idx)
        device.reserve({name: array.nbytes for name, array in vars(made).items()})
        return {name: device.upload(array) for name, array in vars(made).items()}, len(made.source)

    found: tuple[dict[str, Any], int] = device.cached(graph, ("partitions", cut), make)
    return found
