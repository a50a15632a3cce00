"""What the tests share: devices, test data.

``pytest`` alone runs the smoke set, the tests marked ``smoke``, on one device: two minutes. Files that are
named (``pytest tests/test_house.py``) run whole. ``--devices pocl,intel`` runs everything on these devices,
``--require pocl,intel,fpga,oclgrind`` everything on all devices; one of these that is missing is an error.
A test that uses the ``device`` fixture runs once per device and bears the marker ``device`` by itself.
"""

import os
import signal
from pathlib import Path

import pytest
from cli_runs import InProcess
from devices import POOR, WORDS, ask_for, has_oclgrind, poor_device, working_devices
from drivers import known

from clgraph.errors import BuildError, InputError

# PoCL makes binaries for hours if it is asked to after every process; tests of that set it otherwise
os.environ["CLGRAPH_BACKGROUND"] = "0"


# the files that take longest: several processes begin with them, so that none waits for one at the end
LONGEST = (
    "test_selftest.py",
    "test_oclgrind.py",
    "test_threads.py",
    "test_faults.py",
    "test_package.py",
    "sampling/literature/test_walk.py",
    "sampling/literature/test_methods.py",
    "sampling/literature/test_estimates.py",
    "sampling/test_sample.py",
    "sampling/shards/test_samples.py",
    "ranking/test_solver.py",
    "ranking/test_reproducible.py",
    "fpga/test_pipelines.py",
    "csr/test_wide.py",
    "traversal/test_search.py",
    "cli/test_main.py",
    "sampling/test_replicates.py",
    "sampling/literature/test_race.py",
    "sampling/literature/test_stage.py",
    "ranking/personalized/test_batched_power.py",
    "test_fuzz.py",
    "fpga/test_binary.py",
    "components/test_finder.py",
    "test_docs.py",
)


def pytest_addoption(parser):
    add = parser.getgroup("clgraph").addoption
    add("--devices", metavar="A,B", help=f"run on these devices only (of {', '.join((*WORDS, *POOR))})")
    forms = ["ndrange", "pipeline"]
    add("--kernels", choices=forms, help="form of the kernels (default: pipelines on FPGAs)")
    add(
        "--require",
        metavar="A,B",
        help="run everything on all devices; one of these (or oclgrind) that does not work is an error",
    )
    add(
        "--cross",
        metavar="A,B",
        help="on these devices only what is marked smoke or cross; on FPGAs what is marked cross('fpga'), "
        "and what has to do with devices and pipelines; on no device what is marked slow",
    )
    add("--smoked", metavar="A", help="with --cross: the smoke set has just run on these devices")
    add(
        "--oclgrind",
        choices=["all", "changed"],
        default="all",
        help="changed: only cases whose kernels are not those of tests/oclgrind/clean.json",
    )


def words_of(config, option):
    """The words of an option, which have commas between them."""
    return [word.strip() for word in (config.getoption(option) or "").split(",") if word.strip()]


def pytest_configure(config):
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # begun in the background by a shell; child processes would inherit that, and tests interrupt them
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if kernels := config.getoption("--kernels"):
        os.environ["CLGRAPH_KERNELS"] = kernels  # before any device is made; child processes see it too
    config.option.loadscopereorder = False  # pytest-xdist's: files in the order of their number of tests
    known = (*WORDS, *POOR, "oclgrind")
    ask_for(WORDS if words_of(config, "--require") else words_of(config, "--devices"))
    for option in ("--devices", "--require"):
        words = words_of(config, option)
        if strange := [word for word in words if word not in known]:
            raise pytest.UsageError(f"{option} {strange[0]}: not one of {', '.join(known)}")
        if missing := ", ".join(word for word in words if not _works(word)):
            raise pytest.UsageError(f"{option} {missing}: does not work here; see `clgraph doctor`")


def _works(word):
    if word in POOR:
        return poor_device(word) is not None
    return has_oclgrind() if word == "oclgrind" else word in working_devices()


def chosen_devices(config):
    """The words of the devices that the tests run on."""
    working = working_devices()
    if wanted := words_of(config, "--devices"):
        return [word for word in (*working, *POOR) if word in wanted]
    return list(working) if words_of(config, "--require") else list(working)[:1]


def is_smoke(config):
    """Whether this run is the smoke set: no ``--devices``, no ``--require``, no files named."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    return not (named or words_of(config, "--devices") or words_of(config, "--require"))


def pytest_report_header(config):
    chosen = chosen_devices(config)
    others = [word for word in working_devices() if word not in chosen]
    smoke = (
        "smoke set: what is marked smoke, on the first device that works; "
        "--devices A,B runs everything there, --require A,B everything everywhere"
    )
    lines = [f"devices: {', '.join(chosen)}" + (f" (left out: {', '.join(others)})" if others else "")]
    return [*lines, smoke] if is_smoke(config) else lines


def pytest_generate_tests(metafunc):
    if "device" not in metafunc.fixturenames:
        return
    words = chosen_devices(metafunc.config)
    if not words:
        raise pytest.UsageError("no OpenCL device works here: see `clgraph doctor`")
    metafunc.parametrize("device", words, indirect=True)


def pytest_collection_modifyitems(config, items):
    smoke, cross = is_smoke(config), words_of(config, "--cross")
    smoked = words_of(config, "--smoked")
    unchanged = clean_cases(config)
    if smoke:
        _check_smoke(items)
    kept, dropped = [], []
    for item in items:
        if "device" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.device)
        word = parameter_of(item, "device")
        # launch choices that no device has by itself build programs of their own, which takes seconds each
        beyond = item.get_closest_marker("first_device") is not None and word != chosen_devices(config)[0]
        beyond |= smoke and not _is_smoke(item)
        beyond |= word in cross and not _is_cross(item)
        beyond |= word in smoked and _is_smoke(item)
        beyond |= bool(cross) and item.get_closest_marker("slow") is not None
        beyond |= item.path.name == "test_oclgrind.py" and parameter_of(item, "name") in unchanged
        (dropped if beyond else kept).append(item)
    for item in kept:
        word = parameter_of(item, "device")
        there = working_devices().get(word) if word in WORDS else None
        if there is not None and (fault := known(item.nodeid, there)):
            item.add_marker(pytest.mark.xfail(reason=fault.reason, run=fault.ends))
    if dropped:
        config.hook.pytest_deselected(items=dropped)
    if hasattr(config, "workerinput"):  # one of several processes
        rank = {Path(__file__).parent / name: at for at, name in enumerate(LONGEST)}
        kept.sort(key=lambda item: rank.get(item.path, len(rank)))
    items[:] = kept


def clean_cases(config):
    """The cases of Oclgrind that need not run (``--oclgrind changed``), and the kernels that they launch."""
    from oclgrind import recorded

    return recorded() if config.getoption("--oclgrind") == "changed" else {}


def parameter_of(item, name):
    """What a test gets for a parameter, as the word of its device."""
    return item.callspec.params.get(name) if hasattr(item, "callspec") else None


def _parameters(item):
    """The parameters of a test, as its name has them, without its device."""
    own = item.callspec.id.split("-") if hasattr(item, "callspec") else []
    if (device := parameter_of(item, "device")) in own:
        own.remove(device)
    return "-".join(own)


def _is_smoke(item):
    """Whether a test is in the smoke set: marked smoke, or smoke("1-rw", ...) if with these parameters."""
    return any(not mark.args or _parameters(item) in mark.args for mark in item.iter_markers("smoke"))


def _check_smoke(items):
    """Raise UsageError if a test is marked smoke with parameters that it is not run with."""
    there = {}
    for item in items:
        there.setdefault(item.nodeid.partition("[")[0], set()).add(_parameters(item))
    for item in items:
        name = item.nodeid.partition("[")[0]
        wanted = {word for mark in item.iter_markers("smoke") for word in mark.args}
        if strange := sorted(wanted - there[name]):
            raise pytest.UsageError(f"{name} is marked smoke({strange[0]!r}), which it is not run with")


def _is_cross(item):
    """Whether a test runs on the devices of --cross, too.

    On FPGAs and their emulator kernels without a pipeline are those of all devices, by the same compiler as
    on Intel's runtime: a few tests of each family are enough there.
    """
    crossed = [mark.args for mark in item.iter_markers("cross")]
    marked = _is_smoke(item) or crossed != []
    if parameter_of(item, "device") == "fpga":
        return ("fpga",) in crossed or (item.path.parent.name in ("fpga", "device") and marked)
    return marked


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """What a device without float64 refuses for that reason is skipped there."""
    try:
        return (yield)
    except (InputError, BuildError) as error:
        device = getattr(item, "funcargs", {}).get("device")
        named = "no float64 arithmetic" in str(error) or "cl_khr_fp64" in str(error)
        if device is not None and "HAVE_FP64" not in device.features and named:
            pytest.skip("the device has no float64, and says so")
        raise


@pytest.fixture(scope="session")
def thorough(request):
    """For what takes minutes: skips unless all is asked for, on all devices."""
    if not words_of(request.config, "--require") or words_of(request.config, "--cross"):
        pytest.skip("takes minutes: runs with --require, without --cross")


@pytest.fixture(scope="session")
def oclgrind(request):
    """Oclgrind is there and was asked for: its cases take minutes."""
    if not has_oclgrind():
        pytest.skip("Oclgrind is not installed (apt-get install oclgrind)")
    if not any("oclgrind" in words_of(request.config, option) for option in ("--devices", "--require")):
        pytest.skip("takes minutes: ask for it (--require oclgrind)")


@pytest.fixture
def device(request, monkeypatch):
    """Each device that works, in turn."""
    if request.param in POOR:
        monkeypatch.setenv("CLGRAPH_WITHOUT", POOR[request.param])  # what is found by its spec is as poor
        found = poor_device(request.param)
        assert found is not None
        return found
    return working_devices()[request.param]


@pytest.fixture
def run(capsys):
    """``run("info graph.txt")``: a command in this process."""
    return InProcess(capsys)


@pytest.fixture
def data_path():
    """``data_path("internet.txt")``: a file of CLGRAPH_TEST_DATA; skips only if that is not set."""

    def path(name):
        folder = os.environ.get("CLGRAPH_TEST_DATA")
        if not folder:
            pytest.skip("CLGRAPH_TEST_DATA is not set")
        file = Path(folder, name)
        assert file.exists(), f"CLGRAPH_TEST_DATA={folder} has no {name}"
        return file

    return path
