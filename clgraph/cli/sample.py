"""``clgraph sample``: shrink a graph, a dataset or a stream by a sampling method; ``clgraph methods``."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

import clgraph
from clgraph.cli.common import (
    direction,
    edges_word,
    open_device,
    print_json,
    progress_bar,
    say,
    speaks,
    timed,
    verifying,
    write_graph,
)
from clgraph.cli.options import (
    MethodName,
    OutputName,
    attributes_option,
    forest_options,
    json_option,
    option,
    to_option,
)
from clgraph.cli.outputs import check_different, check_template, fill_template, spread_table, write_record
from clgraph.cli.run import Run, check_without_graph, on_graph, seeds_of
from clgraph.cli.shards import only_datasets, saved_forest, work_folder
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
    from clgraph.sampling import Sample

TOGETHER = 256  # runs of one call: their samples are written before the next ones are made


# --- The options of methods, from their table ---


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


class _OfMethods(click.Option):
    """An option of some methods only, which ``clgraph methods METHOD`` describes in place of the help."""

    def get_help_record(self, ctx: click.Context) -> None:
        return None


class _Sample(click.Command):
    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """All parameters; ``--weights`` (read them) and ``--weighted`` (let them count) side by side."""
        params = super().get_params(ctx)
        names = [each.name for each in params]
        params.insert(names.index("weights"), params.pop(names.index("weighted")))
        return params

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = [_flag(each.name or "") for each in self.params if isinstance(each, _OfMethods)]
        formatter.write_paragraph()
        formatter.write_text(
            f"Options of some methods, which `clgraph methods METHOD` describes: {', '.join(names)}."
        )


def _click_type(name: str, each: Option) -> Any:
    if isinstance(each.takes, tuple):  # words that differ by method are checked when the method is known
        return each.takes if agreed(name) else None
    return float if name == "tolerance" else each.takes if each.takes in (int, bool) else None


def method_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of all methods; `clgraph.sample` takes them by the same names."""
    for name, each in reversed(OPTIONS.items()):
        if each.command:
            command = option(
                "--far-scan/--far-search" if name == "far_scan" else _flag(name),
                each.help,
                _click_type(name, each),
                UNSAID.get(name),
                {"start": "ID", "min_size": "SIZE"}.get(name),
                cls=click.Option if is_common(name) else _OfMethods,
            )(command)
    return command


@click.command()
@click.argument("method", type=MethodName(), required=False)
@json_option
def methods(method: str | None, as_json: bool) -> None:
    """Every sampling method: what it draws, its options, its source, its other names.

    With METHOD that one alone, and its options in full.
    """
    short = None
    if method is not None:
        from clgraph.sampling.request import check_method

        short = check_method(method)
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
        if short is None or short == name
    }
    if as_json:
        if short is not None:
            table[short]["options"] = {
                name: {"help": each.help, "takes": each.range, "default": each.default}
                for name in table[short]["options"]
                for each in (option_of(short, name),)
            }
        print_json({"methods": table})
        return
    for name, row in table.items():
        click.echo(f"{name:9} {row['words']}")
        click.echo(f"{'':9} {row['kind']}: {row['does']}")
        also = f"; in littleballoffur {', '.join(row['also'])}" if row["also"] else ""
        click.echo(f"{'':9} {row['reference']}{also}")
        if row["options"] and short is None:
            click.echo(f"{'':9} options: {', '.join(row['options'])}")
    if short is not None:
        formatter = click.HelpFormatter(width=110)
        with formatter.section("Options"):
            formatter.write_dl([(_flag(name), _described(option_of(short, name))) for name in row["options"]])
        click.echo(formatter.getvalue().rstrip() if row["options"] else "It has no options of its own.")


def _described(each: Option) -> str:
    """An option in a sentence, with its range and default."""
    unsaid = each.default is None or each.default is False
    more = [each.range, "" if unsaid else f"default {each.default}", "" if each.command else "Python only"]
    return f"{each.help}  [{'; '.join(filter(None, more))}]" if any(more) else each.help


# --- The command ---


@dataclass(frozen=True)
class Order:
    """What ``clgraph sample`` is to make: one sample for each seed and size, and what becomes of it.

    Attributes
    ----------
    sizes : list of str
        Or what stands for them where `sized` is False: the method takes edges, steps, or all.
    seeds : range
    several : bool
        Whether ``--seeds`` is given.
    options : dict
        Of the method, as they were given.
    """

    method: str
    sizes: list[str]
    sized: bool
    nested: bool
    seeds: range
    several: bool
    options: dict[str, Any]
    strict: bool
    output: str | None
    to: str | None
    record: str | None

    def check_outputs(self) -> None:
        """Check the file of each sample, before any is made."""
        from clgraph.formats import check_writable

        if not self.output:
            return
        check_template(self.output, self.sizes, len(self.seeds))
        for size in self.sizes:
            for seed in self.seeds:
                name = fill_template(self.output, size, seed)
                check_writable(name, self.to)
                check_different({"-o": name, "--record": self.record})


@click.command(cls=_Sample)
@option(
    "--method",
    "drv, dre, drve, dhyb delete; cre, crve contract; ebfs, edfs explore; `clgraph methods` lists all.",
    MethodName(),
    "drv",
)
@option("--size", "How large: 0.3 or 30% of the vertices, or a count such as 5000.")
@option("--sizes", "Several of them, nested, in one run: 70%,50%,30%.")
@option("--seed", "0 .. 2^64-1; the same seed gives the same sample (default: drawn and recorded).", int)
@option("--seeds", "Number of runs, with the seeds from --seed on.", int)
@method_options
@option("--strict", "A count larger than the graph is an error.", bool)
@to_option
@option(
    "--record",
    "Write command, versions, device, seed and the input's hash (JSON).",
    OutputName(),
    metavar="FILE",
)
@forest_options
@attributes_option
@on_graph(
    "Where the sample goes; the suffix says the format. {size} and {seed} in it are filled in.",
    verify="Check the sample from the definition.",
)
def sample(
    run: Run,
    method: str,
    size: str | None,
    sizes: str | None,
    seed: int | None,
    seeds: int | None,
    strict: bool,
    output_format: str | None,
    record: str | None,
    forest: str | None,
    resume: bool,
    attributes: str | None,
    **given: Any,
) -> None:
    """Shrink GRAPH at random, keeping the largest connected component.

    \b
    clgraph sample internet.txt --method drve --size 50% --seed 7 -o half.txt
    clgraph sample internet.txt --sizes 70%,50%,30% --seeds 5 -o 'out-{size}-{seed}.txt'
    zcat edges.txt.gz | clgraph sample - --method pies --size 5000 -o held.txt
    mpiexec -n 4 clgraph sample web.clgs --method dre --size 10% -o tenth.clgs
    """
    from clgraph.formats import check_writable

    method = plain_method(method)
    options = {
        name: value
        for name, value in given.items()
        if value is not None and not (value is False and OPTIONS[name].default is False)
    }
    # check everything that can be checked before a large file is read
    if "start" in options:
        options["start"] = _vertex(options["start"], run.reading["ids"])
    if known(method) is None:
        check_without_graph(method, {name: value for name, value in options.items() if name != "start"})
    wanted = _sizes(method, size, sizes, options)
    order = Order(
        method,
        wanted,
        size is not None or sizes is not None,
        sizes is not None,
        seeds_of(seed, 1 if seeds is None else seeds),
        seeds is not None,
        options,
        strict,
        run.output,
        output_format,
        record,
    )
    if _is_stream(run, method):
        _of_stream(run, order)
        return
    if not run.of_shards:
        only_datasets(forest=forest, resume=resume)
        if record:
            check_writable(record, "edges")  # no graph, but its file is checked in the same way
        order.check_outputs()
        _of_graph(run, order, attributes)
        return
    refused: dict[str, Any] = {
        name: options.get(name) not in (None, UNSAID.get(name))
        for name in ("tolerance", "components", "far_scan", "connection", "start")
    }
    refused |= {"mode": options["mode"] == "batched", "to": output_format, "record": record}
    _of_dataset(run, order, seed, forest, resume, {**refused, "attributes": attributes})


def _sizes(method: str, size: str | None, sizes: str | None, options: dict[str, Any]) -> list[str]:
    """The sizes that are asked for, or what the method takes in their place."""
    from clgraph.arguments import parse_size

    if size is not None and sizes is not None:
        raise click.UsageError("Give one of --size (how large) and --sizes (several).")
    if size is not None or sizes is not None:
        wanted = [part.strip() for part in sizes.split(",")] if sizes else [str(size)]
        for each in wanted:
            parse_size(each)
        return wanted
    if known(method) is None:
        raise click.UsageError("Give one of --size (how large) and --sizes (several).")
    if instead := [name for name in ("edges", "steps", "starts", "stages") if name in options]:
        return [str(options[instead[0]])]
    if known(method) in UNSIZED:
        return ["all"]
    raise click.UsageError("Give one of --size (how large), --sizes (several), --edges and --steps.")


def _of_graph(run: Run, order: Order, attributes: str | None) -> None:
    """Samples of a graph in memory."""
    from clgraph.sampling.options import tiny

    data = run.read(attributes=attributes)
    device = run.device
    options = {**order.options, "sizes": order.sizes if order.sized else None, "device": device}
    options["strict"] = order.strict
    for size in dict.fromkeys(order.sizes) if order.sized else ():
        if question := tiny(size, data.num_vertices):
            say(f"note: {question}")
    told: list[dict[str, Any]] = []
    first, count = order.seeds.start, len(order.seeds)
    # a run that is drawn again takes a seed that none of the others has: they are known to one call only
    together = count if "min_size" in options else _together(device, data, order)
    for number in range(first, first + count, together):
        runs = min(together, first + count - number)
        which = f", seed {number}" if runs == 1 else f", seeds {number} to {number + runs - 1}"
        with progress_bar("sampling" + (which if order.several else "")) as progress:
            more: dict[str, Any] = {} if runs == 1 else {"seeds": runs}
            with warnings.catch_warnings(action="ignore"):  # what it warns of is in the notes, too
                found = clgraph.sample(data, order.method, seed=number, progress=progress, **more, **options)
        made = [found] if options["sizes"] is None and runs == 1 else found
        for size, result in zip(order.sizes * runs, made, strict=True):
            for note in result.notes:
                if result.seed == first:
                    say(f"note: {note}")
                elif "collapsed" in note:
                    say(f"note: size {size}, seed {result.seed}: {note}")
            if run.verify:
                _verified(data, result, order.options["connection"])
            name = fill_template(order.output, size, result.seed) if order.output else None
            seconds = {**run.seconds, **result.seconds}
            if name:
                with timed(seconds, "write"):
                    write_graph(result.graph, name, to=order.to, device=device)
            about = {"seconds": seconds, "verified": run.verify, "output": name}
            told.append({"directed": data.directed, **result.to_dict(hashes=bool(order.record)), **about})
            if not run.as_json:
                _tell(result, data, seconds["sample"] + seconds.get("walk", 0), name)
    value: dict[str, Any] = {"samples": told} if order.nested or order.several else told[0]
    if order.several:
        value["spread"] = spread_table(told)
    for row in value["spread"] if order.several and not run.as_json else ():
        click.echo(
            f"size {row['size']}, {count} seeds: {row['vertices']['mean']:.1f} vertices, "
            f"{row['edges']['mean']:.1f} ± {row['edges']['spread']:.1f} {edges_word(data)}, average degree "
            f"{row['average_degree']['mean']:.4f} ± {row['average_degree']['spread']:.4f}"
        )
    run.measure(lambda: clgraph.sample(data, order.method, seed=first, **options))
    value |= run.energy_facts()
    run.tell_energy()
    _recorded(run, order, value, device)


def _recorded(run: Run, order: Order, value: dict[str, Any], device: Any) -> None:
    """Write the record, and print the JSON, where they are wanted."""
    if order.record:
        write_record(order.record, run.graph, run.reading, device, value)
    if run.as_json:
        print_json(value)


def _together(device: Any, graph: Graph, order: Order) -> int:
    """How many runs a call makes: one, unless runs side by side are faster."""
    from clgraph.sampling.methods import side_by_side
    from clgraph.sampling.request import check_request

    runs = len(order.seeds)
    if known(order.method) is not None:
        return min(runs, TOGETHER)
    if order.method not in EXACT:
        return 1
    request = check_request(graph, order.method, {name: order.options[name] for name in UNSAID})
    return min(runs, TOGETHER) if side_by_side(device, graph, request, runs) else 1


def _vertex(text: str, ids: str) -> Any:
    """A vertex id as the graph has it."""
    if ids == "str":
        return text
    from clgraph.arguments import whole_number

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

    with verifying("sample is"):
        verify_sample(data, result, connection=connection)
    if result.wish is not None:
        say(f"verified: what {result.method} draws with this seed, edges are the original's")
        return
    what = "a contraction of connected groups" if result.group is not None else "connected"
    say(f"verified: {what}, within the target, edges are the original's")


# --- Samples of datasets of shards ---


def _of_dataset(
    run: Run, order: Order, seed: int | None, forest: str | None, resume: bool, refused: dict[str, Any]
) -> None:
    """Exact samples of ``NAME.clgs``, each written as a dataset."""
    from clgraph.scale.ranks import shared_seed

    saved, method, seed = saved_forest(forest, order.method, seed)
    sizes, count = order.sizes, len(order.seeds)
    about = {"method": method, "sizes": len(sizes) * count, "written": order.output is not None}
    with run.data("sample", about, **refused) as shards:
        first, told = shared_seed(seed), []
        if order.output:
            check_template(order.output, sizes, count)
        for number in range(first, first + count):
            names = [fill_template(order.output, size, number) for size in sizes] if order.output else None
            with progress_bar("priority forest") as progress:
                made: Any = clgraph.sample(
                    shards,
                    method,
                    sizes=sizes,
                    seed=number,
                    device=run.device,
                    outputs=names,
                    strict=order.strict,
                    progress=progress,
                    forest=saved,
                    checkpoint=work_folder(order.output, resume),
                )
            for place, each in enumerate(made if speaks() else ()):
                for note in each.notes if number == first else ():
                    say(f"note: {note}")
                name = names[place] if names else None
                told.append({**each.to_dict(), "output": name})
                if not run.as_json:
                    took = f"{sum(each.seconds.values()):.3f} s"
                    click.echo(
                        f"{method} sample: {each.num_vertices} of {shards.num_vertices} vertices, "
                        f"{each.num_edges} {edges_word(shards)} ({direction(shards)}, target {each.target}, "
                        f"seed {number}, exact, {took})" + (f" -> {name}" if name else "")
                    )
        if run.as_json and speaks():
            print_json({"samples": told} if len(told) > 1 else told[0])


# --- Samples of streams: a file or standard input that is read once, edge by edge ---


def _is_stream(run: Run, method: str) -> bool:
    """Whether a method takes the edges of this file as they come."""
    if known(method) not in STREAMS:
        return False
    from clgraph.formats.arrivals import is_streamed

    return is_streamed(run.graph, run.reading["format"])


def _of_stream(run: Run, order: Order) -> None:
    """What is held after one pass through a stream."""
    from clgraph.sampling.literature.streams import stream_samples

    reading, options = run.reading, {**order.options}
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
    if run.graph == "-" and (run.verify or order.record):
        what = "--verify reads it again" if run.verify else "--record takes its hash"
        raise InputError(f"standard input can be read once, and {what}: give a file")
    order.check_outputs()
    device, first = open_device(run.spec), order.seeds.start
    read_as = {name: reading[name] for name in ("format", "header", "max_ratio", "ids")}
    more = {**options, "seed": first, "device": device, "strict": order.strict}
    runs = len(order.seeds) if order.several else None
    made = stream_samples(
        run.graph, order.method, None, order.sizes if order.sized else None, runs, more, read_as
    )
    told = []
    for size, each in zip(order.sizes * len(order.seeds), made, strict=True):
        for note in each.notes if each.seed == first else ():
            say(f"note: {note}")
        if run.verify:
            _verified_stream(run.graph, each, options, read_as)
        name = fill_template(order.output, size, each.seed) if order.output else None
        if name:
            write_graph(each.graph, name, to=order.to, device=device)
        told.append({**each.to_dict(hashes=bool(order.record)), "verified": run.verify, "output": name})
        if not run.as_json:
            _tell_stream(each, name)
    _recorded(run, order, told[0] if len(told) == 1 and not order.several else {"samples": told}, device)


def _tell_stream(sample: Sample, name: str | None) -> None:
    click.echo(
        f"{sample.method} sample: {len(sample.vertices)} vertices, {sample.num_edges} edges of a stream of "
        f"{sample.arrivals} (seed {sample.seed}, {sample.seconds['sample']:.3f} s)"
        + (f" -> {name}" if name else "")
    )
    for what, each in sample.to_dict(hashes=False).get("estimates", {}).items():
        error = each["standard_error"]
        click.echo(f"{what}: {each['value']:.6g}" + ("" if error is None else f" ± {error:.2g}"))


def _verified_stream(path: str, sample: Sample, given: dict[str, Any], read_as: dict[str, Any]) -> None:
    from clgraph.formats.arrivals import Names, arrivals
    from clgraph.reference.stream import verify_held
    from clgraph.sampling.literature.streams import in_units

    edges: list[tuple[Any, Any]] = []
    names = Names()
    weights: list[int] = []
    weighted = bool(given.get("weighted"))
    for chunk in arrivals(path, names, weighted=weighted, **read_as):
        ends = [names.of(end) if names.text else end for end in (chunk.source, chunk.target)]
        edges += zip(*(end.tolist() for end in ends), strict=True)
        if chunk.weight is not None:
            weights += in_units(chunk.weight).tolist()
    options: dict[str, Any] = {"size": sample.target, "edges": sample.target}
    options |= {name: given[name] for name in ("p", "q", "closing", "triangles", "block") if name in given}
    if weighted:
        options["weights"] = weights
    with verifying("sample is"):
        verify_held(edges, sample.held, sample.method, sample.seed, options)
    say(f"verified: what {sample.method} holds of this stream with this seed")
