"""PageRank, compared with SciPy, NetworKit, igraph, scikit-network, NetworkX, CuPy and CUDA, if installed.

    python benchmarks/pagerank.py --device pocl --graphs rmat20 --json pagerank.json
    python benchmarks/pagerank.py --device nvidia --graphs rmat22 --cases iteration
    python benchmarks/pagerank.py --device pocl,intel --cases table --data FOLDER
    python benchmarks/pagerank.py --device pocl --data FOLDER --table62 table.md --with gpu.json

Cases. iteration: one iteration of every variant, compared with SciPy's float32 ``csr @ x`` (on a GPU also
cuSPARSE's), arcs per second, and the bytes that must be moved at least, as a share of a copy's bandwidth in
the same run, and with GAPBS's pr if the folder GAPBS_DIR has it. solve: float64, to an L1 error of --error,
from a built Graph (the first call, which includes reversing, renumbering and building, and the next one),
compared with the peers (igraph's is PRPACK), whose own graphs are made beforehand. call: float32 to 1e-6, a
first call, and the next ones beside their phases (iterate: the kernels), results on the host or left on the
device, and top(10) of them. table: Table 6.2 of the PageRank thesis, 1000 iterations of ego-Facebook and
cit-DBLP (facebook_combined.txt and cit-DBLP.edges in the folder --data), next to its printed figures and, on
a GPU, its CUDA kernels; --table62 writes it as Markdown, with the records of other machines (--with).

Graphs: ``rmatS`` (scale S, 16 arcs per vertex before duplicates are merged, directed), ``powerlawN`` (N
vertices, average degree 5, undirected), or files. Figures are medians over --repeat runs. The cases are in
clgraph/bench/cases/pagerank.py.
"""

import json
from pathlib import Path

from clgraph.bench import script
from clgraph.bench.cases import pagerank
from clgraph.bench.graphs import check_name
from clgraph.bench.tables import Labels, tables


def main() -> None:
    """Run the cases asked for."""
    parser = script.parser(__doc__, repeat=5)
    parser.add_argument("--graphs", type=script.words, default=["rmat20"])
    parser.add_argument(
        "--cases", type=script.words, default=["iteration", "solve", "call"], help="and table"
    )
    parser.add_argument("--variants", type=script.words, default=list(pagerank.VARIANTS))
    parser.add_argument("--dtype", default="float32", help="of the case iteration")
    parser.add_argument("--peers", default="all", help="'all', names, or '' for none")
    parser.add_argument("--error", type=float, default=pagerank.ERROR, help="L1 error of the case solve")
    parser.add_argument("--table62", metavar="OUT", help="run the case table alone and write it as Markdown")
    parser.add_argument(
        "--with",
        dest="others",
        type=script.words,
        default=[],
        metavar="JSON,...",
        help="other runs' records for --table62",
    )
    options = parser.parse_args()
    whats = ["table"] if options.table62 else options.cases
    outcome = script.run(
        lambda: pagerank.cases(
            [check_name(name) for name in options.graphs],
            whats=whats,
            variants=options.variants,
            dtype=options.dtype,
            peers=options.peers,
            error=options.error,
        ),
        options,
    )
    if options.table62:
        records = list(outcome.records)
        for path in options.others:
            records += json.loads(Path(path).read_text())["records"]
        (table,) = (each for each in tables(records, Labels(records)) if each.name == "pagerank_table")
        Path(options.table62).write_text(table.markdown())
        print(f"\n{table.markdown()}")


if __name__ == "__main__":
    main()
