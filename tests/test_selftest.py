"""Every kernel family against its reference on poor devices; tests/cli/test_main.py has the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from devices import POOR

from clgraph.device.families import FAMILIES, family_of
from clgraph.device.launch import record_launches
from clgraph.selftest import selftest

if TYPE_CHECKING:
    from clgraph.device import Device

NAMES = set(FAMILIES.values()) - {""}


@pytest.mark.parametrize("family", sorted(NAMES))
def test_family(device: Device, family: str, request: pytest.FixtureRequest) -> None:
    if request.node.callspec.params["device"] not in POOR:
        pytest.skip("for --devices poor,poor-gpu,poor-one")
    with record_launches() as launches:
        checks = list(selftest(device, skip=NAMES - {family}))
    assert checks
    assert [check for check in checks if check.wrong is not None] == []
    assert family in {family_of(launch.program) for launch in launches}
