"""Tables as Markdown, CSV and JSON; reading values from records."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from typing import Any

Record = dict[str, Any]
Row = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """A column: its key in the rows, heading, unit, and format in Markdown."""

    key: str
    heading: str
    unit: str = ""
    form: str = ""


@dataclass
class Table:
    """Columns and rows; a missing value is None."""

    name: str
    title: str
    columns: list[Column]
    rows: list[Row]
    notes: list[str] = field(default_factory=list)

    def markdown(self) -> str:
        """The table with its title, without empty columns."""
        columns = [c for c in self.columns if any(row.get(c.key) is not None for row in self.rows)]
        heads = [f"{c.heading}, {c.unit}" if c.unit else c.heading for c in columns]
        lines = [f"### {self.title}", "", *(f"{note}\n" for note in self.notes)]
        lines.append(f"| {' | '.join(heads)} |")
        lines.append("|" + "".join("---:|" if c.form else "---|" for c in columns))
        lines += [f"| {' | '.join(_cell(row.get(c.key), c.form) for c in columns)} |" for row in self.rows]
        return "\n".join(lines) + "\n"

    def csv(self) -> str:
        """Every column, in full precision."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([f"{c.key} [{c.unit}]" if c.unit else c.key for c in self.columns])
        for row in self.rows:
            writer.writerow(["" if row.get(c.key) is None else row[c.key] for c in self.columns])
        return out.getvalue()

    def json(self) -> dict[str, Any]:
        """Columns with their units, and the rows."""
        columns = [{"key": c.key, "heading": c.heading, "unit": c.unit} for c in self.columns]
        return {
            "schema": 1,
            "name": self.name,
            "title": self.title,
            "notes": self.notes,
            "columns": columns,
            "rows": [{c.key: row.get(c.key) for c in self.columns} for row in self.rows],
        }


def _cell(value: Any, form: str) -> str:
    if value is None:
        return ""
    if isinstance(value, (tuple, list)):
        return " / ".join(_cell(each, form) for each in value)
    return format(value, form) if form and not isinstance(value, str) else str(value)


def value(record: Record | None, key: str, scale: float = 1.0) -> float | None:
    """A value of a record, or None."""
    if record is None or key not in record["values"]:
        return None
    return float(record["values"][key]["value"]) * scale


def energy(record: Record, key: str) -> float | None:
    """A value of a record's energy, or None."""
    found = record.get("energy", {}).get(key)
    return None if found is None else float(found["value"])
