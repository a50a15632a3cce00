"""A graph in the memory of a device: its rows with their values, and the ids of its vertices."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from clgraph.device import Device


@dataclass(frozen=True)
class DeviceCSR:
    """A block of a graph's rows on a device: all of them, or consecutive ones.

    Attributes
    ----------
    n, arcs : int
        Number of rows (of a whole graph: vertices) and of stored arcs.
    row_ptr : device buffer, `offset`, shape (n + 1,)
    col_idx : device buffer, int32, shape (arcs,)
    offset : type
        ``np.int32`` or ``np.int64``.
    first_row : int
    number : int
        Its place among the graph's blocks.
    values : dict of str to device buffer, shape (arcs,)
        weights (float64), multiplicity (int32) and way of the arcs, as far as they were asked for and exist.
    """

    n: int
    arcs: int
    row_ptr: Any
    col_idx: Any
    offset: type
    first_row: int = 0
    number: int = 0
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def buffers(self) -> dict[str, Any]:
        """The two buffers, named as kernels' arguments."""
        return {"row_ptr": self.row_ptr, "col_idx": self.col_idx}

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of kernels over the entries of a block."""
        return {"rows": self.n, "first_row": self.first_row, "entries": self.arcs, **self.buffers}

    def columns(self, prefix: str = "") -> dict[str, Any]:
        """Weights and multiplicities as kernels' arguments; None for what the arcs lack."""
        found = self.values.get
        return {f"{prefix}weight": found("weights"), f"{prefix}multiplicity": found("multiplicity")}

    @property
    def nbytes(self) -> int:
        """Bytes on the device."""
        return sum(each.size for each in (self.row_ptr, self.col_idx, *self.values.values()))

    @property
    def defines(self) -> dict[str, str]:
        """Build options: the type of an offset."""
        return {"OFFSET": "int" if self.offset is np.int32 else "long"}


VALUES: dict[str, Any] = {"weights": np.float64, "multiplicity": np.int32}


def given(**values: Any) -> dict[str, Any]:
    """Return those values of arcs that exist, as `DeviceCSR` takes them."""
    return {name: buffer for name, buffer in values.items() if buffer is not None}


def rows_like(device: Device, old: DeviceCSR, row_ptr: Any, n: int, arcs: int) -> DeviceCSR:
    """Return rows with offsets of the same type and the same values, which are still to be filled."""
    values = {name: device.output(arcs, VALUES[name]) for name in old.values}
    return DeviceCSR(n, arcs, row_ptr, device.output(arcs, np.int32), old.offset, values=values)


@dataclass(frozen=True)
class Joined:
    """Several graphs on a device, one behind the other as the rows of one: undirected and simple.

    Attributes
    ----------
    rows : DeviceCSR
    begin, arc_begin : int64 arrays, shape (graphs + 1,)
        Where each one's vertices and arcs begin.
    """

    rows: DeviceCSR
    begin: npt.NDArray[np.int64]
    arc_begin: npt.NDArray[np.int64]


@dataclass(frozen=True)
class SelectedIds:
    """Ids of vertices that were selected on a device.

    Attributes
    ----------
    of : array or None
        The ids to choose from; None: 0, 1, 2, ...
    place : device buffer, int32, shape (count,)
        Which of them.
    count : int
    """

    of: npt.NDArray[Any] | None
    place: Any
    count: int

    def ids(self, device: Device) -> npt.NDArray[Any]:
        """Return the ids on the host."""
        place = device.download(self.place, np.int32, self.count)
        return place.astype(np.int64) if self.of is None else self.of[place]


@dataclass(frozen=True)
class DeviceGraph:
    """A graph on a device.

    Attributes
    ----------
    rows : DeviceCSR
        With all the values that the graph has. Each row ascends; of an undirected graph every arc has its
        mirror. Buffers from `Device.output` become the host's arrays without a copy where memory is shared.
        Nothing may write to them any more.
    directed : bool
    ids : array of ids on the host, or `SelectedIds`, or None for 0 .. n-1
    num_self_loops, is_multigraph : int and bool, or None where they are not known
    """

    rows: DeviceCSR
    _: KW_ONLY
    directed: bool
    ids: npt.NDArray[Any] | SelectedIds | None = None
    num_self_loops: int | None = None
    is_multigraph: bool | None = None


FEW = 64  # up to so many ids are fetched one by one: that takes less time than a copy of all


@dataclass(frozen=True)
class IdLookup:
    """Return the ids of some of the selected vertices; pickled as all of their ids."""

    device: Device
    selected: SelectedIds

    def __call__(self, index: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the ids of the vertices with these indices."""
        device, selected = self.device, self.selected
        if index.size > FEW:
            return selected.ids(device)[index]
        place = [device.download(selected.place, np.int32, 1, offset=int(i)) for i in index.ravel()]
        at = np.concatenate([np.empty(0, np.int32), *place]).reshape(index.shape)
        return at.astype(np.int64) if selected.of is None else selected.of[at]

    def __reduce__(self) -> Any:
        return getattr, (self.selected.ids(self.device), "__getitem__")
