"""``python tests/faults kills|disks|memory|lines``: makes faults, and counts what became of them."""

import argparse
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
COUNTS = {"kills": 240, "disks": 240, "lines": 0, "memory": 0}


def main():
    """The command line."""
    parser = argparse.ArgumentParser(prog="python tests/faults", description="Faults on purpose.")
    parser.add_argument("what", choices=list(COUNTS), nargs="+")
    parser.add_argument("--count", type=int, metavar="N", help="trials; 0: all there are (memory, lines)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="TEXT", help="only what has this in its name")
    args = parser.parse_args()

    from fuzz.workers import import_all

    from faults.disks import disks
    from faults.kills import kills
    from faults.lines import lines

    import_all()  # a fork has it then; no driver is opened
    runs = {"kills": kills, "disks": disks, "lines": lines}
    failed = False
    for what in sorted(args.what, key=list(COUNTS).index):
        began = time.monotonic()
        if what == "memory":  # opens a driver in this process: the others fork it
            from faults.memory import memory

            runs[what] = memory
        tally = runs[what](COUNTS[what] if args.count is None else args.count, args.seed, args.only)
        print(f"{what}, seed {args.seed}: {tally.shown()}, {time.monotonic() - began:.0f} s")
        failed |= bool(tally.failures)
    return int(failed)


if __name__ == "__main__":
    sys.path[:0] = [str(TESTS), str(TESTS.parent)]
    sys.exit(main())
