"""Samples of several runs and sizes: what `clgraph.sample` returns for `seeds` and `sizes`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, MutableMapping, Sequence
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any, overload
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from clgraph.csr.parts import Joined
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.lazy import lazy
from clgraph.sampling.literature.estimates import Distribution, Estimate, by_vertex
from clgraph.sampling.result import COLLAPSED, Sample, notes_of, with_mode

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.bitsets import Selections
    from clgraph.sampling.options import Size
    from clgraph.sampling.request import Request

SHOWN = 5  # samples that a repr names


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
    needs_device : bool
        Whether samples can be made only where the device is.
    made : dict, optional
        Samples by their numbers, which stay; by default a sample goes that nobody holds any more.
    """

    def __init__(
        self,
        make: Callable[[int], Sample],
        length: int,
        counts: list[list[int]] | None = None,
        collapsed: Collection[int] = (),
        *,
        needs_device: bool = False,
        made: dict[int, Sample] | None = None,
    ) -> None:
        self.make, self.length, self.counts, self.collapsed = make, length, counts, collapsed
        self._needs_device = needs_device
        self._made: MutableMapping[int, Sample] = WeakValueDictionary() if made is None else made

    def __reduce__(self) -> Any:
        if self._needs_device:  # there may be none where it is unpickled
            return list, (list(self),)
        made = self._made if isinstance(self._made, dict) else None
        return partial(Batch, made=made), (self.make, self.length, self.counts, self.collapsed)

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, i: int) -> Sample: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Sample]: ...
    def __getitem__(self, i: int | slice) -> Sample | Sequence[Sample]:
        which = range(self.length)[i]
        if isinstance(which, range):
            return [self[each] for each in which]
        made = self._made.get(which)
        return self._made.setdefault(which, self.make(which)) if made is None else made


def batch_of(
    chosen: Selections,
    graph: Graph,
    options: Request,
    first: int,
    wanted: list[tuple[Size, int]],
    targets: list[int],
    about: dict[str, Any],
) -> Batch:
    """The samples of runs that were made side by side: run after run, each with its sizes.

    Parameters
    ----------
    chosen : Selections
        For each run the targets.
    graph : Graph
        The original.
    options : Request
    first : int
        The first run's seed.
    wanted : list of (size, target)
    targets : list of int
        The different ones, decreasing.
    about : dict
        `device`, `seconds`, `algorithm`, `options` and `provenance` of every sample.
    """
    slots = [targets.index(target) for _, target in wanted]
    counts = chosen.counts[:, slots].reshape(-1, 3)
    goals = np.tile([target for _, target in wanted], len(chosen.counts))
    few = np.flatnonzero((2 * counts[:, 0] < goals) & (chosen.whole > goals))
    make = partial(_of_run, chosen, graph, options, first, wanted, slots, about)
    known, needs_device = counts[:, :2].tolist(), chosen.needs_device
    return Batch(make, len(counts), known, frozenset(few.tolist()), needs_device=needs_device)


def _of_run(
    chosen: Selections,
    graph: Graph,
    options: Request,
    first: int,
    wanted: list[tuple[Size, int]],
    slots: list[int],
    about: dict[str, Any],
    i: int,
) -> Sample:
    """Sample i: see `batch_of`."""
    run, k = divmod(i, len(wanted))
    (size, target), at = wanted[k], (run, slots[k])
    untouched, (vertices, _, iterations) = chosen.whole <= target, chosen.counts[at].tolist()
    loops = graph.undirected.num_self_loops
    return Sample(
        options.method,
        options.mode,
        size,
        target,
        first + run,
        iterations=0 if untouched else iterations,
        notes=(*options.idle(), *notes_of(graph.num_vertices, target, untouched, vertices, loops)),
        original=graph,
        selection=chosen,
        at=at,
        **about | {"seconds": dict(about["seconds"])} | ({"algorithm": "untouched"} if untouched else {}),
    )


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

    def joined(self, device: Device) -> list[tuple[list[int], Joined]]:
        """Samples as undirected graphs on a device, where they are cut out together.

        Each piece comes with the numbers of the samples that it has, in order; some or all may be left out.
        """
        made, pieces = list(self), []
        alike: dict[int, list[int]] = {}
        for k, each in enumerate(made):
            alike.setdefault(id(each.selection), []).append(k)
        for numbers in alike.values():
            one = made[numbers[0]]
            if one.original is None:
                continue
            places = [made[k].at for k in numbers]
            for which, piece in one.selection.joined(device, one.original, places):
                pieces.append(([numbers[k] for k in which], piece))
        return pieces

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
        return _joined([each.vertices for each in self])

    @lazy
    def edges(self) -> npt.NDArray[np.int64]:
        """Ranks of all samples' edges, one sample behind the other."""
        return _joined([each.edges for each in self])

    @lazy
    def weights(self) -> npt.NDArray[np.float64]:
        """Weights of all samples' vertices, of the samplers that have them (`Sample.weight`).

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
        """A data frame with a row for each sample: "method", "size", "target", "seed", "vertices", "edges".

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        from clgraph.graph.frames import frame_of

        names = ("method", "size", "target", "seed")
        rows = [[each.method, each.size, each.target_vertices, each.seed] for each in self]
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
        values = by_vertex(self._original(), f)
        each = np.array([one._value(values[one.index]) for one in self])
        return Estimate(float(each.mean()), float(_error(each)))

    def distribution(self, f: Any) -> Distribution:
        """The mean share of vertices with each value of f over these samples; as `mean`.

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

    def warning(self) -> str | None:
        """What to say if samples collapsed: how many, and the smallest."""
        few = [(part, i) for part, i in self._places if _collapsed(part, i)]
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


def _collapsed(part: Sequence[Sample], i: int) -> bool:
    """Whether sample i has far fewer vertices than were asked for."""
    if isinstance(part, Batch):
        return i in part.collapsed
    return any(note.startswith(COLLAPSED) for note in part[i].notes)


def _error(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Standard error of the mean over rows; nan for a single one."""
    if len(values) == 1:
        return np.full(values.shape[1:], np.nan)
    error: npt.NDArray[np.float64] = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return error


def _joined(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)
