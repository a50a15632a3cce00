"""Vertices selected by their labels, in ascending order: host half of ``cl/sampling/members.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.launch_config import LaunchTable

if TYPE_CHECKING:
    from clgraph.device import Device

ROOTS = -1  # instead of a label: the vertices labelled with themselves
LAUNCH = LaunchTable(gpu=64, cpu=2048, simulator=8)  # consecutive vertices of a work-item


class Members:
    """Counts and numbers vertices by their labels.

    Parameters
    ----------
    device : Device
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self._block = LAUNCH.of(device)
        self._program = device.program("sampling/members", BLOCK=self._block)

    def _counts(self, n: int, label: Any, keep: int) -> npt.NDArray[np.int32]:
        # one counter a block: its running sums say where each block's vertices begin
        blocks = -(-n // self._block)
        count = self._device.empty(blocks, np.int32)
        self._program.members_count(blocks, n=n, keep=keep, label=label, count=count)
        return self._device.download(count, np.int32, blocks)

    def nth(self, n: int, label: Any, keep: int, rank: int) -> int:
        """The vertex labelled `keep` that has `rank` smaller vertices with this label."""
        up_to = np.cumsum(self._counts(n, label, keep), dtype=np.int64)
        block = int(np.searchsorted(up_to, rank, side="right"))
        first = block * self._block
        labels = self._device.download(label, np.int32, min(self._block, n - first), offset=first)
        inside = rank - (int(up_to[block - 1]) if block else 0)
        return first + int(np.flatnonzero(labels == keep)[inside])

    def number(self, n: int, label: Any, keep: int, old: Any, number: Any) -> tuple[Any, int]:
        """Number the vertices labelled `keep` (or `ROOTS`) from 0 on, ascending.

        Parameters
        ----------
        n : int
            Number of vertices.
        label : int32 device buffer, shape (n,)
        keep : int
        old : int32 device buffer, shape (n,), or None
            The name of vertex v; None: v itself.
        number : int32 device buffer, shape (n,)
            Filled with the number of each vertex, -1 where it has none.

        Returns
        -------
        name : int32 device buffer, shape (count,)
            The names, by number.
        count : int
        """
        counts = self._counts(n, label, keep)
        up_to = np.cumsum(counts, dtype=np.int64)
        name = self._device.empty(max(int(up_to[-1]), 1), np.int32)
        before = self._device.upload((up_to - counts).astype(np.int32), writable=True)
        self._program.members_number(
            len(counts), n=n, keep=keep, label=label, before=before, old=old, number=number, name=name
        )
        return name, int(up_to[-1])
