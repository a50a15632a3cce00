"""Asking a driver in a child process: a broken one can end the process that uses it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

SECONDS = 120.0  # the slowest first probe that was met took 4


def ask(module: str, *arguments: str) -> tuple[Any, str | None, bool]:
    """Run ``python -m MODULE ARGUMENTS`` and read the JSON of its last line.

    Returns
    -------
    answer
        What it printed; None if it did not come to that.
    problem : str or None
        How it ended, if it gave no answer.
    died : bool
        Whether it was killed by a signal or did not end in time.
    """
    # a child finds clgraph where this process found it, also in a checkout
    root = str(Path(__file__).resolve().parent.parent)
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    try:
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return None, f"did not answer within {SECONDS:.0f} s", True
    except OSError as error:
        return None, f"could not be started: {error}", False
    said = (done.stderr.strip() or "no output").split("\n")[-1]
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        return None, f"ended the process that used it ({name}): {said}", True
    try:
        # the last line: drivers print whatever they like before it
        return json.loads(done.stdout.rstrip().split("\n")[-1]), None, False
    except ValueError:
        return None, f"exit status {done.returncode}: {said}", False
