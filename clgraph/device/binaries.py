"""``python -m clgraph.device.binaries``: makes those that `clgraph.device.background_build` has noted."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from typing import Any

from clgraph.device import cache
from clgraph.device.background_build import ROOM
from clgraph.device.choosing import get_device
from clgraph.device.folders import cache_folder
from clgraph.device.program import build_source
from clgraph.errors import ClgraphError


def make(build: Callable[..., bytes | None]) -> int:
    """Make what is wanted; returns how many binaries were stored.

    Parameters
    ----------
    build : callable
        Called with spec and identity of a device, source and options; gives the binary, or None if that is
        another device now.
    """
    stored = 0
    folder = cache_folder() / ROOM
    for key in sorted(os.listdir(folder)) if folder.is_dir() else []:
        entry = cache.load(ROOM, key)
        try:
            os.unlink(folder / key)
        except OSError:
            continue  # another process makes it
        binary = None
        if entry is not None:
            with contextlib.suppress(ClgraphError):  # the others may do
                binary = build(**json.loads(entry))
        if binary is not None:
            cache.store("programs", key, binary)
            stored += 1
    return stored


def build(spec: str, identity: list[str], source: str, options: list[str]) -> bytes | None:
    """`make`'s, on the devices of this machine."""
    device = get_device(spec)
    if list(device.hardware.identity) != identity:
        return None
    given: Any = tuple(options)
    return build_source(device.queues, "later", source, given, keep=False, save_failed=False).binary


def main() -> None:
    """Make all, with the time that no other process wants."""
    if hasattr(os, "nice"):
        os.nice(19)
    while make(build):
        pass


if __name__ == "__main__":
    main()
