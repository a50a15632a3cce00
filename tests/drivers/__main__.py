"""Tries minimal kernels, each in a child process: ``python tests/drivers [NAME ...] [--device SPEC]``.

The exit status is 1 if a kernel fails on a driver that is not known to fail at it.
"""

import argparse
import os
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent


def main():
    from drivers import known_to_fail, names, steps, try_in_a_child

    if sys.argv[1:2] == ["{}"]:  # the child's part
        from clgraph.device.subprocesses import serve

        serve(steps)
        return 0

    from clgraph.device.choosing import list_devices

    parser = argparse.ArgumentParser(prog="python tests/drivers", description=(__doc__ or "").split(":")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names())} (default: all)")
    parser.add_argument("--device", metavar="SPEC", help="0:1 or part of a name (default: all devices)")
    args = parser.parse_args()
    if strange := [name for name in args.names if name not in names()]:
        parser.error(f"no kernel {', '.join(strange)}; there are {', '.join(names())}")
    new = False
    for device in list_devices():
        said = f"{device.spec} {device.platform_name} {device.name} {device.driver_version}"
        if args.device and args.device != device.spec and args.device.lower() not in said.lower():
            continue
        print(said)
        for name in args.names or names():
            how, known = try_in_a_child(name, device), known_to_fail(name, device)
            new |= how != "right" and known is None
            if how == "right":
                note = "   (though listed as failing here)" if known else ""
            else:
                note = "   (known)" if known else "   (NEW)"
            print(f"    {name:24} {how}{note}", flush=True)
    return int(new)


if __name__ == "__main__":
    sys.path[:0] = [str(TESTS), str(TESTS.parent)]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH"))))
    sys.exit(main())
