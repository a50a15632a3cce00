"""Figures printed in the theses and the slides, for comparison with ours.

COPRA thesis (Tariq 2018): the abstract (Table 4.2 is in `clgraph.theses.copra`). PageRank thesis: Table 6.2.
Personalized PageRank slides: the table of methods, Wikipedia of 2007 (3.57 M vertices, 45 M arcs).
"""

from __future__ import annotations

from typing import Any

# what the COPRA thesis says of energy; power was read off a wall meter
COPRA_ENERGY = (
    "The thesis: FPGA 2 times faster and 3 times more energy-efficient than its serial CPU, 10 times less "
    "energy than its GPU (abstract; the text says more than 2 times), from powers off a wall meter: CPU "
    "system 70 W, FPGA system 60 W, GPU system 245 W (DE5-Net Stratix V, GTX 480, Xeon W3565)."
)

# Table 6.2: seconds for 1000 iterations on an RTX 2080 Ti, medians of 10
PAGERANK_ITERATIONS = 1000
PAGERANK = {
    "facebook_combined.txt": {"serial": 0.657086, "pull": 0.200191, "contribution": 0.161187},
    "cit-DBLP.edges": {"serial": 0.689932, "pull": 0.200105, "contribution": 0.160348},
}
# who -> its name in the thesis; the rows of the table
PAGERANK_ROWS = {
    "clgraph serial": "serial",
    "clgraph pull": "Parallel I (pull)",
    "clgraph contribution": "Parallel II (contribution)",
    "clgraph subgroup": "Parallel III (subgroup)",
    "clgraph auto": "auto",
    "CUDA Parallel I": "the thesis's CUDA kernel, Parallel I",
    "CUDA Parallel II": "the thesis's CUDA kernels, Parallel II",
}
PAGERANK_TITLES = {"facebook_combined.txt": "ego-Facebook", "cit-DBLP.edges": "cit-DBLP"}

# the slides' table, RTX 3080 laptop: (their name, milliseconds a source, accuracy of the top 20, whether the
# sources are dangling ones, which options of ours do the same; None: nothing does)
PPR: list[tuple[str, float, str, bool, dict[str, Any] | None]] = [
    ("naive COO, float64", 1010.62, "100 %", False, {"method": "coo", "dtype": "float64"}),
    ("cuBLAS bcr", 1215.45, "100 %", False, None),
    ("improved naive COO", 800.90, "100 %", False, {"method": "coo"}),
    ("flat COO", 750.0, "100 %", False, {"method": "coo-flat"}),
    ("flat COO, error every 5th iteration", 613.0, "100 %", False, {"method": "coo-flat", "check_every": 5}),
    ("flat COO, squared error", 650.0, "100 %", False, {"method": "coo-flat", "squared": True}),
    ("cuBLAS/cuSPARSE COO (ours: power)", 255.08, "100 %", False, {"method": "power"}),
    (
        "final: squared threshold 6e-9, checked every 3rd iteration",
        100.0,
        "95 % or > 80 %",
        False,
        {"squared": True, "check_every": 3, "tol": 6e-9**0.5},
    ),
    ("final (ours: until the top 20 stay)", 100.0, "95 % or > 80 %", False, {"stable_top": 1}),
    # the number of walks is an option and not in the name
    ("Monte Carlo", 14.27, "> 80 %", False, {"method": "monte-carlo", "seed": 1}),
    ("dangling source from store", 3.0, "100 %", True, {"stored": True}),
    ("dangling source, Monte Carlo", 2.0, "> 80 %", True, {"method": "monte-carlo", "seed": 1}),
]
# rows of California.mtx, from 0: the contest's sources
CONTEST = [
    *(9616, 18, 1010, 6016, 3579, 3511, 4549, 281, 6465, 2104),
    *(5338, 2301, 37, 670, 7544, 7080, 7771, 835, 623, 924),
    *(1854, 2048, 9500, 5906, 7910, 8488, 6075, 6786, 5530, 5677),
]
