"""The command line as its user meets it: as a process of its own, or (quicker) by `main` in this one."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Run:
    """How a command ended."""

    status: int
    out: str
    err: str


def environment(**changes: str) -> dict[str, str]:
    """This process's environment, for a child that finds this checkout from any folder."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path, **changes}


def python(*args: object, status: int = 0, cwd: Path = ROOT, timeout: float = 300, **env: str) -> Run:
    """``python ARGS`` to its end, which is with this status."""
    command = [sys.executable, *map(str, args)]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, timeout=timeout, env=environment(**env)
    )
    assert done.returncode == status, f"{command}\n{done.stdout}{done.stderr}"
    return Run(done.returncode, done.stdout, done.stderr)


def words(args: tuple[object, ...]) -> list[str]:
    """A command's arguments; the first may be a line of several, as in a shell."""
    return [*shlex.split(str(args[0])), *map(str, args[1:])] if args else []


def python(*args: object, timeout: float = 300, cwd: Path | None = None, **env: str) -> Run:
    """``python ARGS`` to its end."""
    done = subprocess.run(
        [sys.executable, *map(str, args)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=timeout,
        cwd=cwd,
        env=environment(**env),
    )
    return Run(done.returncode, done.stdout, done.stderr)


def process(*args: object, timeout: float = 300, **env: str) -> Run:
    """``python -m clgraph ARGS`` to its end."""
    done = python("-m", "clgraph", *words(args), timeout=timeout, **env)
    assert "Traceback" not in done.err, done.err
    return done


class InProcess:
    """``clgraph ARGS`` by the function behind it, without the second that a new process costs."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *args: object) -> Run:
        from clgraph.cli import main

        self._capsys.readouterr()
        status = 0
        try:
            main(words(args))
        except SystemExit as stop:
            status = int(stop.code or 0)
        out, err = self._capsys.readouterr()
        assert "This is a fault of clgraph" not in err, err
        assert "Traceback" not in err, err
        return Run(status, out, err)
