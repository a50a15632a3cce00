"""``python tests/fuzz --inputs 1000000 --seed 1``: runs inputs and prints what became of them."""

import argparse
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent


def main():
    """The command line."""
    if sys.argv[1:2] == ["--work"]:
        from fuzz.workers import import_all, spawned_main

        import_all()
        spawned_main(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python tests/fuzz", description="Random inputs for everything.")
    parser.add_argument("--inputs", type=int, default=20_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, metavar="I", help="go on from this input of the seed")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: as many as cores)")
    parser.add_argument("--no-device", action="store_true", help="leave out what needs an OpenCL device")
    parser.add_argument("--keep", action="store_true", help="shrink one failure of each cause into cases/")
    parser.add_argument("--cases", action="store_true", help="only run the cases that are kept")
    parser.add_argument("--show", action="store_true", help="print the input --start, and do not run it")
    parser.add_argument("--only", metavar="A,B", help="only these kinds of inputs")
    args = parser.parse_args()

    from fuzz.campaign import campaign
    from fuzz.case import FAILURES
    from fuzz.kinds import KINDS, make
    from fuzz.shrink import keep, kept, shrink
    from fuzz.workers import import_all, outcomes_of

    only = [kind.strip() for kind in args.only.split(",")] if args.only else list(KINDS)
    if strange := [kind for kind in only if kind not in KINDS]:
        parser.error(f"--only {strange[0]}: there are {', '.join(KINDS)}")
    only = [kind for kind in only if not (args.no_device and KINDS[kind].device)]
    if args.show:
        print(make(args.seed, args.start).to_json())
        return 0
    import_all()
    if args.cases:
        cases = {name: case for name, case in kept().items() if case.kind in only}
        failed = [each for each in outcomes_of(cases).values() if each.end in FAILURES]
        for each in failed:
            print(f"{each.label}: {each.end}: {each.what}")
        print(f"{len(cases)} cases, {len(failed)} fail")
        return int(bool(failed))
    began = time.monotonic()
    tally = campaign(args.inputs, args.seed, start=args.start, jobs=args.jobs, only=only)
    print(tally.table())
    last = args.start + args.inputs - 1
    print(f"seed {args.seed}, inputs {args.start} .. {last}, {time.monotonic() - began:.0f} s")
    for cause, outcomes in sorted(tally.failures.items(), key=lambda item: -len(item[1])):
        first = outcomes[0]
        print(f"\n{len(outcomes)} x {cause.split(':')[0]}: {first.end}: {first.what}")
        print(f"  inputs {', '.join(each.label for each in outcomes[:5])}")
        if args.keep:
            small = shrink(make(args.seed, int(first.label)), first.signature)
            print(f"  {keep(small) or 'too large to be kept'}: {small.files} {small.what}")
    for each in tally.unused:
        print("\na process ended before its first input, and its inputs were not run:", end=" ")
        print(f"{each.end}: {each.what}")
    return int(bool(tally.failures or tally.unused))


if __name__ == "__main__":
    sys.path[:0] = [str(TESTS), str(TESTS.parent)]
    sys.exit(main())
