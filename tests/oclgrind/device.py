"""The device floor's own kernels, and faults that Oclgrind must find."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

KERNELS = Path(__file__).parent.parent / "kernels"


def build_test_kernel(device: Any, name: str) -> Any:
    """A program from tests/kernels/NAME.cl, with cl/common.h in front."""
    from clgraph.device.program import build_source, kernel_folder

    source = (kernel_folder() / "common.h").read_text() + (KERNELS / f"{name}.cl").read_text()
    return build_source(device, name, source, device.build_options)


def case_device(device: Any) -> None:
    """The device floor's own kernels and copies."""
    for dtype in (np.int8, np.int32, np.int64, np.float64):
        buffer = device.zeros(50, dtype)
        device.fill(buffer, np.dtype(dtype).type(7), 40)
        other = device.empty(50, dtype)
        device.copy(other, buffer, 50 * np.dtype(dtype).itemsize)
        assert device.download(other, dtype, 50).tolist() == [7] * 40 + [0] * 10
    assert device.fault is None
    assert "HAVE_INT64_ATOMICS" in device.features


def case_shared(device: Any) -> None:
    """SHARED_LOAD and SHARED_STORE beside atomics on the same word are no race."""
    word = device.zeros(2, np.int32)
    build_test_kernel(device, "races").shared_word(50, word=word, n=50)
    assert device.download(word, np.int32, 1)[0] == 49


def case_planted_race(device: Any) -> None:
    """All work-items write one word: Oclgrind must say so (the test expects this case to fail)."""
    build_test_kernel(device, "races").planted_race(50, word=device.zeros(1, np.int32), n=50)
    device.finish()


def case_planted_overrun(device: Any) -> None:
    """A read behind the end of a buffer: Oclgrind must say so (the test expects this case to fail)."""
    out = device.zeros(50, np.int32)
    build_test_kernel(device, "races").planted_overrun(50, out=out, in_=device.zeros(50, np.int32), n=50)
    device.finish()


def case_planted_uninitialised(device: Any) -> None:
    """A branch on memory that nothing has written: Oclgrind must say so (the test expects that)."""
    out = device.zeros(50, np.int32)
    build_test_kernel(device, "races").planted_uninitialised(
        50, out=out, in_=device.empty(50, np.int32), n=50
    )
    device.finish()
