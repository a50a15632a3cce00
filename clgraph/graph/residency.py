"""Where a graph's arrays are: on the host, in another place (a device that holds its rows), or both.

No OpenCL here: `clgraph.csr.upload` has the places on devices.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol, Self

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


class Place(Protocol):
    """Where a graph's rows are, if not (or not only) on the host; each `graph` here is a `clgraph.Graph`.

    Attributes
    ----------
    where : str
        The device, as a person names it.
    num_vertices, num_arcs : int
    """

    @property
    def where(self) -> str:
        """The device, as a person names it."""

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""

    @property
    def num_arcs(self) -> int:
        """Number of stored arcs."""

    @property
    def offset(self) -> type:
        """``np.int32`` or ``np.int64``: the type of `row_ptr`."""

    def has(self, name: Name) -> bool:
        """Whether the graph has this array: known without a look at it."""

    def fetch(self, name: Name) -> npt.NDArray[Any] | None:
        """An array's form for the host: copied, or shared where the device works in the host's memory."""

    def naming(self) -> Callable[[npt.NDArray[Any]], npt.NDArray[Any]]:
        """What gives the ids of some vertices, by index."""

    def count_loops(self, graph: Any) -> int | None:
        """Number of arcs from a vertex to itself; None where the host counts them."""

    def count_nonisolated(self, graph: Any) -> int | None:
        """Number of vertices that have arcs; None where the host counts them."""

    def find_parallel(self, graph: Any) -> bool | None:
        """Whether some row names a vertex twice; None where the host finds out."""

    def count_range(self) -> tuple[int, int] | None:
        """The smallest and the largest multiplicity; None where the host finds out."""

    def view(self, graph: Any, view: View) -> Any:
        """A graph made of this one, in this place; None where the host makes it."""

    def some(self, graph: Any, vertices: npt.NDArray[Any]) -> Any:
        """The vertices of a mask and the arcs between them; None where the host makes it."""

    def settle(self, graph: Any) -> None:
        """Become a place of a graph with these rows."""

    def is_on(self, device: Any) -> bool:
        """Whether this is a device as `clgraph.get_device` takes it; None: any."""

    def held(self, graph: Any) -> dict[str, int]:
        """Bytes that the device holds for the graph, by what they are."""

    def free(self, graph: Any) -> None:
        """Give back what the device holds for the graph and can be made again."""


class OnDevice(NamedTuple):
    """A graph's arrays on a device: see `clgraph.Graph.device_arrays`."""

    row_ptr: Any
    col_idx: Any
    weights: Any = None
    multiplicity: Any = None

    def __repr__(self) -> str:
        held = [
            f"{name} {len(each)} {each.dtype}"
            for name, each in zip(self._fields, self, strict=True)
            if each is not None
        ]
        return f"<OnDevice: {', '.join(held)}>"


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A view of an array that refuses changes."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


class Placed:
    """Arrays of a graph, each fetched from the device that has it at its first use.

    `_residence` has what the host lacks; without one, all arrays are on the host, or the graph is a view that
    can be built again from the graph that it remembers.
    """

    directed: bool
    attributes: Attributes | None = None  # of vertices and edges, by id; None where nothing is known of them
    _n: int
    _arcs: int
    _residence: Place | None = None
    _known: tuple[weakref.ref[Any], ...] = ()  # other places, which what is on the host has been copied to
    _origin: tuple[weakref.ref[Any], View] | None = None

    def _take(self, arrays: Arrays) -> None:
        self._n, self._arcs, self.directed = len(arrays.row_ptr) - 1, len(arrays.col_idx), arrays.directed
        own = vars(self)
        for name in NAMES:
            array = getattr(arrays, "ids" if name == "_ids" else name)
            own[name] = None if array is None else read_only(array)
        if arrays.num_self_loops is not None:
            own["num_self_loops"] = arrays.num_self_loops  # what the lazy value would count

    @classmethod
    def _from_arrays(cls, arrays: Arrays, attributes: Attributes | None = None) -> Self:
        """The graph of some arrays that clgraph has made or checked itself: shared, and not checked again.

        Arrays from elsewhere go through the constructor.
        """
        graph = cls.__new__(cls)
        graph._take(arrays)
        graph.attributes = attributes
        return graph

    @classmethod
    def _from_residence(cls, place: Place, *, directed: bool, **known: Any) -> Self:
        """The graph of rows that are in some place; `known` values (num_self_loops and the like) are kept."""
        graph = cls.__new__(cls)
        graph._n, graph._arcs, graph.directed = place.num_vertices, place.num_arcs, directed
        graph._residence = place
        vars(graph).update({name: value for name, value in known.items() if value is not None})
        vars(graph).update({name: None for name in NAMES if not place.has(name)})
        return graph

    # --- arrays -----------------------------------------------------------------------------------

    @lazy
    def row_ptr(self) -> npt.NDArray[Any]:
        """Where each row begins, shape (n + 1,); read-only."""
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
        """How many parallel edges each arc represents, shape (arcs,), or None; read-only."""
        return self._fetched("multiplicity")

    @lazy
    def _ids(self) -> npt.NDArray[Any] | None:
        return self._fetched("_ids")

    def _fetched(self, name: Name) -> Any:
        home = self._residence or self._make_again()
        if home is None:
            return vars(self)[name]
        try:
            array = home.fetch(name)
        except DeviceError:
            if self._origin_graph() is None:
                raise
            again = self._origin_graph()._made_on_host(self._origin[1])  # type: ignore[index]
            self._take(again._arrays)
            return vars(self)[name]
        return None if array is None else read_only(array)

    def _made_on_host(self, view: View) -> Any:
        raise NotImplementedError

    def _made(self, view: View) -> Any:
        raise NotImplementedError

    def _origin_graph(self) -> Any:
        return None if self._origin is None else self._origin[0]()

    def _make_again(self) -> Place | None:
        """Make a view again that was given up; None if the arrays are on the host."""
        origin = self._origin_graph()
        if origin is None or self.is_on_host:
            return None
        made = origin._made(self._origin[1])  # type: ignore[index]
        self._residence = made._residence
        if made._residence is None:
            self._take(made._arrays)
        else:
            made._residence.settle(self)
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
        """What gives the ids of some vertices, by index, without holding the graph; None: indices are ids."""
        if self._has_identity_ids:
            return None
        home = None if "_ids" in vars(self) else self._residence
        return self.ids.__getitem__ if home is None else home.naming()

    @property
    def _has_identity_ids(self) -> bool:
        """Whether every id is the vertex's own index; needs no array."""
        return not self._has("_ids")

    @property
    def is_weighted(self) -> bool:
        """Whether arcs have weights; needs no array."""
        return self._has("weights")

    @property
    def _is_counted(self) -> bool:
        """Whether there is a `multiplicity`; needs no array."""
        return self._has("multiplicity")

    def _has(self, name: Name) -> bool:
        own = vars(self)
        if name in own:
            return own[name] is not None
        home = self._residence or self._make_again()
        return own[name] is not None if home is None else home.has(name)

    @property
    def _offset_type(self) -> type:
        """Type of `row_ptr`, ``np.int32`` or ``np.int64``; needs no array."""
        row_ptr = vars(self).get("row_ptr")
        if row_ptr is None and (home := self._residence or self._make_again()):
            return home.offset
        return np.int64 if self.row_ptr.dtype == np.int64 else np.int32

    # --- places -----------------------------------------------------------------------------------

    @property
    def is_on_host(self) -> bool:
        """Whether all arrays are on the host (they may be on devices as well)."""
        own = vars(self)
        return all(name in own for name in NAMES)

    def _add_residence(self, place: Place) -> None:
        """Remember a place that has a copy of the graph's arrays."""
        here = [known for known in self._known if known() is not None]
        if all(known() is not place for known in here):
            self._known = (*here, weakref.ref(place))

    def _drop_residence(self, place: Place) -> bool:
        """Give up a place unless it alone has the graph's arrays; whether it was given up."""
        if self._residence is place:
            if not self.is_on_host and self._origin_graph() is None:
                return False
            self._residence = None
        self._known = tuple(known for known in self._known if known() not in (None, place))
        return True

    def _places(self) -> list[Place]:
        places = (self._residence, *(known() for known in self._known))
        return list({id(place): place for place in places if place is not None}.values())

    def _views(self) -> dict[str, Any]:
        """The views made so far, other than the graph itself."""
        own = vars(self)
        views = ("reverse", "undirected", "without_self_loops")
        return {name: own[name] for name in views if own.get(name, self) is not self}

    def memory_usage(self) -> dict[str, dict[str, int]]:
        """What is held for the graph and where.

        Returns
        -------
        dict
            ``"host"`` and the devices that hold something, by name; for each of them bytes by what they are.
            What belongs to `reverse`, `undirected` and `without_self_loops` is listed under their names.

        Examples
        --------
        >>> from clgraph import Graph
        >>> Graph.from_edges([0, 1], [1, 2]).memory_usage()
        {'host': {'row_ptr': 16, 'col_idx': 16}}
        """
        own = vars(self)
        there = {
            name.lstrip("_"): own[name].nbytes
            for name in (*NAMES, "ids")
            if own.get(name) is not None and (name != "ids" or own.get("_ids") is None)
        }
        found: dict[str, dict[str, int]] = {"host": there} if there else {}
        for place in self._places():
            if held := place.held(self):
                found.setdefault(place.where, {}).update(held)
        for view, graph in self._views().items():
            for where, held in graph.memory_usage().items():
                found.setdefault(where, {}).update({f"{view}: {name}": n for name, n in held.items()})
        return found

    def device_arrays(self, device: Any = None) -> OnDevice:
        """The graph's arrays on a device, for kernels of your own; uploaded if they are not there yet.

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
        """Give back what a device holds for the graph.

        What only the device has is brought to the host first; views of the graph that are only there are
        made again when they are asked for.

        Parameters
        ----------
        device : Device or str, optional
            As in `clgraph.get_device`; None: all devices.
        """
        for name, graph in self._views().items():
            if graph.is_on_host:
                graph.free(device)
            elif any(place.is_on(device) for place in graph._places()):
                del vars(self)[name]
        for place in self._places():
            if place.is_on(device):
                if place is self._residence:
                    self._arrays  # noqa: B018
                place.free(self)
