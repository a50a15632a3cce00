"""``python -m clgraph.selftest REQUEST``: the child process of `clgraph.device.driver_selftest`.

It prints a line of JSON before and after each check.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from clgraph.device.choosing import list_devices
from clgraph.device.driver_selftest import MARK
from clgraph.device.feature_mask import Without
from clgraph.device.hardware import Setup
from clgraph.selftest.checks import selftest


def tell(**what: Any) -> None:
    """One line for the parent."""
    print(MARK + json.dumps(what), flush=True)


def main(request: dict[str, Any]) -> None:
    """Run the checks of all families that are not over yet."""
    tell(over=request["over"])
    setup = Setup(request["kernels"], force=True, without=Without.wanted(request["without"]))
    for device in list_devices(oclgrind="Oclgrind" in request["identity"][0]):
        device = device.with_setup(setup)
        if device.spec == request["spec"] and list(device.identity) == request["identity"]:
            for check in selftest(device, skip=request["over"], before=lambda *begun: tell(begun=begun)):
                tell(family=check.family, name=check.name, wrong=check.wrong, seconds=check.seconds)
            tell(ended=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
