"""The live vertices or edges of smallest keyed priority, by threshold.

Host half of ``cl/sampling/select.cl``.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from clgraph.errors import DeviceError
from clgraph.sampling.copra import Copra

BINS = 1 << 14  # a pass over the graph narrows the window of the cutoff so many times
COLLECT = 1 << 12  # priorities in one bin that the host sorts; a fuller bin is a window of its own
TOP = 1 << 64


class ByPriority:
    """Chooses the live vertices (drv) or edges (dre) of smallest (priority, position).

    Parameters
    ----------
    copra : Copra
    seed : int
    edges : bool
        Choose edges (dre) instead of vertices (drv).
    """

    most = Fraction(1)  # the order does not depend on what went before

    def __init__(self, copra: Copra, seed: int, *, edges: bool) -> None:
        device = copra.device
        self._copra, self._edges = copra, edges
        self._kind = "edges" if edges else "vertices"
        self._program = device.program(
            "sampling/select",
            ITEMS=device.tuning.items,
            HAS_COPIES=int(copra.has_copies),
            **copra.csr.defines,
        )
        self._passes = -(-copra.n // device.tuning.items)
        self._histogram = device.empty(BINS, np.int32)
        self._counter = device.empty(1, np.int32)
        self._priority = device.empty(COLLECT, np.uint64)
        self._position = device.empty(COLLECT, copra.offset)
        things = copra.arcs // 2 if edges else copra.n
        self._list = device.empty(max(things, 1), copra.offset if edges else np.int32)
        self._owners = device.empty(max(things, 1), np.int32) if edges else None
        self._lists = {"owners": self._owners, "list": self._list} if edges else {"list": self._list}
        rows = {"n": copra.n, "seed": seed, "v_start": copra.v_start}
        if edges:
            rows |= {"v_end": copra.v_end, "edges": copra.edges, **copra.csr.buffers}
        self._rows = rows
        self._low = 0  # every live priority is at or above this
        self._reached = 0
        self._count = 0

    def _run(self, what: str, **arguments: Any) -> None:
        kernel = getattr(self._program, f"select_{what}_{self._kind}")
        kernel(self._passes, **self._rows, **arguments)

    def _cutoff(self, count: int, live: int) -> tuple[int, int]:
        """(priority, position) of the `count`-th of `live` vertices or edges."""
        device, low, wanted = self._copra.device, self._low, count
        # the window that contains the count-th, by six standard deviations, if priorities are uniform
        width = (TOP - low) * (count + 6 * isqrt(count) + 16) // live + 1
        while True:
            shift = max(0, (min(width, TOP - low) - 1).bit_length() - (BINS.bit_length() - 1))
            device.clear(self._histogram, BINS, np.int32)
            self._run("count", low=low, shift=shift, bins=BINS, histogram=self._histogram)
            up_to = np.cumsum(device.download(self._histogram, np.int32, BINS), dtype=np.int64)
            if up_to[-1] < wanted:
                wanted -= int(up_to[-1])
                low += BINS << shift
                if low >= TOP:
                    raise DeviceError(
                        f"{device.name}: fewer live {self._kind} than were counted; please report this"
                    )
                width = TOP - low
                continue
            bin_ = int(np.searchsorted(up_to, wanted))
            inside = int(up_to[bin_] - (up_to[bin_ - 1] if bin_ else 0))
            wanted -= int(up_to[bin_ - 1]) if bin_ else 0
            low += bin_ << shift
            width = 1 << shift
            if inside <= COLLECT:
                return self._nth(wanted, low, width, inside)

    def _nth(self, wanted: int, low: int, width: int, inside: int) -> tuple[int, int]:
        device = self._copra.device
        device.clear(self._counter, 1, np.int32)
        self._run(
            "collect",
            low=low,
            width=width,
            capacity=COLLECT,
            count=self._counter,
            priority=self._priority,
            position=self._position,
        )
        priority = device.download(self._priority, np.uint64, inside)
        position = device.download(self._position, self._copra.offset, inside)
        nth = np.lexsort((position, priority))[wanted - 1]
        return int(priority[nth]), int(position[nth])

    def remove(self, step: int, count: int, vertices: int, edges: int) -> None:
        device, copra = self._copra.device, self._copra
        live = edges if self._edges else vertices
        if count == live:
            cutoff, position = TOP - 1, int(np.iinfo(copra.offset).max)
        else:
            cutoff, position = self._cutoff(count, live)
        device.clear(self._counter, 1, np.int32)
        self._run("list", cutoff=cutoff, cutoff_position=position, count=self._counter, **self._lists)
        listed = int(device.download(self._counter, np.int32, 1)[0])
        if listed != count:
            raise DeviceError(
                f"{device.name}: {listed} {self._kind} chosen instead of {count}; please report this"
            )
        self._count, self._reached = count, cutoff
        if not self._edges:
            copra.remove_vertices(self._list, count)
        elif copra.far_scan:
            copra.remove_edges(self._list, count)
        else:
            copra.remove_vertex_edges(self._owners, self._list, count)

    def undo(self) -> None:
        if self._edges:
            self._copra.restore_vertex_edges(self._owners, self._list, self._count)
        else:
            self._copra.restore_vertices(self._list, self._count)

    def removed(self) -> tuple[Any, Any, int]:
        """Vertices of the last batch and None, or owners and slots of its edges, and how many."""
        return (self._owners, self._list, self._count) if self._edges else (self._list, None, self._count)

    def accept(self) -> None:
        self._low = self._reached
