"""What a graph asks of a place besides the host: a device that holds its rows. No OpenCL here.

`clgraph.csr.upload` has the places on devices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

import numpy.typing as npt

Name = Literal["row_ptr", "col_idx", "weights", "multiplicity", "_ids"]
NAMES: tuple[Name, ...] = ("row_ptr", "col_idx", "weights", "multiplicity", "_ids")
View = Literal["reverse", "undirected", "simple"]


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

    def count_linked(self, graph: Any) -> int | None:
        """Number of vertices that have arcs; None where the host counts them."""

    def find_copies(self, graph: Any) -> bool | None:
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
    """A graph's arrays on a device: see `clgraph.Graph.on`."""

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
