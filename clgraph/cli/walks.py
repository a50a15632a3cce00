"""``clgraph walks``: a corpus of random walks, as word2vec and node2vec take it."""

from __future__ import annotations

from typing import Any

import click

from clgraph.cli.command import Command, Run, direction
from clgraph.cli.options import MethodName, on_graph, option
from clgraph.cli.outputs import check_without_graph
from clgraph.errors import InputError
from clgraph.methods import OPTIONS, plain_method

METHOD_OPTIONS = ("p", "q", "alpha", "c", "direction", "weighted")


@click.command(cls=Command)
@option(
    "--method",
    "node2vec, rw, or another walk: rwr rj rwj mhrw gmd nbrw mhda cnarw.",
    MethodName(),
    "node2vec",
)
@option("--length", "Vertices of a walk.", int, 80)
@option("--per-vertex", "Walks from each vertex that has edges.", int, 10)
@option(
    "--p", "node2vec: back to the vertex before by 1 / P (default 1); rwr and rj: the probability of a jump."
)
@option("--q", "node2vec: to no neighbour of the vertex before by 1 / Q (default 1).")
@option("--alpha", "rwj and mhrw: see `clgraph methods`.")
@option("--c", "gmd: see `clgraph methods`.", int)
@option("--direction", OPTIONS["direction"].help, ["both", "out", "in"], "both")
@option("--weighted", "Let edge weights count (with --weights).", bool)
@option("--seed", "0 .. 2^64-1 (default: drawn and printed).", int)
@option("--resume", "Note in OUT.work what has been written, and continue from there.", bool)
@on_graph(
    "Output file: .txt, .txt.gz or .txt.zst (a walk per line), .npy, .parquet; - is standard output.",
    plan=False,
    energy=False,
)
def walks(run: Run) -> None:
    """Write random walks from every vertex of GRAPH, as many as fit on the disk.

    \b
    clgraph walks web.txt --p 2 --q 0.5 --length 80 --per-vertex 10 -o corpus.txt.gz
    clgraph walks web.txt --method rw --seed 7 -o corpus.npy --resume
    """
    from clgraph.sampling.corpus import check_output, walk_methods, write_walks

    given, output = run.options, run.output
    if output is None:
        raise click.UsageError("-o is missing: a corpus goes into a file, or to standard output (-o -).")
    if run.of_shards:
        raise InputError(f"{run.graph}: walks are of graphs in memory (clgraph convert IN.clgs OUT.clg)")
    options: dict[str, Any] = {name: getattr(given, name) for name in METHOD_OPTIONS}
    options = {name: value for name, value in options.items() if value not in (None, False)}
    # before a large file is read
    check_output(output, given.resume, given.seed)
    method = plain_method(given.method)
    if method not in walk_methods():
        raise InputError(f"--method {given.method}: walks are made by {', '.join(walk_methods())}")
    unweighted = {name: value for name, value in options.items() if name != "weighted"}
    check_without_graph(method, {**unweighted, "steps": 1})
    run.check_output()
    graph = run.read()
    device = run.device
    with run.progress("walking") as progress:
        made = write_walks(
            graph, output, method, length=given.length, per_vertex=given.per_vertex, seed=given.seed,
            resume=given.resume, device=device, progress=progress, **options,
        )  # fmt: skip
    run.seconds |= made.seconds
    steps = (made.walks - made.resumed) * (made.length - 1)
    there = f", {made.resumed} of them there already" if made.resumed else ""
    run.print(
        {
            "method": made.method, "walks": made.walks, "length": made.length, "seed": made.seed,
            "resumed": made.resumed, "output": made.path, "device": made.device, "seconds": run.seconds,
        },
        [
            f"{made.path}: {made.walks} walks of {made.length} vertices by {made.method} "
            f"({direction(graph)}, seed {made.seed}){there}; {steps} steps in {made.seconds['total']:.2f} s"
        ],
    )  # fmt: skip
