"""Names of several outputs, records of runs, and tables over seeds."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.device import Device

PLACES = ("size", "seed")
PICTURES = (".png", ".svg", ".pdf")


def check_template(output: str, sizes: Sequence[Any], seeds: int) -> None:
    """Check that a name with ``{size}`` and ``{seed}`` gives each output a different name.

    Raises
    ------
    InputError
        Something else in braces, or two samples with one name.
    """
    for name in re.findall(r"\{([^{}]*)\}", output):
        if name not in PLACES:
            raise InputError(f"-o {output}: {{{name}}} is unknown; {{size}} and {{seed}} can be filled in")
    if len(sizes) > 1 and "{size}" not in output:
        raise InputError(f"-o {output}: {len(sizes)} sizes would go to one file; put {{size}} into the name")
    if seeds > 1 and "{seed}" not in output:
        raise InputError(f"-o {output}: {seeds} seeds would go to one file; put {{seed}} into the name")
    twice = next((size for i, size in enumerate(sizes) if size in sizes[:i]), None)
    if twice is not None:
        raise InputError(f"size {twice} is named twice: both samples would go to one file")


def check_different(outputs: dict[str, str | None]) -> None:
    """Check that no two outputs, by their options, are one file."""
    taken: dict[Path, str] = {}
    for option, name in outputs.items():
        if name and (other := taken.setdefault(Path(name).resolve(), option)) != option:
            raise InputError(f"{other} and {option} both name {name}: give them different names")


def check_drawn(
    option: str, name: str, endings: Sequence[str] = PICTURES, otherwise: str = "leave it out"
) -> None:
    """Check, before any work is done, that a picture or a page can be drawn."""
    from clgraph.drawing import need_matplotlib
    from clgraph.formats import check_writable

    if not name.lower().endswith(tuple(endings)):
        raise InputError(f"{option} {name}: the name must end in {', '.join(endings)}")
    check_writable(name, "edges")
    need_matplotlib(option, otherwise)


def fill_template(output: str, size: str, seed: int) -> str:
    """The name of one sample."""
    return output.replace("{size}", size).replace("{seed}", str(seed))


def spread_table(told: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mean and sample standard deviation over the seeds, for each size in the order given."""
    import statistics

    rows = []
    for size in dict.fromkeys(each["size"] for each in told):
        same = [each for each in told if each["size"] == size]
        columns = {
            "vertices": [each["vertices"] for each in same],
            "edges": [each["edges"] for each in same],
            "average_degree": [2 * each["edges"] / each["vertices"] for each in same],
        }
        rows.append(
            {"size": size, "seeds": len(same)}
            | {
                name: {
                    "mean": statistics.fmean(values),
                    "spread": statistics.stdev(values) if len(values) > 1 else 0.0,
                }
                for name, values in columns.items()
            }
        )
    return rows


def write_record(
    path: str, graph: str, reading: dict[str, Any], device: Device, told: dict[str, Any]
) -> None:
    """Write everything that a reader needs to make the same samples."""
    import platform
    from importlib.metadata import version

    import numpy as np
    import scipy

    import clgraph
    from clgraph.formats import atomic_write

    value = {
        "command": ["clgraph", *sys.argv[1:]],
        "clgraph": clgraph.__version__,
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "pyopencl": version("pyopencl"),
        },
        "device": {
            "name": device.name,
            "kind": device.kind,
            "platform": device.platform_name,
            "driver": device.driver_version,
            "kernels": device.kernels,
            "built": device.built_files(),
        },
        **input_of(graph, reading),
        "result": told,
    }
    with atomic_write(path, "w") as out:
        json.dump(value, out, indent=2)
        out.write("\n")


def input_of(graph: str, reading: dict[str, Any]) -> dict[str, Any]:
    """The files of a graph with their hashes, and how they were read; limits are each reader's own."""
    from clgraph.studies.record import LIMITS

    files = [_fingerprint(file) for file in _input_files(Path(graph), reading["format"])]
    return {"input": files, "reading": {name: how for name, how in reading.items() if name not in LIMITS}}


def _input_files(graph: Path, format_name: str | None) -> list[Path]:
    """The file, or both files of an LDBC graph; none for standard input."""
    from clgraph.files.dispatch import STDIN
    from clgraph.formats import ldbc
    from clgraph.formats.table import find_format

    if str(graph) == STDIN:
        return []
    if find_format(graph, format_name).name != "ldbc":
        return [graph]
    return [file for end in (".v", ".e") if (file := ldbc.find(graph, end))]


def _fingerprint(file: Path) -> dict[str, Any]:
    import hashlib

    from clgraph.formats.common import check_file

    check_file(file, may_be_empty=True, packed=True)  # a pipe would be read for ever
    with open(file, "rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    return {"path": str(file), "bytes": file.stat().st_size, "sha256": digest}
