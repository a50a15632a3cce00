"""Checks before a command reads a graph, names of several outputs, and tables over seeds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clgraph.errors import InputError

PICTURES = (".png", ".svg", ".pdf")


def check_without_graph(method: str, options: dict[str, Any]) -> str:
    """Return a method's short name; raises the InputError that `clgraph.sample` raises for any graph."""
    from clgraph.graph import Graph
    from clgraph.sampling.request import check_request

    # an edge is a graph of every kind: what is refused for it is refused for all
    return check_request(Graph.from_edges([0], [1]), method, options).method


def seeds_of(seed: int | None, seeds: int) -> range:
    """Return the seeds of ``--seeds`` runs from ``--seed`` on."""
    from clgraph import keyed

    if seeds < 1:
        raise InputError(f"--seeds {seeds}: give a count of runs, 1 or more")
    first = keyed.check_seed(seed)
    keyed.check_seed(first + seeds - 1)  # the last one must not pass 2^64 - 1
    return range(first, first + seeds)


def check_template(output: str, sizes: Sequence[Any], seeds: int) -> None:
    """Check that a name with ``{size}`` and ``{seed}`` gives each output a different name."""
    for name in re.findall(r"\{([^{}]*)\}", output):
        if name not in ("size", "seed"):
            raise InputError(f"-o {output}: {{{name}}} is unknown; {{size}} and {{seed}} can be filled in")
    for name, count in (("size", len(sizes)), ("seed", seeds)):
        if count > 1 and f"{{{name}}}" not in output:
            raise InputError(
                f"-o {output}: {count} {name}s would go to one file; put {{{name}}} into the name"
            )
    # 50% and 0.5 are different words: their files have different names
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


def spread_table(samples: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return mean and sample standard deviation over the seeds, by size in the order given."""
    import statistics

    rows = []
    for size in dict.fromkeys(each["size"] for each in samples):
        same = [each for each in samples if each["size"] == size]
        columns = {name: [each[name] for each in same] for name in ("vertices", "edges")}
        columns["average_degree"] = [2 * each["edges"] / each["vertices"] for each in same]
        spreads = {
            name: {
                "mean": statistics.fmean(values),
                "spread": statistics.stdev(values) if len(values) > 1 else 0.0,
            }
            for name, values in columns.items()
        }
        rows.append({"size": size, "seeds": len(same), **spreads})
    return rows
