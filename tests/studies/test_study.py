"""Studies: every row is what `sample` and `quality` say, an interrupted one ends with the same bytes.

At the end, studies with measures that are made only where they are named.
"""

import json

import numpy as np
import pytest
from graphs import tangle

from clgraph import Graph, InputError, powerlaw_graph, quality, sample, study, write
from clgraph.device.launch_config import LaunchTable
from clgraph.measures.figures import write_print
from clgraph.studies import run as module
from clgraph.studies.columns import COLUMNS, DISTANCES, header_of, lines_of, scalars
from clgraph.studies.figures import PAPER, drawings

GRAPH = powerlaw_graph(260, seed=4)
PLAN = {"methods": "drv,dre,drve,cre,rw", "sizes": ["60%", "30%"], "seeds": 4}


@pytest.fixture
def small_batches(monkeypatch):
    """Batches of one run."""
    monkeypatch.setattr(module, "LAUNCH", LaunchTable(gpu=300, cpu=300, simulator=300))


def weighted(seed=1, n=120):
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, 4 * n))
    return Graph.from_edges(*ends, weights=rng.integers(1, 9, 4 * n) / 4)


ALSO, DIRECTIONS = ("modularity", "weighted_distance"), ("ks_in_degree", "ks_out_degree")
# graphs, and measures that are made only where they are named
GRAPHS = {
    "undirected": (GRAPH,),
    "directed": (tangle(1, n=200, directed=True), *DIRECTIONS),
    "weighted": (weighted(), *ALSO),
}


@pytest.mark.smoke("weighted")
@pytest.mark.parametrize("kind", GRAPHS)
def test_rows_are_what_the_single_calls_say(device, kind):
    graph, *also = GRAPHS[kind]
    options = {"hop_sources": 50, "also": also, "device": device}
    found = study(graph, "drv,dre,cre,rw", "60%,30%", seeds=3, seed=7, **options)
    rows, original = iter(found.rows), quality(graph, **options).original
    for method in ("drv", "dre", "cre", "rw"):
        for seed in (7, 8, 9):
            for made in sample(graph, method, sizes=["60%", "30%"], seed=seed, device=device):
                told = quality(graph, made, **options)
                row = next(rows)
                assert (row["method"], row["size"], row["seed"]) == (method, made.size, seed)
                assert {name: row[name] for name in scalars(told.sample)} == scalars(told.sample)
                assert {name: row[f"ks_{name}"] for name in DISTANCES} == told.ks
                assert all(row[name] == getattr(told.sample, name) > 0 for name in also)
    assert found.original == scalars(original) | {name: getattr(original, name) for name in also}


@pytest.mark.parametrize("patience", [0.0, 60.0])
def test_what_was_drawn_before_a_failure_is_kept(device, tmp_path, monkeypatch, patience):
    draw = module.draw_large_enough

    def fails(graph, method, *rest):
        if method == "dre":
            raise InputError("no such sample")
        return draw(graph, method, *rest)

    monkeypatch.setattr(module, "PATIENCE", patience)
    with monkeypatch.context() as patched, pytest.raises(InputError, match="no such sample"):
        patched.setattr(module, "draw_large_enough", fails)
        study(GRAPH, **PLAN, folder=tmp_path, device=device)
    assert (tmp_path / "study.csv").read_text().count("\n") == 1 + 2 * 4
    told = []
    found = study(GRAPH, **PLAN, folder=tmp_path, device=device, progress=lambda *at: told.append(at))
    assert told[0] == (8, 40) and len(found.rows) == 40


def test_an_interrupted_study_ends_with_the_same_bytes(device, tmp_path, small_batches):
    whole = study(GRAPH, **PLAN, folder=tmp_path / "whole", device=device)
    assert len(whole.rows) == 40
    text = (tmp_path / "whole/study.csv").read_text()
    assert text == header_of() + lines_of(whole.rows)
    assert text.startswith(",".join(COLUMNS))

    folder, before = tmp_path / "parts", -1
    for _ in range(10):
        told = []

        def after_two(done, of, told=told):
            told.append(done)
            if len(told) == 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            study(GRAPH, **PLAN, folder=folder, device=device, progress=after_two)
        table = folder / "study.csv"
        rows = table.read_text().count("\n") - 1
        assert rows > before
        before = rows
        if rows == 20:  # as if it had been killed in the middle of a line
            table.write_text(table.read_text() + "drve,batched,60")
    again = study(GRAPH, **PLAN, folder=folder, device=device)
    assert table.read_bytes() == (tmp_path / "whole/study.csv").read_bytes()
    assert again == whole and again.digest == whole.digest
    told = [json.loads((f / "study.json").read_text()) for f in (folder, tmp_path / "whole")]
    for name in ("degrees", "hop_plots", "spectra", "restarts", "notes"):
        assert told[0].get(name) == told[1].get(name)
        assert name == "notes" or getattr(again, name) == getattr(whole, name)
    assert json.loads((folder / "study.json").read_text())["output"] == whole.digest
    assert study(GRAPH, **PLAN, folder=folder, device=device) == whole  # nothing left to do


def test_another_study_is_not_overwritten(device, tmp_path):
    def again(graph=GRAPH, seeds=1, name="one"):
        folder = tmp_path / name
        return study(graph, "drv", "50%", seeds=seeds, eigenvalues=False, folder=folder, device=device)

    again()
    with pytest.raises(InputError, match=r"has another study \(different: seeds\)"):
        again(seeds=2)
    with pytest.raises(InputError, match=r"different: input"):
        again(powerlaw_graph(261, seed=4))
    (tmp_path / "one/study.json").unlink()
    with pytest.raises(InputError, match=r"study\.csv without study\.json"):
        again()
    again(name="other")
    (tmp_path / "other/study.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"line 1: not the columns"):
        again(name="other")
    for name in ("summary.csv", "report.html", "figures"):  # those of somebody else
        (tmp_path / name[0]).mkdir()
        (tmp_path / name[0] / name).write_text("mine")
        with pytest.raises(InputError, match=f"has a {name} without study.json"):
            again(name=name[0])
        assert [each.name for each in (tmp_path / name[0]).iterdir()] == [name]


def test_collapsed_samples_and_min_size(device, small_batches, tmp_path):
    star = Graph.from_edges([0] * 60 + list(range(61, 90)), list(range(1, 61)) + list(range(62, 91)))
    told = []
    found = study(star, "drv", ["40", "20"], seeds=6, device=device, on_note=told.append)
    least = {(row["seed"], row["size"]): row["vertices"] for row in found.rows}
    collapsed = [(seed, size) for (seed, size), n in least.items() if 2 * n < int(size)]
    assert collapsed
    seed, size = collapsed[0]
    words = f"the sample collapsed to {least[seed, size]} of {size} vertices"
    assert f"drv, size {size}, seed {seed}: {words}" in told
    row = next(r for r in found.summary if r["measure"] == "vertices" and r["size"] == size)
    assert row["min"] == min(n for (_, s), n in least.items() if s == size)
    again = study(star, "drv", ["40", "20"], seeds=6, min_size=15, device=device, folder=tmp_path)
    assert min(row["vertices"] for row in again.rows) >= 15
    assert len(again.rows) == len(found.rows)
    assert any(f"seed {seed} gave a sample of" in n and "seed 6 was drawn" in n for n in again.notes)
    drawn = [row["seed"] for row in again.rows[::2]]
    assert len(set(drawn)) == 6 and max(drawn) >= 6


def test_what_is_not_defined(device):
    ring = Graph.from_edges(range(30), [*range(1, 30), 0])
    found = study(ring, "drv", "50%", seeds=2, device=device)
    assert "same degree" in found.best().missing["assortativity"]
    assert all(row["transitivity"] == 0 for row in found.rows)
    assert "NaN" not in lines_of(found.rows) and "nan" not in lines_of(found.rows)
    assert "assortativity: not defined" in found._repr_html_()
    frame = pytest.importorskip("pandas") and found.to_pandas()
    assert len(frame) == 2 and frame["degree_exponent"].dtype == "Float64"
    summary = found.to_pandas(summary=True)
    assert len(summary) == len(found.summary) and list(summary.columns) == list(found.summary[0])


def test_restarts_are_counted_and_warned_of(device, small_batches, tmp_path):
    star = Graph.from_edges([0] * 200, range(1, 201))
    options = {"sizes": ["50%", "20%"], "device": device}
    found = study(star, "forest fire,drv", seeds=3, eigenvalues=False, folder=tmp_path, **options)
    for seed in range(3):
        for made in sample(star, "ff", seed=seed, **options):
            assert found.restarts["ff"][made.size].get(str(seed), 0) == made.iterations - 1
    assert set(found.restarts) == {"ff"}
    warned = found.best().warnings
    assert "ff (forest fire) started again at new vertices" in warned["ff"][0]
    assert json.loads((tmp_path / "study.json").read_text())["restarts"] == found.restarts


def test_records_without_what_is_newer(device, tmp_path):
    options = {"seeds": 2, "eigenvalues": False, "device": device}
    found = study(GRAPH, "drv", "50%", **options, folder=tmp_path)
    told = json.loads((tmp_path / "study.json").read_text())
    older = {k: v for k, v in told.items() if k not in ("hop_plots", "spectra", "restarts")}
    (tmp_path / "study.json").write_text(json.dumps(older))
    again = study(GRAPH, "drv", "50%", **options, folder=tmp_path)
    assert again == found and set(again.hop_plots) == {"original"}
    overlays = [each for each in drawings(again, again.best()) if each.name.startswith(("hops", "spectra"))]
    assert {each.name for each in overlays} == {"hops-50"}
    for each in overlays:
        write_print(each, tmp_path, 1, PAPER, forms=["svg"])


@pytest.mark.parametrize(
    ("methods", "sizes", "options", "why"),
    [
        ("drv", "50%", {"seeds": 0}, "seeds is 0"),
        ("drv,", "50%", {}, "methods is 'drv,'"),
        ("drw", "50%", {}, "unknown method 'drw'"),
        ("drv,DRV", "50%", {}, "named twice"),
        ("rw,random_walk", "50%", {}, "named twice"),
        ("drv", "50%,0.5", {}, "two of them are the same"),
        ("drv", "200%", {}, "more than the whole"),
        ("drv", "500", {}, "larger than the graph"),
        ("drv", [], {}, "sizes is \\[\\]"),
        ("drv", "50%", {"min_size": "60%"}, "min_size '60%' is (above|more than) the smallest"),
        ("drv", "50%", {"seed": -1}, "seed -1"),
    ],
)
def test_bad_arguments(methods, sizes, options, why):
    with pytest.raises(InputError, match=why):
        study(GRAPH, methods, sizes, **options)


def test_a_tiny_count_asks_whether_a_share_was_meant(device):
    graph, told = powerlaw_graph(1200, seed=1), []
    study(graph, "drv", "50", seeds=1, eigenvalues=False, device=device, on_note=told.append)
    assert "did you mean 50%?" in told[0]


# --- measures that are named -------------------------------------------------------------------------------


@pytest.mark.smoke
def test_measures_that_are_named_change_nothing_else(device, tmp_path):
    graph = weighted()
    given = {"seeds": 2, "eigenvalues": False, "device": device}
    found = study(graph, "drv,cre", "60%,30%", **given, also=ALSO, folder=tmp_path / "s")
    plain = study(graph, "drv,cre", "60%,30%", **given)
    assert [{name: row[name] for name in COLUMNS} for row in found.rows] == plain.rows
    assert found.digest != plain.digest and "also" not in plain.plan.to_dict()
    assert not {*ALSO} & {row["measure"] for row in plain.summary}
    best, before = found.best(), plain.best()
    measures = {verdict.measure for verdict in best.verdicts}
    assert measures - {verdict.measure for verdict in before.verdicts} == set(ALSO)
    assert "communities" in [choice.aspect for choice in best.choices]
    assert "communities" not in [choice.aspect for choice in before.choices]
    assert not {*ALSO} & (set(best.missing) | set(before.missing))
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
    assert json.loads((tmp_path / "s" / "study.json").read_text())["study"]["also"] == list(ALSO)


def test_without_weights_and_by_command(tmp_path, run):
    write(weighted(2), tmp_path / "g.txt")
    line = f"study {tmp_path}/g.txt --methods drv,dre --sizes 50% --seeds 2 --no-eigenvalues --no-figures"
    said = run(f"{line} --also {','.join(ALSO)} -o {tmp_path}/s --json").json()
    assert said["original"]["weighted_distance"] is None  # --weights was not given
    assert said["reasons"]["weighted_distance"] == "the graph has no weights"
    assert said["original"]["modularity"] > 0.1
    run(f"replay {tmp_path}/s/study.json --json").fine()
    run(f"{line} --also x -o {tmp_path}/t").refused("is no measure to ask for")


def test_directions(device):
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(*(rng.random((2, 700)) ** 2 * 120).astype(int), directed=True)
    given = {"sizes": "50%", "seeds": 2, "eigenvalues": False, "device": device}
    found, plain = study(graph, "drv,dre", **given, also=DIRECTIONS), study(graph, "drv,dre", **given)
    measures, before = ({v.measure for v in each.best().verdicts} for each in (found, plain))
    assert measures - before == set(DIRECTIONS)
    assert "KS distance of in-degrees" in found.table("50%") and "in-degrees" not in plain.table("50%")
    # the aspect has them, too: its distance is another one
    ways = [next(c for c in each.best().choices if c.aspect == "degrees") for each in (found, plain)]
    assert ways[0].places != ways[1].places
    undirected = study(weighted(), "drv", **given, also=DIRECTIONS)
    best = undirected.best()
    assert [best.missing[name] for name in DIRECTIONS] == ["the graph is undirected"] * 2
    assert not set(DIRECTIONS) & {v.measure for v in best.verdicts}
    assert "in-degrees" not in undirected.table("50%")
