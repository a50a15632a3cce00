"""The package as users get it: built, installed into an empty environment, run from another folder.

Installing needs a package registry. Without one these tests are skipped with that reason, except under CI and
with ``--require``, where they fail.
"""

import email.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from cli_runs import ROOT

import clgraph

KERNELS = {file.relative_to(ROOT / "cl").as_posix() for file in (ROOT / "cl").rglob("*") if file.is_file()}
INTEL = ("intel-opencl-rt", "intel-cmplr-lib-rt")
INFO = f"pyclgraph-{clgraph.__version__}.dist-info"
pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").is_file(), reason="needs the source tree, not an installed package"
)


def command(*args, **kwargs):
    done = subprocess.run([str(arg) for arg in args], capture_output=True, text=True, **kwargs)
    assert done.returncode == 0, f"{args}\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}"
    return done


def build(kind, source, out):
    """Build a distribution of a source tree; the extra `test` has the build backend, nothing is fetched."""
    command(sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", out, source)
    (made,) = out.iterdir()
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from the source tree."""
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel_of_sdist(sdist, tmp_path_factory):
    """Built from the unpacked sdist, as pip does where there is no wheel."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # from Python 3.11.4 on
        archive.extractall(folder, **safe)
    (source,) = folder.iterdir()
    return build("wheel", source, tmp_path_factory.mktemp("wheel_of_sdist"))


@pytest.fixture(params=["wheel", "wheel_of_sdist"])
def either(request):
    return request.getfixturevalue(request.param)


# --- what is in it -----------------------------------------------------------------------------------------


def test_wheel_holds_package_and_kernels_and_no_more(either):
    names = set(zipfile.ZipFile(either).namelist())
    assert {f"clgraph/cl/{name}" for name in KERNELS} == {n for n in names if n.startswith("clgraph/cl/")}
    packages = ("clgraph", "_clgraph_command", "_clgraph_networkx")
    files = [file for package in packages for file in (ROOT / package).rglob("*.py")]
    modules = {file.relative_to(ROOT).as_posix() for file in files}
    assert modules | {"clgraph/py.typed", "clgraph/__init__.pyi", f"{INFO}/licenses/LICENSE"} <= names
    assert {name.split("/")[0] for name in names} == {*packages, INFO}
    assert not [name for name in names if "test" in Path(name).parts or "__pycache__" in name]
    assert either.name == f"pyclgraph-{clgraph.__version__}-py3-none-any.whl"


def test_sdist_holds_everything_that_a_packager_needs(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    needed = "README.md LICENSE CHANGELOG.md CITATION.cff CONTRIBUTING.md pyproject.toml tests/conftest.py"
    assert {f"cl/{name}" for name in KERNELS} | {*needed.split(), "examples/cpu_pocl.py"} <= names


def test_metadata(either):
    with zipfile.ZipFile(either) as archive:
        text, entry = (archive.read(f"{INFO}/{name}").decode() for name in ("METADATA", "entry_points.txt"))
    data = email.parser.Parser().parsestr(text)
    assert (data["Name"], data["Version"]) == ("pyclgraph", clgraph.__version__)
    assert data["License-Expression"] == "MIT"
    assert data["Requires-Python"] == ">=3.11"
    assert data["Project-URL"] == f"Homepage, https://pypi.org/project/{data['Name']}/"
    assert "clgraph = _clgraph_command:main" in entry
    assert "[networkx.backends]\nclgraph = clgraph.networkx_backend\n" in entry
    assert "[networkx.backend_info]\nclgraph = _clgraph_networkx:get_info\n" in entry
    parts = "cpu fpga-emulator plot energy networkx igraph pandas arrow gzip mpi zstd datasets powerlaw pyg"
    assert {*parts.split(), "all", "test", "dev", "docs"} == set(data.get_all("Provides-Extra"))
    requires = [line.replace('"', "'") for line in data.get_all("Requires-Dist")]
    for extra, packages in {"cpu": INTEL, "fpga-emulator": (*INTEL, "intel-opencl-fpga-emu-rt")}.items():
        pinned = [line for line in requires if f"extra == '{extra}'" in line]
        assert {line.split("==")[0] for line in pinned} == set(packages)
        for line in pinned:  # unpinned, pip resolves them to releases that conflict
            assert "==2025.0.5;" in line and "platform_machine == 'x86_64'" in line
    plain = {line.split(">")[0] for line in requires if "extra ==" not in line}
    assert plain == {"pyopencl", "numpy", "scipy", "click", "rich", "threadpoolctl"}


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.mark.smoke
def test_the_version_is_the_same_everywhere():
    assert "version" in project()["dynamic"]
    assert f"version: {clgraph.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert json.loads((ROOT / "codemeta.json").read_text())["version"] == clgraph.__version__
    assert f'version: "{clgraph.__version__}"\n' in (ROOT / "recipe" / "recipe.yaml").read_text()
    assert f"## [{clgraph.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_the_extra_all_has_every_part_for_users():
    parts = project()["optional-dependencies"]
    (everything,) = parts["all"]
    named = everything.removeprefix("pyclgraph[").removesuffix("]").split(",")
    assert sorted(named) == sorted(parts.keys() - {"all", "docs", "test", "dev", "pyg"})  # PyTorch has 2 GB


def test_hints_name_the_distribution_and_not_the_stranger():
    """`clgraph` on the package index is another project: nothing may tell users to install its extras."""
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "pyproject.toml"]
    for folder in ("docs", "examples", "benchmarks"):
        files += [file for file in (ROOT / folder).rglob("*") if file.suffix in (".md", ".py")]
    for file in files:
        assert not re.findall(r".*(?:(?<![\w-])clgraph\[|pip install clgraph\b).*", file.read_text()), file


# --- installed ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def registry(request):
    """Skip if pip reaches no registry, unless this run must not skip."""
    arguments = "-m pip install --dry-run --ignore-installed --no-deps --retries 1 --timeout 20 click"
    done = subprocess.run([sys.executable, *arguments.split()], capture_output=True, text=True)
    if done.returncode == 0:
        return
    why = f"pip reaches no registry: {(done.stderr.strip() or done.stdout.strip()).splitlines()[-1]}"
    if os.environ.get("CI") == "true" or request.config.getoption("--require"):
        pytest.fail(why)
    pytest.skip(why)


@pytest.fixture(scope="module")
def python(thorough, registry, wheel, tmp_path_factory):
    """The Python of a new environment into which pyclgraph[cpu] was installed from the wheel."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    # without a pip of its own, which would take as long again: this environment's pip installs into that one
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    pip(python, "install", f"{wheel}[cpu]")
    yield python
    shutil.rmtree(folder)  # half a gigabyte


def pip(python, *args):
    return command(sys.executable, "-m", "pip", "--python", python, *args)


def user_environment(cache=None):
    """An environment without the source tree; its built kernels are in a folder, or those of this run."""
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "CLGRAPH_DEVICE")}
    return env if cache is None else {**env, "CLGRAPH_CACHE_DIR": str(cache)}


def test_installed_from_the_wheel_it_samples(python, tmp_path):
    works_installed(python, tmp_path)


def test_installed_from_the_wheel_the_demo_ends_with_samples(python, tmp_path):
    done = command(python.parent / "clgraph", "demo", cwd=tmp_path, env=user_environment())
    for word in ("drv", "dre", "drve", "clgraph sample GRAPH"):
        assert word in done.stdout


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="Intel's runtime is for x86-64")
def test_the_extra_cpu_suffices_where_there_is_no_other_driver(python, tmp_path):
    env = user_environment(tmp_path / "cache")  # its compiler is of the extra, too
    demo = (python.parent / "clgraph", "demo", "--vertices", "2000", "--device", "intel")
    assert "Intel" in command(*demo, cwd=tmp_path, env=env).stderr


def test_installed_from_the_sdist_it_samples(python, wheel_of_sdist, tmp_path):
    """The same environment, after clgraph and all its files were removed and the dependencies kept."""
    pip(python, "uninstall", "--yes", "pyclgraph")
    gone = subprocess.run([python, "-c", "import clgraph"], cwd=tmp_path, env=user_environment())
    assert gone.returncode != 0
    assert not list(python.parent.parent.rglob("*clgraph*"))
    pip(python, "install", "--no-deps", wheel_of_sdist)
    works_installed(python, tmp_path)


def works_installed(python, tmp_path):
    """From a folder that is not the source tree."""
    options = {"cwd": tmp_path, "env": user_environment(tmp_path / "cache")}
    program = python.parent / "clgraph"
    code = (
        "import clgraph, clgraph.device.program\n"
        "print(clgraph.__file__, clgraph.device.program.kernel_folder(), sep='\\n')"
    )
    for path in command(python, "-c", code, **options).stdout.splitlines():
        assert Path(path).is_relative_to(python.parent.parent)

    assert command(program, "--version", **options).stdout.endswith(f"{clgraph.__version__}\n")
    done = command(python, "-m", "clgraph", "--version", **options)
    assert done.stdout == f"clgraph, version {clgraph.__version__}\n"

    rows = "".join(f"{i}\t{(i * 7 + 1) % 50}\n{i}\t{(i + 1) % 50}\n" for i in range(50))
    (tmp_path / "graph.txt").write_text(rows)
    line = "sample graph.txt --size 50% --seed 1 --verify --json -o out.txt"
    done = command(program, *line.split(), **options)
    told = json.loads(done.stdout)
    assert told["vertices"] <= told["target"] == 25
    assert len((tmp_path / "out.txt").read_text().splitlines()) == told["edges"]
