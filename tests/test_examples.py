"""The examples run where their device is available, and say clearly what is missing where it is not."""

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from cli_runs import ROOT, environment
from devices import working_devices

EXAMPLES = {"cpu_pocl": "pocl", "gpu_nvidia": "nvidia", "fpga_intel": "fpga"}
# for whom, or of what; and what they print, which is in the gallery of the documentation, too
TRIALS = {
    "own_kernel": "edges join two levels of the search",
    "shared_queue": "scores is 1.000",
    "researcher": "equal: drv, size 50%, seed 7",
    "data_scientist": "most triangles at a vertex: 82",
    "engineer": "verified: ",
    "plot_reduction_curve": "dre at a half",
    "plot_walk_bias": "weighted 5.27",
}


def run(name, *args, **env):
    return subprocess.run(
        [sys.executable, ROOT / "examples" / f"{name}.py", *args],
        capture_output=True,
        text=True,
        env=environment(CLGRAPH_DEVICE="", **env),
        timeout=300,
    )


def test_all_examples_are_here():
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == {*EXAMPLES, *TRIALS}


@pytest.mark.device
@pytest.mark.parametrize("name", TRIALS)
def test_trials(name, tmp_path, pytestconfig):
    """What a researcher, a data scientist and an engineer do in their first hour."""
    if pytestconfig.getoption("--require"):
        pytest.skip("the gallery runs them as tests/test_docs.py builds the documentation")
    backends = {found.name for found in entry_points(group="networkx.backends")}
    if name == "data_scientist" and "clgraph" not in backends:
        pytest.skip("NetworkX finds backends that are installed")
    word = next(iter(working_devices()))
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / f"{name}.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(CLGRAPH_DEVICE=word, MPLBACKEND="agg"),
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert TRIALS[name] in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.device
@pytest.mark.parametrize("name", EXAMPLES)
def test_runs(name, tmp_path):
    word = EXAMPLES[name]
    if word not in working_devices():
        pytest.skip(f"no device {word} here")
    done = run(name)
    assert (done.returncode, done.stderr) == (0, "")
    assert working_devices()[word].name in done.stdout
    vertices = [int(line.split()[1]) for line in done.stdout.splitlines() if line.split()[2] == "vertices,"]
    assert len(vertices) >= 2
    graph, *samples = vertices
    assert all(0.49 * graph < sample <= graph / 2 for sample in samples)

    path = tmp_path / "ring.txt"
    path.write_text("".join(f"{i} {(i + step) % 40}\n" for i in range(40) for step in (1, 2, 3)))
    done = run(name, path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "40 vertices, 120 edges" in done.stdout


@pytest.mark.parametrize("name", EXAMPLES)
def test_says_what_is_missing(name, tmp_path):
    """An empty folder of drivers simulates a machine without any device."""
    done = run(name, OCL_ICD_VENDORS=str(tmp_path))
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("This example needs ")
    assert "Traceback" not in done.stderr


def test_nvidia_says_what_is_missing_on_this_machine():
    if "nvidia" in working_devices():
        pytest.skip("an NVIDIA GPU is here")
    done = run("gpu_nvidia")
    assert done.returncode == 1
    assert "This example needs an NVIDIA GPU.\nno working device is 'nvidia'; there are:\n" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.device
@pytest.mark.parametrize("name", EXAMPLES)
def test_says_what_is_wrong_with_the_graph(name, tmp_path):
    if EXAMPLES[name] not in working_devices():
        pytest.skip(f"no device {EXAMPLES[name]} here")
    path = Path(tmp_path, "bad.txt")
    path.write_text("1 two\n")
    done = run(name, path)
    assert done.returncode == 1
    assert f"cannot read the graph: {path}, line 1" in done.stderr
    assert "Traceback" not in done.stderr
