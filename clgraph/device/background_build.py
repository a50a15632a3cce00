"""Build slow binaries in a background process after this one has ended.

PoCL compiles a kernel when it is launched, for that size of work-group. When its binary is read, it compiles
all kernels of the program once more, for any size: two thirds of the time that the first command on a machine
took. So a process notes what it has built from source, and starts another one at its end, which builds the
binaries at the lowest priority (`clgraph.device.children`). Until they exist, programs are built from
source (from PoCL's own cache: 23 ms each, from a binary 1 ms).
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from clgraph.device import cache, subprocesses

if TYPE_CHECKING:
    from clgraph.device.hardware import Hardware

ROOM = "wanted"
VARIABLE = "CLGRAPH_BACKGROUND"  # 0: nothing is done after a process has ended
RANKS = ("PMI_SIZE", "PMIX_RANK", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "FLUX_JOB_SIZE")


_asked_in: int | None = None  # the process at whose end the builder is started


def ask(hardware: Hardware, key: str, source: str, options: tuple[str, ...]) -> None:
    """Have a program's binary built and stored under a key after this process has ended."""
    global _asked_in
    # a scheduler counts the processes of its jobs
    if os.environ.get(VARIABLE) == "0" or any(name in os.environ for name in RANKS) or not sys.executable:
        return
    if not cache.is_lasting():
        return  # it goes with this process
    entry = {"spec": hardware.spec, "identity": hardware.identity, "source": source, "options": options}
    cache.store(ROOM, key, json.dumps(entry).encode())
    if _asked_in != os.getpid():
        _asked_in = os.getpid()
        atexit.register(_start)


def _start() -> None:
    if _asked_in != os.getpid():  # forked from the process that requested it
        return
    with contextlib.suppress(OSError):
        process = subprocess.Popen(
            [sys.executable, *subprocesses.options(), "-m", "clgraph.device.children", "build"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**subprocesses.environment(), VARIABLE: "0"},
            cwd=cache.cache_folder(),
            start_new_session=True,  # what ends this one's group, such as Ctrl-C, is not meant for it
        )
        process.returncode = 0  # nobody waits for it: Python would warn
