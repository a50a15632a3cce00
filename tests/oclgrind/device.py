"""The device floor's own kernels, and faults that Oclgrind must find."""

from pathlib import Path

import numpy as np

from clgraph.device.program import build_source, kernel_folder

KERNELS = Path(__file__).parent.parent / "kernels"


def _launch(device, name, **args):
    """A kernel of tests/kernels/races.cl, with cl/common.h in front, by 50 work-items."""
    source = (kernel_folder() / "common.h").read_text() + (KERNELS / "races.cl").read_text()
    getattr(build_source(device, "races", source, device.build_options), name)(50, n=50, **args)
    device.finish()


def case_device(device):
    """The device floor's own kernels and copies."""
    for dtype in (np.int8, np.int32, np.int64, np.float64):
        buffer = device.zeros(50, dtype)
        device.fill(buffer, np.dtype(dtype).type(7), 40)
        other = device.empty(50, dtype)
        device.copy(other, buffer, 50 * np.dtype(dtype).itemsize)
        assert device.download(other, dtype, 50).tolist() == [7] * 40 + [0] * 10
    assert device.fault is None
    assert "HAVE_INT64_ATOMICS" in device.features


def case_shared(device):
    """SHARED_LOAD and SHARED_STORE beside atomics on the same word are no race."""
    word = device.zeros(2, np.int32)
    _launch(device, "shared_word", word=word)
    assert device.download(word, np.int32, 1)[0] == 49


# Oclgrind must say so of each of these: the test expects them to fail


def case_planted_race(device):
    """All work-items write one word."""
    _launch(device, "planted_race", word=device.zeros(1, np.int32))


def case_planted_overrun(device):
    """A read behind the end of a buffer."""
    out = device.zeros(50, np.int32)
    _launch(device, "planted_overrun", out=out, in_=device.zeros(50, np.int32))


def case_planted_uninitialised(device):
    """A branch on memory that nothing has written."""
    out = device.zeros(50, np.int32)
    _launch(device, "planted_uninitialised", out=out, in_=device.empty(50, np.int32))
