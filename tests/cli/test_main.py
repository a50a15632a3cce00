"""The command line as a whole: help, statuses, manners, the small commands."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_runs import environment, process

import clgraph
from clgraph.cli import COMMANDS
from clgraph.device.driver_selftest import Check


@pytest.mark.smoke
def test_version(run):
    done = process("--version")
    assert (done.status, done.out, done.err) == (0, f"clgraph, version {clgraph.__version__}\n", "")


def test_help_lists_the_commands_and_loads_nothing():
    code = (
        "import sys; from clgraph.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "assert 'pyopencl' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr
    for name in COMMANDS:
        assert f"\n  {name} " in done.stdout


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
    words = [word for arg in args for word in arg.split()]
    done = run("info", path, *words)
    option = (args or ["--ids str"])[-1].replace("konect", "edges")
    assert done.status == 1 and option in done.err and "=" not in done.err, done.err
    pairs = [arg[2:].replace("-", "_").partition(" ") for arg in args]
    how = {name: int(value) if value == "1" else value or True for name, _, value in pairs}
    with pytest.raises(clgraph.InputError) as caught:
        clgraph.read(path, **how)
    assert reading in str(caught.value) and "--" not in str(caught.value)


@pytest.mark.parametrize("line", ["pagerank missing.txt", "bfs missing.txt --source 1"])
def test_a_command_that_fails_at_once_prints_its_error_alone(line):
    """Though a thread still imports what loads drivers, which a process that ends does not let it."""
    done = process(*line.split())
    assert done.status == 1 and done.err.count("\n") == 1, done.err
    assert done.err.startswith("clgraph: error: missing.txt: no such file")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(run, command):
    done = run(command, "--help")
    assert done.status == 0
    assert done.out.startswith(f"Usage: clgraph {command}")


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["smaple"], ["No such command 'smaple'. Did you mean 'sample'?"]),
        (["sample"], ["Missing argument 'GRAPH'"]),
        (["sample", "x.txt"], ["Give one of --size"]),
        (["sample", "x.txt", "--sise", "3"], ["No such option", "--sise", "--size"]),
        (["sample", "x.txt", "--size", "3", "--seed", "soon"], ["--seed", "'soon' is not a valid integer"]),
        (["sample", "x.txt", "--size", "3", "--ids", "float"], ["--ids", "int", "str"]),
        (["generate", "powerlaw"], ["Missing option"]),
        (["demo", "--vertices", "1"], ["--vertices", "x>=10"]),
    ],
)
def test_what_is_not_understood_is_status_2(run, args, words):
    done = run(*args)
    assert done.status == 2
    assert not done.out
    for word in words:
        assert word in done.err
    assert "clgraph" in done.err  # the usage line


def test_no_arguments_show_the_help(run):
    done = run()
    assert done.status == 2
    assert "\nMachine:\n" in done.out + done.err and "error" not in done.err


def test_an_error_status_of_a_command_comes_through():
    # with no driver at all doctor ends in status 1; click hands that over as a return value
    done = process("doctor", OCL_ICD_VENDORS="/nonexistent", CLGRAPH_DEVICE="")
    assert done.status == 1
    done = process("devices", OCL_ICD_VENDORS="/nonexistent")
    assert done.status == 1
    assert "no OpenCL driver was found" in done.err


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

    def ended(*args: str) -> tuple[int, list[str]]:
        done = subprocess.run(
            [sys.executable, *args], capture_output=True, text=True, env=environment(), timeout=60
        )
        return done.returncode, done.stdout.splitlines()[1:]

    assert ended("-c", code, "formats", "--nonsense") == (2, ["farewell"])
    assert ended("-c", code, "--version") == (0, ["waited for", "farewell"])
    assert ended("-c", f"import cProfile; {code}", "--version")[1][-1] == "taken apart"
    assert ended("-X", "dev", "-c", code, "--version") == (0, ["waited for", "farewell", "taken apart"])


def test_doctor_says_0_where_nothing_is_wrong_and_1_at_a_fault(tmp_path):
    usual = process("doctor", "--json")
    faults = json.loads(usual.out)["faults"]  # such as an installed clgraph beside this checkout
    assert usual.status == bool(faults)
    named = tmp_path / "cache"
    named.touch()
    done = process("doctor", "--json", CLGRAPH_CACHE_DIR=str(named))
    report = json.loads(done.out)
    assert (done.status, len(report["faults"]) - len(faults), report["working"] > 0) == (1, 1, True)


@pytest.mark.smoke
def test_a_fault_of_ours_is_no_traceback(run, monkeypatch, capsys, tmp_path):
    def broken(*args, **kwargs):
        raise KeyError("surprise")

    monkeypatch.setattr(clgraph, "powerlaw_graph", broken)
    args = ["generate", "powerlaw", "--vertices", "10", "-o", str(tmp_path / "x.txt")]
    with pytest.raises(SystemExit) as stop:
        clgraph.cli.main(args)
    err = capsys.readouterr().err
    assert stop.value.code == 1
    assert "unexpected KeyError: 'surprise'" in err
    assert "please report it" in err
    assert "Traceback" not in err
    monkeypatch.setenv("CLGRAPH_TRACEBACK", "1")
    with pytest.raises(KeyError):
        clgraph.cli.main(args)


def test_memory_and_system_errors_are_told(monkeypatch, capsys, tmp_path):
    no_memory, no_space = MemoryError("13 GB"), OSError(28, "No space")
    for error, word in ((no_memory, "out of memory: 13 GB"), (no_space, "No space")):

        def broken(*args, error=error, **kwargs):
            raise error

        monkeypatch.setattr(clgraph, "powerlaw_graph", broken)
        with pytest.raises(SystemExit) as stop:
            clgraph.cli.main(["generate", "powerlaw", "--vertices", "10", "-o", str(tmp_path / "x.txt")])
        assert stop.value.code == 1
        assert f"clgraph: error: {word}" in capsys.readouterr().err.replace("[Errno 28] ", "")


def test_a_reader_that_has_gone_is_no_error(tmp_path):
    # the pipe is closed before anything is written into it
    child = subprocess.Popen(
        [sys.executable, "-m", "clgraph", "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    child.stdout.close()
    err = child.stderr.read().decode()
    child.stderr.close()
    assert child.wait() != 0
    assert err == ""


@pytest.mark.smoke
def test_generate(run, tmp_path):
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    args = ["generate", "powerlaw", "--vertices", 2000, "--average-degree", 5, "--exponent", 2.71]
    args += ["--seed", 4]
    done = run(*args, "-o", first)
    assert (done.status, done.out) == (0, "")
    assert "seed 4" in done.err
    assert "wrote a.txt: undirected, 2000 vertices" in done.err
    assert "without edges left out" in done.err  # an edge list cannot hold them, and that is said
    done = run(*args, "-q", "-o", second)
    assert (done.status, done.out, done.err) == (0, "", "")
    assert first.read_bytes() == second.read_bytes()


def test_generate_draws_a_seed_and_tells_it(run, tmp_path):
    done = run("generate", "powerlaw", "--vertices", 100, "-o", tmp_path / "a.clg")
    assert done.status == 0
    seed = done.err.split("seed ")[1].split(":")[0]
    done = run("generate", "powerlaw", "--vertices", 100, "--seed", seed, "-o", tmp_path / "b.clg")
    assert (tmp_path / "a.clg").read_bytes() == (tmp_path / "b.clg").read_bytes()


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--vertices", "0"], "number of vertices is 0"),
        (["--vertices", "-5"], "number of vertices is -5"),
        (["--vertices", "3000000000"], "1 to 2147483647"),
        (["--vertices", "100", "--average-degree", "nan"], "average degree"),
        (["--vertices", "100", "--average-degree", "100"], "average degree"),
        (["--vertices", "100", "--exponent", "2"], "above 2"),
        (["--vertices", "100", "--seed", "-1"], "seed -1"),
    ],
)
def test_generate_refuses(run, tmp_path, options, word):
    done = run("generate", "powerlaw", *options, "-o", tmp_path / "x.txt")
    assert done.status == 1
    assert done.err.startswith("clgraph: error: ")
    assert word in done.err
    assert not list(tmp_path.iterdir())


def test_generate_refuses_a_bad_place_before_it_works(run, tmp_path):
    started = time.perf_counter()
    (tmp_path / "folder.txt").mkdir()
    for name, word in (("no/x.txt", "no folder"), ("x.what", "--to"), ("folder.txt", "is a folder")):
        done = run("generate", "powerlaw", "--vertices", 100_000_000, "-o", tmp_path / name)
        assert done.status == 1
        assert word in done.err
    assert time.perf_counter() - started < 5


@pytest.mark.first_device
def test_demo(device):
    started = time.perf_counter()
    done = process("demo", "--device", device.spec)
    assert time.perf_counter() - started < 60  # 20 s on a quiet machine
    assert done.status == 0
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
    done = run("selftest", "--device", device.spec)
    assert done.status == 1
    assert "FAIL measures: that (0.20 s): off" in done.out
    assert f"1 of 2 checks passed on {device.name}: works, but not measures" in done.out
    done = run("selftest", "--device", device.spec, "--json")
    told = json.loads(done.out)
    assert done.status == 1 and told["verdict"] == "works, but not measures"
    assert told["checks"][1] == {"family": "measures", "name": "that", "seconds": 0.2, "message": "off"}
    assert told["device"]["name"] == device.name and told["packages"]["pyopencl"]
    done = run("selftest", "--device", "abacus", "--json")
    assert done.status == 1 and "no device is 'abacus'" in done.err
    done = run("selftest", "--family", "sums")
    assert done.status == 1 and "use one of graph building" in done.err


@pytest.mark.smoke
@pytest.mark.first_device
def test_unknown_device_lists_what_there_is(device, run, tmp_path):
    done = run("demo", "--device", "abacus")
    assert done.status == 1
    assert "no device is 'abacus'" in done.err
    assert device.name in done.err


@pytest.mark.smoke
@pytest.mark.first_device
def test_devices_as_json(device, run):
    done = run("devices", "--json")
    assert done.status == 0
    told = json.loads(done.out)
    assert device.name in [d["name"] for d in told["devices"]]


def test_interrupted_while_it_generates(tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-m", "clgraph", "generate", "powerlaw", "--vertices", "20000000", "-o", "big.txt"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    # its imports are behind it once this process's memory holds the edges' array: then it is at work
    deadline = time.monotonic() + 60
    while _resident(child.pid) < 300 << 20 and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=120)
    assert child.returncode == 130, err
    assert (out, err.strip()) == ("", "clgraph: interrupted")
    assert not list(tmp_path.iterdir())


def _resident(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


MISTAKES = (
    ("smaple g.txt", "Did you mean 'sample'? See `clgraph --help`."),
    ("sample", "Missing argument 'GRAPH'. See `clgraph sample --help`."),
    ("sample g.txt", "Give one of --size (how large) and --sizes (several). See `clgraph sample --help`."),
    ("sample g.txt -m drv --size 9", "No such option"),
    ("sample g.txt --method DVR --size 50%", "unknown method 'dvr': did you mean 'drv' (delete_vertices) or"),
    ("sample g.txt --method drv --size half", "size 'half': give a share"),
    (
        "sample g.txt --method drv --size 2 -o g.txt",
        "g.txt is the file that is read: give the output another",
    ),
    ("convert g.txt ./g.txt", "./g.txt is the file that is read"),
    ("pagerank g.txt -o g.txt", "g.txt is the file that is read"),
    ("sample g.txt --seed x", "Invalid value for '--seed': 'x' is not a valid integer. See"),
    ("bfs g.txt", "Give start vertices: --source ID (repeatable), or --sources ID,ID,... See"),
    ("generate powerlaw 100", "Missing option '--vertices'. See `clgraph generate powerlaw --help`."),
    ("completion fish2", "'fish2' is not one of 'bash', 'zsh', 'fish'. See"),
    ("sample g.txt --trace", "Option '--trace' requires an argument."),
    ("--verison", "--version"),
)


@pytest.mark.smoke
def test_each_mistake_is_one_line(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("g.txt").write_text("1 2\n2 3\n")
    for line, said in MISTAKES:
        with pytest.raises(SystemExit) as stop:
            clgraph.cli.main(line.split())
        out, err = capsys.readouterr()
        assert stop.value.code in (1, 2) and not out
        assert err.startswith("clgraph: error: ") and said in err and err.count("\n") == 1, line
    assert Path("g.txt").read_text() == "1 2\n2 3\n"
