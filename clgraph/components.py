"""Connected components on a device: host half of ``cl/components.cl`` and ``cl/components_rank.cl``."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.program import Program

Connection = Literal["weak", "strong"]

LONG_ROW = 64  # GPUs: a row with more slots is left to work-groups,
PIECE = 1024  # which take it in pieces of so many
NUMBERS = 65536  # what a 16-bit key tells apart


@dataclass(frozen=True)
class Components:
    """The connected components of a graph, numbered by decreasing size.

    Attributes
    ----------
    labels : int32 array, shape (n,)
        Component of each vertex: 0 is the largest; of equal ones the one with the smallest vertex comes first.
    sizes : int64 array, shape (count,)
        Vertices of each component, descending.
    connection : {"weak", "strong"}
    seconds : dict of float
        Time by phase: "upload" (0 where the graph was there already), "components", "ranking", "download".
    device : str
        Name of the device.
    """

    labels: npt.NDArray[np.int32]
    sizes: npt.NDArray[np.int64]
    connection: Connection = "weak"
    seconds: dict[str, float] = field(default_factory=dict)
    device: str = ""

    @property
    def count(self) -> int:
        """Number of components."""
        return len(self.sizes)

    @property
    def largest(self) -> npt.NDArray[np.bool_]:
        """Which vertices form the largest component, shape (n,)."""
        return self.labels == 0


def connected_components(
    graph: Graph, *, connection: Connection = "weak", device: Device | str | None = None
) -> Components:
    """Connected components of a graph.

    Weak components (of an undirected graph: its components) come from linking and compressing, "Afforest"
    [1]_; strong ones from trimming, one forward-backward search from a pivot, and coloring with random
    priorities (`clgraph.strong_components`).

    Parameters
    ----------
    graph : Graph
    connection : {"weak", "strong"}
        What connects two vertices of a directed graph: a path that may use arcs against their direction, or
        a directed path either way.
    device : Device or str, optional
        As in `clgraph.get_device`.

    Returns
    -------
    Components

    Raises
    ------
    InputError
        If `connection` is neither word.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    References
    ----------
    .. [1] M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph
       Sampling", IPDPS 2018.

    Examples
    --------
    >>> from clgraph import Graph, connected_components
    >>> found = connected_components(Graph.from_edges([0, 1, 3], [1, 2, 4]))
    >>> found.labels, found.sizes
    (array([0, 0, 0, 1, 1], dtype=int32), array([3, 2]))
    """
    _check(connection)
    from clgraph.device import get_device

    dev = get_device(device)
    n = graph.num_vertices
    if n == 0:
        return Components(np.empty(0, np.int32), np.empty(0, np.int64), connection, {}, dev.name)
    seconds: dict[str, float] = {}
    start = time.perf_counter()
    label, finder = _labels(dev, graph, connection, seconds)
    ranked = time.perf_counter()
    sizes = finder.rank(label)
    dev.finish()
    seconds["ranking"] = time.perf_counter() - ranked
    back = time.perf_counter()
    labels = dev.download(label, np.int32, n)
    seconds["download"] = time.perf_counter() - back
    seconds["total"] = time.perf_counter() - start
    return Components(labels, sizes, connection, seconds, dev.name)


def largest_component(
    graph: Graph, *, connection: Connection = "weak", device: Device | str | None = None
) -> Graph:
    """The largest connected component as a graph of its own, found on a device.

    A tie goes to the component that holds the smallest vertex index. Ids, weights and multiplicities stay with
    the vertices and edges that stay. Parameters and errors are those of `connected_components`.

    Examples
    --------
    >>> from clgraph import Graph, largest_component
    >>> largest_component(Graph.from_edges([0, 1, 3], [1, 2, 4])).ids
    array([0, 1, 2])
    """
    _check(connection)
    if graph.num_vertices == 0:
        return graph
    from clgraph.device import get_device

    dev = get_device(device)
    label, finder = _labels(dev, graph, connection, {})
    root, size, _ = finder.largest_label(label)
    if size == graph.num_vertices:
        return graph
    return graph.subgraph(dev.download(label, np.int32, graph.num_vertices) == root)


def _check(connection: str) -> None:
    if connection not in ("weak", "strong"):
        raise InputError(f"connection is {connection!r}: use 'weak' or 'strong'")


def _labels(dev: Device, graph: Graph, connection: str, seconds: dict[str, float]) -> tuple[Any, GiantFinder]:
    """Smallest vertex of every vertex's component, on the device."""
    from clgraph.copra import upload_csr

    start = time.perf_counter()
    csr = upload_csr(dev, graph)
    strong = connection == "strong" and graph.directed
    if strong:
        upload_csr(dev, graph.reverse)
    dev.finish()
    seconds["upload"] = time.perf_counter() - start
    start = time.perf_counter()
    label = dev.empty(csr.n, np.int32)
    finder = GiantFinder(dev, csr.n, csr.arcs, wide=csr.offset is np.int64)
    if strong:
        from clgraph.strong_components import StrongFinder

        long_row = LONG_ROW if dev.kind == "gpu" else None
        StrongFinder(dev, graph, long_row=long_row, piece=PIECE).labels_into(label)
        finder.sample(label)
    else:
        finder.labels_into(csr.row_ptr, csr.row_ptr, csr.col_idx, label, one_way=graph.directed)
    dev.finish()
    seconds["components"] = time.perf_counter() - start
    return label, finder


class GiantFinder:
    """Components, and the largest of them, of adjacency rows on a device; made once, used many times.

    The rows are a CSR, or the COPRA arrays with dead slots. The label of a vertex comes out as the smallest
    vertex of its component, -1 where the vertex is not there.

    Parameters
    ----------
    device : Device
    n : int
        Vertices, at least 1.
    slots : int
        Length of the neighbour array.
    copra : bool
        The rows are COPRA arrays: ``v_start[v] < 0`` is a removed vertex, ``edges[e] < 0`` a dead slot.
        Otherwise `labels_into` takes ``row_ptr`` for both `v_start` and `v_end`.
    masked : bool
        The caller fills the label buffer beforehand: -1 for a vertex that is not there, anything >= 0 for one
        that is. Arcs to and from vertices that are not there are passed over.
    arc_key : {None, "uint", "ulong"}
        Type of `labels_into`'s arc keys, if there are any.
    wide : bool
        Whether offsets are 64-bit integers.
    long_row, piece : int, optional
        Rows with more slots are cut into pieces for work-groups (default: on GPUs only).

    Attributes
    ----------
    scratch : device buffer, int32 (n,)
        Free to use between two calls.
    state : device buffer, int32 (4,)
        As in the head of ``cl/components.cl``.
    """

    def __init__(
        self,
        device: Device,
        n: int,
        slots: int,
        *,
        copra: bool = False,
        masked: bool = False,
        arc_key: Literal["uint", "ulong"] | None = None,
        wide: bool = False,
        long_row: int | None = None,
        piece: int = PIECE,
    ) -> None:
        self.device, self.n = device, n
        self._key_type = None if arc_key is None else {"uint": np.uint32, "ulong": np.uint64}[arc_key]
        defines: dict[str, Any] = {"ITEMS": device.tuning.items, "OFFSET": "long" if wide else "int", "END_SHIFT": int(not copra)}
        if copra:
            defines["HAS_DEAD"] = 1
        if masked:
            defines["MASKED"] = 1
        if arc_key is not None:
            defines["ARC_KEY"] = arc_key
        if long_row is None and device.kind == "gpu":
            long_row = LONG_ROW
        self._capacity = 0
        if long_row is not None:
            defines |= {"LONG_ROW": long_row, "PIECE": piece}
            # a long row has more than long_row slots and takes one piece more than it fills
            self._capacity = slots // long_row + slots // piece + 1
        self._defines = defines
        device.reserve({"label": 4 * n, "scratch": 4 * n, "queue": 8 * self._capacity})
        self.scratch = device.empty(n, np.int32)
        self.state = device.empty(4, np.int32)
        self._queue = device.empty(max(2 * self._capacity, 1), np.int32)
        self._block = 64 if device.kind == "gpu" else 2048
        self._blocks = -(-n // self._block)

    @property
    def _program(self) -> Program:
        return self.device.program("components", **self._defines)

    @property
    def _rank_program(self) -> Program:
        return self.device.program("components_rank", BLOCK=self._block, ITEMS=self.device.tuning.items)

    @property
    def _passes(self) -> int:
        """Work-items of a pass over all vertices."""
        return -(-self.n // self.device.tuning.items)

    def labels_into(
        self,
        v_start: Any,
        v_end: Any,
        edges: Any,
        label: Any,
        *,
        one_way: bool = False,
        arc_key: Any = None,
        threshold: int = 0,
    ) -> None:
        """Fill `label` with each vertex's component. Enqueues kernels and does not wait.

        Parameters
        ----------
        v_start, v_end, edges : device buffers
            The rows; for a plain CSR ``row_ptr, row_ptr, col_idx``.
        label : device buffer, int32 (n,)
        one_way : bool
            An arc may stand in the row of its tail alone (a directed graph): then no row can be passed over.
        arc_key : device buffer (slots,), optional
            With the `arc_key` option: arc e is there iff ``arc_key[e] >= threshold``. Both arcs of an edge
            must have one key.
        threshold : int
        """
        program, passes, n = self._program, self._passes, np.int32(self.n)
        keys = () if self._key_type is None else (arc_key, self._key_type(threshold))
        rows = (v_start, v_end, edges)
        capacity = np.int32(self._capacity)
        self.device.fill(self.state, np.int32(0), 4)
        program.components_init(passes, n, v_start, label)
        program.components_start(passes, n, *rows, label, self.scratch, *keys)
        program.components_compress(passes, n, label)
        program.components_link(passes, n, self.scratch, label)
        program.components_compress(passes, n, label)
        self.sample(label)
        skip = np.int32(not one_way)
        program.components_rest(passes, n, *rows, label, self.state, skip, self._queue, capacity, *keys)
        if self._capacity:
            width = min(self.device.tuning.local_size, program.components_long.limit)
            groups = min(self._capacity, 16 * self.device.compute_units)
            program.components_long.exact(
                groups * width, *rows, label, self.state, self._queue, capacity, *keys, local=width
            )  # fmt: skip
        program.components_finish(passes, n, label, self.state)

    def sample(self, label: Any) -> None:
        """Note the likely giant of labels that something else made, for `largest_label` and `rank`."""
        kernel = self._program.components_sample
        width = min(256, kernel.limit) if self.device.kind == "gpu" else 1
        kernel.exact(width, np.int32(self.n), label, self.state, local=width)

    def largest_label(self, label: Any) -> tuple[int, int, int]:
        """The largest component of what `labels_into` found.

        Returns
        -------
        root, size, present : int
            Its smallest vertex, its vertices, and the number of vertices that are there; (-1, 0, 0) if none
            is. A tie goes to the component with the smallest vertex.
        """
        self._count(label, everything=False)
        state = self.device.download(self.state, np.int32, 4)
        seed, members, present = int(state[0]), int(state[1]), int(state[2])
        if present == 0:
            return -1, 0, 0
        if 2 * members > present:  # no other component can be as large
            return int(self.device.download(label, np.int32, 1, offset=seed)[0]), members, present
        self._count(label, everything=True)
        best = self.device.empty(2 * self._blocks, np.int32)
        self._rank_program.largest_blocks(
            self._blocks, np.int32(self.n), np.int32(self._blocks), label, self.scratch, best
        )  # fmt: skip
        root, size = self.device.download(best, np.int32, 2 * self._blocks).reshape(-1, 2).T
        winner = int(np.argmax(size))  # the first of equals, and blocks ascend
        return int(root[winner]), int(size[winner]), present

    def _count(self, label: Any, *, everything: bool) -> None:
        """Size of the sampled giant and number of vertices; with `everything`, all sizes less one in `scratch`."""
        program, n = self._rank_program, np.int32(self.n)
        self.device.write(self.state, np.zeros(2, np.int32), offset=1)
        if everything:
            self.device.fill(self.scratch, np.int32(0), self.n)
        program.components_count(self._passes, n, label, self.state, np.int32(everything), self.scratch)
        if everything:
            program.components_count_end(1, label, self.state, self.scratch)

    def rank(self, label: Any) -> npt.NDArray[np.int64]:
        """Turn the labels into numbers 0 .. k-1 by decreasing size; returns the sizes, shape (k,).

        Equal sizes: the component with the smaller vertex first. -1 stays -1.
        """
        dev, program = self.device, self._rank_program
        n, blocks = np.int32(self.n), np.int32(self._blocks)
        self._count(label, everything=True)
        tally = dev.empty(2 * self._blocks, np.int32)
        program.rank_blocks(self._blocks, n, blocks, label, self.scratch, tally)
        each = dev.download(tally, np.int32, 2 * self._blocks).reshape(-1, 2)
        upto = np.cumsum(each, axis=0, dtype=np.int64)
        singles, larger = (int(x) for x in upto[-1])
        first = (upto - each).astype(np.int32)
        first[:, 0] += larger  # single vertices come last
        dev.write(tally, first)
        root, size = dev.empty(max(larger, 1), np.int32), dev.empty(max(larger, 1), np.int32)
        program.rank_place(self._blocks, n, blocks, label, self.scratch, tally, root, size)
        sizes = np.ones(larger + singles, np.int64)
        if larger:
            found = dev.download(size, np.int32, larger)
            order = _by_decreasing_size(found)
            place = np.empty(larger, np.int32)
            place[order] = np.arange(larger, dtype=np.int32)
            sizes[:larger] = found[order]
            program.rank_scatter(larger, np.int32(larger), root, dev.upload(place), self.scratch)
        program.rank_apply(self._passes, n, label, self.scratch)
        return sizes


def _by_decreasing_size(size: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Stable order by decreasing size: 16-bit keys are sorted by radix, and few sizes do not fit in 16 bits."""
    large = np.flatnonzero(size >= NUMBERS)
    if len(large) == 0:
        return np.argsort((NUMBERS - 1 - size).astype(np.uint16), kind="stable")
    small = np.flatnonzero(size < NUMBERS)
    by_size = large[np.argsort(-size[large].astype(np.int64), kind="stable")]
    return np.concatenate((by_size, small[_by_decreasing_size(size[small])]))
