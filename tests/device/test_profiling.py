"""Profiles of what runs on a device."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_runs import InProcess

import clgraph
from clgraph.device.launch import record_launches


@pytest.mark.smoke
@pytest.mark.device
def test_every_kernel_and_copy_is_measured(device: Any, tmp_path: Path) -> None:
    graph = clgraph.Graph.from_edges(np.arange(2000), (np.arange(2000) * 7 + 1) % 2000)
    plain = clgraph.bfs(graph, 0, device=device)
    graph.free(device)
    with record_launches() as launches, clgraph.profile(device) as measured:
        found = clgraph.bfs(graph, 0, device=device)
    assert np.array_equal(found.distance, plain.distance)
    kernels = [each for each in measured.activities if each.where]
    assert [(each.name, each.size) for each in kernels] == [(x.kernel, x.global_size) for x in launches]
    assert all(each.seconds >= 0 and each.start >= 0 for each in measured.activities)
    assert sum(row["calls"] for row in measured.table) == len(measured.activities) > 0
    assert measured.seconds == pytest.approx(sum(row["seconds"] for row in measured.table))
    assert all(each.nbytes > 0 for each in kernels)
    if not device.shares_memory:
        moved = sum(each.nbytes for each in measured.activities if each.name == "upload")
        assert moved >= graph.row_ptr.nbytes + graph.col_idx.nbytes
    measured.write_trace(tmp_path / "t.json")
    (tmp_path / "other").touch()
    assert (tmp_path / "t.json").stat().st_mode == (tmp_path / "other").stat().st_mode
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    names = [each.name for each in measured.activities]
    assert [each["name"] for each in events if each["ph"] == "X"] == names
    clgraph.bfs(graph, 0, device=device)
    assert len(measured.activities) == len(names)  # nothing is measured after the block


def test_one_profile_at_a_time_and_none_after_an_error() -> None:
    device = clgraph.get_device()
    queue = device.queue
    with clgraph.profile(device):
        assert device.queue is not queue
        with pytest.raises(clgraph.DeviceError, match="one profile at a time"), clgraph.profile(device):
            pass
    assert device.queue is queue
    with pytest.raises(ZeroDivisionError), clgraph.profile(device):
        raise ZeroDivisionError
    assert device.queue is queue and device.notes is None


def test_commands_write_traces(run: InProcess, tmp_path: Path) -> None:
    graph = tmp_path / "g.txt"
    graph.write_text("0 1\n1 2\n2 3\n")
    done = run("components", graph, "--trace", tmp_path / "t.json", "-q")
    assert done.status == 0 and "us a call" in done.err
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert any("components" in each.get("args", {}).get("file", "") for each in events)
    assert "no folder" in run("components", graph, "--trace", tmp_path / "none" / "t.json").err
    assert run("components", graph, "--trace", tmp_path / "t.json", "--device", "0:0,0:0").status == 1
