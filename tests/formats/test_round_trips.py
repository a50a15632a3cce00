"""Graphs written and read again: what each format holds of them, nasty ids and weights, or refused."""

import ast
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from graph_files import GRAPHS
from graphs import same

import clgraph.formats.adjacency_lines
import clgraph.formats.text_table
from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import write_with_summary
from clgraph.formats.table import FORMATS, find_format

NAMES = [
    *ast.literal_eval(
        r"""[
        "a", "b", "zo\u00eb", "New York", "x,y", 'say "hi"', '"', '""', "'", "a#b", "#a", "%a", "# ", "a%",
        "", " ", " a", "a ", "\u00a0", "a\u00a0b", "\u3000x", "a\tb", "\t", "a\nb", "\r", "a\r", "a\0", "\0",
        "a\0b", "\x0b", "a\x0cb", "a\x1cb", "a\x85b", "a\u2028b", "\ufeff", "\ufeffa", "a\ufeff", "\\",
        "\xef\xbb\xbfa", "0", "007", "7", "1e5", "+1", "-1", "1_2", "\u0661", "\u00b2", "1.5", "nan", "inf",
        "None", "null", "True", "source", "target", "Source", "u", "v", "start", "end", "from", "to", "src",
        "dst", "weight", "id1", "id2", "\U0001f600", "e\u0301", "\u00e9", "\u05d0", "\ud800", ",", ";", "|",
        ]"""
    ),
    "x" * 300,
    "y" * 70_000,
]
WEIGHTS = (0.0, -0.0, 1.0, -2.5, 5e-324, -1e-310, 1e308, -1e308, 0.1, 1 / 3, 1e16, 123456789.123, 2.0**53)
TEXT = (".txt", ".tsv", ".csv", ".edges.gz", ".csv.gz", ".v", ".v.gz", ".parquet", ".arrow", ".clg")
PLAIN = (*TEXT, ".mtx", ".mtx.gz", ".graph", ".graph.gz", ".npz")


def random_graph(random, text):
    rows = int(random.integers(1, 9))
    if text:
        chosen = random.choice(len(NAMES), size=int(random.integers(1, 6)), replace=False)
        names = np.array([NAMES[i] for i in chosen], dtype=object)
    else:
        most = int(random.choice([9, 10**6, 2**31, 2**63 - 1]))
        names = np.unique(random.integers(0, most, 6, endpoint=True))
    source, target = (names[random.integers(0, len(names), rows)] for _ in range(2))
    weights = random.choice(WEIGHTS, rows) if random.random() < 0.5 else None
    try:
        return Graph.from_edges(
            source,
            target,
            weights=weights,
            directed=bool(random.random() < 0.5),
            duplicates="keep" if random.random() < 0.2 else "merge",
            vertices=names if random.random() < 0.3 else None,
        )
    except InputError:
        return random_graph(random, text)  # two weights of 1e308 are merged


def held(graph, form):
    """What a format holds of a graph: its isolated vertices, multiplicities and ids, or not."""
    if form.first is not None or form.name == "pajek":  # whose ids are names beside the numbers
        first = 1 if form.first is None else form.first
        graph = graph.with_ids(np.arange(first, first + graph.num_vertices))
    tail, head, weights, counts = graph.edge_indices()
    ids = graph.ids
    kept = graph.multiplicity is None and graph.num_duplicates > 0
    return Graph.from_edges(
        ids[tail],
        ids[head],
        weights=weights,
        multiplicity=counts if form.has("multiplicity") and not kept else None,
        directed=graph.directed,
        duplicates="keep" if kept else "merge",
        vertices=ids if form.has("isolated") else None,
    )


def check_round_trip(graph, path, form):
    """Write, and read what is held; what is said, or "" if refused. The file must not appear where it was."""
    try:
        said = write_with_summary(graph, path, format=form.name)
    except InputError as error:
        assert str(path) in str(error) and not path.exists(), error
        return ""
    wanted = held(graph, form)
    # what holds the type of its ids, or numbers, is not asked for text
    typed = form.name in ("npz", "clg", "pajek") or not form.has("names")
    kept = graph.multiplicity is None and graph.num_duplicates > 0
    again = read(
        path,
        ids="str" if wanted.ids.dtype == object and not typed else "int",
        weights=graph.weights is not None,
        directed=None if form.has("direction") else graph.directed,
        duplicates="keep" if kept else "merge",
    )
    same(again, wanted)
    return said


WHOLE = ("metis", "dimacs", "wsg")  # formats whose weights are whole numbers


def refusal(graph, form):
    """What a format says of a graph that it cannot hold; "" if it can."""
    weights = [] if graph.weights is None else graph.weights.tolist()
    metis = form.name == "metis"
    for cannot, said in (
        (graph.is_weighted and not form.has("weights"), f"{form.title or form.name} files hold no weights"),
        (not graph.is_weighted and form.has("always"), r"no weights, which \.wsg files need"),
        (metis and graph.directed, "undirected"),
        (metis and graph.num_self_loops, "self-loop"),
        (form.name in WHOLE and not all(map(float.is_integer, weights)), "is not a whole number"),
        (form.name == "graph500" and graph.ids.dtype == object, "ids are text"),
    ):
        if cannot:
            return said
    return ""


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("which", GRAPHS)
def test_each_format_keeps_what_it_can_hold(tmp_path, which, name):
    """Whatever the suffix; the same bytes again; what is lost is said; nothing is left if it refuses."""
    graph, form = GRAPHS[which], FORMATS[name]
    loose = np.count_nonzero((graph.degrees == 0) & (graph.reverse.degrees == 0))
    numbers = range(form.first or 0, graph.num_vertices + (form.first or 0))
    packed = ("", ".gz", ".zst") if form.text else ("",)
    for suffix, more in itertools.product(form.suffixes, packed):
        folder = tmp_path / f"of{suffix}{more}"
        folder.mkdir()
        path = folder / f"{suffix.replace('*', 'x') if '*' in suffix else f'x{suffix}'}{more}"
        if words := refusal(graph, form):
            with pytest.raises(InputError, match=f"cannot write {re.escape(str(path))}: .*{words}"):
                write(graph, path, format=name)
            assert list(folder.iterdir()) == []
            continue
        said = check_round_trip(graph, path, form)
        assert said.startswith(f"wrote {path.name}: ")
        assert ("without edges left out" in said) == (loose > 0 and not form.has("isolated"))
        renumbered = form.first is not None and graph.ids.tolist() != list(numbers)
        assert (f"numbered {form.first}" in said) == renumbered
        assert ("two arcs" in said) == (name in ("dimacs", "webgraph") and not graph.directed)
        assert ("weight 1" in said) == (name == "dimacs" and not graph.is_weighted)
        before = {file: file.read_bytes() for file in folder.iterdir()}
        write(graph, path, format=name)
        assert before == {file: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.has("weights")])
def test_weights_of_no_edges_at_all(tmp_path, name, count):
    """Packed, too, and under names that are not the format's own."""
    graph, form = Graph.from_edges([], [], vertices=range(count), weights=[]), FORMATS[name]
    kept, ends = (
        count if form.has("isolated") else 0,
        (".txt", ".csv", ".tsv") if name == "edges" else (".x",),
    )
    for end, packing in itertools.product(ends, ("", ".gz", ".zst") if form.text else ("",)):
        folder = tmp_path / f"{end}{packing}"  # of its own: LDBC's files may not lie beside packed ones
        folder.mkdir()
        path = folder / f"{'out' if name == 'konect' else 'x'}{end}{packing}"
        said = write_with_summary(graph, path, format=name)
        again = read(path, format=name, weights=True, directed=False)
        assert (again.num_vertices, again.num_edges, again.is_weighted) == (kept, 0, True)
        assert ("without edges left out" in said) == (kept < count)


def test_who_says_of_a_file_whether_it_is_directed():
    silent = {name for name, form in FORMATS.items() if not form.has("direction")}
    assert silent == {"edges", "metis", "dimacs", "tgf", "graph500", "webgraph"}


@pytest.mark.parametrize("name", ["metis", "webgraph", "dimacs", "jlg"])
@pytest.mark.parametrize("which", GRAPHS)
def test_small_blocks_and_slow_rows(tmp_path, monkeypatch, which, name):
    graph, form, path = GRAPHS[which], FORMATS[name], tmp_path / f"x{FORMATS[name].suffixes[0]}"
    said = check_round_trip(graph, path, form)
    monkeypatch.setattr(clgraph.formats.adjacency_lines, "BLOCK", 1)
    monkeypatch.setattr(clgraph.formats.text_table, "load_rows", lambda *args: None)
    assert check_round_trip(graph, path, form) == said


@pytest.mark.parametrize("text", [True, False], ids=["text", "integers"])
def test_random_graphs(tmp_path, text):
    random = np.random.default_rng(16 + text)
    taken = dict.fromkeys(TEXT if text else PLAIN, 0)
    for number in range(40):
        graph = random_graph(random, text)
        for suffix in taken:
            path = tmp_path / f"graph{number}{'z' * suffix.endswith('.gz')}{suffix}"
            taken[suffix] += check_round_trip(graph, path, find_format(path)) != ""
    assert all(taken.values()), taken


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name[:10]))
def test_each_name(tmp_path, name):
    """Alone, first and last in its row and file, and in place of a header."""
    taken = set()
    for other in {"\U0001f601", "target"} - {name}:
        graph = Graph.from_edges([name, other], [other, other], directed=True)
        for suffix in (".txt", ".csv", ".v", ".parquet", ".arrow", ".clg"):
            path = tmp_path / f"{len(taken)}{suffix}"
            path.unlink(missing_ok=True)
            if check_round_trip(graph, path, find_format(path)):
                taken.add(suffix)
    if name != "\ud800":
        assert {".parquet", ".arrow"} <= taken
    if name and not set(name) & set("\n\r\0\ud800"):
        assert ".csv" in taken


@pytest.mark.parametrize("suffix", [*PLAIN, ".pq", ".feather"])
@pytest.mark.parametrize("weight", [np.inf, -np.inf, np.nan])
def test_weights_that_are_not_finite_are_refused(tmp_path, suffix, weight):
    graph = Graph.from_edges([0, 1], [1, 2], weights=[1.0, 2.0])
    assert graph.weights is not None
    vars(graph)["weights"] = np.where(np.arange(len(graph.weights)) % 3 == 0, graph.weights, weight)
    path = tmp_path / f"graph{suffix}"
    with pytest.raises(InputError, match=r"the weight of arc 1 is .*finite"):
        write(graph, path)
    assert not path.exists()


def test_long_names_beside_many_short_ones(tmp_path):
    """Rows of one width would take 20 GB here."""
    names = np.array([f"n{i}" for i in range(2000)] + ["long" * 2_500_000], dtype=object)
    graph = Graph.from_edges(names[:-1], names[1:], weights=np.arange(2000.0))
    for suffix in (".txt", ".csv", ".v"):
        assert check_round_trip(graph, tmp_path / f"graph{suffix}", find_format(Path(f"x{suffix}")))
