"""``clgraph sample`` of a stream: a file or standard input that is read once, edge by edge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clgraph.cli.common import open_device, print_json, say, verifying, write_graph
from clgraph.cli.outputs import check_template, fill_template, write_record
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.sampling.literature.streamed import StreamSample


def is_stream(path: str, method: str, format: str | None) -> bool:
    """Whether a method takes the edges of this file as they come."""
    from clgraph.formats.arrivals import is_streamed
    from clgraph.sampling.table import STREAMS, known

    return known(method) in STREAMS and is_streamed(path, format)


def refuse_of_streams(reading: dict[str, Any], **given: Any) -> None:
    """Raise InputError for options that say nothing of a stream."""
    given |= {
        "directed": bool(reading["directed"]),
        "duplicates keep": reading["duplicates"] == "keep",
        "max-vertices": reading["max_vertices"] is not None,
    }
    for name, value in given.items():
        if value:
            raise InputError(
                f"--{name} is not for streams, which are undirected, of edges one by one: leave it out"
            )


def sample_stream(
    path: str,
    method: str,
    wanted: list[str],
    seed: int,
    seeds: int | None,
    drawing: dict[str, Any],
    reading: dict[str, Any],
    *,
    sized: bool,
    output: str | None,
    output_format: str | None,
    record: str | None,
    device: str | None,
    strict: bool,
    verify: bool,
    as_json: bool,
) -> None:
    """Sample a stream in one pass, and tell and write what was held."""
    from clgraph.formats import check_writable
    from clgraph.sampling.literature.streamed import stream_samples
    from clgraph.sampling.table import known

    if path == "-" and (verify or record):
        what = "--verify reads it again" if verify else "--record takes its hash"
        raise InputError(f"standard input can be read once, and {what}: give a file")
    if output:
        check_template(output, wanted, seeds or 1)
        for each in wanted:
            check_writable(fill_template(output, each, seed), output_format)
    dev = open_device(device)
    options = {**drawing, "seed": seed, "device": dev, "strict": strict}
    read_as = {name: reading[name] for name in ("format", "header", "max_ratio", "ids")}
    short = known(method)
    assert short is not None
    made = stream_samples(path, short, None, wanted if sized else None, seeds, options, read_as)
    told = []
    for each, sample in zip(wanted * (seeds or 1), made, strict=True):
        if sample.seed == seed:
            for note in sample.notes:
                say(f"note: {note}")
        if verify:
            _verified(path, sample, drawing, read_as)
        name = fill_template(output, each, sample.seed) if output else None
        if name:
            write_graph(sample.graph, name, to=output_format, device=dev)
        told.append({**sample.to_dict(hashes=record is not None), "verified": verify, "output": name})
        if not as_json:
            _tell(sample, name)
    value: dict[str, Any] = told[0] if len(told) == 1 and seeds is None else {"samples": told}
    if record:
        write_record(record, path, reading, dev, value)
    if as_json:
        print_json(value)


def _tell(sample: StreamSample, name: str | None) -> None:
    click.echo(
        f"{sample.method} sample: {len(sample.vertices)} vertices, {sample.num_edges} edges of a stream of "
        f"{sample.arrivals} (seed {sample.seed}, {sample.seconds['sample']:.3f} s)"
        + (f" -> {name}" if name else "")
    )
    for what, each in sample.to_dict(hashes=False).get("estimates", {}).items():
        error = each["standard_error"]
        click.echo(f"{what}: {each['value']:.6g}" + ("" if error is None else f" ± {error:.2g}"))


def _verified(path: str, sample: StreamSample, drawing: dict[str, Any], read_as: dict[str, Any]) -> None:
    from clgraph.formats.arrivals import Names, arrivals
    from clgraph.reference.stream import verify_held
    from clgraph.sampling.literature.streamed import in_units

    edges: list[tuple[Any, Any]] = []
    names = Names()
    weights: list[int] = []
    weighted = bool(drawing.get("weighted"))
    for chunk in arrivals(path, names, weighted=weighted, **read_as):
        ends = [names.of(end) if names.text else end for end in (chunk.source, chunk.target)]
        edges += zip(*(end.tolist() for end in ends), strict=True)
        if chunk.weight is not None:
            weights += in_units(chunk.weight).tolist()
    options: dict[str, Any] = {"size": sample.target, "edges": sample.target}
    options |= {
        name: drawing[name] for name in ("p", "q", "closing", "triangles", "block") if name in drawing
    }
    if weighted:
        options["weights"] = weights
    with verifying("sample is"):
        verify_held(edges, sample.held, sample.method, sample.seed, options)
    say(f"verified: what {sample.method} holds of this stream with this seed")
