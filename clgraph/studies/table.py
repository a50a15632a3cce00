"""The table of a study as it grows: rows in the order of the plan, kept in a file or in memory."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

from clgraph.errors import InputError
from clgraph.studies.columns import COLUMNS, Row, text_of, value_of


def header() -> str:
    """The first line of the CSV."""
    return ",".join(COLUMNS) + "\n"


def lines_of(rows: list[Row]) -> str:
    """Rows as lines of the CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        writer.writerow([text_of(row[column]) for column in COLUMNS])
    return out.getvalue()


def read_rows(path: Path) -> list[Row]:
    """The complete rows of a CSV; what an interrupted run left behind the last whole line is passed over.

    Raises
    ------
    InputError
        If it is not a study's table; the line is named.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    whole = text[: text.rfind("\n") + 1]
    lines = list(csv.reader(io.StringIO(whole)))
    if not lines:
        return []
    if tuple(lines[0]) != COLUMNS:
        raise InputError(f"{path}, line 1: not the columns of a study of this version of clgraph")
    rows = []
    for number, cells in enumerate(lines[1:], 2):
        if len(cells) != len(COLUMNS):
            raise InputError(f"{path}, line {number}: {len(cells)} columns, {len(COLUMNS)} are needed")
        try:
            rows.append({name: value_of(name, cell) for name, cell in zip(COLUMNS, cells, strict=True)})
        except ValueError as error:
            raise InputError(f"{path}, line {number}: {error}") from error
    return rows


class Growing:
    """The rows so far: in a file, to which every call of `add` brings them safely, or only here.

    Parameters
    ----------
    path : Path or None
    each : int
        Rows of a run: of a run that was cut off none is kept.
    """

    def __init__(self, path: Path | None, each: int) -> None:
        self._path = path
        self.rows: list[Row] = []
        if path is None:
            return
        if path.exists():
            self.rows = read_rows(path)
            del self.rows[len(self.rows) // each * each :]
        # what was cut off goes, and the header comes
        whole = header() + lines_of(self.rows)
        if not path.exists() or path.read_bytes() != whole.encode():
            self._write(whole, "w")

    def _write(self, text: str, mode: str) -> None:
        assert self._path is not None
        try:
            with open(self._path, mode, encoding="utf-8", newline="") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
        except OSError as error:
            raise InputError(f"cannot write {self._path}: {error.strerror or error}") from error

    def add(self, rows: list[Row]) -> None:
        """Some more rows."""
        if self._path is not None:
            self._write(lines_of(rows), "a")
        self.rows += rows
