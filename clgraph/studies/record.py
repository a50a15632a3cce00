"""The schema of records, by which every reader checks one before anything is done with it.

A record may be a stranger's. It says what was drawn, of which input, by which options. Nothing in it names a
place to write or a file to open besides the input, and limits are the reader's own.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clgraph.arguments import file_name, number_given, parse_size, shown
from clgraph.errors import InputError
from clgraph.formats import atomic_write
from clgraph.formats.common import read_text
from clgraph.methods import METHODS
from clgraph.methods import OPTIONS as TAKEN

LIMITS = ("max_vertices", "max_ratio")  # older records hold them; nobody takes them from there
LARGEST = 1 << 28  # bytes, some 100 000 samples: /dev/zero would be read for ever
WRITTEN = "give what `clgraph sample --record` (or --json) or `clgraph study` wrote"


@dataclass(frozen=True)
class Leaf:
    """A value without parts: what it must be, and whether one is."""

    what: str
    holds: Callable[[Any], bool]

    def __or__(self, other: Leaf) -> Leaf:
        return Leaf(f"{self.what}, or {other.what}", lambda value: self.holds(value) or other.holds(value))


@dataclass(frozen=True)
class Keys:
    """An object with some known keys."""

    known: dict[str, Any]
    needed: tuple[str, ...] = ()


def each_of(schema: Any) -> Callable[[dict[str, Any]], Keys]:
    """Return the schema of an object of any keys, with values of one kind."""
    return lambda value: Keys(dict.fromkeys(value, schema))


def _is_text(value: Any) -> bool:
    # names of files that are no UTF-8 are held as surrogates that stand for their bytes: only these pass
    return isinstance(value, str) and not re.search("[\ud800-\udc7f\udd00-\udfff]", value)


def _is_plain(value: Any) -> bool:
    """True for text that can be shown as it is: nothing that moves a terminal's cursor."""
    return _is_text(value) and all(c.isprintable() or "\udc80" <= c <= "\udcff" for c in value)


def _is_size(value: Any) -> bool:
    try:
        parse_size(value)
    except InputError:
        return False
    return not isinstance(value, str) or _is_plain(value)


def _is_number(value: Any) -> bool:
    # Python's JSON has NaN and Infinity, and whole numbers beyond any float; no comparison is true for NaN
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _is_option(value: Any) -> bool:
    return (_is_number(value) or _is_plain(value)) and number_given(value) is not None


def _is_histogram(value: Any) -> bool:
    lists = isinstance(value, list) and len(value) == 2 and all(isinstance(each, list) for each in value)
    return lists and len(value[0]) == len(value[1]) and all(COUNT.holds(k) for each in value for k in each)


def is_lost(value: Any) -> bool:
    """True if an option was no plain value, as an array of strata: a record has its type alone."""
    return isinstance(value, str) and re.fullmatch(r"<\w+>", value, re.ASCII) is not None


def _list_of(leaf: Leaf) -> Leaf:
    return Leaf(
        f"a list of {leaf.what}",
        lambda value: isinstance(value, list) and len(value) > 0 and all(map(leaf.holds, value)),
    )


NULL = Leaf("null", lambda value: value is None)
FLAG = Leaf("true or false", lambda value: isinstance(value, bool))
COUNT = Leaf("a whole number from 0 to 2**63 - 1", lambda value: type(value) is int and 0 <= value < 2**63)
SEED = Leaf("a seed, 0 to 2**64 - 1", lambda value: type(value) is int and 0 <= value < 2**64)
NUMBER = Leaf("a number", _is_number)
TEXT = Leaf("text", _is_text)
PLAIN = Leaf("text without control characters", _is_plain)
PATH = Leaf(
    "a file's name without control characters", lambda value: _is_plain(value) and 0 < len(value) <= 4096
)
HASH = Leaf(
    "a SHA-256 in 64 hexadecimal digits",
    lambda value: isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None,
)
METHOD = Leaf(
    "a method that `clgraph methods` lists", lambda value: isinstance(value, str) and value in METHODS
)
SIZE = Leaf("a size, such as 30% or 5000", _is_size)
SIZES = Leaf("sizes of strata", lambda value: isinstance(value, dict) and all(map(_is_size, value.values())))
OPTION = Leaf("a number, perhaps as text", _is_option)
LOST = Leaf("the type of an array in angle brackets", is_lost)
HISTOGRAM = Leaf("two lists of counts: degrees, and vertices of each", _is_histogram)
ID = COUNT | PLAIN
ANYTHING = Leaf("anything", lambda _: True)  # which nobody reads

LEAVES = {bool: FLAG, int: COUNT, tuple: PLAIN, str: OPTION}  # of what an option takes
OPTIONS: dict[str, Leaf] = {
    **{
        name: LEAVES[type(each.takes) if each.takes not in LEAVES else each.takes]
        for name, each in TAKEN.items()
    },
    "weight": OPTION,  # what mix was called in older records
    "edges": SIZE,
    "start": ID | _list_of(ID),
    "powers": PLAIN | _list_of(OPTION),
    "strata": LOST,
}
del OPTIONS["min_size"]  # which changes no sample: the seed of the run that was taken stands in the record
RUNS_ON = {"kernels": TEXT, "built": [TEXT], "pieces": COUNT}
ABOUT = {"clgraph": PLAIN, "notes": [TEXT], "seconds": each_of(NUMBER), **RUNS_ON}
ENERGY = each_of(NUMBER | TEXT | FLAG | NULL)
SAMPLE = Keys(
    {
        **ABOUT,
        "directed": FLAG,
        "options": Keys({name: each | LOST for name, each in OPTIONS.items()} | {"sizes": [SIZE]}),
        "input_sha256": HASH,
        "sha256": HASH,
        "method": METHOD,
        "mode": PLAIN,
        "seed": SEED,
        "size": SIZE | SIZES | NULL,
        "target": COUNT | NULL,
        **dict.fromkeys(("vertices", "edges", "arrivals", "iterations"), COUNT),
        **dict.fromkeys(("device", "way", "weighting", "keep"), TEXT),
        "estimates": each_of(Keys({"value": NUMBER | NULL, "standard_error": NUMBER | NULL})),
        "fingerprint": HASH | NULL,
        "verified": FLAG,
        "output": TEXT | NULL,
        "energy": ENERGY,
    },
    needed=("method", "seed", "vertices", "edges"),
)
SPREAD = Keys({"mean": NUMBER, "spread": NUMBER})
SEVERAL = Keys(
    {
        "samples": [SAMPLE],
        "spread": [
            Keys(
                {"size": SIZE | NULL, "seeds": COUNT}
                | dict.fromkeys(("vertices", "edges", "average_degree"), SPREAD)
            )
        ],
        "energy": ENERGY,
    }
)
FILE = Keys({"path": PATH, "bytes": COUNT, "sha256": HASH}, needed=("path", "sha256"))
READING = Keys(
    {
        "format": PLAIN | NULL,
        "ids": PLAIN,
        "duplicates": PLAIN,
        "weights": FLAG,
        **dict.fromkeys(("directed", "header"), FLAG | NULL),
        **dict.fromkeys(LIMITS, NUMBER | NULL),
    }
)
RUN = Keys(
    {
        "command": [TEXT],
        "clgraph": PLAIN,
        "versions": each_of(TEXT),
        "device": Keys(dict.fromkeys(("name", "kind", "platform", "driver"), TEXT) | RUNS_ON),
        "input": [FILE],
        "reading": READING,
        "hashes": each_of(TEXT),
        "result": lambda value: _kind(value),  # which stands below
    }
)
PLAN = {
    "methods": [METHOD],
    "sizes": [SIZE],
    "targets": [COUNT],
    **dict.fromkeys(("seeds", "min_size", "hop_sources"), COUNT),
    "seed": SEED,
    "eigenvalues": FLAG | NULL,
}
STUDY = Keys(
    {
        **ABOUT,
        "study": Keys({**PLAN, "also": [TEXT]}, needed=tuple(PLAN)),
        "device": TEXT,
        "input": HASH,
        "output": HASH,
        "samples": COUNT,
        # of the original, and of each method by size
        "degrees": lambda value: Keys({name: each_of(HISTOGRAM) for name in value} | {"original": HISTOGRAM}),
        # likewise; "original" has a list
        **dict.fromkeys(
            ("hop_plots", "spectra"),
            lambda value: Keys({name: each_of([NUMBER]) for name in value} | {"original": [NUMBER]}),
        ),
        # by method, size and seed
        "restarts": each_of(each_of(each_of(COUNT))),
        "original": each_of(NUMBER | NULL),
        "reasons": each_of(TEXT),
        "files": [FILE],
        "hashes": each_of(TEXT),
        "reading": READING,
        "command": [TEXT],
        **dict.fromkeys(("answer", "beside"), ANYTHING),  # of --json
    },
    needed=("study", "clgraph", "device", "input", "notes"),
)


# what a record says of its hashes, for those who read it without clgraph's documentation
_GRAPH = (
    "SHA-256 of {} in memory: direction, row_ptr (int64), col_idx (int32), weights (float64), multiplicity "
    "(int32) and ids, little-endian; the same for every file format and device (clgraph/graph/digest.py)"
)
SAMPLE_HASHES = {
    "input.sha256": "SHA-256 of the bytes of the input's file",
    "input_sha256": _GRAPH.format("the original as it was read"),
    "sha256": _GRAPH.format("the sample"),
}
STUDY_HASHES = {
    "files.sha256": "SHA-256 of the bytes of the input's file",
    "input": _GRAPH.format("the original as it was read"),
    "output": "SHA-256 of the rows of study.csv without version, device and what comes of eigenvalues",
}


def _kind(value: dict[str, Any]) -> Keys:
    """Return the schema of an object: of a study, a command, or one or several samples alone."""
    kinds = {"study": STUDY, "result": RUN, "samples": SEVERAL}
    return next((kind for key, kind in kinds.items() if key in value), SAMPLE)


def load_record(path: str) -> dict[str, Any]:
    """Read a record, and check that it holds nothing else.

    Raises
    ------
    InputError
        If it cannot be read, or holds something else; the message names the place in it.
    """
    try:
        text = read_text(file_name(path, "record"), LARGEST + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not JSON as a record has it ({error}); {WRITTEN}") from error
    try:
        if len(text) > LARGEST:
            raise ValueError(f"over {LARGEST >> 20} MiB")
        content = json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON as a record has it ({error}); {WRITTEN}") from error
    try:
        _check(content, _kind, "")
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    found: dict[str, Any] = content
    return found


def save_record(path: str | Path, content: dict[str, Any], indent: int | None = None) -> None:
    """Write a record; the file appears complete or not at all."""
    with atomic_write(path, "w") as out:
        json.dump(content, out, indent=indent)
        out.write("\n")


def _check(value: Any, schema: Any, at: str) -> None:
    if callable(schema):  # which schema holds depends on the value: a study's, a command's, a sample's
        schema = schema(value if isinstance(value, dict) else {})
    if isinstance(schema, Leaf):
        if not schema.holds(value):
            raise InputError(f"{at} is {shown(value)}, not {schema.what}")
    elif isinstance(schema, list):
        if not isinstance(value, list):
            raise InputError(f"{at} is {shown(value)}, not a list")
        for number, each in enumerate(value):
            _check(each, schema[0], f"{at}[{number}]")
    else:
        _check_object(value, schema, at)


def _check_object(value: Any, schema: Keys, at: str) -> None:
    if not isinstance(value, dict):
        raise InputError(f"{at or 'it'} is {shown(value)}, not an object; {WRITTEN}")
    for name, each in value.items():
        if name not in schema.known:
            raise InputError(f"unknown key {shown(name)}{f' in {at}' if at else ''}; {WRITTEN}")
        place = name if name.isidentifier() else shown(name)
        _check(each, schema.known[name], f"{at}.{place}" if at else place)
    for name in schema.needed:
        if name not in value:
            raise InputError(f"{at or 'it'} has no {name}; {WRITTEN}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:  # json keeps the last one, and another reader might keep the first
            raise ValueError(f"the key {shown(name)} twice")
        made[name] = value
    return made
