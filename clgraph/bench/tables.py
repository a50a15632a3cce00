"""The tables that are made from results: labels of devices, reading of records, Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from clgraph.bench import SUITES
from clgraph.bench.cases.pagerank import TABLE
from clgraph.bench.cases.ppr import SLIDES, does
from clgraph.bench.graphs import size_of
from clgraph.theses import printed
from clgraph.theses.copra import CHARACTERISTICS

Record = dict[str, Any]
Row = dict[str, Any]


def tables(records: Sequence[Record], labels: Labels) -> list[Table]:
    """Return every table for which there are results."""
    done = sorted((record for record in records if record["status"] == "done"), key=order_of)
    of: dict[str, list[Record]] = defaultdict(list)
    for record in done:
        of[table_of(record)].append(record)
    of["energy"] = [record for record in done if record.get("energy", {}).get("available")]
    made = [
        *_characteristics(of["characteristics"]),
        _plain_table("sampling", of, labels),
        _pagerank_table(of["pagerank_table"], labels),
        *(_plain_table(name, of, labels) for name in ("pagerank_iterations", "pagerank_solve", "ppr")),
        _ppr_printed(of, labels),
        *(_plain_table(name, of, labels) for name in ("traversal", "energy")),
    ]
    return [table for table in made if table.rows]


def table_of(record: Record) -> str:
    """Return the name of the table in which a result appears."""
    suite, what = record["suite"], record["what"]
    if what.startswith("characteristics"):
        return "characteristics"
    if suite == "pagerank":
        names = {"iteration": "pagerank_iterations", "solve": "pagerank_solve", TABLE: "pagerank_table"}
        return names.get(what, "")
    return "ppr_printed" if what.startswith(SLIDES) else str(suite)


# --- labels of devices and machines, and the order of results --------------------------------------------

PLATFORMS = {
    "Portable Computing Language": "PoCL",
    "Intel(R) OpenCL": "Intel's runtime",
    "NVIDIA CUDA": "",
    "Intel(R) FPGA Emulation Platform for OpenCL(TM)": "FPGA emulator",
    "Oclgrind": "Oclgrind",
}
# other libraries run on the machine's CPU, except these
CUDA = ("cupy", "cuSPARSE", "CUDA")


class Labels:
    """Labels of the devices in a set of results, with the machine where there are several."""

    def __init__(self, records: Iterable[Record]) -> None:
        records = list(records)
        machines = {machine_key(record): None for record in records}
        self._several = len(machines) > 1
        self._gpu = {
            machine_key(record): str(record["device"]["name"])
            for record in records
            if record["device"] and record["device"]["kind"] == "gpu"
        }

    def of(self, record: Record) -> str:
        """Return the label of a device, or of the machine if a case runs without one."""
        device, machine = record["device"], short_machine(record)
        if device is None:
            on_gpu = record["who"].startswith(CUDA)
            return self._gpu.get(machine_key(record), "its GPU") if on_gpu else machine
        if device["kind"] == "gpu":
            return str(device["name"])
        platform = PLATFORMS.get(device["platform"], device["platform"])
        return f"{platform}, {machine}" if self._several else platform

    def series(self, record: Record) -> str:
        """Return the label for a figure's legend: who did it, and where."""
        if record["device"] is not None:
            return self.of(record)
        return f"{record['who']}, {self.of(record)}" if self._several else str(record["who"])


def machine_key(record: Record) -> tuple[str, int]:
    """Return the identity of a machine."""
    machine = record["environment"]["machine"]
    return machine["cpu"], machine["cores"]


def short_machine(record: Record) -> str:
    """``Xeon 2.50GHz, 2 cores``."""
    cpu, cores = machine_key(record)
    cpu = re.sub(r"\((R|TM)\)|CPU|Processor|Intel|AMD|@", " ", cpu)
    return f"{' '.join(cpu.split())}, {cores} core{'' if cores == 1 else 's'}"


def order_of(record: Record) -> tuple[Any, ...]:
    """Sort key: suite, graph (kind, then size), task; clgraph first."""
    # results of suites that this version does not know come last
    suite = SUITES.index(record["suite"]) if record["suite"] in SUITES else len(SUITES)
    return (
        suite,
        re.sub(r"\d", "", record["graph"]),
        size_of(record["graph"]),
        record["graph"],
        record["what"],
        not record["who"].startswith("clgraph"),
        record["who"],
        str(record["device"]),
    )


# --- tables ------------------------------------------------------------------------------------------


class Column(NamedTuple):
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
        """Return the table with its title, without empty columns."""
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
    """Return a value of a record, or None."""
    if record is None or key not in record["values"]:
        return None
    return float(record["values"][key]["value"]) * scale


def energy(record: Record, key: str) -> float | None:
    """Return a value of a record's energy, or None."""
    found = record.get("energy", {}).get(key)
    return None if found is None else float(found["value"])


# what the units of columns are to those of records
SCALES = {"ms": 1e3, "us": 1e6, "%": 100, "G/s": 1e-9}
# columns that have another key in records
KEYS = {"arcs": "of_arcs", "vertices_per_joule": "vertices_per_second_per_watt"}
ONE_CORE = "clgraph, one core"  # who samples there
# heading, unit and format of a column by its key
COLUMNS = {
    **{word: (word,) for word in ["suite", "graph", "what", "who", "device", "method", "mode", "source"]},
    **{word: (word, "", "d") for word in ("arcs", "vertices", "edges", "iterations", "runs")},
    **{word: (word, "ms", ".4g") for word in ("kernels", "call", "iteration")},
    "slides": ("method",),
    "printed": ("printed", "ms", ".4g"),
    "printed_accuracy": ("printed accuracy",),
    "region": ("of what",),
    "at_once": ("sources at once", "", "d"),
    "first": ("first call", "ms", ".4g"),
    "one_core": ("one core", "ms", ".4g"),
    "speed_up": ("speed-up over one core", "", ".2f"),
    "arcs_per_second": ("arcs", "G/s", ".2f"),
    "a_level": ("a level", "us", ".1f"),
    "of_scipy": ("of SciPy's", "", ".3f"),
    "of_cusparse": ("of cuSPARSE's", "", ".3f"),
    "away": ("L1 from ours", "", ".1e"),
    "accuracy": ("top-20 accuracy", "%", ".1f"),
    "share_of_copy": ("of a copy's bandwidth", "%", ".0f"),
    "joules": ("energy", "J", ".4g"),
    "seconds": ("time", "s", ".4g"),
    "power": ("power", "W", ".1f"),
    "idle_power": ("idle power", "W", ".1f"),
    "vertices_per_joule": ("vertices/s/W", "", ".4g"),
}


def _rows(
    columns: Iterable[Column], records: Iterable[Record], labels: Labels, own: Callable[..., Row]
) -> list[Row]:
    """Return a row for each record: the values of `own`, else those that it has by the columns' keys."""

    def cell(record: Record, column: Column) -> Any:
        key = KEYS.get(column.key, column.key)
        for part in (record, record["values"], record["details"], record.get("energy", {})):
            if key in part:
                found = part[key]
                scale = SCALES.get(column.unit, 1)
                return float(found["value"]) * scale if isinstance(found, dict) else found
        return None

    records = list(records)
    peers, rows = beside(records), []
    for record in records:
        if record["who"] == ONE_CORE:  # a column of the table of sampling
            continue
        row = {"device": labels.of(record), **own(record, labels, partial(peers, record))}
        rows.append({**{each.key: cell(record, each) for each in columns if each.key not in row}, **row})
    return rows


def beside(records: Iterable[Record]) -> Callable[[Record, str], Record | None]:
    """Return a function: a record and a library -> the library's record of the same task and machine."""

    def task(record: Record) -> tuple[str, str, str]:
        return str(record["environment"]["machine"]["cpu"]), record["graph"], record["what"]

    found = {(task(record), record["who"]): record for record in records}
    return lambda record, who: found.get((task(record), who))


def _ratio(one: float | None, other: float | None) -> float | None:
    return one and other and one / other


# --- tables of a row per result ------------------------------------------------------------------------


@dataclass(frozen=True)
class Form:
    """A table with a row for each result.

    Attributes
    ----------
    columns : str
        Keys of `COLUMNS`.
    own : callable
        What differs from the record's own values, by column: takes the record, the labels, and a function
        that returns another library's record of the same task.
    headed : dict
        Columns that `COLUMNS` has otherwise.
    """

    title: str
    note: str
    columns: str
    own: Callable[..., Row] = lambda record, labels, peer: {}
    headed: dict[str, tuple[str, ...]] = field(default_factory=dict)


def _plain_table(name: str, of: dict[str, list[Record]], labels: Labels) -> Table:
    form = FORMS[name]
    about = {**COLUMNS, **form.headed}
    columns = [Column(key, *about[key]) for key in form.columns.split()]
    rows = _rows(columns, of[name], labels, form.own)
    notes = [form.note]
    if name == "sampling" and any(row["joules"] is not None for row in rows):
        notes.append(printed.COPRA_ENERGY)
    return Table(name, form.title, columns, rows, notes)


def _sampling(record: Record, labels: Labels, peer: Callable[[str], Record | None]) -> Row:
    method, mode = record["what"].split()
    alone = value(peer(ONE_CORE) if record["device"] else None, "kernels")
    return {
        "method": method,
        "mode": mode,
        "device": labels.series(record),
        "one_core": alone and alone * 1e3,
        "speed_up": _ratio(alone, value(record, "kernels")),
    }


def _iteration(record: Record, _: Labels, peer: Callable[[str], Record | None]) -> Row:
    seconds, ran = value(record, "iteration"), record["details"].get("ran")
    on_gpu = record["device"] is not None and record["device"]["kind"] == "gpu"
    return {
        "who": record["who"] + (f" ({ran})" if ran and record["who"] == "clgraph auto" else ""),
        "of_scipy": _ratio(seconds, value(peer("scipy csr @ x"), "iteration")),
        "of_cusparse": _ratio(seconds, value(peer("cuSPARSE csr @ x"), "iteration")) if on_gpu else None,
    }


def _ppr(record: Record, _: Labels, __: Any) -> Row:
    method = record["what"].removesuffix(", all at once") if record["device"] else record["who"]
    iterations = record["details"].get("iterations") or None
    return {"method": method, "slides": method.removeprefix(SLIDES), "iterations": iterations}


def _traversal(record: Record, _: Labels, peer: Callable[[str], Record | None]) -> Row:
    return {"of_scipy": _ratio(value(record, "call"), value(peer("scipy"), "call"))}


FORMS = {
    "sampling": Form(
        "Sampling",
        'Samples of half of the vertices. "kernels": first launch to last kernel finished; "call": the '
        "whole call on a graph that is on the device, the sample's graph made. One core: the same kernels on "
        "one core of a CPU device of the same machine. Energy is that of a run without the sample's graph.",
        "graph method mode device kernels call vertices edges one_core speed_up joules power idle_power "
        "vertices_per_joule",
        _sampling,
    ),
    "pagerank_iterations": Form(
        "PageRank: an iteration",
        "One iteration, float32. SciPy and cuSPARSE: the sparse product alone, on the same machine. The "
        "share is of the least bytes that an iteration must move, against a copy of a buffer.",
        "graph arcs who device iteration arcs_per_second of_scipy of_cusparse share_of_copy",
        _iteration,
    ),
    "pagerank_solve": Form(
        "PageRank: a solution",
        "float64, to an L1 error of 1e-8. First call: the graph reversed and brought to the device. The "
        "other libraries' own graphs were made beforehand; those that are far from ours treat dangling "
        "vertices in another way.",
        "graph arcs who device first call iterations away",
    ),
    "ppr": Form(
        "Personalized PageRank",
        "Time for each source; accuracy is the share of the true best 20 that were found, mean over sources.",
        "graph arcs method at_once device kernels call iterations accuracy joules",
        _ppr,
        {
            "kernels": ("kernels a source", "ms", ".4g"),
            "call": ("call a source", "ms", ".4g"),
            "iterations": ("iterations", "", ".1f"),
            "joules": ("energy of a call", "J", ".4g"),
        },
    ),
    "ppr_printed": Form(
        "Personalized PageRank: the slides' table",
        "One source at a time. The slides: Wikipedia of 2007 (3.57 M vertices, 45 M arcs), RTX 3080 laptop; "
        "wiki22 is a graph of that size.",
        "slides printed printed_accuracy graph device kernels call iterations accuracy",
        _ppr,
        {"iterations": ("iterations", "", ".1f")},
    ),
    "traversal": Form(
        "Breadth-first search and components",
        "Breadth-first search: medians over 16 sources of the largest component. The share is of the least "
        "traffic that the answer needs, against a copy of a buffer.",
        "graph arcs what who device kernels call of_scipy a_level share_of_copy",
        _traversal,
        {"of_scipy": ("call, of SciPy's", "", ".3f")},
    ),
    "energy": Form(
        "Energy",
        "Vertices per second per watt are vertices per joule.",
        "suite graph what who device joules seconds power idle_power vertices_per_joule region source runs",
    ),
}
# --- tables with rows as the theses and the slides print them ----------------------------------------------


def _characteristics(found: list[Record]) -> Iterator[Table]:
    """The characteristics of samples; they are the same on every device."""
    kinds = (
        ("average_degree", "average degree"),
        ("degree_exponent", "degree exponent"),
        ("rank_exponent", "rank exponent"),
    )
    columns = [Column("method", "method"), Column("removed", "removed", "%", ".2f")]
    for key, heading in kinds:
        columns.append(Column(f"{key}_thesis", f"{heading}: thesis", "", ".3f"))
        columns += [Column(f"{key}_{mode}", mode, "", ".3f") for mode in ("exact", "batched")]
    for graph in dict.fromkeys(record["graph"] for record in found):
        of_graph = {record["what"].split(" ", 1)[1]: record for record in found if record["graph"] == graph}
        rows = []
        for method, lines in CHARACTERISTICS.items():
            for place, line in enumerate(lines):
                row: Row = {"method": method, "removed": line[0]}
                for number, (key, _) in enumerate(kinds, 1):
                    row[f"{key}_thesis"] = line[number]
                    for mode in ("exact", "batched"):
                        record = of_graph.get(f"{method} {mode}")
                        row[f"{key}_{mode}"] = record and record["details"]["rows"][place][key]
                rows.append(row)
        whole = next(iter(of_graph.values()))["details"]["whole"]
        note = (
            f"The graph: {graph}, average degree {whole['average_degree']:.3f}, degree exponent "
            f"{whole['degree_exponent']:.3f}, rank exponent {whole['rank_exponent']:.3f} (the "
            "thesis has 30 M vertices, exponent 2.71, and does not name its generator). Exact mode is beside "
            "the thesis's sequential program, batched mode beside its parallel one (sequential "
            '/ parallel where it prints two); drve has no exact mode. "removed" is the share of vertices.'
        )
        yield Table(f"characteristics_{graph}", f"What samples keep of {graph}", columns, rows, [note])


def _pagerank_table(found: list[Record], labels: Labels) -> Table:
    """A row per variant, with the printed times and ours on each device, for both data sets."""
    places = list(dict.fromkeys(labels.of(record) for record in found))
    columns = [Column("variant", "variant")]
    for place in ["printed", *places]:
        columns += [
            Column(f"{place} {title}", f"{place}: {title}", "ms", ".4g")
            for title in printed.PAGERANK_TITLES.values()
        ]
    rows = []
    for who, variant in printed.PAGERANK_ROWS.items():
        row: Row = {"variant": variant}
        for graph, title in printed.PAGERANK_TITLES.items():
            theirs = printed.PAGERANK[graph].get(who.removeprefix("clgraph "))
            row[f"printed {title}"] = theirs and theirs * 1e3
            for record in found:
                if (record["who"], record["graph"]) == (who, graph):
                    row[f"{labels.of(record)} {title}"] = value(record, "iterate", 1e3)
        if any(figure is not None for key, figure in row.items() if key != "variant"):
            rows.append(row)
    note = (
        "The PageRank thesis's Table 6.2: 1000 iterations, float32, an RTX 2080 Ti (serial: one thread of "
        "its CPU), medians of 10. Dangling mass is dropped, as there."
    )
    return Table("pagerank_table", "PageRank: the thesis's table", columns, rows if found else [], [note])


def _ppr_printed(of: dict[str, list[Record]], labels: Labels) -> Table:
    """A printed row, beside each of ours that does the same; those that nothing here does stand alone."""
    table = _plain_table("ppr_printed", of, labels)
    ours, table.rows = table.rows, []
    for name, theirs, right, *_ in printed.PPR if ours else ():
        row = {"printed": theirs, "printed_accuracy": right}
        same = [{**each, **row} for each in ours if does(SLIDES + each["slides"], name)]
        table.rows += same or [{"slides": name, **row}]
    return table
