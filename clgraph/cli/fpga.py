"""``clgraph fpga compile``, ``clgraph fpga show``: binaries for Intel FPGAs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from clgraph.cli.command import Command, Run
from clgraph.cli.options import console_options, json_option, option


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def fpga() -> None:
    """Compile and describe kernel binaries for Intel FPGAs, whose boards build no kernels at run time.

    Commands that use a device load a binary with --fpga-binary FILE (or CLGRAPH_FPGA_BINARY).
    """


@fpga.command("compile", cls=Command)
@option("-o --output", "Output binary; FILE.json describes it.", default="clgraph.aocx")
@option("--emulate", "Compile for the emulator (by its runtime if there is no aoc).", bool)
@option("--report", "Only make aoc's report of loops and areas (minutes, not hours).", bool)
@option("--board B", "Board, as `aoc -list-boards` names it.", default="")
@option("--param params NAME=VALUE", "Set a parameter of cl/fpga/parameters.h (repeatable).", multiple=True)
@option(
    "--only GROUP",
    "Compile only some kernels: sample, draw, components, bfs, pagerank, walks (repeatable).",
    multiple=True,
)
@console_options
def compile_(run: Run) -> None:
    """Compile all pipelines of cl/fpga into one binary.

    Prints and runs the command line of aoc.

    A full compilation takes hours. The output of aoc (.log) and its sources (.sources/) are stored next to
    the binary.
    """
    from clgraph.errors import InputError
    from clgraph.fpga import parameters, pipelines
    from clgraph.fpga.offline import Order, compile_binary, lines_of

    given, output = run.options, str(run.output)
    if given.emulate and given.board:
        raise InputError("--emulate and --board exclude each other: the emulator is not a board")
    pipelines.wanted(given.only)  # an InputError lists the groups
    board, params = "emulator" if given.emulate else given.board, parameters.parse(given.params)
    order = Order(Path(output), board, given.report, params, tuple(given.only))
    side = compile_binary(order, run.say)
    if given.report:
        lines = [f"aoc's report: {order.output.with_suffix('')}/reports/report.html"]
    else:
        lines = [f"  {line}" for line in lines_of(side) if not line.startswith("program")]
        lines.insert(0, f"{output}: {side.size} bytes")
    facts = {"output": None if given.report else output, "report_only": given.report, **asdict(side)}
    run.print(facts, lines)


@fpga.command("show", cls=Command)
@click.argument("file")
@json_option
def show(run: Run) -> None:
    """Describe a binary: board, compiler, sources, parameters, kernels, clock, resources."""
    from clgraph.fpga.binary import load
    from clgraph.fpga.offline import lines_of, same_sources

    side, _ = load(Path(run.options.file))
    run.print(lambda: {**asdict(side), "same_sources": same_sources(side)}, lines_of(side))
