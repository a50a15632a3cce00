"""PageRank of graphs in shards, the same bytes for any cut, device and number of ranks (variant "fixed")."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.facts import longest_row
from clgraph.csr.parts import DeviceCSR
from clgraph.errors import InputError
from clgraph.ranking.fixed import (
    FixedPower,
    Leaving,
    Prepared,
    Rows,
    additions,
    check_leaving,
    exact_vectors,
    iterate,
    shape_of,
)
from clgraph.ranking.problem import OnNonconvergence, Problem, Stop, error_bound, round_off
from clgraph.ranking.result import PageRankResult, report_nonconvergence
from clgraph.ranking.shards_exchange import Exchange
from clgraph.scale.loading import Loaded, Loading
from clgraph.scale.ranks import Ranks, run_on_ranks
from clgraph.scale.shards import Shards

if TYPE_CHECKING:
    from clgraph.device import Device


def rank_shards(
    shards: Shards,
    problem: Problem,
    stop: Stop,
    dtype: str,
    weight: bool,
    on_nonconvergence: OnNonconvergence,
    device: Any,
) -> PageRankResult:
    """`clgraph.pagerank` of a graph in shards, variant "fixed", in the L1 norm; arguments are checked.

    Shards stay on the device where they fit, and are read in each iteration otherwise.
    """
    name = "in" if shards.directed else "rows"
    shards.section(name)
    kind = "arcs"
    if weight and shards.manifest.weights:
        kind = "weights"
    elif shards.manifest.multiplicity:
        kind = "counts"
    if kind == "counts" and shards.manifest.weights:
        raise InputError(
            "weight=False of a weighted dataset with merged parallel arcs is not offered for shards; convert "
            "the graph without weights"
        )
    if kind == "arcs" and shards.manifest.weights:
        raise InputError("weight=False of a weighted dataset is not offered; convert it without weights")
    vectors = exact_vectors(problem)

    def work(ranks: Ranks, dev: Device) -> PageRankResult:
        options = f"{problem.damping} {stop} {problem.policy} {dtype}"
        ranks.agree(dataset=shards.fingerprint, method="pagerank", options=options)
        return _run(ranks, dev, shards, name, problem, vectors, stop, dtype, kind)

    result = run_on_ranks(work, device, shards.comm)
    if result.converged is False:
        report_nonconvergence(result, stop, on_nonconvergence)
    return result


def rows_of(loaded: Loaded) -> Rows:
    """A loaded shard as `FixedPower` takes it."""
    shard, values = loaded.shard, loaded.values
    return Rows(
        shard.first_row,
        shard.rows,
        shard.edges,
        loaded.offset,
        loaded.row_ptr,
        loaded.col_idx,
        values.get("weights"),
        values.get("multiplicity"),
    )


def _run(
    ranks: Ranks,
    device: Device,
    shards: Shards,
    name: str,
    problem: Problem,
    vectors: dict[str, Any],
    stop: Stop,
    dtype: str,
    kind: str,
) -> PageRankResult:
    started = perf_counter()
    section = shards.section(name)
    own = list(ranks.shares(len(section.shards)))
    n = shards.num_vertices
    out = shards.leaving
    check_leaving(out)
    with device.alone():
        leaving = Leaving.of(device, n, device.upload(out), kind, shape_of(device, dtype))
        del out
        device.finish()  # it is freed before the vectors are made
        power = FixedPower(device, leaving, **vectors, dtype=dtype, kind=kind)
    wanted = {"weights": ("weights",), "counts": ("multiplicity",), "arcs": ()}[kind]
    loading = Loading(device, shards, values=wanted)
    # a device in the host's memory leaves half of it to the host, which reads the files; others leave an
    # eighth to the driver
    room = device.global_memory * (4 if device.shares_memory else 7) // 8 - sum(
        power.memory(n, dtype, leaving.place is not None).values()
    )
    kept: dict[int, Prepared] = {}
    longest: dict[int, int] = {}  # row of each shard

    def parts() -> Iterator[Prepared]:
        nonlocal room
        yield from kept.values()
        for loaded in loading.rows(name, [number for number in own if number not in kept]):
            number = shards.number_of(name, loaded.shard)
            with device.alone():
                prepared = power.prepare(rows_of(loaded))
                if dtype == "float64" and number not in longest:
                    shape = loaded.shard.rows, loaded.shard.edges
                    rows = DeviceCSR(*shape, loaded.row_ptr, None, loaded.offset)
                    longest[number] = longest_row(device, rows)
            size = loaded.nbytes + loaded.shard.edges * (8 if wanted else 1)
            if size <= room:
                room -= size
                kept[number] = prepared
            yield prepared

    with device.alone():
        exchange = Exchange(ranks, device, power, section.shards)
    began = perf_counter()
    iterations, residual, met = iterate(power, parts, exchange, start_sums=exchange.sums(), stop=stop)
    seconds = {"upload": began - started, "iterate": perf_counter() - began}
    found = exchange.complete()
    with device.alone():
        bad = power.found_bad_weight()
    seen = ranks.everywhere(np.array([bad, max(longest.values(), default=0)], np.int64))
    if any(rank[0] for rank in seen):
        raise InputError(
            f"a weight of {shards.folder} is negative or not finite: PageRank needs finite weights that are "
            "not negative"
        )
    chain = 0
    if dtype == "float64":
        most = max(int(rank[1]) for rank in seen)
        chain = additions(n, most)
        if kind == "weights":  # how many weights leave a vertex is in no section of a directed graph
            chain += n if shards.directed else most
    rho = round_off(dtype, chain)
    seconds["total"] = perf_counter() - started
    return PageRankResult(
        ranks=found,
        iterations=iterations,
        residual=residual,
        norm="l1",
        tol=stop.tol,
        converged=met if stop.tol > 0 else None,
        error_bound=error_bound(problem.damping, residual, rho),
        round_off=rho,
        variant="fixed",
        plan=(f"fixed: {len(section.shards)} shards, {ranks.size} ranks",),
        dtype=dtype,
        seconds=seconds,
        device=device.name,
        dangling=problem.policy,
        problem=problem,
        _ids=lambda index: shards.ids[index],
    )
