"""A depth-first walk, on the device or, since it is serial, on the host's CPU where that is faster.

Host half of ``cl/sampling/explore_walk.cl`` and ``cl/sampling/explore_order.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.csr.upload import DeviceCSR
from clgraph.device.choosing import list_devices, of_word
from clgraph.device.shapes import OfKind, Shapes, fitting
from clgraph.errors import CapacityError, DeviceError
from clgraph.progress import Tell

if TYPE_CHECKING:
    from clgraph.device import Device

SPREAD = 4  # neighbours of a bucket, about


@dataclass(frozen=True)
class Shape:
    """Launch shape of the walk.

    Attributes
    ----------
    lanes : int
        Neighbours that a walk looks at side by side.
    steps : int
        Steps in one launch: some tenths of a second, so that no driver's watchdog ends it and Ctrl-C is
        noticed.
    run : int
        Consecutive arcs or buckets of a work-item that orders rows.
    own : int or None
        Visits up to which a device walks itself, although the host has a CPU device; None: always.
    """

    lanes: int
    steps: int
    run: int
    own: int | None = None

    def within(self, device: OfKind) -> Shape:
        """Cut to a device's limits."""
        return replace(self, lanes=fitting(self.lanes, device, each=16))


SHAPES = Shapes(
    gpu=Shape(lanes=32, steps=1 << 17, run=16, own=1 << 17),
    cpu=Shape(lanes=1, steps=1 << 21, run=4096),
    simulator=Shape(lanes=4, steps=64, run=8),
)


class DepthFirst:
    """The order of first visits of depth-first walks through a graph.

    Parameters
    ----------
    device : Device
    csr : DeviceCSR
        Undirected rows.
    seed : int
        Decides in which order a vertex's neighbours are tried.
    """

    def __init__(self, device: Device, csr: DeviceCSR, seed: int) -> None:
        self._device, self._csr, self._seed = device, csr, seed
        self._shape = SHAPES.of(device)
        self._program = device.program(
            "sampling/explore_order", RUN=self._shape.run, SPREAD=SPREAD, **csr.defines
        )
        self._buckets = csr.arcs // SPREAD + csr.n
        size = np.dtype(csr.offset).itemsize
        device.reserve({"order": 4 * csr.arcs, "key": 4 * csr.arcs, "buckets": (4 + size) * self._buckets})

    def visits(self, begin: int, count: int, progress: Tell | None) -> tuple[Any, Device, str]:
        """Walk from a vertex to the `count`-th visited one.

        Returns
        -------
        visit : int32 buffer of the device
            The vertices in the order of their first visits.
        walker : Device
            Where the walk ran.
        note : str
            Why that is the device, although the walk is long; else empty.
        """
        device, csr = self._device, self._csr
        row = int(device.download(csr.row_ptr, csr.offset, 1, offset=begin)[0])
        start, steps = {"start": begin, "row": row}, self._steps()
        note = ""
        if self._shape.own is not None and count > self._shape.own and (walker := host_cpu()) is not device:
            note = f"the walk, which is serial, ran on {device.name}: "
            if walker is None:
                note += "the host has no CPU device that works"
            else:
                try:
                    found = self._elsewhere(walker, steps, start, count, progress)
                    return device.upload(found), walker, ""
                except (CapacityError, MemoryError) as error:
                    note += f"the memory of {walker.name} does not hold it ({error})"
        return _walk(device, csr, steps, start, count, progress), device, note

    def _elsewhere(
        self, walker: Device, steps: Any, start: dict[str, int], count: int, progress: Tell | None
    ) -> npt.NDArray[np.int32]:
        """The visits of a walk on another device."""
        device, csr = self._device, self._csr
        with walker.alone():
            walker.reserve({"steps": 2 * csr.arcs * np.dtype(csr.offset).itemsize, **_needs(csr, count)})
            host = device.download(steps, csr.offset, 2 * csr.arcs)
            found = _walk(walker, csr, walker.upload(host), start, count, progress)
            return walker.download(found, np.int32, count)

    def _steps(self) -> Any:
        """What a walk reads."""
        device, csr = self._device, self._csr
        order = self._ordered()
        step = device.empty(2 * csr.arcs, csr.offset)
        self._program.order_steps(
            -(-csr.arcs // self._shape.run),
            n=csr.n,
            arcs=csr.arcs,
            row_ptr=csr.row_ptr,
            order=order,
            step=step,
        )
        return step

    def _ordered(self) -> Any:
        """Every row's neighbours in increasing number(seed, v, u)."""
        device, csr, program, buckets = self._device, self._csr, self._program, self._buckets
        rows = {"n": csr.n, "arcs": csr.arcs, "seed": self._seed, **csr.buffers}
        runs = -(-csr.arcs // self._shape.run)
        count = device.zeros(buckets, np.uint32)
        program.order_count(runs, **rows, count=count)
        begin = running_sums(device, count, buckets, of=np.uint32, into=csr.offset)
        order, key = device.empty(csr.arcs, np.int32), device.empty(csr.arcs, np.uint32)
        program.order_deal(runs, **rows, count=count, begin=begin, order=order, key=key)
        program.order_sort(
            -(-buckets // self._shape.run),
            n=csr.n,
            buckets=buckets,
            seed=self._seed,
            row_ptr=csr.row_ptr,
            begin=begin,
            order=order,
            key=key,
        )
        return order


def host_cpu() -> Device | None:
    """A CPU device that works; one whose driver would have to be tried first does not count."""
    for device in of_word("cpu", list_devices()) or []:
        if not device.is_untried and device.fault is None:
            return device
    return None


def _needs(csr: DeviceCSR, wanted: int) -> dict[str, int]:
    """Bytes that a walk takes beside its steps."""
    return {"walk": 4 * wanted + csr.n // 8 + np.dtype(csr.offset).itemsize * csr.n}


def _walk(
    device: Device, csr: DeviceCSR, steps: Any, start: dict[str, int], wanted: int, progress: Tell | None
) -> Any:
    """The first `wanted` vertices that a walk visits; its steps are on this device."""
    shape = SHAPES.of(device)
    program = device.program("sampling/explore_walk", LANES=shape.lanes, **csr.defines)
    device.reserve(_needs(csr, wanted))
    visited = device.zeros(csr.n // 32 + 1, np.uint32)
    visit, state = device.output(wanted, np.int32), device.empty(2, np.int32)
    stack = device.empty(csr.n, csr.offset)
    memory = {"visited": visited, "visit": visit, "stack": stack, "state": state}
    program.explore_start(1, **start, **memory)
    walk = program.explore_walk.bind(steps=shape.steps, wanted=wanted, arcs=csr.arcs, step=steps, **memory)
    count = 1
    while count < wanted:
        walk.exact(shape.lanes, local=shape.lanes)
        depth, count = (int(x) for x in device.download(state, np.int32, 2))
        if depth == 0 and count < wanted:
            raise DeviceError(
                f"{device.name}: the walk ended after {count} of {wanted} vertices; please report this"
            )
        if progress:
            progress(count, wanted)
    return visit
