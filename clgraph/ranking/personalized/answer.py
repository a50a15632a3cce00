"""Chooses the engine of a personalized PageRank call, and takes it through its phases."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from clgraph.lazy import Table
from clgraph.ranking.personalized.batched_power import BatchedPower, batch_of
from clgraph.ranking.personalized.one_source import OneSource, takes
from clgraph.ranking.personalized.request import Request
from clgraph.ranking.personalized.result import Outcome
from clgraph.ranking.personalized.walks import Walks

if TYPE_CHECKING:
    from clgraph.run import run_on


# what answers a call that has an option of this name: `clgraph.theses` adds "stored"
ANSWERS: Table[Callable[[Request, run_on], Outcome]] = Table()


def answer(request: Request, run: run_on) -> Outcome:
    """Find the ranks of each distinct source; the time of each phase is noted."""
    if request.options.stored:
        return ANSWERS["stored"](request, run)
    return run_engine(request, list(range(request.queries.distinct)), run)


def run_engine(request: Request, jobs: list[int], run: run_on) -> Outcome:
    """Answer these distinct sources, at least one."""
    engine: Walks | OneSource | BatchedPower
    if request.options.method == "monte-carlo":
        engine = Walks(request, jobs)
    elif takes(request, jobs):
        engine = OneSource(request, jobs)
    else:
        engine = batch_of(request.options.method, request.device)(request, jobs)
    run.lap("build")
    engine.upload()
    request.device.finish()
    run.lap("upload")
    engine.compile()
    run.lap("compile")
    found = engine.run()
    run.lap("run")
    return found
