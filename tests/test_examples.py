"""The examples run where their device is available, and say clearly what is missing where it is not."""

from importlib.metadata import entry_points

import pytest
from cli_runs import ROOT, python
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


def run(name, *args, status=0, **options):
    """Run an example; returns what it printed and what it said."""
    done = python(ROOT / "examples" / f"{name}.py", *args, **{"CLGRAPH_DEVICE": "", **options}).fine(status)
    return done.out, done.err


def networkx_finds_clgraph():
    """Whether NetworkX has clgraph as a backend: it finds those that are installed, by their entry points."""
    return any(found.name == "clgraph" for found in entry_points(group="networkx.backends"))


def test_all_examples_are_here():
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == {*EXAMPLES, *TRIALS}


@pytest.mark.device
@pytest.mark.parametrize("name", TRIALS)
def test_trials(name, tmp_path, pytestconfig):
    """What a researcher, a data scientist and an engineer do in their first hour."""
    if pytestconfig.getoption("--require"):
        pytest.skip("the gallery runs them as tests/test_docs.py builds the documentation")
    if name == "data_scientist" and not networkx_finds_clgraph():
        pytest.skip("NetworkX finds backends that are installed")
    word = next(iter(working_devices()))
    printed, _ = run(name, cwd=tmp_path, CLGRAPH_DEVICE=word, MPLBACKEND="agg")
    assert TRIALS[name] in printed


@pytest.fixture(params=EXAMPLES)
def there(request):
    """Each example whose device is here."""
    if EXAMPLES[request.param] not in working_devices():
        pytest.skip(f"no device {EXAMPLES[request.param]} here")
    return request.param


@pytest.mark.device
def test_runs(there, tmp_path):
    printed, said = run(there)
    assert said == "" and working_devices()[EXAMPLES[there]].name in printed
    vertices = [int(line.split()[1]) for line in printed.splitlines() if line.split()[2] == "vertices,"]
    graph, *samples = vertices
    assert samples and all(0.49 * graph < sample <= graph / 2 for sample in samples)

    path = tmp_path / "ring.txt"
    path.write_text("".join(f"{i} {(i + step) % 40}\n" for i in range(40) for step in (1, 2, 3)))
    printed, said = run(there, path)
    assert said == "" and "40 vertices, 120 edges" in printed


@pytest.mark.device
def test_says_what_is_wrong_with_the_graph(there, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("1 two\n")
    assert f"cannot read the graph: {path}, line 1" in run(there, path, status=1)[1]


@pytest.mark.parametrize("name", EXAMPLES)
def test_says_what_is_missing(name, tmp_path):
    """An empty folder of drivers simulates a machine without any device."""
    printed, said = run(name, status=1, OCL_ICD_VENDORS=str(tmp_path))
    assert printed == "" and said.startswith("This example needs ")


def test_nvidia_says_what_is_missing_on_this_machine():
    if "nvidia" in working_devices():
        pytest.skip("an NVIDIA GPU is here")
    _, said = run("gpu_nvidia", status=1)
    assert "This example needs an NVIDIA GPU.\nno working device is 'nvidia'; there are:\n" in said
