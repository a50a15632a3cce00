"""``clgraph devices``, ``doctor``, ``cache``: what they say, and that nothing of the current folder runs."""

import importlib.metadata
import json
import os
import sys
from pathlib import Path

import pytest
from cli_runs import ROOT, process, python
from devices import has_oclgrind, working_devices

import clgraph
from clgraph.device import doctor, drivers, subprocesses
from clgraph.device.doctor import shadows
from clgraph.device.subprocesses import Found


def installed(info, name, version, **more):
    """The folder of metadata of a distribution, and what else is in it."""
    info.mkdir(parents=True)
    metadata = "PKG-INFO" if info.suffix == ".egg-info" else "METADATA"
    for file, text in {metadata: f"Name: {name}\nVersion: {version}\n", **more}.items():
        (info / file).write_text(text)


# --- devices --------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_devices():
    lines = process("devices").fine().out.split("\n")
    assert max(map(len, lines)) <= 80
    report = process("devices --json").json()
    specs = {d["spec"]: d for d in report["devices"]}
    for device in working_devices().values():
        assert specs[device.spec]["working"], specs[device.spec]["reason"]
        assert specs[device.spec]["features"] == sorted(device.features)
        assert any(device.spec in line for line in lines)
    assert sum(p["devices"] for p in report["platforms"]) == len(specs)
    assert not any(d["kind"] == "simulator" for d in specs.values())


def test_without_a_platform(tmp_path):
    for command in ("devices", "devices --json"):
        done = process(command, OCL_ICD_VENDORS=str(tmp_path)).fine(1)
        assert "pip install 'pyclgraph[cpu]'" in done.err
    assert done.json(1) == {"platforms": [], "devices": []}
    said = process("doctor", OCL_ICD_VENDORS=str(tmp_path)).fine(1).out
    assert "unset OCL_ICD_VENDORS" in said and "pip install 'pyclgraph[cpu]'" in said
    assert "Traceback" not in said


@pytest.mark.skipif(not has_oclgrind(), reason="Oclgrind is not installed")
def test_oclgrind_is_shown_when_asked_for():
    report = process("devices --json", CLGRAPH_DEVICE="oclgrind").json()
    assert [d["working"] for d in report["devices"] if d["kind"] == "simulator"] == [True]


@pytest.mark.smoke
def test_remedy_for_pocl_from_pypi():
    """On CPUs newer than its LLVM it lists a device and fails every build."""
    listed = {
        "spec": "0:0",
        "name": "pthread-x",
        "platform": "Portable Computing Language",
        "has_compiler": True,
        "platform_version": "OpenCL 3.0 PoCL 3.0-rc2",
        "kind": "cpu",
        "working": False,
        "reason": "builds fail: error: unknown target CPU 'generic'",
    }
    (fault,) = doctor._device_faults([listed])
    assert "unknown target CPU" in fault["fault"]
    assert "apt-get install pocl-opencl-icd" in fault["remedy"] and "uninstall" not in fault["remedy"]


# --- doctor ---------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_doctor_where_all_is_well():
    report = json.loads(process("doctor --json").out)
    assert report["working"] >= len(working_devices())
    assert report["versions"]["clgraph"] == clgraph.__version__
    assert "libOpenCL" in report["loader"]["library"]
    assert [icd for icd in report["icds"] if not icd["loads"]] == []
    plain = process("doctor").out
    for heading in ("Versions", "Loader", "Drivers", "Devices", "Cache"):
        assert heading in plain
    assert max(map(len, plain.split("\n"))) <= 80


def test_doctor_names_a_driver_that_does_not_load(tmp_path):
    (tmp_path / "bad.icd").write_text("/nowhere/libgone.so\n")
    (tmp_path / "empty.icd").write_text("")
    report = process("doctor --json", OCL_ICD_VENDORS=str(tmp_path)).json(1)
    states = {Path(icd["origin"]).name: icd for icd in report["icds"]}
    assert "cannot open shared object file" in states["bad.icd"]["error"]
    assert "empty" in states["empty.icd"]["error"]
    remedy = next(f["remedy"] for f in report["faults"] if "libgone.so" in f["fault"])
    assert remedy == "reinstall that driver, or have the owner of the file remove it"
    assert report["working"] == 0


def test_doctor_survives_a_driver_that_kills(monkeypatch):
    """A child that dies is a finding: the device that it was at is broken."""
    device, good = ({"spec": f"{i}:0", "name": "a", "kind": "cpu"} for i in range(2))
    died = "ended the process that used it (SIGSEGV): no output"
    found = [
        Found("list", "", [device, good], None, False, 0.1),
        Found("0:0", "", None, died, True, 0.1),
        Found("1:0", "", {**good, "working": True, "reason": None}, None, False, 0.1),
    ]
    monkeypatch.setattr(subprocesses, "go_through", lambda *_, **__: iter(found))
    devices, faults = doctor._devices()
    assert [d["working"] for d in devices] == [False, True] and faults == []
    broken = devices[0]["reason"], devices[0]["verdict"]
    assert broken == (f"the probe {died}", f"BROKEN: the probe {died}")
    found = [Found("list", "", None, died, True, 0.1)]
    devices, faults = doctor._devices()
    assert devices == [] and faults[0]["fault"] == f"asking the drivers for their devices {died}"
    for value, problem in (("the OpenCL loader failed", None), (None, "exit status 1: No module named 'x'")):
        found = [Found("list" if value else "", "", value, problem, False, 0.1)]
        devices, faults = doctor._devices()
        assert devices == [] and (value or problem) in faults[0]["fault"]
        assert faults[0]["remedy"] == "pip install --force-reinstall pyopencl"


def test_releases_that_do_not_go_together(monkeypatch):
    monkeypatch.setattr(drivers, "pip_icds", lambda: [drivers.Icd("/x/libintelocl.so", "")])
    versions = dict.fromkeys(doctor.PACKAGES) | {
        "intel-opencl-rt": "2026.0.1",
        "intel-cmplr-lib-rt": "2025.0.5",
        "intel-opencl-fpga-emu-rt": "2025.0.5",
    }
    texts = [f["fault"] + " -> " + f["remedy"] for f in doctor._package_faults(versions)]
    words = ("pyclgraph[fpga-emulator]", "pyclgraph[cpu]", "libintelocl_emu.so is missing")
    assert all(word in text for word, text in zip(words, texts, strict=True))
    assert list(doctor._package_faults(dict.fromkeys(doctor.PACKAGES))) == []


# --- names -----------------------------------------------------------------------------------------


def test_another_distribution_of_the_same_name(monkeypatch, tmp_path):
    """The package index has another `clgraph`; ours is pyclgraph."""
    installed(tmp_path / "clgraph-7.0.dist-info", "clgraph", "7.0")
    monkeypatch.syspath_prepend(tmp_path)
    fault = next(doctor._name_faults())
    assert f"another distribution, clgraph 7.0 in {tmp_path}, has the same import name" in fault["fault"]
    assert fault["remedy"] == "python3 -m venv ENV && ENV/bin/pip install pyclgraph   (where it is alone)"


def test_another_copy_of_clgraph(monkeypatch, tmp_path):
    installed(tmp_path / "pyclgraph-0.1.0.dist-info", "pyclgraph", "0.1.0")
    (tmp_path / "clgraph/cl").mkdir(parents=True)
    monkeypatch.syspath_prepend(tmp_path)
    assert list(doctor._name_faults()) == []  # an editable install, whose wheel has only the kernels
    (tmp_path / "clgraph/__init__.py").touch()
    fault = list(doctor._name_faults())[-1]
    assert f"Python imports clgraph from {ROOT / 'clgraph'}" in fault["fault"]
    assert f"pyclgraph is installed in {tmp_path / 'clgraph'}" in fault["fault"]
    assert fault["remedy"] == f"take {ROOT} out of PYTHONPATH"


def test_no_other_clgraph(monkeypatch, tmp_path):
    """Nothing to report in a checkout, or where the installed package is the imported one."""
    monkeypatch.setattr(doctor, "find_distribution", lambda name: None)
    assert list(doctor._name_faults()) == []
    installed(tmp_path / "info", "pyclgraph", "0.1.0")
    ours = importlib.metadata.PathDistribution(tmp_path / "info")
    monkeypatch.setattr(ours, "locate_file", lambda path: ROOT / path)
    monkeypatch.setattr(doctor, "find_distribution", lambda name: ours if name == "pyclgraph" else None)
    assert list(doctor._name_faults()) == []


# --- cache ----------------------------------------------------------------------------------------


def test_cache_command(tmp_path):
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs/x").write_bytes(b"12345")
    here = {"CLGRAPH_CACHE_DIR": str(tmp_path)}
    rooms = {"programs": {"files": 1, "bytes": 5}}
    told = process("cache --json", **here).json()
    assert told == {"folder": str(tmp_path), "limit": 512 << 20, "rooms": rooms}
    done = process("cache", CLGRAPH_CACHE_SIZE="3G", **here)
    assert done.out == f"{tmp_path}, at most 3.0 GiB\n  programs: 1 files, 5 B\n"
    words = "CLGRAPH_CACHE_SIZE is 'much': give bytes, or a whole number with K, M, G"
    process("cache", CLGRAPH_CACHE_SIZE="much").refused(words)
    assert "cleared" in process("cache --clear", **here).fine().out
    assert not (tmp_path / "programs").exists()


# --- files in the current folder that have the names of modules --------------------------------------------

NAMES = ("numpy", "pyopencl", "json", "scipy", "typing", "tempfile")
# as the command `clgraph` starts, whose own folder comes first, not the current one
COMMAND = "import sys; from clgraph.cli import main; main(sys.argv[1:])"


@pytest.fixture
def trap(tmp_path):
    """A folder of modules that note that they were run."""
    folder = tmp_path / "trap"
    folder.mkdir()
    note = f"open({str(tmp_path / 'marker')!r}, 'a').write(__name__ + ' ')\nraise ImportError('trapped')\n"
    for name in NAMES:
        (folder / f"{name}.py").write_text(note)
    return folder


def nothing_ran(trap):
    marker = trap.parent / "marker"
    assert not marker.exists(), marker.read_text()


def command(trap, *args, **env):
    """A command of clgraph in the trap, which runs nothing of it."""
    done = python("-P", "-c", COMMAND, *args, cwd=trap, **env)
    nothing_ran(trap)
    return done


@pytest.mark.parametrize(("word", "status"), [("devices", 0), ("doctor", 1)])
def test_nothing_from_the_current_folder_runs(trap, word, status):
    # an empty cache: the first probe of each device is made in a child
    command(trap, word, CLGRAPH_CACHE_DIR=str(trap.parent / "cache")).fine(status)


@pytest.mark.first_device
def test_nothing_from_the_current_folder_runs_in_a_benchmark(device, trap):
    out = trap.parent / "out"
    only = ["--only", "*/drv exact/clgraph, one core", "--no-figures", "--repeat", "1"]
    command(trap, "bench", "sampling", "--sizes", "300", *only, "--out", out).fine()
    assert list((out / "cases").iterdir())


def test_an_empty_entry_of_pythonpath_is_not_the_current_folder(trap, monkeypatch):
    monkeypatch.chdir(trap)
    for path in ("", ":", f"{os.pathsep}/nowhere{os.pathsep}"):
        monkeypatch.setenv("PYTHONPATH", path)
        assert "" not in subprocesses.environment()["PYTHONPATH"].split(os.pathsep)
    found = [*subprocesses.go_through("clgraph.device.children")]
    assert found[0].item == "list" and all(each.problem is None for each in found)
    nothing_ran(trap)


def test_the_doctor_names_them(trap):
    for folder in ("random", "logging"):  # of which logging is no package
        (trap / folder).mkdir()
    for file in ("random/__init__.py", "sys.py", "mine.py"):  # sys cannot be hidden
        (trap / file).touch()
    told = command(trap, "doctor", "--json").json(1)
    faults = {fault["fault"]: fault["remedy"] for fault in told["faults"]}
    named = {fault.split(" ")[0] for fault in faults if "would be imported instead of the module" in fault}
    assert named == {str(trap / f"{name}.py") for name in NAMES} | {str(trap / "random")}
    assert not any(word in remedy for remedy in faults.values() for word in ("mv ", "rm "))


def test_folders_of_pythonpath(trap, monkeypatch):
    assert shadows() == []
    monkeypatch.setattr(sys, "path", [str(trap), *sys.path])
    found = {name: (file, why) for name, file, why in shadows()}
    assert set(found) == set(NAMES)
    assert found["numpy"][0] == trap / "numpy.py" and "PYTHONPATH" in found["numpy"][1]


@pytest.mark.parametrize(
    ("info", "files"),
    [
        ("click-8.1.dist-info", {"RECORD": "click/__init__.py,,\nclick-8.1.dist-info/METADATA,,\n"}),
        ("click-8.1-py3.11.egg-info", {"SOURCES.txt": "src/x.py\n", "top_level.txt": "click\n"}),
        ("click-8.1.dist-info", {}),
        ("Of-Another-Name-8.1.dist-info", {"RECORD": "click/__init__.py,,\n"}),
    ],
    ids=["pip", "distutils", "conda, Debian", "another name"],
)
def test_packages_that_are_installed_there(info, files, tmp_path, monkeypatch):
    """`pip install --target`, and modules of clusters, put packages into folders of PYTHONPATH."""
    site = tmp_path / "site"
    for name in ("click", "numpy"):
        (site / name).mkdir(parents=True)
        (site / name / "__init__.py").touch()
    installed(site / info, info.split("-8.1")[0], "8.1", **files)
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    assert [name for name, _, _ in shadows()] == ["numpy"]  # nobody has installed that one


def test_the_folder_of_an_editable_install(trap, tmp_path, monkeypatch):
    where = json.dumps({"url": trap.as_uri(), "dir_info": {"editable": True}})
    installed(tmp_path / "site/numpy-9.dist-info", "numpy", "9", **{"direct_url.json": where})
    monkeypatch.setattr(sys, "path", [str(trap), *sys.path, str(tmp_path / "site")])
    assert shadows() == []
