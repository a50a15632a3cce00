"""Rows in slices on a device: what the plans "runs", "bins" and "small" share.

Host half of ``cl/ranking/slices_place.cl``. `clgraph.ranking.layout` says what a slice is.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from clgraph.ranking.layout import Slices, SortedSlices
from clgraph.ranking.rows import Numbers, Rows

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem

B = TypeVar("B")


@dataclass(frozen=True)
class PartBuffers:
    """A pair of parts (hot, cold) on the device, as SLICE_ARGS of ``cl/ranking/slices.h``."""

    args: tuple[Any, ...]
    steps: int


@dataclass(frozen=True)
class SliceBuffers(Generic[B]):
    """All slices of a graph on a device, and what a plan says about them.

    Attributes
    ----------
    order : int32 array, shape (n,)
        On the host, as `num_pieces` and `longest_join`; the rest are buffers.
    longest_join : int
        The most pieces that a row has.
    about : str
        A line for the plan.
    balance : B
        Which slices each work-item or work-group takes.
    """

    order: npt.NDArray[np.int32]
    rows: PartBuffers
    pieces: PartBuffers
    piece_place: Any
    first_piece: Any
    num_pieces: int
    longest_join: int
    about: str
    balance: B


def empty_slices(device: Device, made: Slices, real: type[np.floating[Any]] | None) -> tuple[Any, ...]:
    """begin, index and share (`real`; None: none) of each part on the device, to be filled: all padding."""
    size = 0 if real is None else np.dtype(real).itemsize
    entries = [int(begin[-1]) * made.width for begin in made.begins]
    types: tuple[Any, ...] = (np.uint16, np.int32) * 2
    names = ("hot rows", "cold rows", "hot pieces", "cold pieces")
    needed = {
        name: count * (np.dtype(dtype).itemsize + size)
        for name, count, dtype in zip(names, entries, types, strict=True)
    }
    device.reserve({**needed, "arcs": 4 * made.arcs})

    def zeros(count: int, dtype: Any) -> Any:
        # `output` has large pages on CPUs; in bytes, since the simulator has no fill of 16 bits
        nbytes = count * np.dtype(dtype).itemsize
        buffer = device.output(nbytes, np.uint8)
        device.fill(buffer, np.uint8(0), nbytes)
        return buffer

    args: list[Any] = []
    for begin, count, dtype in zip(made.begins, entries, types, strict=True):
        args += [device.upload(begin), zeros(count, dtype), None if real is None else zeros(count, real)]
    return tuple(args)


def place_arcs(device: Device, made: SortedSlices, real: type[np.floating[Any]]) -> tuple[Any, ...]:
    """The arguments of `parts_of`: all parts on the device, with their arcs."""
    args = empty_slices(device, made, None if made.share is None else real)
    share = None if made.share is None else device.upload(made.share.astype(real))
    items = device.tuning.items
    offset = "int" if made.start.dtype == np.int32 else "long"
    program = device.program(
        "ranking/slices_place",
        OFFSET=offset,
        REAL="float" if real is np.float32 else "double",
        WEIGHTED=made.share is not None,
        WIDTH=made.width,
        ITEMS=items,
    )
    n = len(made.order)
    program.pagerank_place(
        -(-n // items),
        np.int32(n),
        np.int32(made.hot),
        np.int32(made.segments),
        np.int32(made.long_row),
        device.upload(made.start),
        device.upload(made.source),
        share,
        device.upload(made.long_number),
        device.upload(made.cell_piece),
        device.upload(made.piece_at),
        *args,
    )
    device.finish()
    return args


def parts_of(made: Slices, args: tuple[Any, ...]) -> tuple[PartBuffers, PartBuffers]:
    """The buffers of rows and those of pieces."""
    rows, pieces = (
        PartBuffers(tuple(part), int(hot[-1]) + int(cold[-1]))
        for part, hot, cold in ((args[:6], *made.begins[:2]), (args[6:], *made.begins[2:]))
    )
    return rows, pieces


class SliceRows(Rows, Generic[B]):
    """Rows in slices; laid out once per graph, and kept on the device.

    Attributes
    ----------
    width, hot, long_row, segments, classes
        As of `clgraph.ranking.layout.make_slices`; `set_shape` of a sub-class sets them.
    """

    shift = 1
    width: int
    hot: int
    long_row: int
    classes: tuple[int, ...]
    segments = 1

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, numbers: Numbers, weight: bool
    ) -> None:
        super().__init__(device, graph, problem, numbers, weight)
        self.set_shape()
        self.plan = (self.variant, self.width, self.hot, self.long_row, self.segments, self.classes)
        key: Hashable = (*self.plan, weight, numbers.dtype) if self.weighted else self.plan
        self.kept: SliceBuffers[B] = device.cached(graph, ("slices", key), self._make)
        self.order = self.kept.order
        self.chain = 2 * self.long_row + self.kept.longest_join
        self.parts = self.count_parts()

    def set_shape(self) -> None:
        """Set width, hot, long_row and classes."""
        raise NotImplementedError

    def fill(self) -> tuple[Slices, tuple[PartBuffers, PartBuffers]]:
        """The slices, with the parts on the device."""
        raise NotImplementedError

    def balance(self, made: Slices) -> B:
        """Which slices each work-item or work-group takes."""
        raise NotImplementedError

    def count_parts(self) -> int:
        """Work-groups that tally."""
        raise NotImplementedError

    def _make(self) -> SliceBuffers[B]:
        made, (rows, pieces) = self.fill()
        upload = self.device.upload
        hot_share = made.hot_arcs / max(1, made.arcs)
        return SliceBuffers(
            order=made.order,
            rows=rows,
            pieces=pieces,
            piece_place=upload(made.piece_place),
            first_piece=upload(made.first_piece),
            num_pieces=made.pieces,
            longest_join=int(np.diff(made.first_piece).max(initial=0)),
            about=(
                f"vertices renumbered by out-degree and row length; the {made.hot} hottest sources bring "
                f"{hot_share:.0%} of the arcs, with 16-bit indices; {made.pieces} pieces of rows of more "
                f"than {self.long_row} arcs; {made.padding:.3f} entries per arc"
            ),
            balance=self.balance(made),
        )

    def upload(self) -> None:
        self._piece_sum = self.device.empty(self.kept.num_pieces, np.float64)

    @property
    def offset(self) -> dict[str, str]:
        """Build option: the type of a position among the entries."""
        steps = max(self.kept.rows.steps, self.kept.pieces.steps)
        return {"OFFSET": "int" if steps * self.width < 2**31 else "long"}
