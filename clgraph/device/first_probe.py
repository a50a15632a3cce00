"""``python -m clgraph.device.first_probe SPEC IDENTITY``: the child process of `clgraph.device.probe`."""

from __future__ import annotations

import sys

from clgraph.device.choosing import list_devices
from clgraph.device.probe import probe_features, run_probe


def first_probe(spec: str, identity: tuple[str, ...]) -> None:
    """Probe a device and its features; the results go to the disk cache, where the parent finds them.

    Parameters
    ----------
    spec : str
    identity : tuple of str
        Tells the parent's device from another one that has the same spec here.
    """
    for device in list_devices():
        same = device.spec == spec and device.identity == identity
        if same and run_probe(device.queues, device.memory) is None:
            probe_features(device.queues, device.memory)
    print("{}", flush=True)


if __name__ == "__main__":
    first_probe(sys.argv[1], tuple(sys.argv[2:]))
