"""Chooses the engine of a personalized PageRank call, and takes it through its phases."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from clgraph.ranking.personalized.engine import Outcome
from clgraph.ranking.personalized.lanes import Lanes
from clgraph.ranking.personalized.single import Single, takes
from clgraph.ranking.personalized.store import ALL, fill_from_store, stored_ranks
from clgraph.ranking.personalized.walks import Walks

if TYPE_CHECKING:
    from clgraph.ranking.personalized.engine import Engine, Request


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


def answer(request: Request) -> tuple[Outcome, dict[str, float]]:
    """What is found, by distinct source, and the seconds of each phase."""
    queries = request.queries
    from_store = np.flatnonzero(queries.on_dangling >= ALL).tolist() if request.options.stored else []
    jobs = sorted(set(range(queries.distinct)) - set(from_store))
    clock = Clock()
    if jobs:
        engine = make_engine(request, jobs)
        clock.lap("build")
        engine.upload()
        request.device.finish()
        clock.lap("upload")
        engine.compile()
        clock.lap("compile")
        found = engine.run()
        clock.lap("run")
    else:
        found = Outcome.blank(request, request.checked_round_off(0))
    if from_store:
        store = stored_ranks(request)
        clock.lap("upload")
        fill_from_store(request, store, from_store, found)
        line = f"{len(from_store)} sources without out-arcs: answered from what is stored"
        found = replace(found, plan=(*found.plan, line))
        clock.lap("run")
    return found, clock.seconds


def make_engine(request: Request, jobs: list[int]) -> Engine:
    """The engine for these distinct sources."""
    if request.options.method == "monte-carlo":
        return Walks(request, jobs)
    if takes(request, jobs):
        return Single(request, jobs)
    return Lanes(request, jobs)
