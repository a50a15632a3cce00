"""Samples of several runs and sizes: what `clgraph.sample` returns for `seeds` and `sizes`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import chain
from operator import index
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from clgraph.lazy import lazy
from clgraph.sampling.result import Sample

SHOWN = 5  # samples that a repr names


class Samples(Sequence[Sample]):
    """Samples in order: run after run, each run with its sizes in the order given.

    A sequence of `Sample`: ``samples[k]``, slices (which are `Samples` too), iteration and ``len``. Below it
    are the arrays of all samples one behind the other; the k-th sample's part is
    ``vertices[offsets[k]:offsets[k + 1]]`` and ``edges[edge_offsets[k]:edge_offsets[k + 1]]``.

    Parameters
    ----------
    portions : iterable of sequences of Sample
        They are joined; a portion may make a sample when it is first asked for.

    Attributes
    ----------
    num_vertices, num_edges : int64 arrays, shape (len,)
        Of each sample.
    offsets, edge_offsets : int64 arrays, shape (len + 1,)
    vertices : array
        Original ids, as `Sample.vertices`.
    edges : int64 array
        Ranks in the original's list of edges, as `Sample.edges`.
    """

    def __init__(self, portions: Iterable[Sequence[Sample]]) -> None:
        self._places = tuple((portion, i) for portion in portions for i in range(len(portion)))

    @classmethod
    def _at(cls, places: Iterable[tuple[Sequence[Sample], int]]) -> Samples:
        made = cls(())
        made._places = tuple(places)
        return made

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, k: int) -> Sample: ...
    @overload
    def __getitem__(self, k: slice) -> Samples: ...
    def __getitem__(self, k: int | slice) -> Sample | Samples:
        if isinstance(k, slice):
            return Samples._at(self._places[k])
        portion, i = self._places[index(k)]
        return portion[i]

    def __add__(self, other: Samples) -> Samples:
        if not isinstance(other, Samples):
            return NotImplemented
        return Samples._at(chain(self._places, other._places))

    @lazy
    def num_vertices(self) -> npt.NDArray[np.int64]:
        """Vertices of each sample."""
        return np.array([len(each.vertices) for each in self], np.int64)

    @lazy
    def num_edges(self) -> npt.NDArray[np.int64]:
        """Edges of each sample."""
        return np.array([each.num_edges for each in self], np.int64)

    @lazy
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where each sample's part of `vertices` begins, and the end."""
        return np.concatenate(([0], np.cumsum(self.num_vertices)))

    @lazy
    def edge_offsets(self) -> npt.NDArray[np.int64]:
        """Where each sample's part of `edges` begins, and the end."""
        return np.concatenate(([0], np.cumsum(self.num_edges)))

    @lazy
    def vertices(self) -> npt.NDArray[Any]:
        """Original ids of all samples' vertices, one sample behind the other."""
        return _joined([each.vertices for each in self])

    @lazy
    def edges(self) -> npt.NDArray[np.int64]:
        """Ranks of all samples' edges, one sample behind the other."""
        return _joined([each.edges for each in self])

    def __getstate__(self) -> dict[str, Any]:
        here = list(self)
        return {"_places": tuple((here, i) for i in range(len(here)))}

    def __repr__(self) -> str:
        return f"<Samples: {len(self)}{_what(self)}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{each.seed}</td><td>{escape(str(each.size))}</td><td>{len(each.vertices)}</td>"
            f"<td>{each.num_edges}</td></tr>"
            for each in self[:SHOWN]
        )
        more = f"<p>... {len(self) - SHOWN} more</p>" if len(self) > SHOWN else ""
        return (
            f"<p>{len(self)} samples{escape(_what(self))}</p><table><tr><th>seed</th><th>size</th>"
            f"<th>vertices</th><th>edges</th></tr>{rows}</table>{more}"
        )


def _joined(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _what(samples: Samples) -> str:
    if not len(samples):
        return ""
    first, last = samples[0], samples[-1]
    seeds = f"seed {first.seed}" if first.seed == last.seed else f"seeds {first.seed} to {last.seed}"
    sizes = list(dict.fromkeys(str(each.size) for each in samples[:SHOWN]))
    word = "size" if len(sizes) == 1 else "sizes"
    return f", {first.method} ({first.mode}), {seeds}, {word} {', '.join(sizes)}"
