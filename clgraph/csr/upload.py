"""A graph's arrays resident on a device: made there or uploaded once; views of graphs made there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from clgraph.csr.compact import compact
from clgraph.csr.device_csr import VALUES, DeviceCSR, DeviceGraph, IdLookup, SelectedIds, given, rows_like
from clgraph.csr.properties import (
    Weights,
    cast_weights,
    count_loops_and_copies,
    count_nonisolated,
    count_range,
    find_hub,
    lengths_of,
    survey_weights,
)
from clgraph.csr.scan import running_sums
from clgraph.csr.sort import LAUNCH as SORT_LAUNCH
from clgraph.csr.sort import sort_by_key
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import DeviceError, InputError
from clgraph.graph.building import INT32_MAX, stable_argsort
from clgraph.graph.residency import Name, OnDevice, View

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Graph


__all__ = [
    "INT32_MAX",
    "DeviceCSR",
    "DeviceGraph",
    "Residence",
    "SelectedIds",
    "arrays_on",
    "degrees_of",
    "device_graph",
    "graph_of",
    "hub_of",
    "ids_on",
    "places_of_reversed",
    "upload_csr",
]

SMALL = 1 << 16  # arcs; the host makes views of fewer sooner


class Residence:
    """A graph's arrays on one device: rows with offsets of 32 bits, 64 bits, or both, and columns.

    The device caches it as long as the graph lives or until `Device.release`, and drops it when memory is
    short; `Residence.of` finds it. It refers to buffers only, never to the graph, which would then live as
    long as the device. Where the graph was made on the device, the graph itself refers to it, too: nobody
    else has its arrays. See `clgraph.graph.residency`.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self._rows: dict[bool, DeviceCSR] = {}  # by whether 64-bit offsets were requested
        self._columns: dict[str, Any] = {}
        self._ids: npt.NDArray[Any] | SelectedIds | None = None
        self._lock = Lock()

    @staticmethod
    def of(device: Device, graph: Graph) -> Residence:
        """Return a graph's residence on a device; empty if nothing of the graph is on the device yet."""

        def make() -> Residence:
            own = graph._residence
            made = own if isinstance(own, Residence) and own.device is device else Residence(device)
            graph._add_residence(made)
            return made

        return device.graph_cache.cached(graph, "rows", make)

    # --- for kernels ------------------------------------------------------------------------------

    def keep(self, rows: DeviceCSR) -> None:
        """Take over rows that were made on the device as the graph's own."""
        self._rows[False] = rows

    def rows(self, graph: Graph, wide: bool) -> DeviceCSR:
        """Return the graph's rows, uploaded if they are not resident yet."""
        with self._lock:  # two threads that want the same graph upload it once
            if wide not in self._rows:
                offset = np.int64 if wide else graph._offset_type
                other = next(iter(self._rows.values()), None)
                if other is None or other.offset is not offset:
                    other = _uploaded(self.device, graph, offset, other)
                self._rows[wide] = other
            return self._rows[wide]

    def column(self, graph: Graph, name: str) -> Any:
        """Return a buffer of the weights (float64) or multiplicities (int32); None if there are none."""
        if name not in self._columns:
            array = getattr(graph, name)
            if array is None:
                return None
            self.device.reserve({name: array.nbytes})
            self._columns[name] = self.device.upload(array)
        return self._columns[name]

    # --- what a graph asks of its residence -----------------------------------------------------------

    @property
    def csr(self) -> DeviceCSR:
        """The rows, with whatever offsets."""
        return next(iter(self._rows.values()))

    @property
    def chosen(self) -> SelectedIds | None:
        """The choice that the graph's ids are, where they were chosen on the device."""
        return self._ids if isinstance(self._ids, SelectedIds) else None

    @property
    def where(self) -> str:
        """The device, as a person names it."""
        return f"{self.device.spec} {self.device.name}"

    def has(self, name: Name) -> bool:
        """True if the graph has this array."""
        if name == "_ids":
            return self._ids is not None
        return name in ("row_ptr", "col_idx") or name in self._columns

    def fetch(self, name: Name) -> npt.NDArray[Any] | None:
        """Return an array on the host; may be called in any thread, with or without the device's lock."""
        device = self.device
        if name == "_ids":
            return self._ids.ids(device) if isinstance(self._ids, SelectedIds) else self._ids
        rows = self.csr
        try:
            if name == "row_ptr":
                return device.take(rows.row_ptr, rows.offset, rows.n + 1)
            if name == "col_idx":
                return device.take(rows.col_idx, np.int32, rows.arcs)
            if name not in self._columns:
                return None
            return device.take(self._columns[name], VALUES[name], rows.arcs)
        except DeviceError as error:
            raise DeviceError(
                f"{name} of a graph of {rows.n} vertices is on {self.where} only, and cannot be had from "
                f"there: {error}"
            ) from error

    def id_lookup(self) -> Callable[[npt.NDArray[Any]], npt.NDArray[Any]]:
        """Return a function that gives the ids of vertices, by index."""
        if isinstance(self._ids, SelectedIds):
            return IdLookup(self.device, self._ids)
        assert self._ids is not None
        return self._ids.__getitem__

    # A thread that has locked another device computes on the host instead: it might wait for ever here.

    def count(self, name: Literal["loops", "copies", "nonisolated"]) -> int | None:
        """Return the number of such arcs (that repeat the one before) or vertices; None: the host counts."""
        device, rows = self.device, self.csr
        if device.is_second:
            return None
        if name == "nonisolated":
            return count_nonisolated(device, rows)
        return count_loops_and_copies(device, rows)[name == "copies"]

    def count_range(self) -> tuple[int, int] | None:
        """The smallest and the largest multiplicity; None where the host finds out."""
        if not self._finds_out("multiplicity"):
            return None
        with self.device.alone():
            return count_range(self.device, self.csr, self._columns["multiplicity"])

    def survey_weights(self) -> Weights | None:
        """What the weights are like; None where the host finds out."""
        if not self._finds_out("weights") or "HAVE_FP64" not in self.device.features:
            return None
        with self.device.alone():
            return survey_weights(self.device, self.csr, self._columns["weights"])

    def _finds_out(self, name: str) -> bool:
        """Whether kernels can look through this column."""
        device = self.device
        return name in self._columns and self.csr.arcs > 0 and not device.is_second and device.has_compiler

    def weights_as(self, graph: Graph, kind: type[Any]) -> Any:
        """Return the weights as numbers of another type, which holds them, in a buffer of their own."""
        device = self.device
        device.reserve({"weights": graph.num_arcs * np.dtype(kind).itemsize})
        if self._finds_out("weights") and "HAVE_FP64" in device.features:
            return cast_weights(device, self.csr, self._columns["weights"], kind)
        assert graph.weights is not None
        return device.upload(graph.weights.astype(kind))

    def view(self, graph: Any, view: View) -> Any:
        """Build a view of the graph on the device; None where the host does it, or does it faster."""
        device = self.device
        sooner = graph.is_on_host and graph.num_arcs < SMALL
        if not device.has_compiler or sooner or device.is_second:
            return None
        with device.alone():
            made: DeviceGraph | None
            if view == "without_self_loops":
                made = compact(device, device_graph(device, graph), loops=False)
            elif view == "reverse":
                made = reversed_arcs(device, device_graph(device, graph))
            else:
                copies, back = graph.is_multigraph, device_graph(device, graph.reverse)
                made = without_directions(device, device_graph(device, graph), back, copies=copies)
            return None if made is None else graph_of(device, made)

    def some(self, graph: Any, vertices: npt.NDArray[Any]) -> Any:
        """Return the subgraph on some vertices; None where the host has the rows, or has to build it."""
        device = self.device
        if not device.has_compiler or graph.is_on_host or device.is_second:
            return None
        with device.alone():
            live = device.upload(vertices.view(np.uint8))
            made = graph_of(device, compact(device, device_graph(device, graph), live))
            device.finish()
            return made

    def settle(self, graph: Any) -> None:
        """Become the residence of a graph with these rows."""
        Residence.of(self.device, graph)

    def is_on(self, device: Any) -> bool:
        """True if this is the device that `clgraph.get_device` returns for it; None: any."""
        from clgraph.device import get_device

        return device is None or get_device(device) is self.device

    def sizes(self, graph: Any) -> dict[str, int]:
        """Return the bytes that the device holds for the graph, by what they are."""
        return self.device.graph_cache.sizes(graph)

    def free(self, graph: Any) -> None:
        """Release what the device holds for the graph and can be recomputed."""
        with self.device.alone():
            graph._drop_residence(self)
            self.device.graph_cache.forget(graph)

    def may_go(self, graph: Any) -> bool:
        """Drop the arrays if the graph can do without; called when memory is short."""
        return bool(graph._drop_residence(self))


def graph_of(device: Device, parts: DeviceGraph) -> Graph:
    """Return the graph of what was made on a device; an array is fetched when the host first uses it."""
    from clgraph.graph import Graph

    residence = Residence(device)
    residence.keep(replace(parts.rows, values={}))
    residence._columns, residence._ids = dict(parts.rows.values), parts.ids
    graph = Graph._from_residence(
        residence,
        directed=parts.directed,
        num_self_loops=parts.num_self_loops,
        is_multigraph=parts.is_multigraph,
    )
    residence.settle(graph)
    return graph


def device_graph(device: Device, graph: Graph) -> DeviceGraph:
    """Return a graph's rows, weights, multiplicities and ids, uploaded if they are not resident yet."""
    rows, residence = upload_csr(device, graph), Residence.of(device, graph)
    known = vars(graph)
    columns = given(**{name: residence.column(graph, name) for name in VALUES})
    return DeviceGraph(
        replace(rows, values=columns),
        directed=graph.directed,
        ids=residence._ids if graph._residence is residence else graph._ids,
        num_self_loops=known.get("num_self_loops"),
        is_multigraph=known.get("is_multigraph"),
    )


def upload_csr(device: Device, graph: Graph, *, wide: bool = False) -> DeviceCSR:
    """Return the graph's rows on a device, cached in its `Residence`.

    Parameters
    ----------
    device : Device
    graph : Graph
    wide : bool
        Whether offsets are 64-bit even where 32 bits would do.

    Raises
    ------
    CapacityError
        If they do not fit the device.
    """
    return Residence.of(device, graph).rows(graph, wide)


def arrays_on(device: Any, graph: Graph) -> OnDevice:
    """Return a graph's arrays on a device: see `Graph.device_arrays`."""
    from clgraph.device import get_device

    dev = get_device(device)
    with dev.alone():
        rows = device_graph(dev, graph).rows
        return OnDevice(
            dev.array(rows.row_ptr, rows.offset, rows.n + 1),
            dev.array(rows.col_idx, np.int32, rows.arcs),
            **{name: dev.array(buffer, VALUES[name], rows.arcs) for name, buffer in rows.values.items()},
        )


def ids_on(device: Device, graph: Graph) -> Any:
    """Return the ids of a graph's vertices as a ``pyopencl.array.Array``: int32 or int64, shape (n,)."""
    ids = device_graph(device, graph).ids
    if isinstance(ids, SelectedIds) and ids.of is None:
        return device.array(ids.place, np.int32, ids.count)
    on_host = graph.ids
    if on_host.dtype.kind != "i":
        raise InputError("the graph's ids are text, which stays on the host: leave arrays='device' out")
    return device.array(device.upload(on_host), on_host.dtype, len(on_host))


def hub_of(device: Device, graph: Graph) -> int:
    """Return the first of the vertices with the most arcs, found where the graph is."""
    if graph.is_on_host or not device.has_compiler:
        return int(graph.degrees.argmax())
    return find_hub(device, upload_csr(device, graph))


def degrees_of(device: Device, graph: Graph, vertices: npt.NDArray[np.int32]) -> npt.NDArray[Any]:
    """Return the number of arcs of some vertices, looked up where the graph is."""
    if graph.is_on_host or not device.has_compiler:
        return graph.row_ptr[vertices.astype(np.int64) + 1] - graph.row_ptr[vertices]
    return lengths_of(device, upload_csr(device, graph), vertices)


def _uploaded(device: Device, graph: Graph, offset: type, other: DeviceCSR | None) -> DeviceCSR:
    row_ptr: npt.NDArray[Any] = graph.row_ptr.astype(offset, copy=False)
    if other is not None:
        device.reserve({"row_ptr": row_ptr.nbytes})
        return DeviceCSR(other.n, other.arcs, device.upload(row_ptr), other.col_idx, offset)
    device.reserve({"row_ptr": row_ptr.nbytes, "col_idx": graph.col_idx.nbytes})
    return DeviceCSR(
        graph.num_vertices, graph.num_arcs, device.upload(row_ptr), device.upload(graph.col_idx), offset
    )


# --- Views of graphs, made on a device: host half of ``cl/csr/views.cl`` ---
#
# The bytes are those of `clgraph.graph.views`.


def _program(device: Device, rows: DeviceCSR) -> Program:
    return device.program("csr/views", ITEMS=device.tuning.items, **rows.defines)


def _over(device: Device, count: int) -> int:
    return -(-count // device.tuning.items)


# one pass of the sort by the upper bits leaves windows of rows that a core's cache holds, where they are
# finished: four times as fast as sorting by all bits (R-MAT 18, PoCL). GPUs have no such caches
IN_WINDOWS = LaunchTable(gpu=False, cpu=True, simulator=True)


def reversed_arcs(device: Device, parts: DeviceGraph) -> DeviceGraph | None:
    """Reverse every arc; None for 2**31 arcs and more, whose positions do not fit in 32 bits."""
    rows = parts.rows
    if rows.arcs > INT32_MAX:
        return None
    program, n, arcs = _program(device, rows), rows.n, rows.arcs
    tail = device.empty(rows.arcs, np.int32)
    program.views_tails.launch(rows, _over(device, rows.n), tail=tail)
    bits = max(1, (rows.n - 1).bit_length())
    low = max(0, bits - SORT_LAUNCH.of(device).bits) if IN_WINDOWS.of(device) else 0
    key = rows.col_idx  # which one pass of the sort only reads
    if not low:
        key = device.empty(rows.arcs, np.uint32)
        device.copy(key, rows.col_idx, 4 * rows.arcs)
    tails_alone = low > 0 and not rows.values
    key, order = sort_by_key(device, key, rows.arcs, bits, tail if tails_alone else None, low=low)
    back_ptr = device.output(n + 1, rows.offset)
    made = rows_like(device, rows, back_ptr, n, arcs)
    columns = {"back": made.col_idx, **rows.columns(), **made.columns("back_")}
    if low:
        windows = -(-n // (1 << low))
        sorted_by = {"head": key, "from_": order, "tail": None if tails_alone else tail}
        sizes = {"low": low, "windows": windows, "next": device.empty(n, np.int32)}
        kernel = program.views_rows
        kernel.launch(rows, windows, local=1, back_ptr=back_ptr, **sizes, **sorted_by, **columns)
    else:
        program.views_offsets.launch(rows, _over(device, n + 1), head=key, back_ptr=back_ptr)
        program.views_reorder.launch(rows, _over(device, arcs), order=order, tail=tail, **columns)
    device.finish()
    return replace(parts, rows=made)


def places_of_reversed(device: Device, graph: Graph) -> Any:
    """Where each arc of a graph's reverse is in the graph itself, on the device, cached there with the graph.

    Of the type of `row_ptr`. Both sort arcs stably by head, so parallel arcs keep their order.
    """
    arcs, offset = graph.num_arcs, graph._offset_type

    def make() -> Any:
        sooner = graph.is_on_host and arcs < SMALL
        by_host = offset is np.int64 or not device.has_compiler or sooner
        sizes = {"places of reversed arcs": np.dtype(offset).itemsize * arcs}
        device.reserve(sizes if by_host else {**sizes, "their keys, and both once more": 12 * arcs})
        if by_host:
            return device.upload(stable_argsort(graph.col_idx).astype(offset))
        key = device.empty(arcs, np.uint32)  # worked in
        device.copy(key, upload_csr(device, graph).col_idx, 4 * arcs)
        return sort_by_key(device, key, arcs, max(1, (graph.num_vertices - 1).bit_length()))[1]

    return device.cached(graph, "places of reversed arcs", make)


def without_directions(
    device: Device, parts: DeviceGraph, back: DeviceGraph, *, copies: bool
) -> DeviceGraph | None:
    """Join arcs u->v and v->u into one edge, or (parallel ones without counts) make each arc an edge.

    None where the host has to do it: it adds up the weights of several parallel arcs in an order of its own,
    devices may lack 64-bit floats, and the host words the errors.

    Parameters
    ----------
    device : Device
    parts, back : DeviceGraph
        A directed graph, and the same reversed.
    copies : bool
        Whether the graph has parallel arcs.
    """
    rows, other = parts.rows, back.rows
    weighted = "weights" in rows.values
    keep = copies and "multiplicity" not in rows.values
    if weighted and ((copies and not keep) or "HAVE_FP64" not in device.features):
        return None
    program = _program(device, rows)
    common = {"keep": keep, "back_ptr": other.row_ptr, "back": other.col_idx}
    count = device.empty(rows.n, np.int32)
    program.views_merge_count.launch(rows, _over(device, rows.n), **common, count=count)
    total = int(device.download(running_sums(device, count, rows.n), np.int64, 1, offset=rows.n)[0])
    offset = np.int32 if total <= INT32_MAX else np.int64
    if offset is not rows.offset:
        return None
    view_ptr = running_sums(device, count, rows.n, into=offset)
    made = DeviceCSR(rows.n, total, view_ptr, device.output(total, np.int32), offset)
    if weighted:
        made.values["weights"] = device.output(total, np.float64)
    if not keep:
        made.values["multiplicity"] = device.output(total, np.int32)
    facts = device.zeros(2, np.uint32)
    columns = rows.columns() | other.columns("back_") | made.columns("view_")
    view = {"view_ptr": made.row_ptr, "view": made.col_idx, "facts": facts}
    program.views_merge_fill.launch(rows, _over(device, rows.n), **common, **columns, **view)
    several, wrong = device.download(facts, np.uint32, 2).tolist()
    if wrong:
        return None
    if not several:
        made.values.pop("multiplicity", None)
    return DeviceGraph(
        made,
        directed=False,
        ids=parts.ids,
        num_self_loops=parts.num_self_loops if not copies else None,
        is_multigraph=None if keep else False,
    )
