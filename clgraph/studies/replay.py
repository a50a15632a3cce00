"""Samples and studies reproduced from their records, and compared by their hashes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clgraph._version import __version__
from clgraph.errors import InputError
from clgraph.formats.common import MAX_RATIO
from clgraph.graph import Graph
from clgraph.graph.digest import digest
from clgraph.methods import STREAMS
from clgraph.sampling import sample
from clgraph.studies.record import LIMITS, WRITTEN, is_lost, load_record

if TYPE_CHECKING:
    from clgraph.device import Device

Tell = Callable[[int, int], None]
Made = tuple[str, str | None]  # what was made, and how it differs from the record
READ_AS = ("format", "header", "ids")  # how a stream is read


@dataclass(frozen=True)
class Record:
    """The contents of a record file.

    Attributes
    ----------
    input, input_sha256 : str or None
        The graph's file, and its hash.
    graph_sha256 : str or None
        The graph's hash.
    reading : dict
        Options by which the file was read; limits are not among them.
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
        """True for a record of a stream, which is read again as it is, and no graph."""
        return any("arrivals" in entry for entry in self.samples)


def read_record(path: str) -> Record:
    """Read a record that `clgraph sample --record` or `clgraph study` wrote, or `to_dict` as JSON.

    Raises
    ------
    InputError
        If it is none, or holds no hashes.
    """
    content = load_record(path)
    plan = content.get("study")
    result = content if plan is not None else content.get("result", content)
    files = content.get("files" if plan is not None else "input") or [{}]
    samples = () if plan is not None else tuple(result.get("samples", [result]))
    if plan is not None and "output" not in content:
        raise InputError(f"{path}: the study is not finished: the command that began it goes on with it")
    if not all("sha256" in each for each in samples) or not (plan or samples):
        raise InputError(f"{path}: it has no hashes of samples; {WRITTEN}")
    streamed = ["arrivals" in each for each in samples]
    if (any(streamed) and not all(each["method"] in STREAMS for each in samples)) or len(set(streamed)) > 1:
        raise InputError(
            f"{path}: samples of streams are by {', '.join(STREAMS)}, and no others are beside them"
        )
    return Record(
        path,
        files[0].get("path"),
        files[0].get("sha256"),
        samples[0].get("input_sha256") if plan is None else content["input"],
        {name: value for name, value in content.get("reading", {}).items() if name not in LIMITS},
        content.get("clgraph", result.get("clgraph", "unknown")),
        samples,
        plan,
        content.get("output") if plan is not None else None,
    )


def contents(record: Record) -> list[str]:
    """Return what a replay of a record draws, in words."""
    if (plan := record.study) is not None:
        samples = len(plan["methods"]) * len(plan["sizes"]) * plan["seeds"]
        seeds = f"seeds {plan['seed']} to {plan['seed'] + plan['seeds'] - 1}"
        return [
            f"study of {samples} samples: methods {', '.join(plan['methods'])}; sizes "
            f"{', '.join(map(str, plan['sizes']))}; {seeds}"
        ]
    return [
        f"{_name(entry)}: {entry['vertices']} vertices, {entry['edges']} edges" for entry in record.samples
    ]


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
    *,
    max_ratio: float = MAX_RATIO,
) -> list[Made]:
    """Draw the samples of a record, or run its study, and compare them with it.

    Parameters
    ----------
    record : Record
    graph : Graph, or str
        Its input; see `check_input`. Of a record of streams: the file's name.
    device : Device or str, optional
    progress : callable, optional
        Called with (done, of).
    max_ratio : float
        Of a record of streams, as `clgraph.read` takes it.

    Returns
    -------
    list of (str, str or None)
        What was made, and how it differs from the record; None: it is equal.

    Raises
    ------
    InputError
        If the record asks for something that there is not.
    """
    if record.study is not None and isinstance(graph, Graph):
        return [_study(record, graph, device, progress)]
    made: list[Made] = []
    # one after the other, as they were made: a sample alone has the same bytes as in a sequence
    for number, entry in enumerate(record.samples, 1):
        if isinstance(graph, str):
            drawn = _streamed(record, entry, graph, device, max_ratio)
        else:
            drawn = _sample(record, entry, graph, device)
        n, hashed, name = drawn.num_vertices, digest(drawn), _name(entry)
        if hashed == entry["sha256"]:
            made.append((f"{name}: {n} vertices", None))
        else:
            recorded = f"the record has {entry.get('vertices')} with {entry['sha256']}"
            made.append((name, f"{n} vertices with hash {hashed}, {recorded}"))
        if progress:
            progress(number, len(record.samples))
    return made


def _sample(record: Record, entry: Mapping[str, Any], graph: Graph, device: Device | str | None) -> Graph:
    options = dict(entry.get("options", {}))
    if "weight" in options:  # the name of `mix` in older records
        options["mix"] = options.pop("weight")
    sizes, size, name = options.pop("sizes", None), entry.get("size"), _name(entry)
    for option, value in options.items():
        if is_lost(value):
            raise InputError(f"{record.path}: {option} of {name} was {value}, which a record does not hold")
    if sizes is not None and str(size) not in map(str, sizes):
        raise InputError(f"{record.path}: {name}: its size is none of {', '.join(map(str, sizes))}")
    options |= {"seed": entry["seed"], "device": device}
    with _naming(record, name):
        if sizes is None:
            size = None if "edges" in options else size  # it is how many edges were wanted
            alone: Any = sample(graph, entry["method"], size=size, **options)
            return alone.graph
        found: Any = sample(graph, entry["method"], sizes=sizes, **options)
    return found[list(map(str, sizes)).index(str(size))].graph


def _name(entry: Mapping[str, Any]) -> str:
    return f"{entry['method']}, size {entry.get('size')}, seed {entry['seed']}"


@contextmanager
def _naming(record: Record, name: str) -> Iterator[None]:
    """Name the record, and the sample in it, in the block's InputError."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{record.path}: {name}: {error}") from error


def _streamed(
    record: Record, entry: Mapping[str, Any], path: str, device: Device | str | None, max_ratio: float
) -> Graph:
    from clgraph.sampling.literature.runs import stream_samples

    read_as = {name: record.reading[name] for name in READ_AS if name in record.reading}
    read_as["max_ratio"] = max_ratio  # limits are the reader's own
    options = {**entry.get("options", {}), "seed": entry["seed"], "device": device}
    size = entry.get("size") if entry["method"] == "pies" else None
    with _naming(record, _name(entry)):
        return stream_samples(path, entry["method"], size, None, None, options, read_as)[0].graph


def _study(record: Record, graph: Graph, device: Device | str | None, progress: Tell | None) -> Made:
    from clgraph.studies import study

    plan = dict(record.study or {})
    del plan["targets"]  # they follow from the sizes
    plan["min_size"] = plan["min_size"] or None  # a record has 0 for none
    with _naming(record, "the study"):
        found = study(graph, plan.pop("methods"), plan.pop("sizes"), device=device, progress=progress, **plan)
    name = f"study of {len(found.rows)} samples"
    if found.digest == record.output:
        return name, None
    return name, f"the hash of its measures is {found.digest}, the record has {record.output}"


def of_other_version(record: Record) -> str | None:
    """Return a note if another version of clgraph wrote the record."""
    if record.version == __version__:
        return None
    return f"{record.path} was written by clgraph {record.version}, this is {__version__}"
