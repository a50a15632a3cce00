"""Chooses the engine of a personalized PageRank call, and takes it through its phases."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from clgraph.lazy import Table
from clgraph.ranking.personalized.engine import Outcome, Request
from clgraph.ranking.personalized.lanes import Lanes
from clgraph.ranking.personalized.single import Single, takes
from clgraph.ranking.personalized.walks import Walks

if TYPE_CHECKING:
    from clgraph.ranking.personalized.engine import Engine


class Clock:
    """Time by phase, in seconds; `lap` ends a phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._began = time.perf_counter()

    def lap(self, phase: str) -> None:
        """What has passed since the last lap was this phase's."""
        now = time.perf_counter()
        self.seconds[phase] = self.seconds.get(phase, 0.0) + now - self._began
        self._began = now


# what answers a call that has an option of this name: `clgraph.theses` adds "stored"
ANSWERS: Table[Callable[[Request, Clock], Outcome]] = Table()


def answer(request: Request) -> tuple[Outcome, dict[str, float]]:
    """What is found, by distinct source, and the seconds of each phase."""
    clock = Clock()
    if request.options.stored:
        found = ANSWERS["stored"](request, clock)
    else:
        found = run_engine(request, list(range(request.queries.distinct)), clock)
    return found, clock.seconds


def run_engine(request: Request, jobs: list[int], clock: Clock) -> Outcome:
    """Answer these distinct sources, at least one."""
    engine = make_engine(request, jobs)
    clock.lap("build")
    engine.upload()
    request.device.finish()
    clock.lap("upload")
    engine.compile()
    clock.lap("compile")
    found = engine.run()
    clock.lap("run")
    return found


def make_engine(request: Request, jobs: list[int]) -> Engine:
    """The engine for these distinct sources."""
    if request.options.method == "monte-carlo":
        return Walks(request, jobs)
    if takes(request, jobs):
        return Single(request, jobs)
    return Lanes(request, jobs)
