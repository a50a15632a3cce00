"""The thesis's Table 4.2 (characteristics of samples) rerun: its 20 rows, printed figures beside ours.

    python benchmarks/thesis_table.py --device nvidia --vertices 30000000 --json table.json

The graph is `clgraph.powerlaw_graph` of seed 1 (Chung and Lu's model, exponent 2.71, average degree 5);
the thesis does not name its generator. "removed" is the share of the graph's vertices that went. Exact mode
stands beside batched mode where the thesis has its sequential program beside the parallel one; drve has no
exact mode. Exponents are slopes of least-squares lines in log-log (degree: frequency against degree; rank:
degree against rank), as the thesis has them.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np

from clgraph import Graph, Sample, powerlaw_graph, sample
from clgraph.device import get_device

# method -> (percent removed, average degree, degree exponents, rank exponents); pairs: sequential, parallel
Row = tuple[float, tuple[float, ...], tuple[float, ...], tuple[float, ...]]
THESIS: dict[str, list[Row]] = {
    "drv": [
        (8.58, (4.826,), (-2.015, -2.016), (-0.531,)),
        (17.02, (4.654,), (-2.013,), (-0.509,)),
        (29.28, (4.394,), (-2.008, -2.007), (-0.475,)),
        (37.20, (4.213,), (-2.024, -2.022), (-0.451,)),
        (48.69, (3.943,), (-2.012, -2.011), (-0.415,)),
        (59.58, (3.679,), (-1.99,), (-0.377,)),
        (69.67, (3.396, 3.395), (-1.971,), (-0.335,)),
    ],
    "dre": [
        (5.52, (4.665,), (-2.023,), (-0.511,)),
        (17.66, (4.044,), (-2.038,), (-0.429,)),
        (27.83, (3.622,), (-2.054,), (-0.369,)),
        (39.01, (3.24,), (-2.067,), (-0.311,)),
        (51.13, (2.898,), (-2.093, -2.094), (-0.256,)),
        (59.65, (2.695,), (-2.116,), (-0.22,)),
        (72.75, (2.433,), (-2.142,), (-0.17,)),
    ],
    "drve": [
        (9.27, (5.059,), (-2.014,), (-0.499,)),
        (17.57, (5.117,), (-2.015, -2.018), (-0.451,)),
        (31.73, (5.235, 5.234), (-2.015, -2.017), (-0.371, -0.317)),
        (37.76, (5.292,), (-2.014, -2.016), (-0.338, -0.388)),
        (48.12, (5.409,), (-2.011, -2.015), (-0.281,)),
        (60.21, (5.583,), (-2.008, -2.005), (-0.215,)),
    ],
}


def characteristics(graph: Graph) -> dict[str, float]:
    """Average degree and the two exponents."""
    degrees = np.asarray(graph.degrees)
    count = np.bincount(degrees)
    degree = np.flatnonzero(count[1:]) + 1
    by_rank = np.repeat(degree[::-1], count[degree][::-1])
    rank = np.arange(1, len(by_rank) + 1)
    return {
        "vertices": graph.num_vertices,
        "average_degree": graph.num_arcs / graph.num_vertices,
        "degree_exponent": float(np.polyfit(np.log(degree), np.log(count[degree]), 1)[0]),
        "rank_exponent": float(np.polyfit(np.log(rank), np.log(by_rank), 1)[0]),
    }


def rows_of(graph: Graph, method: str, seed: int, device: Any) -> list[dict[str, Any]]:
    """A method's rows of the table: nested samples of one run for each mode."""
    shares = [round(1 - percent / 100, 4) for percent, *_ in THESIS[method]]
    rows: list[dict[str, Any]] = [
        {"method": method, "removed": percent, "thesis": printed} for percent, *printed in THESIS[method]
    ]
    for mode in ("exact", "batched") if method != "drve" else ("batched",):
        made: list[Sample] = sample(graph, method, sizes=shares, seed=seed, mode=mode, device=device)
        for row, each in zip(rows, made, strict=True):
            row[mode] = {**characteristics(each.graph), "seconds": each.seconds["sample"]}
        del made
    return rows


def show(values: Any, digits: int) -> str:
    """One or two figures, as the thesis prints them."""
    return " / ".join(f"{value:.{digits}f}" for value in values)


def main() -> None:
    """Make the graph, run the rows, print a Markdown table."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--device")
    parser.add_argument("--vertices", type=int, default=300_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", metavar="OUT")
    options = parser.parse_args()
    device = get_device(options.device)
    start = time.perf_counter()
    graph = powerlaw_graph(options.vertices, seed=1, device=device)
    whole = characteristics(graph)
    print(
        f"{device.name}; powerlaw_graph({options.vertices}, seed=1), "
        f"made in {time.perf_counter() - start:.1f} s: "
        f"average degree {whole['average_degree']:.3f}, degree exponent {whole['degree_exponent']:.3f}, "
        f"rank exponent {whole['rank_exponent']:.3f}\n"
    )
    columns = ["method", "removed %"]
    for name in ("average degree", "degree exponent", "rank exponent"):
        columns += [f"{name}: thesis", "exact", "batched"]
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    rows = []
    for method in THESIS:
        for row in rows_of(graph, method, options.seed, device):
            rows.append(row)
            cells = [row["method"], f"{row['removed']:.2f}"]
            for i, name in enumerate(("average_degree", "degree_exponent", "rank_exponent")):
                cells.append(show(row["thesis"][i], 3))
                cells += [f"{row[mode][name]:.3f}" if mode in row else "" for mode in ("exact", "batched")]
            print("| " + " | ".join(cells) + " |", flush=True)
    if options.json:
        about = {"name": device.name, "platform": device.platform_name, "driver": device.driver_version}
        value = {"device": about, "graph": {"generator": "powerlaw_graph", "seed": 1, **whole}, "rows": rows}
        with open(options.json, "w") as out:
            json.dump(value, out, indent=2)


if __name__ == "__main__":
    main()
