"""The tables that are made from results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from clgraph.bench.cases.ppr import SLIDES, does
from clgraph.bench.labels import Labels, cpu_of, order_of
from clgraph.bench.table import Column, Record, Row, Table, energy, value
from clgraph.theses import printed
from clgraph.theses.copra import CHARACTERISTICS


def tables(records: Sequence[Record], labels: Labels) -> list[Table]:
    """Every table for which there are results."""
    done = [record for record in records if record["status"] == "done"]
    makers: list[Callable[[list[Record], Labels], Iterable[Table]]] = [
        _characteristics,
        _sampling,
        _pagerank_table,
        _iterations,
        _solve,
        _ppr,
        _ppr_printed,
        _traversal,
        _energy,
    ]
    return [table for make in makers for table in make(done, labels) if table.rows]


# columns that several tables have, and what a record has in them
_SHARED: dict[str, tuple[Column, Callable[[Record, Labels], Any]]] = {
    column.key: (column, of)
    for column, of in (
        (Column("graph", "graph"), lambda record, _: record["graph"]),
        (Column("arcs", "arcs", "", "d"), lambda record, _: record["details"]["of_arcs"]),
        (Column("what", "what"), lambda record, _: record["what"]),
        (Column("who", "who"), lambda record, _: record["who"]),
        (Column("device", "device"), lambda record, labels: labels.of(record)),
        (Column("kernels", "kernels", "ms", ".4g"), lambda record, _: value(record, "kernels", 1e3)),
        (Column("call", "call", "ms", ".4g"), lambda record, _: value(record, "call", 1e3)),
        (Column("accuracy", "top-20 accuracy", "%", ".1f"), lambda record, _: value(record, "accuracy", 100)),
        (
            Column("share_of_copy", "of a copy's bandwidth", "%", ".0f"),
            lambda record, _: value(record, "share_of_copy", 100),
        ),
        (Column("joules", "energy", "J", ".4g"), lambda record, _: energy(record, "joules")),
        (Column("power", "power", "W", ".1f"), lambda record, _: energy(record, "power")),
        (Column("idle_power", "idle power", "W", ".1f"), lambda record, _: energy(record, "idle_power")),
        (
            Column("vertices_per_joule", "vertices/s/W", "", ".4g"),
            lambda record, _: energy(record, "vertices_per_second_per_watt"),
        ),
    )
}


def _columns(*columns: str | Column) -> list[Column]:
    """Columns; a string has keys of `_SHARED`."""
    named = (
        [_SHARED[key][0] for key in each.split()] if isinstance(each, str) else [each] for each in columns
    )
    return [column for some in named for column in some]


def _row(record: Record, labels: Labels, columns: Sequence[Column], **own: Any) -> Row:
    """What a record has in the columns of `_SHARED`, but for those that a table fills in by itself."""
    shared = [each.key for each in columns if each.key in _SHARED and each.key not in own]
    return {**{key: _SHARED[key][1](record, labels) for key in shared}, **own}


def _of(records: Iterable[Record], suite: str) -> list[Record]:
    return sorted((record for record in records if record["suite"] == suite), key=order_of)


# --- sampling ------------------------------------------------------------------------------------------


def _characteristics(records: list[Record], labels: Labels) -> Iterator[Table]:
    """The characteristics of samples; they are the same on every device."""
    found = [r for r in _of(records, "sampling") if r["what"].startswith("characteristics")]
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


def one_core(records: Iterable[Record]) -> dict[tuple[str, str, str], Record]:
    """(machine, graph, what) -> the record on one core."""
    return {
        (cpu_of(record), record["graph"], record["what"]): record
        for record in records
        if record["who"] == "clgraph, one core"
    }


def _sampling(records: list[Record], labels: Labels) -> Iterator[Table]:
    found = [r for r in _of(records, "sampling") if not r["what"].startswith("characteristics")]
    cores = one_core(found)
    columns = _columns(
        "graph",
        Column("method", "method"),
        Column("mode", "mode"),
        "device kernels call",
        Column("vertices", "vertices", "", "d"),
        Column("edges", "edges", "", "d"),
        Column("one_core", "one core", "ms", ".4g"),
        Column("speed_up", "speed-up over one core", "", ".2f"),
        "joules power idle_power vertices_per_joule",
    )
    rows = []
    for record in (each for each in found if each["who"] != "clgraph, one core"):
        details = record["details"]
        method, mode = record["what"].split()
        core = (
            None if record["device"] is None else cores.get((cpu_of(record), record["graph"], record["what"]))
        )
        kernels, alone = value(record, "kernels"), value(core, "kernels")
        rows.append(
            _row(
                record,
                labels,
                columns,
                method=method,
                mode=mode,
                device=labels.series(record),
                vertices=details.get("vertices"),
                edges=details.get("edges"),
                one_core=alone and alone * 1e3,
                speed_up=alone and kernels and alone / kernels,
            )
        )
    notes = [
        'Samples of half of the vertices. "kernels": first launch to last kernel finished; "call": the '
        "whole call on a graph that is on the device, the sample's graph made. One core: the same kernels on "
        "one core of a CPU device of the same machine. Energy is that of a run without the sample's graph."
    ]
    if any(row["joules"] is not None for row in rows):
        notes.append(printed.COPRA_ENERGY)
    yield Table("sampling", "Sampling", columns, rows, notes)


# --- PageRank ------------------------------------------------------------------------------------------


def _pagerank_table(records: list[Record], labels: Labels) -> Iterator[Table]:
    """A row per variant, with the printed times and ours on each device, for both data sets."""
    found = [
        r for r in _of(records, "pagerank") if r["graph"] in printed.PAGERANK and "iterate" in r["values"]
    ]
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
    yield Table("pagerank_table", "PageRank: the thesis's table", columns, rows if found else [], [note])


def _iterations(records: list[Record], labels: Labels) -> Iterator[Table]:
    found = [r for r in _of(records, "pagerank") if r["what"] == "iteration"]
    base = {
        (who, cpu_of(r), r["graph"]): value(r, "iteration")
        for r in found
        for who in ("scipy csr @ x", "cuSPARSE csr @ x")
        if r["who"] == who
    }
    columns = _columns(
        "graph arcs who device",
        Column("iteration", "iteration", "ms", ".4g"),
        Column("arcs_per_second", "arcs", "G/s", ".2f"),
        Column("of_scipy", "of SciPy's", "", ".3f"),
        Column("of_cusparse", "of cuSPARSE's", "", ".3f"),
        "share_of_copy",
    )
    rows = []
    for record in found:
        seconds, place = value(record, "iteration"), (cpu_of(record), record["graph"])
        scipy, cusparse = base.get(("scipy csr @ x", *place)), base.get(("cuSPARSE csr @ x", *place))
        if record["device"] is None or record["device"]["kind"] != "gpu":
            cusparse = None
        ran = record["details"].get("ran")
        rows.append(
            _row(
                record,
                labels,
                columns,
                who=record["who"] + (f" ({ran})" if ran and record["who"] == "clgraph auto" else ""),
                iteration=seconds and seconds * 1e3,
                arcs_per_second=value(record, "arcs_per_second", 1e-9),
                of_scipy=scipy and seconds and seconds / scipy,
                of_cusparse=cusparse and seconds and seconds / cusparse,
            )
        )
    note = (
        "One iteration, float32. SciPy and cuSPARSE: the sparse product alone, on the same machine. The "
        "share is of the least bytes that an iteration must move, against a copy of a buffer."
    )
    yield Table("pagerank_iterations", "PageRank: an iteration", columns, rows, [note])


def _solve(records: list[Record], labels: Labels) -> Iterator[Table]:
    found = [r for r in _of(records, "pagerank") if r["what"] == "solve"]
    columns = _columns(
        "graph arcs who device",
        Column("first", "first call", "ms", ".4g"),
        "call",
        Column("iterations", "iterations", "", "d"),
        Column("away", "L1 from ours", "", ".1e"),
    )
    rows = [
        _row(
            record,
            labels,
            columns,
            first=value(record, "first", 1e3),
            iterations=record["details"].get("iterations"),
            away=value(record, "away"),
        )
        for record in found
    ]
    note = (
        "float64, to an L1 error of 1e-8. First call: the graph reversed and brought to the device. The "
        "other libraries' own graphs were made beforehand; those that are far from ours treat dangling "
        "vertices in another way."
    )
    yield Table("pagerank_solve", "PageRank: a solution", columns, rows, [note])


# --- personalized PageRank -----------------------------------------------------------------------------


def _ppr(records: list[Record], labels: Labels) -> Iterator[Table]:
    columns = _columns(
        "graph arcs",
        Column("method", "method"),
        Column("at_once", "sources at once", "", "d"),
        "device",
        Column("kernels", "kernels a source", "ms", ".4g"),
        Column("call", "call a source", "ms", ".4g"),
        Column("iterations", "iterations", "", ".1f"),
        "accuracy",
        Column("joules", "energy of a call", "J", ".4g"),
    )
    rows = [
        _row(
            record,
            labels,
            columns,
            method=record["what"].removesuffix(", all at once") if record["device"] else record["who"],
            at_once=record["details"]["at_once"],
            iterations=record["details"].get("iterations") or None,
        )
        for record in _of(records, "ppr")
        if not record["what"].startswith(SLIDES)
    ]
    note = (
        "Time for each source; accuracy is the share of the true best 20 that were found, mean over sources."
    )
    yield Table("ppr", "Personalized PageRank", columns, rows, [note])


def _ppr_printed(records: list[Record], labels: Labels) -> Iterator[Table]:
    found = [record for record in _of(records, "ppr") if record["what"].startswith(SLIDES)]
    columns = _columns(
        Column("slides", "method"),
        Column("printed", "printed", "ms", ".4g"),
        Column("printed_accuracy", "printed accuracy"),
        "graph device kernels call",
        Column("iterations", "iterations", "", ".1f"),
        "accuracy",
    )
    rows = []
    for name, theirs, right, *_ in printed.PPR if found else ():
        row = {"slides": name, "printed": theirs, "printed_accuracy": right}
        ours = [record for record in found if does(record["what"], name)]
        for record in ours:
            rows.append(
                _row(
                    record,
                    labels,
                    columns,
                    **{**row, "slides": record["what"].removeprefix(SLIDES)},
                    iterations=record["details"]["iterations"] or None,
                )
            )
        if not ours:
            rows.append(row)
    note = (
        "One source at a time. The slides: Wikipedia of 2007 (3.57 M vertices, 45 M arcs), RTX 3080 laptop; "
        "wiki22 is a graph of that size."
    )
    yield Table("ppr_printed", "Personalized PageRank: the slides' table", columns, rows, [note])


# --- traversal, energy ---------------------------------------------------------------------------------


def _traversal(records: list[Record], labels: Labels) -> Iterator[Table]:
    found = _of(records, "traversal")
    scipy = {(cpu_of(r), r["graph"], r["what"]): value(r, "call") for r in found if r["who"] == "scipy"}
    columns = _columns(
        "graph arcs what who device kernels call",
        Column("of_scipy", "call, of SciPy's", "", ".3f"),
        Column("a_level", "a level", "us", ".1f"),
        "share_of_copy",
    )
    rows = []
    for record in found:
        call = value(record, "call")
        base = scipy.get((cpu_of(record), record["graph"], record["what"]))
        rows.append(
            _row(
                record,
                labels,
                columns,
                call=call and call * 1e3,
                of_scipy=base and call and call / base,
                a_level=value(record, "a_level", 1e6),
            )
        )
    note = (
        "Breadth-first search: medians over 16 sources of the largest component. The share is of the least "
        "traffic that the answer needs, against a copy of a buffer."
    )
    yield Table("traversal", "Breadth-first search and components", columns, rows, [note])


def _energy(records: list[Record], labels: Labels) -> Iterator[Table]:
    columns = _columns(
        Column("suite", "suite"),
        "graph what who device joules",
        Column("seconds", "time", "s", ".4g"),
        "power idle_power vertices_per_joule",
        Column("region", "of what"),
        Column("source", "source"),
        Column("runs", "runs", "", "d"),
    )
    rows = [
        _row(
            record,
            labels,
            columns,
            suite=record["suite"],
            seconds=energy(record, "seconds"),
            region=record["energy"]["region"],
            source=record["energy"]["source"],
            runs=record["energy"]["runs"],
        )
        for record in sorted(records, key=order_of)
        if record.get("energy", {}).get("available")
    ]
    yield Table("energy", "Energy", columns, rows, ["Vertices per second per watt are vertices per joule."])
