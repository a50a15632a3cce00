"""Runs of the samplers of the literature: checks, chunks that fit the device, results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from clgraph import keyed
from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.run import run_on, serial_device
from clgraph.sampling.literature.chordal import Chordal
from clgraph.sampling.literature.engine import Engine
from clgraph.sampling.literature.growing import Diffusion, Expansion, Trees
from clgraph.sampling.literature.paths import Paths
from clgraph.sampling.literature.selection import Drawn
from clgraph.sampling.literature.spreading import Spikyballs, Stages
from clgraph.sampling.literature.streams import GraphStream
from clgraph.sampling.literature.walks import Frontier, Walks
from clgraph.sampling.literature.weighted_draw import EdgeRace, NeighbourRace, VertexRace
from clgraph.sampling.request import Request, check_request, check_seeds, given_options
from clgraph.sampling.result import Batch, Sample

if TYPE_CHECKING:
    from clgraph.device import Device

# by kind of method
ENGINES: dict[str, type[Engine]] = {
    "vertices": VertexRace,
    "edges": EdgeRace,
    "ties": EdgeRace,
    "near": NeighbourRace,
    "walk": Walks,
    "frontier": Frontier,
    "stages": Stages,
    "spikyball": Spikyballs,
    "passage": Diffusion,
    "expansion": Expansion,
    "paths": Paths,
    "tree": Trees,
    "chordal": Chordal,
    "stream": GraphStream,
}
# bytes of the runs that go side by side, where the device shares the host's memory
HOST_SHARE = 1 << 28


def requests(
    graph: Graph,
    method: str,
    size: Any,
    sizes: Sequence[Any] | None,
    strict: bool,
    options: Mapping[str, Any],
) -> list[Request]:
    """Check the arguments; return one request per size."""
    if sizes is None:
        return [check_request(graph, method, options, size, strict=strict)]
    if size is not None:
        raise InputError("pass either size or sizes: the largest number of vertices in the sample")
    if isinstance(sizes, (str, Mapping)) or not isinstance(sizes, Sequence) or not sizes:
        raise InputError(
            f"sizes is {shown(sizes)}: give a list, such as ['70%', '50%'] (size takes a single one)"
        )
    return [check_request(graph, method, options, each, strict=strict) for each in sizes]


def draw(device: Device, request: Request, seed: int, runs: int) -> list[tuple[Drawn, int]]:
    """Draw runs with the seeds `seed`, `seed` + 1, ..., as many side by side as fit in memory.

    Returns
    -------
    list of (Drawn, int)
        For each run the selection that holds it, and its index in that selection.
    """
    # a quarter: the graph, and what samples leave there, need room as well
    room = HOST_SHARE if device.shares_memory else device.global_memory // 4
    engine = ENGINES[request.kind]
    each = max(1, room // max(1, engine.bytes_per_run(request.view, request)))
    # the trail has room for a step of each walker
    if request.kind == "walk":
        each = max(1, min(each, (1 << 30) // request.walkers))
    made = []
    for first in range(0, runs, each):
        some = min(each, runs - first)
        drawn = replace(engine(device, request.view, request, seed + first, some).draw(), request=request)
        made += [(drawn, run) for run in range(some)]
    return made


def drawn_samples(
    graph: Graph,
    method: str,
    size: Any,
    sizes: Sequence[Any] | None,
    seeds: int | None,
    options: Mapping[str, Any],
) -> Batch:
    """Return the samples of `clgraph.sample`: run after run, each with its sizes in the order given."""
    wanted = requests(graph, method, size, sizes, bool(options.get("strict", False)), options)
    first = keyed.check_seed(options.get("seed"))
    runs = 1 if seeds is None else check_seeds(first, seeds)

    from clgraph.device import get_device

    started = perf_counter()
    device = get_device(options.get("device"))
    if wanted[0].serial:
        device = serial_device(device)
    loops = graph.undirected.num_self_loops
    notes = (f"{loops} self-loops play no part and are not in the sample",) if loops else ()
    with run_on(device) as run:
        run.seconds["device"] = perf_counter() - started
        wanted[0].view.csr(device)
        device.finish()
        run.lap("upload")
        by_size = [draw(device, request, first, runs) for request in wanted]
        run.lap("sample")
        given = given_options(options)
        seconds = dict(run.seconds)
        drawn = {id(each): each for made in by_size for each, _ in made}
        walking = sum(each.walking for each in drawn.values())
        if walking:
            seconds |= {"walk": walking, "sample": seconds["sample"] - walking}
        about = {
            "options": given,
            "device": device.name,
            "seconds": seconds,
            "original": graph,
            "provenance": run.provenance,
        }
        return Batch(partial(_sample_of, by_size, first, notes, about), runs * len(wanted), made={})


def _sample_of(
    by_size: list[list[tuple[Drawn, int]]], first: int, notes: tuple[str, ...], about: dict[str, Any], i: int
) -> Sample:
    """Return sample i of runs from the seed `first` on; all share `notes` and `about`."""
    run, size = divmod(i, len(by_size))
    drawn, at = by_size[size][run]
    request = drawn.request
    return Sample(
        request.method,
        request.mode,
        request.size,
        request.target if request.target is not None else request.target_edges,
        first + run,
        iterations=0 if drawn.rounds is None else int(drawn.rounds[at]),
        algorithm=request.kind,
        notes=(*request.notes, *(drawn.notes[at] if drawn.notes else ()), *notes),
        selection=drawn,
        at=at,
        **about,
    )
