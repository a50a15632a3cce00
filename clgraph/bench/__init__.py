"""``clgraph bench``: cases measured by one harness, stored as they finish, shown in tables and figures.

* environment.py: which machine, device, versions and source a figure belongs to
* graphs.py: graphs by name (rmat20, powerlaw3000000, grid1000, a file), sizes by word
* cases/, peers.py: what is measured, by suite, and the other libraries beside it
* harness.py: a case; warm-up, medians and spread, phases, energy
* run.py, store.py: cases one after the other; one JSON file each, written at once
* graphalytics.py, graph500.py, gap.py: benchmarks of the field, by their own rules
* tables.py, figures.py, report.py: what is made of the results
"""

SUITES = ("sampling", "pagerank", "ppr", "traversal")
