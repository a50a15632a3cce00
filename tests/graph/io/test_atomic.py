"""A file is whole or not there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from graph_files import GRAPHS, put

from clgraph import InputError
from clgraph.files import write
from clgraph.graph.io import atomic_write


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, OSError])
def test_nothing_half_written_stays(tmp_path: Path, error: type[BaseException]) -> None:
    path = put(tmp_path / "a.txt", "before")
    with pytest.raises(InputError if error is OSError else error), atomic_write(path) as file:
        file.write(b"half")
        raise error("stop")
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"] and path.read_text() == "before"


def test_interrupted_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("clgraph.graph.io.edges.write_cells", stop)
    for name in ("a.txt", "a.txt.gz"):
        with pytest.raises(KeyboardInterrupt):
            write(GRAPHS["plain"], tmp_path / name)
    monkeypatch.setattr("clgraph.graph.io.ldbc.write_cells", stop)
    with pytest.raises(KeyboardInterrupt):
        write(GRAPHS["plain"], tmp_path / "a.v")
    assert list(tmp_path.iterdir()) == []


def test_atomic_write_keeps_modes_and_links(tmp_path: Path) -> None:
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


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    with pytest.raises(InputError, match="cannot write /dev/full: No space left"):
        write(GRAPHS["plain"], "/dev/full", format="clg")
