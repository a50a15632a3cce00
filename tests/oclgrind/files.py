"""Edge lists parsed, numbered and written by a device."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any


def _read(device: Any, text: bytes, **how: Any) -> None:
    from file_reading import agree

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "g.txt")
        path.write_bytes(text)
        assert agree(path, device, **how) == "taken"


def case_files_parse(device: Any) -> None:
    """Rows with comments, blanks, loops and copies; ids with gaps, by a bitmap."""
    rows = b"".join(b"%d\t%d\r\n" % (7 * k % 50, 3 * k * k % 400) for k in range(40))
    _read(device, b"# head\n" + rows + b"  # in\n\n+3  4 x\n" + rows[:60] + b"\n5 5")


def case_files_weights(device: Any) -> None:
    """Weights, one of which is left to the host."""
    rows = b"".join(b"%d %d %r\n" % (k, k + 1, 0.1 * k) for k in range(20)) + b"3 4 1e-310\n"
    _read(device, rows, weights=True)


def case_files_wide(device: Any) -> None:
    """Ids that are sorted."""
    _read(device, b"".join(b"%d %d\n" % (2**40 + 977 * k % 31, 10**12 * (k % 7)) for k in range(30)))
