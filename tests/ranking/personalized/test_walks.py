"""Random walks: counts by hand, on every launch, estimates and their bounds, shares as integers."""

import numpy as np
import pytest
from personalized import everywhere, random_graph, skewed_graph

from clgraph import Graph, personalized_pagerank
from clgraph.keyed import TAG_WALK, philox4x32
from clgraph.ranking.personalized import walks as ppr_walks
from clgraph.ranking.personalized.request import walks_for
from clgraph.ranking.personalized.walks import FULL, arc_limits, start_thresholds
from clgraph.ranking.problem import make_problem
from clgraph.reference.pagerank import reference_ppr, verify_ppr


def by_walks(device, graph, sources, **options):
    return personalized_pagerank(graph, sources, method="monte-carlo", device=device, **options)


def python_walks(graph, source, walks, seed, damping):
    """What ``cl/ranking/personalized/walks.cl`` does, one walk after the other, by plain integers."""
    visits, lost = np.zeros(graph.num_vertices, np.int64), 0
    heads = graph.col_idx[graph.row_ptr[source] : graph.row_ptr[source + 1]]
    until = start_thresholds(None, len(heads), walks).tolist()
    for walk in range(walks):
        position = walk << 32 | int(philox4x32(source, walk, 0, TAG_WALK, seed)[0][0])
        v = int(heads[sum(bound <= position for bound in until)])
        step = 1
        while True:
            visits[v] += 1
            a, b, c, d = (int(word[0]) for word in philox4x32(source, walk, step, TAG_WALK, seed))
            step += 1
            if (b << 32 | a) >= int(damping * 2**64):
                break
            begin, end = int(graph.row_ptr[v]), int(graph.row_ptr[v + 1])
            if begin == end:
                lost += 1
                break
            v = int(graph.col_idx[begin + ((d << 32 | c) * (end - begin) >> 64)])
    return visits, lost


@pytest.mark.smoke
def test_walks_by_hand(device):
    graph = random_graph(3)
    source = int(np.argmax(graph.degrees))
    seed = 2**40 + 7
    found = by_walks(device, graph, source, walks=300, seed=seed, dangling="drop", dtype="float64")
    visits, lost = python_walks(graph, source, 300, seed, 0.85)
    assert found.visits[0].tolist() == visits.tolist()
    assert found.lost[0] == lost
    want = 0.15 * 0.85 * visits / 300
    want[source] += 0.15
    np.testing.assert_allclose(found.scores[0], want, rtol=1e-12)


@pytest.mark.slow
def test_counts_do_not_depend_on_the_launch(device, monkeypatch):
    """The figures are of all devices: whoever changes them changes what a seed means."""
    graph = skewed_graph()
    found = []
    for each, local in ((1, 64), (7, None), (512, 2)):
        monkeypatch.setattr(ppr_walks, "LAUNCH", everywhere(ppr_walks.LaunchConfig(each, local)))
        result = by_walks(device, graph, [3, 0], walks=5000, seed=1)
        found.append((result.visits.tobytes(), result.lost.tolist()))
        digest = (result.visits.astype(np.int64) * np.arange(1, 5001)).sum(axis=1) % 1_000_003
        assert digest.tolist() == [76839, 955840]
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("dangling", ["uniform", "personalization", "drop", {3: 1.0, 5: 2.0}])
@pytest.mark.parametrize("weighted", [pytest.param(False, marks=pytest.mark.slow), True])
def test_unbiased(device, dangling, weighted):
    """Close to the reference at many walks, under every policy; weights, loops, copies, dangling sources."""
    graph = random_graph(3, weighted=weighted)
    ends = np.flatnonzero(graph.degrees == 0)
    for sources in ([0, 1, int(ends[0])], [{0: 1.0, int(ends[0]): 2.0, 4: 0.5}, {int(ends[0]): 1}]):
        options = {"walks": 100_000, "dangling": dangling, "dtype": "float64"}
        found = by_walks(device, graph, sources, seed=5, **options)
        verify_ppr(graph, found, sources)
        want = reference_ppr(graph, sources, dangling=dangling)
        assert np.abs(found.scores - want).max() < 0.006
        assert np.abs(found.scores - want)[1 if isinstance(sources[0], dict) else 2].sum() < 1e-8


def test_error_shrinks_as_the_root_of_walks(device):
    graph = skewed_graph()
    want = reference_ppr(graph, [3])[0]
    rms = []
    for walks in (1000, 16_000):
        errors = [by_walks(device, graph, 3, walks=walks, seed=s).scores[0] - want for s in range(12)]
        rms.append(float(np.sqrt(np.mean(np.square(errors)))))
        # the sum of all variances is at most (1 + d) / walks
        assert np.mean(np.square(errors).sum(axis=1)) <= 1.85 / walks
    assert 3.0 < rms[0] / rms[1] < 5.3  # 4 but for chance


def test_epsilon_holds(device):
    graph = skewed_graph()
    epsilon, confidence, within = 0.02, 0.8, 0
    want = reference_ppr(graph, [3])[0]
    for seed in range(20):
        found = by_walks(device, graph, 3, epsilon=epsilon, confidence=confidence, seed=seed)
        assert found.walks == walks_for(epsilon, confidence, 0.85, 5000)
        within += np.abs(found.scores[0] - want).max() <= epsilon
    assert within >= 16
    assert (found.epsilon, found.confidence) == (epsilon, confidence)


def test_standard_errors(device):
    """They cover what is seen over seeds, and are of its size."""
    graph = skewed_graph()
    found = [by_walks(device, graph, 3, walks=2000, seed=s, top=3) for s in range(25)]
    first = found[0].ids[0][0]
    scores = [f.scores[0][f.ids[0].tolist().index(first)] for f in found if first in f.ids[0]]
    assert np.std(scores) <= 1.3 * found[0].standard_errors[0][0]
    assert found[0].standard_errors.shape == (1, 3) and found[0].visits.shape == (1, 3)


def test_seed_is_recorded(device):
    graph = random_graph(1)
    found = by_walks(device, graph, 0, walks=50)
    again = by_walks(device, graph, 0, walks=50, seed=found.seed)
    assert found.scores.tobytes() == again.scores.tobytes()


def test_walks_for():
    assert walks_for(0.01, 0.95, 0.85, 10**6) == pytest.approx(3.7 * np.log(40) / 1e-4, rel=0.05)
    assert walks_for(0.01, 0.5, 0.85, 10**6) <= 1.85 / (1e-4 * 0.5)
    assert walks_for(0.005, 0.95, 0.85, 100) > 3.9 * walks_for(0.01, 0.95, 0.85, 100)
    assert walks_for(0.01, 0.99, 0.85, 100) > walks_for(0.01, 0.95, 0.85, 100)
    assert walks_for(0.01, 0.95, 0.85, 100, "personalization") > 100 * walks_for(0.01, 0.95, 0.85, 100)


def test_start_thresholds():
    for count, walks in ((1, 7), (5, 3), (7, 1000), (1000, 7), (3, 2**31 - 1)):
        bounds = start_thresholds(None, count, walks)
        want = [-(-j * (walks << 32) // count) for j in range(1, count + 1)]
        assert bounds.tolist() == want
        assert start_thresholds(np.ones(count), count, walks).tolist() == want
    assert start_thresholds(np.array([0.0, 1, 0]), 3, 10).tolist() == [0, 10 << 32, 10 << 32]


def test_arc_limits():
    """Ascending in each row up to 2**62, from the last arc with a weight on; 0 in dangling rows."""
    weights = [1, 2, 0, 0, 0, 1, 3]
    graph = Graph.from_edges(
        [0, 0, 0, 1, 1, 2, 2], [1, 2, 3, 0, 2, 0, 1], weights=weights, vertices=range(4), directed=True
    )
    limits = arc_limits(graph, make_problem(graph)).tolist()
    assert limits[0] == round(FULL / 3) and limits[1:3] == [FULL, FULL]
    assert limits[3:5] == [0, 0]
    assert limits[5:] == [FULL // 4, FULL]
