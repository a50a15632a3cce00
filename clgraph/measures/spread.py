"""Work-groups that share a pass over all vertices, however many there are: ``cl/measures/spread.h``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clgraph.device.shapes import Shapes

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.launch import Kernel

SHAPES = Shapes(gpu=8, cpu=4, simulator=2)  # work-groups per compute unit


def spread(dev: Device, kernel: Kernel, graphs: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Global and local size of a launch in which several graphs share a device, each with its own groups."""
    local = min(dev.tuning.local_size, kernel.limit)
    groups = max(1, SHAPES.of(dev) * min(dev.compute_units, 1024) // graphs)
    return (groups * local, graphs), (local, 1)
