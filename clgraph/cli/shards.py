"""What the commands do with datasets of shards (``NAME.clgs``), on one device, several, or MPI's ranks."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import clgraph
from clgraph.cli.common import is_quiet, print_json, progress_bar, say, speaks
from clgraph.cli.options import is_dataset
from clgraph.errors import ClgraphError, InputError

if TYPE_CHECKING:
    from clgraph.sampling.shards import SavedForest
    from clgraph.scale import Shards

GRACE = 10  # seconds in which the rank that failed ends the job, before this one ends itself


@contextmanager
def job() -> Iterator[None]:
    """A command on all ranks, the first of which speaks; an error of one ends all processes."""
    from clgraph.scale.ranks import Failure, world

    comm = world()
    if comm is None:
        yield
        return
    rank = comm.Get_rank()
    click.get_current_context().meta["clgraph.silent"] = rank > 0
    try:
        with warnings.catch_warnings(record=True, action="always", category=UserWarning) as caught:
            yield
        for warning in caught:
            say(f"note: {warning.message}")
    except click.exceptions.Exit:  # all is told
        raise
    except Failure:
        time.sleep(GRACE)
        sys.exit(1)
    except (Exception, KeyboardInterrupt) as error:
        time.sleep(min(rank, 5) / 2)  # what is wrong everywhere is said once: the first one ends the others
        what = "" if isinstance(error, (ClgraphError, OSError)) else f"{type(error).__name__}: "
        click.echo(f"clgraph: error: rank {rank}: {what}{error}", err=True)
        sys.stderr.flush()
        time.sleep(0.3)  # the launcher passes the message on before it ends the job
        comm.Abort(1)
        sys.exit(1)


def open_dataset(name: str) -> Shards:
    """Open a dataset, and report what it holds."""
    shards = clgraph.open_shards(name)
    say(f"{name}: {shards!r}"[: 2 + len(name) + 300])
    return shards


def planned(shards: Shards, command: str, **options: Any) -> bool:
    """Print the plan of the command, if ``--plan`` is given or the dataset is large; whether that is all."""
    from clgraph.cli.shards_plan import LONG, plan

    given = click.get_current_context().params
    only_plan: bool = given["only_plan"]
    size = sum(each.bytes for part in shards.manifest.sections.values() for each in part.shards)
    if not only_plan and (is_quiet() or size < LONG):
        return False
    made = plan(shards, command, device=given["device"], **options)
    if speaks():
        if only_plan and given["as_json"]:
            print_json(made.to_dict())
        else:
            click.echo("\n".join(made.lines()), err=not only_plan)
    return only_plan


def saved_forest(
    name: str | None, method: str, seed: int | None
) -> tuple[SavedForest | None, str, int | None]:
    """What ``--forest`` names, with the method and seed: its own where the command line has none."""
    if name is None:
        return None, method, seed
    with job():  # of what is wrong with it one rank tells
        found, context = clgraph.open_forest(name), click.get_current_context()
    if context.get_parameter_source("method") is not ParameterSource.COMMANDLINE:
        method = found.about.method
    return found, method, found.about.seed if seed is None else seed


def work_folder(output: str | None, resume: bool) -> str | None:
    """The folder in which ``--resume`` keeps what a pass has found so far: OUT.work."""
    if not resume:
        return None
    if output is None:
        raise InputError("--resume keeps what is found beside the output: give one with -o")
    return f"{output}.work"


def only_datasets(**options: Any) -> None:
    """Raise InputError for the first option that is given and that only datasets of shards have."""
    for name, value in options.items():
        if value:
            raise InputError(f"--{name.replace('_', '-')} is of datasets: give a GRAPH named NAME.clgs")


def refuse(**options: Any) -> None:
    """Raise InputError for the first option that is given and that shards do not take."""
    for name, value in options.items():
        if value:
            raise InputError(
                f"--{name.replace('_', '-')} is not offered for shards; join a graph that fits into memory "
                "(clgraph convert IN.clgs OUT.clg)"
            )


def to_dataset(
    sources: Sequence[str],
    target: str,
    reading: dict[str, Any],
    sections: str | None,
    shard_edges: int | None,
    *,
    resume: bool,
) -> None:
    """``clgraph convert IN... OUT.clgs``."""
    from clgraph.formats.common import Options
    from clgraph.scale.convert import convert_to_shards
    from clgraph.scale.cut import SHARD_EDGES, write_shards

    wanted = None if sections is None else [name.strip() for name in sections.split(",")]
    edges = SHARD_EDGES if shard_edges is None else shard_edges
    if len(sources) == 1 and is_dataset(sources[0]):
        with progress_bar("joining shards") as progress:
            graph = clgraph.join_shards(open_dataset(sources[0]), progress=progress)
        with progress_bar("writing shards") as progress:
            made = write_shards(graph, target, sections=wanted, shard_edges=edges, progress=progress)
    else:
        format_, options = reading["format"], {key: each for key, each in reading.items() if key != "format"}
        lines: list[str] = []  # said when the bar is gone
        with progress_bar("converting", data=True) as progress:
            made = convert_to_shards(
                sources,
                target,
                options=Options(**options),
                format=format_,
                sections=wanted,
                shard_edges=edges,
                resume=resume,
                progress=progress,
                say=lines.append,
            )
        for line in lines:
            say(line)
    say(f"wrote {target}: {made!r}")


def generate_dataset(
    name: str,
    model: Any,
    target: str,
    seed: int | None,
    device: str | None,
    *,
    sections: str | None,
    shard_edges: int | None,
) -> None:
    """``clgraph generate ... -o NAME.clgs``; `model` makes the model of a seed, where shards have one."""
    from clgraph.scale.cut import SHARD_EDGES
    from clgraph.scale.generate import generate_shards
    from clgraph.scale.ranks import shared_seed

    if model is None:
        raise InputError(
            f"{target}: graphs of this model, or with parallel copies, are not made in shards; write a .clg "
            "file, and convert it"
        )
    with job():
        drawn = shared_seed(seed)
        with progress_bar("generating") as progress:
            made = generate_shards(
                model(drawn),
                target,
                sections=None if sections is None else [each.strip() for each in sections.split(",")],
                shard_edges=SHARD_EDGES if shard_edges is None else shard_edges,
                device=device,
                progress=progress,
            )
        say(f"{name}, seed {drawn}: wrote {target}: {made!r}")


def from_dataset(source: str, target: str, output_format: str | None) -> None:
    """``clgraph convert IN.clgs OUT``."""
    from clgraph.scale.joined import write_joined

    shards = open_dataset(source)
    with progress_bar("writing") as progress:
        told = write_joined(shards, target, format=output_format, progress=progress)
    say(told)


def describe_dataset(name: str) -> dict[str, Any]:
    """The facts that ``clgraph info NAME.clgs`` prints, from the manifest alone."""
    shards = clgraph.open_shards(name)
    manifest = shards.manifest
    return {
        "directed": manifest.directed,
        "vertices": manifest.vertices,
        "edges": shards.num_edges,
        "pairs": manifest.sections["pairs"].edges,
        "self_loops": manifest.sections["pairs"].loops,
        "weights": manifest.weights,
        "multiplicity": manifest.multiplicity,
        "original_ids": manifest.ids is not None,
        **{
            f"section_{key}": {
                "entries": each.edges,
                "shards": len(each.shards),
                "bytes": sum(shard.bytes for shard in each.shards),
            }
            for key, each in manifest.sections.items()
        },
        "fingerprint": shards.fingerprint,
    }
