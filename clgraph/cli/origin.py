"""What is known of how a sample was made: from its record, or from what the user says."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph.device.shapes import Shapes
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.sampling.curve import ReductionCurve

# edges of the largest graph whose exact curve is drawn: it is one serial pass
CURVE_EDGES = Shapes(gpu=500_000, cpu=20_000_000, simulator=20_000_000)


@dataclass(frozen=True)
class Origin:
    """How a sample was made; what is unknown is None.

    Attributes
    ----------
    method, mode, command : str or None
    seed, target : int or None
    options : dict
        What was asked for besides method, size and seed.
    samples : list of dict
        Results in the record, one of which is the sample's.
    facts : list of (str, str)
        What else the record says.
    left_out : int
        Vertices without edges that the sample has and its file has not.
    """

    method: str | None = None
    mode: str | None = None
    seed: int | None = None
    target: int | None = None
    command: str | None = None
    options: dict[str, Any] | None = None
    samples: tuple[dict[str, Any], ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    output: str | None = None
    left_out: int = 0

    @property
    def lacks(self) -> str:
        """The vertices that are left out, in words."""
        from clgraph.graph.io.common import counted

        return counted(self.left_out, "vertex without edges", "vertices without edges")

    @property
    def contracts(self) -> bool:
        """Whether the method contracts."""
        from clgraph.sampling.options import CONTRACTING

        return self.method in CONTRACTING

    def checked(self, sample: Graph, record: str | None) -> Origin:
        """This origin, completed by what the record says of the sample given.

        Raises
        ------
        InputError
            If the record is about other samples.
        """
        if not self.samples:
            return self
        same = [each for each in self.samples if _fits(each, sample)]
        named = [each for each in same if self.output and _base(each.get("output")) == _base(self.output)]
        if not same:
            sizes = ", ".join(str(each["vertices"]) for each in self.samples[:8])
            raise InputError(
                f"--record {record}: it is about samples of {sizes} vertices, but the sample given has "
                f"{sample.num_vertices}; give the record that was written with it"
            )
        told = (named or same)[0]
        facts = list(self.facts)
        left_out = told["vertices"] - sample.num_vertices
        labels = {
            "size": "size asked for",
            "target": "target",
            "iterations": "batches or probes",
            "way": "way",
        }
        for key, label in labels.items():
            if told.get(key):  # a target of 0 is none, 0 batches are of methods that have none
                facts.append((label, str(told[key])))
        facts += [("note", note) for note in told.get("notes", ())]
        return replace(
            self,
            method=told["method"],
            mode=told.get("mode"),
            seed=told["seed"],
            target=told.get("target"),
            options=told.get("options", {}),
            facts=tuple(facts),
            left_out=left_out,
        )


def _fits(told: dict[str, Any], sample: Graph) -> bool:
    """Whether a graph may be a sample that a record tells of: a file may lack its vertices without edges."""
    if told["vertices"] <= sample.num_vertices:
        return bool(told["vertices"] == sample.num_vertices)
    edges = sample.undirected.simple
    return edges.num_linked == sample.num_vertices and bool(told["edges"] == edges.num_edges)


def _base(path: Any) -> str:
    return Path(str(path)).name


def read_origin(
    record: str | None, method: str | None, seed: int | None, command: str | None, output: str | None
) -> Origin:
    """How a sample was made, from its record and the options.

    Raises
    ------
    InputError
        If the file is not a record, or an option contradicts it.
    """
    if method is not None:
        from clgraph.sampling.literature.plan import METHODS as LITERATURE
        from clgraph.sampling.literature.plan import known
        from clgraph.sampling.options import METHODS, plain_method

        method = known(method) or plain_method(method)
        if method not in METHODS and method not in LITERATURE:
            methods = ", ".join((*METHODS, *LITERATURE))
            raise InputError(f"unknown method {method!r}: the known ones are {methods}")
    if record is None:
        return Origin(method=method, seed=seed, command=command)
    if method is not None or seed is not None:
        raise InputError("--record says how the sample was made: leave --method and --sample-seed out")
    from clgraph.studies.record import WRITTEN, load_record

    told = load_record(record)
    result = told.get("result", told)
    samples = result.get("samples", [result])
    if "study" in told or not samples:
        raise InputError(f"{record}: it describes no sample; {WRITTEN}")
    words = told.get("command", [])
    facts = []
    for each in told.get("input", []):
        facts.append(("input", f"{each['path']}, {each.get('bytes')} bytes, SHA-256 {each['sha256']}"))
    device = told.get("device", samples[0].get("device"))
    if isinstance(device, dict):
        details = f"{device.get('kind')}, {device.get('platform')}, driver {device.get('driver')}"
        device = f"{device.get('name')} ({details})"
    if device:
        facts.append(("sampled on", device))
    if "versions" in told:
        names = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy"}
        versions = [f"{names.get(name, name)} {value}" for name, value in told["versions"].items()]
        facts.append(("sampled with", ", ".join([f"clgraph {told.get('clgraph')}", *versions])))
    return Origin(
        command=command or (shlex.join(words) if words else None),
        samples=tuple(samples),
        facts=tuple(facts),
        output=output,
    )


def facts_of(original: str, sample: str | None, made: Origin) -> list[tuple[str, str]]:
    """What the report says about the files and the sampling."""
    facts = [("original", original)]
    if sample is None:
        return facts
    from clgraph.sampling.literature.plan import METHODS as LITERATURE
    from clgraph.sampling.options import METHODS
    from clgraph.sampling.result import with_mode

    facts.append(("sample", sample))
    if made.left_out:
        facts.append(("not in its file", f"{made.lacks}, which an edge list does not hold"))
    if made.method:
        does = METHODS[made.method] if made.method in METHODS else LITERATURE[made.method].does
        facts.append(("method", f"{with_mode(made.method, made.mode)}: {does}"))
    if made.seed is not None:
        facts.append(("seed", str(made.seed)))
    if made.command:
        facts.append(("sampled by", made.command))
    facts += made.facts
    if not (made.method or made.command):
        facts.append(
            ("how it was sampled", "unknown: `clgraph sample --record FILE` writes it to a file for --record")
        )
    return facts


def curve_of(
    original: Graph, sample: Graph, made: Origin, dev: Device
) -> tuple[ReductionCurve | None, str | None]:
    """The reduction curve down to the sample, or why it is left out."""
    from clgraph.sampling.curve import reduction_curve
    from clgraph.sampling.options import EXACT, EXPLORING, METHODS
    from clgraph.studies.record import is_lost

    if made.method is None or made.seed is None:
        return (
            None,
            "method and seed of the sample are unknown (give --record, or --method and --sample-seed).",
        )
    if made.method not in METHODS or made.method in EXPLORING:
        return None, f"{made.method} deletes nothing, so it has none."
    mode = made.mode or ("exact" if made.method in EXACT else "batched")
    limit = CURVE_EDGES.of(dev)
    if mode == "exact" and original.num_edges > limit:
        return None, f"left out: an exact curve of more than {limit} edges takes long on this device."
    options = made.options or {}
    if lost := next((name for name, value in options.items() if is_lost(value)), None):
        return None, f"{lost} was {options[lost]}, which the record does not hold."
    curve = reduction_curve(
        original,
        made.method,
        made.seed,
        size=made.target or max(1, sample.num_vertices),
        device=dev,
        mode=mode,  # type: ignore[arg-type]
        tolerance=options.get("tolerance"),
        mix=options.get("mix", options.get("weight")),
        connection=options.get("connection", "weak"),
    )
    return curve, None
