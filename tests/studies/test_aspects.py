"""Methods compared by aspect: distances against a plain computation, intervals, what is said; no device."""

import numpy as np
import pytest
import scipy.stats
from studies.test_summary import PLAN, made_up

from clgraph import InputError
from clgraph.measures.scalars import OPTIONAL
from clgraph.studies.aspects import (
    ASPECTS,
    OVERALL,
    Choice,
    Distances,
    Place,
    check_weights,
    headline,
    warnings_of,
)
from clgraph.studies.columns import COMPARED, SCALARS
from clgraph.studies.plan import check_tolerance


def test_every_measure_has_one_aspect():
    named = [measure for measures in ASPECTS.values() for measure in measures]
    assert sorted(named) == sorted(COMPARED)


def test_distances_by_a_plain_computation():
    rows = made_up(4)
    original = {**dict.fromkeys(SCALARS, 10.0), "assortativity": None, "mean_distance": 0.0}
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
                        elif measure not in ("assortativity", "mean_distance"):
                            value = row[measure]
                            gaps.append(1.0 if value is None else min(1.0, abs(value - 10) / 10))
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


def test_weights():
    assert check_weights("degrees=2, spectrum=0") == {
        **dict.fromkeys(ASPECTS, 1.0),
        "degrees": 2,
        "spectrum": 0,
    }
    assert check_weights({"paths": 0.5})["paths"] == 0.5
    for bad, why in (
        ("degree=1", "'degree' is no aspect"),
        ("degrees=-1", "weight of degrees is '-1'"),
        ("degrees=nan", "weight of degrees is 'nan'"),
        ("degrees=1, paths=2,degrees=3", "names an aspect twice"),
        ({"degrees": True}, "weight of degrees is True"),
        (dict.fromkeys(ASPECTS, 0), "all weights are 0"),
        (3, "give a text"),
    ):
        with pytest.raises(InputError, match=why):
            check_weights(bad)


def test_warnings():
    rows = [{**row, "vertices": 10 if row["size"] == "30%" else 70} for row in made_up()]
    restarts = {"dre": {"70%": {str(seed): 40 for seed in range(30)}}, "drv": {"70%": {"0": 1}}}
    found = warnings_of(PLAN, rows, {"largest_component": 100}, restarts)
    assert found["drv"] == [
        "samples of drv (delete vertices) collapsed: all at 30% (down to 10 of 30 vertices)"
    ]
    assert "started again at new vertices 20 times for 70 vertices at 70%, on average" in found["dre"][0]
