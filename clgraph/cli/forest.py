"""``clgraph forest``: the first pass of samples and curves of datasets, saved; forests of parts, merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import clgraph
from clgraph.cli.command import Command, Run
from clgraph.cli.options import device_options, option, plan_option
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.sampling.shards import SavedForest

HELP = ["-h", "--help"]


class _MakeFirst(click.Group):
    """``clgraph forest NAME.clgs`` is ``clgraph forest make NAME.clgs``."""

    command_class = Command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, *HELP):
            args = ["make", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_MakeFirst, context_settings={"help_option_names": HELP})
def forest() -> None:
    """Make the priority forest of a dataset, from which all samples and curves of a method and seed follow.

    \b
    clgraph forest web.clgs --method dre --seed 7 -o web.forest
    clgraph sample web.clgs --forest web.forest --size 10% -o tenth.clgs
    clgraph forest web.clgs --seed 7 --shards 0-3 -o part-0.forest
    clgraph forest merge part-0.forest part-1.forest -o web.forest
    """


@forest.command("make")
@click.argument("graph", metavar="NAME.clgs")
@option("--method", "Method: drv or dre.", default="drv")
@option("--seed", "0 .. 2^64-1 (default: drawn and recorded).", int)
@option("--shards which 0-3,7", "Process only these shards of the section pairs.")
@option("-o --output FILE", "Output file.", required=True)
@option("--resume", "Checkpoint in FILE.work, and continue from there.", bool)
@plan_option
@device_options
def make(run: Run) -> None:
    """Make the forest of a dataset, or of some of its shards."""
    from clgraph.sampling.shards.saved import numbers_of

    given = run.options
    if not run.of_shards:
        raise InputError(f"{run.graph}: forests are of datasets: make one with clgraph convert IN OUT.clgs")
    assert run.output is not None
    with run.job():
        shards = run.open_dataset(run.graph)
        if run.planned(shards, "forest", method=given.method):
            return
        count = len(shards.section("pairs").shards)
        numbers = None if given.which is None else numbers_of(given.which, count, "--shards")
        options: dict[str, Any] = {"seed": given.seed, "which": numbers, "device": run.spec}
        options["checkpoint"] = work_folder(run.output, given.resume)
        with run.progress("priority forest") as progress:
            made = clgraph.save_forest(shards, run.output, given.method, progress=progress, **options)
        if run.speaks:
            _print(run, made)


@forest.command("merge")
@click.argument("forests", metavar="FILE...", nargs=-1, required=True)
@option("-o --output FILE", "Output file.", required=True)
@option("--max-vertices N", "Refuse forests of more vertices (default: a limit by the files' sizes).", int)
@device_options
def merge(run: Run) -> None:
    """Merge forests of parts of a dataset, in any order."""
    assert run.output is not None
    options = {"max_vertices": run.options.max_vertices, "device": run.spec}
    with run.job():
        if run.speaks:  # one rank is enough
            with run.progress("merging forests") as progress:
                made = clgraph.merge_forests(run.options.forests, run.output, progress=progress, **options)
            _print(run, made)


def _print(run: Run, made: SavedForest) -> None:
    from clgraph.sampling.shards.saved import spelled

    about: dict[str, Any] = vars(made.about)
    missing = f", {spelled(made.missing)} missing" if made.missing else ""
    run.print(
        {**about, "shards": list(made.shards), "missing": made.missing, "output": str(made.path)},
        [
            f"{made.path}: forest of {about['method']}, seed {about['seed']}, {len(made.shards)} of "
            f"{about['of']} shards{missing}"
        ],
    )
    if made.missing and not run.as_json:
        run.say("note: clgraph forest merge brings in the others")


# --- What samples and curves of datasets take from a forest ---


def saved_forest(
    run: Run, name: str | None, method: str, seed: int | None
) -> tuple[SavedForest | None, str, int | None]:
    """Return the forest of ``--forest``, and method and seed: its own where the command line has none."""
    if name is None:
        return None, method, seed
    with run.job():  # one rank reports what is wrong with it
        found, context = clgraph.open_forest(name), click.get_current_context()
    if context.get_parameter_source("method") is not ParameterSource.COMMANDLINE:
        method = found.about.method
    return found, method, found.about.seed if seed is None else seed


def work_folder(output: str | None, resume: bool) -> str | None:
    """Return the folder of checkpoints for ``--resume``: OUT.work."""
    if not resume:
        return None
    if output is None:
        raise InputError("--resume stores checkpoints next to the output: give one with -o")
    return f"{output}.work"
