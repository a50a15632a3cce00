"""``python -m clgraph.device.first_probe SPEC IDENTITY``: `clgraph.device.probe` tries a device in a process of its own."""

from __future__ import annotations

import sys

from clgraph.device.device import list_devices
from clgraph.device.probe import probe_features, run_probe


def first_probe(spec: str, identity: tuple[str, ...]) -> None:
    """Probe the device that the parent means (and not another of the same number), its features too.

    What is found goes to the disk, where the parent finds it.
    """
    for device in list_devices():
        if device.spec == spec and device.identity == identity and run_probe(device) is None:
            probe_features(device)
    print("{}", flush=True)


if __name__ == "__main__":
    first_probe(sys.argv[1], tuple(sys.argv[2:]))
