"""What a study has so far: in its folder, from where it goes on after an interruption, or only in memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from clgraph.errors import InputError
from clgraph.studies.columns import Row, header_of, lines_of, read_rows
from clgraph.studies.plan import Plan
from clgraph.studies.record import STUDY_HASHES, load_record, save_record
from clgraph.studies.run import Batch

TABLE = "study.csv"
FIRST = ("degrees", "hop_plots", "spectra")  # of the first seed's samples, by method and size
KEPT = (*FIRST, "restarts")
OUTPUTS = (TABLE, "summary.csv", "study.parquet", "figures", "report.html", "best")


def make_folder(folder: Path) -> None:
    """Make the folder of a study, unless it is there.

    Raises
    ------
    InputError
        If it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror or error}") from error


class State:
    """The state of a study in a folder, or nowhere.

    Parameters
    ----------
    folder : Path or None
    plan : Plan
    input : str
        The hash of the graph.
    version, device : str

    Attributes
    ----------
    notes : list of str
        Of the batches so far.
    degrees, hop_plots, spectra : dict
        Degree histograms, hop plots and largest eigenvalues by method and size.
    restarts : dict
        How often a sample's method started again, by method, size and seed.
    rows : list of dict
        In the order of the plan.

    Raises
    ------
    InputError
        If the folder has another study, or cannot be written.
    """

    def __init__(self, folder: Path | None, plan: Plan, input: str, version: str, device: str) -> None:
        self._folder, self.input = folder, input
        self._plan = plan.to_dict()
        self._head = {"study": self._plan, "clgraph": version, "device": device, "input": input}
        self.notes: list[str] = []
        self.degrees: dict[str, Any] = {}
        self.hop_plots: dict[str, Any] = {}
        self.spectra: dict[str, Any] = {}
        self.restarts: dict[str, dict[str, dict[str, int]]] = {}
        self.rows: list[Row] = []
        if folder is None:
            return
        make_folder(folder)
        if self._path.exists():
            self._read()
        # a folder of other work must not be written into
        elif foreign := [name for name in OUTPUTS if os.path.lexists(folder / name)]:
            raise InputError(
                f"{folder} has a {foreign[0]} without {self._path.name}, which no study has put there: give "
                "another folder"
            )
        else:
            self.write()
        table = folder / TABLE
        if table.exists():
            self.rows = read_rows(table)
            # of a run that was cut off none of the samples counts
            del self.rows[len(self.rows) // len(plan.sizes) * len(plan.sizes) :]
        whole = header_of(plan.also) + lines_of(self.rows)
        if not table.exists() or table.read_bytes() != whole.encode():
            self._write_rows(whole, "w")

    @property
    def _path(self) -> Path:
        assert self._folder is not None
        return self._folder / "study.json"

    def _read(self) -> None:
        content = load_record(str(self._path))
        if "study" not in content:
            raise InputError(f"{self._path}: not a study's record; give another folder")
        self.notes = content["notes"]
        for name in KEPT:  # records of earlier versions lack some
            setattr(self, name, content.get(name, {}))
        differ = [key for key in self._head if key != "study" and content[key] != self._head[key]]
        keys = {**self._plan, **content["study"]}  # either may lack optional measures
        differ += [key for key in keys if content["study"].get(key) != self._plan.get(key)]
        if differ:
            raise InputError(
                f"{self._folder} has another study (different: {', '.join(differ)}): give another folder, "
                "or delete it"
            )

    def write(self, more: dict[str, Any] | None = None) -> None:
        """Write the record, at the end of the study with everything that it has."""
        if self._folder is not None:
            so_far = {**self._head, "notes": self.notes, **{name: getattr(self, name) for name in KEPT}}
            so_far["hashes"] = STUDY_HASHES
            save_record(self._path, {**so_far, **(more or {})})

    def add(self, batch: Batch) -> None:
        """Add a batch: its notes before its rows, which show that it is done."""
        self.notes += [note for note in batch.notes if note not in self.notes]
        for name in FIRST:
            if found := getattr(batch, name):
                getattr(self, name)[batch.method] = found
        # by seed: a batch that is drawn again after an interruption counts once
        for size, starts in batch.restarts.items():
            self.restarts.setdefault(batch.method, {}).setdefault(size, {}).update(starts)
        if batch.notes or batch.degrees or batch.restarts:
            self.write()
        if self._folder is not None:
            self._write_rows(lines_of(batch.rows), "a")
        self.rows += batch.rows

    def _write_rows(self, text: str, mode: str) -> None:
        assert self._folder is not None
        path = self._folder / TABLE
        try:
            with open(path, mode, encoding="utf-8", newline="") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())  # a power cut must not lose hours of work
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror or error}") from error
