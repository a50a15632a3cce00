"""Energy: counters that turn over, go backwards, refuse or are not there; powers given by hand."""

import json
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from clgraph import energy
from clgraph.energy import Meter, measure
from clgraph.energy import counters as energy_counters
from clgraph.energy.counters import NVMLCounter, RAPLCounter, Unavailable
from clgraph.errors import InputError


class FakeNVML:
    """As much of pynvml as is used; one board at 0000:1b:00 unless told otherwise."""

    class NVMLError(Exception):
        pass

    def __init__(self, readings=(), *, boards=((0, 0x1B, 0),), init=None, energy=None, mig=None):
        self.readings, self.boards = iter(readings), boards
        self.init, self.energy, self.mig = init, energy, mig

    def nvmlInit(self):
        if self.init:
            raise self.NVMLError(self.init)

    def nvmlDeviceGetCount(self):
        return len(self.boards)

    def nvmlDeviceGetHandleByIndex(self, index):
        return index

    def nvmlDeviceGetPciInfo(self, handle):
        domain, bus, device = self.boards[handle]
        return SimpleNamespace(domain=domain, bus=bus, device=device)

    def nvmlDeviceGetName(self, handle):
        return b"Fake H200"

    def nvmlDeviceGetMigMode(self, handle):
        if self.mig is None:
            raise self.NVMLError("Not Supported")
        return self.mig

    def nvmlDeviceGetTotalEnergyConsumption(self, handle):
        if self.energy:
            raise self.NVMLError(self.energy)
        return next(self.readings)


PLACE = (0, 0x1B, 0)


def fake_device(kind="gpu", platform="NVIDIA CUDA"):
    return SimpleNamespace(
        kind=kind,
        platform_name=platform,
        vendor=platform.split()[0],
        name="Fake",
        spec="9:9",
        raw=SimpleNamespace(pci_bus_id_nv=0x1B, pci_slot_id_nv=0, pci_domain_id_nv=0),
        finish=lambda: None,
    )


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """No second of idling in each test, and no power remembered from one to the next."""
    monkeypatch.setattr(energy, "IDLE", 0.01)
    monkeypatch.setattr(energy, "_idle", {})
    monkeypatch.setattr("clgraph.device.get_device", lambda spec: spec)


# --- NVML ----------------------------------------------------------------------------------------------


def test_nvml_counts_between_start_and_stop():
    counter = NVMLCounter(PLACE, FakeNVML([0, 5_000, 7_500]))  # the first reading is the constructor's try
    counter.start()
    assert counter.stop(1.0) == 2.5
    assert counter.source == "NVML, total-energy counter of Fake H200"


def test_nvml_finds_the_board_by_its_pci_address():
    boards = ((0, 0x1B, 0), (0, 0x1B, 5), (1, 0x1B, 5))
    for slot in (5 << 3, 5):  # device and function in one byte, or the device alone
        nvml = FakeNVML([0], boards=boards)
        assert NVMLCounter((1, 0x1B, slot), nvml)._handle == 2
    with pytest.raises(Unavailable, match=r"no board at PCI 0002:1b:00; it has 0000:1b:00, 0000:1b:05"):
        NVMLCounter((2, 0x1B, 0), FakeNVML(boards=boards))


def test_a_device_without_the_domain_query_is_in_domain_0():
    device = fake_device()
    del device.raw.pci_domain_id_nv
    assert energy_counters.pci_address(device) == PLACE
    del device.raw.pci_bus_id_nv
    with pytest.raises(Unavailable, match="does not report its PCI address"):
        energy_counters.pci_address(device)


@pytest.mark.parametrize(
    ("nvml", "says"),
    [
        (FakeNVML(init="Driver Not Loaded"), "NVML does not start .Driver Not Loaded.*libnvidia-ml"),
        (FakeNVML(energy="Insufficient Permissions"), "Insufficient Permissions.*--watts"),
        (FakeNVML([0], mig=(1, 1)), "MIG"),
        (FakeNVML(boards=()), "it has none"),
        (None, r"pip install 'pyclgraph\[energy\]'"),  # the library is missing
    ],
)
def test_nvml_that_refuses_is_not_available_and_says_why(nvml, says, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", nvml)
    with pytest.raises(Unavailable, match=says):
        NVMLCounter(PLACE)
    with measure(fake_device()) as found:
        pass
    assert not found.available
    assert (found.joules, found.watts, found.per_joule(5)) == (None, None, None)
    assert found.to_dict(7) == {"available": False, "reason": found.reason}
    assert str(found).startswith("energy: not available: ")


@pytest.mark.parametrize(
    ("readings", "says"),
    [([0, 9_000, 4_000], "went backwards by 5.000 J"), ([0, 9_000, 9_000], "did not change in 0.5")],
)
def test_an_nvml_counter_that_goes_backwards_or_stands_gives_no_figure(readings, says):
    counter = NVMLCounter(PLACE, FakeNVML(readings))
    counter.start()
    with pytest.raises(Unavailable, match=says):
        counter.stop(0.5)


def test_an_nvml_counter_that_fails_as_a_measurement_begins_is_a_reason(monkeypatch):
    nvml = FakeNVML([0, 0, 1000])
    monkeypatch.setitem(sys.modules, "pynvml", nvml)
    meter = Meter(fake_device())
    meter.idle_watts()
    nvml.energy = "GPU is lost"
    with meter.region() as found:
        pass
    assert not found.available and "stopped answering (GPU is lost)" in found.reason


# --- RAPL ----------------------------------------------------------------------------------------------


@pytest.fixture
def powercap(tmp_path):
    """Two packages, a package's memory, and parts that must not be counted twice."""
    zones = {"0": "package-0", "0:0": "core", "0:1": "dram", "1": "package-1", "2": "psys"}
    for zone, name in zones.items():
        folder = tmp_path / f"intel-rapl:{zone}"
        folder.mkdir()
        (folder / "name").write_text(f"{name}\n")
        (folder / "max_energy_range_uj").write_text("1000000000\n")
        (folder / "energy_uj").write_text("0\n")
    return tmp_path


def set_counter(folder, zone, value):
    """At once, as a counter changes: a reader never sees half of it."""
    made = folder / f"intel-rapl:{zone}" / "next"
    made.write_text(f"{value}\n")
    made.replace(made.with_name("energy_uj"))


def test_rapl_adds_packages_and_memory_and_turns_over(powercap):
    set_counter(powercap, "0", 999_000_000)
    counter = RAPLCounter(powercap)
    assert counter.source == "RAPL: package-0, dram, package-1"
    counter.start()
    time.sleep(0.02)
    joules = {"0": 2, "0:0": 900, "0:1": 4, "1": 5, "2": 900}  # of package-0 1 J to the end, and 2 more
    for zone, value in joules.items():
        set_counter(powercap, zone, 1_000_000 * value)
    counter._read_at -= 1  # as if a second had passed: 12 J in no time are refused
    assert counter.stop(1.0) == pytest.approx(12.0)


def test_rapl_watches_often_enough_to_miss_no_turn(powercap, monkeypatch):
    counter = RAPLCounter(powercap)
    assert counter._period == pytest.approx(1000 / energy_counters.MOST_WATTS / 2)
    monkeypatch.setattr(energy_counters, "MOST_WATTS", 1e9)
    counter._period = 0.005
    counter.start()
    for value in (600_000_000, 100_000_000, 700_000_000, 200_000_000):  # two turns
        set_counter(powercap, "0", value)
        end = time.monotonic() + 20
        while counter._last[0] != value and time.monotonic() < end:
            time.sleep(0.005)
    assert counter.stop(0.2) == pytest.approx(2200.0)
    assert not [t for t in threading.enumerate() if t.name == "clgraph energy"]


def test_a_rapl_counter_that_was_reset_gives_no_figure(powercap):
    set_counter(powercap, "1", 500_000_000)
    counter = RAPLCounter(powercap)
    counter.start()
    set_counter(powercap, "1", 3)  # as if 500 J had been used in no time
    with pytest.raises(Unavailable, match="went from 500000000 to 3 uJ: it was reset"):
        counter.stop(0.1)


def test_a_rapl_counter_that_cannot_be_read_says_so(powercap, monkeypatch, tmp_path):
    with pytest.raises(Unavailable, match=r"no RAPL counters .*--watts"):
        RAPLCounter(tmp_path / "nothing")
    real = energy_counters.Path.read_text

    def refuse(self, *args, **kwargs):
        if self.name == "energy_uj":
            raise PermissionError(13, "Permission denied")
        return real(self, *args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(energy_counters.Path, "read_text", refuse)
        with pytest.raises(Unavailable, match=r"no permission to read .*energy_uj: as root, or .*chmod"):
            RAPLCounter(powercap)
    set_counter(powercap, "0", "soup")
    with pytest.raises(Unavailable, match="contains 'soup'"):
        RAPLCounter(powercap)


# --- meters --------------------------------------------------------------------------------------------


def test_a_meter_repeats_short_work_and_reports_idle_power(monkeypatch):
    readings = range(0, 10_000_000, 1000)  # a joule at each look
    monkeypatch.setitem(sys.modules, "pynvml", FakeNVML(readings))
    meter = Meter(fake_device())
    runs = []
    found = meter.repeat(lambda: (runs.append(1), time.sleep(0.01)), at_least=0.05)
    assert found.runs == len(runs) >= 4 and found.seconds >= 0.05 and found.joules == 1.0
    assert found.idle_watts == pytest.approx(1 / 0.01, rel=0.5)
    told = found.to_dict(100)
    assert told["joules"] == pytest.approx(1 / found.runs)
    assert told["vertices_per_second_per_watt"] == pytest.approx(100 * found.runs)
    assert told["vertices_per_second_per_watt"] == pytest.approx(100 / told["seconds"] / told["watts"])
    assert "idle" in str(found)


@pytest.mark.smoke
def test_a_power_given_by_hand_is_labelled_and_works_without_a_counter():
    with measure(fake_device("fpga", "Some FPGA"), watts=60) as found:
        time.sleep(0.02)
    assert found.joules == pytest.approx(60 * found.seconds)
    assert found.source == "given by hand: 60 W" and found.idle_watts is None
    meter = Meter(fake_device("fpga", "Some FPGA"), 60)
    assert meter.repeat(lambda: time.sleep(0.1)).runs <= 5
    for wrong in (0, -3, float("nan"), float("inf"), "70", True):
        with pytest.raises(InputError, match="above 0"):
            Meter(fake_device(), wrong)


def test_a_device_without_a_known_counter_runs_nothing_twice():
    meter = Meter(fake_device("gpu", "Some Platform"))
    assert not meter.available and "no energy counter is known" in meter.reason
    assert meter.repeat(lambda: pytest.fail("run in vain")).reason == meter.reason


def test_an_error_in_the_region_gets_through_and_ends_the_watch(powercap, monkeypatch):
    monkeypatch.setattr(energy_counters, "POWERCAP", powercap)
    with pytest.raises(ZeroDivisionError), measure(fake_device("cpu", "PoCL")):
        1 / 0  # noqa: B018
    assert not [t for t in threading.enumerate() if t.name == "clgraph energy"]


# --- on the command line -------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["sample --size 50% --seed 1", "bfs -s 0", "pagerank", "ppr -s 0"])
def test_commands_tell_their_energy(words, tmp_path, run, monkeypatch):
    monkeypatch.undo()  # the commands take a real device
    graph = tmp_path / "graph.txt"
    graph.write_text("".join(f"{i} {(i * 7 + 1) % 60}\n{i} {(i + 1) % 60}\n" for i in range(60)))
    done = run(f"{words} --watts 70 --json -q", graph)
    assert done.status == 0, done.err
    told = json.loads(done.out)["energy"]
    assert told["available"] and told["source"] == "given by hand: 70 W"
    assert told["joules"] == pytest.approx(70 * told["seconds"])
    assert told["vertices_per_second_per_watt"] == pytest.approx(60 / told["joules"])
    assert run(f"{words} --watts 0", graph).err.count("watts is 0.0") == 1
    if words == "bfs -s 0":
        done = run(f"{words} --energy -q", graph)
        assert done.status == 0 and "energy: " in done.out
