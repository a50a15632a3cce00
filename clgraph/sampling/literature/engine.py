"""Runs of a sampler side by side: what all samplers of the literature have, and the order of their vertices.

Host half of ``cl/sampling/literature/items.cl``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from clgraph.components.finder import graph_components
from clgraph.csr.sort import sort_by_words
from clgraph.sampling.literature.selection import gathered, marked_arcs
from clgraph.sampling.literature.smallest import Column
from clgraph.sampling.literature.view import View, device_tables
from clgraph.sampling.members import Members
from clgraph.sampling.selection import Selection

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Graph
    from clgraph.sampling.request import Request

NOBODY = 2**31 - 1
UNSEEN = 2**32 - 1
# words of `items_words`
PRIORITY, RUN, COMPONENT, VALUE, DEGREE, GIVEN = (0, 1), 2, (3, 4), (5, 6), 7, 8


class Engine:
    """Runs with the seeds `seed`, `seed` + 1, ... of one method, side by side on a device.

    Attributes have the names of kernels' parameters, which are taken from them (`Kernel.launch`). The
    vertices of all runs are items: vertex v of run r is item r * n + v.

    Attributes
    ----------
    n, arcs, all : int
        Vertices and arcs of the view; items.
    given, starts, pool_size, pool
        Where runs begin, after `find_starts`: vertices that the user gave, else those to draw the first of.
    going : int32 device buffer, shape (1,)
        What `counting` counts in.
    """

    # bytes that a run takes for each of these, roughly
    vertex_bytes: ClassVar[int] = 0
    arc_bytes: ClassVar[int] = 0
    visited_bytes: ClassVar[int] = 0  # of each arc, where visited edges are kept
    walker_bytes: ClassVar[int] = 0

    def __init__(self, device: Device, view: View, request: Request, seed: int, runs: int) -> None:
        self.device, self.view, self.request, self.seed, self.runs = device, view, request, seed, runs
        self.csr = csr = view.csr(device)
        self.n, self.arcs, self.all, self.items = csr.n, csr.arcs, runs * csr.n, device.tuning.items
        self.row_ptr, self.col_idx, self.table = csr.row_ptr, csr.col_idx, device_tables(device)
        self.going = device.empty(1, np.int32)
        # a launch over the vertices of each run
        self.passes = self.flat(self.n), runs
        # columns by which `sorted` may sort
        self.label = self.high = self.low = None

    def draw(self) -> Selection:
        """Draw all runs."""
        raise NotImplementedError

    @classmethod
    def bytes_per_run(cls, view: View, request: Request) -> int:
        """Return the device memory that one run takes, roughly."""
        arc_bytes = cls.arc_bytes + cls.visited_bytes * (request.keep == "visited")
        return cls.vertex_bytes * view.n + arc_bytes * view.rows.num_arcs + cls.walker_bytes * request.walkers

    # --- memory and launches ----------------------------------------------------------------------

    def reserve(self, **more: int) -> None:
        """Check that the runs, and `more` bytes by name, fit the device."""
        self.device.reserve({"runs": self.runs * self.bytes_per_run(self.view, self.request), **more})

    def filled(self, value: int, kind: type = np.int32) -> Any:
        """Return a buffer of a value for each item."""
        buffer = self.device.empty(self.all, kind)
        self.device.fill(buffer, kind(value), self.all)
        return buffer

    def each_run(self, value: int, kind: type = np.int32) -> Any:
        """Return a buffer of a value for each run."""
        buffer = self.device.empty(self.runs, kind)
        self.device.fill(buffer, kind(value), self.runs)
        return buffer

    def program(self, name: str, *, serial: bool = False, **variant: Any) -> Program:
        """Build kernels of the literature; `serial`: a work-item takes one run, or part, and not several."""
        # a chain of steps is a run's own: with several to a work-item cores would stand idle
        items = {} if serial else {"ITEMS": self.items}
        return self.device.program(f"sampling/literature/{name}", **items, **variant, **self.csr.defines)

    def flat(self, count: int) -> int:
        """Return the work-items of a launch over `count` entries."""
        return -(-count // self.items)

    def counting(self, kernel: Any, size: Any, **named: Any) -> int:
        """Launch a kernel that counts in `going`; return what it has counted."""
        self.device.clear(self.going, 1, np.int32)
        kernel.launch(self, size, **named)
        return int(self.device.download(self.going, np.int32, 1)[0])

    def find_starts(self, *, pooled: bool = True) -> None:
        """Upload the starts that were given; without any, `pooled`, one of the largest component is first."""
        starts, self.starts = self.request.start, None
        self.given, self.pool, self.pool_size = 0 if starts is None else len(starts), None, 0
        if starts is not None:
            self.starts = self.device.upload(np.array(starts, np.int32), writable=True)
        elif pooled:
            self.pool, self.pool_size = pool_of(self.device, self.view.original)

    # --- vertices in an order ---------------------------------------------------------------------

    def sorted(
        self, *words: int, place: Any = None, value: Any = None, given: Any = None, most: int = 0
    ) -> Any:
        """Sort items by words that ``items.cl`` numbers, the last one before all others: int32 device buffer.

        Equal ones stay as in the order `place`, or by run and index. `most` is the largest of `given`.
        """
        longest = int(self.view.degrees.max(initial=0)) if DEGREE in words else 0
        bits = {RUN: self.runs - 1, GIVEN: most, DEGREE: longest}
        kernel = self.program("items").items_words
        named = {"many": self.all, "value": value, "given": given, "longest": longest}
        widths = [(word, bits.get(word, UNSEEN).bit_length()) for word in words]
        return sort_by_words(self.device, kernel, self.all, widths, kernel.arguments_of(self) | named, place)

    def ranks(self, place: Any, *, of_all: bool = False) -> Any:
        """Return the position of each item in an order, within its run or `of_all`: int32 device buffer."""
        rank = self.device.empty(self.all, np.int32)
        length = self.all if of_all else self.n
        kernel = self.program("items").items_rank
        kernel(self.flat(self.all), many=self.all, length=length, place=place, rank=rank)
        return rank

    # --- after ------------------------------------------------------------------------------------

    def gathered(self, vertices: Column, values: Any) -> Column | None:
        """Gather the values of the vertices drawn, if there are any."""
        return None if values is None else gathered(vertices, self.n, values)

    def marked(self, marks: Any) -> Column | None:
        """List the arcs that have a mark, if arcs are marked."""
        return None if marks is None else marked_arcs(self.device, self.runs, self.arcs, marks)


def pool_of(device: Device, graph: Graph) -> tuple[Any, int]:
    """Return the vertices of the largest (weak) component, ascending, on a device; and how many."""
    rows = graph.undirected.without_self_loops

    def make() -> tuple[Any, int]:
        largest = graph_components(device, rows).largest()
        n = rows.num_vertices
        number = device.empty(n, np.int32)
        found: tuple[Any, int] = Members(device).number(n, largest.label, largest.root, None, number)
        return found

    return device.cached(rows, "largest component's vertices", make)


DIED_OUT = "it died out"  # by which a study knows such notes


def died_out(drawn: Selection, further: npt.NDArray[np.int64]) -> Selection:
    """Return a selection with the number of starts of each run; a note names the further ones."""
    notes: list[tuple[str, ...]] = [
        (f"{DIED_OUT}, and {each} further starts were made",) if each > 0 else () for each in further.tolist()
    ]
    return replace(drawn, notes=notes, rounds=np.maximum(further, 0) + 1)
