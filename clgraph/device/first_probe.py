"""``python -m clgraph.device.first_probe WHAT SPEC IDENTITY``: a child process of `clgraph.device.probe`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from clgraph.device import child
from clgraph.device.choosing import list_devices
from clgraph.device.probe import run_probe, run_probe_features

if TYPE_CHECKING:
    from clgraph.device.device import Device


def first_probe(what: str, spec: str, identity: tuple[str, ...]) -> None:
    """Probe a device or its features, and print what was found as JSON.

    Parameters
    ----------
    what : str
        "device"; "features", which also go to the disk cache; "all" for both; "none" for the OpenCL C
        standard alone; or the name of one feature.
    spec : str
    identity : tuple of str
        Tells the parent's device from another one that has the same spec here.
    """
    answer = None
    child.started()
    for device in list_devices():
        if device.spec == spec and device.identity == identity:
            answer = _answer(what, device)
    print(json.dumps(answer), flush=True)


def _answer(what: str, device: Device) -> Any:
    """None, or the standard and the names of features."""
    if what in ("device", "all"):
        fault = run_probe(device.queues, device.memory)
        if what == "device" or fault is not None:
            return None
    only = {"all": None, "features": None, "none": []}.get(what, [what])
    standard, names = run_probe_features(device.queues, device.memory, only)
    return standard, sorted(names)


if __name__ == "__main__":
    first_probe(sys.argv[1], sys.argv[2], tuple(sys.argv[3:]))
