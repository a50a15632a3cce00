"""The largest component of what is left in COPRA, by linking and compressing (Afforest)."""

from __future__ import annotations

from typing import Any

import numpy as np

from clgraph.components.kept import GraphComponents
from clgraph.sampling.copra import Copra


class LinkCompress:
    """A finder for the batched loop that labels all components after each batch.

    A label is the smallest vertex of its component.

    Parameters
    ----------
    copra : Copra
    components : GraphComponents
        Of the graph that `copra` was made from.
    """

    def __init__(self, copra: Copra, components: GraphComponents) -> None:
        self._copra = copra
        self._giant = components.copra(copra.slots, wide=copra.offset is np.int64)
        self._label = copra.device.empty(copra.n, np.int32)

    def find(self, live: int) -> tuple[Any, int, int]:
        """(label buffer, label of the largest component, its size) among `live` vertices."""
        copra, giant = self._copra, self._giant
        rows = (copra.v_start, copra.v_end, copra.edges)
        giant.labels_into(*rows, self._label)
        root, size, _ = giant.largest_label(self._label)
        return self._label, root, size

    def keep(self, label: Any, keep: int) -> int:
        """Remove every vertex whose label is not `keep`; returns the number of edges removed with them."""
        return self._copra.keep_component(label, keep)
