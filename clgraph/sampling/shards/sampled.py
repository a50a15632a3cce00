"""A sample's edges: counted, or written as a dataset, a shard for each shard."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph import system
from clgraph.sampling.shards.extract import Extraction, Kept
from clgraph.scale.comm import Ranks
from clgraph.scale.loading import Loading
from clgraph.scale.manifest import Shard
from clgraph.scale.shards import Shards, open_shards
from clgraph.scale.writing import Sums, Writer, gathered, gathered_sums, row_sums, shared_dataset, summed

if TYPE_CHECKING:
    from clgraph.device import Device


def count_edges(
    ranks: Ranks, device: Device, loading: Loading, extraction: Extraction, numbers: Sequence[int]
) -> int:
    """How many pairs a sample has."""
    count = 0
    for rows in loading.rows("pairs", numbers):
        with device.alone():
            count += extraction.count(rows)
    return int(ranks.total(np.array([count]))[0])


def write_sample(
    ranks: Ranks, device: Device, shards: Shards, loading: Loading, extraction: Extraction, output: Path
) -> tuple[Shards, int]:
    """Write the sample as a dataset; threads write what is taken out while the device goes on."""
    size, sections = extraction.size, {}
    leaving: list[Sums] = []
    with shared_dataset(ranks, output) as folder, system.thread_pool(system.cores(), "clgraph-write") as pool:
        writer = Writer(folder, directed=shards.directed, vertices=size)
        ids = _ids(device, shards, extraction, writer, pool) if ranks.rank == 0 else None
        for name in shards.manifest.sections:
            jobs: dict[int, Future[tuple[Shard, Sums | None]]] = {}
            for rows in loading.rows(name, list(ranks.shares(len(shards.section(name).shards)))):
                with device.alone():
                    kept = extraction.of(rows)
                jobs[rows.number] = pool.submit(_write, writer, name, rows.number, kept)
                if len(jobs) > 2 * system.cores():  # so many shards are in memory at once
                    list(jobs.values())[-2 * system.cores()].result()
            made = {number: job.result() for number, job in jobs.items()}
            leaving += [sums for _, sums in made.values() if sums is not None]
            sections[name] = summed(gathered(ranks, {number: shard for number, (shard, _) in made.items()}))
        sums = gathered_sums(ranks, leaving, size)
        if ids is not None:
            known = {"rows", "out"} & shards.manifest.sections.keys()
            flags = {name: getattr(shards.manifest, name) for name in ("weights", "multiplicity")}
            writer.finish(sections, **flags, ids=ids.result(), leaving=[sums] if known else None)
    return open_shards(output), sections["pairs"].edges


def _write(writer: Writer, name: str, number: int, kept: Kept) -> tuple[Shard, Sums | None]:
    shard = writer.shard(name, number, kept.first_row, kept.row_ptr, kept.col_idx, kept.values, loops=0)
    if name not in ("rows", "out"):
        return shard, None
    values = kept.values.get("weights", kept.values.get("multiplicity"))
    return shard, (kept.first_row, row_sums(kept.row_ptr, values))


def _ids(
    device: Device, shards: Shards, extraction: Extraction, writer: Writer, pool: ThreadPoolExecutor
) -> Future[Any]:
    """The file of ids, if the sample needs one."""
    with device.alone():
        members = extraction.members()

    def write() -> Any:
        known = members if shards.manifest.ids is None else shards.ids[members]
        size = len(known)
        ends = known.dtype != object and (not size or (known[0] == 0 and known[-1] == size - 1))
        if ends and np.array_equal(known, np.arange(size)):
            return None
        return writer.ids(known)

    return pool.submit(write)
