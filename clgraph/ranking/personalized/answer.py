"""Chooses the engine of a personalized PageRank call, and takes it through its phases."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from clgraph.lazy import Table
from clgraph.ranking.personalized.engine import Outcome, Request
from clgraph.ranking.personalized.lanes import Lanes
from clgraph.ranking.personalized.single import Single, takes
from clgraph.ranking.personalized.walks import Walks

if TYPE_CHECKING:
    from clgraph.run import run_on


# what answers a call that has an option of this name: `clgraph.theses` adds "stored"
ANSWERS: Table[Callable[[Request, run_on], Outcome]] = Table()


def answer(request: Request, run: run_on) -> Outcome:
    """What is found, by distinct source; the time of each phase is noted."""
    if request.options.stored:
        return ANSWERS["stored"](request, run)
    return run_engine(request, list(range(request.queries.distinct)), run)


def run_engine(request: Request, jobs: list[int], run: run_on) -> Outcome:
    """Answer these distinct sources, at least one."""
    engine = make_engine(request, jobs)
    run.lap("build")
    engine.upload()
    request.device.finish()
    run.lap("upload")
    engine.compile()
    run.lap("compile")
    found = engine.run()
    run.lap("run")
    return found


def make_engine(request: Request, jobs: list[int]) -> Walks | Single | Lanes:
    """The engine for these distinct sources."""
    if request.options.method == "monte-carlo":
        return Walks(request, jobs)
    if takes(request, jobs):
        return Single(request, jobs)
    return Lanes(request, jobs)
