"""Records replayed: equal on every device, and what differs is said."""

import json

import numpy as np
import pytest
from graphs import tangle

from clgraph import Graph, InputError, powerlaw_graph, sample, study
from clgraph.graph.digest import digest
from clgraph.studies.replay import check_input, read_record, replay

GRAPH = tangle(2, n=300)


def written(path, told):
    path.write_text(json.dumps(told))
    return read_record(str(path))


def test_samples_of_every_kind(device, tmp_path):
    for number, (method, options) in enumerate(
        (
            ("drv", {"size": "50%"}),
            ("dre", {"sizes": ["60%", "30%"]}),
            ("dhyb", {"size": "40%", "mix": 0.3, "tolerance": 2}),
            ("crve", {"sizes": [80, 40]}),
            ("ebfs", {"size": "30%", "start": 5}),
            ("rw", {"steps": 200, "walkers": 2}),
            ("gps", {"edges": 60, "block": 5}),
            ("ff", {"size": "20%", "p": "0.5"}),
        )
    ):
        made = sample(GRAPH, method, seed=number, device=device, **options)
        for each in list(made) if "sizes" in options else [made]:
            told = each.to_dict()
            assert told["input_sha256"] == digest(GRAPH) and told["sha256"] == digest(each.graph)
            record = written(tmp_path / "record.json", told)
            check_input(record, GRAPH)
            ((_, differs),) = replay(record, GRAPH, device)
            assert differs is None
    other = {**told, "seed": 99}
    ((name, differs),) = replay(written(tmp_path / "record.json", other), GRAPH, device)
    assert name == "ff, size 20%, seed 99" and told["sha256"] in differs


def test_a_study(device, tmp_path):
    graph = powerlaw_graph(300, seed=1)
    study(graph, "drv,dre", "50%,20%", seeds=2, min_size=5, folder=tmp_path, device=device)
    record = read_record(str(tmp_path / "study.json"))
    check_input(record, graph)
    assert replay(record, graph, device) == [("study of 8 samples", None)]
    with pytest.raises(InputError, match="the graph is not that of"):
        check_input(record, GRAPH)
    told = json.loads((tmp_path / "study.json").read_text())
    changed = written(tmp_path / "other.json", {**told, "study": {**told["study"], "seed": 5}})
    ((_, differs),) = replay(changed, graph, device)
    assert record.output in differs
    with pytest.raises(InputError, match="not finished"):
        written(tmp_path / "other.json", {name: told[name] for name in told if name != "output"})


def test_hashes_are_of_the_graph_alone():
    one = Graph.from_edges([0, 1, 2], [1, 2, 3])
    assert digest(one) == digest(Graph(one.row_ptr.astype(np.int64), one.col_idx))
    others = [
        Graph.from_edges([0, 1, 2], [1, 2, 3], directed=True),
        Graph.from_edges([0, 1, 2], [1, 2, 3], weights=[1, 1, 1]),
        Graph.from_edges([0, 1, 2, 2], [1, 2, 3, 3]),
        Graph.from_edges([0, 1, 2], [1, 2, 4]),
        Graph.from_edges(["0", "1", "2"], ["1", "2", "3"]),
        Graph.from_edges([0, 1, 1], [1, 2, 3]),
    ]
    assert len({digest(graph) for graph in [one, *others]}) == 7


def test_no_records(tmp_path):
    sample = {"method": "drv", "seed": 1, "vertices": 2, "edges": 1}
    for told, why in (([], "not an object"), (sample, "no hashes"), ({"samples": []}, "no hashes")):
        with pytest.raises(InputError, match=why):
            written(tmp_path / "record.json", told)
    (tmp_path / "record.json").write_text("{")
    with pytest.raises(InputError, match="not JSON"):
        read_record(str(tmp_path / "record.json"))
    with pytest.raises(InputError, match="cannot read"):
        read_record(str(tmp_path / "none.json"))


def test_what_a_record_does_not_hold(device, tmp_path):
    strata = np.arange(300) % 2
    told = sample(GRAPH, "rn", size="20%", seed=1, strata=strata, device=device).to_dict()
    with pytest.raises(InputError, match="strata of rn"):
        replay(written(tmp_path / "record.json", told), GRAPH, device)


def test_min_size_draws_another_seed(device):
    star = Graph.from_edges([0] * 60, range(1, 61))
    with pytest.warns(UserWarning, match="of 12 samples collapsed .* smallest has 1 of 30 vertices"):
        plain = sample(star, "drv", size=30, seed=0, seeds=12, device=device)
    few = [each.seed for each in plain if each.graph.num_vertices < 10]
    assert few
    assert any("collapsed to 1 of 30" in note for note in plain[few[0]].notes)
    with pytest.warns(UserWarning, match="of 6 samples collapsed"):
        sample(star, "drv", size=30, seed=0, seeds=6, mode="batched", device=device)
    made = sample(star, "drv", size=30, seed=0, seeds=12, min_size=10, device=device)
    assert min(made.num_vertices) >= 10
    assert len({each.seed for each in made}) == 12
    moved = made[few[0]]
    assert moved.seed >= 12 and f"seed {few[0]} gave a sample of 1 vertices" in moved.notes[-1]
    assert digest(moved.graph) == digest(sample(star, "drv", size=30, seed=moved.seed, device=device).graph)
    with pytest.raises(InputError, match="min_size is of drv"):
        sample(star, "rw", size=30, seed=0, min_size=10, device=device)
    with pytest.raises(InputError, match="20 seeds in a row"):
        sample(star, "drv", size=30, seed=0, min_size=31, device=device)
