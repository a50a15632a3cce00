"""Sample a power-law graph (exponent 2.71, average degree 5, `clgraph.powerlaw_graph` of seed 1) to half of
its vertices: seconds by phase, medians.

    python benchmarks/sampling.py --device pocl --vertices 1000000,3000000 --json sampling.json

"kernels" is the run on the device, "call" the whole call on a graph that is already there, including the
`Graph` made of the sample. "scipy loop" is the batched loop of drv on scipy.sparse.csgraph
(`clgraph.reference_sample`), run once and only up to `--peer-vertices`. `--one-core` runs the same kernels
on one core of a CPU device, in a separate process. The first run of each case is not counted. The cases are
in clgraph/bench/cases/sampling.py.
"""

from clgraph.bench import script
from clgraph.bench.cases import sampling


def main() -> None:
    """Run the cases asked for."""
    parser = script.parser(__doc__)
    parser.add_argument("--vertices", type=script.numbers, default=[1_000_000, 3_000_000])
    parser.add_argument("--modes", type=script.words, default=["exact", "batched"])
    parser.add_argument("--methods", type=script.words, default=["drv", "dre", "drve"])
    parser.add_argument("--one-core", action="store_true", help="also on one core")
    parser.add_argument("--peer-vertices", type=int, default=0, help="largest graph for the scipy loop")
    options = parser.parse_args()
    script.run(
        lambda: sampling.cases(
            [f"powerlaw{n}" for n in options.vertices],
            methods=options.methods,
            modes=options.modes,
            core_vertices=max(options.vertices) if options.one_core else -1,
            loop_vertices=options.peer_vertices,
        ),
        options,
    )


if __name__ == "__main__":
    main()
