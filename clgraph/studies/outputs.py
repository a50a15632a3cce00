"""The files of a study beside its table: summary, Parquet, figures, report."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph.graph.io import atomic_write
from clgraph.studies.columns import COLUMNS, text_of
from clgraph.studies.plan import Tolerance
from clgraph.studies.summary import SUMMARY

if TYPE_CHECKING:
    from clgraph.studies.found import Found
    from clgraph.studies.report import Comparison


def complete_record(folder: Path, more: dict[str, Any]) -> None:
    """Add to ``study.json`` what only the command knows: the input's files, how they were read."""
    path = folder / "study.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    with atomic_write(path, "w") as out:
        json.dump({**told, **more}, out)
        out.write("\n")


def write_outputs(
    study: Found,
    folder: Path,
    tolerance: Tolerance,
    *,
    name: str,
    facts: Sequence[tuple[str, str]],
    figures: bool,
    beside: Comparison | None = None,
) -> list[str]:
    """Write what a study has beside ``study.csv`` and ``study.json``.

    Parameters
    ----------
    study : Found
    folder : Path
    tolerance : Tolerance
        Of the answer with which the report begins.
    name : str
        Of the graph.
    facts : sequence of (str, str)
        For the report.
    figures : bool
        Whether to draw: figures and the report need matplotlib.
    beside : Comparison, optional
        What the report shows after the answer.

    Returns
    -------
    list of str
        The names of the files.
    """
    written = ["summary.csv"]
    with atomic_write(folder / "summary.csv", "w") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(SUMMARY)
        writer.writerows([text_of(row[column]) for column in SUMMARY] for row in study.summary)
    if find_spec("pyarrow") is not None:
        pa, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        columns = {column: [row[column] for row in study.rows] for column in COLUMNS}
        with atomic_write(folder / "study.parquet", "wb") as out:
            parquet.write_table(pa.table(columns), out)
        written.append("study.parquet")
    if figures:
        from clgraph.studies.figures import write_figures
        from clgraph.studies.report import report_html

        count = write_figures(study, study.best(tolerance), folder / "figures")
        page = report_html(study, tolerance, name=name, facts=facts, beside=beside)
        with atomic_write(folder / "report.html", "wb") as out:  # a file's name may be no UTF-8
            out.write(page.encode("utf-8", "backslashreplace"))
        written += [f"figures ({count})", "report.html"]
    return written
