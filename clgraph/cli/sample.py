"""``clgraph sample``: shrink a graph, a dataset or a stream by a sampling method; ``clgraph methods``."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

import clgraph
from clgraph.cli.command import Command, Run, direction, edges_word, print_json, vertex_of
from clgraph.cli.forest import saved_forest, work_folder
from clgraph.cli.options import (
    MethodName,
    OutputName,
    attributes_option,
    forest_options,
    json_option,
    on_graph,
    option,
    to_option,
)
from clgraph.cli.outputs import check_different, check_template, check_without_graph, seeds_of, spread_table
from clgraph.errors import InputError
from clgraph.methods import (
    EXACT,
    KINDS,
    METHODS,
    OPTIONS,
    STREAMS,
    UNSAID,
    UNSIZED,
    Option,
    agreed,
    is_common,
    known,
    option_of,
    plain_method,
)

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.scale import Shards

OWN_FLAGS = {"far_scan": "--far-scan/--far-search", "start": "--start ID", "min_size": "--min-size SIZE"}
ONE_SIZE = "Give one of --size (how large) and --sizes (several)."
TOGETHER = 256  # runs of one call: their samples are written before the next ones are made


# --- The options of methods, from their table ---


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


class _MethodOption(click.Option):
    """An option of some methods only, which ``clgraph methods METHOD`` describes in place of the help."""

    def get_help_record(self, ctx: click.Context) -> None:
        return None


class _Sample(Command):
    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """All parameters; ``--weights`` (read them) and ``--weighted`` (let them count) side by side."""
        params = super().get_params(ctx)
        names = [each.name for each in params]
        params.insert(names.index("weights"), params.pop(names.index("weighted")))
        return params

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = [_flag(each.name or "") for each in self.params if isinstance(each, _MethodOption)]
        formatter.write_paragraph()
        formatter.write_text(
            f"Options of some methods, which `clgraph methods METHOD` describes: {', '.join(names)}."
        )


def _click_type(name: str, each: Option) -> Any:
    if isinstance(each.takes, tuple):  # words that differ by method are checked when the method is known
        return each.takes if agreed(name) else None
    return float if name == "tolerance" else each.takes if each.takes in (int, bool) else None


def method_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of all methods; `clgraph.sample` takes them by the same names."""
    for name, each in reversed(OPTIONS.items()):
        if each.command:
            command = option(
                OWN_FLAGS.get(name, _flag(name)),
                each.help,
                _click_type(name, each),
                UNSAID.get(name),
                cls=click.Option if is_common(name) else _MethodOption,
            )(command)
    return command


@click.command(cls=Command)
@click.argument("method", type=MethodName(), required=False)
@json_option
def methods(run: Run) -> None:
    """List the sampling methods: what each draws, its options, its source, its other names.

    With METHOD, describe that method and each of its options.
    """
    short = None
    if run.options.method is not None:
        from clgraph.sampling.request import check_method

        short = check_method(run.options.method)
    table, lines = {}, []
    for name, each in METHODS.items() if short is None else [(short, METHODS[short])]:
        row = {"words": each.words, "kind": KINDS[each.kind], "does": each.does}
        also = f"; in littleballoffur {', '.join(each.names[1:])}" if each.names[1:] else ""
        lines += [f"{name:9} {each.words}", f"{'':9} {row['kind']}: {each.does}"]
        lines += [f"{'':9} {each.paper}{also}"]
        # all methods with the names of their options, or one with all that is known of each
        own = {option: option_of(name, option) for option in each.options}
        if short is not None:
            lines.append(_option_table(own))
        elif own:
            lines.append(f"{'':9} options: {', '.join(own)}")
        about = {
            key: {"help": one.help, "takes": one.range, "default": one.default} for key, one in own.items()
        }
        table[name] = {
            **row,
            "options": list(own) if short is None else about,
            "reference": each.paper,
            "also": list(each.names[1:]),
        }
    run.print({"methods": table}, lines)


def _option_table(own: dict[str, Option]) -> str:
    """Return options, each in a sentence with its range and default."""
    if not own:
        return "It has no options of its own."
    rows = []
    for name, each in own.items():
        default = "" if each.default is None or each.default is False else f"default {each.default}"
        more = "; ".join(filter(None, (each.range, default, "" if each.command else "Python only")))
        rows.append((_flag(name), f"{each.help}  [{more}]" if more else each.help))
    formatter = click.HelpFormatter(width=110)
    with formatter.section("Options"):
        formatter.write_dl(rows)
    return formatter.getvalue().rstrip()


# --- The command ---


@click.command(cls=_Sample)
@option(
    "--method",
    "Sampling method: drv, dre, drve, dhyb delete; cre, crve contract; ebfs, edfs explore; "
    "`clgraph methods` lists all.",
    MethodName(),
    "drv",
)
@option("--size", "Size of the sample: 0.3 or 30% of the vertices, or a count such as 5000.")
@option("--sizes", "Several sizes in one run, each sample within the larger ones: 70%,50%,30%.")
@option("--seed", "0 .. 2^64-1; the same seed gives the same sample (default: drawn and recorded).", int)
@option("--seeds", "Number of runs, with seeds --seed, --seed + 1, and so on.", int)
@method_options
@option("--strict", "Fail if --size is more vertices than the graph has.", bool)
@to_option
@option(
    "--record FILE",
    "Write a record for `clgraph replay`: command, versions, device, seed, hashes (JSON).",
    OutputName(),
)
@forest_options
@attributes_option
@on_graph(
    "Output file; its suffix gives the format. {size} and {seed} in it are replaced.",
    verify="Check the sample against its definition.",
)
def sample(run: Run) -> None:
    """Shrink GRAPH at random, keeping the largest connected component.

    \b
    clgraph sample internet.txt --method drve --size 50% --seed 7 -o half.txt
    clgraph sample internet.txt --sizes 70%,50% --seeds 5 -o 'out-{size}-{seed}.txt'
    zcat edges.txt.gz | clgraph sample - --method pies --size 5000 -o held.txt
    mpiexec -n 4 clgraph sample web.clgs --method dre --size 10% -o tenth.clgs
    """
    order, given = _order(run), run.options
    streamed = known(order.method) in STREAMS and run.is_stream()
    (_of_stream if streamed else _of_dataset if run.of_shards else _of_graph)(order)
    results, several = order.results, given.seeds is not None and not run.of_shards
    if not results:  # a rank that does not speak
        return
    listed = several or len(results) > 1 or (given.sizes is not None and not (streamed or run.of_shards))
    value: dict[str, Any] = {"samples": results} if listed else results[0]
    if given.seeds is not None and "directed" in results[0]:  # of streams the average degree says little
        value["spread"] = spread_table(results)
        for row in value["spread"] if not run.as_json else ():
            degree, edges = row["average_degree"], row["edges"]
            click.echo(
                f"size {row['size']}, {len(order.seeds)} seeds: {row['vertices']['mean']:.1f} vertices, "
                f"{edges['mean']:.1f} ± {edges['spread']:.1f} "
                f"{'pairs' if results[0]['directed'] else 'edges'}, average degree {degree['mean']:.4f} ± "
                f"{degree['spread']:.4f}"
            )
    value |= run.energy_facts()
    run.print_energy()
    if given.record:
        from clgraph.studies.origin import write_record

        write_record(given.record, run.graph, run.reading, run.device, value)
    if run.as_json:
        print_json(value)


@dataclass(frozen=True)
class _Order:
    """Samples to make, one per seed and size, and the JSON of those made.

    Where the method takes a number of edges or steps, or all there is, `sizes` holds that instead of sizes.
    """

    run: Run
    method: str
    sizes: list[str]
    sized: list[str] | None  # `sizes`, if they are sizes
    seeds: range
    options: dict[str, Any]
    results: list[dict[str, Any]] = field(default_factory=list)

    def output(self, size: str, seed: int) -> str | None:
        """Return the name of a sample's file."""
        name = self.run.output
        return name.replace("{size}", size).replace("{seed}", str(seed)) if name else None

    def check_outputs(self) -> None:
        """Check the file of each sample, before any is made."""
        from clgraph.formats import check_writable

        for size in self.sizes if self.run.output else ():
            for seed in self.seeds:
                name = str(self.output(size, seed))
                check_writable(name, self.run.options.output_format)
                check_different({"-o": name, "--record": self.run.options.record})

    def deliver(
        self,
        size: str,
        result: Any,
        says: str,
        seconds: dict[str, float] | None = None,
        verify: Callable[[], Any] | None = None,
        holds: str = "",
        **facts: Any,
    ) -> None:
        """Verify, write and report a sample; `holds` is true of it once `verify` has found no fault."""
        run = self.run
        for note in result.notes:
            if result.seed == self.seeds.start:
                run.say(f"note: {note}")
            elif "collapsed" in note:  # the other notes are the same for all seeds
                run.say(f"note: size {size}, seed {result.seed}: {note}")
        name = self.output(size, result.seed)
        if verify is None:  # of a dataset, which all ranks have written by now
            entry, took = result.to_dict(), sum(result.seconds.values())
        else:
            took = result.seconds["sample"] + result.seconds.get("walk", 0)
            run.check(verify, holds, "sample is")
            if name:
                started = perf_counter()
                run.write_graph(result.graph, name, run.options.output_format)
                if seconds is not None:
                    seconds["write"] = perf_counter() - started
            entry = {**facts, **result.to_dict(hashes=bool(run.options.record)), "verified": run.verify}
            entry |= {} if seconds is None else {"seconds": seconds}
        self.results.append({**entry, "output": name})
        if not run.as_json:
            click.echo(f"{result.method} sample: {says}, {took:.3f} s)" + (f" -> {name}" if name else ""))


def _order(run: Run) -> _Order:
    """Check everything that can be checked before a large file is read."""
    given = run.options
    method = plain_method(given.method)
    options = {
        name: value
        for name, value in vars(given).items()
        if name in OPTIONS and value is not None and not (value is False and OPTIONS[name].default is False)
    }
    if "start" in options:
        options["start"] = vertex_of(options["start"], run.reading["ids"] == "int", f"--start {given.start}")
    if known(method) is None:
        check_without_graph(method, {name: value for name, value in options.items() if name != "start"})
    if sized := _sizes(given.size, given.sizes):
        sizes = sized
    elif known(method) is None:
        raise click.UsageError(ONE_SIZE)
    elif instead := [name for name in ("edges", "steps", "starts", "stages") if name in options]:
        sizes = [str(options[instead[0]])]
    elif known(method) in UNSIZED:
        sizes = ["all"]
    else:
        raise click.UsageError("Give one of --size (how large), --sizes (several), --edges and --steps.")
    seeds = seeds_of(given.seed, 1 if given.seeds is None else given.seeds)
    if run.output:
        check_template(run.output, sizes, len(seeds))
    return _Order(run, method, sizes, sized, seeds, options)


def _sizes(size: str | None, sizes: str | None) -> list[str] | None:
    """Return the sizes, if there are any."""
    from clgraph.arguments import parse_size

    if size is not None and sizes is not None:
        raise click.UsageError(ONE_SIZE)
    if size is None and sizes is None:
        return None
    wanted = [part.strip() for part in sizes.split(",")] if sizes else [str(size)]
    for each in wanted:
        parse_size(each)
    return wanted


# --- Samples of graphs in memory ---


def _of_graph(order: _Order) -> None:
    from clgraph.formats import check_writable
    from clgraph.sampling.request import tiny

    run, given = order.run, order.run.options
    run.only_datasets(forest=given.forest, resume=given.resume)
    if given.record:
        check_writable(given.record, "edges")  # no graph, but its file is checked in the same way
    order.check_outputs()
    data = run.read(attributes=given.attributes)  # attributes are no part of a record: they change no sample
    options = {**order.options, "sizes": order.sized, "device": run.device, "strict": given.strict}
    for size in dict.fromkeys(order.sized or ()):
        if question := tiny(size, data.num_vertices):
            run.say(f"note: {question}")
    # a run that is drawn again takes a seed that none of the others has: they are known to one call only
    together = len(order.seeds) if "min_size" in options else _together(run.device, data, order)
    for seeds in (order.seeds[i : i + together] for i in range(0, len(order.seeds), together)):
        which = f", seed {seeds[0]}" if len(seeds) == 1 else f", seeds {seeds[0]} to {seeds[-1]}"
        with run.progress("sampling" + (which if given.seeds is not None else "")) as progress:
            more: dict[str, Any] = {} if len(seeds) == 1 else {"seeds": len(seeds)}
            with warnings.catch_warnings(action="ignore"):  # what it warns of is in the notes, too
                found = clgraph.sample(
                    data, order.method, seed=seeds[0], progress=progress, **more, **options
                )
        made = [found] if order.sized is None and len(seeds) == 1 else found
        for size, each in zip(order.sizes * len(seeds), made, strict=True):
            if each.selection.request is not None:
                holds = f"what {each.method} draws with this seed, edges are the original's"
            else:
                what = "a contraction of connected groups" if each.contracted_to is not None else "connected"
                holds = f"{what}, within the target, edges are the original's"
            seconds = {**run.seconds, **each.seconds}  # those of the call: looking at the graph adds others
            says = _says(data, each, f"{each.graph.num_edges} edges", f"{each.num_edges} pairs")
            verify = partial(_verify, data, each, order.options["connection"])
            order.deliver(size, each, says, seconds, verify, holds, directed=data.directed)
    run.measure(lambda: clgraph.sample(data, order.method, seed=order.seeds[0], **options))


def _says(data: Graph | Shards, made: Any, edges: str, pairs: str = "") -> str:
    """Return what is said of a sample of a graph or dataset; `pairs` of directed ones only."""
    parts = [direction(data), pairs if data.directed else ""]
    parts += [f"target {made.target_vertices}" if made.target_vertices else "", f"seed {made.seed}"]
    parts.append("" if made.mode == "auto" else made.mode)
    about = ", ".join(filter(None, parts))
    return f"{made.num_vertices} of {data.num_vertices} vertices, {edges} ({about}"


def _verify(graph: Graph, result: Any, connection: str) -> None:
    from clgraph.reference import verify_sample  # loads SciPy

    verify_sample(graph, result, connection=connection)


def _together(device: Any, graph: Graph, order: _Order) -> int:
    """Return the number of runs in one call: one, unless runs side by side are faster."""
    from clgraph.sampling.request import check_request
    from clgraph.sampling.runs import side_by_side

    runs = len(order.seeds)
    if known(order.method) is None:  # a sampler of the literature always makes its runs side by side
        request = check_request(graph, order.method, {name: order.options[name] for name in UNSAID})
        if order.method not in EXACT or not side_by_side(device, graph, request, runs):
            return 1
    return min(runs, TOGETHER)


# --- Samples of datasets of shards, each written as a dataset ---


def _of_dataset(order: _Order) -> None:
    from clgraph.scale.comm import shared_seed

    run, given, options = order.run, order.run.options, order.options
    saved, method, seed = saved_forest(run, given.forest, order.method, given.seed)
    sizes, count = order.sizes, len(order.seeds)
    about = {"method": method, "sizes": len(sizes) * count, "written": run.output is not None}
    refused: dict[str, Any] = {
        name: options.get(name) not in (None, UNSAID.get(name))
        for name in ("tolerance", "components", "far_scan", "connection", "start")
    }
    refused |= {"mode": options["mode"] == "batched", "to": given.output_format, "record": given.record}
    more: dict[str, Any] = {"strict": given.strict, "forest": saved, "device": run.device}
    with run.data("sample", about, **refused, attributes=given.attributes) as shards:
        first, more["checkpoint"] = shared_seed(seed), work_folder(run.output, given.resume)
        for number in range(first, first + count):
            with run.progress("priority forest") as progress:
                more["outputs"] = [order.output(size, number) for size in sizes] if run.output else None
                made: Any = clgraph.sample(
                    shards, method, sizes=sizes, seed=number, progress=progress, **more
                )
            for size, each in zip(sizes, made, strict=True) if run.speaks else ():
                order.deliver(size, each, _says(shards, each, f"{each.num_edges} {edges_word(shards)}"))


# --- Samples of streams: a file or standard input that is read once, edge by edge ---


def _of_stream(order: _Order) -> None:
    from clgraph.sampling.literature.runs import stream_samples

    run, reading, options = order.run, order.run.reading, {**order.options}
    given = {
        "mode": options.pop("mode") != "auto",
        "start": "start" in options,
        "energy": run.measured,
        "directed": bool(reading["directed"]),
        "duplicates keep": reading["duplicates"] == "keep",
        "max-vertices": reading["max_vertices"] is not None,
    }
    if refused := next((name for name, is_given in given.items() if is_given), None):
        raise InputError(
            f"--{refused} is not for streams, which are undirected, of edges one by one: leave it out"
        )
    if run.graph == "-" and (run.verify or run.options.record):
        what = "--verify reads it again" if run.verify else "--record takes its hash"
        raise InputError(f"standard input can be read once, and {what}: give a file")
    # a stream may be endless: everything is checked before its first edge is read
    order.check_outputs()
    read_as = {name: reading[name] for name in ("format", "header", "max_ratio", "ids")}
    more = {**options, "seed": order.seeds.start, "device": run.device, "strict": run.options.strict}
    made = stream_samples(run.graph, order.method, None, order.sized, run.options.seeds, more, read_as)
    for size, each in zip(order.sizes * len(order.seeds), made, strict=True):
        assert each.stream is not None
        counts = f"{len(each.vertices)} vertices, {each.num_edges} edges"
        verify = partial(_verify_stream, run.graph, each, weighted=bool(options.get("weighted")), **read_as)
        holds = f"what {each.method} holds of this stream with this seed"
        says = f"{counts} of a stream of {each.stream.arrivals} (seed {each.seed}"
        order.deliver(size, each, says, None, verify, holds)
        for what, value in order.results[-1].get("estimates", {}).items() if not run.as_json else ():
            error = value["standard_error"]
            click.echo(f"{what}: {value['value']:.6g}" + ("" if error is None else f" ± {error:.2g}"))


def _verify_stream(*args: Any, **read_as: Any) -> None:
    from clgraph.reference.stream import verify_arrivals

    verify_arrivals(*args, **read_as)
