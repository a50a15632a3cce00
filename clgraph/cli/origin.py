"""What is known of how a sample was made: from its record, or from what the user says."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph.arguments import file_name
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
    options : dict of str to str
        Options of the sampling command that change what is drawn: "--mix", "--connection", ...
    samples : list of dict
        Results in the record, one of which is the sample's.
    facts : list of (str, str)
        What else the record says.
    """

    method: str | None = None
    mode: str | None = None
    seed: int | None = None
    target: int | None = None
    command: str | None = None
    options: dict[str, str] | None = None
    samples: tuple[dict[str, Any], ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    output: str | None = None

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
        same = [each for each in self.samples if each.get("vertices") == sample.num_vertices]
        named = [each for each in same if self.output and _base(each.get("output")) == _base(self.output)]
        if not same:
            sizes = ", ".join(str(each.get("vertices")) for each in self.samples[:8])
            raise InputError(
                f"--record {record}: it is about samples of {sizes} vertices, but the sample given has "
                f"{sample.num_vertices}; give the record that was written with it"
            )
        told = (named or same)[0]
        facts = list(self.facts)
        labels = {
            "size": "size asked for",
            "target": "target",
            "iterations": "batches or probes",
            "way": "way",
        }
        for key, label in labels.items():
            if told.get(key) is not None:
                facts.append((label, str(told[key])))
        facts += [("note", str(note)) for note in told.get("notes") or ()]
        return replace(
            self,
            method=told.get("method"),
            mode=told.get("mode"),
            seed=told.get("seed"),
            target=told.get("target"),
            facts=tuple(facts),
        )


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
        from clgraph.sampling.options import METHODS, plain_method

        method = plain_method(method)
        if method not in METHODS:
            raise InputError(f"unknown method {method!r}: the known ones are {', '.join(METHODS)}")
    if record is None:
        return Origin(method=method, seed=seed, command=command)
    if method is not None or seed is not None:
        raise InputError("--record says how the sample was made: leave --method and --sample-seed out")
    from clgraph.graph.io.common import read_text

    try:
        told = json.loads(read_text(file_name(record, "--record")))
    except OSError as error:
        raise InputError(f"cannot read {record}: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(
            f"{record}: not JSON ({error}); give what `clgraph sample --record {record}` wrote"
        ) from error
    result = told.get("result", told) if isinstance(told, dict) else None
    samples = result.get("samples", [result]) if isinstance(result, dict) else None
    if not (
        isinstance(samples, list) and samples and all(isinstance(s, dict) and "method" in s for s in samples)
    ):
        raise InputError(
            f"{record}: it describes no sample; give what `clgraph sample --record` or --json wrote"
        )
    words = [str(word) for word in told.get("command") or ()]
    facts = []
    for each in told.get("input") or ():
        facts.append(
            ("input", f"{each.get('path')}, {each.get('bytes')} bytes, SHA-256 {each.get('sha256')}")
        )
    device = told.get("device")
    if isinstance(device, dict):
        details = f"{device.get('kind')}, {device.get('platform')}, driver {device.get('driver')}"
        device = f"{device.get('name')} ({details})"
    elif device is None:
        device = samples[0].get("device")
    if device:
        facts.append(("sampled on", str(device)))
    if isinstance(told.get("versions"), dict):
        names = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy"}
        versions = [f"{names.get(name, name)} {value}" for name, value in told["versions"].items()]
        facts.append(("sampled with", ", ".join([f"clgraph {told.get('clgraph')}", *versions])))
    return Origin(
        command=command or (shlex.join(words) if words else None),
        options=_options(words),
        samples=tuple(samples),
        facts=tuple(facts),
        output=output,
    )


def _options(words: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in ("--mix", "--weight", "--connection", "--tolerance"):
        for i, word in enumerate(words):
            if word == name and i + 1 < len(words):
                found[name] = words[i + 1]
            elif word.startswith(name + "="):
                found[name] = word.split("=", 1)[1]
    return found


def facts_of(original: str, sample: str | None, made: Origin) -> list[tuple[str, str]]:
    """What the report says about the files and the sampling."""
    facts = [("original", original)]
    if sample is None:
        return facts
    from clgraph.sampling.options import METHODS

    facts.append(("sample", sample))
    if made.method:
        mode = f" ({made.mode})" if made.mode else ""
        facts.append(("method", f"{made.method}{mode}: {METHODS[made.method]}"))
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
    tolerance = options.get("--tolerance")
    curve = reduction_curve(
        original,
        made.method,
        made.seed,
        size=made.target or max(1, sample.num_vertices),
        device=dev,
        mode=mode,  # type: ignore[arg-type]
        tolerance=None if tolerance is None else float(tolerance),
        mix=options.get("--mix", options.get("--weight")),
        connection="strong" if options.get("--connection") == "strong" else "weak",
    )
    return curve, None
