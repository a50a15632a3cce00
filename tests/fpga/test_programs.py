"""The form of kernels that a device uses: which one may be chosen, and what is reported."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from clgraph.cli import main
from clgraph.device import Device, get_device
from clgraph.errors import DeviceError


@pytest.mark.device
def test_choosing(emulator: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLGRAPH_KERNELS", raising=False)
    assert get_device("emulator").kernels == "pipeline"
    assert get_device("emulator", kernels="ndrange").kernels == "ndrange"
    assert get_device(emulator, kernels="ndrange") is get_device(emulator, kernels="ndrange")
    monkeypatch.setenv("CLGRAPH_KERNELS", "ndrange")
    assert get_device("emulator").kernels == "ndrange"
    assert get_device("emulator", kernels="pipeline").kernels == "pipeline"
    monkeypatch.setenv("CLGRAPH_KERNELS", "both")
    with pytest.raises(DeviceError, match="CLGRAPH_KERNELS is 'both': use 'ndrange' or 'pipeline'"):
        get_device("emulator")


@pytest.mark.device
def test_told_in_json(emulator: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edges = tmp_path / "g.txt"
    edges.write_text("0 1\n1 2\n2 3\n3 0\n")
    main(["components", str(edges), "--device", emulator.spec, "--kernels", "pipeline", "--json", "-q"])
    told = json.loads(capsys.readouterr().out)
    assert told["kernels"] == "pipeline"
    assert "cl/fpga/components/finder.cl" in told["built"]
    assert os.environ.get("CLGRAPH_KERNELS") is None or "--kernels" in sys.argv
