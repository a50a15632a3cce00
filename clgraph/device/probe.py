"""Does a device work, and what does it support beyond OpenCL C 1.2? Found by building and running kernels.

A device counts as working only after ``cl/device/probe.cl`` (an atomic, a barrier, local memory) was built
and run and its result checked: some drivers list a device and then fail every build. Further features are
found with ``cl/device/probe_features.cl``, once per device, driver and version of clgraph. A driver may end
the process that builds or runs a kernel, so child processes do both first (`clgraph.device.first_probe`).
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyopencl as cl

from clgraph._version import __version__
from clgraph.device import cache, child
from clgraph.device.program import build, build_source, read_source
from clgraph.errors import BuildError, ClgraphError

if TYPE_CHECKING:
    from clgraph.device.hardware import Hardware
    from clgraph.device.memory import Memory
    from clgraph.device.queues import Queues

LOCAL = 16  # work-items of a group, fewer where the device takes fewer
GROUPS = 4  # so that groups that are confused with each other show
WARP = 32  # the same of the features' probes: what NVIDIA's shuffles work on


def probe(queues: Queues, memory: Memory) -> str | None:
    """None if the device builds the probe kernel and runs it correctly, else the reason why not in one line.

    A driver that has not been seen to work yet is first tried in a child process, since it may abort.
    """
    hardware = queues.hardware
    key = cache.digest(["works", *hardware.identity, __version__])
    seen_to_work = cache.load("probes", key) is not None
    if not seen_to_work and hardware.kind != "simulator" and sys.executable:
        _, problem, died = _ask(hardware, "all")
        if died:  # by a feature, or does the device not work at all?
            _, problem, died = _ask(hardware, "device")
        if died:
            return f"the probe {problem}"
    fault = run_probe(queues, memory)
    if fault is None and not seen_to_work:
        cache.store("probes", key, b"works")
    return fault


def _ask(hardware: Hardware, what: str) -> tuple[Any, str | None, bool]:
    """`clgraph.device.child.ask` with `clgraph.device.first_probe`, which says what `what` may be."""
    return child.ask("clgraph.device.first_probe", what, hardware.spec, *hardware.identity)


def run_probe(queues: Queues, memory: Memory) -> str | None:
    """`probe` in this process, without a child."""
    local = min(LOCAL, queues.hardware.max_work_group)
    n = local * GROUPS
    try:
        prog = build(queues, "device/probe", {"PROBE_LOCAL": local}, queues.hardware.base_options)
        out = memory.upload(np.zeros(1 + n, np.int32), writable=True)
        prog.probe.exact(n, out=out, n=n, local=local)
        got = memory.download(out, np.int32, 1 + n)
        steps = 1000 if queues.hardware.kind == "simulator" else 1 << 20  # a compiler may unroll the loop
        prog.probe_loop.exact(1, out=out, steps=steps, local=1)
        end = int(memory.download(out, np.uint32, 1)[0])
    except BuildError as error:
        return _reason(error)
    except (ClgraphError, cl.Error) as error:
        return str(error).split("\n")[0]
    gid = np.arange(n)
    mirror = gid // local * local + local - 1 - gid % local
    if got[0] != gid.sum() or not np.array_equal(got[1:], mirror):
        return (
            f"the probe kernel ran but its result is wrong (sum {got[0]}, expected {gid.sum()}; "
            f"{np.count_nonzero(got[1:] != mirror)} of {n} values differ)"
        )
    if end != loop_end(steps):
        advice = queues.hardware.quirks.advice
        return f"it gives up long loops: {steps} steps ended too early{advice and f' ({advice})'}"
    return None


def loop_end(steps: int) -> int:
    """What ``probe_loop`` of ``cl/device/probe.cl`` ends with: x -> 5 x + 1 from 1 on, modulo 2**32."""
    power = pow(5, steps, 4 << 32)
    return (power + (power - 1) // 4) % (1 << 32)


def _reason(error: BuildError) -> str:
    """The line of a build error that gives the reason: the compiler's first error, else OpenCL's message."""
    lines = str(error).split("\n")
    named = [line.strip() for line in lines[1:] if "error:" in line.lower()]
    return f"builds fail: {named[0]}" if named else lines[0]


def probe_features(queues: Queues, memory: Memory) -> tuple[str, frozenset[str]]:
    """The OpenCL C standard to build with, and the names ``HAVE_...`` of the features that work with it.

    Found in a child process. If that dies, each feature is tried in a child of its own: what ends its child
    does not work.

    Returns
    -------
    standard : str
        ``"-cl-std=CL3.0"`` and the like, or "" for the compiler's default (1.2).
    features : frozenset of str
    """
    hardware = queues.hardware
    if not hardware.has_compiler:
        return "", frozenset()  # what its programs use was settled when they were built offline
    key = _features_key(hardware)
    if (known := cache.load("probes", key)) is not None:
        standard, names = json.loads(known)
        return standard, frozenset(names)
    if hardware.kind == "simulator" or not sys.executable:
        return run_probe_features(queues, memory)
    answer, _, died = _ask(hardware, "features")
    if died:
        standard, names = _each_in_a_child(hardware)
        cache.store("probes", key, json.dumps([standard, names]).encode())
    elif answer:
        standard, names = answer
    else:  # it could not be started, or found no such device: that says nothing about the driver
        return run_probe_features(queues, memory)
    return standard, frozenset(names)


def _features_key(hardware: Hardware) -> str:
    source, standard = read_source("device/probe_features"), _newest_standard(hardware)
    return cache.digest(["2", *hardware.identity, __version__, source, standard, *hardware.base_options])


def _each_in_a_child(hardware: Hardware) -> tuple[str, list[str]]:
    """`probe_features` with a child for the standard, then one for each feature."""
    answer, _, _ = _ask(hardware, "none")
    if not answer:  # even a build with that standard ends the process
        return "", []
    standard: str = answer[0]
    names: list[str] = []
    for name in _candidates(hardware, bool(standard)):
        answer, _, _ = _ask(hardware, name)
        names += answer[1] if answer else []
    return standard, sorted(names)


def run_probe_features(
    queues: Queues, memory: Memory, only: Sequence[str] | None = None
) -> tuple[str, frozenset[str]]:
    """`probe_features` in this process, without a child, and kept on disk.

    Parameters
    ----------
    queues : Queues
    memory : Memory
    only : sequence of str, optional
        Try only these features, and do not keep the result.
    """
    hardware = queues.hardware
    source, standard = read_source("device/probe_features"), _newest_standard(hardware)
    if standard and not _builds(
        queues, "device/probe", read_source("device/probe"), (standard, *hardware.base_options)
    ):
        standard = ""  # the driver claims to support this standard, and does not
    options = (*([standard] if standard else []), *hardware.base_options)
    candidates = _candidates(hardware, bool(standard)) if only is None else only
    names = sorted(f"HAVE_{name}" for name in candidates if _has(queues, memory, name, source, options))
    if only is None:
        cache.store("probes", _features_key(hardware), json.dumps([standard, names]).encode())
    return standard, frozenset(names)


def _newest_standard(hardware: Hardware) -> str:
    """The build option for the newest OpenCL C that the compiler claims to support; "" for 1.2."""
    texts = [hardware.raw.opencl_c_version]
    if hardware.quirks.asks_all_standards:
        # drivers before 3.0 and old releases of pyopencl lack this query: then the older query counts
        with contextlib.suppress(cl.Error, AttributeError):
            versions = [v.version for v in hardware.raw.opencl_c_all_versions]
            texts += [f"{v >> 22}.{v >> 12 & 1023}" for v in versions]  # cl_version packs 10, 10 and 12 bits
    found = [(int(m[1]), int(m[2])) for text in texts if (m := re.search(r"(\d+)\.(\d+)", text))]
    major, minor = max(found, default=(1, 0))
    return f"-cl-std=CL{major}.{minor}" if major >= 2 else ""


def _candidates(hardware: Hardware, beyond_1_2: bool) -> list[str]:
    """Features worth a build: those that the device's own list rules out are not tried (compilers warn)."""
    extensions = hardware.raw.extensions
    worth = {
        "FP64": "cl_khr_fp64" in extensions,
        "INT64_ATOMICS": "cl_khr_int64_base_atomics" in extensions and "cl_khr_int64_extended" in extensions,
        "SUBGROUPS": "subgroups" in extensions,
        "WORKGROUP_FUNCTIONS": beyond_1_2,
        "C11_ATOMICS": beyond_1_2,
        "FLOAT_ATOMICS": "cl_ext_float_atomics" in extensions,
        "PTX": "NVIDIA" in hardware.platform_name,
        # GPUs hide latency by themselves, and simulators have no caches
        "PREFETCH": hardware.kind in ("cpu", "emulator"),
    }
    return [name for name, is_worth in worth.items() if is_worth]


def _builds(queues: Queues, name: str, source: str, options: tuple[str, ...]) -> bool:
    try:
        build_source(queues, name, source, options, keep=False, save_failed=False)
    except BuildError:
        return False
    return True


def _has(queues: Queues, memory: Memory, name: str, source: str, options: tuple[str, ...]) -> bool:
    """Whether a feature's probe builds, runs and gives the right result; any failure means no."""
    local = min(WARP, 1 << (queues.hardware.max_work_group.bit_length() - 1))  # it sums by halves
    try:
        prog = build_source(
            queues,
            "probe_features",
            source,
            (*options, f"-DTRY_{name}", f"-DPROBE_LOCAL={local}"),
            keep=False,
            save_failed=False,
        )
        out = memory.upload(np.zeros(local, np.int32), writable=True)
        work = memory.upload(np.zeros(2 * WARP, np.int32), writable=True)
        prog.probe_feature.exact(local, out=out, work=work, local=local)
        return bool(np.all(memory.download(out, np.int32, local) == 1))
    except ClgraphError:
        return False
