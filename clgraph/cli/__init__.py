"""The command line: ``clgraph COMMAND ...``.

Each command is in its own module, imported when it is called: ``clgraph --help`` opens no driver.
"""

from __future__ import annotations

import atexit
import difflib
import errno
import importlib
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import click

import clgraph
from clgraph import system
from clgraph.errors import ClgraphError

# the sections of --help: command -> (module, help)
GROUPS = {
    "Sample": {
        "sample": ("clgraph.cli.sample", "Shrink a graph by a sampling method."),
        "methods": ("clgraph.cli.sample", "List the sampling methods, their options and sources."),
        "walks": ("clgraph.cli.walks", "Write random walks from every vertex, for embeddings."),
        "curve": ("clgraph.cli.curve", "Vertices and edges left after each number of deletions."),
        "forest": ("clgraph.cli.forest", "Make the priority forest of a dataset."),
        "quality": ("clgraph.cli.quality", "Measure how good a sample is; write a report."),
        "study": ("clgraph.cli.study", "Find how small a sample may be, and by which method."),
        "replay": ("clgraph.cli.study", "Reproduce samples or a study from a record, and compare."),
        "demo": ("clgraph.cli.demo", "Make a graph, sample it, compare before and after."),
    },
    "Look and rank": {
        "bfs": ("clgraph.cli.traverse", "Breadth-first search: distances and predecessors."),
        "paths": ("clgraph.cli.traverse", "Shortest paths by weight: distances and predecessors."),
        "components": ("clgraph.cli.traverse", "Connected components."),
        "communities": ("clgraph.cli.traverse", "Communities: Louvain, Leiden, label propagation."),
        "pagerank": ("clgraph.cli.ranking", "PageRank."),
        "centrality": (
            "clgraph.cli.centrality",
            "Betweenness, closeness, harmonic, eigenvector, Katz, HITS.",
        ),
        "ppr": ("clgraph.cli.ranking", "Personalized PageRank, many sources at once."),
    },
    "Files": {
        "info": ("clgraph.cli.graphs", "Summarize a graph file."),
        "convert": ("clgraph.cli.graphs", "Write a graph in another format."),
        "formats": ("clgraph.cli.graphs", "List the formats of graph files."),
        "generate": ("clgraph.cli.generate", "Generate a random graph from a seed."),
    },
    "Machine": {
        "devices": ("clgraph.cli.devices", "List the OpenCL devices of this machine."),
        "doctor": ("clgraph.cli.devices", "Find out what is wrong with drivers and devices."),
        "selftest": ("clgraph.cli.demo", "Check the algorithms on a device against references."),
        "bench": ("clgraph.cli.bench", "Run benchmarks; write tables and figures."),
        "fpga": ("clgraph.cli.fpga", "Compile or describe binaries for Intel FPGAs."),
        "cache": ("clgraph.cli.devices", "Show or clear the cache of built kernels."),
        "completion": ("clgraph.cli.devices", "Print the script for shell completion."),
    },
}
COMMANDS = {name: about for group in GROUPS.values() for name, about in group.items()}


class _ReaderGoneError(Exception):
    """The reader of a pipe is gone; no OSError, for which click would end the process with status 1."""


@contextmanager
def _broken_pipes() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise _ReaderGoneError from error
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # Rich ends the process, too
            raise _ReaderGoneError from stop
        raise


class _Lazy(click.Group):
    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _broken_pipes():  # prints what --help asks for
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _broken_pipes():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        # imported only now: some commands import NumPy, which --help does not need
        module = importlib.import_module(COMMANDS[name][0])
        command: click.Command = getattr(module, name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # click 8.1 suggests no command
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            close = difflib.get_close_matches(name, COMMANDS, n=1)
            ctx.fail(f"No such command {name!r}." + (f" Did you mean {close[0]!r}?" if close else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), about) for name, (_, about) in group.items()])


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(clgraph.__version__, prog_name="clgraph")
def cli() -> None:
    """Sample, traverse and rank graphs on any OpenCL device."""


# the message for each signal that ends a process from outside
_ENDING: dict[int, str] = dict(
    zip(system.TERMINATING, ("terminated", "the terminal was closed"), strict=False)
)


def main(args: list[str] | None = None) -> None:
    """Run the command line; every error is one message on stderr and an exit status, never a traceback.

    Status 0: done; 1: an error; 2: wrong usage; 129: terminal closed; 130: interrupted; 141: the reader of a
    pipe is gone; 143: terminated. CLGRAPH_TRACEBACK=1 shows Python's traceback, for those who look for a
    fault in clgraph.
    """
    with system.signals_as_interrupts() as caught:
        _main(args, caught)


# a group without a command, whose help click 8.2 raises; 8.1 prints it
NO_ARGUMENTS: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
LAST_WORDS = {"mpi4py", "cProfile", "profile", "coverage", "pdb"}


def run() -> NoReturn:
    """Run `main`, and end the process without taking apart what the system frees at once.

    The interpreter and the drivers take their memory apart piece by piece, for longer than a small graph is
    sampled. They still do so where something else has its last word then: MPI, a profiler, -X dev.
    """
    status: Any = 0
    try:
        main()
    except SystemExit as stop:
        status = stop.code
    except KeyboardInterrupt:  # in its last moments
        status = 128 + [*system.termination.caught, signal.SIGINT][0]
    # a status that is text, and -X dev, are for the interpreter's own way out
    if not isinstance(status, int) or sys.flags.dev_mode or LAST_WORDS & sys.modules.keys():
        sys.exit(status)
    try:
        threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as the interpreter does
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left takes no time
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
    atexit._run_exitfuncs()
    silence()
    os._exit(status)


def _main(args: list[str] | None, caught: list[int]) -> None:
    try:
        prepare()
        try:
            with system.starting_threads():
                status = cli.main(args, prog_name="clgraph", standalone_mode=False)
        except SystemExit as stop:
            status = stop.code
        sys.stdout.flush()  # here, and not when the interpreter ends, a reader that is gone can be dealt with
    except click.ClickException as error:
        if isinstance(error, NO_ARGUMENTS):
            click.echo(error.format_message(), err=True)
            _end(error.exit_code)
        _fail(f"error: {_wrong_usage(error)}", error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _interrupted(caught)
    except (_ReaderGoneError, BrokenPipeError):
        _end(128 + system.SIGPIPE)  # quietly: the reader of the output has had enough
    except ClgraphError as error:
        # LLVM, too, deletes its temporary files at a signal, and what PoCL was building then fails
        if system.termination.interrupted:
            _interrupted(caught)
        _fail(f"error: {_ARGUMENT.sub(_as_option, str(error))}")
    except MemoryError as error:
        _fail(f"error: out of memory: {error}")
    except OSError as error:
        _fail(f"error: {_of_system(error)}")
    except Exception as error:
        if _comes_of_an_interrupt(error):
            _interrupted(caught)
        if os.environ.get("CLGRAPH_TRACEBACK"):
            raise
        _fail(
            f"error: unexpected {type(error).__name__}: {error}\nThis is a fault of clgraph: please report "
            "it with the command and the traceback, which CLGRAPH_TRACEBACK=1 in front of the command shows"
        )
    if isinstance(status, int) and status:  # what a command gave to sys.exit() or to ctx.exit()
        sys.exit(status)


#: an argument of `clgraph.read` in a message: ids='str', weights=True, max_ratio=
_ARGUMENT = re.compile(
    r"(?<=[ (])(format|directed|ids|weights|duplicates|header|max_vertices|max_ratio)=('?)(\w*)\2(?![\w.=])"
)


def _as_option(found: re.Match[str]) -> str:
    """Return the option for an argument of `clgraph.read`."""
    name, value = found[1].replace("_", "-"), found[3]
    if name == "directed":
        return "--undirected" if value == "False" else "--directed"
    if name == "format" and not value:
        return "--format, of an output --to"
    return f"--no-{name}" if value == "False" else f"--{name} {value.removeprefix('True')}".rstrip()


def _wrong_usage(error: click.ClickException) -> str:
    """Return what click found wrong in one line, and the command whose help says more."""
    message = " ".join(error.format_message().split())
    context = getattr(error, "ctx", None)
    if context is None:
        return message
    return f"{message}{'' if message.endswith(('.', '?', ')')) else '.'} See `{context.command_path} --help`."


def _comes_of_an_interrupt(error: BaseException | None) -> bool:
    """True if some library turned a KeyboardInterrupt into another error while it was imported."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _interrupted(caught: list[int]) -> NoReturn:
    if caught:
        _fail(_ENDING[caught[0]], 128 + caught[0])
    _fail("interrupted", 128 + signal.SIGINT)


def _fail(text: str, status: int = 1) -> NoReturn:
    with suppress(OSError):  # standard error may be gone, too
        click.echo(f"clgraph: {text}", err=True)
    _end(status)


def _end(status: int) -> NoReturn:
    silence()
    # objects that an interrupt left incomplete may fail when they are freed; nobody needs to read that
    sys.unraisablehook = lambda _: None
    sys.exit(status)


# --- Standard streams that are closed, full, gone or of few characters, and terminals of no width ---


def prepare() -> None:
    """Make the standard streams fit to be written to, whatever the caller left of them."""
    _fill_closed()
    for stream in (sys.stdout, sys.stderr):
        if getattr(stream, "errors", None) != "strict" or not hasattr(stream, "reconfigure"):
            continue
        # names of files pass as the bytes that they are; what an encoding lacks (PYTHONIOENCODING=ascii) is
        # written as \xe9
        unicode = re.fullmatch("utf[-_]?8", str(stream.encoding), re.IGNORECASE)
        stream.reconfigure(errors="surrogateescape" if unicode else "backslashreplace")
    # a terminal of no width, or of a word, would fold every table to nothing
    if not re.fullmatch("[1-9][0-9]{0,4}", os.environ.get("COLUMNS", "80")):
        del os.environ["COLUMNS"]  # 0, too: Rich would draw tables of no width


def _fill_closed() -> None:
    """Open the null device where a standard stream is closed (``>&-``).

    Else the next file that is opened would get its number, and whatever a driver prints would go into that
    file. In place of standard output it is opened for reading: to write results there is an error.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # gets the lowest number that is free: this one
            os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def silence() -> None:
    """Send what is left for a stream that cannot be written to nowhere, also when the interpreter ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):  # in tests it is not a file
                number = stream.fileno()
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, number)
                os.close(null)


def _of_system(error: OSError) -> str:
    """Return a system's error in words; one that names no file came from standard output."""
    if error.errno is None:
        return str(error)
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    if error.errno == errno.EBADF:
        return "standard output is closed, but the results go there; give it a file, or /dev/null"
    return f"{error.strerror}: standard output cannot be written to"
