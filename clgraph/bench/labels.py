"""Short labels of devices and machines, and the order of results."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from clgraph.bench.graphs import size_of

Record = dict[str, Any]
PLATFORMS = {
    "Portable Computing Language": "PoCL",
    "Intel(R) OpenCL": "Intel's runtime",
    "NVIDIA CUDA": "",
    "Intel(R) FPGA Emulation Platform for OpenCL(TM)": "FPGA emulator",
    "Oclgrind": "Oclgrind",
}
# other libraries run on the machine's CPU, except these
CUDA = ("cupy", "cuSPARSE", "CUDA")
SUITES = ("sampling", "pagerank", "ppr", "traversal")


class Labels:
    """Labels of the devices in a set of results, with the machine where there are several."""

    def __init__(self, records: Iterable[Record]) -> None:
        records = list(records)
        machines = {machine_key(record): None for record in records}
        self._several = len(machines) > 1
        self._gpu = {
            machine_key(record): str(record["device"]["name"])
            for record in records
            if record["device"] and record["device"]["kind"] == "gpu"
        }

    def of(self, record: Record) -> str:
        """The label of a device, or of the machine if a case runs without one."""
        device, machine = record["device"], short_machine(record)
        if device is None:
            on_gpu = record["who"].startswith(CUDA)
            return self._gpu.get(machine_key(record), "its GPU") if on_gpu else machine
        if device["kind"] == "gpu":
            return str(device["name"])
        platform = PLATFORMS.get(device["platform"], device["platform"])
        return f"{platform}, {machine}" if self._several else platform

    def series(self, record: Record) -> str:
        """The label for a figure's legend: who did it, and where."""
        if record["device"] is not None:
            return self.of(record)
        return f"{record['who']}, {self.of(record)}" if self._several else str(record["who"])


def cpu_of(record: Record) -> str:
    """The machine's processor."""
    return str(record["environment"]["machine"]["cpu"])


def machine_key(record: Record) -> tuple[str, int]:
    """What identifies a machine."""
    machine = record["environment"]["machine"]
    return machine["cpu"], machine["cores"]


def short_machine(record: Record) -> str:
    """``Xeon 2.50GHz, 2 cores``."""
    cpu, cores = machine_key(record)
    cpu = re.sub(r"\((R|TM)\)|CPU|Processor|Intel|AMD|@", " ", cpu)
    return f"{' '.join(cpu.split())}, {cores} core{'' if cores == 1 else 's'}"


def order_of(record: Record) -> tuple[Any, ...]:
    """Sort key: suite, graph (kind, then size), task; clgraph first."""
    suite = SUITES.index(record["suite"]) if record["suite"] in SUITES else len(SUITES)
    return (
        suite,
        re.sub(r"\d", "", record["graph"]),
        size_of(record["graph"]),
        record["graph"],
        record["what"],
        not record["who"].startswith("clgraph"),
        record["who"],
        str(record["device"]),
    )
