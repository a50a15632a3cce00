"""Edge lists, and LDBC's, Matrix Market's and METIS's files, parsed, numbered and made into rows by a device.

What the kernels do not take (`clgraph.files.parse`) is read by the host's reader, which says what is right.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.build import build_rows, place_weights
from clgraph.csr.properties import count_single_arcs, differ
from clgraph.csr.upload import DeviceCSR, DeviceGraph, SelectedIds, graph_of
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import CapacityError, InputError
from clgraph.files.parse import Columns, ListParser, Parser, TooWide, to_sums
from clgraph.files.read_ahead import DEFAULT, Compressed, NotTaken, Plain, ReadSettings, read_chunks
from clgraph.formats import adjacency_lines, ldbc, mtx
from clgraph.formats.common import Loaded, Options, counted, open_binary, reading
from clgraph.formats.edges import look, skipped_lines
from clgraph.formats.packed import SUFFIXES
from clgraph.formats.text_table import MARK, Layout
from clgraph.graph import Graph, build_csr
from clgraph.graph.building import INT32_MAX, check_count

if TYPE_CHECKING:
    from clgraph.device import Device


# --- vertices numbered by ascending id: host half of ``cl/files/relabel.cl`` ---


BITS_PER_ROW = 64  # bits that a bitmap may have for each row ...
BITS_FLOOR = 1 << 20  # ... or in all, before ids are sorted instead


@dataclass(frozen=True)
class NumberConfig:
    """Tunables of ``cl/files/relabel.cl`` and ``cl/files/relabel_sort.cl``."""

    span: int  # words of the bitmap that one work-item takes
    slices: int  # most slices of a sort
    least: int  # entries that a slice has at least


# a CPU core takes long serial runs; a GPU wants many work-items
NUMBER_LAUNCH = LaunchTable(
    gpu=NumberConfig(span=64, slices=1 << 14, least=256),
    cpu=NumberConfig(span=1 << 12, slices=64, least=1 << 14),
    simulator=NumberConfig(span=2, slices=3, least=8),
)


def number_vertices(device: Device, columns: Columns) -> Columns:
    """Number the ids that occur, in ascending order; the columns given are used up."""
    few = max(BITS_PER_ROW * columns.count, BITS_FLOOR)
    # a bitmap costs less than a sort as long as it is not much longer than the rows
    if columns.id_type is np.int32 and columns.highest < few:
        return _by_bitmap(device, columns)
    return _by_sorting(device, columns)


def number_from_one(device: Device, columns: Columns, n: int) -> tuple[Columns, int]:
    """Count ids that are the numbers 1 .. n from 0 on, in place; NotTaken if one is not.

    Returns the columns as they are then, and how many rows have a source below the target.
    """
    items, told = device.tuning.items, device.zeros(2, np.uint32)
    program = device.program("files/relabel", ITEMS=items, SPAN=NUMBER_LAUNCH.of(device).span)
    program.number_shift.launch(columns, -(-columns.count // items), n=n, told=told)
    outside, upper = device.download(told, np.uint32, 2).tolist()
    if outside:
        raise NotTaken(f"{counted(outside, 'row')} with a number that is not among 1 .. {n}")
    return replace(columns, n=n, ids=from_one(device, n)), upper


def from_one(device: Device, n: int) -> SelectedIds:
    """The ids 1 .. n."""
    items = device.tuning.items
    ids = device.output(n, np.int32)
    program = device.program("files/relabel", ITEMS=items, SPAN=NUMBER_LAUNCH.of(device).span)
    program.number_listed(-(-n // items), n=n, ids=ids)
    return SelectedIds(None, ids, n)


def _by_bitmap(device: Device, columns: Columns) -> Columns:
    items, span = device.tuning.items, NUMBER_LAUNCH.of(device).span
    program = device.program("files/relabel", ITEMS=items, SPAN=span)
    words = columns.highest // 32 + 1
    passes, runs = -(-columns.count // items), -(-words // span)
    bits, sums = device.zeros(words, np.uint32), device.empty(runs, np.uint32)
    program.number_mark.launch(columns, passes, bits=bits)
    program.number_sums(runs, words=words, bits=bits, sums=sums)
    n = to_sums(device, sums, runs, np.uint32)
    check_count(n)
    # every number up to the highest occurs, so ids are indices
    if n == columns.highest + 1:
        return replace(columns, n=n)
    before, ids = device.empty(words, np.uint32), device.output(n, np.int32)
    program.number_ids(runs, words=words, bits=bits, sums=sums, before=before, ids=ids)
    program.number_ends.launch(columns, passes, bits=bits, before=before)
    return replace(columns, n=n, ids=SelectedIds(None, ids, n))


def _by_sorting(device: Device, columns: Columns) -> Columns:
    config, rows = NUMBER_LAUNCH.of(device), columns.count
    program = device.program(
        "files/relabel_sort", ITEMS=device.tuning.items, ID="int" if columns.id_type is np.int32 else "long"
    )
    count = 2 * rows
    if count >= 2**32:
        raise CapacityError(f"{device}: {rows} rows are too many to sort their ids")
    device.reserve({"ids": 16 * count, "places": 8 * count})
    slices = max(1, min(config.slices, count // config.least))
    sized = {"count": count, "slices": slices}
    key, place = device.empty(count, np.int64), device.empty(count, np.uint32)
    program.sort_begin.launch(columns, -(-rows // device.tuning.items), rows=rows, key=key, place=place)
    other = device.empty(count, np.int64), device.empty(count, np.uint32)
    table = device.empty(256 * slices, np.uint32)
    for shift in range(0, columns.highest.bit_length(), 8):
        digit = {**sized, "shift": shift, "key": key, "table": table}
        program.sort_count(slices, **digit)
        to_sums(device, table, 256 * slices, np.uint32)
        program.sort_deal(slices, **digit, place=place, to_key=other[0], to_place=other[1])
        (key, place), other = other, (key, place)
    del other
    fresh = device.empty(slices, np.uint32)
    program.sort_fresh(slices, **sized, key=key, fresh=fresh)
    n = to_sums(device, fresh, slices, np.uint32)
    check_count(n)
    ids = device.output(n, np.int64)
    tail, head = device.empty(rows, np.int32), device.empty(rows, np.int32)
    program.sort_number(slices, **sized, key=key, place=place, fresh=fresh, ids=ids, tail=tail, head=head)
    return replace(columns, source=tail, target=head, n=n, ids=device.take(ids, np.int64, n))


def read_edges(path: Path, options: Options, device: Device, settings: ReadSettings = DEFAULT) -> Loaded:
    """Read an edge list on a device, where the graph stays; NotTaken says why the host reads it instead."""
    if options.ids != "int":
        raise NotTaken("ids that are text")
    with reading(path):
        layout = look(path, options)
        if layout.empty:
            raise NotTaken("no edges")
        with device.alone():
            columns = number_vertices(device, _listed(path, layout, options, device, settings))
            graph = graph_of_rows(device, columns, options, directed=options.direction())
    return Loaded(graph, counted(columns.count, "row") + layout.note, skipped_lines(layout))


def bytes_before(path: Path, layout: Layout, options: Options) -> int:
    """Return the number of bytes before the first row."""
    with open_binary(path, options.max_ratio) as file:
        if not layout.skip:
            return len(MARK) if file.read(len(MARK)) == MARK else 0
        lines = [file.readline() for _ in range(layout.skip)]
    if any(b"\r" in line.removesuffix(b"\n").removesuffix(b"\r") for line in lines):
        raise NotTaken("a carriage return by itself")  # whoever counted the lines took it for a line's end
    return sum(map(len, lines))


def _listed(
    path: Path, layout: Layout, options: Options, device: Device, settings: ReadSettings, **more: Any
) -> Columns:
    """The columns of an edge list; `more` as `read_columns` has it."""
    return read_columns(path, layout, options, device, bytes_before(path, layout, options), settings, **more)


def read_columns(
    path: Path,
    layout: Layout,
    options: Options,
    device: Device,
    skip: int,
    settings: ReadSettings,
    *,
    types: tuple[type, ...] = (np.int32, np.int64),
    more: int = 0,
) -> Columns:
    """Return the columns of a text behind its first `skip` bytes, of the first type that holds all ids.

    There is room for `more` rows behind those of the text.
    """
    # most files have ids of 32 bits; wide columns are tried where one has not
    for id_type in types:
        with opened(path, options) as source:
            parser = Parser(device, layout, id_type, source.total, settings.block, more)
            with closing(read_chunks(device, source, skip, settings)) as text, suppress(TooWide):
                return parser.all(text)  # an id too wide for this type: the next one takes it, or none does
    raise NotTaken("an id that is too large")


def opened(path: Path, options: Options) -> AbstractContextManager[Compressed | Plain]:
    """Open a plain or compressed file."""
    return closing(Compressed(path, options.max_ratio) if path.suffix in SUFFIXES else Plain(path))


def graph_of_rows(device: Device, columns: Columns, options: Options, *, directed: bool) -> Graph:
    """The graph whose edges were parsed and numbered; the columns are used up."""
    merge, n, count = options.duplicates == "merge", columns.n, columns.count
    ends, weight, ids = (columns.source, columns.target), columns.weight, columns.ids
    rows = None
    if weight is None or merge:
        form: Any = {"mirror": not directed, "duplicates": options.duplicates}
        rows = build_rows(device, n, *ends, count, **form, loops=True, counts=True)
    if rows is None or (weight is not None and rows.values):
        # parallel edges with weights: NumPy's order of additions is what is right
        source, target = (device.download(end, np.int32, count) for end in ends)
        return build_csr(
            source,
            target,
            n,
            weights=device.download(weight, np.float64, count),
            ids=ids.ids(device) if isinstance(ids, SelectedIds) else ids,
            directed=directed,
            duplicates=options.duplicates,
        )
    if weight is not None:
        rows.values["weights"] = place_weights(device, rows, *ends, weight, count, mirror=not directed)
    parts = DeviceGraph(
        rows,
        directed=directed,
        ids=ids,
        num_self_loops=None if columns.loops else 0,
        is_multigraph=False if merge else None,
    )
    graph = graph_of(device, parts)
    if merge:
        vars(graph)["num_duplicates"] = count - graph.num_edges  # what the lazy value would count
    return graph


# --- LDBC graphs ---


def read_ldbc(path: Path, options: Options, device: Device, settings: ReadSettings = DEFAULT) -> Loaded:
    """Read NAME.v and NAME.e on a device (see `clgraph.files.edge_list.read_edges`)."""
    if options.ids != "int":
        raise NotTaken("ids that are text")
    files = ldbc.find_files(path)
    directed, options = options.direction(files.directed), replace(options, header=False)
    vertices = ldbc.read_vertices(files.vertices, options)
    listed, highest = len(vertices), int(vertices.max(initial=0))
    if not listed or not files.edges.stat().st_size:
        raise NotTaken("no rows")
    with reading(files.edges):
        layout = look(files.edges, options)
        types = (np.int32, np.int64) if highest <= INT32_MAX else (np.int64,)
        with device.alone():
            columns = _listed(files.edges, layout, options, device, settings, types=types, more=listed)
            # each vertex stands behind the rows, as one more of them, so that all are numbered
            for end in (columns.source, columns.target):
                device.write(end, vertices.astype(columns.id_type), columns.count)
            every = replace(columns, count=columns.count + listed, highest=max(columns.highest, highest))
            numbered = number_vertices(device, every)
            if numbered.n > listed:
                raise NotTaken("a vertex that is not listed")
            rows = replace(numbered, count=columns.count)
            graph = graph_of_rows(device, rows, options, directed=directed)
    return Loaded(graph, counted(columns.count, "row") + layout.note, skipped_lines(layout))


# --- Matrix Market files ---


FIELDS = ("pattern", "real", "integer")
LINE = 1 << 16  # bytes of a line before the entries: of a file without line ends no more is looked at


def read_mtx(path: Path, options: Options, device: Device, settings: ReadSettings = DEFAULT) -> Loaded:
    """Read a Matrix Market file on a device (see `clgraph.files.edge_list.read_edges`)."""
    with reading(path):
        head = mtx.look(path, options)
        symmetric = head.symmetry == "symmetric"
        directed = options.direction(not symmetric)
        if head.field not in FIELDS or not (symmetric or head.symmetry == "general"):
            raise NotTaken(f"a {head.symmetry} matrix of {head.field} entries")
        if symmetric and directed:
            raise NotTaken("a symmetric matrix as a directed graph")
        valued = head.field != "pattern"
        columns_of = (0, 1, 2) if valued else (0, 1)
        layout = Layout(columns_of, len(columns_of), 0, row="an entry", whole=head.field == "integer")
        skip = _bytes_before(path, head, options)
        with device.alone():
            columns = read_columns(path, layout, options, device, skip, settings, types=(np.int32,))
            if columns.count != head.entries:
                raise NotTaken(f"{counted(columns.count, 'row')} instead of {head.entries}")
            if not options.weights:  # they were looked through all the same
                columns = replace(columns, weight=None)
            columns, upper = number_from_one(device, columns, head.n)
            if symmetric and upper:
                raise NotTaken("a symmetric matrix with entries above the diagonal")
            graph = graph_of_rows(device, columns, options, directed=directed)
    return Loaded(graph, counted(head.entries, "entry", "entries"), head.skipped(options))


def _bytes_before(path: Path, head: mtx.Head, options: Options) -> int:
    """Return the number of bytes before the first entry."""
    with open_binary(path, options.max_ratio) as file:
        skip, line = len(file.readline(LINE)), b"%"
        while line.startswith(b"%") or (line and not line.strip()):
            line = file.readline(LINE)
            skip += len(line)
    if line.split() != [b"%d" % count for count in (head.n, head.n, head.entries)] or line[-1:] != b"\n":
        raise NotTaken("an unusual header")
    return skip


# --- METIS graph files ---


def read_metis(path: Path, options: Options, device: Device, settings: ReadSettings = DEFAULT) -> Loaded:
    """Read a METIS graph file on a device (see `clgraph.files.edge_list.read_edges`)."""
    with reading(path):
        try:
            found = adjacency_lines.look(path, options)
        except InputError as error:  # of the faults of a file the host's reader names the first
            raise NotTaken("an unusual header") from error
        if found is None:
            raise NotTaken("no header")
        (n, m, before, weighted), skip = found
        if before:
            raise NotTaken("weights of vertices")
        if options.weights and not weighted:
            raise NotTaken("no weights")
        with device.alone(), opened(path, options) as source:
            lists = ListParser(device, n, weighted, source.total, settings.block)
            with closing(read_chunks(device, source, skip, settings, words=True)) as text:
                arcs = lists.all(text)
            edges = (arcs.count + arcs.loops) // 2
            if m != edges and 2 * m != arcs.count:
                raise NotTaken(f"{counted(edges, 'edge')} instead of {m}")
            graph = _metis_graph(device, n, arcs, options)
    # what the lazy value would count
    vars(graph)["num_duplicates"] = (arcs.count if graph.directed else edges) - graph.num_edges
    notes = ["edge weights"] if weighted and not options.weights else []
    return Loaded(graph, counted(arcs.count, "entry", "entries"), notes)


def _metis_graph(device: Device, n: int, arcs: Columns, options: Options) -> Graph:
    """The graph, if each arc has its twin."""
    build = partial(build_rows, device, n, count=arcs.count, mirror=False, loops=True, counts=True)
    rows = build(arcs.source, arcs.target)
    if rows.values and (arcs.weight is not None or options.duplicates == "keep"):
        raise NotTaken("parallel edges")
    if arcs.weight is not None:
        ends = arcs.source, arcs.target
        weight = place_weights(device, rows, *ends, arcs.weight, arcs.count, mirror=False)
        # with weights twins must agree in those, too
        single = count_single_arcs(device, rows, weight) > 0
        if options.weights:
            rows.values["weights"] = weight
    else:
        # to build the arcs reversed and to compare takes a third of the time of a search for each twin
        single = _differ(device, rows, build(arcs.target, arcs.source))
    if single:
        raise NotTaken("neighbours without their twins")
    parts = DeviceGraph(
        rows,
        directed=options.direction(False),
        ids=from_one(device, n),
        num_self_loops=None if arcs.loops else 0,
        is_multigraph=False,
    )
    return graph_of(device, parts)


def _differ(device: Device, rows: DeviceCSR, other: DeviceCSR) -> bool:
    """True if two graphs, with the multiplicities of their arcs, differ."""
    if rows.arcs != other.arcs or rows.values.keys() != other.values.keys():
        return True
    words = (rows.n + 1) * np.dtype(rows.offset).itemsize // 4
    pairs = [(rows.row_ptr, other.row_ptr, words), (rows.col_idx, other.col_idx, rows.arcs)]
    pairs += [(rows.values[name], other.values[name], rows.arcs) for name in rows.values]
    return differ(device, rows, *pairs)
