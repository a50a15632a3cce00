"""``clgraph demo`` and ``clgraph selftest``."""

from __future__ import annotations

import os
import sys
from time import perf_counter

import click

import clgraph
from clgraph.cli.command import Command, Run, open_device, print_json, print_table, table_of
from clgraph.cli.options import device_option, device_options, option, quiet_option
from clgraph.errors import DeviceError, InputError


@click.command(cls=Command)
@option("--vertices", "Number of vertices of the graph.", click.IntRange(min=10), 200_000)
@option("--seed", "Seed of the graph and of the samples.", int, 1)
@device_option
@quiet_option
def demo(run: Run) -> None:
    """Make a power-law graph, sample half of it by each method, show before and after."""
    from clgraph.methods import REDUCTIONS

    seed, dev = run.options.seed, run.device
    graph = clgraph.powerlaw_graph(run.options.vertices, seed=seed)
    click.echo(f"A power-law graph, and samples of half its vertices by each method (seed {seed}):")
    table = table_of(("", "vertices", "edges", "average degree", "largest degree", "seconds"))

    def row(name: str, shown: clgraph.Graph, seconds: str) -> None:
        degrees, counts = shown.degrees, (f"{shown.num_vertices:,}", f"{shown.num_edges:,}")
        table.add_row(name, *counts, f"{degrees.mean():.3f}", f"{degrees.max():,}", seconds)

    row("the graph", graph, "")
    for method in REDUCTIONS:
        started = perf_counter()
        result = clgraph.sample(graph, method, size="50%", seed=seed, device=dev)
        row(method, result.graph, f"{perf_counter() - started:.2f}")
    print_table(table)
    click.echo("Your own graph: clgraph sample GRAPH --method drv --size 50% --seed 1 -o sample.txt")


@click.command(cls=Command)
@option("--family families NAME", "Check this kernel family only.", multiple=True)
@device_options
def selftest(run: Run) -> None:
    """Check every kernel family on a device, in child processes.

    A driver may crash or hang: the family at which it does is named, and the others are still checked. --json
    prints a report for the maintainers, with nothing but device, driver, versions and checks.
    """
    from clgraph.device.driver_selftest import Verdict, run_checks, store_verdict
    from clgraph.public import FAMILIES
    from clgraph.selftest.report import about, impersonal, report

    families = run.options.families
    if strange := set(families) - set(FAMILIES.values()):
        known = ", ".join(dict.fromkeys(filter(None, FAMILIES.values())))
        raise InputError(f"--family {strange.pop()}: there is none of that name; use one of {known}")
    os.environ["CLGRAPH_FORCE"] = "1"  # it is tested here, not before
    try:
        dev = open_device(run.spec) if run.as_json else run.device
    except DeviceError as error:
        if not run.as_json or "BROKEN" not in str(error):  # else there is no such device
            raise
        verdict_only = {"verdict": f"BROKEN: {impersonal(str(error))}", "families": {}, "checks": []}
        print_json({**about(None), **verdict_only})
        sys.exit(1)
    driver, checks = dev.driver, []
    for check in run_checks(driver, families):
        checks.append(check)
        if not run.as_json:
            click.echo(
                f"{'ok  ' if check.wrong is None else 'FAIL'} {check.family}: {check.name} "
                f"({check.seconds:.2f} s)" + (f": {check.wrong}" if check.wrong else "")
            )
    if not checks:
        raise DeviceError(f"{dev}: the child process made no check; see `clgraph doctor`")
    verdict = Verdict.of(checks)
    if not families and not driver.known:
        verdict = store_verdict(driver, checks)
    failed = sum(check.wrong is not None for check in checks)
    run.print(
        lambda: report(dev, verdict, checks),
        [f"{len(checks) - failed} of {len(checks)} checks passed on {dev.name}: {verdict}"],
    )
    if verdict.failed:
        sys.exit(1)
