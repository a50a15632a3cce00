"""``python -m clgraph.selftest KNOWN DRIVER``: the child process of `clgraph.device.driver_selftest`.

Its items are kernel families (see `clgraph.device.subprocesses.go_through`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clgraph.device.choosing import list_devices
from clgraph.device.hardware import Setup, Without
from clgraph.device.subprocesses import Step, serve
from clgraph.selftest.checks import list_checks


def steps(_: object, driver: dict[str, Any]) -> Iterator[Step]:
    """The checks of a driver's device."""
    setup = Setup(driver["kernels"], force=True, without=Without.wanted(driver["without"]))
    for device in list_devices(oclgrind="Oclgrind" in driver["identity"][0]):
        device = device.with_setup(setup)
        if device.spec == driver["spec"] and list(device.identity) == driver["identity"]:
            yield from list_checks(device)


if __name__ == "__main__":
    serve(steps)
