"""Does a device work, and what does it know beyond OpenCL C 1.2? Found out by building and running, not by asking.

A device counts as working only after ``cl/probe.cl`` (an atomic, a barrier, local memory) was built, run and its result
checked: drivers exist that list a device and then fail every build. Features come from ``cl/probe_features.cl``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pyopencl as cl

import clgraph
from clgraph import cache
from clgraph.errors import BuildError, ClgraphError
from clgraph.program import build_source, read_source

if TYPE_CHECKING:
    from clgraph.device import Device

LOCAL = 16
GROUPS = 4


def probe(device: Device) -> str | None:
    """None if the device builds and runs the probe kernel rightly, else the reason in one line."""
    n = LOCAL * GROUPS
    try:
        prog = build_source(device, "probe", read_source("probe"), device.base_options)
        out = device.upload(np.zeros(1 + n, np.int32), writable=True)
        prog.probe.exact(n, out, np.int32(n), local=LOCAL)
        got = device.download(out, np.int32, 1 + n)
    except BuildError as error:
        return _reason(error)
    except (ClgraphError, cl.Error) as error:
        return str(error).split("\n")[0]
    gid = np.arange(n)
    expected = np.concatenate(([gid.sum()], gid // LOCAL * LOCAL + LOCAL - 1 - gid % LOCAL))
    if not np.array_equal(got, expected):
        return f"the probe kernel ran but gave a wrong result (sum {got[0]}, expected {expected[0]})"
    return None


def _reason(error: BuildError) -> str:
    """The line of a build error that says why: the compiler's first error, else what OpenCL called it."""
    lines = str(error).split("\n")
    named = [line.strip() for line in lines if "error:" in line.lower()]
    return f"builds fail: {named[0]}" if named else lines[0]


def probe_features(device: Device) -> frozenset[str]:
    """Names ``HAVE_...`` of the features that build and run rightly; kept on disk per device, driver and clgraph."""
    key = cache.digest([*device.identity, clgraph.__version__, read_source("probe_features"), *device.base_options])
    if (known := cache.load("probes", key)) is not None:
        return frozenset(json.loads(known))
    found = sorted(f"HAVE_{name}" for name in _candidates(device) if _has(device, name))
    cache.store("probes", key, json.dumps(found).encode())
    return frozenset(found)


def _candidates(device: Device) -> list[str]:
    """Features worth a build: what the device's own list rules out is not tried (compilers complain on stderr)."""
    extensions = device.raw.extensions
    wanted = {
        "FP64": "cl_khr_fp64" in extensions,
        "INT64_ATOMICS": "cl_khr_int64_base_atomics" in extensions and "cl_khr_int64_extended_atomics" in extensions,
        "SUBGROUPS": "subgroups" in extensions,
        "WORKGROUP_FUNCTIONS": device.c_version >= (2, 0),
        "C11_ATOMICS": device.c_version >= (2, 0),
        "FLOAT_ATOMICS": "cl_ext_float_atomics" in extensions,
        "PTX": "NVIDIA" in device.platform_name,
    }
    return [name for name, worth in wanted.items() if worth and device.has_compiler]


def _has(device: Device, name: str) -> bool:
    options = (*device.base_options, f"-DTRY_{name}")
    try:
        prog = build_source(device, "probe_features", read_source("probe_features"), options, keep=False)
        out = device.upload(np.zeros(32, np.int32), writable=True)
        work = device.upload(np.zeros(64, np.int32), writable=True)
        prog.probe_feature.exact(32, out, work, local=32)
        return bool(np.all(device.download(out, np.int32, 32) == 1))
    except ClgraphError:
        return False  # that is the answer: this device has not got it
