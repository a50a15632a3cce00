"""The commands and the Python in README.md run and give the outputs shown.

``console`` blocks hold commands after ``$`` and their output; they run in order in one folder. Times and the
name of the device may differ; below ``<!-- output varies -->`` the whole output may.
``python tests/test_readme.py`` writes the outputs of this machine into README.md.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from cli_runs import ROOT, environment

README = ROOT / "README.md"
BLOCK = re.compile(
    r"(?P<varies><!-- output varies -->\n)?```console\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(body):
    """(command, output) pairs of a block."""
    parts = re.split(r"^\$ (.*)\n", body, flags=re.MULTILINE)
    assert parts[0] == "", f"a console block begins with '$ ': {parts[0]!r}"
    return list(zip(parts[1::2], parts[2::2], strict=True))


def execute(command, folder):
    """Run a command; returns its status, and stdout and stderr as a terminal shows them."""
    tools = folder / ".bin"
    tools.mkdir(exist_ok=True)
    for name, arguments in (("clgraph", '-m clgraph "$@"'), ("python", '"$@"')):
        program = tools / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments}\n')
        program.chmod(0o755)
    env = environment(PATH=f"{tools}{os.pathsep}{os.environ['PATH']}", COLUMNS="100")
    for name in ("CLGRAPH_DEVICE", "PYOPENCL_CTX", "PYOPENCL_TEST"):
        env.pop(name, None)
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=env,
        text=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.returncode, "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


def plain(output):
    """An output without what differs between machines and runs."""
    output = re.sub(r"^device .*$", "device", output, flags=re.MULTILINE)
    output = re.sub(r'("device": )".*"', r"\1", output)
    output = re.sub(r"; variant \w+$", "; variant", output, flags=re.MULTILINE)  # by kind of device
    output = re.sub(r"\d+\.\d+(e-\d+)?( s\b)", r"T\2", output)
    return re.sub(r'("\w+": )\d+(\.\d+(e-\d+)?|e-\d+)', r"\1T", output)


@pytest.mark.device
def test_console_blocks_print_what_they_show(tmp_path):
    blocks = list(BLOCK.finditer(README.read_text()))
    assert blocks
    for block in blocks:
        for command, shown in commands(block["body"]):
            status, output = execute(command, tmp_path)
            assert status == 0, f"$ {command}\n{output}"
            if not block["varies"]:
                assert plain(output) == plain(shown), f"$ {command}"


@pytest.mark.device
def test_python_blocks_give_what_they_show(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = PYTHON.findall(README.read_text())
    assert blocks
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    parser, names, said = doctest.DocTestParser(), {}, []
    for number, text in enumerate(blocks):
        test = parser.get_doctest(text, names, f"README.md, Python block {number + 1}", str(README), 0)
        assert test.examples, "a Python block without >>> is not checked"
        runner.run(test, out=said.append, clear_globs=False)
        names = test.globs
    assert runner.failures == 0, "".join(said)


def test_the_two_commands_are_one_line_each_and_what_ci_runs():
    marked = re.findall(r"^<!-- ci: run -->\n```sh\n(.*)\n```$", README.read_text(), flags=re.MULTILINE)
    assert len(marked) == 2
    assert marked[0].endswith("clgraph demo")
    assert marked[1].endswith("-m pytest -q -n auto --dist loadfile")
    assert all(line.startswith("python3 -m venv .venv && ") for line in marked)


def test_links_into_the_repository_lead_somewhere():
    for target, anchor in re.findall(r"\]\((?!https?://|#)([^)#]+)(?:#([^)]+))?\)", README.read_text()):
        assert (ROOT / target).exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", (ROOT / target).read_text(), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w-]", "", head.lower().replace(" ", "-")) for head in headings}


def test_it_is_a_first_page():
    assert README.stat().st_size <= 10_240
    assert sum(path.stat().st_size for path in (ROOT / "docs" / "images").iterdir()) < 60_000


class Recorder(doctest.DocTestRunner):
    """Records what each example prints as what it should print."""

    def report_success(self, out, test, example, got):
        example.want = got

    report_failure = report_success


def update():
    """Write the outputs of this machine into README.md."""
    recorder, parser, names = Recorder(optionflags=doctest.ELLIPSIS), doctest.DocTestParser(), {}

    def python(match):
        nonlocal names
        test = parser.get_doctest(match[1], names, "README.md", str(README), 0)
        recorder.run(test, clear_globs=False)
        names = test.globs
        text = ""
        for example in test.examples:
            source = example.source.rstrip().replace("\n", "\n... ")
            text += f">>> {source}\n{example.want}"
        return f"```python\n{text}```"

    with tempfile.TemporaryDirectory() as folder:

        def block(match):
            body = ""
            for command, _ in commands(match["body"]):
                status, output = execute(command, Path(folder))
                if status:
                    sys.exit(f"$ {command}\n{output}")
                body += f"$ {command}\n{output}"
            return f"{match['varies'] or ''}```console\n{body}```"

        os.chdir(folder)
        README.write_text(PYTHON.sub(python, BLOCK.sub(block, README.read_text())))


if __name__ == "__main__":
    update()
