"""``--trace``: what runs on the devices of a command, and how long; one file for all ranks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any

import click

from clgraph.device.profiling import Activity, Profile, profile, write_traces

if TYPE_CHECKING:
    from clgraph.device import Device


@contextmanager
def traced(path: str, spec: str | None) -> Iterator[None]:
    """Time what the devices do; write the trace, and print the table."""
    from clgraph.formats import check_writable
    from clgraph.scale.ranks import Mpi, devices_of, world

    check_writable(path, "edges")
    comm = world()
    with ExitStack() as stack:
        measured = [stack.enter_context(profile(device)) for device in _once(devices_of(spec, comm))]
        yield
    names = [each.device for each in measured]
    if comm is not None:
        ranks = Mpi(comm)
        measured = _of_all(ranks, measured[0])
        names = [f"rank {rank}: {each.device}" for rank, each in enumerate(measured)]
        if ranks.rank:
            return
    write_traces(path, list(zip(names, measured, strict=True)))
    whole = Profile([each for part in measured for each in part.activities])
    click.echo(f"{whole}\n{path}: {len(whole.activities)} kernels and copies on {', '.join(names)}", err=True)


def _once(devices: list[Device]) -> list[Device]:
    return list({id(device): device for device in devices}.values())


def _of_all(ranks: Any, own: Profile) -> list[Profile]:
    """The measurements of all ranks, at each of them."""
    import numpy as np

    text = json.dumps([own.device, [astuple(each) for each in own.activities]]).encode()
    made = []
    for each in ranks.everywhere(np.frombuffer(text, np.uint8)):
        device, activities = json.loads(bytes(each))
        made.append(Profile([replace(Activity(*some), size=tuple(some[-1])) for some in activities], device))
    return made
