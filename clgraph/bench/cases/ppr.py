"""Personalized PageRank: every method, one and many sources, time per source and accuracy of the top 20."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from clgraph.bench import peers as others
from clgraph.bench.harness import CALIFORNIA, Absent, Case, Context, Figures, median, quantity, size, timed
from clgraph.graph import Graph
from clgraph.ranking.personalized import personalized_pagerank
from clgraph.reference.pagerank import reference_ppr, top_accuracy
from clgraph.theses.printed import CONTEST, PPR

TOP = 20
# how many sources are drawn among vertices with out-arcs, and how many of them also run one at a time
SOURCES, SINGLES = 64, 4
WALKS = (20_000, 200_000)
SLOW = 5.0  # seconds after which a peer gets no further source; "asked" says how many it got
SLIDES = "slides: "  # in front of what a row of the slides' table does
# of larger graphs the reference is the device's own float64 power method: SciPy takes minutes
REFERENCE_ARCS = 5_000_000
WAYS: dict[str, dict[str, Any]] = {
    "coo": {"method": "coo"},
    "coo-flat": {"method": "coo-flat"},
    "power": {"method": "power"},
    "power, check every 5th": {"check_every": 5},
    "power, squared": {"squared": True},
    "power, stable top 20": {"stable_top": 2},
    "power, dangling from store": {"stored": True},
    **{f"monte-carlo, {n} walks": {"method": "monte-carlo", "walks": n, "seed": 1} for n in WALKS},
}


def cases(graphs: Sequence[str], peers: str) -> Iterator[Case]:
    """Yield the cases of personalized PageRank: of each graph, and of the contest's sources of California."""
    for graph in (*graphs, CALIFORNIA):
        query = Query(graph)
        for name, options in WAYS.items():
            yield _ours(query, name, options)
            if not name.startswith("coo"):  # these take one source after the other: nothing new
                yield _ours(replace(query, at_once=True), f"{name}, all at once", options)
        if graph == CALIFORNIA:
            continue
        for name, *_, dangling, given in PPR:
            some, what = replace(query, dangling=dangling), f"{SLIDES}{name}"
            if given is not None and "seed" in given:
                for count in WALKS[:1] if dangling else WALKS:
                    yield _ours(some, f"{what}, {count} walks", {**given, "walks": count})
            elif given is not None:
                yield _ours(some, what, given)
        for who in others.wanted(others.PPR, peers):
            about = {"sources": SOURCES, "top": TOP}
            yield Case("ppr", graph, "one source", who, partial(_peer, query, who), False, about)


def does(what: str, name: str) -> bool:
    """True if a case repeats a row of the slides' table."""
    return re.fullmatch(rf"{SLIDES}{re.escape(name)}(, \d+ walks)?", what) is not None


@dataclass(frozen=True)
class Query:
    """Which sources of which graph, and what their ranks are compared with."""

    graph: str
    dangling: bool = False
    at_once: bool = False

    def ids(self, context: Context) -> Any:
        """Ids of the sources: the contest's of California, else drawn among vertices with out-arcs.

        Raises
        ------
        Absent
            Dangling sources are asked for, and the graph has none.
        """
        graph = context.graph(self.graph, directed=True)
        if self.dangling:
            ends = np.flatnonzero(graph.degrees == 0)[:SINGLES]
            if not len(ends):
                raise Absent("the graph has no vertex without out-arcs")
            return graph.ids[ends]
        if self.graph == CALIFORNIA:
            return graph.ids[CONTEST]
        live = np.flatnonzero(graph.degrees > 0)
        count = min(SOURCES, max(4, len(live) // 128))  # small graphs are quickly done with
        return graph.ids[np.random.default_rng(5).choice(live, min(count, len(live)), replace=False)]

    def ranks(self, context: Context) -> Any:
        """The power method in float64 to an L2 difference of 1e-12, by SciPy or on the device."""
        graph, ids = context.graph(self.graph, directed=True), self.ids(context)

        def make() -> Any:
            options: Any = {"dtype": "float64", "tol": 1e-12, "max_iter": 1000, "device": context.device}
            # eight at a time: float64 ranks of all sources together may exceed memory
            parts = [ids[i : i + 8] for i in range(0, len(ids), 8)]
            if graph.num_arcs <= REFERENCE_ARCS:
                return np.concatenate([reference_ppr(graph, part) for part in parts])
            return np.concatenate([personalized_pagerank(graph, part, **options).scores for part in parts])

        return context.once(f"reference {len(ids)} {self.dangling}", make)


def accuracy(graph: Graph, ids: Any, want: Any) -> float:
    """Mean over the sources of the share of the best 20 that were found."""
    pairs = zip(ids, want, strict=True)
    return float(np.mean([top_accuracy(graph.indices_of(one), ranks, TOP) for one, ranks in pairs]))


def _ours(query: Query, what: str, options: dict[str, Any]) -> Case:
    about = {"sources": SOURCES, "top": TOP} | ({} if query.at_once else {"singles": SINGLES})
    return Case("ppr", query.graph, what, "clgraph", partial(_measure, query, options), True, about)


def _measure(query: Query, options: dict[str, Any], context: Context) -> Figures:
    graph, device = context.graph(query.graph, directed=True), context.device
    sources, want = query.ids(context).tolist(), query.ranks(context)
    each = len(sources) if query.at_once else 1
    calls, runs, ids, iterations = [], [], [], []

    def call(source: Any) -> Any:
        how = {"top": TOP, "max_iter": 1000, **options}
        return personalized_pagerank(graph, source, **how, device=device)

    parts = [sources] if query.at_once else sources[:SINGLES]
    call(parts[0])  # not counted: kernels are built
    for source in parts:
        timing = timed(partial(call, source), context.repeat, keep=lambda found: found, limit=5)
        calls.append(statistics.median(timing.seconds) / each)
        runs.append(statistics.median(found.seconds["run"] for found in timing.results) / each)
        ids += list(timing.results[-1].ids)
        iterations.append(float(timing.results[-1].iterations.mean()))
    right = quantity(accuracy(graph, ids, want[: len(ids)]), "")
    values = {"kernels": median(runs), "call": median(calls), "accuracy": right}
    details = {**size(graph), "iterations": float(np.mean(iterations)), "at_once": each}
    energy = context.energy(partial(call, parts[0]), f"a call of {each} sources")
    return Figures(values, details, energy)


def _peer(query: Query, who: str, context: Context) -> Figures:
    graph = context.graph(query.graph, directed=True)
    ask = others.made(who, others.PPR[who], graph)
    want = query.ranks(context)
    seconds, ids = [], []
    for source in graph.indices_of(query.ids(context)[:2]).tolist():
        timing = timed(partial(ask, source), context.repeat, keep=lambda ranks: ranks, limit=5)
        seconds.append(statistics.median(timing.seconds))
        ids.append(graph.ids[np.argsort(-timing.results[-1], kind="stable")[:TOP]])
        if sum(seconds) > SLOW:
            break
    right = accuracy(graph, ids, want[: len(ids)])
    details = {**size(graph), "at_once": 1, "asked": len(ids)}
    return Figures({"call": median(seconds), "accuracy": quantity(right, "")}, details)
