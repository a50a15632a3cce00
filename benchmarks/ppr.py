"""Personalized PageRank: every method, one and many sources, time per source and top-20 accuracy.

    python benchmarks/ppr.py --device pocl --graph cnr-2000.edges.gz --peers networkx,igraph,scikit-network
    python benchmarks/ppr.py --device nvidia --graph rmat22 --json h200.json
    python benchmarks/ppr.py --device pocl --contest --data FOLDER --json california.json
    python benchmarks/ppr.py --device nvidia --graph rmat22 --reference device --slides

Graphs: a file (read as directed), or ``rmatS``: R-MAT of scale S, seed 1, 16 arcs drawn per vertex; at
scale 22 the vertices from 3 600 000 on are dropped and the first 45 million distinct arcs are kept, which
gives the size of the slides' Wikipedia graph. Sources are drawn among vertices with out-arcs (seed 5);
`--contest` takes the contest's 30 of California.mtx (in the folder --data, or given by --graph).

`--slides` prints the slides' table instead, as Markdown: their time and accuracy (Wikipedia 2007, RTX 3080
laptop) next to ours, one source at a time; "dangling" rows have sources without out-arcs.

"call" is the time of the whole call on a graph used before, divided by the number of sources; "kernels" is
the time from the first launch to the end of the last kernel, with the top 20 selected. Both are medians of
`--repeat` calls after one that is not counted. Accuracy is measured against the power method in float64 to
an L2 difference of 1e-12 (a vertex whose rank is within 1e-9 of the 20th counts as well), computed by
SciPy, or with `--reference device` on the device. The cases are in clgraph/bench/cases/ppr.py.
"""

from pathlib import Path

from clgraph.bench import script
from clgraph.bench.cases import ppr
from clgraph.bench.graphs import check_name
from clgraph.bench.tables import Labels, tables


def main() -> None:
    """Run the cases asked for."""
    parser = script.parser(__doc__)
    parser.add_argument("--graph", default="rmat16")
    parser.add_argument("--sources", type=int, default=ppr.SOURCES)
    parser.add_argument("--singles", type=int, default=8, help="how many of them also run one at a time")
    parser.add_argument("--contest", action="store_true")
    parser.add_argument("--slides", action="store_true", help="print the slides' table with our figures")
    parser.add_argument("--walks", type=script.numbers, default=[20_000, 200_000])
    parser.add_argument("--methods", type=script.words, default=[], help="beginnings of names")
    parser.add_argument("--peers", default="", help="'all', or names")
    parser.add_argument("--reference", choices=["scipy", "device"], default="", help="default: by size")
    options = parser.parse_args()
    name = "wiki22" if options.graph == "rmat22" else options.graph
    if options.contest and Path(name).name == ppr.CALIFORNIA:
        options.data = str(Path(name).parent)
    how = {
        "walks": options.walks,
        "sources": options.sources,
        "singles": options.singles,
        "reference": options.reference,
    }

    def cases() -> list[ppr.Case]:
        if options.contest:
            return ppr.cases([], methods=options.methods, **how)
        graphs = [check_name(name, "--graph")]
        methods = ["none"] if options.slides else options.methods
        return ppr.cases(
            graphs, methods=methods, peers=options.peers, contest=False, slides=options.slides, **how
        )

    outcome = script.run(cases, options)
    if options.slides:
        for table in tables(outcome.records, Labels(outcome.records)):
            print(f"\n{table.markdown()}")


if __name__ == "__main__":
    main()
