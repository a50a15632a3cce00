"""The command line as a whole: help, statuses, manners, names that options take, the small commands."""

import json
import shutil
import subprocess
import time
from unittest.mock import Mock

import pytest
from cli_runs import process, python

import clgraph
from clgraph.cli import COMMANDS
from clgraph.device.driver_selftest import Check
from clgraph.formats.table import FORMATS

# --- help and names ---------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_version():
    done = process("--version")
    assert (done.status, done.out, done.err) == (0, f"clgraph, version {clgraph.__version__}\n", "")


@pytest.mark.parametrize(
    ("line", "says"), [("--help", "Machine:"), ("info g.txt --json -q", '"vertices": 2')]
)
def test_what_needs_no_driver_loads_none(tmp_path, line, says):
    (tmp_path / "g.txt").write_text("1 2\n")
    code = "import sys\nfrom clgraph.cli import main\ntry: main(sys.argv[1:])\n"
    code += "finally: assert 'pyopencl' not in sys.modules"
    assert says in python("-c", code, *line.split(), cwd=tmp_path).fine().out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_is_listed(run, command):
    assert run(command, "--help").fine().out.startswith(f"Usage: clgraph {command}")
    assert f"\n  {command} " in run("--help").fine().out


def test_no_arguments_show_the_help(run):
    done = run().fine(2)
    assert "\nMachine:\n" in done.out + done.err and "error" not in done.err


def completed(*words):
    """What the shell offers in place of the last of the words."""
    variables = {"_CLGRAPH_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(("clgraph", *words))}
    code = "from clgraph.cli import main; main([])"
    done = python("-c", code, **variables, COMP_CWORD=str(len(words)))
    assert not done.err
    return [line.partition(",")[2] for line in done.out.splitlines() if line]


def test_the_shell_completes_commands_methods_and_formats():
    assert completed("co") == ["components", "communities", "convert", "completion"]
    assert completed("sample", "--method", "DR") == ["drv", "dre", "drve"]
    assert "rw" in completed("sample", "--method", "r") and completed("curve", "--method", "r") == []
    assert completed("convert", "--to", "g") == [name for name in FORMATS if name.startswith("g")]


@pytest.mark.smoke
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(run, shell):
    script = run("completion", shell).fine().out
    assert "_CLGRAPH_COMPLETE" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


@pytest.mark.smoke
def test_formats_are_listed(run):
    told = run("formats --json").json()["formats"]
    assert list(told) == list(FORMATS)
    assert told["mtx"] == {"suffixes": [".mtx"], "may_be_compressed": True}
    assert [line.split()[0] for line in run("formats").out.splitlines()] == list(FORMATS)


def test_methods_in_capitals(run, tmp_path):
    graph = tmp_path / "g.txt"
    graph.write_text("".join(f"{i} {(i + 1) % 30}\n" for i in range(30)))
    done = [run(f"sample {graph} --method {name} --size 9 --seed 1 -q --verify") for name in ("DRV", "drv")]
    lines = [each.out for each in done]
    assert done[0].err == done[1].err == ""
    assert lines[0].startswith("drv sample: ") and lines[0].split("exact")[0] == lines[1].split("exact")[0]
    ring = clgraph.read(graph)
    assert clgraph.deletion_order(ring, "DRE").tolist() == clgraph.deletion_order(ring, "dre").tolist()


# --- errors and statuses ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "args", "reading"),
    [
        ("a b", [], "ids='str'"),
        ("1 2", ["--weights"], "weights=True"),
        ("1 2", ["--max-vertices 1"], "max_vertices=1"),
        ("1 2", ["--format graph500", "--ids str"], "ids='str'"),
        ("1 2", ["--format konect"], "format='edges'"),
        ("1 2", ["--format mtx", "--header"], "header="),
    ],
)
def test_errors_name_options_here_and_arguments_in_python(run, tmp_path, line, args, reading):
    path = tmp_path / "g.txt"
    path.write_text(f"{line}\n")
    option = (args or ["--ids str"])[-1].replace("konect", "edges")
    assert "=" not in run(f"info {path} {' '.join(args)}").refused(option)
    pairs = [arg[2:].replace("-", "_").partition(" ") for arg in args]
    how = {name: int(value) if value == "1" else value or True for name, _, value in pairs}
    with pytest.raises(clgraph.InputError) as caught:
        clgraph.read(path, **how)
    assert reading in str(caught.value) and "--" not in str(caught.value)


@pytest.mark.parametrize("line", ["pagerank missing.txt", "bfs missing.txt --source 1"])
def test_a_command_that_fails_at_once_prints_its_error_alone(line):
    """Though a thread still imports what loads drivers, which a process that ends does not let it."""
    said = process(line).refused()
    assert said.startswith("clgraph: error: missing.txt: no such file") and said.count("\n") == 1


def test_the_quick_end_leaves_nothing_out():
    code = (
        "import atexit, sys, threading, time; from clgraph.cli import run\n"
        "class Late:\n"
        "    def __del__(self): print('taken apart')\n"
        "late = Late()\n"
        "atexit.register(lambda: print('farewell'))\n"
        "threading.Thread(target=lambda: (time.sleep(0.3), print('waited for'))).start()\n"
        "sys.argv = ['clgraph', *sys.argv[1:]]; run()"
    )
    for args, status, words in (
        (("-c", code, "formats", "--nonsense"), 2, ["farewell"]),
        (("-c", code, "--version"), 0, ["waited for", "farewell"]),
        (("-X", "dev", "-c", code, "--version"), 0, ["waited for", "farewell", "taken apart"]),
    ):
        assert python(*args).fine(status).out.splitlines()[1:] == words
    assert python("-c", f"import cProfile; {code}", "--version").out.endswith("taken apart\n")


def test_doctor_says_0_where_nothing_is_wrong_and_1_at_a_fault(tmp_path):
    usual = process("doctor", "--json")
    faults = json.loads(usual.out)["faults"]  # such as an installed clgraph beside this checkout
    assert usual.status == bool(faults)
    named = tmp_path / "cache"
    named.touch()
    report = process("doctor", "--json", CLGRAPH_CACHE_DIR=str(named)).json(1)
    assert (len(report["faults"]) - len(faults), report["working"] > 0) == (1, True)


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("error", "says"),
    [
        (KeyError("surprise"), ("unexpected KeyError: 'surprise'", "please report it")),
        (MemoryError("13 GB"), ("clgraph: error: out of memory: 13 GB",)),
        (OSError(28, "No space"), ("clgraph: error: No space",)),
    ],
)
def test_a_fault_is_no_traceback(monkeypatch, capsys, tmp_path, error, says):
    monkeypatch.setattr(clgraph, "powerlaw_graph", Mock(side_effect=error))
    args = ["generate", "powerlaw", "--vertices", "10", "-o", str(tmp_path / "x.txt")]
    with pytest.raises(SystemExit) as stop:
        clgraph.cli.main(args)
    err = capsys.readouterr().err
    assert stop.value.code == 1 and "Traceback" not in err
    assert all(word in err for word in says), err
    monkeypatch.setenv("CLGRAPH_TRACEBACK", "1")
    if isinstance(error, KeyError):  # one of ours
        with pytest.raises(KeyError):
            clgraph.cli.main(args)


# --- the small commands -----------------------------------------------------------------------------------


@pytest.mark.first_device
def test_demo(device):
    begun = time.perf_counter()
    done = process("demo", "--device", device.spec).fine()
    assert time.perf_counter() - begun < 60  # 20 s on a quiet machine
    for word in ("drv", "dre", "drve", "200,000", "clgraph sample GRAPH"):
        assert word in done.out
    assert device.name in done.err


@pytest.mark.slow
def test_selftest(device, run, monkeypatch):
    monkeypatch.setenv("CLGRAPH_FORCE", "")  # the command sets it
    done = run("selftest", "--device", device.spec)
    assert done.status == 0, done.out
    assert f"checks passed on {device.name}: works" in done.out
    assert "FAIL" not in done.out


@pytest.mark.first_device
def test_selftest_tells_a_failure(device, run, monkeypatch):
    monkeypatch.setenv("CLGRAPH_FORCE", "")
    checks = [Check("search", "this", None, 0.1), Check("measures", "that", "off", 0.2)]
    monkeypatch.setattr("clgraph.device.driver_selftest.run_checks", lambda *_: iter(checks))
    done = run("selftest", "--device", device.spec).fine(1)
    assert "FAIL measures: that (0.20 s): off" in done.out
    assert f"1 of 2 checks passed on {device.name}: works, but not measures" in done.out
    told = run("selftest", "--device", device.spec, "--json").json(1)
    assert told["verdict"] == "works, but not measures"
    assert told["checks"][1] == {"family": "measures", "name": "that", "seconds": 0.2, "message": "off"}
    assert told["device"]["name"] == device.name and told["packages"]["pyopencl"]


@pytest.mark.smoke
@pytest.mark.first_device
def test_devices_are_listed(device, run):
    assert device.name in [each["name"] for each in run("devices --json").json()["devices"]]
    run("demo --device abacus").refused("no device is 'abacus'", device.name)
