"""The command ``clgraph``, from its first instruction on.

This is a separate package because importing clgraph with NumPy and SciPy takes a while, in which Ctrl-C would
show a traceback.
"""

from __future__ import annotations

import gc
import os
import signal
from typing import Any, NoReturn

OBJECTS = 10_000  # that are made before garbage is looked for: imports make many, and no garbage


def _stop(number: int, frame: Any) -> NoReturn:
    # not an exception, which an import could turn into another one; there is nothing to clean up yet
    os.write(2, b"clgraph: interrupted\n")
    os._exit(128 + number)


def main() -> None:
    """Run ``clgraph.cli.main``; an interrupt ends with status 130 and one line, also while it is imported."""
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else ignored: behind & in a script
    if ours:
        signal.signal(signal.SIGINT, _stop)
    gc.set_threshold(OBJECTS)
    # NumPy's threads wait asleep: by default they spin for a while, on cores that kernels and imports need
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    from clgraph.cli import run

    if ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()
