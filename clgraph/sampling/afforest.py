"""The largest component of what is left in COPRA, by linking and compressing (Afforest)."""

from __future__ import annotations

from typing import Any

import numpy as np

from clgraph.components.finder import GiantFinder
from clgraph.sampling.copra import Copra


class LinkCompress:
    """A finder for the batched loop; its labels are roots of the components.

    Parameters
    ----------
    copra : Copra
    """

    def __init__(self, copra: Copra) -> None:
        device = copra.device
        self._copra = copra
        self._giant = GiantFinder(device, copra.n, copra.slots, copra=True, wide=copra.offset is np.int64)
        self._label = device.empty(copra.n, np.int32)

    def find(self, live: int) -> tuple[Any, int, int]:
        """(label buffer, label of the largest component, its size) among `live` vertices."""
        copra, giant = self._copra, self._giant
        rows = (copra.v_start, copra.v_end, copra.edges)
        giant.labels_into(*rows, self._label)
        root, size, _ = giant.largest_label(self._label)
        return self._label, root, size

    def keep(self, label: Any, keep: int) -> int:
        """Remove every vertex whose label is not `keep`; returns the number of edges that went with them."""
        return self._copra.keep_component(label, keep)
