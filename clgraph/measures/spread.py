"""Work-groups that share a pass over all vertices, however many there are: ``cl/measures/spread.h``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clgraph.device.shapes import Shapes

if TYPE_CHECKING:
    from clgraph.device import Device

SHAPES = Shapes(gpu=8, cpu=4, simulator=2)  # work-groups per compute unit


def work_groups(dev: Device) -> int:
    """Work-groups of a launch in which any number of them shares the work."""
    return SHAPES.of(dev) * min(dev.compute_units, 1024)
