"""Finding drivers, without asking any: what the loader is told, and what is registered with it."""

import importlib.metadata
import os
import stat
import sys
from pathlib import Path

import pytest
from cli_runs import python

from clgraph.device import drivers
from clgraph.device.drivers import AVX512, CPU_TARGET, WARNING, Icd, target
from clgraph.errors import DeviceError

ENVIRONMENT = "prefix/etc/OpenCL/vendors"  # of conda


@pytest.fixture
def bare(monkeypatch, tmp_path):
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


def put(folder, files):
    """Write files of a line each; HERE in it is the folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{text.replace('HERE', str(folder))}\n" if text else "")


def found(*, oclgrind=False):
    return [icd.library for icd in drivers.find_icds(oclgrind=oclgrind)]


def corrected(*, oclgrind=False):
    """What the loader reads instead of the system's files; None if those do."""
    before = os.environ.get("OCL_ICD_VENDORS")
    with drivers._corrected_drivers(drivers.find_icds(oclgrind=oclgrind)):
        folder = os.environ.get("OCL_ICD_VENDORS")
        told = None if folder == before else [f.read_text() for f in sorted(Path(str(folder)).iterdir())]
    assert os.environ.get("OCL_ICD_VENDORS") == before
    assert folder == before or not Path(str(folder)).exists()
    return told


@pytest.mark.smoke
def test_import_queries_nothing():
    python("-c", "import sys, clgraph; assert 'pyopencl' not in sys.modules, 'pyopencl was imported'").fine()


@pytest.mark.parametrize(
    ("files", "libraries", "told"),
    [
        pytest.param({}, [], None, id="nothing"),
        pytest.param({"vendors/one.icd": "libone.so"}, ["libone.so"], None, id="system files alone"),
        pytest.param(  # the system's are kept beside the corrected ones
            {
                f"{ENVIRONMENT}/intel.icd": "/opt/anaconda1anaconda2anaconda3/lib/libintelocl.so",
                f"{ENVIRONMENT}/other.icd": "HERE/prefix/libother.so",
                "prefix/libother.so": "",
                "vendors/system.icd": "libsystem.so.1",
                "vendors/empty.icd": "",
            },
            ["", "HERE/prefix/libother.so", "libsystem.so.1"],
            ["libsystem.so.1\n", "HERE/prefix/libother.so\n"],
            id="an environment with a placeholder and a real library",
        ),
        pytest.param(  # the one that exists wins
            {
                f"{ENVIRONMENT}/intel.icd": "HERE/prefix/libintelocl.so",
                "prefix/libintelocl.so": "",
                "vendors/intel.icd": "/gone/libintelocl.so.2",
            },
            ["HERE/prefix/libintelocl.so"],
            ["HERE/prefix/libintelocl.so\n"],
            id="the same library twice",
        ),
    ],
)
def test_what_the_loader_is_told(bare, files, libraries, told):
    put(bare, files)
    assert sorted(found()) == [library.replace("HERE", str(bare)) for library in libraries]
    assert corrected() == (told and [line.replace("HERE", str(bare)) for line in told])


def test_nvidia_library_without_icd(bare, monkeypatch):
    put(bare, {"lib/libnvidia-opencl.so.1": ""})
    monkeypatch.setattr(drivers, "LIBRARY_FOLDERS", (str(bare / "lib"),))
    monkeypatch.setattr(drivers, "NVIDIA_LIBRARY", "libnvidia-opencl.so.1")
    assert found() == [f"{bare}/lib/libnvidia-opencl.so.1"]
    put(bare, {"vendors/nvidia.icd": "libnvidia-opencl.so.1"})  # names it, but the linker finds it not
    assert found() == [f"{bare}/lib/libnvidia-opencl.so.1"]
    monkeypatch.setattr(drivers, "dlopen_error", lambda library: None)  # one that works is left alone
    assert [icd.corrected for icd in drivers.find_icds()] == [False]


def test_users_variable_is_respected(bare, monkeypatch):
    put(bare, {"mine/a.icd": "liba.so", "vendors/system.icd": "libsystem.so"})
    monkeypatch.setenv("OCL_ICD_VENDORS", str(bare / "mine"))
    assert found(oclgrind=True) == ["liba.so"] and corrected(oclgrind=True) is None
    monkeypatch.setenv("OCL_ICD_VENDORS", str(bare / "mine/a.icd"))
    assert found() == ["liba.so"]
    monkeypatch.setenv("OCL_ICD_VENDORS", "/somewhere/libx.so")
    assert found() == ["/somewhere/libx.so"]


def test_oclgrind_only_when_asked(bare, monkeypatch):
    put(bare, {"vendors/oclgrind.icd": "/usr/lib/oclgrind/liboclgrind-rt-icd.so"})
    monkeypatch.setattr(drivers, "find_oclgrind", lambda: "/x/liboclgrind-rt-icd.so")
    assert found() == []
    assert found(oclgrind=True) == ["/x/liboclgrind-rt-icd.so"]
    state = drivers._State()
    state.platforms = []
    monkeypatch.setattr(drivers, "_state", state)
    with pytest.raises(DeviceError, match="too late"):
        drivers.platforms(oclgrind=True)


def test_folder_where_the_cache_cannot_be_written(bare, monkeypatch):
    icds = [Icd("/a.so", "", corrected=True)]
    with drivers._corrected_drivers(icds):
        assert Path(os.environ["OCL_ICD_VENDORS"]).parent == bare / "cache/icd"
    (bare / "file").touch()
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(bare / "file"))
    with drivers._corrected_drivers(icds):
        (file,) = Path(os.environ["OCL_ICD_VENDORS"]).iterdir()
        assert file.read_text() == "/a.so\n"


def test_pip_packages_by_their_file_lists(monkeypatch, tmp_path):
    info = "lib/python3.11/site-packages/intel_opencl_rt-2025.0.5.dist-info"
    metadata = "Metadata-Version: 2.1\nName: intel-opencl-rt\nVersion: 2025.0.5"
    put(tmp_path, {f"{info}/METADATA": metadata, f"{info}/RECORD": "../../libintelocl.so,,"})
    put(tmp_path, {"lib/libintelocl.so": ""})

    def distribution(name):
        if name != "intel-opencl-rt":
            raise importlib.metadata.PackageNotFoundError(name)
        return importlib.metadata.PathDistribution(tmp_path / info)

    monkeypatch.setattr(importlib.metadata, "distribution", distribution)
    (icd,) = drivers.pip_icds()
    assert (icd.library, icd.origin) == (
        f"{tmp_path}/lib/libintelocl.so",
        "pip package intel-opencl-rt 2025.0.5",
    )


def test_children_look_for_themselves():
    """The variable that steers the loader is not left in the environment."""
    code = "import os, clgraph.device.drivers as d; d.platforms(); print(os.environ.get('OCL_ICD_VENDORS'))"
    done = python("-c", code, OCL_ICD_VENDORS="")
    assert done.out.strip() in ("None", ""), done.out + done.err


# --- drivers that pip installed, registered with the loader inside pyopencl's wheel -----------------------


def test_each_missed_driver_gets_a_file(monkeypatch, tmp_path):
    icds = [Icd("/x/liba.so", "system"), Icd("/x/libb.so.1", "pip package b 1", corrected=True)]
    monkeypatch.setattr(drivers, "find_icds", lambda: icds)
    monkeypatch.setattr(drivers, "_bundled_folder", lambda: tmp_path)
    before = os.umask(0o077)
    try:
        assert drivers.register() == [f"{tmp_path}/clgraph-libb.icd: /x/libb.so.1 (pip package b 1)"]
    finally:
        os.umask(before)
    (file,) = tmp_path.iterdir()
    assert (file.name, file.read_text()) == ("clgraph-libb.icd", "/x/libb.so.1\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    monkeypatch.setattr(drivers, "find_icds", lambda: icds[:1])
    assert drivers.register() == []
    monkeypatch.setattr(drivers, "find_icds", lambda: icds[1:])
    monkeypatch.setattr(drivers, "_bundled_folder", lambda: tmp_path / "gone")  # which cannot be written
    remedy = r"As root: echo /x/libb\.so\.1 > /etc/OpenCL/vendors/clgraph-libb\.icd"
    with pytest.raises(DeviceError, match=remedy):
        drivers.register()


def test_what_is_registered_is_found_once(monkeypatch, tmp_path):
    library = tmp_path / "libone.so"
    library.touch()
    monkeypatch.delenv("OCL_ICD_VENDORS", raising=False)
    monkeypatch.setattr(drivers, "pip_icds", lambda: [Icd(str(library), "pip package one 1", corrected=True)])
    assert str(library) in [icd.library for icd in drivers.find_icds() if icd.corrected]
    monkeypatch.setattr(drivers, "bundled_icds", lambda: [Icd(str(library), "beside", bundled=True)])
    assert [icd.bundled for icd in drivers.find_icds() if icd.library == str(library)] == [True]


def test_drivers_that_the_loader_was_told_of_too_late():
    missed = [icd.library for icd in drivers.find_icds() if icd.corrected and "intel" in icd.library]
    if not missed:
        pytest.skip("no driver here needs correcting")
    code = """if True:
        import contextlib, pyopencl, clgraph
        with contextlib.suppress(pyopencl.Error):
            pyopencl.get_platforms()
        clgraph.get_device("intel")
        """
    said = python("-c", code, raises=True).fine(1).err
    assert "DeviceError" in said and missed[0] in said and "clgraph doctor --fix" in said, said
    assert python("-c", "import clgraph; print(clgraph.get_device('intel').kind)").out == "cpu\n"


# --- processors that are newer than Intel's runtimes, which are told of them ------------------------------


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
