"""``python tests/soak.py [--minutes 30] [--device WORD] [--threads 8]``: mixed calls from threads, for long.

Every answer is compared with the serial one. Each minute it prints the calls so far and the memory of the
process (and of the GPU, by ``nvidia-smi``); at the end these must not have grown by more than 2 % since the
warm-up, a tenth of the time. The exit status is 1 if an answer was wrong or memory grew.
"""

import argparse
import ctypes
import gc
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # the checkout, as for pytest

from mixed_calls import equal, mixed_calls

import clgraph

GROWTH = 1.02


def memory(device):
    """MiB of the process, and on NVIDIA's GPUs of the device."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what is free counts for nothing
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    found = {"process": pages * os.sysconf("SC_PAGE_SIZE") / 2**20}
    if "NVIDIA" in device.platform_name and (tool := shutil.which("nvidia-smi")):
        asked = [tool, "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
        said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        found["device"] = sum(map(float, said.split()))
    return found


class Soak:
    """Threads that make calls; they pause while memory is measured."""

    def __init__(self, device, threads):
        self.device = device
        self.calls = mixed_calls(device)
        self.expected = {name: call() for name, call in self.calls.items()}
        self.count = 0
        self.wrong = Counter()
        self.until = 0.0
        self.drawn = [random.Random(number) for number in range(threads)]

    def _work(self, drawn):
        while time.monotonic() < self.until:
            name = drawn.choice(list(self.calls))
            try:
                right = equal(self.calls[name](), self.expected[name])
            except Exception as error:  # goes on, to count them all
                name, right = f"{name}: {type(error).__name__}: {error}", False
            self.count += 1  # a count lost between two threads does not matter
            if not right:
                self.wrong[name] += 1

    def run(self, minutes):
        """Whether all went well."""
        begun, seconds = time.monotonic(), 60 * minutes
        first = {}
        with ThreadPoolExecutor(len(self.drawn)) as threads:
            try:
                while (now := time.monotonic()) < begun + seconds:
                    self.until = min(now + min(60.0, seconds / 10), begun + seconds)
                    list(threads.map(self._work, self.drawn))
                    held = memory(self.device)  # no call runs
                    first = first or held
                    shown = ", ".join(f"{name} {mib:.1f} MiB" for name, mib in held.items())
                    past, wrong = time.monotonic() - begun, sum(self.wrong.values())
                    print(f"{past:6.0f} s: {self.count} calls, {wrong} wrong, {shown}", flush=True)
            finally:
                self.until = 0.0
        for name, times in self.wrong.most_common():
            print(f"wrong {times} times: {name}")
        grown = [name for name, mib in held.items() if mib > GROWTH * first[name]]
        for name in grown:
            print(f"memory of the {name} grew from {first[name]:.1f} to {held[name]:.1f} MiB")
        return not (self.wrong or grown)


def main():
    """Read the command line and run."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--minutes", type=float, default=30.0)
    words.add_argument("--device", default=None, help="as in clgraph.get_device")
    words.add_argument("--threads", type=int, default=8)
    given = words.parse_args()
    device = clgraph.get_device(given.device)
    print(f"{device}, {given.threads} threads, {given.minutes:g} minutes", flush=True)
    return 0 if Soak(device, given.threads).run(given.minutes) else 1


if __name__ == "__main__":
    sys.exit(main())
