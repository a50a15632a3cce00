"""What a sampler of the literature draws, packed: many runs in flat arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.lazy import lazy
from clgraph.sampling.literature.held import Held

if TYPE_CHECKING:
    from clgraph.device import Device

UInts = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class There:
    """Values on a device.

    Attributes
    ----------
    device : Device
    buffer : device buffer
    dtype
    offset : int64 array, shape (runs + 1,)
        Where those of each run begin.
    """

    device: Device
    buffer: Any
    dtype: npt.DTypeLike
    offset: npt.NDArray[np.int64]


class Packed:
    """Values of several runs, one after the other: run r's are ``values[offset[r]:offset[r + 1]]``.

    Parameters
    ----------
    offset : int64 array, shape (runs + 1,)
    values : array, or a function that gives it
        It is called when the values are first looked at: until then they stay on a device.

    Attributes
    ----------
    there : There, or None
        The values on the device (of edges perhaps both arcs of each).
    """

    def __init__(
        self, offset: npt.NDArray[np.int64], values: npt.NDArray[Any] | Callable[[], npt.NDArray[Any]]
    ) -> None:
        self.offset, self._source = offset, values
        self.there: There | None = None

    @lazy
    def values(self) -> npt.NDArray[Any]:
        """The values of all runs."""
        source = self._source
        if callable(source):
            source = self._source = source()  # what it held on the device is free now
        return source

    def of(self, run: int) -> npt.NDArray[Any]:
        """Those of one run, not copied."""
        found: npt.NDArray[Any] = self.values[self.offset[run] : self.offset[run + 1]]
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Packed, (self.offset, self.values)

    @staticmethod
    def on(device: Device, offset: npt.NDArray[np.int64], buffer: Any, dtype: npt.DTypeLike) -> Packed:
        """Values that stay on a device until they are looked at."""

        def fetch() -> npt.NDArray[Any]:
            with device.alone():
                return device.download(buffer, dtype, int(offset[-1]))

        made = Packed(offset, fetch)
        made.there = There(device, buffer, dtype, offset)
        return made

    @staticmethod
    def of_parts(parts: list[npt.NDArray[Any]]) -> Packed:
        """One part a run."""
        offset = np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int64)
        return Packed(offset, np.concatenate(parts) if parts else np.zeros(0, np.int32))


@dataclass(frozen=True)
class Drawn:
    """What some runs of one sampler drew; vertices by index, ascending in each run.

    Attributes
    ----------
    vertices : Packed of int32
        Empty where only arcs are listed: the sample's vertices are then the ends of its arcs.
    came : Packed of unsigned integers, or None
        When each vertex came; of equal ones the smaller index comes first, of a stage the smaller priority.
    cut : uint64 array, shape (runs,), or None
        Of races: the key of the first item left out, NONE where none was.
    arcs : Packed, or None
        Places of the edges drawn in the rows of the view, at the smaller end. None: all edges among the
        vertices.
    parent : Packed of int32, or None
        The vertex from which each vertex was first reached, -1 for starts.
    visits : Packed of integers, or None
    more : dict
        Further Packed values of a method, by name.
    notes : list of tuple of str
        Of each run.
    rounds : int64 array, shape (runs,), or None
        Of walks: legs; of searches: starts.
    held : list of Held, or None
        Of streams: what each run holds, in the order of `arcs`.
    listed : Listed, or None
        `vertices` on the device.
    walking : float
        Of walks: seconds of the steps alone.
    """

    vertices: Packed
    came: Packed | None = None
    cut: UInts | None = None
    arcs: Packed | None = None
    parent: Packed | None = None
    visits: Packed | None = None
    more: dict[str, Packed] = field(default_factory=dict)
    notes: list[tuple[str, ...]] = field(default_factory=list)
    rounds: npt.NDArray[np.int64] | None = None
    held: list[Held] | None = None
    listed: Any = None
    walking: float = 0.0

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "listed": None}
