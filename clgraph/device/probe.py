"""Find out, by building and running kernels, whether a device works and what it supports beyond OpenCL C 1.2.

A device counts as working only after ``cl/device/probe.cl`` (an atomic, a barrier, local memory) was built
and run and its result checked: some drivers list a device and then fail every build. Further features are
found with ``cl/device/probe_features.cl``, once per device, driver and version of clgraph. A driver may end
the process that builds or runs a kernel, so child processes do both first (`clgraph.device.children`).
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyopencl as cl

from clgraph._version import __version__
from clgraph.device import cache, subprocesses
from clgraph.device.program import build, build_source, first_line, read_source
from clgraph.errors import BuildError, ClgraphError

if TYPE_CHECKING:
    from clgraph.device.hardware import Hardware
    from clgraph.device.memory import Memory

LOCAL = 16  # work-items of a group, fewer where the device takes fewer
GROUPS = 4  # so that groups that are confused with each other show
WARP = 32  # the same of the features' probes: what NVIDIA's shuffles work on
# the build option for the version of OpenCL C ("" for the compiler's default, 1.2), and the names HAVE_...
Features = tuple[str, frozenset[str]]


def probe(device: Memory) -> str | None:
    """Return None if the device builds and runs the probe kernel correctly, otherwise the reason in one line.

    A driver that has not been seen to work yet is first tried in a child process, since it may abort.
    """
    key = cache.digest(["works", *device.identity, __version__])
    seen_to_work = cache.load("probes", key) is not None
    if not seen_to_work and _may_die(device):
        problem, _ = _first_probe(device)
        if problem is not None:
            return f"the probe {problem}"
    fault = run_probe(device)
    if fault is None and not seen_to_work:
        cache.store("probes", key, b"works")
    return fault


def probe_features(device: Memory) -> Features:
    """Return the OpenCL C standard to build with, and the features that work with it."""
    if not device.has_compiler:
        return "", frozenset()  # what its programs use was settled when they were built offline
    if (stored := cache.load("probes", _features_key(device))) is not None:
        standard, names = json.loads(stored)
        return standard, frozenset(names)
    if _may_die(device):
        problem, found = _first_probe(device)
        if problem is not None or found is not None:
            return found or ("", frozenset())
    known: dict[str, Any] = {"device": None}
    # the device itself is known to work, or its fault is found when it is used
    for item, _, step in probe_steps(device, known):
        if item not in known:
            known[item] = step()
    return _keep_features(device, known)


def _may_die(device: Hardware) -> bool:
    # simulators run no driver's compiler, and are slow to start; some embedded Pythons can start no children
    return device.kind != "simulator" and bool(sys.executable)


def _first_probe(device: Hardware) -> tuple[str | None, Features | None]:
    """Probe a device and its features in child processes: a feature at which its child ends does not work.

    Returns
    -------
    problem : str or None
        How the device itself ended the child.
    features : (standard, names) or None
        None if the child found a fault, or could not be started: then this process finds out.
    """
    known: dict[str, Any] = {}
    for found in subprocesses.go_through("clgraph.device.children", device.spec, device.identity):
        # at no item: when the process began or ended, whatever it had found
        if found.died and found.item in ("", "device"):
            return found.problem, None
        if found.item:
            known[found.item] = found.value
    return None, _keep_features(device, known) if "standard" in known else None


def _features_key(device: Hardware) -> str:
    source, standard = read_source("device/probe_features"), _newest_standard(device)
    return cache.digest(["2", *device.identity, __version__, source, standard, *device.base_options])


def _keep_features(device: Hardware, known: Mapping[str, Any]) -> Features:
    standard = known["standard"] or ""
    names = sorted(f"HAVE_{name}" for name, works in known.items() if works and name.isupper())
    cache.store("probes", _features_key(device), json.dumps([standard, names]).encode())
    return standard, frozenset(names)


def probe_steps(device: Memory, known: Mapping[str, Any]) -> Iterator[subprocesses.Step]:
    """Yield what there is to try, in order: its name, and a function that tries it.

    Parameters
    ----------
    device : Memory
    known : mapping
        Results so far: the caller adds each before it takes the next step.

    Yields
    ------
    "device", and its fault or None; "standard", and the build option; a feature's name, and whether it works
    """
    yield "device", "", partial(run_probe, device)
    if known["device"] is not None:
        return
    yield "standard", "", partial(_standard, device)
    standard = known["standard"]
    options = (*([standard] if standard else []), *device.base_options)
    for name in _candidates(device, bool(standard)):
        yield name, "", partial(_has, device, name, options)


def _standard(device: Memory) -> str:
    """The newest standard that works: some drivers claim one, and do not build with it."""
    standard, source = _newest_standard(device), read_source("device/probe")
    options = (standard, *device.base_options)
    try:
        if standard:
            build_source(device, "device/probe", source, options, keep=False)
    except BuildError:
        return ""
    return standard


def run_probe(device: Memory) -> str | None:
    """`probe` in this process, without a child."""
    local = min(LOCAL, device.max_work_group)
    n = local * GROUPS
    try:
        prog = build(device, "device/probe", {"PROBE_LOCAL": local}, device.base_options)
        out = device.upload(np.zeros(1 + n, np.int32), writable=True)
        prog.probe.exact(n, out=out, n=n, local=local)
        got = device.download(out, np.int32, 1 + n)
        steps = 1000 if device.kind == "simulator" else 1 << 20  # a compiler may unroll the loop
        prog.probe_loop.exact(1, out=out, steps=steps, local=1)
        end = int(device.download(out, np.uint32, 1)[0])
    except BuildError as error:
        return _reason(error)
    except (ClgraphError, cl.Error) as error:
        return first_line(error)
    gid = np.arange(n)
    mirror = gid // local * local + local - 1 - gid % local
    if got[0] != gid.sum() or not np.array_equal(got[1:], mirror):
        return (
            f"the probe kernel ran but its result is wrong (sum {got[0]}, expected {gid.sum()}; "
            f"{np.count_nonzero(got[1:] != mirror)} of {n} values differ)"
        )
    if end != loop_end(steps):
        advice = device.quirks.advice
        return f"it gives up long loops: {steps} steps ended too early{advice and f' ({advice})'}"
    return None


def loop_end(steps: int) -> int:
    """Return the result of ``probe_loop`` of ``cl/device/probe.cl``: x -> 5 x + 1 from 1 on, modulo 2**32."""
    power = pow(5, steps, 4 << 32)
    return (power + (power - 1) // 4) % (1 << 32)


def _reason(error: BuildError) -> str:
    """Return the reason in a build error: the compiler's first error, or OpenCL's message."""
    lines = str(error).split("\n")
    named = [line.strip() for line in lines[1:] if "error:" in line.lower()]
    return f"builds fail: {named[0]}" if named else lines[0]


def _newest_standard(device: Hardware) -> str:
    """The build option for the newest OpenCL C that the compiler claims to support; "" for 1.2."""
    texts = [device.raw.opencl_c_version]
    if device.quirks.asks_all_standards:
        # drivers before 3.0 and old releases of pyopencl lack this query: then the older query counts
        with contextlib.suppress(cl.Error, AttributeError):
            versions = [v.version for v in device.raw.opencl_c_all_versions]
            texts += [f"{v >> 22}.{v >> 12 & 1023}" for v in versions]  # cl_version packs 10, 10 and 12 bits
    found = [(int(m[1]), int(m[2])) for text in texts if (m := re.search(r"(\d+)\.(\d+)", text))]
    major, minor = max(found, default=(1, 0))
    return f"-cl-std=CL{major}.{minor}" if major >= 2 else ""


def _candidates(device: Hardware, beyond_1_2: bool) -> list[str]:
    """Features worth a build: those that the device's own list rules out are not tried (compilers warn)."""
    extensions = device.raw.extensions
    worth = {
        "FP64": "cl_khr_fp64" in extensions,
        "INT64_ATOMICS": "cl_khr_int64_base_atomics" in extensions and "cl_khr_int64_extended" in extensions,
        "SUBGROUPS": "subgroups" in extensions,
        "WORKGROUP_FUNCTIONS": beyond_1_2,
        "C11_ATOMICS": beyond_1_2,
        "FLOAT_ATOMICS": "cl_ext_float_atomics" in extensions,
        "PTX": "NVIDIA" in device.platform_name,
        # GPUs hide latency by themselves, and simulators have no caches; Mesa's translator ends the process
        "PREFETCH": device.kind in ("cpu", "emulator") and device.platform_name != "rusticl",
    }
    return [name for name, is_worth in worth.items() if is_worth]


def _has(device: Memory, name: str, options: tuple[str, ...]) -> bool:
    """True if a feature's probe builds, runs and gives the right result."""
    local = min(WARP, 1 << (device.max_work_group.bit_length() - 1))  # it sums by halves
    options = (*options, f"-DTRY_{name}", f"-DPROBE_LOCAL={local}")
    source = read_source("device/probe_features")
    try:
        prog = build_source(device, "probe_features", source, options, keep=False)
        out = device.upload(np.zeros(local, np.int32), writable=True)
        work = device.upload(np.zeros(2 * WARP, np.int32), writable=True)
        prog.probe_feature.exact(local, out=out, work=work, local=local)
        return bool(np.all(device.download(out, np.int32, local) == 1))
    except ClgraphError:
        return False
