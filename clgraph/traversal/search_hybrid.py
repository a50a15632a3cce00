"""The direction-optimising search, method "hybrid": levels and launches of ``cl/traversal/search*.cl``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.traversal.search_partitions import cut_for, pull_in_partitions
from clgraph.traversal.state import read_slot, read_state

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.traversal.scratch import HybridScratch
    from clgraph.traversal.search_task import Task


class HybridWalk:
    """One walk of a search over its levels, in a scratch area that is lent to it.

    It pushes small frontiers from a queue, pulls large ones through bitmaps, and does runs of small levels in
    one launch (Beamer, Asanovic, Patterson: SC 2012).
    """

    def __init__(self, task: Task, scratch: HybridScratch) -> None:
        self.task, self.scratch = task, scratch
        self.dev, self.graph, self.csr = task.dev, task.graph, task.csr
        self.n, self.shape, self.shift = task.n, task.shape, task.shift
        self.cut = cut_for(task.dev, task.graph)

    def run(self, sources: npt.NDArray[np.int32], last: int) -> tuple[int, int]:
        """Levels and vertices reached; the sources are in the queue already."""
        from clgraph.csr.upload import degrees_of

        shape, n = self.shape, self.n
        degrees = degrees_of(self.dev, self.graph, sources)
        level, count, reached = 0, len(sources), len(sources)
        arcs = int(degrees.sum()) >> self.shift
        longs = int(np.sum(-(-degrees[degrees > shape.long_row] // shape.long_piece)))
        unseen = self.csr.arcs >> self.shift
        pulling = False
        while count and level < last:
            if pulling:
                before = count
                count = self._pull(level)
                level, reached = level + 1, reached + count
                if count and count < before and count * shape.beta < n and level < last:
                    self._collect(level)
                    _, longs, arcs = read_slot(self._read(), level)
                    pulling = False
                continue
            if not longs and count <= shape.fuse_count and arcs <= shape.fuse_arcs >> self.shift:
                state = self._fused(level, last)
                found, ended = int(state[1]), int(state[0])
                reached += found
                unseen -= arcs
                if ended > level:
                    if (ended - level) % 2:
                        self.scratch.swap_queues()
                    level = ended
                    count, longs, arcs = read_slot(state, level)
                    continue
            unseen -= arcs
            if arcs * shape.alpha > unseen:
                self._bitmaps(level)
                pulling = True
                continue
            self._push(level, count, longs)
            level += 1
            count, longs, arcs = read_slot(self._read(), level)
            reached += count
        return level + (count > 0), reached

    def _read(self) -> npt.NDArray[np.uint32]:
        return read_state(self.dev, self.scratch.state)

    def _result(self) -> dict[str, Any]:
        task = self.task
        return {"distance": task.distance, "predecessor": task.predecessor, "owner": task.owner}

    def _graph_and_queues(self) -> dict[str, Any]:
        scratch = self.scratch
        return {
            "shift": self.shift,
            **self.csr.buffers,
            "queue": scratch.queue,
            "longs": scratch.longs,
            "next_queue": scratch.next_queue,
            "next_longs": scratch.next_longs,
            **self._result(),
            "state": scratch.state,
        }

    def _fused(self, level: int, last: int) -> npt.NDArray[np.uint32]:
        kernel = self.task.program("traversal/search_fused").bfs_fused
        size = min(self.shape.fused_local, kernel.limit)
        kernel.exact(size, local=size, level=level, last_level=last, **self._graph_and_queues())
        return self._read()

    def _push(self, level: int, count: int, longs: int) -> None:
        shape, prog = self.shape, self.task.program("traversal/search_push")
        groups = -(-count // (shape.rows if shape.team else shape.push_items))
        named = {"level": level, **self._graph_and_queues()}
        prog.bfs_push(groups * shape.local, local=shape.local, **named)
        if longs:
            prog.bfs_push_long(longs * shape.local, local=shape.local, **named)
        self.scratch.swap_queues()

    def _bitmaps(self, level: int) -> None:
        scratch, arriving = self.scratch, self._arriving()
        self.task.program("traversal/search").bfs_bitmaps(
            self.task.vertex_items(),
            n=self.n,
            level=level,
            row_ptr=arriving.row_ptr,
            distance=self.task.distance,
            visited=scratch.visited,
            front=scratch.front,
            local=self.shape.local,
        )

    def _arriving(self) -> DeviceCSR:
        """The reversed arcs, on the device."""
        from clgraph.csr.upload import upload_csr

        if not self.graph.directed:
            return self.csr
        start = time.perf_counter()
        csr = upload_csr(self.dev, self.graph.reverse)
        self.task.seconds["upload"] += time.perf_counter() - start
        return csr

    def _pull(self, level: int) -> int:
        """One level from the bitmaps; returns how many vertices it found."""
        shape, scratch = self.shape, self.scratch
        arriving = self._arriving()
        if self.cut is not None:
            pull_in_partitions(self.task, scratch, self.cut, level, arriving)
        else:
            prog = self.task.program("traversal/search_pull")
            named = {
                "n": self.n,
                "level": level,
                **arriving.buffers,
                "front": scratch.front,
                "next": scratch.next,
                "visited": scratch.visited,
                "rest": scratch.rest,
                **self._result(),
                "state": scratch.state,
            }
            prog.bfs_pull(self.task.vertex_items(), local=shape.local, **named)
            if shape.team:
                rest_local = min(64, shape.local)
                prog.bfs_pull_rest(16 * self.dev.compute_units * rest_local, local=rest_local, **named)
        scratch.swap_bitmaps()
        return read_slot(self._read(), level + 1)[0]

    def _collect(self, level: int) -> None:
        scratch = self.scratch
        words = -(-self.n // 32)
        self.task.program("traversal/search").bfs_collect(
            -(-words // max(1, self.shape.items // 32)),
            n=self.n,
            level=level,
            shift=self.shift,
            row_ptr=self.csr.row_ptr,
            front=scratch.front,
            queue=scratch.queue,
            longs=scratch.longs,
            state=scratch.state,
            local=self.shape.local,
        )
