"""Files in the current folder that have the names of modules."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_runs import environment

from clgraph.device import subprocesses
from clgraph.device.doctor import shadows

NAMES = ("numpy", "pyopencl", "json", "scipy", "typing", "tempfile")
# as the command `clgraph` starts, whose own folder comes first, not the current one
COMMAND = "import sys; from clgraph.cli import main; main(sys.argv[1:])"


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A folder of modules that note that they were run."""
    folder = tmp_path / "trap"
    folder.mkdir()
    for name in NAMES:
        (folder / f"{name}.py").write_text(
            f"open({str(tmp_path / 'marker')!r}, 'a').write({name!r} + ' ')\nraise ImportError('trapped')\n"
        )
    return folder


def command(trap: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-c", COMMAND, *args],
        cwd=trap,
        env=environment(**env),
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize(("word", "status"), [("devices", 0), ("doctor", 1)])
def test_nothing_from_the_current_folder_runs(trap: Path, word: str, status: int) -> None:
    # an empty cache: the first probe of each device is made in a child
    done = command(trap, word, CLGRAPH_CACHE_DIR=str(trap.parent / "cache"))
    assert not (trap.parent / "marker").exists(), (trap.parent / "marker").read_text()
    assert done.returncode == status, done.stderr


@pytest.mark.device
@pytest.mark.first_device
def test_nothing_from_the_current_folder_runs_in_a_benchmark(device: object, trap: Path) -> None:
    out = trap.parent / "out"
    only = ["--only", "*/drv exact/clgraph, one core", "--no-figures", "--repeat", "1"]
    done = command(trap, "bench", "sampling", "--sizes", "300", *only, "--out", str(out))
    assert not (trap.parent / "marker").exists(), (trap.parent / "marker").read_text()
    assert done.returncode == 0, done.stderr
    assert list((out / "cases").iterdir())


def test_an_empty_entry_of_pythonpath_is_not_the_current_folder(
    trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trap)
    for path in ("", ":", f"{os.pathsep}/nowhere{os.pathsep}"):
        monkeypatch.setenv("PYTHONPATH", path)
        assert "" not in subprocesses.environment()["PYTHONPATH"].split(os.pathsep)
    found = [*subprocesses.go_through("clgraph.device.children")]
    assert found[0].item == "list" and all(each.problem is None for each in found)
    assert not (trap.parent / "marker").exists()


def test_the_doctor_names_them(trap: Path) -> None:
    (trap / "random").mkdir()
    (trap / "random/__init__.py").write_text("")
    (trap / "logging").mkdir()  # no package
    (trap / "sys.py").write_text("")  # cannot be hidden
    (trap / "mine.py").write_text("")
    done = command(trap, "doctor", "--json")
    faults = [fault["fault"] for fault in json.loads(done.stdout)["faults"]]
    named = {fault.split(" ")[0] for fault in faults if "would be imported instead of the module" in fault}
    assert named == {str(trap / f"{name}.py") for name in NAMES} | {str(trap / "random")}
    assert not (trap.parent / "marker").exists()
    assert done.returncode == 1
    assert not any(
        word in fault["remedy"] for fault in json.loads(done.stdout)["faults"] for word in ("mv ", "rm ")
    )


def test_folders_of_pythonpath(trap: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shadows() == []
    monkeypatch.setattr(sys, "path", [str(trap), *sys.path])
    found = {name: (file, why) for name, file, why in shadows()}
    assert set(found) == set(NAMES)
    assert found["numpy"][0] == trap / "numpy.py" and "PYTHONPATH" in found["numpy"][1]


KINDS = {
    "pip": ("click-8.1.dist-info", {"RECORD": "click/__init__.py,,\nclick-8.1.dist-info/METADATA,,\n"}),
    "distutils": ("click-8.1-py3.11.egg-info", {"SOURCES.txt": "src/x.py\n", "top_level.txt": "click\n"}),
    "conda, Debian": ("click-8.1.dist-info", {}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_packages_that_are_installed_there(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`pip install --target`, and modules of clusters, put packages into folders of PYTHONPATH."""
    site = tmp_path / "site"
    for name in ("click", "numpy"):
        (site / name).mkdir(parents=True)
        (site / name / "__init__.py").touch()
    info, files = KINDS[kind]
    (site / info).mkdir()
    metadata = "PKG-INFO" if info.endswith(".egg-info") else "METADATA"
    for file, text in {metadata: "Name: click\nVersion: 8.1\n", **files}.items():
        (site / info / file).write_text(text)
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    assert [name for name, _, _ in shadows()] == ["numpy"]  # nobody has installed that one


def test_the_folder_of_an_editable_install(
    trap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "site/numpy-9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Name: numpy\nVersion: 9\n")
    (info / "direct_url.json").write_text(json.dumps({"url": trap.as_uri(), "dir_info": {"editable": True}}))
    monkeypatch.setattr(sys, "path", [str(trap), *sys.path, str(tmp_path / "site")])
    assert shadows() == []
