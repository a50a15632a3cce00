"""Graphs made from a seed straight into shards: host half of ``cl/scale/generate.cl``.

Where all draws fit the device, they are made once; otherwise they are repeated for each shard. Shards are
cut by how many draws belong to blocks of rows, so that they are the same on every device.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import file_name, whole
from clgraph.csr.build import build_rows
from clgraph.csr.device_csr import DeviceCSR
from clgraph.csr.generate import GUIDE_BITS, model_args
from clgraph.device.launch_config import LaunchTable
from clgraph.graph.models import PowerLaw, RMat
from clgraph.scale.comm import Ranks, run_on_ranks
from clgraph.scale.manifest import BLOCK
from clgraph.scale.shards import ShardRows, Shards, open_shards
from clgraph.scale.writing import LEAVING, SHARD_EDGES, check_dataset_name, check_sections, shared_dataset

if TYPE_CHECKING:
    from clgraph.device import Device

SECTIONS = {"pairs": 0, "rows": 1, "out": 2, "in": 3}
FORWARD, BACK = 4, 5  # the draws of a pair each way, beside the sections (cl/scale/generate.cl)
LAUNCH = LaunchTable(gpu=32, cpu=4096, simulator=8)  # draws that one work-item takes


class Draws:
    """The draws of a model on a device, which keeps them if they take a quarter of its memory at most."""

    def __init__(self, device: Device, model: PowerLaw | RMat, kept: bool | None = None) -> None:
        self._device, self._run = device, LAUNCH.of(device)
        self.n, self.count, self.seed = model.num_vertices, model.count, model.seed
        rmat = int(isinstance(model, RMat))
        self._options = {"RMAT": rmat, "RUN": self._run, "BLOCK": BLOCK, "GUIDE_SHIFT": 32 - GUIDE_BITS}
        # all have the names of the kernels' arguments; without ends an edge is drawn again for each shard
        vars(self).update(model_args(device, model), tail=None, head=None)
        size = 4 * self.count
        fits = 8 * size <= device.global_memory and size <= device.max_buffer
        if fits if kept is None else kept:
            program = device.program("csr/generate", ITEMS=device.tuning.items, GUIDE_SHIFT=32 - GUIDE_BITS)
            self.tail, self.head = (device.output(self.count, np.int32) for _ in range(2))
            draw = program.generate_rmat if rmat else program.generate_powerlaw
            draw.launch(self, -(-self.count // device.tuning.items))

    def _launch(self, name: str, **more: Any) -> None:
        kernel = getattr(self._device.program("scale/generate", **self._options), name)
        kernel.launch(self, -(-self.count // self._run), **more)

    def cuts(self, section: str, shard_edges: int) -> list[tuple[int, int, int]]:
        """Return the first row, the end and the draws of each shard."""
        blocks = -(-self.n // BLOCK)
        counts = self._device.zeros(blocks, np.uint32)
        self._launch("shard_tally", section=SECTIONS[section], counts=counts)
        found: list[tuple[int, int, int]] = []
        first = total = 0
        for block, count in enumerate(self._device.download(counts, np.uint32, blocks).tolist()):
            if total and total + count > shard_edges:
                found.append((first, block * BLOCK, total))
                first, total = block * BLOCK, 0
            total += count
        return [*found, (first, self.n, total)]

    def rows(self, section: int, first: int, last: int, count: int) -> DeviceCSR:
        """Return some rows, merged, ascending; at most `count` draws belong to them."""
        device = self._device
        placed = device.zeros(1, np.uint32)
        row, col = device.output(count, np.int32), device.output(count, np.int32)
        self._launch("shard_take", section=section, first=first, last=last, placed=placed, rows=row, cols=col)
        found = int(device.download(placed, np.uint32, 1)[0])
        return build_rows(device, last - first, row, col, found, mirror=False, loops=True, heads=self.n)

    def ways(self, rows: DeviceCSR, first: int, last: int, count: int) -> npt.NDArray[np.uint8]:
        """Return the directions of the pairs of some rows."""
        device = self._device
        away, back = (self.rows(section, first, last, count) for section in (FORWARD, BACK))
        way = device.output(rows.arcs, np.uint8)
        program = device.program("scale/generate", **self._options, **rows.defines)
        given = {"away_ptr": away.row_ptr, "away_idx": away.col_idx}
        given |= {"back_ptr": back.row_ptr, "back_idx": back.col_idx}
        program.shard_ways(last - first, rows=last - first, **rows.buffers, **given, way=way)
        return device.take(way, np.uint8, rows.arcs)


def generate_shards(
    model: PowerLaw | RMat,
    path: str | os.PathLike[str],
    *,
    sections: Sequence[str] | None = None,
    shard_edges: int = SHARD_EDGES,
    device: Any = None,
    progress: Callable[[int, int], None] | None = None,
    comm: Any = None,
) -> Shards:
    """Make the graph of a model as a dataset of shards, on one device or several.

    It is the graph that `clgraph.powerlaw_graph` or `clgraph.rmat_graph` makes of the same arguments.

    `path`, `sections` and `shard_edges` are those of `clgraph.write_shards`; shards are cut by draws, some of
    which are dropped or merged. Several devices, or MPI's ranks, share the work. `progress` is called with
    (shards made, shards to make) of the first rank.
    """
    target = file_name(path)
    check_dataset_name(target)
    wanted = check_sections(sections, model.directed)
    whole(shard_edges, "shard_edges", 1)

    def work(ranks: Ranks, dev: Device) -> None:
        about = {key: str(value) for key, value in vars(model).items() if np.isscalar(value)}
        ranks.agree(dataset=str(target), **about, sections=str(wanted), shard_edges=str(shard_edges))
        # what leaves each vertex is in another section than the arcs in
        more = ["out"] if "in" in wanted and "out" not in wanted else []
        names = [*wanted, *more]
        with dev.alone():
            draws = Draws(dev, model)
            cuts = {name: draws.cuts(name, shard_edges) for name in names}
        steps = [(name, number) for name in names for number in ranks.shares(len(cuts[name]))]
        with shared_dataset(ranks, target, directed=model.directed, vertices=model.num_vertices) as writer:
            for done, (name, number) in enumerate(steps, 1):
                first, last, count = cuts[name][number]
                with dev.alone():
                    rows = draws.rows(SECTIONS[name], first, last, count)
                    ways = name == "pairs" and model.directed
                    values = {"way": draws.ways(rows, first, last, count)} if ways else {}
                    row_ptr = dev.take(rows.row_ptr, rows.offset, rows.n + 1)
                    heads = dev.take(rows.col_idx, np.int32, rows.arcs)
                writer.put(name, number, ShardRows(first, row_ptr, heads, values), writes=name in wanted)
                if progress and ranks.rank == 0:
                    progress(done, len(steps))
            writer.finish_together(wanted, leaving=not {*LEAVING}.isdisjoint(names))

    run_on_ranks(work, device, comm)
    return open_shards(target)
