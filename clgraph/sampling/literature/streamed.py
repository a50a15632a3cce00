"""Samples of streams of which no graph exists: files, iterators, standard input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.arguments import word
from clgraph.errors import InputError
from clgraph.formats.arrivals import Chunk, Names, arrivals, is_stream
from clgraph.run import run_on
from clgraph.sampling.literature.drawn import Drawn
from clgraph.sampling.literature.listed import Column
from clgraph.sampling.literature.stream import StreamRun
from clgraph.sampling.literature.stream_order import rule_of, told_of
from clgraph.sampling.methods import serial_device
from clgraph.sampling.options import check_seeds
from clgraph.sampling.request import check_stream
from clgraph.sampling.result import Sample

if TYPE_CHECKING:
    from clgraph.device import Device

__all__ = ["in_units", "is_stream", "stream_samples"]

SCALE = 1 << 16  # weights of a stream are counted in units of 1 / SCALE, since the largest is not known
LARGEST = 2.0**40  # 2^56 units: sums of 256 of them fit into 64 bits


def stream_samples(
    source: Any,
    method: str,
    size: Any,
    sizes: Sequence[Any] | None,
    seeds: int | None,
    options: Mapping[str, Any],
    reading: Mapping[str, Any] | None = None,
) -> list[Sample]:
    """One pass through a stream: run after run, each with its sizes in the order given.

    Parameters
    ----------
    source
        See `clgraph.formats.arrivals`.
    reading : mapping, optional
        How a file is read.
    """
    weighted = bool(options.get("weighted"))
    ids = options.get("ids")
    if ids is not None:
        word(ids, "ids", ("int", "str"))
    read_as = {"ids": ids, **(reading or {})}
    asked = [size] if sizes is None else list(sizes)
    if sizes is not None and (size is not None or not asked):
        raise InputError("give either size or sizes, and at least one")
    wishes = [check_stream(method, each, options) for each in asked]
    first = keyed.check_seed(options.get("seed"))
    runs = check_seeds(first, seeds)

    from clgraph.device import get_device

    started = perf_counter()
    device = serial_device(get_device(options.get("device")))
    with run_on(device) as run:
        run.seconds["device"] = perf_counter() - started
        passes = [StreamRun(device, rule_of(wish), first, runs) for wish in wishes]
        loops, names = 0, Names()
        for chunk in arrivals(source, names, weighted=weighted, **read_as):
            loops += chunk.loops
            _feed(device, passes, chunk)
            if names.full:
                names.keep(np.concatenate([each.ids() for each in passes]))
        if passes[0].arrivals == 0:
            raise InputError("the stream holds no edges" + (" but loops" if loops else ""))
        results = [each.result() for each in passes]
        if names.text:
            results = [[held.named(names) for held in each] for each in results]
        run.lap("sample")
        provenance, seconds = run.provenance, dict(run.seconds)
    common = (f"{loops} self-loops play no part",) if loops else ()
    nothing = Column.of_parts([])  # the vertices have no indices
    made = []
    for i in range(runs):
        for wish, result in zip(wishes, results, strict=True):
            held = result[i]
            notes = told_of(wish, held)
            if not held.complete and options.get("strict"):
                raise InputError(f"{notes[0].split(':')[0]}: ask for less (or without strict)")
            made.append(
                Sample(
                    wish.method,
                    wish.mode,
                    wish.size,
                    wish.target or wish.target_edges,
                    first + i,
                    device.name,
                    dict(seconds),
                    way=wish.kind,
                    notes=(*common, *notes),
                    options={name: options[name] for name in wish.plan.options if options.get(name)},
                    selection=Drawn(nothing, held=[held], wish=wish),
                    provenance=provenance,
                )
            )
    return made


def _feed(device: Device, passes: list[StreamRun], chunk: Chunk) -> None:
    count = len(chunk.source)
    if count == 0:
        return
    source = device.upload(chunk.source, writable=True)
    target = device.upload(chunk.target, writable=True)
    weight = None
    if chunk.weight is not None:
        weight = device.upload(in_units(chunk.weight), writable=True)
    for each in passes:
        each.feed(source, target, weight, count)


def in_units(weight: npt.NDArray[np.float64]) -> npt.NDArray[np.uint64]:
    """Weights in units of 1 / SCALE: at least 1 where they are not 0.

    Raises
    ------
    InputError
        If one is too large.
    """
    if weight.max(initial=0) > LARGEST:
        raise InputError(
            f"the weight {weight.max()}: those of a stream are at most 2**40, in units of 2**-16"
        )
    whole = np.floor(weight * SCALE + 0.5).astype(np.uint64)
    whole[(whole == 0) & (weight > 0)] = 1
    return whole
