"""Launch tables: what each kind of device gets, and how it is cut to a device's limits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from clgraph.device.launch_config import AS_CPU, LaunchTable, WorkGroup, fit_group, fit_local


def device(kind: str, max_work_group: int = 1024, local_memory: int = 1 << 15) -> Any:
    return SimpleNamespace(kind=kind, max_work_group=max_work_group, local_memory=local_memory)


def test_entries_that_are_not_given_are_those_of_a_cpu() -> None:
    table = LaunchTable(gpu=1, cpu=2, simulator=3, fpga=4)
    kinds = ("gpu", "cpu", "simulator", "emulator", "fpga")
    assert [table.of(device(kind)) for kind in kinds] == [1, 2, 3, 2, 4]
    assert table.emulator is AS_CPU


@pytest.mark.parametrize("nothing", [None, 0, False])
def test_an_empty_entry_means_what_it_says(nothing: Any) -> None:
    """None on a GPU once meant the CPU's: directed graphs were reversed wrongly there."""
    table: LaunchTable[Any] = LaunchTable(gpu=nothing, cpu=8, simulator=2, emulator=nothing)
    assert table.of(device("gpu")) is nothing and table.of(device("emulator")) is nothing
    assert table.of(device("fpga")) == 8


def test_configurations_are_cut_to_the_device() -> None:
    table = LaunchTable(gpu=WorkGroup(256), cpu=WorkGroup(4), simulator=WorkGroup(4))
    assert table.of(device("gpu", max_work_group=64)).local == 64
    assert table.of(device("cpu", max_work_group=1)).local == 1
    assert fit_group(256, device("gpu", local_memory=1 << 10), each=16) == 64
    assert fit_local(1024, 8 * 1024, device("gpu", local_memory=1 << 11)) == 256
