"""The variants serial and pull."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from ranking_checks import every_check, full_groups

if TYPE_CHECKING:
    from clgraph.device import Device


@every_check
@pytest.mark.parametrize("variant", ["serial", "pull"])
@pytest.mark.cross
def test_variants(device: Device, variant: Any, check: Any) -> None:
    check(device, variant)


def test_vertices_of_a_group(device: Device) -> None:
    full_groups(device, "pull")
