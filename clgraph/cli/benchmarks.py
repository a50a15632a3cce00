"""``clgraph bench graphalytics``, ``graph500`` and ``gap``: the benchmarks of the field, by their rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from clgraph.cli.command import Command, Run
from clgraph.cli.options import AT_LEAST_1, console_options, option, options
from clgraph.errors import ClgraphError, InputError

if TYPE_CHECKING:
    from clgraph.bench.harness import Case
    from clgraph.bench.run import Outcome
    from clgraph.bench.tables import Table

shared_options = options(
    option("--device SPEC", "Device: gpu, cpu, pocl, intel, nvidia, 0:1, or part of its name."),
    option("-o --output OUT.json", "File of the results; as --json prints them."),
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

    A dataset is NAME.properties, NAME.v, NAME.e and the reference outputs NAME-BFS, NAME-PR, ... The algorithms
    and parameters are those that NAME.properties lists. A result that differs from the reference output by the
    benchmark's rules is an error.
    """
    from clgraph.bench import graphalytics as benchmark

    given = run.options
    cases = list(benchmark.cases(benchmark.datasets(given.folder, given.graphs), given.algorithms))
    if not cases:
        raise InputError(f"--algorithm {given.algorithms[0]}: no dataset in {given.folder} lists it")
    outcome = _measure(run, cases, given.repeat)
    _report(run, "graphalytics", outcome, [benchmark.table(outcome.records)])


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
