"""When each vertex and edge goes in exact drv and dre, and so what every deletion leaves.

Host half of ``cl/sampling/deletion_times.cl``: all of it from the priority forest.
`clgraph.sampling.merge_tree.whole_tree` finds the same rows in one serial pass, which is faster on CPUs and
knows parallel edges.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.csr.upload import upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.device.memory import on_large_pages
from clgraph.graph import Graph
from clgraph.progress import Tell
from clgraph.sampling.merge_tree import Rows
from clgraph.sampling.shards.forest import Forest, default_room, forest_graph
from clgraph.sampling.threshold_search import ExactRun
from clgraph.system import cores, thread_pool
from clgraph.traversal.search import Search

if TYPE_CHECKING:
    from clgraph.csr.device_csr import DeviceCSR
    from clgraph.device import Device

LAUNCH = LaunchTable(gpu=16, cpu=4096, simulator=5)  # entries that one work-item takes
PART = 1 << 19  # rows whose pages a thread makes at a time
THREADS = 12  # that do so

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Path:
    """The component that the loop follows, row by row; buffers on a device.

    Attributes
    ----------
    rows : int
    last : int32 buffer, shape (n,)
        The last row that has each vertex; -1: none.
    vertices : int64 buffer, shape (rows,)
        How many each row has.
    cuts : uint64 buffer, shape (rows - 1,), or None
        dre: the edge whose deletion ends each row.
    """

    rows: int
    last: Any
    vertices: Any
    cuts: Any


def follow(device: Device, words: Any, n: int, seed: int, target: int, *, edges: bool) -> Path:
    """The rows of a curve and the last one of each vertex, from the forest (`Forest.take`) alone."""
    graph = forest_graph(device, words, n)
    run = ExactRun(device, graph, seed, edges=edges)
    whole = run.start()
    run.shrink_to(target)
    live = run.download().vertices.on(device)
    # the sample is connected in the forest: a search from any of its vertices reaches the others through it
    search = Search(device, graph, "hybrid", predecessors=True, owners=False)
    levels, _ = search.run(np.array([run.root], np.int32))
    distance, up = search.distance, search.predecessor
    program = device.program("sampling/deletion_times", ITEMS=device.tuning.items, BY_EDGE=int(edges))
    over = -(-n // device.tuning.items)
    device.reserve({f"order {number}": 4 * n for number in range(10)})
    order = _sorted(device, program, n, seed, up)
    if edges and _tied(device, program, n, seed, order, up):
        order = _sorted(device, program, n, seed, up, words=True)
    # few buffers: to make a large one and to free it takes a GPU as long as a pass over it
    above, least, new_above, new_least = (device.empty(n, np.int32) for _ in range(4))
    program.times_turns(over, n=n, order=order, turn=new_above)
    program.times_begin(over, n=n, turn=new_above, up=up, live=live, above=above, least=least)
    for _ in range(max(levels - 1, 1).bit_length()):
        program.times_double(over, n=n, above=above, least=least, new_above=new_above, new_least=new_least)
        above, least, new_above, new_least = new_above, new_least, above, least
    took, some = device.zeros(n, np.uint32), device.empty(n, np.uint8)
    program.times_leave(over, n=n, distance=distance, least=least, took=took)
    program.times_flags(over, n=n, took=took, some=some)
    place = running_sums(device, some, n, of=np.uint8, into=np.int32)
    del run, search, graph, live, new_above, new_least  # freed by the host while the device is busy
    count = int(device.download(place, np.int32, 1, offset=n)[0])
    took_row = device.empty(count, np.uint32)
    cuts = device.empty(count, np.uint64) if edges else None
    program.times_rows(over, n=n, took=took, place=place, order=order, up=up, took_row=took_row, cuts=cuts)
    program.times_last(over, n=n, distance=distance, least=least, place=place, last=above)
    before = running_sums(device, took_row, count, of=np.uint32)
    return Path(count + 1, above, left(device, whole, before, count + 1), cuts)


def _sorted(device: Device, program: Any, n: int, seed: int, up: Any, *, words: bool = False) -> Any:
    """Vertices by their times, or those of their edges up; with `words`, of equal times by these edges."""
    order = None
    for part in range(0 if words else 2, 4):
        key = device.empty(n, np.uint32)
        program.times_keys(
            -(-n // device.tuning.items), n=n, seed=seed, part=part, order=order, up=up, key=key
        )
        _, order = sort_by_key(device, key, n, 32, order)
    return order


def _tied(device: Device, program: Any, n: int, seed: int, order: Any, up: Any) -> bool:
    """True if edges go at one time, which of 2**64 times hardly ever happens."""
    tied = device.zeros(1, np.int32)
    program.times_ties(-(-n // device.tuning.items), n=n, seed=seed, order=order, up=up, tied=tied)
    return bool(device.download(tied, np.int32, 1)[0])


def left(device: Device, whole: int, before: Any, rows: int) -> Any:
    """``whole - before``, of the first `rows` running sums: an int64 `Device.output` buffer."""
    program, made = (
        device.program("sampling/deletion_times", ITEMS=device.tuning.items),
        device.output(rows, np.int64),
    )
    program.times_left(-(-rows // device.tuning.items), rows=rows, whole=whole, before=before, left=made)
    return made


def count_pairs(
    device: Device, path: Path, seed: int, blocks: Iterable[DeviceCSR], *, edges: bool, both_ways: bool
) -> tuple[Any, Any]:
    """Pairs of some blocks of rows by the last row that has them, and deletions by the row before each.

    Two int64 buffers, shape (rows,). The device is not locked while a block is awaited.
    """
    rows, cuts, times, table, shift = path.rows, path.cuts, None, None, 0
    defines: dict[str, Any] = {"ITEMS": device.tuning.items, "RUN": LAUNCH.of(device), "BY_EDGE": int(edges)}
    defines["BOTH_WAYS"] = both_ways
    with device.alone():
        device.reserve({"ends": 8 * rows, "deletions": 8 * rows, "times": 8 * rows, "table": 4 * rows + 8})
        ends, gone = (device.zeros(rows, np.int64) for _ in range(2))
        if edges:
            program, items = device.program("sampling/deletion_times", **defines), device.tuning.items
            times = device.empty(rows - 1, np.uint64)
            program.times_of_cuts(-(-(rows - 1) // items), rows=rows - 1, seed=seed, cuts=cuts, times=times)
            bits = max(1, rows.bit_length() - 3)  # the four to eight times of a bucket lie together
            table, shift = device.empty((1 << bits) + 1, np.int32), 64 - bits
            named = {"buckets": 1 << bits, "shift": shift, "times": times, "table": table}
            program.times_table(-(-((1 << bits) + 1) // items), rows=rows - 1, **named)
    for block in blocks:
        with device.alone():
            device.program("sampling/deletion_times", **defines, **block.defines).times_count(
                -(-block.arcs // LAUNCH.of(device)),
                **block.arguments,
                seed=seed,
                cut_count=rows - 1,
                last=path.last,
                cuts=cuts,
                times=times,
                table=table,
                shift=shift,
                ends=ends,
                gone=gone,
            )
            device.finish()  # the block's buffers are free
    return ends, gone


def rows_of_curve(
    device: Device, graph: Graph, seed: int, target: int, progress: Tell | None = None, *, edges: bool
) -> Rows:
    """The rows of the curve, down to the first with at most `target` vertices.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops; of dre without parallel edges, whose copies the forest takes for one.
    seed, target : int
    progress : callable, optional
    edges : bool
        Whether edges are deleted (dre), not vertices (drv).

    Returns
    -------
    deletions, vertices, edges : int64 arrays
        As `whole_tree` gives them.
    """
    csr = upload_csr(device, graph)
    forest = Forest(device, csr.n, seed, edges=edges, room=default_room(device, csr.n, csr.arcs))
    forest.add(csr, both_ways=True)
    words = forest.take()
    device.finish()
    del forest  # its memory is free
    if progress:
        progress(1, 2)
    path = follow(device, words, csr.n, seed, target, edges=edges)
    del words
    rows = path.rows
    deletions, vertices, pairs = (on_large_pages(rows, np.dtype(np.int64)) for _ in range(3))
    # threads make the pages of the result while the device counts: copies to new pages take twice as long
    with thread_pool(min(cores(), THREADS), "clgraph-curve") as pool:
        counted = None if edges else np.arange(min(rows, PART))  # each row of drv is one deletion
        for begin in range(0, rows, PART):
            pool.submit(_prepare, deletions, begin, counted)
            pool.submit(_prepare, vertices, begin)
            pool.submit(_prepare, pairs, begin)
        ends, gone = count_pairs(device, path, seed, [csr], edges=edges, both_ways=True)
        before = running_sums(device, ends, rows, of=np.int64)
        staying = left(device, int(device.download(before, np.int64, 1, offset=rows)[0]), before, rows)
        gone = running_sums(device, gone, rows, of=np.int64) if edges else None
    device.fetch(path.vertices, vertices)
    device.fetch(staying, pairs)
    if edges:
        device.fetch(gone, deletions)
    if progress:
        progress(2, 2)
    return deletions, vertices, pairs


def _prepare(array: Places, begin: int, counted: Places | None = None) -> None:
    """Write to each page of a part of an array; or number its entries, given those of the first part."""
    part = array[begin : begin + PART]
    if counted is None:
        part[:: mmap.PAGESIZE // 8] = 0
    else:
        # no array between, whose pages would be new, too; and no cumsum, which keeps the interpreter's lock
        np.add(counted[: len(part)], begin, out=part)
