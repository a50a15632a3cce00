"""Some vertices and arcs of rows on a device, as rows of their own: host half of ``cl/csr/compact.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from clgraph.csr.device_csr import DeviceCSR, DeviceGraph, SelectedIds, rows_like
from clgraph.csr.properties import list_lengths
from clgraph.csr.scan import running_sums
from clgraph.graph.building import exclusive_sums

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program

Ints = npt.NDArray[np.int32]


def _program(
    device: Device, rows: DeviceCSR, view: DeviceCSR | None = None, *, induced: bool = False
) -> Program:
    return device.program(
        "csr/compact",
        ITEMS=device.tuning.items,
        INDUCED=induced,
        VIEW_OFFSET=(view or rows).defines["OFFSET"],
        **rows.defines,
    )


# what has been prepared on each device
_prepared: WeakKeyDictionary[Device, set[tuple[type, bool]]] = WeakKeyDictionary()


def prepare(device: Device, rows: DeviceCSR, *, induced: bool) -> None:
    """Build the kernels before a measurement begins; otherwise they are built at their first use."""
    done = _prepared.setdefault(device, set())
    if (rows.offset, induced) not in done:
        _program(device, rows, induced=induced)
        for of, into in ((np.uint8, np.int32), (np.int32, np.int32), (np.int32, rows.offset)):
            running_sums(device, device.zeros(1, of), 1, of=of, into=into)
        done.add((rows.offset, induced))


def compact(
    device: Device, parts: DeviceGraph, live: Any = None, arcs: Any = None, *, loops: bool = True
) -> DeviceGraph:
    """The graph of the vertices and arcs that stay, renumbered in order; does not wait for the last kernel.

    Parameters
    ----------
    device : Device
    parts : DeviceGraph
    live : uint8 device buffer, shape (n,), or None
        1 where a vertex stays; None: all do.
    arcs : uint8 device buffer, shape (arcs,), or None
        1 where an arc stays, at most those between vertices that do; None: all of these.
    loops : bool
        Whether arcs from a vertex to itself stay.

    Returns
    -------
    DeviceGraph
        Its ids name the vertices as `parts` does. Offsets have the type that they had.
    """
    rows = parts.rows
    induced = live is not None and arcs is None and (loops or parts.num_self_loops == 0)
    program, passes = _program(device, rows, induced=induced), -(-rows.n // device.tuning.items)
    count, rank, place = rows.n, None, None
    ids = parts.ids
    if live is not None:
        rank = running_sums(device, live, rows.n, of=np.uint8, into=np.int32)
        count = int(device.download(rank, np.int32, 1, offset=rows.n)[0])
        place = device.output(count, np.int32)
        ids = SelectedIds(ids.of if isinstance(ids, SelectedIds) else ids, place, count)
    origin = parts.ids.place if isinstance(parts.ids, SelectedIds) and live is not None else None
    length = device.empty(count, np.int32)
    common = {"live": live, "arcs": arcs, "rank": rank, "loops": loops}
    program.compact_count.launch(rows, passes, **common, origin=origin, place=place, count=length)
    row_ptr = running_sums(device, length, count, into=rows.offset)
    total = int(device.download(row_ptr, rows.offset, 1, offset=count)[0])
    made = rows_like(device, rows, row_ptr, count, total)
    new = {"new_row_ptr": row_ptr, "new_col": made.col_idx, **made.columns("new_")}
    program.compact_fill.launch(rows, passes, **common, **rows.columns(), **new)
    without = not loops or parts.num_self_loops == 0
    return DeviceGraph(
        made,
        directed=parts.directed,
        ids=ids,
        num_self_loops=0 if without else None,
        is_multigraph=False if parts.is_multigraph is False else None,
    )


def labelled(device: Device, rows: DeviceCSR, label: Any, keep: int) -> Any:
    """Mark the vertices with a label: the `live` of `compact`."""
    live = device.empty(rows.n, np.uint8)
    kernel = _program(device, rows).compact_choose
    kernel.launch(rows, -(-rows.n // device.tuning.items), label=label, keep=keep, live=live)
    return live


def those_of(device: Device, rows: DeviceCSR, ids: SelectedIds, live: Any) -> Any:
    """Return the `live` of `compact` for selected vertices, given that of the vertices to select from."""
    mine = device.empty(rows.n, np.uint8)
    kernel = _program(device, rows, induced=True).compact_those
    kernel.launch(rows, -(-rows.n // device.tuning.items), name=ids.place, live=live, mine=mine)
    return mine


def arcs_of_view(device: Device, rows: DeviceCSR, view: DeviceCSR, view_arcs: Any, *, copies: bool) -> Any:
    """Mark the arcs of a directed graph that stay, given those of its undirected view without loops.

    Marks are uint8 buffers. `copies`: each arc of the graph is an edge of its own in the view.
    """
    arcs = device.empty(max(rows.arcs, 1), np.uint8)
    given = {"view_row_ptr": view.row_ptr, "view_col": view.col_idx, "view_arcs": view_arcs, "arcs": arcs}
    kernel = _program(device, rows, view).compact_match
    kernel.launch(rows, -(-rows.n // device.tuning.items), copies=copies, **given)
    return arcs


@dataclass(frozen=True)
class SomeRows:
    """The rows of some vertices, on the host.

    Attributes
    ----------
    first : int64 array, shape (k,)
        Where each row begins among all arcs.
    begin : int64 array, shape (k + 1,)
        Where it begins in `head`.
    head : int32 array
    """

    first: npt.NDArray[np.int64]
    begin: npt.NDArray[np.int64]
    head: npt.NDArray[np.int32]

    def of(self, i: int) -> npt.NDArray[np.int32]:
        """The i-th row."""
        return self.head[self.begin[i] : self.begin[i + 1]]


def host_rows(row_ptr: npt.NDArray[Any], col_idx: npt.NDArray[np.int32], vertices: Ints) -> SomeRows:
    """As `some_rows`, of rows that are on the host."""
    first, end = (row_ptr[vertices + shift].astype(np.int64) for shift in (0, 1))
    begin, total = exclusive_sums(end - first)
    at = np.arange(total) + np.repeat(first - begin, end - first)
    return SomeRows(first, np.append(begin, total), col_idx[at])


def some_rows(device: Device, rows: DeviceCSR, vertices: Ints) -> SomeRows:
    """The rows of some vertices, fetched from the device; they may be named twice."""
    count = len(vertices)
    if not count:
        none = np.zeros(0, np.int64)
        return SomeRows(none, np.zeros(1, np.int64), none.astype(np.int32))
    program, passes = _program(device, rows), -(-count // device.tuning.items)
    listed = device.upload(np.ascontiguousarray(vertices))
    length = list_lengths(device, rows, listed, count)
    begin = running_sums(device, length, count, into=rows.offset)
    at = device.download(begin, rows.offset, count + 1).astype(np.int64)
    first, head = device.empty(count, rows.offset), device.empty(max(int(at[-1]), 1), np.int32)
    given = {"count": count, "listed": listed, "begin": begin, "first": first, "head": head}
    program.compact_rows.launch(rows, passes, **given)
    return SomeRows(
        device.download(first, rows.offset, count).astype(np.int64),
        at,
        device.download(head, np.int32, int(at[-1])),
    )
