"""``clgraph sample``: shrink a graph by a sampling method."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import clgraph
from clgraph.cli.arrivals import is_stream, refuse_of_streams, sample_stream
from clgraph.cli.common import (
    EnergyWish,
    FormatName,
    MethodName,
    OutputName,
    attributes_option,
    check_without_graph,
    direction,
    edges_word,
    is_dataset,
    json_option,
    measured_run_options,
    open_device,
    output_option,
    print_json,
    progress_bar,
    read_for,
    say,
    timed,
    verifying,
    write_graph,
)
from clgraph.cli.outputs import check_template, fill_template, spread_table, write_record
from clgraph.cli.shards import forest_options, only_datasets, plan_option, refuse, sample_dataset
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.sampling import Sample


@click.command()
@json_option
def methods(as_json: bool) -> None:
    """Every sampling method: what it draws, its options, its source, its other names."""
    from clgraph.sampling.table import KINDS, METHODS

    table: dict[str, dict[str, Any]] = {
        name: {
            "words": each.words,
            "kind": KINDS[each.kind],
            "does": each.does,
            "options": list(each.options),
            "reference": each.paper,
            "also": list(each.also),
        }
        for name, each in METHODS.items()
    }
    if as_json:
        print_json({"methods": table})
        return
    for name, row in table.items():
        click.echo(f"{name:9} {row['words']}")
        click.echo(f"{'':9} {row['kind']}: {row['does']}")
        click.echo(
            f"{'':9} {row['reference']}"
            + (f"; in littleballoffur {', '.join(row['also'])}" if row["also"] else "")
        )
        if row["options"]:
            click.echo(f"{'':9} options: {', '.join(row['options'])}")


# --- The command ---


TOGETHER = 256  # runs of one call: their samples are written before the next ones are made


@click.command()
@click.argument("graph", metavar="GRAPH")
@click.option(
    "--method",
    type=MethodName(),
    default="drv",
    show_default=True,
    help="drv, dre, drve, dhyb delete; cre, crve contract; ebfs, edfs explore; `clgraph methods` lists all.",
)
@click.option("--size", help="How large: 0.3 or 30% of the vertices, or a count such as 5000.")
@click.option("--sizes", help="Several of them, nested, in one run: 70%,50%,30%.")
@click.option(
    "--seed", type=int, help="0 .. 2^64-1; the same seed gives the same sample (default: drawn and recorded)."
)
@click.option("--seeds", type=int, help="Number of runs, with the seeds from --seed on.")
@click.option(
    "--mode",
    default="auto",
    show_default=True,
    help="auto (exact where it exists), exact or batched; chordal: ordered or exact.",
)
@click.option(
    "--tolerance", type=float, help="By how many vertices a batch may undershoot (default 0.001 of the size)."
)
@click.option(
    "--components",
    type=click.Choice(["afforest", "bfs"]),
    help="How batched mode finds the largest component (default afforest).",
)
@click.option(
    "--far-scan/--far-search",
    default=None,
    help="How the other slot of an edge is found (default: by device).",
)
@click.option(
    "--connection",
    type=click.Choice(["weak", "strong"]),
    default="weak",
    show_default=True,
    help="Which components count in a directed graph.",
)
@click.option("--weight", help="dhyb: the older name of --mix.")
@click.option("--start", metavar="ID", help="ebfs, edfs, walks: where to begin (default: drawn).")
# what only some samplers of the literature read
@click.option(
    "--edges", help="re, rne, hyb: how many edges, instead of --size (20% or a count); gps: how many."
)
@click.option("--mix", help="hyb, dhyb: the probability of rne (drve) (default 0.8).")
@click.option("--starts", type=int, help="rnn: centres, instead of --size; rds: starts (10).")
@click.option("--steps", type=int, help="Walks: how many steps a walker makes, instead of --size.")
@click.option("--walkers", type=int, help="Walks: how many walkers (default 1).")
@click.option("--burn-in", type=int, help="Walks of --steps: first steps that do not count.")
@click.option("--thin", type=int, help="Walks of --steps: only one step in this many counts.")
@click.option("--patience", type=int, help="Walks: steps for each new vertex before a new start (1000).")
@click.option("--direction", type=click.Choice(["both", "out", "in"]), help="Arcs that are followed.")
@click.option(
    "--p",
    help="rwr, rj: the probability of a restart or jump (0.15); ff: of burning (0.7); gsh: of "
    "holding an edge (0.3).",
)
@click.option("--q", help="gsh: the probability of holding an edge that touches one (0.7).")
@click.option(
    "--closing", is_flag=True, default=None, help="gsh: edges that close triangles are always held."
)
@click.option("--triangles", type=int, help="gps: the weight of a triangle that an edge closes (9).")
@click.option("--block", type=int, help="gps: edges that are weighed together (1).")
@click.option("--alpha", help="rwj: the weight of jumps (the mean degree); mhrw: the exponent (1).")
@click.option("--c", type=int, help="gmd: the degree below which walks wait (the mean degree).")
@click.option("--k", type=int, help="snowball: names of each vertex (50).")
@click.option("--stages", type=int, help="snowball: how many stages, instead of --size.")
@click.option("--r", help="ff, directed: how likely arcs burn backward, compared to --p (0).")
@click.option("--coupons", type=int, help="rds: recruits of each vertex (3).")
@click.option("--share", help="spikyball: the share of a stage's arcs that is taken (0.1).")
@click.option("--powers", help="spikyball: powers of d_out, weight and d_in (0,0,0).")
@click.option("--parts", type=int, help="quasi-chordal: how many parts (16).")
@click.option("--weighted", is_flag=True, default=None, help="Let edge weights count (read with --weights).")
@click.option(
    "--keep",
    type=click.Choice(["induced", "visited", "tree"]),
    help="Which edges: all among the vertices, those drawn or walked, or those of first entry.",
)
# and all methods
@click.option("--min-size", metavar="SIZE", help="Draw the next seed where a sample is smaller than this.")
@click.option("--strict", is_flag=True, help="A count larger than the graph is an error.")
@output_option("Where the sample goes; the suffix says the format. {size} and {seed} in it are filled in.")
@click.option("--to", "output_format", type=FormatName(), help="Format of OUT (default: by its suffix).")
@click.option(
    "--record",
    metavar="FILE",
    type=OutputName(),
    help="Write command, versions, device, seed and the input's hash (JSON).",
)
@forest_options
@plan_option
@click.option("--verify", is_flag=True, help="Check the sample from the definition.")
@attributes_option
@measured_run_options
def sample(
    graph: str,
    method: str,
    size: str | None,
    sizes: str | None,
    seed: int | None,
    seeds: int | None,
    mode: str,
    tolerance: float | None,
    components: str | None,
    far_scan: bool | None,
    connection: str,
    weight: str | None,
    start: str | None,
    min_size: str | None,
    strict: bool,
    output: str | None,
    output_format: str | None,
    record: str | None,
    forest: str | None,
    resume: bool,
    only_plan: bool,
    verify: bool,
    attributes: str | None,
    reading: dict[str, Any],
    device: str | None,
    energy: EnergyWish,
    as_json: bool,
    **drawing: Any,
) -> None:
    """Shrink GRAPH at random, keeping the largest connected component.

    \b
    clgraph sample internet.txt --method drve --size 50% --seed 7 -o half.txt
    clgraph sample internet.txt --sizes 70%,50%,30% --seeds 5 -o 'out-{size}-{seed}.txt'
    zcat edges.txt.gz | clgraph sample - --method pies --size 5000 -o held.txt
    mpiexec -n 4 clgraph sample web.clgs --method dre --size 10% -o tenth.clgs
    """
    from clgraph import keyed
    from clgraph.formats import check_writable
    from clgraph.sampling.options import tiny
    from clgraph.sampling.table import UNSIZED, known, plain_method
    from clgraph.sizes import parse_size

    method = plain_method(method)
    drawing = {name: value for name, value in drawing.items() if value is not None}
    # check everything that can be checked before a large file is read
    from_vertex = _vertex(start, reading["ids"])
    instead = [name for name in ("edges", "steps", "starts", "stages") if name in drawing]
    literature = known(method) is not None
    if literature:
        if size is not None and sizes is not None:
            raise click.UsageError("Give one of --size (how large) and --sizes (several).")
    else:
        check_without_graph(
            method,
            mode=mode,
            tolerance=tolerance,
            components=components,
            connection=connection,
            weight=weight,
            **drawing,
        )
        if (size is None) == (sizes is None):
            raise click.UsageError("Give one of --size (how large) and --sizes (several).")
    if sizes is not None or size is not None:
        wanted = [part.strip() for part in sizes.split(",")] if sizes else [str(size)]
        for each in wanted:
            parse_size(each)
    elif instead:
        wanted = [str(drawing[instead[0]])]
    elif literature and known(method) in UNSIZED:
        wanted = ["all"]
    else:
        raise click.UsageError("Give one of --size (how large), --sizes (several), --edges and --steps.")
    if seeds is not None and seeds < 1:
        raise InputError(f"--seeds {seeds}: give a count of runs, 1 or more")
    first = keyed.check_seed(seed)
    keyed.check_seed(first + (seeds or 1) - 1)
    if is_stream(graph, method, reading["format"]):
        refuse_of_streams(reading, mode=mode != "auto", start=start is not None, energy=energy.wanted)
        sample_stream(
            graph,
            method,
            wanted,
            first,
            seeds,
            drawing,
            reading,
            sized=sizes is not None or size is not None,
            output=output,
            output_format=output_format,
            record=record,
            device=device,
            strict=strict,
            verify=verify,
            as_json=as_json,
        )
        return
    if is_dataset(graph):
        refuse(
            mode=mode == "batched",
            tolerance=tolerance,
            components=components,
            far_scan=far_scan,
            connection=connection != "weak",
            start=start,
            to=output_format,
            record=record,
            verify=verify,
            attributes=attributes,
            energy=energy.wanted,
        )
        sample_dataset(
            graph,
            method,
            wanted,
            seed,
            seeds or 1,
            output,
            device,
            forest=forest,
            resume=resume,
            only_plan=only_plan,
            strict=strict,
            as_json=as_json,
        )
        return
    only_datasets(forest=forest, resume=resume, plan=only_plan)
    names: dict[tuple[str, int], str] = {}
    if output:
        check_template(output, wanted, seeds or 1)
        for each in wanted:
            for number in range(first, first + (seeds or 1)):
                names[each, number] = fill_template(output, each, number)
                check_writable(names[each, number], output_format)
    if record:
        check_writable(record, "edges")  # a record is not a graph, but its file is checked in the same way
        if any(Path(record).resolve() == Path(name).resolve() for name in names.values()):
            raise InputError(f"-o and --record both name {record}: give the record another name")
    read_seconds: dict[str, float] = {}
    data = read_for(device, graph, {**reading, "attributes": attributes}, read_seconds)
    dev = open_device(device)
    energy.open(dev)
    options: dict[str, Any] = {
        "sizes": wanted if sizes is not None or size is not None else None,
        "device": dev,
        "mode": mode,
        "tolerance": tolerance,
        "components": components,
        "far_scan": far_scan,
        "connection": connection,
        "weight": weight,
        "start": from_vertex,
        "strict": strict,
        "min_size": min_size,
        **drawing,
    }
    for each in dict.fromkeys(wanted) if options["sizes"] else ():
        if question := tiny(each, data.num_vertices):
            say(f"note: {question}")
    told: list[dict[str, Any]] = []
    # a run that is drawn again takes a seed that none of the others has: they are known to one call only
    together = _together(dev, data, method, mode, connection, seeds or 1) if min_size is None else seeds or 1
    for number in range(first, first + (seeds or 1), together):
        count = min(together, first + (seeds or 1) - number)
        which = f", seed {number}" if count == 1 else f", seeds {number} to {number + count - 1}"
        with progress_bar("sampling" + ("" if seeds is None else which)) as progress:
            more: dict[str, Any] = {} if count == 1 else {"seeds": count}
            with warnings.catch_warnings(action="ignore"):  # what it warns of is in the notes, too
                found = clgraph.sample(data, method, seed=number, progress=progress, **more, **options)
            made = [found] if options["sizes"] is None and count == 1 else found
        for each, result in zip(wanted * count, made, strict=True):
            for note in result.notes:
                if result.seed == first:
                    say(f"note: {note}")
                elif "collapsed" in note:
                    say(f"note: size {each}, seed {result.seed}: {note}")
            if verify:
                _verified(data, result, connection)
            seconds = {**read_seconds, **result.seconds}
            name = fill_template(output, each, result.seed) if output else None
            if name:
                with timed(seconds, "write"):
                    write_graph(result.graph, name, to=output_format, device=dev)
            told.append(
                {
                    "directed": data.directed,
                    **result.to_dict(hashes=record is not None),
                    "seconds": seconds,
                    "verified": verify,
                    "output": name,
                }
            )
            if not as_json:
                _tell(result, data, seconds["sample"] + seconds.get("walk", 0), name)
    several = sizes is not None or seeds is not None
    value: dict[str, Any] = {"samples": told} if several else told[0]
    if seeds is not None:
        value["spread"] = spread_table(told)
        if not as_json:
            for row in value["spread"]:
                word = edges_word(data)
                click.echo(
                    f"size {row['size']}, {seeds} seeds: {row['vertices']['mean']:.1f} vertices, "
                    f"{row['edges']['mean']:.1f} ± {row['edges']['spread']:.1f} {word}, average degree "
                    f"{row['average_degree']['mean']:.4f} ± {row['average_degree']['spread']:.4f}"
                )
    energy.measure(lambda: clgraph.sample(data, method, seed=first, **options))
    value |= energy.facts(data)
    if not as_json:
        energy.tell()
    if record:
        write_record(record, graph, reading, dev, value)
    if as_json:
        print_json(value)


def _together(device: Any, graph: Any, method: str, mode: Any, connection: Any, runs: int) -> int:
    """How many runs a call makes: one, unless runs side by side are faster."""
    from clgraph.sampling.options import check_options
    from clgraph.sampling.replicates import side_by_side
    from clgraph.sampling.table import EXACT, known

    if known(method) is not None:
        return min(runs, TOGETHER)
    if method not in EXACT:
        return 1
    options = check_options(graph, method, mode=mode, connection=connection)
    return min(runs, TOGETHER) if side_by_side(device, graph, options, runs) else 1


def _vertex(text: str | None, ids: str) -> Any:
    """A vertex id as the graph has it."""
    if text is None or ids == "str":
        return text
    from clgraph.sizes import whole_number

    vertex = whole_number(text)
    if vertex is None or text[0] in "+-":
        raise InputError(
            f"--start {text[:80]}: vertex ids are non-negative integers here (--ids str for names)"
        )
    return vertex


def _tell(result: Sample, graph: Graph, seconds: float, name: str | None) -> None:
    pairs = f"{result.num_edges} pairs, " if graph.directed else ""
    target = f"target {result.target}, " if result.target else ""
    mode = "" if result.mode == "auto" else f"{result.mode}, "
    click.echo(
        f"{result.method} sample: {len(result.vertices)} of {graph.num_vertices} vertices, "
        f"{result.graph.num_edges} edges "
        f"({direction(graph)}, {pairs}{target}seed {result.seed}, {mode}{seconds:.3f} s)"
        + (f" -> {name}" if name else "")
    )


def _verified(data: Any, result: Sample, connection: str) -> None:
    from clgraph.reference import verify_sample
    from clgraph.sampling.literature import DrawnSample

    with verifying("sample is"):
        verify_sample(data, result, connection=connection)
    if isinstance(result, DrawnSample):
        say(f"verified: what {result.method} draws with this seed, edges are the original's")
        return
    what = "a contraction of connected groups" if result.group is not None else "connected"
    say(f"verified: {what}, within the target, edges are the original's")
