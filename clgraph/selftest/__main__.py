"""``python -m clgraph.selftest KNOWN DRIVER``: the child process of `clgraph.device.driver_selftest`.

Its items are kernel families (see `clgraph.device.subprocesses.go_through`).
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from clgraph.device.choosing import list_devices
from clgraph.device.hardware import Setup, Without
from clgraph.device.subprocesses import say
from clgraph.selftest.checks import selftest


def main(known: dict[str, Any], driver: dict[str, Any]) -> None:
    """Run the checks of all families that are not known yet."""
    setup = Setup(driver["kernels"], force=True, without=Without.wanted(driver["without"]))
    for device in list_devices(oclgrind="Oclgrind" in driver["identity"][0]):
        device = device.with_setup(setup)
        if device.spec == driver["spec"] and list(device.identity) == driver["identity"]:
            for check in selftest(device, skip=known, before=lambda *begun: say(at=begun)):
                say(found=asdict(check))
    say(end=True)


if __name__ == "__main__":
    main(*map(json.loads, sys.argv[1:]))
