"""The child processes ``python -m clgraph.device.children``, started by modules that this one imports.

``KNOWN SPEC IDENTITY`` for `clgraph.device.probe` and ``KNOWN`` for `clgraph.device.doctor` go through items
(see `clgraph.device.subprocesses.go_through`). ``build`` makes the binaries that
`clgraph.device.background_build` has noted.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from clgraph.device import cache
from clgraph.device.background_build import ROOM
from clgraph.device.choosing import get_device, list_devices
from clgraph.device.doctor import describe
from clgraph.device.probe import probe_steps
from clgraph.device.program import build_source
from clgraph.device.subprocesses import Step, serve
from clgraph.errors import ClgraphError


def probe(known: dict[str, Any], spec: str, identity: list[str]) -> Iterator[Step]:
    """Probe a device and its features.

    Parameters
    ----------
    known : dict
    spec : str
    identity : list of str
        Distinguishes the parent's device from another one that has the same spec here.
    """
    for device in list_devices():
        if device.spec == spec and list(device.identity) == identity:
            yield from probe_steps(device, known)


def describe_all() -> Iterator[Step]:
    """List the devices, then probe each."""
    devices = list_devices()
    yield "list", "", lambda: [describe(device, probed=False) for device in devices]
    for device in devices:
        yield device.spec, "", partial(describe, device)


# --- binaries ---------------------------------------------------------------------------------------------


def make(build: Callable[..., bytes | None]) -> int:
    """Build the binaries that are wanted; return how many were stored.

    Parameters
    ----------
    build : callable
        Called with spec and identity of a device, source and options; returns the binary, or None if that is
        another device now.
    """
    stored = 0
    folder = cache.cache_folder() / ROOM
    for key in sorted(os.listdir(folder)) if folder.is_dir() else []:
        entry = cache.load(ROOM, key)
        try:
            os.unlink(folder / key)
        except OSError:
            continue  # another process builds it
        binary = None
        if entry is not None:
            with contextlib.suppress(ClgraphError):  # the others may do
                binary = build(**json.loads(entry))
        if binary is not None:
            cache.store("programs", key, binary)
            stored += 1
    return stored


def build(spec: str, identity: list[str], source: str, options: list[str]) -> bytes | None:
    """Build a binary on the devices of this machine, for `make`."""
    device = get_device(spec)
    if list(device.identity) != identity:
        return None
    return build_source(device, "later", source, tuple(options), keep=False).binary


def main() -> None:
    """Probe a device, describe all of them, or build the binaries that are wanted."""
    if sys.argv[1:] == ["build"]:
        if hasattr(os, "nice"):
            os.nice(19)  # the time that no other process wants
        while make(build):
            pass
    else:
        serve(lambda known, *device: probe(known, *device) if device else describe_all())


if __name__ == "__main__":
    main()
