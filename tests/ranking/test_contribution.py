"""The variant contribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ranking_checks import every_check, full_groups

if TYPE_CHECKING:
    from clgraph.device import Device


@every_check
def test_variant(device: Device, check: Any) -> None:
    check(device, "contribution")


def test_vertices_of_a_group(device: Device) -> None:
    full_groups(device, "contribution")
