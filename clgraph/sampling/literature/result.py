"""The samples that the samplers of the literature return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.arguments import word
from clgraph.csr.upload import upload_csr
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.lazy import lazy
from clgraph.sampling.extract import extract_sample
from clgraph.sampling.literature import frontier, walk
from clgraph.sampling.literature.clock import rates
from clgraph.sampling.literature.drawn import Drawn
from clgraph.sampling.literature.estimates import (
    Distribution,
    Estimate,
    by_vertex,
    horvitz_thompson,
    of_batches,
    ratio,
    recruitment_shares,
)
from clgraph.sampling.literature.held import estimates_of
from clgraph.sampling.literature.listed import left_of
from clgraph.sampling.literature.weights import Weights, chance, edge_pull, view_degrees, weights_of
from clgraph.sampling.marks import LeftThere
from clgraph.sampling.result import Sample, extract, with_loops
from clgraph.sampling.sequence import Portion

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.request import Request

Reals = npt.NDArray[np.float64]


class DrawnSample(Sample):
    """A sample that a sampler of the literature drew.

    It has a `clgraph.Sample`'s attributes; its graph is made when it is looked at.

    Attributes
    ----------
    order : int64 array, shape (k,), or None
        Rank of arrival of each vertex; None where vertices come by edges of a fixed number.
    visits : int64 array, shape (k,), or None
        Of walks: visits to each vertex, starts not counted.
    weight : float64 array, shape (k,)
        By which each vertex counts in an estimate.
    weighting : {"exact", "conditional", "approximate", "stationary", "none"}
        What `weight` is: 1/p, the probability p of the vertex known exactly, given the other vertices' keys,
        or approximately; 1/p up to a factor; nothing.
    probability : float64 array, or None
        Of edges that were drawn: the probability of each of `edges`, given the others' keys.
    parent : array, shape (k,), or None
        Id of the vertex from which each was reached; its own id for starts.
    walks : array, or None
        On request: ids, shape (walkers, steps + 1), from each walker's start on.
    arrival : int64 array, or None
        Of streams: when each of `edges` came.
    parts : int32 array, shape (n,), or None
        Of quasi-chordal: the number of each vertex's part.
    """

    def __init__(self, wish: Request, drawn: Drawn, run: int, how: dict[str, Any]) -> None:
        fields = {
            "method": wish.method,
            "mode": wish.mode,
            "size": wish.size,
            "target": wish.target if wish.target is not None else wish.target_edges,
            "original": wish.view.original,
            "group": None,
            "notes": (*wish.notes, *(drawn.notes[run] if drawn.notes else ()), *how.pop("notes", ())),
            "way": wish.kind,
            "iterations": 0 if drawn.rounds is None else int(drawn.rounds[run]),
            **how,
        }
        self.__dict__.update(fields)
        self.__dict__.update(wish=wish, _drawn=drawn, _run=run)

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    if TYPE_CHECKING:  # they are values that are computed when they are looked at
        wish: Request
        _drawn: Drawn
        _run: int

    @lazy
    def index(self) -> npt.NDArray[np.int64]:
        """Indices of the sample's vertices in the original, ascending."""
        wish, drawn = self.wish, self._drawn
        if wish.kind == "edges" and wish.target is None:
            tails, heads, _ = self._ends
            return np.unique(np.concatenate((tails, heads))).astype(np.int64)
        return drawn.vertices.of(self._run).astype(np.int64)

    @lazy
    def vertices(self) -> npt.NDArray[Any]:
        """Original ids of the sample's vertices, in index order."""
        if self.there is not None:
            return self._ids_there()
        return self.wish.view.original.ids[self.index]

    @lazy
    def _ends(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Ends of the edges drawn, the smaller first, and their places in the rows."""
        assert self._drawn.arcs is not None
        rows, arcs = self.wish.view.rows, self._drawn.arcs.of(self._run).astype(np.int64)
        tails = np.searchsorted(rows.row_ptr, arcs, side="right") - 1
        return tails.astype(np.int64), rows.col_idx[arcs].astype(np.int64), arcs

    @property
    def _there(self) -> tuple[Device, LeftThere] | None:
        """What is left, on the device; None if it is no longer there, or the device builds no kernels."""
        wish, drawn, listed, run = self.wish, self._drawn, self._drawn.listed, self._run
        simple, whole = wish.view.original.undirected.simple, wish.kind == "chordal"
        walked = drawn.parent if wish.keep == "tree" else drawn.arcs
        there = None if walked is None else walked.there
        induced = wish.keep == "induced"
        # whose vertices are the ends of its edges
        by_ends = wish.kind == "edges" and wish.target is None
        device = listed.device if listed is not None else there.device if there is not None else None
        if device is None or not device.has_compiler:
            return None
        with device.alone():
            if induced and listed is not None:
                return device, LeftThere(device, upload_csr(device, simple), listed.marked(run))
            if there is None or (listed is None and not whole and not by_ends):
                return None
            ways = (None, there) if wish.keep == "tree" else (there, None)
            left = left_of(simple, run, listed, *ways, whole=whole)
            return device, LeftThere(device, left.csr, left.live) if induced else left

    @lazy
    def graph(self) -> Graph:
        """The sample as a graph, which stays on the device until an array is looked at."""
        original = self.wish.view.original
        if (there := self._there) is None:
            made = self._parts[0]
        else:
            device, left = there
            with device.alone():
                made = extract_sample(device, original, left)
        made.attributes = original.attributes
        return made

    @lazy
    def kept_arcs(self) -> npt.NDArray[np.bool_]:
        """Which arcs of ``original.undirected`` are in the sample."""
        if (there := self._there) is None:
            return self._parts[1]
        return with_loops(self.wish.view.original.undirected, there[1].arcs)

    @lazy
    def _parts(self) -> tuple[Graph, npt.NDArray[np.bool_]]:
        """The graph and the arcs, by NumPy."""
        original, wish = self.wish.view.original, self.wish
        simple = original.undirected.simple
        inside = np.zeros(original.num_vertices, bool)
        inside[self.index] = True
        if wish.keep == "induced":
            live = np.repeat(inside, np.diff(simple.row_ptr)) & inside[simple.col_idx]
        else:
            live = np.zeros(simple.num_arcs, bool)
            arcs = self._edge_arcs
            live[arcs] = True
            live[twins(simple, arcs)] = True
        return extract(original, inside, live)

    @property
    def _edge_arcs(self) -> npt.NDArray[np.int64]:
        """Places of the sample's edges in the rows of the undirected view, where not all are taken."""
        if self.wish.keep == "tree":
            return self._tree_arcs()
        tails, heads, arcs = self._ends
        if self.wish.kind == "edges":
            return arcs
        inside = np.isin(tails, self.index) & np.isin(heads, self.index)
        return arcs[inside]

    def _tree_arcs(self) -> npt.NDArray[np.int64]:
        """The arc to each vertex's parent, of parallel ones the first."""
        assert self._drawn.parent is not None
        parent, index = self._drawn.parent.of(self._run).astype(np.int64), self.index
        some = (parent >= 0) & (parent != index) & np.isin(parent, index)
        simple = self.wish.view.original.undirected.simple
        pairs = (simple.rows.astype(np.int64) << 32) | simple.col_idx
        made: npt.NDArray[np.int64] = np.searchsorted(pairs, (index[some] << 32) | parent[some])
        return made

    @lazy
    def parent(self) -> npt.NDArray[Any] | None:
        """Id of the vertex from which each was reached; its own for starts."""
        if self._drawn.parent is None:
            return None
        parent = self._drawn.parent.of(self._run).astype(np.int64)
        return self.wish.view.original.ids[np.where(parent < 0, self.index, parent)]

    @lazy
    def walks(self) -> npt.NDArray[Any] | None:
        """On request: the ids of each walker's start and its vertex after each step, (walkers, steps + 1)."""
        if "walks" not in self._drawn.more:
            return None
        made = self._drawn.more["walks"].of(self._run).reshape(-1, self.wish.walkers)
        return self.wish.view.original.ids[made.T]

    @lazy
    def order(self) -> npt.NDArray[np.int64] | None:
        """Rank of arrival of each vertex."""
        if self._drawn.came is None:
            return None
        keys = [self.index, self._drawn.came.of(self._run)]
        if self.wish.kind in ("stages", "spikyball") and self.wish.mode != "exact":
            keys.insert(1, keyed.vertex_priority(self.seed, self.index))
        rank = np.empty(len(self.index), np.int64)
        rank[np.lexsort(keys)] = np.arange(len(rank))
        return rank

    @lazy
    def visits(self) -> npt.NDArray[np.int64] | None:
        """Visits to each vertex."""
        return None if self._drawn.visits is None else self._drawn.visits.of(self._run).astype(np.int64)

    @lazy
    def parts(self) -> npt.NDArray[Any] | None:
        """Of quasi-chordal: the number of each vertex's part, shape (n,)."""
        return self._drawn.more["part"].of(self._run) if "part" in self._drawn.more else None

    @lazy
    def _weights(self) -> Weights:
        return weights_of(self.wish, self._drawn, self._run, self.index)

    @property
    def weight(self) -> Reals:
        """By which each vertex counts in an estimate."""
        return self._weights.weight

    @property
    def weighting(self) -> str:
        """What `weight` is."""
        return self._weights.weighting

    @lazy
    def probability(self) -> Reals | None:
        """The probability of each edge, given the others' keys."""
        if self._drawn.held is not None:
            return self._drawn.held[self._run].probability
        if self.wish.kind != "edges" or self.wish.keep != "visited":
            return None
        assert self._drawn.cut is not None
        rate = rates(self._drawn.cut[self._run : self._run + 1])
        return chance(rate * edge_pull(self.wish, *self._ends))

    @property
    def arrival(self) -> npt.NDArray[np.int64] | None:
        """Of streams: when each of `edges` came: 1, 2, ..."""
        return None if self._drawn.held is None else self._drawn.held[self._run].arrival

    # --- estimates --------------------------------------------------------------------------------

    def mean(self, f: Any) -> Estimate:
        """The mean of f over all vertices of the original, estimated.

        Parameters
        ----------
        f : array, shape (n,), or a column keyed by id, or the name of an attribute
            See `clgraph.sampling.literature.estimates.by_vertex`.

        Returns
        -------
        Estimate
            ``(value, standard_error)``; the error is nan where one sample does not tell it. That of one walk
            among several runs takes a walk more, when it is first asked for.
        """
        return self._mean(by_vertex(self.wish.view.original, f)[self.index])

    def _value(self, values: Reals) -> float:
        """The mean without its error."""
        return ratio(values, self.weight if self.visits is None else self.weight * self.visits, None).value

    def _mean(self, values: Reals) -> Estimate:
        weight, batches = self.weight, self._batches
        if self.visits is None:
            return ratio(values, weight, self._weights.p)
        error = float("nan")
        if batches is not None:
            error = of_batches(batches @ (values * weight), batches @ weight).standard_error
        return Estimate(self._value(values), error)

    @lazy
    def _batches(self) -> Reals | None:
        """Visits to each vertex in consecutive parts of a walk, shape (parts, k): they tell its error.

        Many runs side by side do not keep them, which would take much memory: the run is walked again, alone.
        """
        from clgraph.device import get_device

        wish, drawn, run = self.wish, self._drawn, self._run
        if drawn.visits is not None and self._among_several:
            device = get_device() if drawn.listed is None else drawn.listed.device
            walks = frontier if wish.kind == "frontier" else walk
            with device.alone():
                drawn, run = walks.draw(device, wish.view, wish, self.seed, 1), 0
        if "batches" not in drawn.more:
            return None
        return drawn.more["batches"].of(run).reshape(-1, len(self.index)).astype(np.float64)

    @property
    def _among_several(self) -> bool:
        return len(self._drawn.vertices.offset) > 2

    def __getstate__(self) -> dict[str, Any]:
        if self._among_several:
            _ = self._batches  # there may be no device where it is unpickled
        return super().__getstate__()

    def distribution(self, f: Any) -> Distribution:
        """The share of the original's vertices with each value of f, estimated; only values that were met."""
        values = by_vertex(self.wish.view.original, f, numbers=False)[self.index]
        seen, share = self._shares(values)
        errors = [self._mean((values == each).astype(np.float64)).standard_error for each in seen]
        return Distribution(seen, share, np.array(errors))

    def _shares(self, values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Reals]:
        """The distribution without its errors."""
        seen = np.unique(values)
        return seen, np.array([self._value((values == each).astype(np.float64)) for each in seen])

    def total(self, f: Any) -> Estimate:
        """The sum of f over all vertices of the original, estimated.

        From the vertices' probabilities; where only ratios of them are known, n times the mean.
        """
        original = self.wish.view.original
        values = by_vertex(original, f)[self.index]
        p = self._weights.p
        if p is None:
            mean = self._mean(values)
            return Estimate(mean.value * original.num_vertices, mean.standard_error * original.num_vertices)
        return horvitz_thompson(values, p)

    def estimate(self, what: str, *, in_stream: bool = False) -> Estimate:
        """Of gsh and gps: the number of edges, wedges or triangles; see `Held.estimate`."""
        if self._drawn.held is None:
            raise InputError(f"estimate() is of gsh and gps, and this is a sample of {self.method}")
        return self._drawn.held[self._run].estimate(what, in_stream=in_stream)

    def recruited(self, f: Any, estimator: str = "SS") -> Distribution:
        """Of rds: the share of the original's vertices with each value of f.

        Parameters
        ----------
        f
            As in `mean`.
        estimator : {"SS", "II", "I"}
            By successive sampling (Gile 2011; `distribution` gives it), by degrees (Volz, Heckathorn 2008),
            or by who recruited whom, of two groups (Salganik, Heckathorn 2004). The latter two know no
            errors.
        """
        if self.method != "rds":
            raise InputError(f"recruited() is of rds, and this is a sample of {self.method}")
        word(estimator, "estimator", ("SS", "II", "I"))
        if estimator == "SS":
            return self.distribution(f)
        groups = by_vertex(self.wish.view.original, f, numbers=False)[self.index]
        degrees = view_degrees(self.wish, self.index)
        if estimator == "I":
            assert self._drawn.parent is not None
            parent = self._drawn.parent.of(self._run).astype(np.int64)
            own = np.where(parent < 0, self.index, parent)
            # recruiters that the cut of the last stage left out do not occur: they came before
            names, share = recruitment_shares(groups, degrees, np.searchsorted(self.index, own))
        else:
            names, place = np.unique(groups, return_inverse=True)
            share = np.bincount(place, weights=1 / degrees) / np.sum(1 / degrees)
        return Distribution(names, share, np.full(len(names), np.nan))

    def to_dict(self, *, hashes: bool = True) -> dict[str, Any]:
        """As `clgraph.Sample.to_dict`."""
        made = super().to_dict(hashes=hashes)
        made["weighting"] = self.weighting
        made["keep"] = self.wish.keep
        if self._drawn.held is not None:
            made |= estimates_of(self._drawn.held[self._run])
        return made

    def members(self, vertex: Any) -> npt.NDArray[Any]:
        """The vertex itself."""
        if self.wish.view.original.index([vertex])[0] not in self.index:
            raise InputError(f"vertex {vertex} is not in the sample")
        return np.asarray([vertex])


class DrawnPortion(Portion):
    """Samples of some runs and sizes; each is made when it is first asked for.

    Parameters
    ----------
    wishes : list of Request
        One for each size.
    drawn : list of list of (Drawn, int)
        For each size and run what it belongs to, and its number there.
    first : int
        The first run's seed.
    about : dict
        What all of them have.
    """

    def __init__(
        self, wishes: list[Request], drawn: list[list[tuple[Drawn, int]]], first: int, about: dict[str, Any]
    ) -> None:
        self._wishes, self._drawn, self._first, self._about = wishes, drawn, first, about
        self._made: dict[int, DrawnSample] = {}

    def __len__(self) -> int:
        return len(self._wishes) * len(self._drawn[0])

    def _sample(self, i: int) -> DrawnSample:
        if i not in self._made:
            run, size = divmod(i, len(self._wishes))
            about = {**self._about, "seed": self._first + run}
            self._made.setdefault(i, DrawnSample(self._wishes[size], *self._drawn[size][run], about))
        return self._made[i]

    def seed(self, i: int) -> int:
        return self._first + i // len(self._wishes)

    def collapse(self, i: int) -> None:
        return None  # these have as many vertices as were asked for, or say why not

    def size(self, i: int) -> Any:
        return self._wishes[i % len(self._wishes)].size


def twins(rows: Graph, arcs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The place of each arc's reverse in the rows of an undirected graph; of copies that of the same rank."""
    pairs = (rows.rows.astype(np.int64) << 32) | rows.col_idx
    own = pairs[arcs]
    copy = arcs - np.searchsorted(pairs, own)
    back = (own & 0xFFFFFFFF) << 32 | own >> 32
    made: npt.NDArray[np.int64] = np.searchsorted(pairs, back) + copy
    return made
