"""The command line as its user meets it: as a process of its own, or (quicker) by `main` in this one."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Run:
    """How a command ended, and whether that is how it should have."""

    status: int
    out: str
    err: str

    def fine(self, status=0):
        """It did what it was asked to."""
        assert self.status == status, self.err
        return self

    def json(self, status=0):
        """What it was asked to say as JSON: one value, and nothing else on standard output."""
        return json.loads(self.fine(status).out)

    def refused(self, *says, status=1):
        """It did nothing but say why, in one error, in words that have these; returns all that it said."""
        assert (self.status, self.out) == (status, ""), self
        assert sum(line.startswith("clgraph: error: ") for line in self.err.splitlines()) == 1, self.err
        assert all(word in self.err for word in says), (says, self.err)
        return self.err


def environment(**changes):
    """This process's environment, for a child that finds this checkout from any folder."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path, **changes}


def words(args):
    """A command's arguments; the first may be a line of several, as in a shell."""
    return [*shlex.split(str(args[0])), *map(str, args[1:])] if args else []


def command(*args):
    """``python -m clgraph ARGS`` as processes are started."""
    return [sys.executable, "-m", "clgraph", *words(args)]


def started(*args, **how):
    """The same, begun only, with pipes for what it says."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command(*args), text=True, env=environment(), **pipes, **how)


def ended(line, *, raises=False, errors="strict", cwd=None, timeout=300, **env):
    """A process to its end, with these variables in its environment; no traceback unless it `raises`.

    What it says is UTF-8, unless `errors` (of `bytes.decode`) are "replace".
    """
    done = subprocess.run(
        line,
        capture_output=True,
        encoding="utf-8",
        errors=errors,
        stdin=subprocess.DEVNULL,
        timeout=timeout,
        cwd=cwd,
        env=environment(**env),
    )
    assert raises or not ("Traceback" in done.stderr or "fault of clgraph" in done.stderr), done.stderr
    return Run(done.returncode, done.stdout, done.stderr)


def python(*args, cwd=ROOT, **how):
    """``python ARGS`` to its end."""
    return ended([sys.executable, *map(str, args)], cwd=cwd, **how)


def process(*args, **how):
    """``python -m clgraph ARGS`` to its end."""
    return ended(command(*args), **how)


class InProcess:
    """``clgraph ARGS`` by the function behind it, without the second that a new process costs."""

    def __init__(self, capsys):
        self._capsys = capsys

    def __call__(self, *args):
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
