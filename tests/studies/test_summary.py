"""Means and intervals of a study against pandas and SciPy, and the answer, by aspect, too; no device."""

import numpy as np
import pytest
import scipy.stats

from clgraph import InputError
from clgraph.drawing import t_interval
from clgraph.measures.scalars import OPTIONAL
from clgraph.studies import aspects
from clgraph.studies.answer import answer
from clgraph.studies.aspects import ASPECTS, OVERALL, Choice, Distances, Place, check_weights, headline
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


def test_tolerances_and_weights():
    given = check_tolerance("ks=0.2, clustering=5%,ks_degree=0.01")
    assert given.of["ks_hop_plot"] == (0.2, False)
    assert given.of["ks_degree"] == (0.01, False)
    assert given.of["clustering"] == (0.05, True)
    assert given.of["mean_distance"] == (0.1, True)
    assert check_tolerance({"ks": 0.2, "clustering": "5%", "ks_degree": 0.01}) == given
    weights = check_weights("degrees=2, spectrum=0")
    assert weights == {**dict.fromkeys(ASPECTS, 1.0), "degrees": 2, "spectrum": 0}
    assert check_weights({"paths": 0.5})["paths"] == 0.5


@pytest.mark.parametrize(
    ("check", "given", "why"),
    [
        (check_tolerance, "ks", "tolerance of ks is ''"),
        (check_tolerance, "ks=much", "tolerance of ks is 'much'"),
        (check_tolerance, "vertices=3", "vertices is not compared"),
        (check_tolerance, "clusterin=3", "clusterin is no measure"),
        (check_tolerance, 3, "give a text"),
        (check_weights, "degree=1", "'degree' is no aspect"),
        (check_weights, "degrees=-1", "weight of degrees is '-1'"),
        (check_weights, "degrees=nan", "weight of degrees is 'nan'"),
        (check_weights, "degrees=1, paths=2,degrees=3", "names an aspect twice"),
        (check_weights, {"degrees": True}, "weight of degrees is True"),
        (check_weights, dict.fromkeys(ASPECTS, 0), "all weights are 0"),
        (check_weights, 3, "give a text"),
    ],
)
def test_tolerances_and_weights_that_are_none(check, given, why):
    with pytest.raises(InputError, match=why):
        check(given)


# --- aspects ----------------------------------------------------------------------------------------------


def test_every_measure_has_one_aspect():
    named = [measure for measures in ASPECTS.values() for measure in measures]
    assert sorted(named) == sorted(COMPARED)


def test_distances_by_a_plain_computation():
    rows = made_up(4)
    original = {**dict.fromkeys(SCALARS, 10.0), "assortativity": None, "mean_distance": 0.0}
    original["effective_diameter"] = 0.5  # so far off that its gap is cut to 1
    weights = {"degrees": 2.0, "clustering": 1.0, "paths": 0.5, "spectrum": 0.0, "cores": 3.0}
    made = Distances(PLAN, rows, original, check_tolerance(None), weights)
    for choice in made.choices():
        for place in choice.places:
            totals = []
            for row in rows:
                if (row["method"], row["size"]) != (place.method, choice.size):
                    continue
                by = {}
                for aspect, measures in ASPECTS.items():
                    gaps = []
                    for measure in measures:
                        if measure in OPTIONAL:  # only if it is asked for
                            continue
                        if measure.startswith("ks_"):
                            gaps.append(row[measure])
                        elif of := original[measure]:
                            value = row[measure]
                            gaps.append(1.0 if value is None else min(1.0, abs(value - of) / of))
                    if gaps:
                        by[aspect] = sum(gaps) / len(gaps)
                total = sum(by[each] * weights[each] for each in by) / sum(weights.values())
                totals.append(total if choice.aspect == OVERALL else by[choice.aspect])
            assert place.distance == pytest.approx(np.mean(totals))
            want = scipy.stats.t.interval(0.95, len(totals) - 1, np.mean(totals), scipy.stats.sem(totals))
            assert (place.low, place.high) == pytest.approx(want)
        assert [each.distance for each in choice.places] == sorted(each.distance for each in choice.places)


def choice(size, *places, aspect=OVERALL, tolerance=0.1):
    return Choice(aspect, size, 50, tolerance, tuple(Place(*each) for each in places))


def test_what_is_said():
    near, far = ("drv", 0.05, 0.04, 0.06), ("dre", 0.07, 0.055, 0.09)
    text = headline([choice("70%", near, far), choice("30%", ("dre", 0.2, 0.1, 0.3), ("drv", 0.5, 0.4, 0.6))])
    assert text.startswith("Take drv (delete vertices) at 70%")
    assert "5.0 % (4.0 to 6.0)" in text and text.endswith("not distinguishable from dre.")
    # a method has to be within the tolerance at all larger sizes, too
    text = headline([choice("70%", near, ("dre", 0.3, 0.2, 0.4)), choice("30%", far, ("drv", 0.5, 0.4, 0.6))])
    assert "drv (delete vertices) at 70%" in text
    text = headline([choice("70%", ("ff", 0.3, 0.2, 0.4), ("dre", 0.9, 0.8, 1.0))], {"ff": ["..."]})
    assert text.startswith("No size is within the tolerance over all (10.0 %). Nearest is ff (forest fire)")
    assert text.endswith("But see the warning below.")
    alone = choice("70%", ("drv", 0.05, None, None), ("dre", 0.06, None, None))
    assert alone.alike == () and "single seed" in alone.text() and "single seed" in headline([alone])
    assert choice("70%", near, ("dre", 0.3, 0.2, 0.4)).text().endswith("distinguishable from all others")
    many = [(f"m{i}", 0.05, 0.0, 1.0) for i in range(12)]
    assert choice("70%", near, *many).text().endswith("m0, m1, m2, m3, m4, m5 and 6 more")
    assert "Nothing could be compared" in headline([])


def test_warnings():
    rows = [{**row, "vertices": 10 if row["size"] == "30%" else 70} for row in made_up()]
    restarts = {"dre": {"70%": {str(seed): 40 for seed in range(30)}}, "drv": {"70%": {"0": 1}}}
    found = aspects.warnings_of(PLAN, rows, {"largest_component": 100}, restarts)
    assert found["drv"] == [
        "samples of drv (delete vertices) collapsed: all at 30% (down to 10 of 30 vertices)"
    ]
    assert "started again at new vertices 20 times for 70 vertices at 70%, on average" in found["dre"][0]
