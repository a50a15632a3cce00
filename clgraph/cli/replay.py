"""``clgraph replay``: make again what a record describes, and compare."""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING

import click

from clgraph.cli.common import open_device, print_json, progress_bar, read_for, say
from clgraph.cli.options import device_option, json_option, limit_options, option, quiet_option
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.graph import Graph


@click.command()
@click.argument("record", metavar="RECORD")
@option("--input graph", "Where the input is now (default: as recorded).", metavar="GRAPH")
@limit_options
@device_option
@json_option
@quiet_option
def replay(
    record: str,
    graph: str | None,
    max_vertices: int | None,
    max_ratio: float,
    device: str | None,
    as_json: bool,
) -> None:
    """Make again the samples or the study that RECORD describes, and compare the hashes.

    \b
    clgraph sample internet.txt --method drve --size 50% --seed 7 -o half.txt --record half.json
    clgraph replay half.json --device cpu

    Ends with status 1 if anything differs.
    """
    from clgraph.cli.outputs import input_of
    from clgraph.studies.replay import check_input, of_other_version, read_record
    from clgraph.studies.replay import replay as again

    told = read_record(record)
    path = graph or told.input
    if path is None:
        raise InputError(f"{record} does not say where the graph is: give --input GRAPH")
    if not os.path.exists(path):
        raise InputError(f"the input of {record}, {path}, is not there: give --input GRAPH")
    reading = {**READING, **told.reading, "max_vertices": max_vertices, "max_ratio": max_ratio}
    if other := of_other_version(told):
        say(f"note: {other}")
    found = input_of(path, reading)["input"][0]["sha256"]
    if told.input_sha256 is not None and found != told.input_sha256:
        raise InputError(
            f"{path} is not the input of {record}: its SHA-256 is {found}, not {told.input_sha256}"
        )
    source: Graph | str = path
    if not told.streamed:
        source = data = read_for(device, path, reading)
        check_input(told, data)
    dev = open_device(device)
    # what sampling warns of is in the record's notes
    with progress_bar("making again", counts=True) as progress, warnings.catch_warnings(action="ignore"):
        made = again(told, source, dev, progress, max_ratio=max_ratio)
    differ = [name for name, why in made if why is not None]
    if as_json:
        print_json(
            {"record": record, "device": dev.name, "equal": not differ}
            | {"made": [{"what": name, "differs": why} for name, why in made]}
        )
    else:
        for name, why in made:
            click.echo(f"equal: {name}" if why is None else f"differs: {name}: {why}")
    if differ:
        sys.exit(1)


READING = {
    "format": None,
    "directed": None,
    "ids": "int",
    "weights": False,
    "duplicates": "merge",
    "header": None,
}
