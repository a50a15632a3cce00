"""``clgraph bench graphalytics``, ``graph500`` and ``gap``: the benchmarks of the field, by their rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from clgraph.cli.command import Command, Run
from clgraph.cli.options import AT_LEAST_1, console_options, option, options, output_option
from clgraph.errors import ClgraphError, InputError

if TYPE_CHECKING:
    from clgraph.bench.harness import Case
    from clgraph.bench.run import Outcome
    from clgraph.bench.tables import Table

shared_options = options(
    option("--device SPEC", "Device: gpu, cpu, pocl, intel, nvidia, 0:1, or part of its name."),
    output_option("File of the results, as --json prints them.", "-o --output OUT.json"),
    console_options,
)


@click.command(cls=Command)
@click.argument("folder")
@option("--graph graphs NAME", "Run only the dataset of this name (repeatable).", multiple=True)
@option("--algorithm algorithms NAME", "Run only this algorithm, such as bfs (repeatable).", multiple=True)
@option("--repeat", "Number of runs of each algorithm; their median is shown.", AT_LEAST_1, 3)
@shared_options
def graphalytics(run: Run) -> None:
    """Run LDBC Graphalytics on the datasets in FOLDER, and validate each result.

    A dataset is NAME.properties, NAME.v, NAME.e and the reference outputs NAME-BFS, NAME-PR, ... The
    algorithms and parameters are those that NAME.properties lists. A result that differs from the reference
    output by the benchmark's rules is an error.
    """
    from clgraph.bench import graphalytics as benchmark

    given = run.options
    cases = list(benchmark.cases(benchmark.datasets(given.folder, given.graphs), given.algorithms))
    if not cases:
        raise InputError(f"--algorithm {given.algorithms[0]}: no dataset in {given.folder} lists it")
    outcome = _measure(run, cases, given.repeat)
    _report(run, "graphalytics", outcome, [benchmark.table(outcome.records)])


@click.command(cls=Command)
@option("--scale", "Binary logarithm of the number of vertices.", click.IntRange(1, 30), required=True)
@option("--edge-factor", "Edges to draw per vertex.", click.IntRange(1, 64), 16)
@option("--roots", "Number of searches of each kind.", AT_LEAST_1, 64)
@option("--kernel kernels NAME", "Run only this kernel, bfs or sssp (repeatable).", multiple=True)
@option("--seed", "Seed of the edges and the roots.", click.IntRange(0, 2**63 - 1), 1)
@shared_options
def graph500(run: Run) -> None:
    """Run Graph500: make a graph of a list of edges, search it and find shortest paths from 64 roots.

    The edges are those of the specification's generator, with weights from 0 to 1. Each tree is validated by
    the specification's five rules, against the list of edges; a tree that breaks one is an error. What is
    printed are the names and statistics of the reference code.
    """
    from clgraph.bench import graph500 as benchmark

    given = run.options
    settings = benchmark.Settings(given.scale, given.edge_factor, given.roots, given.seed)
    outcome = _measure(run, benchmark.cases(settings, given.kernels))
    done = [each for each in outcome.records if each["status"] == "done"]
    _report(run, "graph500", outcome, [], benchmark.block(done))


@click.command(cls=Command)
@click.argument("graphs", metavar="[GRAPH]...", nargs=-1)
@option("--scale", "Also run kron and urand of this scale, made by the suite's laws.", click.IntRange(1, 26))
@option("--kernel kernels NAME", "Run only this kernel, such as bfs (repeatable).", multiple=True)
@option("--trials", "Number of trials of each kernel (default: the suite's, 3 to 64).", AT_LEAST_1)
@option(
    "--peer peers NAME=FOLDER", "gapbs=FOLDER: also run GAPBS's programs, which are there.", multiple=True
)
@shared_options
def gap(run: Run) -> None:
    """Run the GAP Benchmark Suite on graph files (.sg, .gr, .mtx, ...), or on generated graphs.

    Every trial's result is verified, and a wrong one is an error. Figures are the seconds of a trial, median
    and mean over the trials.

    \b
    clgraph bench gap --scale 20
    clgraph bench gap road.sg twitter.sg --peer gapbs=gapbs/
    """
    from clgraph.bench import gap as benchmark

    given = run.options
    names = [*given.graphs, *([] if given.scale is None else [f"kron{given.scale}", f"urand{given.scale}"])]
    if not names:
        raise InputError("no graph is given: name files, or generate two by --scale")
    cases = benchmark.cases(names, given.kernels, given.trials, benchmark.peer_folders(given.peers))
    outcome = _measure(run, cases)
    _report(run, "gap", outcome, [benchmark.table(outcome.records)])


# --- what the three share ---


def _measure(run: Run, cases: Sequence[Case], repeat: int = 1) -> Outcome:
    from clgraph.bench.harness import Context
    from clgraph.bench.run import run_cases

    run.check_output()
    return run_cases(cases, Context(run.device, repeat), run.say)


def _report(
    run: Run, name: str, outcome: Outcome, tables: Sequence[Table], lines: Iterable[str] = ()
) -> None:
    """Write and print the records and tables; raise if a case failed."""
    from pathlib import Path

    from clgraph.bench.store import SCHEMA, write_json

    facts: dict[str, Any] = {
        "schema": SCHEMA,
        "benchmark": name,
        "records": outcome.records,
        "tables": [table.json() for table in tables],
    }
    if run.output:
        write_json(Path(run.output), facts)
    run.print(facts, [*lines, *(table.markdown() for table in tables)])
    if outcome.failed:
        failed = "".join(f"\n  {case}: {why}" for case, why in outcome.failed)
        raise ClgraphError(f"{len(outcome.failed)} of {len(outcome.records)} cases failed:{failed}")
