"""``clgraph bench``: measure, and draw the tables and figures."""

from __future__ import annotations

import os
from typing import Any

import click

from clgraph.bench import SUITES
from clgraph.cli.benchmarks import gap, graph500, graphalytics
from clgraph.cli.command import Command, Run
from clgraph.cli.options import AT_LEAST_1, console_options, option
from clgraph.errors import ClgraphError, InputError


class Bench(Command, click.Group):
    """A command whose first word is a suite, or a benchmark of the field, which has options of its own."""

    allow_extra_args, allow_interspersed_args = False, True

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Hand over to the benchmark that the first word names."""
        if args and args[0] in self.commands:
            benchmark, name = self.commands[args[0]], f"{info_name} {args[0]}"
            return benchmark.make_context(name, args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as a command does: the suite is an argument."""
        return click.Command.parse_args(self, ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Leave out the subcommand, whose place is the suite's."""
        return click.Command.collect_usage_pieces(self, ctx)


@click.command(cls=Bench)
@click.argument("suite", metavar="SUITE", type=click.Choice([*SUITES, "all", "report"]))
@option("--out -o DIR", "Folder of the results; created if it does not exist.", required=True)
@option(
    "--device devices SPEC", "Device, as in other commands; repeatable: one after the other.", multiple=True
)
@option(
    "--sizes WORD|GRAPHS",
    "tiny, small, medium (default), large, or graphs separated by commas, such as 100000,rmat18; "
    "SUITE=... for one suite alone (repeatable).",
    multiple=True,
)
@option("--repeat", "Number of runs per measurement.", AT_LEAST_1, 3)
@option("--only PATTERN", "Run only cases whose SUITE/GRAPH/WHAT/WHO match (repeatable).", multiple=True)
@option("--skip PATTERN", "Skip matching cases, e.g. '*/edfs*' (repeatable).", multiple=True)
@option(
    "--peers NAMES",
    "Other libraries to compare with: all, names separated by commas, or none.",
    default="all",
)
@option(
    "--data DIR",
    "Folder with data sets (facebook_combined.txt, cit-DBLP.edges, California.mtx; default: "
    "CLGRAPH_TEST_DATA).",
    default=lambda: os.environ.get("CLGRAPH_TEST_DATA", ""),
    show_default=False,
)
@option("--energy/--no-energy", "Measure energy where possible.", bool, True)
@option("--watts W", "Compute energy from this power in watts (a wall meter's), not from a counter.", float)
@option("--fresh", "Also run cases that an earlier run has finished.", bool)
@option("--figures/--no-figures", "Draw figures (needs matplotlib).", bool, True)
@option("--list list_only", "List the cases without running them.", bool)
@console_options
def bench(run: Run) -> None:
    """Measure SUITE (sampling, pagerank, ppr, traversal or all) and write tables and figures into DIR.

    The result of each case is stored at once: after an interruption the same command continues, skipping
    cases that the same source has finished on the same machine. A case that fails is reported, and the others
    still run. SUITE "report" runs nothing: it draws the results in DIR, also those of other machines whose
    files were copied into DIR/cases.

    \b
    clgraph bench all --sizes small --out results
    clgraph bench sampling --device gpu --sizes 1000000,30000000 --out results

    The commands below are benchmarks of the field, run and verified by their own rules.
    """
    from clgraph.bench.cases import cases_of
    from clgraph.bench.harness import matching
    from clgraph.bench.report import check_drawing, write_report
    from clgraph.bench.run import Outcome, run_on
    from clgraph.bench.store import Store

    given = run.options
    suite, out, data, cases = given.suite, given.out, given.data, []
    if suite != "report":
        peers = "" if given.peers == "none" else given.peers
        cases = matching(cases_of(suite, given.sizes, peers), given.only, given.skip)
        if not cases:
            raise InputError("no case matches --only and --skip; --list without them names all")
    if given.list_only:
        for case in cases:
            click.echo(case.name)
        return
    if data and not os.path.isdir(data):
        raise InputError(f"--data {data}: there is no such folder")
    if suite == "report" and not os.path.isdir(out):  # a run would create it
        raise InputError(f"--out {out}: there is no such folder; name the one of an earlier run")
    if given.figures:
        check_drawing()
    store, outcome, devices = Store(out), Outcome(), given.devices or (None,)
    if cases:
        how: dict[str, Any] = {"energy": run.energy, "watts": run.watts, "repeat": given.repeat, "data": data}
        try:
            run_on(devices, cases, run.say, **how, store=store, fresh=given.fresh, outcome=outcome)
        except KeyboardInterrupt:
            click.echo(
                f"{len(outcome.records)} of {len(cases) * len(devices)} cases are in {store.cases}: the same "
                "command goes on from there",
                err=True,
            )
            raise
    written = write_report(store, figures=given.figures)
    for path in written:
        run.say(f"wrote {path}")
    facts = {
        "out": out,
        "cases": len(outcome.records),
        "ran": outcome.ran,
        "skipped": outcome.skipped,
        "absent": [{"case": name, "reason": why} for name, why in outcome.absent],
        "failed": [{"case": name, "reason": why} for name, why in outcome.failed],
        "written": [str(path) for path in written],
    }
    line = (
        f"{outcome.ran} cases measured, {outcome.skipped} of an earlier run, {len(outcome.absent)} "
        f"absent, {len(outcome.failed)} failed -> {store.folder / 'README.md'}"
    )
    run.print(facts, [line] if cases else [])
    if outcome.failed:
        lines = "".join(f"\n  {name}: {why}" for name, why in outcome.failed)
        raise ClgraphError(f"{len(outcome.failed)} of {len(outcome.records)} cases failed:{lines}")


for benchmark in (gap, graph500, graphalytics):
    bench.add_command(benchmark)
