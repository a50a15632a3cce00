"""clgraph: sample, traverse and rank graphs on any OpenCL device.

Importing clgraph touches no OpenCL driver: the first use of a device does.
"""

from __future__ import annotations

# Some functions bear the name of their module (clgraph.bfs): importing them here, eagerly, is what makes
# the function win. pyopencl itself is imported by the device floor alone, and only when it is used.
from clgraph.errors import (
    BuildError,
    CapacityError,
    ClgraphError,
    ConvergenceError,
    DeviceError,
    InputError,
)
from clgraph.graph import Graph

__version__ = "0.1.0"

__all__ = [
    "BuildError",
    "CapacityError",
    "ClgraphError",
    "ConvergenceError",
    "DeviceError",
    "Graph",
    "InputError",
    "__version__",
]
