"""Intel's runtimes are told of processors that are newer than themselves."""

import os

import pytest

from clgraph.device import drivers
from clgraph.device.drivers import AVX512, CPU_TARGET, WARNING, target


def cpuinfo(vendor, family, flags):
    one = f"vendor_id\t: {vendor}\ncpu family\t: {family}\nmodel name\t: a: b\nflags\t\t: {' '.join(flags)}\n"
    return f"processor\t: 0\n{one}\nprocessor\t: 1\n{one}"


def test_target():
    assert target(cpuinfo("AuthenticAMD", 26, {"avx2", *AVX512})) == "skx"
    assert target(cpuinfo("AuthenticAMD", 26, {"avx2", "avx512f"})) == "core-avx2"
    assert target(cpuinfo("AuthenticAMD", 26, {"sse2"})) is None
    assert target(cpuinfo("AuthenticAMD", 25, {"avx2", *AVX512})) is None  # known: Zen 4
    assert target(cpuinfo("GenuineIntel", 26, {"avx2"})) is None
    assert target("Processor : an ARM\n") is None


@pytest.mark.parametrize("set_by_user", [None, "corei7-avx"])
def test_warning_is_left_out_and_all_else_passed_on(monkeypatch, capfd, set_by_user):
    monkeypatch.setattr(drivers, "target", lambda text: "core-avx2")
    monkeypatch.delenv(CPU_TARGET, raising=False)
    if set_by_user:
        monkeypatch.setenv(CPU_TARGET, set_by_user)
    with drivers.unknown_cpu():
        os.write(2, WARNING + b"\nanother word\n" + WARNING + b"\n")
    assert capfd.readouterr().err == "another word\n"
    assert os.environ[CPU_TARGET] == (set_by_user or "core-avx2")
