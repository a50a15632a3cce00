"""Options and output that the commands share."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import wraps
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from clgraph.errors import ClgraphError, InputError
from clgraph.progress import Tell, bar
from clgraph.system import starting_threads

if TYPE_CHECKING:
    from rich.table import Table

    from clgraph.device import Device
    from clgraph.energy import Energy, Meter
    from clgraph.graph import Graph
    from clgraph.scale import Shards


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--max-vertices`` and ``--max-ratio``."""
    for option in (
        click.option(
            "--max-ratio",
            type=float,
            default=200,
            show_default=True,
            metavar="R",
            help="Refuse a compressed file that unpacks to more than R times its size.",
        ),
        click.option(
            "--max-vertices",
            type=int,
            metavar="N",
            help="Refuse a larger graph (default: by the file's size).",
        ),
    ):
        command = option(command)
    return command


# as `clgraph.read` calls them, and records do
READING = ("format", "directed", "ids", "weights", "duplicates", "header", "max_vertices", "max_ratio")


def graph_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how a graph file is read; collected into one argument, `reading`."""

    @click.option(
        "--format",
        type=FormatName(),
        help="Format of the file (default: by its suffix); `clgraph formats` lists them.",
    )
    @click.option(
        "--directed/--undirected",
        default=None,
        help="How to read the file (default: what it says, else undirected).",
    )
    @click.option(
        "--ids",
        type=click.Choice(["int", "str", "name"]),
        default="int",
        help="What vertex ids are: numbers, text, or the nodes' attribute `name` (GraphML, GEXF).",
    )
    @click.option("--weights", is_flag=True, help="Take the third column (or the entries) as weights.")
    @click.option(
        "--duplicates",
        type=click.Choice(["merge", "keep"]),
        default="merge",
        help="What becomes of parallel edges.",
    )
    @click.option(
        "--header/--no-header", default=None, help="Whether the first row of an edge list names its columns."
    )
    @limit_options
    @wraps(command)
    def with_reading(*args: Any, **kwargs: Any) -> Any:
        return command(*args, reading={name: kwargs.pop(name) for name in READING}, **kwargs)

    return with_reading


def _into_environment(variable: str) -> Callable[..., Any]:
    """Put an option's value into the environment while the command runs: child processes see it too."""

    def callback(ctx: click.Context, _: click.Parameter, value: Any) -> Any:
        if value:
            before = os.environ.get(variable)
            os.environ[variable] = "1" if value is True else str(value)

            def restore() -> None:
                if before is None:
                    os.environ.pop(variable, None)
                else:
                    os.environ[variable] = before

            ctx.call_on_close(restore)
        return value

    return callback


def device_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--device``, its kernels' form (``--kernels``, ``--fpga-binary``, ``--force``), and ``--trace``."""

    untraced = command

    @wraps(command)
    def with_trace(*args: Any, trace: str | None, **kwargs: Any) -> Any:
        if kwargs.get("graph") and not is_dataset(kwargs["graph"]):  # of ranks MPI comes first
            _load_drivers(kwargs["device"])
        if trace is None:
            return untraced(*args, **kwargs)
        from clgraph.cli.trace import traced

        with traced(trace, kwargs.get("device")):
            return untraced(*args, **kwargs)

    command = with_trace
    for option in (
        click.option(
            "--trace",
            metavar="FILE",
            help="Time every kernel: a table on stderr, a trace for chrome://tracing or Perfetto in FILE.",
        ),
        click.option(
            "--force",
            is_flag=True,
            expose_value=False,
            callback=_into_environment("CLGRAPH_FORCE"),
            help="Use kernels that failed the driver's selftest, or an FPGA binary of other sources.",
        ),
        click.option(
            "--fpga-binary",
            metavar="FILE",
            expose_value=False,
            callback=_into_environment("CLGRAPH_FPGA_BINARY"),
            help="On an FPGA: what `clgraph fpga compile` made.",
        ),
        click.option(
            "--kernels",
            type=click.Choice(["ndrange", "pipeline"]),
            expose_value=False,
            callback=_into_environment("CLGRAPH_KERNELS"),
            help="Form of the kernels (default: pipelines on FPGAs).",
        ),
        click.option(
            "--device",
            "device",
            metavar="SPEC",
            help="gpu, cpu, fpga, pocl, intel, nvidia, 0:1 or part of a name.",
        ),
    ):
        command = option(command)
    return command


def is_dataset(name: str) -> bool:
    """Whether a name is that of a dataset of shards."""
    return Path(name).suffix == ".clgs"


def _load_drivers(spec: str | None) -> None:
    """Load the OpenCL drivers in a thread, while this one imports the rest and reads the graph."""
    from clgraph.device import list_devices

    oclgrind = "oclgrind" in (spec or "").lower()

    def load() -> None:
        with suppress(ClgraphError):  # the command asks again, and is told
            list_devices(oclgrind=oclgrind)

    with suppress(ClgraphError), starting_threads():  # without it the command waits a little longer
        Thread(target=load, name="clgraph-drivers").start()


class EnergyWish:
    """The measurement that ``--energy`` and ``--watts`` ask for; does nothing where neither is given.

    Attributes
    ----------
    wanted : bool
        Whether anything is to be measured.
    """

    def __init__(self, wanted: bool, watts: float | None) -> None:
        self.wanted, self._watts = wanted or watts is not None, watts
        self._meter: Meter | None = None
        self._found: Energy | None = None

    def open(self, device: Device) -> None:
        """Find the device's counter and measure its idle power, before there is any work."""
        if self.wanted:
            from clgraph.energy import Meter

            self._meter = Meter(device, self._watts)
            self._meter.idle_watts()

    def measure(self, work: Callable[[], Any]) -> None:
        """Repeat the work as often as its measurement needs."""
        if self._meter is not None:
            self._found = self._meter.repeat(work)

    def facts(self, graph: Graph | Shards) -> dict[str, Any]:
        """What JSON says of it."""
        return {} if self._found is None else {"energy": self._found.to_dict(graph.num_vertices)}

    def tell(self) -> None:
        """Print it."""
        if self._found is not None:
            click.echo(self._found)


def energy_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--energy`` and ``--watts W``; collected into one argument, `energy`."""

    @click.option(
        "--energy",
        "with_energy",
        is_flag=True,
        help="Measure the energy of the computation, repeated for two seconds (NVML, RAPL).",
    )
    @click.option(
        "--watts",
        type=float,
        metavar="W",
        help="Take this power, read from a wall meter, instead of a counter.",
    )
    @wraps(command)
    def with_wish(*args: Any, with_energy: bool, watts: float | None, **kwargs: Any) -> Any:
        from clgraph.energy import check_watts

        return command(*args, energy=EnergyWish(with_energy, check_watts(watts)), **kwargs)

    return with_wish


def measure_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What of a graph's measures takes long, and how much of it is wanted."""
    hops = click.option(
        "--hop-sources",
        type=int,
        default=1024,
        show_default=True,
        help="A graph with more vertices is searched from only this many of them.",
    )
    spectrum = click.option(
        "--eigenvalues/--no-eigenvalues",
        default=None,
        help="Compute the 20 largest (default: up to a million vertices).",
    )
    return hops(spectrum(command))


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a command that reads a graph and works on a device."""
    return graph_options(device_option(json_option(quiet_option(command))))


def measured_run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`run_options` with `energy_option`, which ``--help`` lists before ``--json``."""
    return graph_options(device_option(energy_option(json_option(quiet_option(command)))))


class OutputName(click.ParamType):
    """A file name, or ``-``: then nothing but this output goes to standard output."""

    name = "output"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value == "-" and ctx is not None and param is not None:
            from clgraph.formats.atomic import reserved_stdout

            _take_stdout(ctx, f"{param.opts[0]} -" if param.param_type_name == "option" else "OUT -")
            ctx.with_resource(reserved_stdout())
        return str(value)


def output_option(help: str, *names: str) -> Callable[..., Any]:
    """``-o OUT`` of results, or another option that names an output."""
    names = names or ("-o", "--output")
    return click.option(*names, metavar="OUT", type=OutputName(), help=help)


attributes_option = click.option(
    "--attributes",
    metavar="NODES.CSV",
    help="Attributes of vertices, by id, for an OUT that holds them (graphml, gexf).",
)


def _take_stdout(ctx: click.Context, who: str) -> None:
    """Raise UsageError if something else wants standard output for itself already."""
    other = ctx.meta.setdefault("clgraph.stdout", who)
    if other != who:
        raise click.UsageError(f"{other} and {who} both want standard output: give one of them a file.")


def _json_wanted(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
    if value:
        _take_stdout(ctx, "--json")
    return value


def _set_quiet(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    ctx.meta["clgraph.quiet"] = value


quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=_set_quiet,
    help="Say nothing on stderr but errors.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, callback=_json_wanted, help="Print one JSON object on stdout."
)


def is_quiet() -> bool:
    """Whether the command was given --quiet."""
    return _noted("clgraph.quiet")


def speaks() -> bool:
    """Whether this process prints results: of MPI's ranks only one does."""
    return not _noted("clgraph.silent")


def _noted(name: str) -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(name))


def say(text: str) -> None:
    """Print a message for the person at the terminal, on stderr, unless it is to be quiet."""
    if speaks() and not is_quiet():
        click.echo(text, err=True)


def read_graph(path: str, reading: dict[str, Any], *, device: Device | None = None) -> Graph:
    """Read a graph as the options say, on the device that the command runs on, and report how it was read."""
    from clgraph.files.summary import read_with_summary

    _check_outputs(path)
    with progress_bar(f"reading {Path(path).name}", data=True) as progress:
        graph, summary = read_with_summary(path, device=device, progress=progress, **reading)
    say(summary)
    return graph


def _check_outputs(path: str) -> None:
    """Raise UsageError if an output of the command would replace the file that is about to be read."""
    context = click.get_current_context(silent=True)
    if context is None or not os.path.exists(path):
        return
    for param in context.command.params:
        output = context.params.get(param.name or "") if isinstance(param.type, OutputName) else None
        if output and os.path.exists(output) and os.path.samefile(output, path):
            raise click.UsageError(f"{output} is the file that is read: give the output another name.")


def facts_of(graph: Graph | Shards) -> dict[str, Any]:
    """What JSON says of the graph beside each result."""
    return {"vertices": graph.num_vertices, "edges": graph.num_edges, "directed": graph.directed}


def direction(graph: Graph | Shards) -> str:
    """How the graph was read, for the lines that tell results."""
    return "directed" if graph.directed else "undirected"


def edges_word(graph: Graph | Shards) -> str:
    """What a number of connected pairs counts: the edges, or something else than a directed graph's edges."""
    return "pairs" if graph.directed else "edges"


def write_graph(graph: Graph, path: str, *, to: str | None = None, device: Device | None = None) -> None:
    """Write a graph, if it is large on the command's device, and report what was written."""
    from clgraph.files.dispatch import SMALL_ARCS
    from clgraph.files.summary import write_with_summary

    if graph.num_arcs < SMALL_ARCS:
        device = None
    with progress_bar(f"writing {Path(path).name}", data=True) as progress:
        summary = write_with_summary(graph, path, format=to, device=device, progress=progress)
    say(summary)


def read_for(
    spec: str | None, path: str, reading: dict[str, Any], seconds: dict[str, float] | None = None
) -> Graph:
    """Read the graph of a command, a large file on the device that the command will run on.

    The time that it takes is added to `seconds`, as "read".
    """
    with timed({} if seconds is None else seconds, "read"):
        return read_graph(path, reading, device=_device_for(path, spec))


def _device_for(path: str, spec: str | None) -> Device | None:
    """The device, if the file is large enough to be read there."""
    from clgraph.files.dispatch import SMALL, STDIN

    if path != STDIN:
        try:
            if os.stat(path).st_size < SMALL:
                return None
        except (OSError, ValueError):
            return None  # who reads it says what is wrong
    return open_device(spec, silent=True)


@contextmanager
def timed(seconds: dict[str, float], what: str) -> Iterator[None]:
    """Add the time of the block to what `seconds` has for it."""
    started = perf_counter()
    yield
    seconds[what] = seconds.get(what, 0.0) + perf_counter() - started


@contextmanager
def verifying(what: str) -> Iterator[None]:
    """A result that is found wrong in the block is an error of the command, and to be reported."""
    try:
        yield
    except AssertionError as error:
        raise ClgraphError(
            f"the {what} wrong: {error}. Please report this with the command and the device"
        ) from None


def write_table(
    path: str | None, seconds: dict[str, float], columns: Iterable[Any], device: Device | None = None
) -> None:
    """Write columns, tab-separated, with as many digits as bring numbers back exactly, if there is a path."""
    if path is None:
        return
    from clgraph.files.columns import write_columns
    from clgraph.formats import atomic_write

    with timed(seconds, "write"), atomic_write(path) as out:
        write_columns(out, *columns, device=device)


def vertex_of(word: str, graph: Graph | Shards, where: str) -> Any:
    """The id of a vertex in the type of the graph's ids; `where` says in messages where it was given."""
    if graph.ids.dtype.kind not in "iu":
        return word
    from clgraph.sizes import whole_number

    vertex = whole_number(word)
    if vertex is None:
        raise InputError(f"{where}: the graph's ids are integers (or read it with --ids str)")
    return vertex


def lines_of(option: str, path: str) -> Iterator[tuple[list[str], str]]:
    """The words of each line that is no comment in a file that an option names, and the line's place."""
    from clgraph.arguments import file_name
    from clgraph.formats.common import read_text

    try:
        lines = read_text(file_name(path, option)).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{option}: cannot read {path}: {error}") from error
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words and words[0][0] not in "#%":
            yield words, f"{option} {path}, line {number}"


def check_without_graph(method: str, **options: Any) -> None:
    """Raise the InputError that `clgraph.sample` would raise whatever the graph."""
    from clgraph.graph import Graph
    from clgraph.sampling.options import check_options

    check_options(Graph.from_edges([0], [1]), method, **options)


def open_device(spec: str | None, *, silent: bool = False) -> Device:
    """The device to use; its name is printed on stderr."""
    from clgraph.device import get_device

    # a binary that the environment names is for devices that take binaries; one given here must be taken
    context = click.get_current_context()
    named = context.get_parameter_source("fpga_binary") is ParameterSource.COMMANDLINE
    device = get_device(spec, fpga_binary=os.environ.get("CLGRAPH_FPGA_BINARY") if named else None)
    form = ", pipelines" if device.kernels == "pipeline" else ""
    if not silent:
        say(f"device {device.spec}: {device.name} ({device.kind}, {device.platform_name}{form})")
    return device


def print_json(value: dict[str, Any]) -> None:
    """One JSON object on stdout."""
    json.dump(value, sys.stdout, indent=2)
    sys.stdout.write("\n")


def table_of(heads: Iterable[str], *, title: str | None = None, names: int = 1) -> Table:
    """A table for the terminal; all columns but the first, of `names`, are on the right."""
    from rich.table import Table

    table = Table(title=title)
    for number, head in enumerate(heads):
        table.add_column(head, justify="left" if number < names else "right")
    return table


def print_table(table: Table, lines: Iterable[str] = ()) -> None:
    """Print a table, and below it lines as they are."""
    from rich.console import Console

    console = Console()
    console.print(table)
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def progress_bar(what: str, **how: bool) -> AbstractContextManager[Tell | None]:
    """A bar on stderr for long work, on a terminal only; yields a function of (done, of).

    What it counts: see `clgraph.progress.bar`.
    """
    return bar(what, **how) if speaks() and not is_quiet() else nullcontext()


# --- Types of options whose values have names: shells complete them, and messages list them ---


class MethodName(click.ParamType):
    """The name of a sampling method, as it was typed: whether there is one is said by who runs it.

    Parameters
    ----------
    drawing : bool
        Whether the samplers of the literature are among them.
    """

    name = "method"

    def __init__(self, *, drawing: bool = True) -> None:
        self.drawing = drawing

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin so, with what they do."""
        from clgraph.sampling.table import METHODS, REDUCTIONS

        return [
            CompletionItem(name, help=f"{each.words}: {each.does}")
            for name, each in (METHODS if self.drawing else REDUCTIONS).items()
            if name.startswith(incomplete.lower())
        ]


class FormatName(click.ParamType):
    """The name of a graph file's format."""

    name = "name"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The formats that begin so."""
        from clgraph.formats.table import FORMATS

        return [CompletionItem(name) for name in FORMATS if name.startswith(incomplete)]


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """What makes your shell complete clgraph's commands, options and their values.

    \b
    bash: clgraph completion bash > ~/.local/share/bash-completion/completions/clgraph
    zsh:  clgraph completion zsh > ~/.zfunc/_clgraph   (a folder of $fpath)
    fish: clgraph completion fish > ~/.config/fish/completions/clgraph.fish
    """
    from click.shell_completion import get_completion_class

    group = click.get_current_context().find_root().command
    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(group, {}, "clgraph", "_CLGRAPH_COMPLETE").source())
