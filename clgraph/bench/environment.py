"""The machine, device, versions and source that a measurement belongs to."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph import system
from clgraph._version import __version__
from clgraph.device.doctor import installed

if TYPE_CHECKING:
    from clgraph.device import Device

PACKAGES = (
    "pyopencl",
    "numpy",
    "scipy",
    "networkit",
    "igraph",
    "scikit-network",
    "networkx",
    "python-graphblas",
    "cupy-cuda13x",
    "cupy-cuda12x",
    "pylibcugraph-cu13",
    "pylibcugraph-cu12",
    "pandas",
    "nvidia-ml-py",
)
# variables that change how fast drivers and peers run
VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POCL_MAX_PTHREAD_COUNT", "CUDA_VISIBLE_DEVICES")
PACKAGE = Path(__file__).resolve().parent.parent
# drawing only: a change here does not invalidate results
DRAWING = {"tables.py", "figures.py", "report.py"}


@cache
def environment() -> dict[str, Any]:
    """Machine, system, versions and source of this process."""
    # the case of a peer that is not installed says so
    versions = {"python": platform.python_version(), "clgraph": __version__, **installed(PACKAGES)}
    return {
        "machine": {
            "cpu": _cpu(),
            "cores": system.cores(),
            "architecture": platform.machine(),
            "memory": {"value": system.memory(), "unit": "B"},
        },
        "system": f"{_distribution()}, {platform.system()} {platform.release()}",
        "versions": versions,
        "variables": {name: os.environ[name] for name in VARIABLES if name in os.environ},
        "source": {"digest": _digest(), **_commit()},
    }


def about_device(device: Device) -> dict[str, Any]:
    """The facts that identify a device."""
    return {
        "name": device.name,
        "kind": device.kind,
        "platform": device.platform_name,
        "driver": device.driver_version,
        "compute_units": device.compute_units,
        "memory": {"value": device.global_memory, "unit": "B"},
    }


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    except OSError:
        pass  # not Linux
    return platform.processor() or platform.machine()


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return "unknown distribution"


def _digest() -> str:
    """Digest of all modules and kernels that a measurement may depend on."""
    # kernels lie inside an installed package, and beside it in a checkout
    kernels = PACKAGE / "cl" if (PACKAGE / "cl").is_dir() else PACKAGE.parent / "cl"
    digest = hashlib.sha256()
    for root, pattern in ((PACKAGE, "*.py"), (kernels, "*.[ch]*")):
        for file in sorted(root.rglob(pattern)):
            if file.is_file() and not (file.parent.name == "bench" and file.name in DRAWING):
                digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def _commit() -> dict[str, Any]:
    """The checkout's commit, and whether files differ from it; empty for an installed package."""
    if not (PACKAGE.parent / ".git").exists():
        return {}
    try:
        asked = [_git("rev-parse", "HEAD"), _git("status", "--porcelain", "--", "clgraph", "cl")]
    except (OSError, subprocess.CalledProcessError):
        return {}  # no git: the digest identifies the source
    return {"commit": asked[0].strip(), "changed": bool(asked[1].strip())}


def _git(*args: str) -> str:
    return subprocess.run(
        ["git", "-C", str(PACKAGE.parent), *args], capture_output=True, text=True, check=True
    ).stdout
