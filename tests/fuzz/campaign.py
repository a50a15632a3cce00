"""Many inputs, several processes at a time, and a table of what became of them."""

import os
import sys
import time
from collections import Counter

from fuzz.case import FAILURES
from fuzz.kinds import KINDS, kind_of, make
from fuzz.workers import Outcome, follow, forked, numbered, outcomes_of, spawned

BATCH = 500  # inputs to a process


class Tally:
    """How many inputs of each kind ended how, and the failures by their causes."""

    def __init__(self):
        self.counts = Counter()
        self.failures = {}
        self.unused = []  # processes that ended before their first input

    def add(self, outcome):
        """Count one more."""
        kind = kind_of(int(outcome.label))
        self.counts[kind, outcome.end] += 1
        if outcome.end in FAILURES:
            self.failures.setdefault(f"{kind}: {outcome.signature}", []).append(outcome)

    @property
    def inputs(self):
        """All of them."""
        return sum(self.counts.values())

    def table(self):
        """Counts by kind."""
        ends = ("accepted", "refused", *FAILURES)
        rows = [("kind", "inputs", "accepted", "refused", *FAILURES.values())]
        for shown, kinds in (*((kind, [kind]) for kind in KINDS), ("all", list(KINDS))):
            counts = [sum(self.counts[kind, end] for kind in kinds) for end in ends]
            rows.append((shown, sum(counts), *counts))
        return "\n".join(f"{name:16}" + "".join(f"{cell:>12}" for cell in cells) for name, *cells in rows)


def campaign(inputs, seed, *, start=0, jobs=None, only=KINDS):
    """Run the inputs `start` .. `start` + `inputs` - 1 of a seed, and say now and then how far it is."""
    tally, stop = Tally(), start + inputs
    batches = iter(range(start, stop, BATCH))
    began, told = time.monotonic(), 0.0
    ranges = {}

    def fork_one(numbers):
        worker = forked(lambda: numbered(seed, numbers, False, only))
        ranges[worker] = numbers
        return worker

    def spawn_one(first):
        names = [kind_of(number) for number in range(first, min(stop, first + 100))]
        if not any(KINDS[name].device and name in only for name in names):
            return None
        return spawned("range", seed, first, stop, *only)

    def replaced(worker, died):
        if worker.device:
            return None if died is None or not died.label else spawn_one(int(died.label) + 1)
        numbers = ranges.pop(worker)
        if died is not None and (left := range(int(died.label or numbers[0]) + 1, numbers.stop)):
            return fork_one(left)
        return fork_next()

    def fork_next():
        first = next(batches, None)
        return None if first is None else fork_one(range(first, min(stop, first + BATCH)))

    started = [fork_next() for _ in range(jobs or os.cpu_count() or 1)] + [spawn_one(start)]
    for outcome in follow([worker for worker in started if worker is not None], replaced):
        if outcome.label:
            tally.add(confirmed(outcome, seed, only))
        else:
            tally.unused.append(outcome)
        if time.monotonic() - told > 10:
            told = time.monotonic()
            shown = f"{tally.inputs} of {inputs}, {told - began:.0f} s, {len(tally.failures)} causes"
            print(shown, file=sys.stderr)
    return tally


def confirmed(outcome, seed, only):
    """The input that made a process crash: that one, or one before it."""
    if outcome.end != "crash" or KINDS[kind_of(int(outcome.label))].device:
        return outcome
    # memory may have been damaged long before the process died of it
    for number in suspects(int(outcome.label), only):
        alone = outcomes_of({str(number): make(seed, number)})[str(number)]
        if alone.end == "crash":
            return alone
    return Outcome(outcome.label, "crash", f"{outcome.what}, only after other inputs")


def suspects(number, only):
    """This input, then those before it in its batch, backwards."""
    for each in range(number, max(-1, number - BATCH), -1):
        if not KINDS[kind_of(each)].device and kind_of(each) in only:
            yield each
