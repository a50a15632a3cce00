"""Samples of several seeds and sizes, made together: each is made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, MutableMapping, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import TYPE_CHECKING, Any, overload
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.lazy import lazy
from clgraph.sampling.literature.estimates import Distribution, Estimate, by_vertex
from clgraph.sampling.result import Sample, with_mode
from clgraph.sampling.selection import Selection

if TYPE_CHECKING:
    from clgraph.csr.device_csr import Joined
    from clgraph.device import Device
    from clgraph.sampling.request import Request, Size
    from clgraph.scale.shards import Shards

SHOWN = 5  # samples that a repr names
COLLAPSED = "the sample collapsed"  # so the note of such a sample begins


def collapsed(found: int, target: int) -> str | None:
    """Return a note if a sample has less than half of the vertices that were asked for."""
    return f"{COLLAPSED} to {found} of {target} vertices" if 2 * found < target else None


def collapsed_by_notes(sample: Sample) -> bool:
    """True if a sample's notes say that it collapsed."""
    return any(note.startswith(COLLAPSED) for note in sample.notes)


@dataclass(eq=False)
class Batch(Sequence[Sample]):
    """Samples of runs that were made together: each is made when it is asked for.

    Parameters
    ----------
    make : callable
        Gives sample i; it can be pickled.
    length : int
    counts : list of (int, int), optional
        Vertices and edges of each, where they are known.
    collapsed : set of int
        Those that have far fewer vertices than were asked for.
    made : mapping, optional
        Samples by their numbers: a dict keeps them; by default a sample goes that nobody holds any more.
    """

    make: Callable[[int], Sample]
    length: int
    counts: list[list[int]] | None = None
    collapsed: Collection[int] = ()
    made: MutableMapping[int, Sample] = field(default_factory=WeakValueDictionary)

    def __reduce__(self) -> Any:
        given = (self.make, self.length, self.counts, self.collapsed)
        return Batch, (*given, self.made) if isinstance(self.made, dict) else given

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, i: int) -> Sample: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Sample]: ...
    def __getitem__(self, i: int | slice) -> Sample | Sequence[Sample]:
        if isinstance(i, slice):
            return [self[each] for each in range(self.length)[i]]
        i = range(self.length)[i]
        made = self.made.get(i)
        return self.made.setdefault(i, self.make(i)) if made is None else made


@dataclass(frozen=True)
class Origin:
    """Common part of a reduction's samples, which makes them; `loops` counts the original's self-loops."""

    graph: Graph | Shards
    loops: int
    request: Request
    device: str
    seconds: dict[str, float]
    algorithm: str
    provenance: dict[str, Any]

    def sample(
        self,
        size: Size,
        target: int,
        seed: int,
        untouched: bool,
        vertices: int,
        iterations: int,
        selection: Selection,
        at: Any = 0,
        notes: tuple[str, ...] = (),
    ) -> Sample:
        """Return a sample of `vertices` vertices; `untouched`: the largest component had no more."""
        request, collapse = self.request, collapsed(vertices, target)
        loops = f"{self.loops} self-loops play no part and are not in the sample"
        said = [*request.notes, loops] if self.loops else [*request.notes]
        if untouched:
            said.append(
                f"the largest component has {vertices} of {self.graph.num_vertices} vertices, not more than "
                f"the target of {target}: it is returned untouched"
            )
        elif collapse:
            said.append(collapse)
        return Sample(
            request.method,
            request.mode,
            size,
            target,
            seed,
            self.device,
            dict(self.seconds),
            "untouched" if untouched else self.algorithm,
            0 if untouched else iterations,
            (*said, *notes),
            self.graph,
            request.given,
            selection,
            at,
            provenance=self.provenance,
        )

    def sample_of_run(
        self, chosen: Selection, first: int, wanted: list[tuple[Size, int]], slots: list[int], i: int
    ) -> Sample:
        """Return sample i of runs that were made side by side, run after run, each with its sizes.

        Parameters
        ----------
        chosen : Selection
            For each run the targets, decreasing.
        first : int
            The first run's seed.
        wanted : list of (size, target)
        slots : list of int
            The number of each one's target.
        i : int
        """
        run, k = divmod(i, len(wanted))
        at = run, slots[k]
        (size, target), (vertices, _, iterations) = wanted[k], chosen.counts[at].tolist()
        untouched = chosen.whole <= target
        return self.sample(size, target, first + run, untouched, vertices, iterations, chosen, at)


class Samples(Sequence[Sample]):
    """Samples in order: run after run, each run with its sizes in the order given.

    A sequence of `Sample`: ``samples[k]``, slices (which are `Samples` too), iteration and ``len``. Runs that
    were made side by side are kept as bits: a sample of them is made when it is asked for, and rebuilt if
    nobody holds it any more. There are also the arrays of all samples one behind the other: sample k's are
    ``vertices[offsets[k]:offsets[k + 1]]`` and ``edges[edge_offsets[k]:edge_offsets[k + 1]]``.

    Parameters
    ----------
    portions : iterable of sequences of Sample
        They are joined.

    Attributes
    ----------
    num_vertices, num_edges : int64 arrays, shape (len,)
        Counts for each sample.
    offsets, edge_offsets : int64 arrays, shape (len + 1,)
    vertices : array
        Original ids, as `Sample.vertices`.
    edges : int64 array
        Positions in the original's list of edges, as `Sample.edges`.
    weights : float64 array
        As `Sample.weight`; methods without weights have none.
    """

    def __init__(self, portions: Iterable[Sequence[Sample]]) -> None:
        self._places = tuple((part, i) for part in portions for i in range(len(part)))

    @classmethod
    def _at(cls, places: tuple[tuple[Sequence[Sample], int], ...]) -> Samples:
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
        return part[i]

    def __add__(self, other: Samples) -> Samples:
        if not isinstance(other, Samples):
            return NotImplemented
        return Samples._at((*self._places, *other._places))

    def _joined_on(self, device: Device) -> list[tuple[list[int], Joined]]:
        """Samples as undirected graphs on a device, where they are cut out together.

        Each part comes with the numbers of the samples that it has, in order; some or all may be left out.
        """
        made, parts = list(self), []
        alike: dict[int, list[int]] = {}
        for k, each in enumerate(made):
            alike.setdefault(id(each.selection), []).append(k)
        for numbers in alike.values():
            one = made[numbers[0]]
            if one.original is None:
                continue
            places = [made[k].at for k in numbers]
            for which, joined in one.selection.joined(device, one.original, places):
                parts.append(([numbers[k] for k in which], joined))
        return parts

    @lazy
    def _counts(self) -> npt.NDArray[np.int64]:
        counts = []
        for part, i in self._places:
            if isinstance(part, Batch) and part.counts is not None:
                counts.append(part.counts[i])
            else:
                counts.append([part[i].num_vertices, part[i].num_edges])
        return np.array(counts, np.int64).reshape(-1, 2)

    @property
    def num_vertices(self) -> npt.NDArray[np.int64]:
        """Number of vertices of each sample."""
        return self._counts[:, 0]

    @property
    def num_edges(self) -> npt.NDArray[np.int64]:
        """Number of edges of each sample."""
        return self._counts[:, 1]

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Start of each sample's part of `vertices`, and the end."""
        return np.concatenate(([0], np.cumsum(self.num_vertices)))

    @property
    def edge_offsets(self) -> npt.NDArray[np.int64]:
        """Start of each sample's part of `edges`, and the end."""
        return np.concatenate(([0], np.cumsum(self.num_edges)))

    @lazy
    def vertices(self) -> npt.NDArray[Any]:
        """Original ids of all samples' vertices, one sample after the other."""
        return _joined([each.vertices for each in self])

    @lazy
    def edges(self) -> npt.NDArray[np.int64]:
        """Positions of all samples' edges, one sample after the other."""
        return _joined([each.edges for each in self])

    @lazy
    def weights(self) -> npt.NDArray[np.float64]:
        """Weights of all samples' vertices, for samplers with weights (`Sample.weight`).

        Raises
        ------
        InputError
            If the method has none.
        """
        weights = []
        for each in self:
            if each.weight is None:
                raise InputError(f"samples by {each.method} have no weights: its bias has no closed form")
            weights.append(each.weight)
        return _joined(weights).astype(np.float64, copy=False)

    def to_pandas(self) -> Any:
        """Return a data frame with a row per sample: "method", "size", "target", "seed", "vertices", "edges".

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        from clgraph.graph.frames import frame_of

        names = {"method": "method", "size": "size", "target": "target_vertices", "seed": "seed"}
        made = list(self)
        columns = {name: [getattr(each, of) for each in made] for name, of in names.items()}
        return frame_of({**columns, "vertices": self.num_vertices, "edges": self.num_edges})

    # --- over the runs ----------------------------------------------------------------------------

    def mean(self, f: Any) -> Estimate:
        """Return the mean over these samples of each sample's mean of f, with its standard error.

        Samples with weights estimate the original's mean; others just have a mean. Of several sizes take one
        at a time: ``samples[k::number_of_sizes]``.

        Parameters
        ----------
        f : array, shape (n,), or a column keyed by id, or "degree", or the name of an attribute
            Values for the original's vertices, in index order.

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
        values = by_vertex(self._original(), f)
        each = np.array([one._value(values[one.index]) for one in self])
        return Estimate(float(each.mean()), float(_error(each)))

    def distribution(self, f: Any) -> Distribution:
        """Return the mean over these samples of the share of vertices with each value of f; as `mean`.

        Returns
        -------
        Distribution
            `values`, and the `share` and `standard_error` of each.
        """
        values = by_vertex(self._original(), f, numbers=False)
        met = [one._shares(values[one.index]) for one in self]
        seen = np.unique(np.concatenate([each for each, _ in met]))
        table = np.zeros((len(met), len(seen)))
        for row, (each, share) in zip(table, met, strict=True):
            row[np.searchsorted(seen, each)] = share
        return Distribution(seen, table.mean(axis=0), _error(table))

    def _original(self) -> Graph:
        if not len(self):
            raise InputError("there are no samples to take a mean of")
        return self[0]._whole

    def _warning(self) -> str | None:
        """Return what to say if samples collapsed: how many, and the smallest."""
        few = [
            (part, i)
            for part, i in self._places
            if (i in part.collapsed if isinstance(part, Batch) else collapsed_by_notes(part[i]))
        ]
        if not few:
            return None
        vertices = Samples._at(tuple(few)).num_vertices.tolist()
        least, target, seed = min(
            (count, part[i].target_vertices, part[i].seed)
            for count, (part, i) in zip(vertices, few, strict=True)
        )
        return (
            f"{len(few)} of {len(self)} samples collapsed to less than half of the size asked for: the "
            f"smallest has {least} of {target} vertices (seed {seed}); min_size= draws another seed instead"
        )

    def __repr__(self) -> str:
        return f"<Samples: {len(self)}{self._what()}>"

    def _repr_html_(self) -> str:
        from html import escape

        shown = self[:SHOWN]
        rows = "".join(
            f"<tr><td>{each.seed}</td><td>{escape(str(each.size))}</td><td>{vertices}</td><td>{edges}</td></tr>"
            for each, (vertices, edges) in zip(shown, shown._counts.tolist(), strict=True)
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
        first, last = self[0], self[-1]
        seeds = f"seed {first.seed}" if first.seed == last.seed else f"seeds {first.seed} to {last.seed}"
        sizes = list(dict.fromkeys(str(each.size) for each in self[:SHOWN]))
        return (
            f", {with_mode(first.method, first.mode)}, {seeds}, "
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
