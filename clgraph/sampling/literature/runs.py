"""Runs of the samplers of the literature: checks, chunks that fit the device, results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph import keyed
from clgraph.arguments import shown, word
from clgraph.errors import InputError
from clgraph.formats.arrivals import Names, arrivals
from clgraph.graph import Graph
from clgraph.methods import METHODS
from clgraph.run import run_on, serial_device
from clgraph.sampling.literature.chordal import Chordal
from clgraph.sampling.literature.engine import Engine
from clgraph.sampling.literature.growing import Diffusion, Expansion, Trees
from clgraph.sampling.literature.paths import Paths
from clgraph.sampling.literature.smallest import Column
from clgraph.sampling.literature.spreading import Spikyballs, Stages
from clgraph.sampling.literature.streams import SAMPLERS, GraphStream, feed_chunk, note_of
from clgraph.sampling.literature.walks import Frontier, Walks, chain_device
from clgraph.sampling.literature.weighted_draw import EdgeRace, NeighbourRace, VertexRace
from clgraph.sampling.request import Request, check_request, check_seeds, check_stream, given_options
from clgraph.sampling.result import Sample
from clgraph.sampling.samples import Batch
from clgraph.sampling.selection import Selection

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


def asked_sizes(size: Any, sizes: Sequence[Any] | None) -> list[Any]:
    """Return the sizes of a run's samples; [None] where none is given, as methods may have other measures."""
    if sizes is None:
        return [size]
    if size is not None:
        raise InputError("pass either size or sizes: the largest number of vertices in the sample")
    if isinstance(sizes, (str, Mapping)) or not isinstance(sizes, Sequence) or not sizes:
        raise InputError(
            f"sizes is {shown(sizes)}: give a list, such as ['70%', '50%'] (size takes a single one)"
        )
    return list(sizes)


def draw(device: Device, request: Request, seed: int, runs: int) -> list[tuple[Selection, int]]:
    """Draw runs with the seeds `seed`, `seed` + 1, ..., as many side by side as fit in memory.

    Returns
    -------
    list of (Selection, int)
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


class Drawing(run_on):
    """A call that draws runs; what is a chain of steps runs on the host's CPU, if it has a driver.

    Attributes
    ----------
    first, runs : int
        The first run's seed, and how many there are.
    notes : tuple of str
        Of all samples.
    """

    def __init__(self, requests: Sequence[Request], seeds: int | None, options: Mapping[str, Any]) -> None:
        from clgraph.device import get_device

        self.first = keyed.check_seed(options.get("seed"))
        self.runs = 1 if seeds is None else check_seeds(self.first, seeds)
        started = perf_counter()
        device = get_device(options.get("device"))
        self.notes: tuple[str, ...] = ()
        if requests[0].serial:
            device = serial_device(device)
        elif self.runs == 1:
            device, self.notes = chain_device(device, requests)
        super().__init__(device)
        self.seconds["device"] = perf_counter() - started

    def samples(
        self,
        by_size: list[list[tuple[Selection, int]]],
        options: Mapping[str, Any],
        notes: tuple[str, ...] = (),
        original: Graph | None = None,
    ) -> Batch:
        """Return the samples: run after run, each with its sizes in the order given."""
        seconds = dict(self.seconds)
        drawn = {id(each): each for made in by_size for each, _ in made}
        walking = sum(each.walking for each in drawn.values())
        if walking:
            seconds |= {"walk": walking, "sample": seconds["sample"] - walking}
        about = {
            "options": options,
            "device": self.device.name,
            "seconds": seconds,
            "original": original,
            "provenance": self.provenance,
        }
        make = partial(_sample_of, by_size, self.first, (*self.notes, *notes), about)
        return Batch(make, self.runs * len(by_size), made={})


def drawn_samples(
    graph: Graph,
    method: str,
    size: Any,
    sizes: Sequence[Any] | None,
    seeds: int | None,
    options: Mapping[str, Any],
) -> Batch:
    """Return the samples of `clgraph.sample`: run after run, each with its sizes in the order given."""
    strict = bool(options.get("strict", False))
    wanted = [check_request(graph, method, options, each, strict=strict) for each in asked_sizes(size, sizes)]
    loops = graph.undirected.num_self_loops
    notes = (f"{loops} self-loops play no part and are not in the sample",) if loops else ()
    call = Drawing(wanted, seeds, options)
    with call.lock, call:
        wanted[0].view.csr(call.device)
        call.device.finish()
        call.lap("upload")
        by_size = [draw(call.device, request, call.first, call.runs) for request in wanted]
        call.lap("sample")
        return call.samples(by_size, given_options(options), notes, graph)


def stream_samples(
    source: Any,
    method: str,
    size: Any,
    sizes: Sequence[Any] | None,
    seeds: int | None,
    options: Mapping[str, Any],
    reading: Mapping[str, Any] | None = None,
) -> Batch:
    """Make one pass through a stream of which no graph exists: run after run, each with its sizes.

    Parameters
    ----------
    source
        See `clgraph.formats.arrivals`.
    reading : mapping, optional
        How a file is read.
    """
    ids = options.get("ids")
    if ids is not None:
        word(ids, "ids", ("int", "str"))
    requests = [check_stream(method, each, options) for each in asked_sizes(size, sizes)]
    call = Drawing(requests, seeds, options)
    with call.lock, call:
        passes = [SAMPLERS[method](call.device, each, call.first, call.runs) for each in requests]
        loops, names, read_as = 0, Names(), {"ids": ids, **(reading or {})}
        for chunk in arrivals(source, names, weighted=bool(options.get("weighted")), **read_as):
            loops += chunk.loops
            feed_chunk(call.device, passes, chunk)
            if names.full:
                names.keep(np.concatenate([each.ids() for each in passes]))
        if passes[0].arrivals == 0:
            raise InputError("the stream holds no edges" + (" but loops" if loops else ""))
        common = (f"{loops} self-loops play no part",) if loops else ()
        by_size = []
        for request, each in zip(requests, passes, strict=True):
            reservoirs = [one.named(names) for one in each.result()]
            short = [note_of(request, one) for one in reservoirs]
            for note, one in zip(short, reservoirs, strict=True):
                if options.get("strict") and not one.complete:
                    raise InputError(f"{note[0].split(':')[0]}: ask for less (or without strict)")
            notes = [(*common, *note) for note in short]
            # the vertices have no indices
            drawn = Selection(Column.of_parts([]), notes=notes, reservoirs=reservoirs, request=request)
            by_size.append([(drawn, i) for i in range(call.runs)])
        call.lap("sample")
        given = {name: options[name] for name in METHODS[method].options if options.get(name)}
        return call.samples(by_size, given)


def _sample_of(
    by_size: list[list[tuple[Selection, int]]],
    first: int,
    notes: tuple[str, ...],
    about: dict[str, Any],
    i: int,
) -> Sample:
    """Return sample i of runs from the seed `first` on; all share `notes` and `about`."""
    run, size = divmod(i, len(by_size))
    drawn, at = by_size[size][run]
    request = drawn.request
    return Sample(
        request.method,
        request.mode,
        request.size,
        request.target or request.target_edges,
        first + run,
        iterations=0 if drawn.rounds is None else int(drawn.rounds[at]),
        algorithm=request.kind,
        notes=(*request.notes, *(drawn.notes[at] if drawn.notes else ()), *notes),
        selection=drawn,
        at=at,
        **about,
    )
