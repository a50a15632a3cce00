"""Streams that are closed, full, narrow, ``-`` as an output; exit statuses; what ends a command from outside.

SIGTERM and SIGHUP leave what Ctrl-C leaves, and no more.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from browser import plotting  # noqa: F401
from cli_runs import ROOT, command, ended, environment, process, python
from graph_files import put

import clgraph

# as the installed command starts
COMMAND = [sys.executable, "-P", "-c", "import _clgraph_command as c; c.main()"]


@pytest.fixture
def graph(tmp_path):
    return put(tmp_path / "gr\u00e9.txt", "0\t1\n0\t2\n1\t2\n")


def shell(line, *args):
    """A line of bash, in which "$@" is clgraph with its arguments."""
    return ended(["bash", "-c", line, "bash", *command(*args)])


# --- statuses ---------------------------------------------------------------------------------------------


def test_the_page_names_every_status():
    page = ROOT / "docs/command.md"
    if not page.is_file():
        pytest.skip("needs the source tree, not an installed package")
    rows = [line.split("|")[1].strip() for line in page.read_text().split("\n") if line.startswith("| ")]
    assert [word for word in rows if word.isdecimal()] == ["0", "1", "2", "129", "130", "141", "143"]


@pytest.mark.parametrize("line", ["info GRAPH", "info GRAPH --json", "--help", "convert GRAPH -", "cache"])
def test_a_reader_that_is_gone_is_141(graph, line):
    reader, writer = os.pipe()
    os.close(reader)
    args = command(line.replace("GRAPH", str(graph)))
    done = subprocess.run(args, stdout=writer, stderr=-1, text=True, env=environment())
    os.close(writer)
    said = done.stderr.replace(f"read {graph.name}: undirected, 3 vertices, 3 edges (3 rows)\n", "")
    assert (done.returncode, said) == (141, "")


@pytest.mark.parametrize(("args", "status"), [(["info", "no.txt"], 1), (["info"], 2)])
def test_errors_without_a_reader_keep_their_status(args, status):
    assert shell('"$@" 2>&1 >/dev/null | true; echo ${PIPESTATUS[0]}', *args).out == f"{status}\n"


# --- streams that cannot be written to --------------------------------------------------------------------


def test_closed_streams(graph, tmp_path):
    for args in (["info", graph], ["info", graph, "--json"], ["convert", graph, "-"], ["--version"]):
        done = shell('"$@" >&-', *args).fine(1)
        assert "standard output is closed" in done.err or "standard output: it is closed" in done.err
    shell('"$@" 2>&-', "info", graph).fine()
    shell('"$@" 2>&-', "info", "no.txt").fine(1)
    # the file gets none of the numbers 0, 1, 2, into which others write
    for closed in (">&-", "<&- >&- 2>&-"):
        shell(f'"$@" {closed}', "convert", graph, tmp_path / "out.txt").fine()
        assert (tmp_path / "out.txt").read_bytes() == graph.read_bytes()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_disk_behind_standard_output(graph):
    for options in ([], ["--json"]):
        said = shell('"$@" > /dev/full', "info", graph, *options).fine(1).err.splitlines()[-1]
        assert said == "clgraph: error: No space left on device: standard output cannot be written to"
    done = shell('"$@" > /dev/full', "convert", graph, "-").fine(1)
    assert "cannot write standard output: No space left on device" in done.err


# --- characters and widths --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
        *({"COLUMNS": columns} for columns in ("0", "-1", "\u00b2", "9" * 5000, "")),
    ],
    ids=count(),
)
def test_few_characters_and_no_width(graph, env):
    assert "self loops" in process("info", graph, errors="replace", **env).fine().out
    done = process("info", graph, "--json", errors="replace", **env)
    assert done.json()["vertices"] == 3 and "\ufffd" not in done.out


def test_names_that_are_not_utf8(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path / "g") + b"\xff.txt")
    Path(path).write_text("0 1\n")
    for options in ([], ["--json"]):
        process("info", path, *options, errors="replace").fine()


@pytest.mark.parametrize("command", ["devices", "doctor", "cache"])
def test_a_cache_in_the_home_of_nobody(command):
    done = process(command, CLGRAPH_CACHE_DIR="~nobody-of-this-name/x").fine(1)
    assert "clgraph: error: CLGRAPH_CACHE_DIR is '~nobody-of-this-name/x'" in done.err


def test_drivers_named_by_other_bytes_than_utf8(tmp_path):
    (tmp_path / "one.icd").write_bytes(b"/nowhere/lib\xff\xe9.so\n")
    (tmp_path / "two.icd").write_bytes(b"lib\x00.so\n")
    (tmp_path / "three.icd").write_bytes(os.urandom(4096))
    for line in ("doctor", "doctor --json"):
        done = process(line, errors="replace", OCL_ICD_VENDORS=str(tmp_path))
        assert "one.icd" in done.fine(1).out


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
def test_interrupted_while_importing(tmp_path, module):
    (tmp_path / f"{module}.py").write_text(INTERRUPTED)
    path = os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])
    done = ended([*COMMAND, "devices"], PYTHONPATH=path)
    assert (done.status, done.err) == (130, "clgraph: interrupted\n")


IN_A_CALLBACK = """
import os, signal, sys, time, weakref
from itertools import product
from clgraph import system

CALLBACK = '''
def callback(_):
    os.kill(os.getpid(), number)
    for _ in range(1000): pass
    ended.append(True)
'''
for number, where in product((signal.SIGINT, signal.SIGTERM), ("<frozen importlib._bootstrap>", "elsewhere")):
    ended = []
    signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    exec(compile(CALLBACK, where, "exec"))
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
print(sys.unraisablehook is sys.__unraisablehook__)
with system.signals_as_interrupts():
    sys.unraisablehook = print  # as commands do at their end
print(sys.unraisablehook is print)
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers that raise signals")
def test_interrupted_in_a_callback_of_a_weak_reference():
    """Python ignores what it raises, and importlib's lock, if one of its own has it, stays locked."""
    done = python("-c", IN_A_CALLBACK)
    wanted = "2 [True] []\n2 [] []\n15 [True] [15]\n15 [] [15]\nonce\nTrue\nTrue\n"
    assert (done.out, done.err) == (wanted, "")


# --- the output - -----------------------------------------------------------------------------------------


def test_nothing_else_goes_to_standard_output(graph, tmp_path):
    done = process("convert", graph, "-").fine()
    assert done.out == graph.read_text()
    assert "wrote standard output: undirected, 3 vertices, 3 edges" in done.err
    log = tmp_path / "log"
    log.write_text("kept\n")
    for path in ("-", "/dev/stdout"):
        shell(f'"$@" >> {log}', "convert", graph, path, "--to", "edges").fine()
    assert log.read_text() == "kept\n" + 2 * graph.read_text()
    shell(f'"$@" | cat > {tmp_path}/a.clg', "convert", graph, "-", "--to", "clg").fine()
    assert clgraph.read(tmp_path / "a.clg").num_edges == 3
    out = process("generate powerlaw --vertices 50 --seed 1 -o -").fine().out
    assert all(len(line.split("\t")) == 2 for line in out.splitlines())


@pytest.mark.first_device
def test_results_on_standard_output(device, graph, tmp_path):
    for line in (f"bfs {graph} --source 0", f"pagerank {graph}", f"components {graph}"):
        process(f"{line} --device {device.spec} -o {tmp_path}/out").fine()
        found = process(f"{line} --device {device.spec} -o -").fine().out
        assert found == (tmp_path / "out").read_text()
    done = process(f"sample {graph} --size 2 --seed 1 --device {device.spec} -o -").fine()
    assert done.out.count("\n") == 1


@pytest.mark.parametrize(
    "line",
    [
        *("components -o - --json", "components --json -o -", "components -o - --largest -"),
        *("quality --table csv --json", "curve -o - --table latex"),
    ],
)
def test_two_cannot_have_standard_output(graph, line):
    process(line, graph).refused("both want standard output", status=2)


# --- standard input ---------------------------------------------------------------------------------------


def test_from_pipe_to_pipe(graph):
    """Nothing but the graph passes between commands."""
    sample = '"$@" sample - --size 3 --seed 1 -o -'
    done = shell(f'cat {graph} | {sample} | "$@" convert - - --to clg | "$@" convert - - --format clg -q')
    assert (done.status, done.out) == (0, "0\t1\n0\t2\n1\t2\n")
    assert "read standard input: undirected, 3 vertices, 3 edges (3 rows" in done.err
    done = shell(f"cat {graph} | {sample} -q | true; echo ${{PIPESTATUS[1]}}")
    assert done.out == "141\n" and done.err == ""


# --- ended from outside -----------------------------------------------------------------------------------

# what the shell that began the tests ignores (nohup: SIGHUP) is inherited, and no matter of these tests
AS_EVER = """
import signal
signal.pthread_sigmask(signal.SIG_SETMASK, [])
for each in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, signal.SIG_DFL)
"""
# the signal comes when the whole output lies in its temporary file, just before that is renamed; every
# signal is sent twice, as timeout(1) does
IN_WRITING = """
import os, signal, sys
replace = os.replace

def interrupted(source, target):
    if os.fspath(target) == sys.argv[2]:
        print(os.path.getsize(source), flush=True)
        for _ in range(2):
            os.kill(os.getpid(), int(sys.argv[1]))
    replace(source, target)

os.replace = interrupted
from clgraph.cli import main
main(sys.argv[3:])
"""
# the child process of a bench case is one that ends its parent and would then live on
IN_A_CHILD = """
import sys, types
import clgraph.bench.cases.sampling as cases
cases.sys = types.SimpleNamespace(executable=sys.argv[1], path=sys.path)
from clgraph.cli import main
main(sys.argv[2:])
"""


def terminated(code, *args, status=143, word="terminated"):
    """A command that is ended by a signal, in the midst of the code; returns how."""
    done = python("-c", AS_EVER + code, *args).fine(status)
    assert done.err.splitlines()[-1] == f"clgraph: {word}"
    return done


@pytest.mark.parametrize(
    ("number", "status", "word"),
    [(signal.SIGTERM, 143, "terminated"), (signal.SIGHUP, 129, "the terminal was closed")],
)
def test_an_output_is_whole_or_as_it_was(tmp_path, number, status, word):
    out = put(tmp_path / "graph.txt", "what was there before\n")
    args = ("generate", "powerlaw", "--vertices", "2000", "--seed", "1", "-o", out)
    done = terminated(IN_WRITING, number.value, out, *args, status=status, word=word)
    assert int(done.out) > 1000  # the temporary file was there
    assert list(tmp_path.iterdir()) == [out] and out.read_text() == "what was there before\n"


@pytest.mark.first_device
def test_a_report_is_whole_or_not_there(device, plotting, tmp_path):  # noqa: F811
    graph, report = tmp_path / "graph.txt", tmp_path / "report.html"
    clgraph.write(clgraph.powerlaw_graph(40, seed=1), graph)
    args = ("quality", graph, "--report", report, "--device", device.spec)
    done = terminated(IN_WRITING, signal.SIGTERM.value, report, *args)
    assert int(done.out) > 1000
    assert list(tmp_path.iterdir()) == [graph]


@pytest.mark.first_device
def test_a_bench_leaves_no_child_behind(device, tmp_path):
    killer, told, out = tmp_path / "killer", tmp_path / "pid", tmp_path / "out"
    killer.write_text(f"#!/bin/sh\necho $$ > {told}\nkill -TERM $PPID\nexec sleep 600\n")
    killer.chmod(0o755)
    case = ("--sizes", "300", "--only", "*/drv exact/clgraph, one core", "--no-figures")
    done = terminated(IN_A_CHILD, killer, "bench", "sampling", *case, "--device", device.spec, "--out", out)
    assert f"0 of 1 cases are in {out / 'cases'}: the same command goes on from there" in done.err
    child = Path("/proc", told.read_text().strip(), "stat")
    deadline = time.monotonic() + 30
    with suppress(FileNotFoundError, ProcessLookupError):  # it is gone, or an entry that nobody has asked for
        while child.read_text().rpartition(")")[2].split()[0] not in ("Z", "X"):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert list(out.rglob("*")) == [out / "cases"]
