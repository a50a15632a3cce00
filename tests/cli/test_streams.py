"""Standard streams: closed, full, without a reader, of few characters; ``-`` as an output; exit statuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_runs import environment

import clgraph

CLGRAPH = [sys.executable, "-m", "clgraph"]
# as the installed command starts
COMMAND = [sys.executable, "-P", "-c", "import _clgraph_command as c; c.main()"]


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "gr\u00e9.txt"
    path.write_text("0\t1\n0\t2\n1\t2\n")
    return path


def shell(
    line: str, *args: object, command: list[str] = CLGRAPH, **env: str
) -> subprocess.CompletedProcess[str]:
    """A line of bash, in which "$@" is clgraph with its arguments."""
    done = subprocess.run(
        ["bash", "-c", line, "bash", *command, *map(str, args)],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment(**env),
    )
    assert "Traceback" not in done.stderr and "fault of clgraph" not in done.stderr, done.stderr
    return done


# --- statuses ---------------------------------------------------------------------------------------------


def test_the_page_names_every_status() -> None:
    page = Path(clgraph.__file__).parent.parent / "docs/command.md"
    if not page.is_file():
        pytest.skip("needs the source tree, not an installed package")
    rows = [line.split("|")[1].strip() for line in page.read_text().split("\n") if line.startswith("| ")]
    assert [word for word in rows if word.isdecimal()] == ["0", "1", "2", "129", "130", "141", "143"]


@pytest.mark.parametrize(
    "args",
    [["info", "GRAPH"], ["info", "GRAPH", "--json"], ["--help"], ["convert", "GRAPH", "-"], ["cache"]],
    ids=" ".join,
)
def test_a_reader_that_is_gone_is_141(graph: Path, args: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    args = [str(graph) if arg == "GRAPH" else arg for arg in args]
    done = subprocess.run([*CLGRAPH, *args], stdout=writer, stderr=-1, text=True, env=environment())
    os.close(writer)
    said = done.stderr.replace(f"read {graph.name}: undirected, 3 vertices, 3 edges (3 rows)\n", "")
    assert (done.returncode, said) == (141, "")


def test_errors_without_a_reader_keep_their_status(graph: Path) -> None:
    done = shell('"$@" 2>&1 >/dev/null | true; echo ${PIPESTATUS[0]}', "info", "no.txt")
    assert done.stdout == "1\n"
    done = shell('"$@" 2>&1 >/dev/null | true; echo ${PIPESTATUS[0]}', "info")
    assert done.stdout == "2\n"


# --- streams that cannot be written to --------------------------------------------------------------------


def test_closed_streams(graph: Path, tmp_path: Path) -> None:
    for args in (["info", graph], ["info", graph, "--json"], ["convert", graph, "-"], ["--version"]):
        done = shell('"$@" >&-', *args)
        assert done.returncode == 1
        assert "standard output is closed" in done.stderr or "standard output: it is closed" in done.stderr
    assert shell('"$@" 2>&-', "info", graph).returncode == 0
    assert shell('"$@" 2>&-', "info", "no.txt").returncode == 1
    # the file gets none of the numbers 0, 1, 2, into which others write
    for closed in (">&-", "<&- >&- 2>&-"):
        done = shell(f'"$@" {closed}', "convert", graph, tmp_path / "out.txt")
        assert done.returncode == 0
        assert (tmp_path / "out.txt").read_bytes() == graph.read_bytes()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_disk_behind_standard_output(graph: Path) -> None:
    for args in (["info", graph], ["info", graph, "--json"]):
        done = shell('"$@" > /dev/full', *args)
        assert done.returncode == 1
        said = "No space left on device: standard output cannot be written to"
        assert done.stderr.endswith(f"clgraph: error: {said}\n")
    done = shell('"$@" > /dev/full', "convert", graph, "-")
    assert done.returncode == 1
    assert "cannot write standard output: No space left on device" in done.stderr


# --- characters and widths --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
    ids=str,
)
def test_few_characters(graph: Path, env: dict[str, str]) -> None:
    done = subprocess.run([*CLGRAPH, "info", graph], capture_output=True, env=environment(**env))
    assert done.returncode == 0, done.stderr
    assert b"self loops" in done.stdout and b"Traceback" not in done.stderr
    done = subprocess.run([*CLGRAPH, "info", graph, "--json"], capture_output=True, env=environment(**env))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["vertices"] == 3


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path / "g") + b"\xff.txt"
    with open(path, "w") as file:
        file.write("0 1\n")
    for options in ([], ["--json"]):
        done = subprocess.run([*CLGRAPH, "info", path, *options], capture_output=True, env=environment())
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("columns", ["0", "-1", "\u00b2", "9" * 5000, ""])
def test_terminals_of_no_width(graph: Path, columns: str) -> None:
    done = shell('"$@"', "info", graph, COLUMNS=columns)
    assert done.returncode == 0, done.stderr
    assert "self loops" in done.stdout


def test_a_cache_in_the_home_of_nobody() -> None:
    for args in (["devices"], ["doctor"], ["cache"]):
        done = shell('"$@"', *args, CLGRAPH_CACHE_DIR="~nobody-of-this-name/x")
        assert done.returncode == 1
        assert "clgraph: error: CLGRAPH_CACHE_DIR is '~nobody-of-this-name/x'" in done.stderr


def test_drivers_named_by_other_bytes_than_utf8(tmp_path: Path) -> None:
    (tmp_path / "one.icd").write_bytes(b"/nowhere/lib\xff\xe9.so\n")
    (tmp_path / "two.icd").write_bytes(b"lib\x00.so\n")
    (tmp_path / "three.icd").write_bytes(os.urandom(4096))
    for options in ([], ["--json"]):
        done = subprocess.run(
            [*CLGRAPH, "doctor", *options],
            capture_output=True,
            env=environment(OCL_ICD_VENDORS=str(tmp_path)),
        )
        assert done.returncode == 1 and b"one.icd" in done.stdout
        assert b"Traceback" not in done.stderr and b"fault of clgraph" not in done.stderr, done.stderr


# --- interrupts while modules are imported ----------------------------------------------------------------

INTERRUPTED = """
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000): pass
except KeyboardInterrupt:
    raise ImportError("a library that makes something else of it") from None
"""


@pytest.mark.parametrize("module", ["click", "pyopencl"])
def test_interrupted_while_importing(tmp_path: Path, module: str) -> None:
    (tmp_path / f"{module}.py").write_text(INTERRUPTED)
    path = os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])
    done = shell('"$@"', "devices", command=COMMAND, PYTHONPATH=path)
    assert (done.returncode, done.stderr) == (130, "clgraph: interrupted\n")


IN_IMPORTLIB = """
import os, signal, time, weakref
from clgraph import system

CALLBACK = '''
def callback(_):
    os.kill(os.getpid(), number)
    for _ in range(1000): pass
    ended.append(True)
'''
for number in (signal.SIGINT, signal.SIGTERM):
    ended = []
    exec(compile(CALLBACK, "<frozen importlib._bootstrap>", "exec"))
    with system.signals_as_interrupts() as caught:
        try:
            one = set()
            kept = weakref.ref(one, callback)
            del one
            time.sleep(20)
            print("lost")
        except KeyboardInterrupt:
            print(number, ended, caught)
signal.signal(number, signal.SIG_DFL)
with system.signals_as_interrupts() as caught:  # put off twice: raised once
    exec(compile(CALLBACK, "<frozen importlib._bootstrap>", "exec"))
    callback(None)
    system.termination.deferred = True
    time.sleep(0.05)
    try:
        system.termination.deferred = False
        system.raise_deferred()
        print("lost")
    except KeyboardInterrupt:
        time.sleep(0.05)
        print("once")
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers that raise signals")
def test_interrupted_in_a_callback_of_importlib() -> None:
    """Python ignores what such a callback raises, and importlib's lock, if it has it, stays locked."""
    done = subprocess.run([sys.executable, "-c", IN_IMPORTLIB], capture_output=True, text=True, timeout=100)
    assert (done.stdout, done.stderr) == ("2 [True] []\n15 [True] [15]\nonce\n", "")


# --- the output - -----------------------------------------------------------------------------------------


def test_nothing_else_goes_to_standard_output(graph: Path, tmp_path: Path) -> None:
    done = shell('"$@"', "convert", graph, "-")
    assert (done.returncode, done.stdout) == (0, graph.read_text())
    assert "wrote standard output: undirected, 3 vertices, 3 edges" in done.stderr
    log = tmp_path / "log"
    log.write_text("kept\n")
    for path in ("-", "/dev/stdout"):
        assert shell(f'"$@" >> {log}', "convert", graph, path, "--to", "edges").returncode == 0
    assert log.read_text() == "kept\n" + 2 * graph.read_text()
    assert shell(f'"$@" | cat > {tmp_path}/a.clg', "convert", graph, "-", "--to", "clg").returncode == 0
    assert clgraph.read(tmp_path / "a.clg").num_edges == 3
    done = shell('"$@"', "generate", "powerlaw", "--vertices", "50", "--seed", "1", "-o", "-")
    assert done.returncode == 0 and all(len(line.split("\t")) == 2 for line in done.stdout.splitlines())


@pytest.mark.device
@pytest.mark.first_device
def test_results_on_standard_output(device: object, graph: Path, tmp_path: Path) -> None:
    spec = ["--device", device.spec]  # type: ignore[attr-defined]
    for args in (["bfs", graph, "--source", "0"], ["pagerank", graph], ["components", graph]):
        assert shell('"$@"', *args, *spec, "-o", tmp_path / "out").returncode == 0
        done = shell('"$@"', *args, *spec, "-o", "-")
        assert (done.returncode, done.stdout) == (0, (tmp_path / "out").read_text())
    done = shell('"$@"', "sample", graph, "--size", "2", "--seed", "1", *spec, "-o", "-")
    assert done.returncode == 0 and done.stdout.count("\n") == 1


@pytest.mark.parametrize(
    "line",
    [
        "components -o - --json",
        "components --json -o -",
        "components -o - --largest -",
        "quality --table csv --json",
        "curve -o - --table latex",
    ],
)
def test_two_cannot_have_standard_output(graph: Path, line: str) -> None:
    command, *options = line.split()
    done = shell('"$@"', command, graph, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert "both want standard output" in done.stderr


# --- standard input ---------------------------------------------------------------------------------------


def test_from_pipe_to_pipe(graph: Path) -> None:
    """Nothing but the graph passes between commands."""
    sample = '"$@" sample - --size 3 --seed 1 -o -'
    done = shell(f'cat {graph} | {sample} | "$@" convert - - --to clg | "$@" convert - - --format clg -q')
    assert (done.returncode, done.stdout) == (0, "0\t1\n0\t2\n1\t2\n")
    assert "read standard input: undirected, 3 vertices, 3 edges (3 rows" in done.stderr
    done = shell(f"cat {graph} | {sample} -q | true; echo ${{PIPESTATUS[1]}}")
    assert done.stdout == "141\n" and done.stderr == ""
