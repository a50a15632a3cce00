"""Variants of the theses and slides."""

from __future__ import annotations

from typing import Any

from oclgrind.ranking import run_pagerank, run_ppr


def case_pagerank_serial(device: Any) -> None:
    """One work-item; distributions given."""
    run_pagerank(device, "serial", personalization={3: 1, 4: 2}, dangling={7: 1}, nstart={0: 1})


def case_pagerank_pull(device: Any) -> None:
    """A work-item a vertex, a division an arc."""
    run_pagerank(device, "pull")


def case_pagerank_subgroup(device: Any) -> None:
    """A team a row, long rows in pieces."""
    run_pagerank(device, "subgroup", norm="l2")


def case_ppr_coo(device: Any) -> None:
    """Atomic adds an arc."""
    run_ppr(device, "coo", [0, 3], tol=1e-2, top=4)


def case_ppr_coo_flat(device: Any) -> None:
    """Segmented sums, carries between groups."""
    run_ppr(device, "coo-flat", [0, 3], tol=1e-2, dangling="personalization")
