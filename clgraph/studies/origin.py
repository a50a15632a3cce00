"""How a sample was made: what a command writes into its record, and what a report reads from there."""

from __future__ import annotations

import hashlib
import platform
import shlex
import sys
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph._version import __version__
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import InputError
from clgraph.files.dispatch import STDIN
from clgraph.formats import ldbc
from clgraph.formats.common import check_file, counted
from clgraph.formats.table import find_format
from clgraph.methods import EXACT, EXPLORING, METHODS, REDUCTIONS
from clgraph.sampling.curve import reduction_curve
from clgraph.sampling.request import check_method
from clgraph.sampling.result import with_mode
from clgraph.studies.record import LIMITS, SAMPLE_HASHES, WRITTEN, is_lost, load_record, save_record

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.sampling.curve import ReductionCurve

# edges of the largest graph whose exact curve is drawn: it is one serial pass
CURVE_EDGES = LaunchTable(gpu=500_000, cpu=20_000_000, simulator=20_000_000)


def write_record(
    path: str, graph: str, reading: dict[str, Any], device: Device, result: dict[str, Any]
) -> None:
    """Write everything that it takes to reproduce the samples."""
    value = {
        "command": ["clgraph", *sys.argv[1:]],
        "clgraph": __version__,
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "scipy", "pyopencl")},
        },
        "device": {
            "name": device.name,
            "kind": device.kind,
            "platform": device.platform_name,
            "driver": device.driver_version,
            "kernels": device.kernels,
            "built": device.built_files,
        },
        **input_of(graph, reading),
        "hashes": SAMPLE_HASHES,
        "result": result,
    }
    save_record(path, value, 2)


def input_of(graph: str, reading: dict[str, Any]) -> dict[str, Any]:
    """Return the files of a graph with their hashes, and how they were read; limits are each reader's own."""
    path, names = Path(graph), [Path(graph)]
    if graph == STDIN:
        names = []
    elif find_format(path, reading["format"]).name == "ldbc":  # the only format of two files
        names = [file for end in (".v", ".e") if (file := ldbc.find(path, end))]
    files = []
    for name in names:
        check_file(name, may_be_empty=True, packed=True)  # a pipe would be read for ever
        with open(name, "rb") as data:
            digest = hashlib.file_digest(data, "sha256").hexdigest()
        files.append({"path": str(name), "bytes": name.stat().st_size, "sha256": digest})
    return {"input": files, "reading": {name: how for name, how in reading.items() if name not in LIMITS}}


# --- Read ---


@dataclass(frozen=True)
class Origin:
    """How a sample was made; what is unknown is None."""

    method: str | None = None
    mode: str | None = None
    seed: int | None = None
    target: int | None = None
    command: str | None = None
    options: dict[str, Any] | None = None
    samples: tuple[dict[str, Any], ...] = ()  # in the record; one of them is the sample's
    facts: tuple[tuple[str, str], ...] = ()  # what else the record says
    output: str | None = None
    left_out: int = 0  # vertices without edges that the sample has and its file has not

    @property
    def lacks(self) -> str:
        """Return the vertices that are left out, in words."""
        return counted(self.left_out, "vertex without edges", "vertices without edges")

    def checked(self, sample: Graph, record: str | None) -> Origin:
        """Return this origin, completed by what the record says of this very sample."""
        if not self.samples:
            return self
        same = [each for each in self.samples if _fits(each, sample)]
        if not same:
            sizes = ", ".join(str(each["vertices"]) for each in self.samples[:8])
            raise InputError(
                f"--record {record}: it is about samples of {sizes} vertices, but the sample given has "
                f"{sample.num_vertices}; give the record that was written with it"
            )
        file = Path(self.output or "").name
        # samples of several seeds may have one size: then the file's name says which it is
        named = [each for each in same if self.output and Path(str(each.get("output"))).name == file]
        entry = (named or same)[0]
        labels = {
            "size": "size asked for",
            "target": "target",
            "iterations": "batches or probes",
            "way": "way",
        }
        # a target of 0 is none, 0 batches are of methods that have none
        facts = [(label, str(entry[key])) for key, label in labels.items() if entry.get(key)]
        facts += [("note", note) for note in entry.get("notes", ())]
        known: dict[str, Any] = {name: entry.get(name) for name in ("method", "mode", "seed", "target")}
        return replace(
            self,
            **known,
            options=entry.get("options", {}),
            facts=(*self.facts, *facts),
            left_out=entry["vertices"] - sample.num_vertices,
        )


def _fits(entry: dict[str, Any], sample: Graph) -> bool:
    """True if a graph may be a sample of a record; its file may lack vertices without edges."""
    if entry["vertices"] <= sample.num_vertices:
        return bool(entry["vertices"] == sample.num_vertices)
    edges = sample.undirected.without_self_loops
    return edges.num_nonisolated == sample.num_vertices and bool(entry["edges"] == edges.num_edges)


def read_origin(
    record: str | None, method: str | None, seed: int | None, command: str | None, output: str | None
) -> Origin:
    """Find out how a sample was made, from its record or the options: these must not contradict it."""
    method = None if method is None else check_method(method)
    if record is None:
        return Origin(method=method, seed=seed, command=command)
    if method is not None or seed is not None:
        raise InputError("--record says how the sample was made: leave --method and --sample-seed out")
    content = load_record(record)
    result = content.get("result", content)
    samples = result.get("samples", [result])
    if "study" in content or not samples:
        raise InputError(f"{record}: it describes no sample; {WRITTEN}")
    facts = [
        ("input", f"{each['path']}, {each.get('bytes')} bytes, SHA-256 {each['sha256']}")
        for each in content.get("input", [])
    ]
    device = content.get("device", samples[0].get("device"))
    if isinstance(device, dict):
        details = f"{device.get('kind')}, {device.get('platform')}, driver {device.get('driver')}"
        device = f"{device.get('name')} ({details})"
    if device:
        facts.append(("sampled on", device))
    if "versions" in content:
        names = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy"}
        versions = [f"{names.get(name, name)} {value}" for name, value in content["versions"].items()]
        facts.append(("sampled with", ", ".join([f"clgraph {content.get('clgraph')}", *versions])))
    command = command or shlex.join(content.get("command", [])) or None
    return Origin(command=command, samples=tuple(samples), facts=tuple(facts), output=output)


def facts_of(original: str, sample: str | None, made: Origin) -> list[tuple[str, str]]:
    """Return the report's facts about the files and the sampling."""
    if sample is None:
        return [("original", original)]
    facts: dict[str, str | None] = {"original": original, "sample": sample}
    if made.left_out:
        facts["not in its file"] = f"{made.lacks}, which an edge list does not hold"
    if made.method:
        each = METHODS[made.method]
        facts["method"] = f"{with_mode(made.method, made.mode)}, {each.words}: {each.does}"
    facts |= {"seed": None if made.seed is None else str(made.seed), "sampled by": made.command}
    known = [(name, value) for name, value in facts.items() if value] + list(made.facts)
    if not (made.method or made.command):
        unknown = "unknown: `clgraph sample --record FILE` writes it to a file for --record"
        known.append(("how it was sampled", unknown))
    return known


def curve_of(
    original: Graph, sample: Graph, made: Origin, dev: Device
) -> tuple[ReductionCurve | None, str | None]:
    """Return the reduction curve down to the sample, or why it is left out."""
    if made.method is None or made.seed is None:
        how = "give --record, or --method and --sample-seed"
        return None, f"method and seed of the sample are unknown ({how})."
    if made.method not in REDUCTIONS or made.method in EXPLORING:
        return None, f"{made.method} deletes nothing, so it has none."
    mode = made.mode or ("exact" if made.method in EXACT else "batched")
    limit = CURVE_EDGES.of(dev)
    if mode == "exact" and original.num_edges > limit:
        return None, f"left out: an exact curve of more than {limit} edges takes long on this device."
    options = made.options or {}
    if lost := next((name for name, value in options.items() if is_lost(value)), None):
        return None, f"{lost} was {options[lost]}, which the record does not hold."
    curve = reduction_curve(  # type: ignore[call-overload]
        original,
        made.method,
        made.seed,
        size=made.target or max(1, sample.num_vertices),
        device=dev,
        mode=mode,
        tolerance=options.get("tolerance"),
        mix=options.get("mix", options.get("weight")),
        connection=options.get("connection", "weak"),
    )
    return curve, None
