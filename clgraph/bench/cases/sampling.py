"""Samples of half a graph by every method: seconds by phase, energy, and one core beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from clgraph.arguments import target_size
from clgraph.bench.graphs import size_of
from clgraph.bench.harness import Absent, Case, Context, Figures, median, quantity, timed
from clgraph.csr.upload import upload_csr
from clgraph.device import Device, subprocesses
from clgraph.graph import Graph
from clgraph.reference import reference_sample
from clgraph.sampling import Sample, sample
from clgraph.sampling.request import check_request
from clgraph.sampling.runs import make_run
from clgraph.theses.copra import CHARACTERISTICS

# the thesis's methods, which are compared with one core; all are batched, two of them exact, too
CORE = (("drv", "exact"), ("drv", "batched"), ("dre", "exact"), ("dre", "batched"), ("drve", "batched"))
MODES = (*CORE, *((method, "batched") for method in ("dhyb", "cre", "crve", "ebfs", "edfs")))
METHODS = tuple(dict.fromkeys(method for method, _ in MODES))
SIZE, SEED = "50%", 7
# the loop of the definition in batches, on scipy.sparse.csgraph: a minute at 3 M vertices
LOOP_VERTICES = 300_000
# on one core the thesis's methods together take half a minute at 1 M vertices
CORE_VERTICES = 1_000_000


def cases(graphs: Sequence[str], peers: str) -> Iterator[Case]:
    """Yield the cases of sampling; without `peers` also none on one core."""

    def case(graph: str, what: str, who: str, run: Any, *args: Any) -> Case:
        about = {"size": SIZE, "seed": SEED}
        return Case("sampling", graph, what, who, partial(run, graph, *args), who == "clgraph", about)

    for graph in graphs:
        for method, mode in MODES:
            yield case(graph, f"{method} {mode}", "clgraph", measure, method, mode)
        for method, mode in CORE if peers and size_of(graph) <= CORE_VERTICES else ():
            yield case(graph, f"{method} {mode}", "clgraph, one core", _on_one_core, method, mode)
        if peers and size_of(graph) <= LOOP_VERTICES:
            yield case(graph, "drv batched", "scipy loop", _loop)
    # the thesis's table on the largest graph alone: small graphs only approximate its rows
    for graph in graphs[-1:]:
        for method in CHARACTERISTICS:
            # exact mode takes the place of the thesis's sequential program; drve has none
            for mode in ("exact", "batched") if method != "drve" else ("batched",):
                run, what = partial(_rows, graph, method, mode), f"characteristics {method} {mode}"
                yield Case("sampling", graph, what, "clgraph", run, True, {"seed": 1})


def measure(name: str, method: str, mode: Any, context: Context) -> Figures:
    """Measure whole calls, runs on the device alone, and the first look at the sample's arrays."""
    device, graph = context.device, context.graph(name)
    alone = Alone(device, graph, method, mode)
    alone()  # not counted: builds kernels, touches pages
    runs = timed(alone, context.repeat, keep=lambda seconds: {"kernels": seconds})
    found: dict[str, Any] = {}
    last: list[Sample] = []

    def call() -> dict[str, float]:
        made = sample(graph, method, size=SIZE, seed=SEED, mode=mode, device=device)
        found.update(
            way=made.algorithm,
            vertices=made.graph.num_vertices,
            edges=made.num_edges,
            iterations=made.iterations,
        )
        last[:] = [made]
        return made.seconds

    calls = timed(call, context.repeat, keep=lambda seconds: seconds, limit=3)
    values = {"kernels": runs.phase("kernels"), "call": calls.quantity}
    values |= {name: calls.phase(name) for name in ("download", "result")}
    # arrays of a sample come to the host at the first look at them: the time of that is a figure of its own
    begin = time.perf_counter()
    graph_of_sample = last[0].graph
    for name in ("row_ptr", "col_idx", "ids"):
        getattr(graph_of_sample, name)
    values["look"] = quantity(time.perf_counter() - begin, "s")
    energy = context.energy(alone, "a run on the device: its arrays, and the sampling")
    details = {**found, "of_vertices": graph.num_vertices, "of_edges": graph.num_edges}
    return Figures(values, details, energy)


class Alone:
    """A run without upload, download and the sample's graph; a call returns its seconds of sampling."""

    def __init__(self, device: Device, graph: Graph, method: str, mode: Any) -> None:
        self._device, self._graph = device, graph
        self._options = check_request(graph, method, {"mode": mode})
        self._target = target_size(SIZE, graph.num_vertices)
        upload_csr(device, graph.undirected.without_self_loops)
        device.finish()

    def __call__(self) -> float:
        run = make_run(self._device, self._graph, self._options, SEED)
        self._device.finish()
        begun = time.perf_counter()
        run.start()
        run.shrink_to(self._target)
        self._device.finish()
        return time.perf_counter() - begun


# --- one core ------------------------------------------------------------------------------------------


def _loop(name: str, context: Context) -> Figures:
    """Runs once: it takes seconds to minutes, and nothing is compiled at first use."""
    graph = context.graph(name)
    begun = time.perf_counter()
    reference_sample(graph, "drv", size=SIZE, seed=SEED, mode="batched")
    return Figures({"call": quantity(time.perf_counter() - begun, "s")})


def _on_one_core(name: str, method: str, mode: str, context: Context) -> Figures:
    context.graph(name)  # results of `once` are cached with the graph
    # one process for all methods: it takes longer to start than a small sample
    done = context.once("one core", lambda: child({"graph": name, "repeat": context.repeat}))
    return Figures({"kernels": median(done["kernels"][f"{method} {mode}"])}, {"device": done["device"]})


def child(asked: dict[str, Any]) -> dict[str, Any]:
    """Kernel seconds of the thesis's methods on one core of a CPU device.

    In a separate process, since drivers count cores when they are loaded.

    Raises
    ------
    Absent
        There is no CPU device here.
    """
    # drivers start a thread for each core that the process may use
    if not hasattr(os, "sched_setaffinity"):
        raise Absent("this system binds no process to a core")
    core = min(os.sched_getaffinity(0))
    env = {
        **subprocesses.environment(),
        "POCL_MAX_PTHREAD_COUNT": "1",
        "OMP_NUM_THREADS": "1",
        "CLGRAPH_BENCH_CORE": str(core),
    }
    done = subprocesses.run(
        [sys.executable, *subprocesses.options(), "-m", "clgraph.bench.one_core", json.dumps(asked)],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    if done.returncode != 0:
        raise RuntimeError(f"the process on one core ended with {done.returncode}: {done.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    if "absent" in answer:
        raise Absent(answer["absent"])
    return answer


# --- the COPRA thesis's Table 4.2: what samples keep of a power-law graph, step by step and in batches -----


def _rows(name: str, method: str, mode: Any, context: Context) -> Figures:
    graph = context.graph(name)
    whole = context.once("characteristics", lambda: characteristics(graph))
    percents = [row[0] for row in CHARACTERISTICS[method]]
    shares = [round(1 - percent / 100, 4) for percent in percents]
    made = sample(graph, method, sizes=shares, seed=1, mode=mode, device=context.device)
    rows = [
        {"removed": percent, **characteristics(each.graph), "seconds": each.seconds["sample"]}
        for percent, each in zip(percents, made, strict=True)
    ]
    seconds = sum(row["seconds"] for row in rows)
    return Figures({"kernels": quantity(seconds, "s")}, {"whole": whole, "rows": rows})


def characteristics(graph: Graph) -> dict[str, float]:
    """Average degree and the two exponents: slopes of least-squares lines in log-log (degree: frequency
    against degree; rank: degree against rank), as the thesis has them."""
    degrees = np.asarray(graph.degrees)
    count = np.bincount(degrees)
    degree = np.flatnonzero(count[1:]) + 1
    by_rank = np.repeat(degree[::-1], count[degree][::-1])
    rank = np.arange(1, len(by_rank) + 1)
    return {
        "vertices": graph.num_vertices,
        "average_degree": graph.num_arcs / graph.num_vertices,
        "degree_exponent": _slope(np.log(degree), np.log(count[degree])),
        "rank_exponent": _slope(np.log(rank), np.log(by_rank)),
    }


def _slope(x: Any, y: Any) -> float:
    """By the definition: polyfit makes several arrays as long as a large graph has vertices."""
    x = x - x.mean()
    square = float(x @ x)
    return float(x @ y) / square if square else float("nan")
