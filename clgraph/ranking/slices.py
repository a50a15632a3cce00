"""Rows in slices on a device: what the plans "runs", "bins" and "small" share.

Host half of ``cl/ranking/slices_steps.cl`` and ``cl/ranking/slices_place.cl``. `clgraph.ranking.layout` says
what a slice is.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from clgraph.csr.scan import running_sums
from clgraph.csr.upload import DeviceCSR
from clgraph.device.shapes import Shapes
from clgraph.ranking.layout import Slices, SortedSlices
from clgraph.ranking.rows import Rows

if TYPE_CHECKING:
    from clgraph.device import Device

B = TypeVar("B")
SHAPES = Shapes(gpu=16, cpu=4096, simulator=8)  # consecutive arcs of a work-item


def box_bytes(device: Device, local: int) -> int:
    """Local memory of a group's sums (``cl/ranking/group.h``): one for each work-item, or for each warp."""
    return 8 * (33 if "HAVE_PTX" in device.features else local) + 64


@dataclass(frozen=True)
class PartBuffers:
    """A pair of parts (hot, cold) on the device, as SLICE_ARGS of ``cl/ranking/slices.h``."""

    arguments: dict[str, Any]
    steps: int


@dataclass(frozen=True)
class SliceBuffers(Generic[B]):
    """All slices of a graph on a device, and what a plan says about them.

    Attributes
    ----------
    order, number : buffers of int32, shape (n,)
        The vertex of each number; the number of each vertex (None: not made yet).
    rows, pieces : PartBuffers
    piece_place, first_piece : buffers
    num_pieces : int
    longest_join : int
        The most pieces that a row has.
    about : str
        A line for the plan.
    balance : B
        Which slices each work-item or work-group takes.
    """

    order: Any
    number: Any
    rows: PartBuffers
    pieces: PartBuffers
    piece_place: Any
    first_piece: Any
    num_pieces: int
    longest_join: int
    about: str
    balance: B


@dataclass(frozen=True)
class Begins:
    """Where slices begin: of hot rows, cold rows, hot pieces and cold pieces.

    Attributes
    ----------
    width : int
    buffers : tuple of int32 buffers, shape (slices + 1,)
    steps : tuple of int
        The last value of each.
    """

    width: int
    buffers: tuple[Any, ...]
    steps: tuple[int, ...]

    @classmethod
    def of(cls, device: Device, made: Slices) -> Begins:
        """Those of slices laid out on the host."""
        begins = made.begins
        return cls(made.width, tuple(map(device.upload, begins)), tuple(int(begin[-1]) for begin in begins))

    @property
    def entries(self) -> list[int]:
        """Entries of each part."""
        return [steps * self.width for steps in self.steps]


def slice_begins(
    device: Device, n: int, hot_length: Any, cold_length: Any, *, width: int, long_row: int
) -> tuple[Any, Any]:
    """Steps before each slice of n rows of these lengths, hot and cold; long rows count as empty."""
    count, items = -(-n // width), device.tuning.items
    steps = [device.empty(count, np.int32) for _ in range(2)]
    device.program("ranking/slices_steps", WIDTH=width, ITEMS=items).slices_steps(
        -(-count // items),
        n=n,
        count=count,
        long_row=long_row,
        hot_length=hot_length,
        cold_length=cold_length,
        hot_steps=steps[0],
        cold_steps=steps[1],
    )
    hot, cold = (running_sums(device, each, count, into=np.int32) for each in steps)
    return hot, cold


def empty_slices(device: Device, begins: Begins, real: type[np.floating[Any]] | None) -> dict[str, Any]:
    """begin, index and share (`real`; None: none) of each part on the device, to be filled: all padding."""
    size = 0 if real is None else np.dtype(real).itemsize
    types: tuple[Any, ...] = (np.uint16, np.int32) * 2
    names = ("hot_row", "cold_row", "hot_piece", "cold_piece")
    device.reserve(
        {
            name: count * (np.dtype(dtype).itemsize + size)
            for name, count, dtype in zip(names, begins.entries, types, strict=True)
        }
    )

    def zeros(count: int, dtype: Any) -> Any:
        # `output` has large pages on CPUs; in bytes, since the simulator has no fill of 16 bits
        nbytes = count * np.dtype(dtype).itemsize
        buffer = device.output(nbytes, np.uint8)
        device.fill(buffer, np.uint8(0), nbytes)
        return buffer

    slices: dict[str, Any] = {}
    for name, begin, count, dtype in zip(names, begins.buffers, begins.entries, types, strict=True):
        slices[f"{name}_begin"] = begin
        slices[f"{name}_index"] = zeros(count, dtype)
        slices[f"{name}_share"] = None if real is None else zeros(count, real)
    return slices


def place_arcs(
    device: Device,
    begins: Begins,
    rows: DeviceCSR,
    share: Any,
    where: dict[str, Any],
    real: type[np.floating[Any]],
    *,
    hot: int,
    segments: int,
    long_row: int,
) -> dict[str, Any]:
    """The arguments of `parts_of`: all parts on the device, with their arcs.

    Parameters
    ----------
    rows : DeviceCSR
        By number; sources ascend, each its number + 1.
    share : buffer of `real`, or None
        Beside the sources.
    where : dict of buffers
        hot_length, long_number, cell_begin, cell_piece and piece_at (``cl/ranking/slices_place.cl``).
    hot, segments, long_row : int
        As of `clgraph.ranking.layout.make_slices`.
    """
    slices = empty_slices(device, begins, None if share is None else real)
    run = SHAPES.of(device)
    program = device.program(
        "ranking/slices_place",
        **rows.defines,
        REAL="float" if real is np.float32 else "double",
        WEIGHTED=share is not None,
        WIDTH=begins.width,
        RUN=run,
    )
    program.slices_place(
        -(-rows.arcs // run),
        n=rows.n,
        arcs=rows.arcs,
        hot=hot,
        segments=segments,
        long_row=long_row,
        start=rows.row_ptr,
        source=rows.col_idx,
        arc_share=share,
        **where,
        **slices,
    )
    return slices


def place_sorted(device: Device, made: SortedSlices, real: type[np.floating[Any]]) -> dict[str, Any]:
    """`place_arcs` of slices laid out on the host."""
    offset = np.int32 if made.start.dtype == np.int32 else np.int64
    upload = device.upload
    rows = DeviceCSR(len(made.order), made.arcs, upload(made.start), upload(made.source), offset)
    where = ("hot_length", "long_number", "cell_begin", "cell_piece", "piece_at")
    return place_arcs(
        device,
        Begins.of(device, made),
        rows,
        None if made.share is None else upload(made.share.astype(real)),
        {name: upload(getattr(made, name)) for name in where},
        real,
        hot=made.hot,
        segments=made.segments,
        long_row=made.long_row,
    )


def parts_of(steps: tuple[int, ...], slices: dict[str, Any]) -> tuple[PartBuffers, PartBuffers]:
    """The buffers of rows and those of pieces; `steps` as of `Begins`."""
    hot, cold, hot_pieces, cold_pieces = steps
    rows, pieces = (
        {name.replace(f"_{part}_", "_"): buffer for name, buffer in slices.items() if f"_{part}_" in name}
        for part in ("row", "piece")
    )
    return PartBuffers(rows, hot + cold), PartBuffers(pieces, hot_pieces + cold_pieces)


class SliceRows(Rows, Generic[B]):
    """Rows in slices; laid out once per graph, and kept on the device.

    Attributes
    ----------
    width, hot, long_row, segments, classes
        As of `clgraph.ranking.layout.make_slices`; `prepare` of a sub-class sets them, and then `parts`.
    """

    shift = 1
    width: int
    hot: int
    long_row: int
    classes: tuple[int, ...]
    segments = 1

    def prepare(self) -> None:
        self.plan = (self.variant, self.width, self.hot, self.long_row, self.segments, self.classes)
        key: Hashable = (*self.plan, self.weight, self.numbers.dtype) if self.weighted else self.plan
        self.kept: SliceBuffers[B] = self.device.cached(self.graph, ("slices", key), self.make)
        self.order, self.number = self.kept.order, self.kept.number
        self.chain = 2 * self.long_row + self.kept.longest_join

    def make(self) -> SliceBuffers[B]:
        """Lay the rows out."""
        raise NotImplementedError

    def about(self, hot: int, hot_arcs: int, arcs: int, pieces: int, steps: tuple[int, ...]) -> str:
        """A line for the plan."""
        padding = sum(steps) * self.width / arcs if arcs else 1
        return (
            f"vertices renumbered by out-degree and row length; the {hot} hottest sources bring "
            f"{hot_arcs / max(1, arcs):.0%} of the arcs, with 16-bit indices; {pieces} pieces of rows of "
            f"more than {self.long_row} arcs; {padding:.3f} entries per arc"
        )

    def upload(self) -> None:
        """Nothing: the slices are on the device."""

    def make_work(self) -> tuple[Any, ...]:
        return (self.device.empty(self.kept.num_pieces, np.float64),)  # an ACC has 8 bytes either way

    def take_work(self, work: tuple[Any, ...]) -> None:
        self._piece_sum = work[0]

    @property
    def offset(self) -> dict[str, str]:
        """Build option: the type of a position among the entries."""
        steps = max(self.kept.rows.steps, self.kept.pieces.steps)
        return {"OFFSET": "int" if steps * self.width < 2**31 else "long"}
