"""The hook between devices and `clgraph.fpga`: nothing of it is imported before a device needs pipelines."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import clgraph

CODE = """
import sys
import clgraph.device.doctor
from clgraph.device import get_device
device = get_device("cpu", kernels="ndrange")
assert not device.has_pipeline("traversal/search")
device.program("device/memory_fill")
assert not [name for name in sys.modules if name.startswith("clgraph.fpga")]
device = get_device("cpu", kernels="pipeline")
assert device.has_pipeline("traversal/search") and not device.has_pipeline("sampling/contract")
assert device.pipeline_parameter("UNROLL") == 4
assert "clgraph.fpga.programs" in sys.modules
"""


def test_fpga_is_imported_on_demand() -> None:
    path = os.pathsep.join(
        filter(None, [str(Path(clgraph.__file__).parent.parent), os.environ.get("PYTHONPATH")])
    )
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
