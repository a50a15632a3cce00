"""Samples and studies made again from their records, and compared by their hashes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clgraph._version import __version__
from clgraph.arguments import file_name, shown
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.graph.digest import digest
from clgraph.graph.io.common import read_text
from clgraph.sampling import sample

if TYPE_CHECKING:
    from clgraph.device import Device

READ_AS = ("format", "header", "max_ratio", "ids")  # how a stream is read


@dataclass(frozen=True)
class Record:
    """What a record file says.

    Attributes
    ----------
    path : str
    input : str or None
        The graph's file.
    input_sha256 : str or None
        That file's hash.
    graph_sha256 : str or None
        The graph's hash.
    reading : dict
        Options by which the file was read.
    version : str
    samples : tuple of dict
        Samples, or none.
    study : dict or None
        The plan of a study.
    output : str or None
        The hash of a study's measures.
    """

    path: str
    input: str | None
    input_sha256: str | None
    graph_sha256: str | None
    reading: dict[str, Any]
    version: str
    samples: tuple[dict[str, Any], ...]
    study: dict[str, Any] | None
    output: str | None

    @property
    def streamed(self) -> bool:
        """Whether it is of a stream, which is read again as it is, and no graph."""
        return any("arrivals" in told for told in self.samples)


def read_record(path: str) -> Record:
    """A record that `clgraph sample --record` or `clgraph study` wrote, or `to_dict` as JSON.

    Raises
    ------
    InputError
        If it is none, or holds no hashes.
    """
    try:
        told = json.loads(read_text(file_name(path)))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error})") from error
    what = "give what `clgraph sample --record` or `clgraph study` wrote"
    if not isinstance(told, dict):
        raise InputError(f"{path}: no record; {what}")
    files = told.get("input") if isinstance(told.get("input"), list) else told.get("files")
    file = files[0] if isinstance(files, list) and files and isinstance(files[0], dict) else {}
    plan = told.get("study") if isinstance(told.get("study"), dict) else None
    result = told.get("result", told)
    listed = result.get("samples", [result]) if isinstance(result, dict) and plan is None else []
    samples = tuple(each for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()
    if plan is not None:
        graph_hash, output = told.get("input"), told.get("output")
        if not isinstance(output, str):
            raise InputError(f"{path}: the study is not finished: the command that began it goes on with it")
    else:
        if not samples or not all(isinstance(each.get("sha256"), str) for each in samples):
            raise InputError(f"{path}: it has no hashes of samples; {what}")
        graph_hash, output = samples[0].get("input_sha256"), None
    reading = told.get("reading")
    return Record(
        path,
        file.get("path"),
        file.get("sha256"),
        graph_hash if isinstance(graph_hash, str) else None,
        reading if isinstance(reading, dict) else {},
        str(told.get("clgraph", result.get("clgraph", "unknown") if isinstance(result, dict) else "unknown")),
        samples,
        plan,
        output,
    )


def check_input(record: Record, graph: Graph) -> None:
    """Raise InputError unless the graph is the record's.

    Raises
    ------
    InputError
        If its hash differs.
    """
    if record.graph_sha256 is not None and (found := digest(graph)) != record.graph_sha256:
        raise InputError(
            f"the graph is not that of {record.path}: its hash is {found}, the record says "
            f"{record.graph_sha256} (another file, or read by other options?)"
        )


def replay(
    record: Record,
    graph: Graph | str,
    device: Device | str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[tuple[str, str | None]]:
    """Make again what a record describes.

    Parameters
    ----------
    record : Record
    graph : Graph, or str
        Its input; see `check_input`. Of a record of streams: the file's name.
    device : Device or str, optional
    progress : callable, optional
        Called with (done, of).

    Returns
    -------
    list of (str, str or None)
        What was made, and how it differs from the record; None: it is equal.

    Raises
    ------
    InputError
        If the record asks for something that there is not.
    """
    if isinstance(graph, str):
        return _streams(record, graph, device, progress)
    if record.study is not None:
        return [_study(record, graph, device, progress)]
    made = []
    for number, told in enumerate(record.samples):
        made.append(_sample(record, told, graph, device))
        if progress:
            progress(number + 1, len(record.samples))
    return made


def _sample(
    record: Record, told: Mapping[str, Any], graph: Graph, device: Device | str | None
) -> tuple[str, str | None]:
    given = told.get("options")
    options = dict(given) if isinstance(given, dict) else {}
    sizes, size = options.pop("sizes", None), told.get("size")
    name = f"{told.get('method')}, size {size}, seed {told.get('seed')}"
    for option, value in options.items():
        if isinstance(value, str) and value.startswith("<"):
            raise InputError(f"{record.path}: {option} of {name} was {value}, which a record does not hold")
    try:
        if sizes is None:
            size = None if "edges" in options else size  # it tells how many edges were asked for
            found = sample(graph, told["method"], size=size, seed=told["seed"], device=device, **options)
        else:
            several = sample(graph, told["method"], sizes=sizes, seed=told["seed"], device=device, **options)
            found = several[[str(each) for each in sizes].index(str(size))]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{record.path}: {name}: {shown(str(error))}") from error
    return _compared(name, found.graph, told)


def _compared(name: str, graph: Graph, told: Mapping[str, Any]) -> tuple[str, str | None]:
    n, hashed = graph.num_vertices, digest(graph)
    if hashed == told["sha256"]:
        return f"{name}: {n} vertices", None
    return (
        name,
        f"{n} vertices with hash {hashed}, the record has {told.get('vertices')} with {told['sha256']}",
    )


def _streams(
    record: Record, path: str, device: Device | str | None, progress: Callable[[int, int], None] | None
) -> list[tuple[str, str | None]]:
    from clgraph.sampling.literature.streamed import stream_samples

    made = []
    read_as = {name: record.reading[name] for name in READ_AS if name in record.reading}
    for number, told in enumerate(record.samples):
        given = told.get("options")
        options = {**(given if isinstance(given, dict) else {}), "seed": told.get("seed"), "device": device}
        size = told.get("size") if told.get("method") == "pies" else None
        name = f"{told.get('method')}, size {told.get('size')}, seed {told.get('seed')}"
        try:
            found = stream_samples(path, told["method"], size, None, None, options, read_as)[0]
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{record.path}: {name}: {shown(str(error))}") from error
        made.append(_compared(name, found.graph, told))
        if progress:
            progress(number + 1, len(record.samples))
    return made


def _study(
    record: Record, graph: Graph, device: Device | str | None, progress: Callable[[int, int], None] | None
) -> tuple[str, str | None]:
    from clgraph.studies import study

    plan = dict(record.study or {})
    plan.pop("targets", None)
    if not plan.get("min_size"):
        plan.pop("min_size", None)
    try:
        found = study(graph, plan.pop("methods"), plan.pop("sizes"), device=device, progress=progress, **plan)
    except (KeyError, TypeError) as error:
        raise InputError(f"{record.path}: {shown(str(error))}") from error
    name = f"study of {len(found.rows)} samples"
    if found.output == record.output:
        return name, None
    return name, f"the hash of its measures is {found.output}, the record has {record.output}"


def of_other_version(record: Record) -> str | None:
    """What to say if another version of clgraph wrote the record."""
    if record.version == __version__:
        return None
    return f"{record.path} was written by clgraph {record.version}, this is {__version__}"
