"""``clgraph sample``: shrink a graph by a sampling method."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clgraph.cli.common import (
    device_option,
    graph_options,
    json_option,
    open_device,
    print_json,
    progress_bar,
    quiet_option,
    read_graph,
    say,
)
from clgraph.errors import ClgraphError, InputError

if TYPE_CHECKING:
    from clgraph.device import Device


@click.command()
@click.argument("graph", metavar="GRAPH")
@click.option("--method", default="drv", show_default=True, help="drv, dre or drve: what one step deletes.")
@click.option("--size", required=True, help="How large: 0.3 or 30% of the vertices, or a count such as 5000.")
@click.option(
    "--seed", type=int, help="0 .. 2^64-1; the same seed gives the same sample (default: drawn and recorded)."
)
@click.option(
    "--mode", default="auto", show_default=True, help="auto (exact where it exists), exact or batched."
)
@click.option(
    "--tolerance", type=float, help="By how many vertices a batch may undershoot (default 0.001 of the size)."
)
@click.option(
    "--components", type=click.Choice(["afforest", "bfs"]),
    help="How batched mode finds the largest component (default afforest).",
)  # fmt: skip
@click.option(
    "--far-scan/--far-search",
    default=None,
    help="How the other slot of an edge is found (default: by device).",
)
@click.option("--strict", is_flag=True, help="A count larger than the graph is an error.")
@click.option("-o", "--output", metavar="OUT", help="Where the sample goes; the suffix says the format.")
@click.option("--to", "output_format", metavar="NAME", help="Format of OUT (default: by its suffix).")
@click.option(
    "--record", metavar="FILE", help="Write command, versions, device, seed and the input's hash (JSON)."
)
@click.option("--verify", is_flag=True, help="Check the sample from the definition.")
@graph_options
@device_option
@json_option
@quiet_option
def sample(
    graph: str,
    method: str,
    size: str,
    seed: int | None,
    mode: str,
    tolerance: float | None,
    components: str | None,
    far_scan: bool | None,
    strict: bool,
    output: str | None,
    output_format: str | None,
    record: str | None,
    verify: bool,
    reading: dict[str, Any],
    device: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Shrink GRAPH by deleting random vertices or edges, keeping the largest connected component.

    \b
    clgraph sample internet.txt --method drve --size 50% --seed 7 -o half.txt
    """
    from clgraph.io import check_writable
    from clgraph.reference import verify_sample
    from clgraph.sampling import METHODS
    from clgraph.sampling import sample as run
    from clgraph.sizes import parse_size

    # what can be refused is refused before a large file is read
    if method not in METHODS:
        raise InputError(f"unknown method {method!r}: the known ones are {', '.join(METHODS)}")
    parse_size(size)
    if output:
        check_writable(output, output_format)
    if record:
        check_writable(record, "edges")  # a record is no graph, but wants the same kind of place
        if output and Path(record).resolve() == Path(output).resolve():
            raise InputError(f"-o and --record both name {record}: give the record a name of its own")
    started = time.perf_counter()
    data = read_graph(graph, reading, quiet)
    read_seconds = time.perf_counter() - started
    dev = open_device(device, quiet)
    with progress_bar("sampling", quiet) as progress:
        result = run(
            data, method, size=size, seed=seed, device=dev, mode=mode, tolerance=tolerance,  # type: ignore[arg-type]
            components=components, far_scan=far_scan, strict=strict, progress=progress,
        )  # fmt: skip
    for note in result.notes:
        say(f"note: {note}", quiet)
    if verify:
        _verified(verify_sample, data, result, quiet)
    seconds = {"read": read_seconds, **result.seconds}
    if output:
        from clgraph.io import write_with_summary

        started = time.perf_counter()
        say(write_with_summary(result.graph, output, format=output_format), quiet)
        seconds["write"] = time.perf_counter() - started
    told = {**result.to_dict(), "seconds": seconds, "verified": verify}
    if record:
        _write_record(record, graph, reading["format"], dev, told)
    if as_json:
        print_json(told)
    else:
        edges, vertices = result.num_edges, len(result.vertices)
        click.echo(
            f"{result.method} sample: {vertices} of {data.num_vertices} vertices, {edges} edges "
            f"(target {result.target}, seed {result.seed}, {result.mode}, "
            f"{seconds['sample']:.3f} s)" + (f" -> {output}" if output else "")
        )


def _verified(verify: Any, data: Any, result: Any, quiet: bool) -> None:
    try:
        verify(data, result)
    except AssertionError as error:
        raise ClgraphError(
            f"the sample is wrong: {error}. Please report this with the command and the device"
        ) from None
    say("verified: connected, within the target, edges are the original's", quiet)


def _write_record(
    path: str, graph: str, format_name: str | None, device: Device, told: dict[str, Any]
) -> None:
    """Everything that a reader needs to make the same sample."""
    import numpy as np
    import scipy

    import clgraph
    from clgraph.io import atomic_write

    value = {
        "command": ["clgraph", *sys.argv[1:]],
        "clgraph": clgraph.__version__,
        "versions": {
            "python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__,
            "pyopencl": version("pyopencl"),
        },
        "device": {
            "name": device.name, "kind": device.kind, "platform": device.platform_name,
            "driver": device.driver_version,
        },
        "input": [_fingerprint(file) for file in _input_files(Path(graph), format_name)],
        "result": told,
    }  # fmt: skip
    with atomic_write(path, "w") as out:
        json.dump(value, out, indent=2)
        out.write("\n")


def _input_files(graph: Path, format_name: str | None) -> list[Path]:
    """The file; both of them where an LDBC graph lies in two."""
    from clgraph.io import ldbc
    from clgraph.io.formats import find_format

    if find_format(graph, format_name)[0] != "ldbc":
        return [graph]
    return [file for end in (".v", ".e") if (file := ldbc.find(graph, end))]


def _fingerprint(file: Path) -> dict[str, Any]:
    with open(file, "rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    return {"path": str(file), "bytes": file.stat().st_size, "sha256": digest}
