"""Means and intervals of a study against pandas and SciPy, their coverage, the answer; no device."""

import numpy as np
import pytest
import scipy.stats

from clgraph import InputError
from clgraph.drawing import t_interval
from clgraph.measures.scalars import OPTIONAL
from clgraph.studies.answer import answer
from clgraph.studies.aspects import check_weights
from clgraph.studies.columns import COMPARED, MEASURES, SCALARS
from clgraph.studies.plan import Plan, check_tolerance
from clgraph.studies.summary import DRAWS, bootstrap_interval, summary_of

PLAN = Plan(("drv", "dre"), ("70%", "30%"), (70, 30), 60, 0, 0, 1024, None)


def made_up(seed=0):
    """Rows of normal numbers; drv's clustering drifts away at 30 %, dre's transitivity is seldom defined."""
    rng = np.random.default_rng(seed)
    rows = []
    for method in PLAN.methods:
        for run in range(PLAN.seeds):
            for size, target in zip(PLAN.sizes, PLAN.targets, strict=True):
                row = {"method": method, "size": size, "target": target, "seed": run}
                row |= {name: 10 + float(rng.normal()) for name in MEASURES}
                row |= {name: abs(float(rng.normal(0.02, 0.01))) for name in MEASURES if name[:3] == "ks_"}
                if (method, size) == ("drv", "30%"):
                    row["clustering"] += 5
                if method == "dre" and run % 3:
                    row["transitivity"] = None
                rows.append(row)
    return rows


def test_summary_by_pandas():
    pd = pytest.importorskip("pandas")
    rows = made_up()
    frame = pd.DataFrame(rows)
    for line in summary_of(PLAN, rows, dict.fromkeys(SCALARS, 10.0)):
        group = frame[(frame.method == line["method"]) & (frame["size"] == line["size"])][line["measure"]]
        group = group.astype(float)
        assert (line["samples"], line["defined"]) == (len(group), group.count())
        assert line["mean"] == pytest.approx(group.mean())
        assert line["sd"] == pytest.approx(group.std())
        assert (line["min"], line["max"]) == (group.min(), group.max())
        error = group.std() / np.sqrt(group.count())
        want = scipy.stats.t.interval(0.95, group.count() - 1, group.mean(), error)
        assert (line["low"], line["high"]) == pytest.approx(want)
        if line["defined"] >= 50:
            assert line["bootstrap_low"] == pytest.approx(line["low"], abs=0.35 * error)
        else:
            assert line["bootstrap_low"] is None


def test_coverage_of_intervals():
    """95 % +- 1.5 of the intervals of normal data hold the true mean; the bootstrap's nearly as many."""
    rng = np.random.default_rng(3)
    for n, interval, least in (
        (5, t_interval, 0.935),
        (20, t_interval, 0.935),
        (50, bootstrap_interval, 0.92),
    ):
        tries = 4000 if interval is t_interval else 600
        found = [interval(values) for values in rng.normal(7, 2, (tries, n))]
        covered = np.mean([low <= 7 <= high for low, high in found])
        assert least <= covered <= 0.965
    assert DRAWS >= 1000
    assert t_interval(np.array([3.0])) == (None, None)
    assert bootstrap_interval(np.zeros(49)) == (None, None)


def test_the_answer():
    rows = made_up()
    original = dict.fromkeys(SCALARS, 10.0)
    original["assortativity"] = None
    table = summary_of(PLAN, rows, original)
    given = PLAN, rows, original, table
    missing = {"assortativity": "all alike"}
    found = answer(*given, check_tolerance(None), missing, check_weights(None), {})
    by = {verdict.measure: verdict for verdict in found.verdicts}
    assert set(by) == set(COMPARED) - {"assortativity", *OPTIONAL}
    assert by["clustering"].smallest == {"drv": "70%", "dre": "30%"}
    assert (by["clustering"].method, by["clustering"].size) == ("dre", "30%")
    assert by["transitivity"].smallest == {"drv": "30%", "dre": None}  # not defined for some samples
    assert [place.method for place in found.ranking] == ["drv", "dre"]
    assert found.ranking[0].kept == {"70%": 14, "30%": 13}
    strict = answer(*given, check_tolerance("all=0,ks=0"), missing, check_weights(None), {})
    assert {size for verdict in strict.verdicts for size in verdict.smallest.values()} == {None}
    # who does not care for clustering finds both alike
    other = answer(*given, check_tolerance(None), missing, check_weights("clustering=0"), {})
    assert other.choices[0].alike
    assert other.headline.startswith("Take ") and "at 30%" in other.headline


def test_tolerances():
    given = check_tolerance("ks=0.2, clustering=5%,ks_degree=0.01")
    assert given.of["ks_hop_plot"] == (0.2, False)
    assert given.of["ks_degree"] == (0.01, False)
    assert given.of["clustering"] == (0.05, True)
    assert given.of["mean_distance"] == (0.1, True)
    assert check_tolerance({"ks": 0.2, "clustering": "5%", "ks_degree": 0.01}) == given
    for bad, why in (
        ("ks", "tolerance of ks is ''"),
        ("ks=much", "tolerance of ks is 'much'"),
        ("vertices=3", "vertices is not compared"),
        ("clusterin=3", "clusterin is no measure"),
        (3, "give a text"),
    ):
        with pytest.raises(InputError, match=why):
            check_tolerance(bad)
