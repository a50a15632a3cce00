"""Reading, writing, and what is said, as all commands do it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from clgraph.cli.options import OutputName
from clgraph.errors import ClgraphError, InputError
from clgraph.progress import Tell, bar

if TYPE_CHECKING:
    from rich.table import Table

    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.scale import Shards


def is_quiet() -> bool:
    """Whether the command was given --quiet."""
    return _noted("clgraph.quiet")


def speaks() -> bool:
    """Whether this process prints results: of MPI's ranks only one does."""
    return not _noted("clgraph.silent")


def _noted(name: str) -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(name))


def say(text: str) -> None:
    """Print a message for the person at the terminal, on stderr, unless it is to be quiet."""
    if speaks() and not is_quiet():
        click.echo(text, err=True)


def read_graph(path: str, reading: dict[str, Any], *, device: Device | None = None) -> Graph:
    """Read a graph as the options say, on the device that the command runs on, and report how it was read."""
    from clgraph.files.summary import read_with_summary

    _check_outputs(path)
    with progress_bar(f"reading {Path(path).name}", data=True) as progress:
        graph, summary = read_with_summary(path, device=device, progress=progress, **reading)
    say(summary)
    return graph


def _check_outputs(path: str) -> None:
    """Raise UsageError if an output of the command would replace the file that is about to be read."""
    context = click.get_current_context(silent=True)
    if context is None or not os.path.exists(path):
        return
    for param in context.command.params:
        output = context.params.get(param.name or "") if isinstance(param.type, OutputName) else None
        if output and os.path.exists(output) and os.path.samefile(output, path):
            raise click.UsageError(f"{output} is the file that is read: give the output another name.")


def facts_of(graph: Graph | Shards) -> dict[str, Any]:
    """What JSON says of the graph beside each result."""
    return {"vertices": graph.num_vertices, "edges": graph.num_edges, "directed": graph.directed}


def direction(graph: Graph | Shards) -> str:
    """How the graph was read, for the lines that tell results."""
    return "directed" if graph.directed else "undirected"


def edges_word(graph: Graph | Shards) -> str:
    """What a number of connected pairs counts: the edges, or something else than a directed graph's edges."""
    return "pairs" if graph.directed else "edges"


def write_graph(graph: Graph, path: str, *, to: str | None = None, device: Device | None = None) -> None:
    """Write a graph, if it is large on the command's device, and report what was written."""
    from clgraph.files.dispatch import SMALL_ARCS
    from clgraph.files.summary import write_with_summary

    if graph.num_arcs < SMALL_ARCS:
        device = None
    with progress_bar(f"writing {Path(path).name}", data=True) as progress:
        summary = write_with_summary(graph, path, format=to, device=device, progress=progress)
    say(summary)


def read_for(
    spec: str | None, path: str, reading: dict[str, Any], seconds: dict[str, float] | None = None
) -> Graph:
    """Read the graph of a command, a large file on the device that the command will run on.

    The time that it takes is added to `seconds`, as "read".
    """
    with timed({} if seconds is None else seconds, "read"):
        return read_graph(path, reading, device=_device_for(path, spec))


def _device_for(path: str, spec: str | None) -> Device | None:
    """The device, if the file is large enough to be read there."""
    from clgraph.files.dispatch import SMALL, STDIN

    if path != STDIN:
        try:
            if os.stat(path).st_size < SMALL:
                return None
        except (OSError, ValueError):
            return None  # who reads it says what is wrong
    return open_device(spec, silent=True)


@contextmanager
def timed(seconds: dict[str, float], what: str) -> Iterator[None]:
    """Add the time of the block to what `seconds` has for it."""
    started = perf_counter()
    yield
    seconds[what] = seconds.get(what, 0.0) + perf_counter() - started


@contextmanager
def verifying(what: str) -> Iterator[None]:
    """A result that is found wrong in the block is an error of the command, and to be reported."""
    try:
        yield
    except AssertionError as error:
        raise ClgraphError(
            f"the {what} wrong: {error}. Please report this with the command and the device"
        ) from None


def write_table(
    path: str | None, seconds: dict[str, float], columns: Iterable[Any], device: Device | None = None
) -> None:
    """Write columns, tab-separated, with as many digits as bring numbers back exactly, if there is a path."""
    if path is None:
        return
    from clgraph.files.columns import write_columns
    from clgraph.formats import atomic_write

    with timed(seconds, "write"), atomic_write(path) as out:
        write_columns(out, *columns, device=device)


def vertex_of(word: str, graph: Graph | Shards, where: str) -> Any:
    """The id of a vertex in the type of the graph's ids; `where` says in messages where it was given."""
    if graph.ids.dtype.kind not in "iu":
        return word
    from clgraph.arguments import whole_number

    vertex = whole_number(word)
    if vertex is None:
        raise InputError(f"{where}: the graph's ids are integers (or read it with --ids str)")
    return vertex


def lines_of(option: str, path: str) -> Iterator[tuple[list[str], str]]:
    """The words of each line that is no comment in a file that an option names, and the line's place."""
    from clgraph.arguments import file_name
    from clgraph.formats.common import read_text

    try:
        lines = read_text(file_name(path, option)).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{option}: cannot read {path}: {error}") from error
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words and words[0][0] not in "#%":
            yield words, f"{option} {path}, line {number}"


def open_device(spec: str | None, *, silent: bool = False) -> Device:
    """The device to use; its name is printed on stderr."""
    from clgraph.device import get_device

    # a binary that the environment names is for devices that take binaries; one given here must be taken
    context = click.get_current_context()
    named = context.get_parameter_source("fpga_binary") is ParameterSource.COMMANDLINE
    device = get_device(spec, fpga_binary=os.environ.get("CLGRAPH_FPGA_BINARY") if named else None)
    form = ", pipelines" if device.kernels == "pipeline" else ""
    if not silent:
        say(f"device {device.spec}: {device.name} ({device.kind}, {device.platform_name}{form})")
    return device


def print_json(value: dict[str, Any]) -> None:
    """One JSON object on stdout."""
    json.dump(value, sys.stdout, indent=2)
    sys.stdout.write("\n")


def table_of(heads: Iterable[str], *, title: str | None = None, names: int = 1) -> Table:
    """A table for the terminal; all columns but the first, of `names`, are on the right."""
    from rich.table import Table

    table = Table(title=title)
    for number, head in enumerate(heads):
        table.add_column(head, justify="left" if number < names else "right")
    return table


def print_table(table: Table, lines: Iterable[str] = ()) -> None:
    """Print a table, and below it lines as they are."""
    from rich.console import Console

    console = Console()
    console.print(table)
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def progress_bar(what: str, **how: bool) -> AbstractContextManager[Tell | None]:
    """A bar on stderr for long work, on a terminal only; yields a function of (done, of).

    What it counts: see `clgraph.progress.bar`.
    """
    return bar(what, **how) if speaks() and not is_quiet() else nullcontext()


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """What makes your shell complete clgraph's commands, options and their values.

    \b
    bash: clgraph completion bash > ~/.local/share/bash-completion/completions/clgraph
    zsh:  clgraph completion zsh > ~/.zfunc/_clgraph   (a folder of $fpath)
    fish: clgraph completion fish > ~/.config/fish/completions/clgraph.fish
    """
    from click.shell_completion import get_completion_class

    group = click.get_current_context().find_root().command
    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(group, {}, "clgraph", "_CLGRAPH_COMPLETE").source())
