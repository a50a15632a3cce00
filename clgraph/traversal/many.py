"""Many independent breadth-first searches at once: host half of ``cl/traversal/many.cl``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.results import RunsOn
from clgraph.traversal import check_depth, indices_of
from clgraph.traversal.search import NO_LIMIT, shape_for

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Graph
    from clgraph.traversal.ranked import Ranked

Lanes = Literal[32, 64]

MANY_ITEMS = 16  # queue entries a work-item
PARTS = 4  # work-groups a row (GPUs)
PULL_SHARE = 8  # pull when more than one vertex in so many is in some frontier,
STAY_SHARE = 64  # and on while there is more than one in so many: late pulls find most searches everywhere
FUSED_COUNT = 2048  # frontiers of at most so many vertices are left to the fused kernel
FUSED_ARCS = 32768  # and as many arcs
SCATTER_SHARE = 4  # push without a queue when so many times a frontier's arcs are more than the vertices
DEEP = 48  # levels after which searches go on one by one: so deep, they hardly share a frontier
RANK_SEARCHES = 64  # searches of a graph that pay for having its vertices ranked (CPUs)
PLANES = 4  # bits of a distance to begin with: levels up to 15
COUNT, ARCS, STATE_SIZE = 0, 5, 28
WORDS: dict[np.dtype[Any], str] = {
    np.dtype(np.int8): "char",
    np.dtype(np.int16): "short",
    np.dtype(np.int32): "int",
}


@dataclass(frozen=True)
class ManyBFSResult(RunsOn):
    """Distances of many searches.

    Attributes
    ----------
    distance : int8, int16 or int32 array, shape (k, n)
        Row i: arcs on a shortest path from source i; -1 where there is none (within the depth limit).
    sources : int32 array, shape (k,)
        Vertex indices, in the order given.
    levels : int
        Distances that occur in any search: the largest one + 1.
    depth_limit : int or None
    seconds : dict of float
        Time by phase: "upload", "compile", "bfs", "download", "total".
    device : str
    """

    distance: npt.NDArray[Any]
    sources: npt.NDArray[np.int32]
    levels: int
    depth_limit: int | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    device: str = ""


def bfs_many(
    graph: Graph,
    sources: Sequence[Any] | npt.NDArray[Any],
    *,
    depth_limit: int | None = None,
    dtype: npt.DTypeLike | None = None,
    lanes: Lanes = 64,
    device: Device | str | None = None,
) -> ManyBFSResult:
    """Independent breadth-first searches from many vertices, 32 or 64 at a time, a bit each (MS-BFS [1]_).

    It pays where searches soon share their frontiers, in small-world graphs. In grids and chains they hardly
    do: searches of more than 48 levels are done one after the other (their rows are the same either way).

    On a CPU the 64th search of a large graph with skewed degrees makes a second copy of the arcs, numbered by
    degree, which stays on the device with the graph and takes about as long as two to four such batches.

    Parameters
    ----------
    graph : Graph
    sources : ids of vertices
        One search each; the same id twice makes two equal rows.
    depth_limit : int, optional
        Go no further than so many arcs.
    dtype : {int8, int16, int32}, optional
        Type of the distances; the smallest that holds them all if not given.
    lanes : {64, 32}
        Searches to a batch.
    device : Device or str, optional
        As in `clgraph.get_device`.

    Returns
    -------
    ManyBFSResult

    Raises
    ------
    InputError
        If a source is not in the graph (it is named), an option is wrong, or a distance does not fit `dtype`.
    DeviceError, BuildError, CapacityError
        If the device fails, or graph and distances do not fit on it.

    References
    ----------
    .. [1] M. Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal", VLDB 2014.

    Examples
    --------
    >>> from clgraph import Graph, bfs_many
    >>> bfs_many(Graph.from_edges([0, 1], [1, 2]), [0, 2]).distance
    array([[0, 1, 2],
           [2, 1, 0]], dtype=int8)
    """
    start = time.perf_counter()
    check_depth(depth_limit)
    if lanes not in (32, 64):
        raise InputError(f"lanes is {lanes!r}: use 32 or 64")
    if dtype is not None and np.dtype(dtype) not in WORDS:
        raise InputError(f"dtype is {np.dtype(dtype)}: distances are int8, int16 or int32")
    wanted = list(sources)
    if not wanted:
        raise InputError("no source is given: a breadth-first search starts from at least one vertex")
    index = indices_of(graph, wanted).astype(np.int32)
    from clgraph.device import get_device

    dev = get_device(device)
    how = dev.watch()
    search = ManySearch(dev, graph, lanes, len(index))
    last = NO_LIMIT if depth_limit is None else min(int(depth_limit), NO_LIMIT)
    parts, levels = [], 0
    for first in range(0, len(index), lanes):
        part, deepest = search.run(index[first : first + lanes], last, dtype)
        parts.append(part)
        levels = max(levels, deepest)
    distance = parts[0] if len(parts) == 1 else np.concatenate(parts)
    search.seconds["total"] = time.perf_counter() - start
    return ManyBFSResult(distance, index, levels, depth_limit, search.seconds, dev.name, **how())


def _kind_for(levels: int, dtype: npt.DTypeLike | None) -> np.dtype[Any]:
    """The smallest type for distances below `levels`, or the one asked for if it holds them."""
    fitting = [kind for kind in WORDS if levels <= 2 ** (8 * kind.itemsize - 1)]
    if dtype is None:
        return fitting[0]
    if np.dtype(dtype) not in fitting:
        raise InputError(f"distances reach {levels - 1}: more than {np.dtype(dtype)} holds; leave dtype out")
    return np.dtype(dtype)


class ManySearch:
    """Searches of one graph on one device, a batch at a time."""

    def __init__(self, dev: Device, graph: Graph, lanes: int, searches: int) -> None:
        from clgraph.csr.upload import upload_csr

        self.dev, self.graph, self.lanes, self.n = dev, graph, lanes, graph.num_vertices
        self.shape = shape_for(dev)
        self.seconds = {"upload": 0.0, "compile": 0.0, "bfs": 0.0, "download": 0.0}
        start = time.perf_counter()
        self.csr: DeviceCSR = upload_csr(dev, graph)
        self.rows = self.n  # vertices with a row in `csr`
        self.ranked: Ranked | None = None
        # of all calls with this graph: how many searches were asked for, and whether any came to a pull
        self.known: dict[str, int] = dev.cached(graph, "bfs_many", lambda: {"searches": 0, "pulls": 0})
        self.known["searches"] += searches
        self.kept: dict[str, Any] = dev.cached(graph, ("bfs_many", lanes), self._make_scratch)
        self.seconds["upload"] = time.perf_counter() - start
        if self.known["pulls"]:
            self._rank()

    def _rank(self) -> bool:
        """Go over to vertices numbered by degree, where that pays; whether it was done now."""
        from clgraph.traversal.ranked import rank_graph

        self.known["pulls"] = 1
        if self.ranked is not None or self.shape.team or self.known["searches"] < RANK_SEARCHES:
            return False
        start = time.perf_counter()
        self.ranked = rank_graph(self.dev, self.graph, self.shape.items)
        if self.ranked is not None:
            self.csr, self.rows = self.ranked.leaving, self.ranked.rows
        self.seconds["upload"] += time.perf_counter() - start
        return self.ranked is not None

    def _make_scratch(self) -> dict[str, Any]:
        bits = self.lanes // 8 * self.n
        sizes = {
            "seen": bits,
            "front": bits,
            "next": bits,
            "planes": PLANES * bits,
            "stamp": 4 * self.n,
            "queue": 4 * self.n,
            "next_queue": 4 * self.n,
            "state": 4 * STATE_SIZE,
        }
        self.dev.reserve({**sizes, "distance": self.lanes * self.n})
        # `output` memory is on large pages where it is the host's: gathers from 8 bytes a vertex want them
        return {"bits": PLANES, **{name: self.dev.output(size, np.uint8) for name, size in sizes.items()}}

    def _program(self, name: str, **defines: Any) -> Program:
        start = time.perf_counter()
        made = self.dev.program(name, LANES=self.lanes, ITEMS=self.shape.items, **defines)
        self.seconds["compile"] += time.perf_counter() - start
        return made

    def _searches(self, name: str = "traversal/many") -> Program:
        shape = self.shape
        return self._program(
            name,
            TEAM=shape.team,
            MANY_ITEMS=self._run,
            PARTS=PARTS,
            MANY_COUNT=FUSED_COUNT,
            MANY_ARCS=FUSED_ARCS,
            WIDE_ROW=min(shape.long_row, 256),
            **self.csr.defines,
        )

    @property
    def _run(self) -> int:
        return 1 if self.shape.team else MANY_ITEMS

    def _vertices(self) -> int:
        return -(-self.rows // self.shape.items)

    def _read(self, level: int | None = None) -> tuple[int, int, int]:
        """The level that the fused kernel came to (or the one given), its vertices and arcs."""
        state = self.dev.download(self.kept["state"], np.uint32, STATE_SIZE)
        level = int(state[0]) if level is None else level
        at = 4 + 8 * (level % 3)
        return level, int(state[at + COUNT]), int(state[at + ARCS])

    def run(
        self, sources: npt.NDArray[np.int32], last: int, dtype: npt.DTypeLike | None
    ) -> tuple[npt.NDArray[Any], int]:
        """Distances (k, n) of one batch and the number of levels."""
        dev, n, k = self.dev, self.n, len(sources)
        start, compiled = time.perf_counter(), self.seconds["compile"]
        levels = self.search(sources, last)
        if levels is None:
            return self.one_by_one(sources, last, dtype)
        distance = self._expand(k, levels, dtype)
        dev.finish()
        self.seconds["bfs"] += time.perf_counter() - start - (self.seconds["compile"] - compiled)
        start = time.perf_counter()
        result = dev.take(distance, self._kind, k * n).reshape(k, n)
        self.seconds["download"] += time.perf_counter() - start
        return result, levels

    def search(self, sources: npt.NDArray[np.int32], last: int) -> int | None:
        """Search from one batch: the number of levels; the distances are in the planes (bfs_many.h).

        None where the searches are too deep to go on together (`one_by_one` does them then).
        """
        dev, kept, n, k = self.dev, self.kept, self.n, len(sources)
        prog, _ = self._searches(), self._searches("traversal/many_pull")
        at = sources if self.ranked is None else self.ranked.rank[sources]
        prog.bfs_many_fill(
            -(-n // self.shape.items),
            np.int32(n),
            np.int32(self.rows),
            np.uint32(kept["bits"]),
            kept["seen"],
            kept["front"],
            kept["next"],
            kept["planes"],
            kept["stamp"],
            kept["state"],
            local=self.shape.local,
        )
        prog.bfs_many_start.exact(
            1,
            np.uint32(k),
            dev.upload(at),
            kept["seen"],
            kept["front"],
            kept["queue"],
            kept["state"],
            local=1,
        )
        arcs = int((self.graph.row_ptr[sources + 1] - self.graph.row_ptr[sources]).sum())
        level, count, queued = 0, k, True
        self._pulling = False
        while count and level < last:
            if level >= DEEP:
                return None
            if self._pulls(level, count) and self._rank():
                return self.search(sources, last)  # what was done so far is little
            if level + 1 >= 1 << kept["bits"]:
                self._more_planes()
            level, count, arcs, queued = self._go_on(level, count, arcs, queued, last)
        return level + (count > 0)

    def one_by_one(
        self, sources: npt.NDArray[np.int32], last: int, dtype: npt.DTypeLike | None
    ) -> tuple[npt.NDArray[Any], int]:
        """The same by one search after the other."""
        from clgraph.traversal.search import Search

        rows, levels = [], 0
        for source in sources:
            search = Search(self.dev, self.graph, "hybrid", predecessors=False, owners=False)
            deepest, _ = search.run(np.array([source], np.int32), None if last == NO_LIMIT else last)
            rows.append(search.take()[0].astype(_kind_for(deepest, dtype), copy=False))
            levels = max(levels, deepest)
            for phase in self.seconds:
                self.seconds[phase] += search.seconds[phase]
        return np.stack(rows), levels

    def _more_planes(self) -> None:
        """Room for distances of twice as many bits."""
        dev, kept = self.dev, self.kept
        nbytes = kept["bits"] * self.lanes // 8 * self.n
        dev.reserve({"planes": 2 * nbytes})
        wider = dev.output(2 * nbytes, np.uint8)
        self._searches().bfs_many_widen(
            self._vertices(),
            np.int32(self.rows),
            np.uint32(kept["bits"]),
            kept["planes"],
            wider,
            local=self.shape.local,
        )
        kept["planes"], kept["bits"] = wider, 2 * kept["bits"]

    def _expand(self, k: int, levels: int, dtype: npt.DTypeLike | None) -> Any:
        """The planes as distances of the smallest type that holds them, or of the one asked for."""
        self._kind = _kind_for(levels, dtype)
        distance = self.dev.output(k * self.n, self._kind)
        planes = next(
            p for p in (2, 3, 4, 8, 16, 32) if p >= min(self.kept["bits"], max(1, (levels - 1).bit_length()))
        )
        options = {"TEAM": self.shape.team, "PLANES": planes, "DIST": WORDS[self._kind]}
        ranks = None if self.ranked is None else self.ranked.ranks
        self._program("traversal/many_expand", RANKED=ranks is not None, **options).bfs_many_expand(
            -(-self.n // self.shape.items),
            np.int32(self.n),
            np.int32(self.rows),
            np.int32(k),
            ranks,
            self.kept["seen"],
            self.kept["planes"],
            distance,
            local=self.shape.local,
        )
        return distance

    def _go_on(
        self, level: int, count: int, arcs: int, queued: bool, last: int
    ) -> tuple[int, int, int, bool]:
        """One level, or a run of small ones."""
        kept, shape = self.kept, self.shape
        prog, pulling = self._searches(), self._searches("traversal/many_pull")
        local = shape.local
        pull = self._pulling = self._pulls(level, count)
        if not pull and not queued:
            prog.bfs_many_collect(self._vertices(), *self._arguments(level, self.csr), local=local)
            arcs, queued = self._read(level)[2], True
        if pull:
            args = self._arguments(level, self._arriving())
            pulling.bfs_many_pull(self._vertices(), *args, local=local)
            if shape.team:
                pulling.bfs_many_pull_long(4 * self.dev.compute_units * local, *args, local=local)
            queued = False
        elif count <= FUSED_COUNT and arcs <= FUSED_ARCS:
            size = min(shape.fused_local, prog.bfs_many_fused.limit)
            stop = min(last, (1 << kept["bits"]) - 1)
            args = self._arguments(level, self.csr)
            prog.bfs_many_fused.exact(size, *args[:2], np.uint32(stop), *args[2:], local=size)
            ended, count, arcs = self._read()
            if (ended - level) % 2:
                self._swap("front", "next")
                self._swap("queue", "next_queue")
            return ended, count, arcs, True
        else:
            args = self._arguments(level, self.csr)
            queued = arcs * SCATTER_SHARE <= self.rows
            push = prog.bfs_many_push if queued else prog.bfs_many_scatter
            if shape.team:
                team = min(64, local)
                push(count * PARTS * team, *args, local=team)
            else:
                push(-(-count // MANY_ITEMS), *args, local=local)
            if queued:
                found = self._read(level + 1)[1]
                prog.bfs_many_settle(-(-max(count, found) // self._run), *args, local=local)
                self._swap("queue", "next_queue")
            else:
                pulling.bfs_many_settle_all(self._vertices(), *args, local=local)
        self._swap("front", "next")
        level, count, arcs = self._read(level + 1)
        return level, count, arcs, queued

    def _pulls(self, level: int, count: int) -> bool:
        return count * (STAY_SHARE if self._pulling else PULL_SHARE) > self.n and level > 0

    def _swap(self, one: str, other: str) -> None:
        self.kept[one], self.kept[other] = self.kept[other], self.kept[one]

    def _arguments(self, level: int, csr: DeviceCSR) -> tuple[Any, ...]:
        k = self.kept
        return (
            np.int32(self.rows),
            np.uint32(level),
            csr.row_ptr,
            csr.col_idx,
            k["seen"],
            k["front"],
            k["next"],
            k["stamp"],
            k["queue"],
            k["next_queue"],
            k["planes"],
            k["state"],
        )

    def _arriving(self) -> DeviceCSR:
        """The arcs turned round, on the device."""
        from clgraph.csr.upload import upload_csr

        if self.ranked is not None:
            return self.ranked.arriving
        return upload_csr(self.dev, self.graph.reverse) if self.graph.directed else self.csr
