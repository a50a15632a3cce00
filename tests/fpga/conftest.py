"""What the tests of FPGAs share: the emulator, and a binary for it."""

import shutil

import pytest
from devices import working_devices

from clgraph.device import Setup
from clgraph.fpga import binary, offline


@pytest.fixture(scope="module")
def emulator(request):
    words = request.config.getoption("--devices") or request.config.getoption("--require")
    chosen = "fpga" in words.split(",") if words else next(iter(working_devices()), "") == "fpga"
    found = working_devices().get("fpga")
    if found is None or found.kind != "emulator" or not chosen:
        pytest.skip("needs Intel's FPGA emulator (pip install 'pyclgraph[fpga-emulator]'), in --devices fpga")
    return found.with_setup(Setup(kernels="pipeline"))


@pytest.fixture(scope="module")
def made(emulator, tmp_path_factory):
    """A binary of all pipelines for the emulator."""
    path = tmp_path_factory.mktemp("binary") / "clgraph.aocx"
    order = offline.Order(path, "emulator")
    offline._by_runtime(order, print)
    return path


@pytest.fixture
def copy(made, tmp_path):
    for file in (made, binary.sidecar_of(made)):
        shutil.copy(file, tmp_path)
    return tmp_path / made.name
