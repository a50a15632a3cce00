"""``clgraph fpga compile``, ``clgraph fpga show``: binaries for Intel FPGAs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from clgraph.cli.common import print_json, say
from clgraph.cli.options import json_option, option, quiet_option


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def fpga() -> None:
    """Binaries for Intel FPGAs: boards build no kernels at run time.

    Give one to any command with --fpga-binary FILE (or CLGRAPH_FPGA_BINARY).
    """


@fpga.command("compile")
@option("-o --output", "The binary; FILE.json is written beside it.", default="clgraph.aocx")
@option("--emulate", "For the emulator (by its own runtime where there is no aoc).", bool)
@option("--report", "Stop at the report of loops and areas (minutes, not hours).", bool)
@option("--board", "The board, as `aoc -list-boards` names it.", default="", metavar="B")
@option("--param params", "A parameter of cl/fpga/parameters.h.", metavar="NAME=VALUE", multiple=True)
@option(
    "--only", "Only some kernels: sample, components, bfs, pagerank, walks.", metavar="GROUP", multiple=True
)
@json_option
@quiet_option
def compile_(
    output: str,
    emulate: bool,
    report: bool,
    board: str,
    params: tuple[str, ...],
    only: tuple[str, ...],
    as_json: bool,
) -> None:
    """Compile all pipelines of cl/fpga into one binary: prints and runs the aoc line.

    A whole compilation takes hours. What aoc prints is kept beside the output (.log), and so are its
    sources (.sources/).
    """
    from clgraph.errors import InputError
    from clgraph.fpga import parameters, pipelines
    from clgraph.fpga.offline import Order, compile_binary, lines_of

    if emulate and board:
        raise InputError("--emulate and --board exclude each other: the emulator is not a board")
    pipelines.wanted(only)  # an InputError lists the groups
    order = Order(
        Path(output), "emulator" if emulate else board, report, parameters.parse(params), tuple(only)
    )
    side = compile_binary(order, say)
    if as_json:
        print_json({"output": None if report else output, "report_only": report, **asdict(side)})
        return
    if report:
        click.echo(f"aoc's report: {order.output.with_suffix('')}/reports/report.html")
        return
    click.echo(f"{output}: {side.size} bytes")
    for line in lines_of(side):
        if not line.startswith("program"):
            click.echo(f"  {line}")


@fpga.command("show")
@click.argument("file")
@json_option
def show(file: str, as_json: bool) -> None:
    """What a binary is: board, compiler, sources, parameters, kernels, clock and resources."""
    from clgraph.fpga.binary import check_whole, read_sidecar
    from clgraph.fpga.offline import lines_of, same_sources

    path = Path(file)
    side = read_sidecar(path)
    check_whole(path, side)
    if as_json:
        print_json({**asdict(side), "same_sources": same_sources(side)})
        return
    for line in lines_of(side):
        click.echo(line)
