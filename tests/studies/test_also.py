"""Studies with measures that are made only where they are named."""

import json

import numpy as np
import pytest

import clgraph
from clgraph import Graph, InputError, quality, sample, study
from clgraph.studies.columns import COLUMNS

ALSO = "modularity,weighted_distance"


def weighted(seed=1, n=120):
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, 4 * n))
    return Graph.from_edges(*ends, weights=rng.integers(1, 9, 4 * n) / 4)


@pytest.mark.smoke
def test_rows_are_what_quality_says(device, tmp_path):
    graph = weighted()
    given = {"seeds": 2, "eigenvalues": False, "device": device}
    found = study(graph, "drv,cre", "60%,30%", **given, also=ALSO, folder=tmp_path / "s")
    plain = study(graph, "drv,cre", "60%,30%", **given)
    rows = iter(found.rows)
    for method in ("drv", "cre"):
        for seed in (0, 1):
            for made in sample(graph, method, sizes=["60%", "30%"], seed=seed, device=device):
                told = quality(graph, made, eigenvalues=False, also=ALSO, device=device)
                row = next(rows)
                for name in ALSO.split(","):
                    assert row[name] == getattr(told.sample, name) is not None
                    assert found.original[name] == getattr(told.original, name)
    # nothing else differs, and what is not asked for is nowhere
    assert [{name: row[name] for name in COLUMNS} for row in found.rows] == plain.rows
    assert found.digest != plain.digest and "also" not in plain.plan.to_dict()
    assert not {"modularity", "weighted_distance"} & {row["measure"] for row in plain.summary}
    best, before = found.best(), plain.best()
    measures = {verdict.measure for verdict in best.verdicts}
    assert measures - {verdict.measure for verdict in before.verdicts} == set(ALSO.split(","))
    assert "communities" in [choice.aspect for choice in best.choices]
    assert "communities" not in [choice.aspect for choice in before.choices]
    assert not {"modularity", "weighted_distance"} & (set(best.missing) | set(before.missing))
    assert "mean distance by weight" in found.table("30%", "weighted_distance")
    with pytest.raises(InputError, match="not a measure of this study"):
        plain.table(measures="modularity")
    with pytest.raises(InputError, match="not a measure of this study"):
        plain.plot("modularity")
    # a folder continues with the same measures alone, and a record makes the study again
    again = study(graph, "drv,cre", "60%,30%", **given, also=ALSO, folder=tmp_path / "s")
    assert again.rows == found.rows
    for other in ("", "modularity"):
        with pytest.raises(InputError, match="different: also"):
            study(graph, "drv,cre", "60%,30%", **given, also=other, folder=tmp_path / "s")
    assert json.loads((tmp_path / "s" / "study.json").read_text())["study"]["also"] == ALSO.split(",")


def test_without_weights_and_by_command(tmp_path, run):
    file = tmp_path / "g.txt"
    clgraph.write(weighted(2), file)
    given = ("study", file, "--methods", "drv,dre", "--sizes", "50%", "--seeds", 2, "--no-eigenvalues")
    said = run(*given, "--no-figures", "--also", ALSO, "-o", tmp_path / "s", "--json").json()
    assert said["original"]["weighted_distance"] is None  # --weights was not given
    assert said["reasons"]["weighted_distance"] == "the graph has no weights"
    assert said["original"]["modularity"] > 0.1
    run("replay", tmp_path / "s" / "study.json", "--json").fine()
    run(*given, "--no-figures", "--also", "x", "-o", tmp_path / "t").refused("is no measure to ask for")


def test_directions(device):
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(*(rng.random((2, 700)) ** 2 * 120).astype(int), directed=True)
    also = ["ks_in_degree", "ks_out_degree"]
    given = {"sizes": "50%", "seeds": 2, "eigenvalues": False, "device": device}
    found, plain = study(graph, "drv,dre", **given, also=also), study(graph, "drv,dre", **given)
    for row, made in zip(
        found.rows,
        (sample(graph, m, size="50%", seed=s, device=device) for m in ("drv", "dre") for s in (0, 1)),
        strict=True,
    ):
        told = quality(graph, made, eigenvalues=False, also=also, device=device).sample
        assert all(row[name] == getattr(told, name) > 0 for name in also)
    measures, before = ({v.measure for v in each.best().verdicts} for each in (found, plain))
    assert measures - before == set(also)
    assert "KS distance of in-degrees" in found.table("50%") and "in-degrees" not in plain.table("50%")
    # the aspect has them, too: its distance is another one
    ways = [next(c for c in each.best().choices if c.aspect == "degrees") for each in (found, plain)]
    assert ways[0].places != ways[1].places
    undirected = study(weighted(), "drv", **given, also=also)
    assert (
        undirected.best().missing
        == dict.fromkeys(also, "the graph is undirected") | undirected.best().missing
    )
    assert not set(also) & {v.measure for v in undirected.best().verdicts}
    assert "in-degrees" not in undirected.table("50%")
