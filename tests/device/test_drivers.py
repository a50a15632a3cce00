"""Finding drivers: what is told to the loader, without asking any driver."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

import clgraph
from clgraph.device import drivers
from clgraph.errors import DeviceError

ROOT = Path(clgraph.__file__).parent.parent


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without any driver: no ICD files, no packages, no NVIDIA library."""
    monkeypatch.delenv("OCL_ICD_VENDORS", raising=False)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(drivers, "SYSTEM_VENDORS", tmp_path / "vendors")
    monkeypatch.setattr(drivers, "PIP_DRIVERS", {})
    monkeypatch.setattr(drivers, "LIBRARY_FOLDERS", ())
    monkeypatch.setattr(drivers, "NVIDIA_LIBRARY", "libno-such-thing.so.1")
    monkeypatch.setattr(drivers, "bundled_icds", list)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "prefix"))
    (tmp_path / "vendors").mkdir()
    return tmp_path


def corrected(*, oclgrind: bool = False) -> list[str] | None:
    """What the loader reads instead of the system's files; None if those do."""
    before = os.environ.get("OCL_ICD_VENDORS")
    with drivers._corrected_drivers(drivers.find_icds(oclgrind=oclgrind)):
        folder = os.environ.get("OCL_ICD_VENDORS")
        found = None if folder == before else [f.read_text() for f in sorted(Path(str(folder)).iterdir())]
    assert os.environ.get("OCL_ICD_VENDORS") == before
    assert folder == before or not Path(str(folder)).exists()
    return found


@pytest.mark.smoke
def test_import_queries_nothing() -> None:
    done = run("import sys, clgraph; assert 'pyopencl' not in sys.modules, 'pyopencl was imported'")
    assert done.returncode == 0, done.stderr


def test_nothing_to_find(bare: Path) -> None:
    assert drivers.find_icds() == []
    assert corrected() is None


def test_system_files_alone_need_no_folder(bare: Path) -> None:
    (bare / "vendors/one.icd").write_text("libone.so\n")
    assert [icd.library for icd in drivers.find_icds()] == ["libone.so"]
    assert corrected() is None


def test_environment_with_placeholder_and_with_real_library(bare: Path) -> None:
    vendors = bare / "prefix/etc/OpenCL/vendors"
    vendors.mkdir(parents=True)
    (vendors / "intel.icd").write_text("/opt/anaconda1anaconda2anaconda3/lib/libintelocl.so\n")
    real = bare / "prefix/libother.so"
    real.touch()
    (vendors / "other.icd").write_text(f"{real}\n")
    (bare / "vendors/system.icd").write_text("libsystem.so.1\n")
    (bare / "vendors/empty.icd").write_text("")
    found = drivers.find_icds()
    assert {icd.library for icd in found} == {str(real), "libsystem.so.1", ""}
    assert corrected() == ["libsystem.so.1\n", f"{real}\n"]  # the system's are kept beside the corrected ones


def test_nvidia_library_without_icd(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = bare / "lib/libnvidia-opencl.so.1"
    library.parent.mkdir()
    library.touch()
    monkeypatch.setattr(drivers, "LIBRARY_FOLDERS", (str(library.parent),))
    monkeypatch.setattr(drivers, "NVIDIA_LIBRARY", library.name)
    assert [icd.library for icd in drivers.find_icds()] == [str(library)]
    (bare / "vendors/nvidia.icd").write_text(
        "libnvidia-opencl.so.1\n"
    )  # names it, but the linker finds it not
    assert [icd.library for icd in drivers.find_icds()] == [str(library)]
    monkeypatch.setattr(
        drivers, "dlopen_error", lambda library: None
    )  # an .icd file that works is left alone
    assert [icd.corrected for icd in drivers.find_icds()] == [False]


def test_same_library_twice_is_told_once(bare: Path) -> None:
    vendors = bare / "prefix/etc/OpenCL/vendors"
    vendors.mkdir(parents=True)
    real = bare / "prefix/libintelocl.so"
    real.touch()
    (vendors / "intel.icd").write_text(f"{real}\n")
    (bare / "vendors/intel.icd").write_text("/gone/libintelocl.so.2\n")
    assert [icd.library for icd in drivers.find_icds()] == [str(real)]  # the one that exists wins


def test_users_variable_is_respected(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = bare / "mine"
    mine.mkdir()
    (mine / "a.icd").write_text("liba.so\n")
    (bare / "vendors/system.icd").write_text("libsystem.so\n")
    monkeypatch.setenv("OCL_ICD_VENDORS", str(mine))
    assert [icd.library for icd in drivers.find_icds(oclgrind=True)] == ["liba.so"]
    assert corrected(oclgrind=True) is None
    monkeypatch.setenv("OCL_ICD_VENDORS", str(mine / "a.icd"))
    assert [icd.library for icd in drivers.find_icds()] == ["liba.so"]
    monkeypatch.setenv("OCL_ICD_VENDORS", "/somewhere/libx.so")
    assert [icd.library for icd in drivers.find_icds()] == ["/somewhere/libx.so"]


def test_oclgrind_only_when_asked(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bare / "vendors/oclgrind.icd").write_text("/usr/lib/oclgrind/liboclgrind-rt-icd.so\n")
    monkeypatch.setattr(drivers, "find_oclgrind", lambda: "/x/liboclgrind-rt-icd.so")
    assert drivers.find_icds() == []
    assert [icd.library for icd in drivers.find_icds(oclgrind=True)] == ["/x/liboclgrind-rt-icd.so"]


def test_oclgrind_asked_for_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    state = drivers._State()
    state.platforms = []
    monkeypatch.setattr(drivers, "_state", state)
    with pytest.raises(DeviceError, match="too late"):
        drivers.platforms(oclgrind=True)


def test_folder_where_the_cache_cannot_be_written(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    icds = [drivers.Icd("/a.so", "", corrected=True)]
    with drivers._corrected_drivers(icds):
        assert Path(os.environ["OCL_ICD_VENDORS"]).parent == bare / "cache/icd"
    (bare / "file").touch()
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(bare / "file"))
    with drivers._corrected_drivers(icds):
        (file,) = Path(os.environ["OCL_ICD_VENDORS"]).iterdir()
        assert file.read_text() == "/a.so\n"


def test_pip_packages_by_their_file_lists(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    site = tmp_path / "lib/python3.11/site-packages"
    info = site / "intel_opencl_rt-2025.0.5.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: intel-opencl-rt\nVersion: 2025.0.5\n")
    (info / "RECORD").write_text("../../libintelocl.so,,\n")
    library = tmp_path / "lib/libintelocl.so"
    library.touch()
    monkeypatch.setattr(
        importlib.metadata,
        "distribution",
        lambda name: (
            importlib.metadata.PathDistribution(info)
            if name == "intel-opencl-rt"
            else (_ for _ in ()).throw(importlib.metadata.PackageNotFoundError(name))
        ),
    )
    assert [icd.library for icd in drivers.pip_icds()] == [str(library)]
    assert drivers.pip_icds()[0].origin == "pip package intel-opencl-rt 2025.0.5"


def test_children_look_for_themselves() -> None:
    """The variable that steers the loader is not left in the environment."""
    done = run(
        "import os, clgraph.device.drivers as d; d.platforms(); print(os.environ.get('OCL_ICD_VENDORS'))",
        OCL_ICD_VENDORS="",
    )
    assert done.stdout.strip() in ("None", ""), done.stdout + done.stderr


def test_no_platform_at_all(tmp_path: Path) -> None:
    done = run("import clgraph.device as d; d.get_device()", OCL_ICD_VENDORS=str(tmp_path))
    assert "DeviceError" in done.stderr
    assert "pip install 'pyclgraph[cpu]'" in done.stderr
    assert "apt-get install pocl-opencl-icd" in done.stderr
