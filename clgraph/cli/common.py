"""Options and manners that the commands share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph


def graph_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how a graph file is read; collected into one argument, `reading`."""

    @click.option("--format", "format_", metavar="NAME", help="Format of the file (default: by its suffix).")
    @click.option(
        "--directed/--undirected", default=None, help="How to read the file (default: what it says)."
    )
    @click.option("--ids", type=click.Choice(["int", "str"]), default="int", help="What vertex ids are.")
    @click.option("--weights", is_flag=True, help="Take the third column (or the entries) as weights.")
    @click.option(
        "--duplicates",
        type=click.Choice(["merge", "keep"]),
        default="merge",
        help="What becomes of parallel edges.",
    )
    @wraps(command)
    def with_reading(
        *args: Any,
        format_: str | None,
        directed: bool | None,
        ids: str,
        weights: bool,
        duplicates: str,
        **kwargs: Any,
    ) -> Any:
        reading = {
            "format": format_, "directed": directed, "ids": ids, "weights": weights, "duplicates": duplicates,
        }  # fmt: skip
        return command(*args, reading=reading, **kwargs)

    return with_reading


def device_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--device SPEC``."""
    return click.option(
        "--device",
        "device",
        metavar="SPEC",
        help="gpu, cpu, fpga, pocl, intel, nvidia, 0:1 or part of a name.",
    )(command)


quiet_option = click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


def say(text: str, quiet: bool = False) -> None:
    """A word to the person at the terminal, on stderr."""
    if not quiet:
        click.echo(text, err=True)


def read_graph(path: str, reading: dict[str, Any], quiet: bool, *, bare_is_directed: bool = False) -> Graph:
    """Read a graph as the options say and tell how it was read."""
    from clgraph.io import read_with_summary

    graph, summary = read_with_summary(path, bare_is_directed=bare_is_directed, **reading)
    say(summary, quiet)
    return graph


def open_device(spec: str | None, quiet: bool) -> Device:
    """The device to use, named once on stderr."""
    from clgraph.device import get_device

    device = get_device(spec)
    say(f"device {device.spec}: {device.name} ({device.kind}, {device.platform_name})", quiet)
    return device


def print_json(value: dict[str, Any]) -> None:
    """One JSON object on stdout."""
    json.dump(value, sys.stdout, indent=2)
    sys.stdout.write("\n")


@contextmanager
def progress_bar(what: str, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr for long work, on a terminal only; yields what takes (done, of)."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)
