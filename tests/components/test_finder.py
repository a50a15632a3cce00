"""Connected components: every device against SciPy, the verifier, the rows with dead slots, the command."""

import json

import numpy as np
import pytest
from graphs import READINGS
from searches import drawn_graph

from clgraph import read, sample
from clgraph.components import Components, connected_components, finder, largest_component
from clgraph.components.finder import GiantFinder, all_sizes, graph_components
from clgraph.csr.upload import upload_csr
from clgraph.device.launch import record_launches
from clgraph.graph import Graph
from clgraph.reference.traversal import reference_components, verify_components
from clgraph.scale.writing import write_shards


def check(graph, device):
    """Both kinds of components equal SciPy's, to the last number."""
    for connection in ("weak", "strong"):
        found = connected_components(graph, connection=connection, device=device)
        labels, sizes = reference_components(graph, connection=connection)
        np.testing.assert_array_equal(found.labels, labels)
        np.testing.assert_array_equal(found.sizes, sizes)
        np.testing.assert_array_equal(found.largest, labels == 0)
        assert (found.labels.dtype, found.sizes.dtype) == (np.int32, np.int64)
        assert found.count == len(sizes)
        verify_components(graph, found)
        part = largest_component(graph, connection=connection, device=device)
        np.testing.assert_array_equal(part.ids, graph.ids[labels == 0])


@pytest.mark.smoke
@pytest.mark.parametrize("directed", [False, True])
def test_random(device, directed):
    rng = np.random.default_rng(1)
    for most in [12] * 30 + [80] * 30 + [3000] * 6:
        check(drawn_graph(rng, most, directed), device)
    for _ in range(10):
        graph = drawn_graph(rng, 80, directed)
        check(Graph(graph.row_ptr.astype(np.int64), graph.col_idx, directed=directed), device)


@pytest.mark.smoke
@pytest.mark.parametrize("directed", [False, True])
def test_edge_cases(device, directed):
    """No vertex, vertices without edges, loops, two equal components, parallel edges."""
    for source, target, n in (
        ([], [], 0),
        ([], [], 1),
        ([], [], 5),
        ([0], [0], 1),
        ([1, 2, 3], [1, 3, 3], 4),
        ([4, 5, 6, 0, 1, 3], [5, 6, 4, 1, 3, 0], 7),
        ([0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 0, 0, 2, 2], 4),
    ):
        options = {"directed": directed, "duplicates": "keep"}
        check(Graph.from_edges(source, target, vertices=range(n), **options), device)


def test_two_equal_components_go_by_smallest_vertex(device):
    graph = Graph.from_edges([5, 6, 2, 1], [6, 7, 1, 4], vertices=range(8))
    found = connected_components(graph, device=device)
    assert found.labels.tolist() == [2, 0, 0, 3, 0, 1, 1, 1]
    assert found.sizes.tolist() == [3, 3, 1, 1]
    assert found.largest.tolist() == [False, True, True, False, True, False, False, False]


def test_largest_component_keeps_ids_and_weights(device):
    graph = Graph.from_edges(["a", "x", "y"], ["b", "y", "z"], weights=[1, 2, 3])
    part = largest_component(graph, device=device)
    assert part.ids.tolist() == ["x", "y", "z"] and part.weights.tolist() == [2, 2, 3, 3]
    assert largest_component(part, device=device) is part


def test_large_components_are_ranked_by_size_beyond_16_bits(device):
    tail = np.arange(400_000)
    cut = np.isin(tail, [66_000, 200_000, 200_001, 399_000])
    graph = Graph.from_edges(tail[~cut], tail[~cut] + 1, vertices=np.arange(400_001))
    check(graph, device)


@pytest.mark.parametrize("longest", [0, 4321, 9_997])
def test_the_largest_of_many_blocks_is_found_on_the_device(device, longest, monkeypatch):
    """None has half of the vertices; of equally large ones the first wins, in whichever blocks it is."""
    monkeypatch.setattr(finder, "FEW", 1)
    n = 10_000
    v = np.arange(n - 1)
    joined = v % 2 == 0  # pairs, but for one path of three
    joined[longest + 1 - longest % 2] = True
    for edges in (v[v % 2 == 0], v[joined]):
        check_rows(device, Graph.from_edges(edges, edges + 1, vertices=np.arange(n)))


def test_by_decreasing_size(device):
    size = np.array([2, 70000, 65535, 65536, 2, 70000, 3])
    n, order = int(size.sum()), [1, 5, 3, 2, 6, 0, 4]
    finder = GiantFinder(device, n, 0)
    label = device.upload(np.repeat(np.cumsum(size) - size, size).astype(np.int32), writable=True)
    finder.sample(label)
    assert all_sizes(finder.rank(label), n).tolist() == size[order].tolist()
    number = np.argsort(order)
    assert device.download(label, np.int32, n).tolist() == np.repeat(number, size).tolist()


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("shuffled", [False, True])
def test_long_chain(device, directed, shuffled):
    n = 1_000_000
    place = np.random.default_rng(2).permutation(n) if shuffled else np.arange(n)
    graph = Graph.from_edges(place[:-1], place[1:], directed=directed)
    assert connected_components(graph, device=device).sizes.tolist() == [n]


@pytest.mark.parametrize("hub", [0, 49_999, 99_999])
@pytest.mark.parametrize("directed", [False, True])
def test_star(device, hub, directed):
    leaves = np.delete(np.arange(100_000), hub)
    ends = np.full(len(leaves), hub), leaves
    for tail, head in (ends, ends[::-1])[: 1 + directed]:
        check(Graph.from_edges(tail, head, directed=directed), device)


def test_one_way_arcs_into_the_giant_are_seen(device):
    # every vertex outside the giant is reached by, or reaches, one arc that stands in the other end's row
    rng = np.random.default_rng(3)
    n, giant = 4000, 3000
    ring, outside = np.arange(giant), np.arange(giant, n)
    inside = rng.integers(0, giant, len(outside))
    into = rng.random(len(outside)) < 0.5
    tails = np.concatenate((ring, np.where(into, outside, inside)))
    heads = np.concatenate(((ring + 1) % giant, np.where(into, inside, outside)))
    for name in (np.arange(n), rng.permutation(n)):
        graph = Graph.from_edges(name[tails], name[heads], directed=True)
        check(graph, device)
        assert connected_components(graph, device=device).count == 1


# --- the finder: dead slots, masks, keys, pieces ---------------------------------------------------------


def by_smallest(labels):
    """For labels by rank those by the smallest vertex."""
    return np.unique(labels, return_index=True)[1][labels]


def live_reference(graph, vertex=None, arc=True):
    """Labels by smallest vertex over what is live (-1 elsewhere), root and size of the largest."""
    vertex = np.ones(graph.num_vertices, bool) if vertex is None else vertex
    rest = graph.edge_subgraph(arc & vertex[graph.tails] & vertex[graph.col_idx])
    found = np.where(vertex, by_smallest(reference_components(rest)[0]), -1)
    if not vertex.any():
        return found, -1, 0
    counts = np.bincount(found[vertex], minlength=1)
    return found, int(counts.argmax()), int(counts.max())


def check_rows(device, graph, vertex=None, label=None, one_way=False, **options):
    """What a finder makes of a graph's own rows, over some vertices or over all."""
    csr = upload_csr(device, graph)
    finder = GiantFinder(device, csr.n, csr.arcs, **options)
    label = device.empty(csr.n, np.int32) if label is None else label
    finder.labels_into(csr.row_ptr, csr.row_ptr, csr.col_idx, label, one_way=one_way)
    check_finder(finder, label, live_reference(graph, vertex))


def check_finder(finder, label, expected):
    labels, root, size = expected
    n, there = len(labels), labels >= 0
    np.testing.assert_array_equal(finder.device.download(label, np.int32, n), labels)
    assert finder.largest_label(label) == (root, size, int(there.sum()))
    sizes = all_sizes(finder.rank(label), int(there.sum()))
    ranked = finder.device.download(label, np.int32, n)
    np.testing.assert_array_equal(ranked[~there], -1)
    np.testing.assert_array_equal(np.bincount(ranked[there], minlength=len(sizes)), sizes)
    assert (np.diff(sizes) <= 0).all()
    if size:
        assert ranked[root] == 0


PIECES = [{}, {"long_row": 2, "piece": 3}]


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("wide", [False, True])
def test_finder_on_copra_rows(device, wide, pieces):
    rng = np.random.default_rng(6)
    offset = np.int64 if wide else np.int32
    for trial in range(25):
        graph = drawn_graph(rng, 70, False).without_self_loops
        n = graph.num_vertices
        vertex = rng.random(n) < [0.5, 0.9, 0.0][trial % 3]
        slots = np.full(2 * n + graph.num_arcs, -2, np.int32)
        room = 2 * np.arange(1, n + 1)
        start, end = ((at + room).astype(offset) for at in (graph.row_ptr[:-1], graph.row_ptr[1:]))
        where = np.arange(graph.num_arcs) + 2 * (graph.tails + 1)
        slots[start - 1] = np.arange(n)
        slots[where] = np.where(vertex[graph.tails] & vertex[graph.col_idx], graph.col_idx, -1)
        start[~vertex] = end[~vertex] = -1
        finder = GiantFinder(device, n, len(slots), copra=True, wide=wide, **pieces)
        label = device.empty(n, np.int32)
        finder.labels_into(device.upload(start), device.upload(end), device.upload(slots), label)
        check_finder(finder, label, live_reference(graph, vertex))


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("directed", [False, True])
def test_finder_with_mask(device, directed, pieces):
    rng = np.random.default_rng(7)
    for trial in range(25):
        graph = drawn_graph(rng, 70, directed)
        n = graph.num_vertices
        vertex = rng.random(n) < [0.3, 0.8, 1.0][trial % 3]
        label = device.upload(np.where(vertex, rng.integers(0, 99, n), -1).astype(np.int32), writable=True)
        check_rows(device, graph, vertex, label, directed, masked=True, **pieces)


@pytest.mark.parametrize("pieces", PIECES)
def test_finder_with_arc_keys(device, pieces):
    rng = np.random.default_rng(8)
    for _ in range(15):
        graph = drawn_graph(rng, 70, False)
        n = graph.num_vertices
        csr = upload_csr(device, graph)
        finder = GiantFinder(device, n, csr.arcs, arc_keys=True, **pieces)
        # one key per unordered pair
        low, high = np.minimum(graph.tails, graph.col_idx), np.maximum(graph.tails, graph.col_idx)
        keys = ((low.astype(np.int64) * 7919 + high * 104_729) % 1000 * 4_000_000).astype(np.uint32)
        label, there = device.empty(n, np.int32), device.upload(keys)
        for threshold in (0, 1_500_000_000, 2_500_000_000):  # one finder, many probes
            rows = csr.row_ptr, csr.row_ptr, csr.col_idx
            finder.labels_into(*rows, label, arc_key=there, threshold=threshold)
            check_finder(finder, label, live_reference(graph, arc=keys >= threshold))


def test_graph_rows_in_pieces(device):
    rng = np.random.default_rng(9)
    for directed in [False, True] * 10:
        check_rows(device, drawn_graph(rng, 200, directed), one_way=directed, long_row=3, piece=2)


# --- known graphs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["directed", "undirected"])
def test_ldbc(device, data_path, kind):
    graph = read(data_path(f"ldbc/example-{kind}.e"), format="ldbc", directed=kind == "directed")
    expected = np.loadtxt(data_path(f"ldbc/example-{kind}-WCC"), dtype=np.int64)
    found = connected_components(graph, device=device)
    # the answer's labels are smallest ids; ours are ranks
    smallest = graph.ids[by_smallest(found.labels)][graph.indices_of(expected[:, 0])]
    np.testing.assert_array_equal(smallest, expected[:, 1])
    verify_components(graph, found)


@pytest.mark.parametrize(("name", "directed"), READINGS)
def test_real_graphs(device, data_path, name, directed):
    check(read(data_path(name), directed=directed), device)


# --- verifier, command -------------------------------------------------------------------------------------


RIGHT = Graph.from_edges([0, 1, 3], [1, 2, 4], vertices=range(7))


@pytest.mark.parametrize(
    ("labels", "sizes", "says"),
    [
        ([0, 0, 0, 1, 1, 2], [3, 2, 1], "shape"),
        ([0, 0, 0, 1, 1, 2, -1], [3, 2, 1, 1], "reach from -1"),
        ([0, 0, 0, 1, 1, 2, 4], [3, 2, 1, 1], "to 4"),
        ([0, 0, 0, 1, 1, 2, 3], [3, 2, 2, 1], "its size says 2"),
        ([0, 0, 0, 1, 1, 2, 3], [3, 2, 1, 1, 0], "has no vertex"),
        ([1, 1, 1, 0, 0, 2, 3], [2, 3, 1, 1], "larger than the one before"),
        ([0, 0, 0, 1, 1, 3, 2], [3, 2, 1, 1], "not in order"),
        ([0, 0, 1, 2, 2, 1, 1], [3, 2, 2], "size|arc 1 -> 2|not in order"),
        ([0, 0, 0, 1, 1, 1, 2], [3, 3, 1], "3 components, SciPy finds 4"),
        ([0, 0, 0, 1, 2, 3, 4], [3, 1, 1, 1, 1], "arc 3 -> 4"),
    ],
)
def test_verifier_sees_what_is_wrong(labels, sizes, says):
    wrong = Components(np.array(labels, np.int32), np.empty(0, np.int64))
    vars(wrong)["sizes"] = np.array(sizes, np.int64)  # else they are made to fit the labels
    with pytest.raises(AssertionError, match=says):
        verify_components(RIGHT, wrong)


def test_command(device, run, tmp_path):
    graph, giant, labels = (tmp_path / name for name in ("two.txt", "giant.txt", "labels.tsv"))
    graph.write_text("10 20\n20 30\n1 2\n")
    on = "components", graph, "--device", device.spec
    told = json.loads(run(*on, "--largest", giant, "-o", labels, "--verify", "--json").out)
    assert (told["components"], told["sizes"], told["verified"]) == (2, [3, 2], True)
    assert labels.read_text() == "1\t1\n2\t1\n10\t0\n20\t0\n30\t0\n"
    assert giant.read_text() == "10\t20\n20\t30\n"
    table = run(*on, "-q").out
    assert table.splitlines()[0] == "2 connected components, 5 vertices (undirected)" and "60.00%" in table
    refused = run("components", graph, "-o", labels, "--largest", labels)
    assert refused.status == 1 and "-o and --largest both name" in refused.err


# --- what is kept with a graph -----------------------------------------------------------------------------


def test_the_finder_is_kept_with_the_graph(device):
    """One finder, and one search for the largest component, for all methods and seeds."""
    graph = drawn_graph(np.random.default_rng(11), 80, False).without_self_loops
    kept = graph_components(device, graph)
    assert graph_components(device, graph) is kept
    largest = kept.largest()
    labels, sizes = reference_components(graph)
    assert (largest.root, largest.size) == (np.flatnonzero(labels == 0)[0], sizes[0])
    with record_launches() as launches:
        assert kept.largest() is largest
        for method in ("cre", "crve", "ebfs", "edfs"):
            sample(graph, method, size=1, seed=2, device=device)
    assert launches and not any(launch.program.startswith("components/") for launch in launches)
    # masked rows share the buffers of the kept finder, whose labels stay as they are
    other = kept.masked(arc_keys=True)
    assert other.next is kept.next and other.state is kept.state
    found = device.download(largest.label, np.int32, graph.num_vertices)
    np.testing.assert_array_equal(found, by_smallest(labels))


# --- shards, by any cut and number of ranks -----------------------------------------------------------

IN_SHARDS = {
    "no vertex": lambda rng: Graph.from_edges([], []),
    "isolated": lambda rng: Graph.from_edges([], [], vertices=[3, 1, 8]),
    "star": lambda rng: Graph.from_edges([77] * 200, np.arange(200)),
    "path": lambda rng: Graph.from_edges(np.arange(300), np.arange(1, 301)),
    "path backwards": lambda rng: Graph.from_edges(np.arange(1, 301)[::-1], np.arange(300)[::-1]),
    "few edges": lambda rng: Graph.from_edges(*rng.integers(0, 400, (2, 200)), vertices=np.arange(400)),
    "random": lambda rng: Graph.from_edges(*rng.integers(0, 300, (2, 400))),
    "directed": lambda rng: Graph.from_edges(*rng.integers(0, 300, (2, 250)), directed=True),
}


def check_shards(graph, folder, shard_edges, devices, expected):
    found = connected_components(write_shards(graph, folder, shard_edges=shard_edges), device=devices)
    assert np.array_equal(found.labels, expected.labels) and np.array_equal(found.sizes, expected.sizes)
    assert found.labels.dtype == np.int32 and found.sizes.dtype == np.int64


@pytest.mark.parametrize("name", IN_SHARDS)
@pytest.mark.cross
def test_shards_as_in_memory(device, tmp_path, name):
    graph = IN_SHARDS[name](np.random.default_rng(5))
    expected = connected_components(graph, device=device)
    for shard_edges in (1000, 37):
        check_shards(graph, tmp_path / "g.clgs", shard_edges, device, expected)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_ranks_that_share_shards(tmp_path, size):
    graph = IN_SHARDS["few edges"](np.random.default_rng(size))
    check_shards(graph, tmp_path / "g.clgs", 40, [None] * size, connected_components(graph))
