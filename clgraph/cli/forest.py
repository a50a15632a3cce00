"""``clgraph forest``: the first pass of samples and curves of datasets, saved; forests of parts, merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import clgraph
from clgraph.cli.common import is_dataset, print_json, progress_bar, say, speaks
from clgraph.cli.options import device_option, json_option, option, plan_option, quiet_option
from clgraph.cli.shards import job, open_dataset, planned, work_folder
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.sampling.shards import SavedForest

HELP = ["-h", "--help"]


class _MakeFirst(click.Group):
    """``clgraph forest NAME.clgs`` is ``clgraph forest make NAME.clgs``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, *HELP):
            args = ["make", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_MakeFirst, context_settings={"help_option_names": HELP})
def forest() -> None:
    """The priority forest of a dataset: what tells every sample and curve of a method and seed.

    \b
    clgraph forest web.clgs --method dre --seed 7 -o web.forest
    clgraph sample web.clgs --forest web.forest --size 10% -o tenth.clgs
    clgraph forest web.clgs --seed 7 --shards 0-3 -o part-0.forest
    clgraph forest merge part-0.forest part-1.forest -o web.forest
    """


@forest.command("make")
@click.argument("graph", metavar="NAME.clgs")
@option("--method", "drv or dre.", default="drv")
@option("--seed", "0 .. 2^64-1 (default: drawn and recorded).", int)
@option("--shards which", "Only these shards of the section pairs.", metavar="0-3,7")
@option("-o --output", "Where the forest goes.", metavar="FILE", required=True)
@option("--resume", "Keep what is found in FILE.work, and begin there.", bool)
@plan_option
@device_option
@json_option
@quiet_option
def make(
    graph: str,
    method: str,
    seed: int | None,
    which: str | None,
    output: str,
    resume: bool,
    only_plan: bool,
    device: str | None,
    as_json: bool,
) -> None:
    """Make the forest of a dataset, or of some of its shards."""
    from clgraph.sampling.shards.saved import numbers_of

    if not is_dataset(graph):
        raise InputError(f"{graph}: forests are of datasets: make one with clgraph convert IN OUT.clgs")
    with job():
        shards = open_dataset(graph)
        if planned(shards, "forest", method=method):
            return
        count = len(shards.section("pairs").shards)
        numbers = None if which is None else numbers_of(which, count, "--shards")
        with progress_bar("priority forest") as progress:
            made = clgraph.save_forest(
                shards,
                output,
                method,
                seed=seed,
                which=numbers,
                checkpoint=work_folder(output, resume),
                device=device,
                progress=progress,
            )
        if speaks():
            _tell(made, as_json)


@forest.command("merge")
@click.argument("forests", metavar="FILE...", nargs=-1, required=True)
@option("-o --output", "Where the forest goes.", metavar="FILE", required=True)
@option("--max-vertices", "Refuse forests of more (default: by the files' size).", int, metavar="N")
@device_option
@json_option
@quiet_option
def merge(
    forests: tuple[str, ...], output: str, max_vertices: int | None, device: str | None, as_json: bool
) -> None:
    """Merge forests of parts of one dataset: any order, the same bytes."""
    with job():
        if speaks():  # one rank is enough
            with progress_bar("merging forests") as progress:
                made = clgraph.merge_forests(
                    forests, output, max_vertices=max_vertices, device=device, progress=progress
                )
            _tell(made, as_json)


def _tell(made: SavedForest, as_json: bool) -> None:
    from clgraph.sampling.shards.saved import spelled

    about: dict[str, Any] = vars(made.about)
    if as_json:
        print_json({**about, "shards": list(made.shards), "missing": made.missing, "output": str(made.path)})
        return
    missing = f", {spelled(made.missing)} missing" if made.missing else ""
    click.echo(
        f"{made.path}: forest of {about['method']}, seed {about['seed']}, {len(made.shards)} of "
        f"{about['of']} shards{missing}"
    )
    if made.missing:
        say("note: clgraph forest merge brings in the others")
