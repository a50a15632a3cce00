"""Outputs on disks that are full or read-only: the old output stays, and the message names the file."""

import os
import random
import resource
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from faults.trials import FOLDER, TASKS, Tally, content, parts, prepare, raw, run, temporary

PAGE = 4096


def may_mount():
    """Whether this user may mount a small disk in memory."""
    with tempfile.TemporaryDirectory() as folder:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True)
        if mounted.returncode == 0:
            subprocess.run(["umount", folder], check=True)
    return mounted.returncode == 0


@contextmanager
def small_disk(folder, nbytes):
    """Mount a disk of so many bytes, in whole pages, on a folder."""
    size = f"size={pages(nbytes)}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def pages(nbytes):
    """Bytes that a file of this length takes."""
    return -(-nbytes // PAGE) * PAGE


def room_of(data):
    """Bytes that an output takes on a disk."""
    return sum(pages(len(held)) for _, held in parts(data))


def longest(data):
    """Bytes of the longest file of an output."""
    return max(len(held) for _, held in parts(data))


def disks(count, seed, only=""):
    """So many trials, spread over the tasks: full disks, limits on a file's size, read-only folders."""
    tally = Tally()
    tasks = [task for task in TASKS if only in task.name]
    mounts = may_mount()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with tempfile.TemporaryDirectory(prefix="disks-") as name:
        for at, task in enumerate(tasks):
            folder = Path(name, str(at))
            folder.mkdir()
            prepared = prepare(task, folder)
            for number in range(at, count, len(tasks)):
                rng = random.Random(f"{seed}/{number}")
                way = rng.choice(["read-only"] + ["full"] * 2 * mounts + ["limit"] * (not task.device))
                ended, fault = {"full": full, "limit": limited, "read-only": read_only}[way](prepared, rng)
                tally.add(f"trial {number}, {task.name}, {way}", way, fault or after(prepared, ended))
    return tally


def after(prepared, ended):
    """What is wrong with a command that must have failed, beside its files."""
    if ended.status != 1:
        return f"status {ended.status}: {ended.said[-300:]}"
    if not any(file.name in ended.said for file in prepared.task.files(prepared.folder)):
        return f"the message names no output: {ended.said[-300:]}"
    return raw(ended)


def files_fault(prepared, *, all_old):
    """What is wrong with the files that are there."""
    if left := temporary(prepared.folder):
        return f"{left[0].name} is left"
    first = next(iter(prepared.old))
    if all_old and content(prepared.folder / first) != prepared.old[first]:
        return f"{first} is not the old one"
    return prepared.fault()


def full(prepared, rng):
    """A disk with too little room for the first of the new files."""
    # all files of a triple are complete before the first is renamed; other files come one by one
    triple = prepared.task.suffixes[-1] == ".properties"
    new = sum(map(len, prepared.new.values())) if triple else len(next(iter(prepared.new.values())))
    room = rng.choice((0, PAGE, int(rng.random() * new))) // PAGE * PAGE
    first = next(iter(prepared.new.values()))
    needed = pages(new) if triple else room_of(first)
    # holes of a dataset's files take no room
    room = min(room, needed // 2 if first.startswith(FOLDER) else needed - PAGE * (4 if triple else 1))
    taken = sum(map(room_of, prepared.old.values()))
    with small_disk(prepared.folder, max(PAGE, taken + max(0, room))):
        prepared.put_old()
        ended = run(prepared.command)
        return ended, files_fault(prepared, all_old=True)


def limited(prepared, rng):
    """No file of the process may be longer than a part of the longest new one."""
    prepared.put_old()
    most = int(rng.random() * 0.95 * max(map(longest, prepared.new.values())))
    limits = ((resource.RLIMIT_FSIZE, max(most, 600)),)  # what it says needs room
    ended = run(prepared.command, limits=limits)
    return ended, files_fault(prepared, all_old=len(prepared.new) == 1)


def read_only(prepared, rng):
    """A folder in which nothing may be made."""
    if os.getuid():
        prepared.put_old()
        prepared.folder.chmod(0o500)
        try:
            ended = run(prepared.command)
        finally:
            prepared.folder.chmod(0o700)
        return ended, files_fault(prepared, all_old=True)
    with small_disk(prepared.folder, sum(map(room_of, prepared.old.values())) + (1 << 20)):
        prepared.put_old()
        subprocess.run(["mount", "-o", "remount,ro", str(prepared.folder)], check=True)
        ended = run(prepared.command)
        return ended, files_fault(prepared, all_old=True)
