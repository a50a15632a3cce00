"""Where a graph's arrays are: on the host, on devices, or both.

No OpenCL here: `clgraph.csr.upload` has what is on devices.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
import numpy.typing as npt

from clgraph import hooks
from clgraph.errors import DeviceError
from clgraph.graph.arrays import Arrays
from clgraph.graph.attributes import Attributes
from clgraph.lazy import lazy

Name = Literal["row_ptr", "col_idx", "weights", "multiplicity", "_ids"]
NAMES: tuple[Name, ...] = ("row_ptr", "col_idx", "weights", "multiplicity", "_ids")
View = Literal["reverse", "undirected", "without_self_loops"]


# A device's copy of a graph's arrays, or the only one: `clgraph.csr.upload.Residence`, which this floor does
# not know. `csr.n`, `csr.arcs`, `csr.offset` (the type of `row_ptr`) and `has(name)` need no array;
# `fetch(name)` brings one to the host. `view`, `some` (the vertices of a mask), `count`, `count_range` and
# `survey_weights` compute on the device, and give None where the host has to.
Residence = Any


class OnDevice(NamedTuple):
    """A graph's arrays on a device: see `clgraph.Graph.device_arrays`."""

    row_ptr: Any
    col_idx: Any
    weights: Any = None
    multiplicity: Any = None

    def __repr__(self) -> str:
        parts = [
            f"{name} {len(each)} {each.dtype}"
            for name, each in zip(self._fields, self, strict=True)
            if each is not None
        ]
        return f"<OnDevice: {', '.join(parts)}>"


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A view of an array that refuses changes."""
    if not array.flags.writeable:
        return array
    # a view, so that the caller's own array stays writeable
    view = array.view()
    view.flags.writeable = False
    return view


class ResidentArrays:
    """Arrays of a graph, each fetched from the device that has it at its first use.

    `_residence` has what the host lacks; without one, all arrays are on the host, or the graph is a view that
    can be built again from the graph that it remembers.
    """

    directed: bool
    attributes: Attributes | None = None  # of vertices and edges, by id; None where nothing is known of them
    _n: int
    _arcs: int
    _residence: Residence | None = None
    _copies: tuple[weakref.ref[Any], ...] = ()  # on devices, of what is on the host
    _origin: weakref.ref[Any] | None = None  # the graph that this is a view of
    _view: View

    def _take(self, arrays: Arrays) -> None:
        self._n, self._arcs, self.directed = len(arrays.row_ptr) - 1, len(arrays.col_idx), arrays.directed
        own = vars(self)
        for name in NAMES:
            array = getattr(arrays, "ids" if name == "_ids" else name)
            own[name] = None if array is None else read_only(array)
        if arrays.num_self_loops is not None:
            # set as the lazy property would, so that nothing is counted again
            own["num_self_loops"] = arrays.num_self_loops

    @classmethod
    def _from_arrays(cls, arrays: Arrays, attributes: Attributes | None = None) -> Self:
        """Build the graph of arrays that clgraph has made or checked itself: shared, not checked again.

        Arrays from elsewhere go through the constructor.
        """
        graph = cls.__new__(cls)
        graph._take(arrays)
        graph.attributes = attributes
        return graph

    @classmethod
    def _from_residence(cls, residence: Residence, *, directed: bool, **known: Any) -> Self:
        """Build the graph of rows on a device; `known` values (num_self_loops and the like) are stored."""
        graph = cls.__new__(cls)
        graph._n, graph._arcs, graph.directed = residence.csr.n, residence.csr.arcs, directed
        graph._residence = residence
        vars(graph).update({name: value for name, value in known.items() if value is not None})
        vars(graph).update({name: None for name in NAMES if not residence.has(name)})
        return graph

    # --- arrays -----------------------------------------------------------------------------------

    @lazy
    def row_ptr(self) -> npt.NDArray[Any]:
        """Offsets of the rows, shape (n + 1,); read-only."""
        return self._fetched("row_ptr")

    @lazy
    def col_idx(self) -> npt.NDArray[np.int32]:
        """Heads of the arcs, shape (arcs,); read-only."""
        return self._fetched("col_idx")

    @lazy
    def weights(self) -> npt.NDArray[np.float64] | None:
        """Weight of each arc, shape (arcs,), or None; read-only."""
        return self._fetched("weights")

    @lazy
    def multiplicity(self) -> npt.NDArray[np.int32] | None:
        """Number of parallel edges that each arc represents, shape (arcs,), or None; read-only."""
        return self._fetched("multiplicity")

    @lazy
    def _ids(self) -> npt.NDArray[Any] | None:
        return self._fetched("_ids")

    def _fetched(self, name: Name) -> Any:
        residence = self._residence or self._make_again()
        if residence is None:
            return vars(self)[name]
        try:
            array = residence.fetch(name)
        except DeviceError:
            # the device is lost: what was built from a graph that is still here can be built again
            if (origin := self._origin_graph()) is None:
                raise
            self._take(origin._made_on_host(self._view)._arrays)
            return vars(self)[name]
        return None if array is None else read_only(array)

    def _origin_graph(self) -> Any:
        return None if self._origin is None else self._origin()

    def _make_again(self) -> Residence | None:
        """Rebuild a view that was given up; None if the arrays are on the host."""
        if self.is_on_host or (origin := self._origin_graph()) is None:
            return None
        made = origin._made(self._view)
        self._residence = made._residence
        if self._residence is None:
            self._take(made._arrays)
        else:
            self._residence.settle(self)
        return self._residence

    @property
    def _arrays(self) -> Arrays:
        """The arrays of this graph on the host, shared with it."""
        return Arrays(
            self.row_ptr,
            self.col_idx,
            weights=self.weights,
            multiplicity=self.multiplicity,
            ids=self._ids,
            directed=self.directed,
            num_self_loops=vars(self).get("num_self_loops"),
        )

    @lazy
    def ids(self) -> npt.NDArray[Any]:
        """Original vertex ids in index order, shape (n,); made at the first look, read-only."""
        return read_only(np.arange(self._n, dtype=np.int64)) if self._ids is None else self._ids

    def _id_lookup(self) -> Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None:
        """Return what gives the ids of some vertices without holding the graph; None: indices are ids."""
        if self._has_identity_ids:
            return None
        residence = None if "_ids" in vars(self) else self._residence
        return self.ids.__getitem__ if residence is None else residence.id_lookup()

    @property
    def _has_identity_ids(self) -> bool:
        """True if every id is the vertex's own index; needs no array."""
        return not self._has("_ids")

    @property
    def is_weighted(self) -> bool:
        """True if arcs have weights; needs no array."""
        return self._has("weights")

    @property
    def _is_counted(self) -> bool:
        """True if there is a `multiplicity`; needs no array."""
        return self._has("multiplicity")

    def _has(self, name: Name) -> bool:
        own = vars(self)
        residence = None if name in own else self._residence or self._make_again()
        return own[name] is not None if residence is None else residence.has(name)

    @property
    def _offset_type(self) -> type:
        """Type of `row_ptr`, ``np.int32`` or ``np.int64``; needs no array."""
        residence = None if "row_ptr" in vars(self) else self._residence or self._make_again()
        return self.row_ptr.dtype.type if residence is None else residence.csr.offset

    # --- residences -------------------------------------------------------------------------------

    @property
    def is_on_host(self) -> bool:
        """True if all arrays are on the host (they may be on devices as well)."""
        own = vars(self)
        return all(name in own for name in NAMES)

    def _add_residence(self, residence: Residence) -> None:
        """Remember a device's copy of the graph's arrays."""
        if all(known() is not residence for known in self._copies):
            alive = (known for known in self._copies if known() is not None)
            self._copies = (*alive, weakref.ref(residence))

    def _drop_residence(self, residence: Residence) -> bool:
        """Give up a device's copy unless it alone has the graph's arrays; return whether it was given up."""
        if self._residence is residence:
            if not self.is_on_host and self._origin_graph() is None:
                return False
            self._residence = None
        self._copies = tuple(known for known in self._copies if known() not in (None, residence))
        return True

    def _residences(self) -> list[Residence]:
        found = (self._residence, *(known() for known in self._copies))
        return list({id(each): each for each in found if each is not None}.values())

    def _views(self) -> dict[str, Any]:
        """The views made so far, other than the graph itself."""
        own = vars(self)
        return {name: own[name] for name in get_args(View) if own.get(name, self) is not self}

    def memory_usage(self) -> dict[str, dict[str, int]]:
        """Return how many bytes the graph takes, and where.

        Returns
        -------
        dict
            ``"host"`` and the devices that have something of it, by name; for each of them bytes by array.
            What belongs to `reverse`, `undirected` and `without_self_loops` is listed under their names.

        Examples
        --------
        >>> from clgraph import Graph
        >>> Graph.from_edges([0, 1], [1, 2]).memory_usage()
        {'host': {'row_ptr': 16, 'col_idx': 16}}
        """
        own = vars(self)
        on_host = {
            name.lstrip("_"): own[name].nbytes
            for name in (*NAMES, "ids")
            if own.get(name) is not None and (name != "ids" or own.get("_ids") is None)
        }
        found: dict[str, dict[str, int]] = {"host": on_host} if on_host else {}
        for residence in self._residences():
            if sizes := residence.sizes(self):
                found.setdefault(residence.where, {}).update(sizes)
        for view, graph in self._views().items():
            for where, sizes in graph.memory_usage().items():
                found.setdefault(where, {}).update({f"{view}: {name}": n for name, n in sizes.items()})
        return found

    def device_arrays(self, device: Any = None) -> OnDevice:
        """Return the graph's arrays on a device, for kernels of your own; upload what is not there yet.

        Parameters
        ----------
        device : Device, str, or a device, context or queue of pyopencl, optional
            As in `clgraph.get_device`.

        Returns
        -------
        OnDevice
            `row_ptr`, `col_idx`, `weights`, `multiplicity`: each a ``pyopencl.array.Array`` on the device's
            queue, not copied, or None. They live as long as you hold them; nothing may write to them.

        Examples
        --------
        >>> import clgraph
        >>> graph = clgraph.Graph.from_edges([0, 1], [1, 2])
        >>> graph.device_arrays("cpu").row_ptr.get()
        array([0, 1, 3, 4], dtype=int32)
        """
        found: OnDevice = hooks.arrays_on(device, self)
        return found

    def free(self, device: Any = None) -> None:
        """Free the memory that a device uses for the graph.

        Arrays that only the device has are brought to the host first; views of the graph that only it has
        are recomputed when they are next used.

        Parameters
        ----------
        device : Device or str, optional
            As in `clgraph.get_device`; None: all devices.
        """
        for name, graph in self._views().items():
            if graph.is_on_host:  # else forgetting it is cheaper than bringing it to the host
                graph.free(device)
            elif any(residence.is_on(device) for residence in graph._residences()):
                del vars(self)[name]
        for residence in self._residences():
            if residence.is_on(device):
                if residence is self._residence:
                    # what only the device has comes to the host first
                    self._arrays  # noqa: B018
                residence.free(self)
