"""Data frames of results."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

import numpy as np

from clgraph.errors import InputError
from clgraph.graph.exchange.common import library
from clgraph.graph.graph import as_graph
from clgraph.results import RunsOn


def frame_of(columns: dict[str, Any], graph: Any = None, indices: Collection[str] = ("vertex",)) -> Any:
    """A data frame of a result's arrays, wherever they are.

    Parameters
    ----------
    columns : dict of arrays
    graph : Graph, optional
        Its ids take the place of the vertex indices in the columns `indices`; for -1 there is none.
    """
    pd = library("pandas", "pandas")
    frame = pd.DataFrame(
        {name: values.get() if hasattr(values, "get") else values for name, values in columns.items()}
    )
    if graph is not None:
        ids = graph.ids if hasattr(graph, "ids") else as_graph(graph).ids
        for name in indices:
            number = frame[name].to_numpy()
            if len(number) and number.max() >= len(ids):
                raise InputError(
                    f"graph has {len(ids)} vertices, but the result has one of index {number.max()}: give "
                    "the graph that it is of"
                )
            known = pd.Series(ids[np.maximum(number, 0)]).convert_dtypes()
            frame[name] = known.mask(number < 0) if (number < 0).any() else known
    return frame


class Labelled(RunsOn):
    """A result whose array `labels` says which group each vertex is in, and `sizes` how large these are."""

    GROUP: ClassVar[str]  # the labels' column
    labels: Any
    sizes: Any

    @property
    def count(self) -> int:
        """Number of groups."""
        return len(self.sizes)

    def to_pandas(self, graph: Any = None) -> Any:
        """Return a data frame with a row per vertex: "vertex", and its "component", "community" or "label".

        Parameters
        ----------
        graph : Graph, optional
            The graph that these are of, whose ids name the vertices then; without it they are indices.

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        return frame_of({"vertex": np.arange(len(self.labels)), self.GROUP: self.labels}, graph)

    def _largest(self) -> str:
        return ", ".join(map(str, self.sizes[:3].tolist())) + (", ..." if self.count > 3 else "")
