"""Commands that are killed at a random moment: the output is the old one or the new one."""

import os
import random
import signal
import tempfile
import time
from pathlib import Path

from faults.trials import TASKS, Tally, begin, end, prepare, raw, run, temporary

SIGNALS = {signal.SIGKILL: -signal.SIGKILL, signal.SIGTERM: 143, signal.SIGINT: 130}
DAYS = 2 * 24 * 3600


def kills(count, seed, only=""):
    """So many trials, spread over the tasks."""
    tally = Tally()
    tasks = [task for task in TASKS if only in task.name]
    with tempfile.TemporaryDirectory(prefix="kills-") as name:
        for at, task in enumerate(tasks):
            folder = Path(name, str(at))
            folder.mkdir()
            prepared = prepare(task, folder)
            prepared.put_old()
            began = time.monotonic()
            run(prepared.command)
            usual = time.monotonic() - began
            for number in range(at, count, len(tasks)):
                rng = random.Random(f"{seed}/{number}")
                what, fault = trial(prepared, rng, usual)
                tally.add(f"trial {number}, {task.name}", what, fault)
    return tally


def trial(prepared, rng, usual):
    """Kill one command; how that went, and what is wrong."""
    number = rng.choice(list(SIGNALS))
    prepared.put_old()
    said = prepared.folder.parent / "said"
    child, began = begin(prepared.command, said), time.monotonic()
    ended_before = False
    if rng.random() < 0.5:  # at any moment
        time.sleep(rng.uniform(0, 1.1 * usual))
    else:  # while it writes, or between two files
        deadline = time.monotonic() + 10 * usual + 30
        while not temporary(prepared.folder) and time.monotonic() < deadline:
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                break
            time.sleep(0.0002)
        time.sleep(rng.choice((0, rng.uniform(0, 0.01), rng.uniform(0, 0.1))))
    ended_before = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    early = time.monotonic() - began < 0.3 * usual
    os.kill(child, number)
    ended = end(child, said)
    left = temporary(prepared.folder)
    how = f"{signal.Signals(number).name}{', too late' if ended_before else ''}"
    fault = prepared.fault() or raw(ended)
    if fault is None and ended.status == 0 and not prepared.is_new():
        fault = "status 0, and not the new output"
    # early: the system's own way, before clgraph has begun
    if fault is None and ended.status not in (0, SIGNALS[number], -number if early else 0):
        fault = f"{how}, status {ended.status}: {ended.said[-300:]}"
    if fault is None and ended.status and "--resume" in prepared.command:
        again = run(prepared.command)
        how += ", resumed" * ("of them there already" in again.said)
        if again.status or not prepared.is_new():
            fault = "what was killed is not resumed to the new output"
    if fault is None and left and number != signal.SIGKILL:
        fault = f"{left[0].name} is left"
    if fault is None and left:
        how += ", a temporary file left"
        fault = swept(prepared)
    return how, fault


def swept(prepared):
    """The next run removes what dead processes left, once that is old; what is young it leaves."""
    files = temporary(prepared.folder)
    if run(prepared.command).status or temporary(prepared.folder) != files:
        return "a young temporary file was removed"
    for file in files:
        for each in (file, *file.glob("*")):
            os.utime(each, (time.time() - DAYS,) * 2)
    if run(prepared.command).status or temporary(prepared.folder):
        return f"{files[0].name} is there after the next run"
    return None if prepared.is_new() else "the next run's output is not the new one"
