"""Runs cases, each in a fork, as many at a time as there are cores: ``python tests/oclgrind [NAME ...]``.

What becomes of each is written into a folder: NAME.status (0 if the case ended well), NAME.said (its
output), NAME.log (Oclgrind's complaints), NAME.kernels (``PROGRAM KERNEL`` of each kernel launched over a
range). ``--record`` notes in clean.json what ran clean, with which kernels and which text of their files:
``pytest --oclgrind changed`` runs the cases whose kernels have another text now.
"""

import argparse
import os
import signal
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
CHECKS = {"CLGRAPH_DEVICE": "oclgrind", "OCLGRIND_DATA_RACES": "1", "OCLGRIND_UNINITIALIZED": "1"}
SECONDS = 300  # the longest takes 6 of them on an idle machine


def run(name, out, scratch):
    """One case, in a process of its own."""
    from clgraph.device import get_device
    from clgraph.device.launch import record_launches
    from oclgrind import ALL

    os.chdir(tempfile.mkdtemp(dir=scratch))
    with open(out / f"{name}.said", "wb", buffering=0) as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
    os.environ["OCLGRIND_LOG"] = str(out / f"{name}.log")
    signal.alarm(SECONDS)
    with record_launches() as launches:
        ALL[name](get_device("oclgrind"))
    kernels = sorted({f"{each.program} {each.kernel}" for each in launches if not each.pipeline})
    (out / f"{name}.kernels").write_text("".join(f"{kernel}\n" for kernel in kernels))


def main():
    from fuzz.workers import import_all, in_a_fork

    from oclgrind import ALL, note

    parser = argparse.ArgumentParser(prog="python tests/oclgrind", description=(__doc__ or "").split(":")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ALL)}")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="keep what is written there")
    parser.add_argument("--record", action="store_true", help="note in clean.json what runs clean")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="cases at a time")
    args = parser.parse_args()
    if strange := [name for name in args.names if name not in ALL]:
        parser.error(f"no case {', '.join(strange)}; there are {', '.join(ALL)}")
    os.environ.update(CHECKS)
    import_all()
    out = args.out.resolve() if args.out else Path(tempfile.mkdtemp(prefix="oclgrind-"))
    waiting = args.names or [name for name in ALL if not name.startswith("planted_")]
    running = {}
    clean, failed = set(), False
    with tempfile.TemporaryDirectory(prefix="oclgrind-cases-") as scratch:
        while waiting or running:
            while waiting and len(running) < max(1, args.jobs):
                name = waiting.pop(0)
                running[in_a_fork(run, name, out, scratch)] = name
            child, status, used = os.wait4(-1, 0)
            name = running.pop(child)
            if told(name, os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, out):
                clean.add(name)
            else:
                failed = True
    if args.record:
        note({name: (out / f"{name}.kernels").read_text().splitlines() for name in clean})
    return int(failed)


def told(name, status, seconds, out):
    """Write and print how a case ended, after so many seconds of processor time; whether it is clean."""
    (out / f"{name}.status").write_text(f"{status}\n")
    log = out / f"{name}.log"
    faults = log.read_text().strip() if log.exists() else ""
    clean = status == 0 and not faults
    end = "ok" if clean else f"FAILED: status {status}, see {out}/{name}.*"
    print(f"{name} {end} ({seconds:.1f} s)", flush=True)
    return clean


if __name__ == "__main__":
    sys.path[:0] = [str(TESTS), str(TESTS.parent)]
    sys.exit(main())
