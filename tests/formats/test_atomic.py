"""A file is whole or not there."""

import errno
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_runs import environment
from graph_files import GRAPHS, put, raising

from clgraph import InputError, temporary
from clgraph.files import write
from clgraph.formats import FORMATS, atomic_write


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, OSError])
def test_nothing_half_written_stays(tmp_path, error):
    path = put(tmp_path / "a.txt", "before")
    with pytest.raises(InputError if error is OSError else error), atomic_write(path) as file:
        file.write(b"half")
        raise error("stop")
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"] and path.read_text() == "before"


def test_interrupted_write(tmp_path, monkeypatch):
    stop = raising(KeyboardInterrupt())
    monkeypatch.setattr("clgraph.formats.cells.write_cells", stop)
    for name in ("a.txt", "a.txt.gz"):
        with pytest.raises(KeyboardInterrupt):
            write(GRAPHS["plain"], tmp_path / name)
    monkeypatch.setattr("clgraph.formats.ldbc.write_cells", stop)
    with pytest.raises(KeyboardInterrupt):
        write(GRAPHS["plain"], tmp_path / "a.v")
    assert list(tmp_path.iterdir()) == []


def test_atomic_write_keeps_modes_and_links(tmp_path):
    path = put(tmp_path / "a.txt", "before")
    path.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    with atomic_write(link, "w") as file:
        file.write("z\u00fc\n")
    assert link.is_symlink() and path.read_bytes() == "z\u00fc\n".encode()
    assert path.stat().st_mode & 0o777 == 0o640
    with atomic_write(tmp_path / "new"):
        pass
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o666 & ~umask
    with atomic_write("/dev/null") as file:
        file.write(b"nowhere")
    with pytest.raises(ValueError, match="mode"), atomic_write(path, "a"):
        pass


def test_a_full_disk_is_told(tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    with pytest.raises(InputError, match="cannot write /dev/full: No space left"):
        write(GRAPHS["plain"], "/dev/full", format="clg")


# --- what is no regular file ------------------------------------------------------------------------------

LINES = "0\t1\n0\t2\n1\t2\n"  # of a triangle
WRITE = """
import sys
from clgraph import Graph, write
print("before")
write(Graph.from_edges([0, 1, 2], [1, 2, 0]), sys.argv[1], format="edges")
print("after")
"""


def shell(command, *args):
    """A line of bash; in it "$@" is a Python that writes a triangle to the path behind it."""
    return subprocess.run(
        ["bash", "-c", command, "bash", sys.executable, "-c", WRITE, *args],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(),
    )


@pytest.mark.parametrize("path", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_keeps_what_it_holds(tmp_path, path):
    log = put(tmp_path / "log", "kept\n")
    done = shell(f'"$@" >> {log}', path)
    assert done.returncode == 0, done.stderr
    assert log.read_text() == f"kept\nbefore\n{LINES}after\n"
    done = shell('"$@" | cat', path)
    assert (done.stdout, done.stderr) == (f"before\n{LINES}after\n", "")
    assert [file.name for file in tmp_path.iterdir()] == ["log"]


def test_pipes_are_written_through(tmp_path):
    done = shell(f'"$@" >(cat > {tmp_path}/got) && sleep 0.5')
    assert done.returncode == 0, done.stderr
    deadline = time.monotonic() + 20
    while (tmp_path / "got").read_text() != LINES and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (tmp_path / "got").read_text() == LINES
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    done = shell(f'cat {fifo} > {tmp_path}/second & "$@" {fifo}; wait')
    assert done.stdout == "before\nafter\n"
    assert (tmp_path / "second").read_text() == LINES
    assert stat.S_ISFIFO(fifo.stat().st_mode)


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("ldbc", "wsg")])
def test_every_format_goes_through_a_pipe(tmp_path, name):
    """But for LDBC's three files; .wsg is written as .sg is, and needs weights."""
    if name in ("parquet", "arrow"):
        pytest.importorskip("pyarrow")
    write(GRAPHS["plain"], tmp_path / "file", format=name)
    with open(tmp_path / "piped", "wb") as out:
        cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=out)
        assert cat.stdin is not None
        write(GRAPHS["plain"], f"/dev/fd/{cat.stdin.fileno()}", format=name)
        cat.stdin.close()
        assert cat.wait() == 0
    assert (tmp_path / "piped").read_bytes() == (tmp_path / "file").read_bytes()


def test_three_files_are_no_stream():
    for path in ("-", "/dev/stdout"):
        with pytest.raises(InputError, match="three files"):
            write(GRAPHS["plain"], path, format="ldbc")


def test_a_closed_descriptor_is_told():
    reader, writer = os.pipe()
    os.close(reader)
    with pytest.raises(BrokenPipeError), atomic_write(f"/dev/fd/{writer}") as file:
        file.write(bytes(1 << 17))
    os.close(writer)
    with pytest.raises(InputError, match=f"cannot write /dev/fd/{writer}: it is closed"):
        write(GRAPHS["plain"], f"/dev/fd/{writer}", format="edges")


# --- the disk ---------------------------------------------------------------------------------------------


def test_the_file_is_on_the_disk_before_its_name(tmp_path, monkeypatch):
    done = []
    replace, fsync = os.replace, os.fsync

    def noted_fsync(descriptor):
        folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        done.append("folder" if folder else f"file of {os.fstat(descriptor).st_size}")
        fsync(descriptor)

    def noted_replace(source, target):
        done.append(f"rename to {Path(target).name}")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    with atomic_write(tmp_path / "a.txt", "w") as file:
        file.write("whole")
    assert done == ["file of 5", "rename to a.txt", "folder"]


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EIO])
def test_a_disk_that_cannot_sync(tmp_path, monkeypatch, number):
    monkeypatch.setattr(os, "fsync", raising(OSError(number, os.strerror(number))))
    if number == errno.EINVAL:  # some file systems do not know fsync
        write(GRAPHS["plain"], tmp_path / "a.txt")
        return
    with pytest.raises(InputError, match=r"a.txt: Input/output error"):
        write(GRAPHS["plain"], tmp_path / "a.txt")
    assert list(tmp_path.iterdir()) == []


def test_what_dead_processes_left_is_removed(tmp_path):
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    dead, alive = child.pid, os.getppid()

    def left(pid, age, name=".clgraph-{}-0123456789ab.tmp"):
        file = put(tmp_path / name.format(pid), "half")
        os.utime(file, (time.time() - age,) * 2)
        return file

    old = temporary.STALE + 60
    gone, kept = left(dead, old), [left(dead, 60, ".clgraph-{}-0123456789ac.tmp"), left(alive, old)]
    kept += [left(dead, old, name) for name in (".a.txt.{}.tmp", "clgraph-{}-0123456789ab.tmp")]
    write(GRAPHS["plain"], tmp_path / "a.txt")
    assert not gone.exists()
    assert all(file.exists() for file in kept)


# of the most bytes that a name may have, compressed and not
LONG = [letter * ((244 - len(".txt.gz")) // len(letter.encode())) + ".txt.gz" for letter in "xé漢\U0001f600"]


@pytest.mark.parametrize("name", [*LONG, "a" * 251 + ".txt", "ü" * 125 + ".txt"], ids=range(6))
def test_the_longest_names(tmp_path, name):
    write(GRAPHS["plain"], tmp_path / name)
    assert [file.name for file in tmp_path.iterdir()] == [name]
