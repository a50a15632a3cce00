"""A device without memory: the n-th allocation of a call fails, for each n and each public call."""

import gc
import weakref
from contextlib import contextmanager

import numpy as np
import pyopencl as cl
import pytest
from mixed_calls import equal, mixed_calls

import clgraph
from clgraph.device import memory as device_memory
from faults.trials import Tally


class Allocations:
    """Buffers that were made and live, and which of those to come fails."""

    def __init__(self):
        self.made = 0
        self.fails = None
        self.live = weakref.WeakSet()

    def next(self):
        """One more is made."""
        number, self.made = self.made, self.made + 1
        if number == self.fails:
            raise cl.MemoryError("clCreateBuffer failed: MEM_OBJECT_ALLOCATION_FAILURE")

    def begin(self, fails):
        """Count from 0."""
        self.made, self.fails = 0, fails


@contextmanager
def watched():
    """Within the block every buffer is counted."""
    seen = Allocations()

    def counted(base):
        class Counted(base):
            def __init__(self, *args, **options):
                seen.next()
                super().__init__(*args, **options)
                seen.live.add(self)

        return Counted

    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((cl, "Buffer"), (device_memory, "OwnBuffer"), (device_memory, "HostBuffer")):
            patch.setattr(module, name, counted(getattr(module, name)))
        yield seen


def memory(count, seed, only="", device=None):
    """Every n-th allocation of every call, until `count` trials were made (0: all there are)."""
    del seed  # nothing is drawn: all there is is tried
    tally = Tally()
    device = device or clgraph.get_device()
    calls = {name: call for name, call in mixed_calls(device).items() if only in name}
    with watched() as seen:
        for name, call in calls.items():
            if count and sum(tally.counts.values()) >= count:
                break
            expected = [np.copy(p) if isinstance(p, np.ndarray) else p for p in call()]
            number = 0
            while not count or sum(tally.counts.values()) < count:
                happened, end, fault = trial(device, seen, number, call, expected)
                if not happened:
                    break
                tally.add(f"{name}, allocation {number}", end, fault)
                number += 1
    return tally


def trial(device, seen, number, call, expected):
    """Whether there was such an allocation, how the call ended, and what is wrong with that."""
    settle(device)
    before, fault = len(seen.live), None
    seen.begin(number)
    try:
        end = "an answer" if equal(call(), expected) else "a wrong answer"
        fault = end if end == "a wrong answer" else None
    except clgraph.CapacityError as error:
        end = "CapacityError"
        fault = None if "no room for a buffer of" in str(error) else f"says: {error}"
    except clgraph.DeviceError as error:
        end = "DeviceError"
        fault = None if str(device) in str(error) else f"says: {error}"
    except BaseException as error:
        end = "raw error"
        fault = f"{type(error).__name__}: {error}"
    happened = seen.made > number
    seen.begin(None)
    settle(device)
    if fault is None and len(seen.live) > before:
        fault = f"{len(seen.live) - before} buffers are left"
    if happened and fault is None and not equal(call(), expected):
        fault = "the next call is wrong"
    return happened, end, fault


def settle(device):
    """Free what nobody holds, and what is kept for graphs."""
    device.release()
    gc.collect()
    device.finish()
