"""Tests that fail because of a driver, each with the minimal kernel (``NAME.cl`` here) that shows why."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drivers import fails

if TYPE_CHECKING:
    from clgraph.device import Device


@dataclass(frozen=True)
class Known:
    """Tests that fail where a minimal kernel does.

    Attributes
    ----------
    kernel : str
    tests : str
        A pattern within their names.
    reason : str
    ends : bool
        Whether they end (with a wrong result); otherwise they are not run.
    """

    kernel: str
    tests: str
    reason: str
    ends: bool = True


KNOWN: tuple[Known, ...] = ()


def known(name: str, device: Device) -> Known | None:
    """What a device's driver is known to get wrong in a test; None if nothing is."""
    for each in KNOWN:
        if re.search(each.tests, name) and any(one.is_there(device) for one in fails(each.kernel)):
            return each
    return None
