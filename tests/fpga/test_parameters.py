"""The parameters that pipelines are built with."""

from __future__ import annotations

from pathlib import Path

import pytest

from clgraph.errors import InputError
from clgraph.fpga import offline, parameters


def test_parameters() -> None:
    known = parameters.known()
    assert known["UNROLL"].board == 16
    assert known["UNROLL"].emulator < 16
    assert all(p.meaning for p in known.values())
    assert parameters.parse(["UNROLL=8", "CHANNELS=1"]) == {"UNROLL": 8, "CHANNELS": 1}
    for wrong, reason in {
        "SPEED=9": "no parameter 'SPEED'",
        "UNROLL=fast": "give a whole number",
        "UNROLL=12": "power of two",
        "UNROLL=64": "32 at most",
        "OFFSET_BITS=48": "32 or 64",
        "ROW_BLOCK=100": "multiple of 32",
        "CHANNELS=2": "0 or 1",
        "WALKS=0": "use 1",
    }.items():
        with pytest.raises(InputError, match=reason):
            parameters.parse([wrong])
    with pytest.raises(InputError, match="must be a multiple of UNROLL=16"):
        offline.compile_binary(offline.Order(Path("x.aocx"), settings={"ARC_BLOCK": 1000}))
