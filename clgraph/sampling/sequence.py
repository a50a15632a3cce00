"""Samples of several runs and sizes: what `clgraph.sample` returns for `seeds` and `sizes`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from clgraph.csr.parts import Joined
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.lazy import lazy
from clgraph.sampling.result import Sample, with_mode

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.estimates import Distribution, Estimate

COLLAPSED = "the sample collapsed"  # so the note of such a sample begins
SHOWN = 5  # samples that a repr names


@dataclass(frozen=True)
class Facts:
    """What was asked for: as in `Sample`."""

    method: str
    mode: str
    size: float | int | str
    target: int
    seed: int


class Portion(Sequence[Sample]):
    """Some samples in order, and what can be said of one without making it."""

    @overload
    def __getitem__(self, i: int) -> Sample: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Sample]: ...
    def __getitem__(self, i: int | slice) -> Sample | Sequence[Sample]:
        if isinstance(i, slice):
            return [self._sample(each) for each in range(len(self))[i]]
        return self._sample(range(len(self))[i])

    @abstractmethod
    def _sample(self, i: int) -> Sample:
        """Sample i, 0 <= i < len."""

    def facts(self, i: int) -> Facts:
        """What was asked for, of sample i."""
        made = self._sample(i)
        return Facts(made.method, made.mode, made.size, made.target, made.seed)

    def joined(self, device: Device, which: list[int]) -> list[tuple[list[int], Joined]]:
        """Some samples as undirected graphs on a device, where they are cut out together.

        Each piece comes with the samples that it has, in order; some or all may be left out.
        """
        return []

    def seed(self, i: int) -> int:
        """`Sample.seed` of sample i."""
        return self._sample(i).seed

    def size(self, i: int) -> float | int | str:
        """`Sample.size` of sample i."""
        return self._sample(i).size

    def counts(self, i: int) -> tuple[int, int]:
        """Vertices and edges of sample i."""
        made = self._sample(i)
        return len(made.vertices), made.num_edges

    def collapse(self, i: int) -> tuple[int, int] | None:
        """Vertices and target of sample i, if it has far fewer than were asked for."""
        made = self._sample(i)
        collapsed = any(note.startswith(COLLAPSED) for note in made.notes)
        return (made.graph.num_vertices, made.target) if collapsed else None

    def vertices(self, i: int) -> npt.NDArray[Any]:
        """`Sample.vertices` of sample i."""
        return self._sample(i).vertices

    def positions(self, i: int) -> npt.NDArray[np.int64]:
        """Indices in the original of the vertices of sample i."""
        made = self._sample(i)
        assert made.original is not None
        return made.original.index(made.vertices)

    def shares(self, i: int, values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """The values that sample i meets, ascending, and their shares: by its weights, if it has any."""
        made: Any = self._sample(i)
        if hasattr(made, "weight"):
            found: tuple[npt.NDArray[Any], npt.NDArray[np.float64]] = made._shares(values[made.index])
            return found
        seen, times = np.unique(values[self.positions(i)], return_counts=True)
        return seen, times / times.sum()

    def mean(self, i: int, values: npt.NDArray[Any]) -> float:
        """The mean that sample i estimates: by its weights, if it has any."""
        made: Any = self._sample(i)
        if hasattr(made, "weight"):
            return float(made._value(values[made.index]))
        return float(values[self.positions(i)].mean())


class Made(Portion):
    """Samples that exist already.

    Parameters
    ----------
    samples : sequence of Sample
    """

    def __init__(self, samples: Sequence[Sample]) -> None:
        self._samples = samples

    def __len__(self) -> int:
        return len(self._samples)

    def _sample(self, i: int) -> Sample:
        return self._samples[i]


class Samples(Sequence[Sample]):
    """Samples in order: run after run, each run with its sizes in the order given.

    A sequence of `Sample`: ``samples[k]``, slices (which are `Samples` too), iteration and ``len``. Runs that
    were made side by side are kept as bits: a sample of them is made when it is asked for, and made again if
    nobody holds it any more. There are also the arrays of all samples one behind the other: sample k's are
    ``vertices[offsets[k]:offsets[k + 1]]`` and ``edges[edge_offsets[k]:edge_offsets[k + 1]]``.

    Parameters
    ----------
    portions : iterable of sequences of Sample
        They are joined.

    Attributes
    ----------
    num_vertices, num_edges : int64 arrays, shape (len,)
        Of each sample.
    offsets, edge_offsets : int64 arrays, shape (len + 1,)
    vertices : array
        Original ids, as `Sample.vertices`.
    edges : int64 array
        Ranks in the original's list of edges, as `Sample.edges`.
    weight : float64 array
        As `DrawnSample.weight`; methods without weights have none.
    """

    def __init__(self, portions: Iterable[Sequence[Sample]]) -> None:
        parts = [each if isinstance(each, Portion) else Made(each) for each in portions]
        self._places = tuple((part, i) for part in parts for i in range(len(part)))

    @classmethod
    def _at(cls, places: tuple[tuple[Portion, int], ...]) -> Samples:
        made = cls(())
        made._places = places
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
        part, i = self._places[index(k)]
        return part._sample(i)

    def __add__(self, other: Samples) -> Samples:
        if not isinstance(other, Samples):
            return NotImplemented
        return Samples._at((*self._places, *other._places))

    @property
    def portions(self) -> list[Portion]:
        """The portions that have a sample here, in order."""
        return list({id(part): part for part, _ in self._places}.values())

    @property
    def facts(self) -> list[Facts]:
        """What was asked for, of each sample."""
        return [part.facts(i) for part, i in self._places]

    def joined(self, device: Device) -> list[tuple[list[int], Joined]]:
        """As `Portion.joined`, of all samples."""
        pieces = []
        for part in self.portions:
            place = {i: k for k, (each, i) in enumerate(self._places) if each is part}
            for which, piece in part.joined(device, list(place)):
                pieces.append(([place[i] for i in which], piece))
        return pieces

    @lazy
    def _counts(self) -> npt.NDArray[np.int64]:
        return np.array([part.counts(i) for part, i in self._places], np.int64).reshape(-1, 2)

    @property
    def num_vertices(self) -> npt.NDArray[np.int64]:
        """Vertices of each sample."""
        return self._counts[:, 0]

    @property
    def num_edges(self) -> npt.NDArray[np.int64]:
        """Edges of each sample."""
        return self._counts[:, 1]

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where each sample's part of `vertices` begins, and the end."""
        return np.concatenate(([0], np.cumsum(self.num_vertices)))

    @property
    def edge_offsets(self) -> npt.NDArray[np.int64]:
        """Where each sample's part of `edges` begins, and the end."""
        return np.concatenate(([0], np.cumsum(self.num_edges)))

    @lazy
    def vertices(self) -> npt.NDArray[Any]:
        """Original ids of all samples' vertices, one sample behind the other."""
        return _joined([part.vertices(i) for part, i in self._places])

    @lazy
    def edges(self) -> npt.NDArray[np.int64]:
        """Ranks of all samples' edges, one sample behind the other."""
        return _joined([each.edges for each in self])

    @lazy
    def weight(self) -> npt.NDArray[np.float64]:
        """Weights of all samples' vertices, of the samplers that have them (`DrawnSample.weight`).

        Raises
        ------
        InputError
            If the method has none.
        """
        made: list[Any] = list(self)
        if made and not hasattr(made[0], "weight"):
            raise InputError(f"samples by {made[0].method} have no weights: its bias has no closed form")
        return _joined([each.weight for each in made]).astype(np.float64, copy=False)

    def to_pandas(self) -> Any:
        """A data frame with a row for each sample: "method", "size", "target", "seed", "vertices", "edges".

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        from clgraph.graph.frames import frame_of

        names = ("method", "size", "target", "seed")
        rows = [[getattr(each, name) for name in names] for each in self]
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}
        return frame_of({**columns, "vertices": self.num_vertices, "edges": self.num_edges})

    # --- over the runs ----------------------------------------------------------------------------

    def mean(self, f: Any) -> Estimate:
        """The mean over these samples of each sample's mean of f, with its standard error.

        Samples with weights estimate the original's mean; others just have a mean. Of several sizes take one
        at a time: ``samples[k::number_of_sizes]``.

        Parameters
        ----------
        f : array, shape (n,), or a column keyed by id, or "degree", or the name of an attribute
            Of the original's vertices, in index order.

        Returns
        -------
        Estimate
            ``(value, standard_error)``; the error, from the spread of the runs, is nan for a single one.

        Examples
        --------
        >>> import clgraph
        >>> graph = clgraph.powerlaw_graph(1000, seed=1)
        >>> samples = clgraph.sample(graph, "drv", size="50%", seed=1, seeds=20)
        >>> samples.mean(graph.degrees).standard_error < 0.2
        True
        """
        from clgraph.sampling.literature.estimates import Estimate, by_vertex

        values = by_vertex(self._original(), f)
        each = np.array([part.mean(i, values) for part, i in self._places])
        return Estimate(float(each.mean()), float(_error(each)))

    def distribution(self, f: Any) -> Distribution:
        """The mean share of vertices with each value of f over these samples; as `mean`.

        Returns
        -------
        Distribution
            `values`, and the `share` and `standard_error` of each.
        """
        from clgraph.sampling.literature.estimates import Distribution, by_vertex

        values = by_vertex(self._original(), f, numbers=False)
        met = [part.shares(i, values) for part, i in self._places]
        seen = np.unique(np.concatenate([each for each, _ in met]))
        table = np.zeros((len(met), len(seen)))
        for row, (each, share) in zip(table, met, strict=True):
            row[np.searchsorted(seen, each)] = share
        return Distribution(seen, table.mean(axis=0), _error(table))

    def _original(self) -> Graph:
        if not len(self):
            raise InputError("there are no samples to take a mean of")
        original = self[0].original
        if original is None:
            raise InputError("samples of a stream have no original whose vertices could have values")
        return original

    def warning(self) -> str | None:
        """What to say if samples collapsed: how many, and the smallest."""
        found = [
            (*collapse, part.seed(i))
            for part, i in self._places
            if (collapse := part.collapse(i)) is not None
        ]
        if not found:
            return None
        least, target, seed = min(found)
        return (
            f"{len(found)} of {len(self)} samples collapsed to less than half of the size asked for: the "
            f"smallest has {least} of {target} vertices (seed {seed}); min_size= draws another seed instead"
        )

    def __repr__(self) -> str:
        return f"<Samples: {len(self)}{self._what()}>"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><td>{part.seed(i)}</td><td>{escape(str(part.size(i)))}</td><td>{vertices}</td>"
            f"<td>{edges}</td></tr>"
            for part, i in self._places[:SHOWN]
            for vertices, edges in [part.counts(i)]
        )
        more = f"<p>... {len(self) - SHOWN} more</p>" if len(self) > SHOWN else ""
        counts = "pairs" if len(self) and self[0].graph.directed else "edges"
        return (
            f"<p>{len(self)} samples{escape(self._what())}</p><table><tr><th>seed</th><th>size</th>"
            f"<th>vertices</th><th>{counts}</th></tr>{rows}</table>{more}"
        )

    def _what(self) -> str:
        if not len(self):
            return ""
        first, (last, at) = self[0], self._places[-1]
        seeds = f"seeds {first.seed} to {last.seed(at)}"
        sizes = list(dict.fromkeys(str(part.size(i)) for part, i in self._places[:SHOWN]))
        return (
            f", {with_mode(first.method, first.mode)}, "
            f"{f'seed {first.seed}' if first.seed == last.seed(at) else seeds}, "
            f"{'size' if len(sizes) == 1 else 'sizes'} {', '.join(sizes)}"
        )


def _error(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Standard error of the mean over rows; nan for a single one."""
    if len(values) == 1:
        return np.full(values.shape[1:], np.nan)
    error: npt.NDArray[np.float64] = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return error


def _joined(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)
