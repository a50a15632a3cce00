"""Rerun the thesis's Table 4.2 (characteristics of samples): 20 rows, with the printed figures.

    python benchmarks/thesis_table.py --device nvidia --vertices 30000000 --json table.json

The graph is `clgraph.copra_graph`, fitted to these rows (``--graph powerlaw`` for Chung and Lu's model,
exponent 2.71, average degree 5); the thesis does not name its generator. The cases are in
clgraph/bench/cases/sampling.py.
"""

from clgraph.bench import script
from clgraph.bench.cases import sampling
from clgraph.bench.tables import Labels, tables


def main() -> None:
    """Run the rows and print a Markdown table."""
    parser = script.parser(__doc__)
    parser.add_argument("--vertices", type=int, default=300_000)
    parser.add_argument("--graph", choices=("copra", "powerlaw"), default="copra")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    graph = f"{options.graph}{options.vertices}"
    outcome = script.run(lambda: sampling.characteristics_cases([graph], seed=options.seed), options)
    for table in tables(outcome.records, Labels(outcome.records)):
        print(f"\n{table.markdown()}")


if __name__ == "__main__":
    main()
