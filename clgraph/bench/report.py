"""The report on a folder of results: results.json, tables, figures, and a README.md with all of them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from clgraph.bench.figures import check_drawing, draw_all
from clgraph.bench.store import SCHEMA, Store, write_json
from clgraph.bench.tables import Labels, Table, machine_key, tables
from clgraph.errors import InputError
from clgraph.formats.atomic import atomic_write

__all__ = ["check_drawing", "write_report"]

Record = dict[str, Any]


def write_report(store: Store, *, figures: bool = True) -> list[Path]:
    """Make tables and figures of all results in the folder.

    Parameters
    ----------
    store : Store
    figures : bool
        Whether to draw (needs matplotlib).

    Returns
    -------
    list of Path
        The files written, README.md first.

    Raises
    ------
    InputError
        If there are no results.
    ClgraphError
        If matplotlib is not installed.
    """
    records = store.records()
    if not records:
        raise InputError(
            f"{store.cases} holds no results: run `clgraph bench all --out {store.folder}` first"
        )
    labels = Labels(records)
    made = tables(records, labels)
    folder = store.folder
    written = [folder / "results.json"]
    write_json(written[0], {"schema": SCHEMA, "records": records})
    (folder / "tables").mkdir(exist_ok=True)
    for table in made:
        for suffix, text in ((".md", table.markdown()), (".csv", table.csv())):
            written.append(_text(folder / "tables" / f"{table.name}{suffix}", text))
        written.append(folder / "tables" / f"{table.name}.json")
        write_json(written[-1], table.json())
    drawn: list[Path] = []
    if figures:
        check_drawing()
        (folder / "figures").mkdir(exist_ok=True)
        drawn = draw_all(records, labels, folder / "figures")
    readme = _text(folder / "README.md", markdown(records, labels, made, drawn, folder))
    return [readme, *written, *drawn]


def _text(path: Path, text: str) -> Path:
    with atomic_write(path, "w") as out:
        out.write(text)
    return path


def markdown(
    records: list[Record], labels: Labels, made: list[Table], drawn: list[Path], folder: Path
) -> str:
    """The README.md of the report."""
    parts = ["# Measured by clgraph bench\n", _where(records)]
    pictures = [path for path in drawn if path.suffix == ".svg"]
    if pictures:
        parts.append("## Figures\n")
        parts += [f"![{path.stem}]({path.relative_to(folder).as_posix()})\n" for path in pictures]
    parts.append("## Tables\n")
    parts += [table.markdown() for table in made]
    reasons: dict[str, int] = {}
    for record in records:
        energy = record.get("energy")
        if energy is not None and not energy["available"]:
            reasons[energy["reason"]] = reasons.get(energy["reason"], 0) + 1
    if reasons:
        parts.append("## Energy that was not measured\n")
        parts.append("".join(f"* {count} cases: {reason}\n" for reason, count in reasons.items()))
    for status, title in (("absent", "Absent"), ("failed", "Failed")):
        found = [record for record in records if record["status"] == status]
        if found:
            parts.append(f"## {title}\n")
            lines = [
                f"* {r['suite']}/{r['graph']}/{r['what']}/{r['who']}"
                f"{' on ' + labels.of(r) if r['device'] else ''}: {r['reason']}\n"
                for r in found
            ]
            parts.append("".join(dict.fromkeys(lines)))
    return "\n".join(parts)


def _where(records: list[Record]) -> str:
    """Machines, devices, versions, dates and commands."""
    lines = []
    for key in dict.fromkeys(map(machine_key, records)):
        here = [record for record in records if machine_key(record) == key]
        last = max(here, key=lambda record: record["date"])
        environment = last["environment"]
        gib = environment["machine"]["memory"]["value"] / 2**30
        lines.append(f"* {key[0]}, {key[1]} cores, {gib:.1f} GiB; {environment['system']}")
        for device in dict.fromkeys(_device(record) for record in here if record["device"]):
            lines.append(f"  * {device}")
        lines.append(f"  * {', '.join(f'{k} {v}' for k, v in environment['versions'].items())}")
        sources = dict.fromkeys(_source(record["environment"]["source"]) for record in here)
        lines.append(f"  * source {'; '.join(sources)}")
        dates = sorted(record["date"][:10] for record in here)
        lines.append(f"  * {dates[0]}" + (f" to {dates[-1]}" if dates[-1] != dates[0] else ""))
        for command in dict.fromkeys(shlex.join(record.get("command", [])) for record in here):
            lines.append(f"  * `{command}`")
    return "\n".join(lines) + "\n"


def _device(record: Record) -> str:
    device = record["device"]
    return f"{device['name']} ({device['platform']}, driver {device['driver']})"


def _source(source: dict[str, Any]) -> str:
    if "commit" not in source:
        return str(source["digest"])
    return f"{source['commit'][:10]}{' and changes' if source['changed'] else ''} ({source['digest']})"
