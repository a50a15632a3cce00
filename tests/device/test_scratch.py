"""Scratch areas are lent to one borrower at a time, given back, and used again."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from clgraph import Graph
from clgraph.device.graph_cache import Pool


class Area:
    """What can be told from another one."""


def test_two_borrowers_have_different_areas():
    pool = Pool()
    with pool.lent(Area) as one, pool.lent(Area) as other:
        assert one is not other
    with pool.lent(Area) as again, pool.lent(Area) as another:
        assert {again, another} == {one, other}


def test_two_threads_have_different_areas():
    pool, both = Pool(), threading.Barrier(2, timeout=30)

    def borrow(_):
        with pool.lent(Area) as area:
            both.wait()  # until the other one has borrowed too
            return area

    with ThreadPoolExecutor(2) as threads:
        assert len(set(threads.map(borrow, range(2)))) == 2


def test_many_threads_never_share():
    pool, used, made = Pool(), set(), []

    def borrow(_):
        with pool.lent(lambda: made.append(Area()) or made[-1]) as area:
            assert area not in used
            used.add(area)
            used.remove(area)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(borrow, range(2000)))
    assert 1 <= len(made) <= 8


def test_an_area_is_not_used_again_after_an_exception():
    # an interrupt may have left it between two states
    pool = Pool()
    with pytest.raises(ZeroDivisionError), pool.lent(Area) as first:
        raise ZeroDivisionError
    with pool.lent(Area) as second:
        assert second is not first


def test_one_after_the_other_use_the_same_area():
    pool, made = Pool(), []
    for _ in range(3):
        with pool.lent(lambda: made.append(Area()) or made[-1]) as area:
            assert area is made[0]
    assert len(made) == 1


def test_areas_that_cannot_be_made_leave_the_pool_usable():
    pool = Pool()
    with pytest.raises(ZeroDivisionError), pool.lent(lambda: 1 // 0):
        pass
    with pool.lent(Area) as area:
        assert isinstance(area, Area)


def test_areas_go_with_the_graph(device):
    graph = Graph.from_edges([0], [1])
    pool = device.cached(graph, "areas", Pool)
    assert device.cached(graph, "areas", Pool) is pool
    with pool.lent(Area) as area:
        left = weakref.ref(area)
    del area, pool, graph
    gc.collect()
    assert left() is None
