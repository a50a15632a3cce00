"""Intel's OpenCL runtimes on processors newer than themselves.

Release 2025.0.5 does not know AMD's Zen 5 (family 26). It then builds for a processor without vector units,
which its own compiler cannot do for kernels with wide vectors: it ends the process ("Internal compiler error:
Do not know how to split the result of this operator"). At the first query each runtime also prints a warning.
Told what the processor can do, it builds the same kernels without fault. That must happen before the first
platform query, when there is no device yet that `clgraph.device.hardware.quirks` could be asked about.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VARIABLE = "CL_CONFIG_CPU_TARGET_ARCH"
FIRST_UNKNOWN_FAMILY = 26  # of AuthenticAMD: Zen 5
WARNING = b"SYCL CPU RT Warning: Unknown host CPU."
AVX512 = {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}


def target(cpuinfo: str) -> str | None:
    """The runtime's word for what the processor can do; None if the runtime knows it, or nothing fits.

    Parameters
    ----------
    cpuinfo : str
        Text of ``/proc/cpuinfo``.
    """
    facts: dict[str, str] = {}
    for line in cpuinfo.split("\n\n")[0].splitlines():
        name, _, value = line.partition(":")
        facts[name.strip()] = value.strip()
    family = facts.get("cpu family", "")
    if facts.get("vendor_id") != "AuthenticAMD" or not family.isdigit() or int(family) < FIRST_UNKNOWN_FAMILY:
        return None
    flags = set(facts.get("flags", "").split())
    return "skx" if flags >= AVX512 else "core-avx2" if "avx2" in flags else None


@contextmanager
def unknown_cpu() -> Iterator[None]:
    """Wraps the first platform query: tells the runtimes the processor and suppresses their warning about it.

    A target that the user has set stays. All else that drivers print is passed on.
    """
    try:
        found = target(Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None  # no Linux
    if found is None:
        yield
        return
    os.environ.setdefault(VARIABLE, found)
    with _without_warning():
        yield


@contextmanager
def _without_warning() -> Iterator[None]:
    if sys.stderr is not None:
        sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:  # standard error is closed
        yield
        return
    with tempfile.TemporaryFile() as said:
        os.dup2(said.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            said.seek(0)
            rest = b"".join(line for line in said if line.strip() != WARNING)
            if rest:
                os.write(2, rest)
