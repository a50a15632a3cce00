"""What only repeats a printed variant or table of the theses and slides that clgraph began with.

* rows.py: PageRank's variants serial, pull and subgroup (Parallel I and III)
* coo.py: personalized PageRank's methods coo and coo-flat
* stored.py: its option `stored`
* copra.py, presets.py: the COPRA thesis's graph and study
* printed.py: the other figures that are printed, which ``clgraph bench`` shows beside ours
"""

from __future__ import annotations


def add_variants() -> None:
    """Add the variants to the tables in which public calls look their names up (`clgraph.lazy.Table`)."""
    from clgraph.ranking.personalized.batched_power import BATCHES
    from clgraph.ranking.personalized.engines import ANSWERS
    from clgraph.ranking.plan import KINDS
    from clgraph.theses.coo import CooBatch, CooFlatBatch
    from clgraph.theses.rows import PullSolver, SerialSolver, SubgroupSolver
    from clgraph.theses.stored import answer_stored

    KINDS.update(serial=SerialSolver, pull=PullSolver, subgroup=SubgroupSolver)
    BATCHES.update({"coo": CooBatch, "coo-flat": CooFlatBatch})
    ANSWERS["stored"] = answer_stored
