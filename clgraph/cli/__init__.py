"""The command line: ``clgraph COMMAND ...``.

Each command lives in a module of its own and is imported when it is called: ``clgraph --help`` opens no driver.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

import clgraph
from clgraph.errors import ClgraphError

# command -> (module, what --help says); in the order of --help
COMMANDS = {
    "sample": ("clgraph.cli.sample", "Shrink a graph by a sampling method."),
    "demo": ("clgraph.cli.demo", "Make a graph, sample it, show before and after."),
    "bfs": ("clgraph.cli.traverse", "Breadth-first search: distances and predecessors."),
    "components": ("clgraph.cli.traverse", "Connected components."),
    "info": ("clgraph.cli.graphs", "What a graph file holds."),
    "convert": ("clgraph.cli.graphs", "Write a graph in another format."),
    "generate": ("clgraph.cli.generate", "Make a graph from a seed."),
    "devices": ("clgraph.cli.devices", "The OpenCL devices of this machine."),
    "doctor": ("clgraph.cli.devices", "Find out what is wrong with drivers and devices."),
    "selftest": ("clgraph.cli.demo", "The algorithms against their references on a device."),
    "cache": ("clgraph.cli.devices", "The folder of built kernels."),
}


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[name][0])
        command: click.Command = getattr(module, name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(clgraph.__version__, prog_name="clgraph")
def cli() -> None:
    """Sample, traverse and rank graphs on any OpenCL device."""


def main(args: list[str] | None = None) -> Any:
    """Run the command line; every error of ours is one line on stderr and exit status 1."""
    try:
        cli.main(args, prog_name="clgraph", standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("clgraph: interrupted", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone: nothing left to say
        sys.exit(141)
    except ClgraphError as error:
        click.echo(f"clgraph: error: {error}", err=True)
        sys.exit(1)
    except MemoryError as error:
        click.echo(f"clgraph: error: out of memory: {error}", err=True)
        sys.exit(1)
    except OSError as error:
        click.echo(f"clgraph: error: {error}", err=True)
        sys.exit(1)
