"""Options and output that the commands share."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import wraps
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from clgraph.errors import ClgraphError
from clgraph.progress import Tell, bar
from clgraph.system import starting_threads

if TYPE_CHECKING:
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


def graph_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how a graph file is read; collected into one argument, `reading`."""

    @click.option(
        "--format",
        "format_",
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
    def with_reading(
        *args: Any,
        format_: str | None,
        directed: bool | None,
        ids: str,
        weights: bool,
        duplicates: str,
        header: bool | None,
        max_vertices: int | None,
        max_ratio: float,
        **kwargs: Any,
    ) -> Any:
        reading = {
            "format": format_,
            "directed": directed,
            "ids": ids,
            "weights": weights,
            "duplicates": duplicates,
            "header": header,
            "max_vertices": max_vertices,
            "max_ratio": max_ratio,
        }
        return command(*args, reading=reading, **kwargs)

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
    """The measurement that ``--energy`` and ``--watts`` ask for; does nothing where neither is given."""

    def __init__(self, wanted: bool, watts: float | None) -> None:
        self._wanted, self._watts = wanted or watts is not None, watts
        self._meter: Meter | None = None

    @property
    def wanted(self) -> bool:
        """Whether anything is to be measured."""
        return self._wanted

    def open(self, device: Device) -> None:
        """Find the device's counter and measure its idle power, before there is any work."""
        if self._wanted:
            from clgraph.energy import Meter

            self._meter = Meter(device, self._watts)
            self._meter.idle_watts()

    def measure(self, work: Callable[[], Any]) -> Energy | None:
        """Repeat the work as often as its measurement needs (None: not asked for)."""
        return None if self._meter is None else self._meter.repeat(work)


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
            from clgraph.graph.io.atomic import reserved_stdout

            _take_stdout(ctx, f"{param.opts[0]} -" if param.param_type_name == "option" else "OUT -")
            ctx.with_resource(reserved_stdout())
        return str(value)


def _take_stdout(ctx: click.Context, who: str) -> None:
    """Raise UsageError if something else wants standard output for itself already."""
    other = ctx.meta.setdefault("clgraph.stdout", who)
    if other != who:
        raise click.UsageError(f"{other} and {who} both want standard output: give one of them a file.")


def _json_wanted(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
    if value:
        _take_stdout(ctx, "--json")
    return value


quiet_option = click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors.")
json_option = click.option(
    "--json", "as_json", is_flag=True, callback=_json_wanted, help="Print one JSON object on stdout."
)


def say(text: str, quiet: bool = False) -> None:
    """Print a message for the person at the terminal, on stderr."""
    if not quiet:
        click.echo(text, err=True)


def read_graph(path: str, reading: dict[str, Any], quiet: bool, *, device: Device | None = None) -> Graph:
    """Read a graph as the options say, on the device that the command runs on, and report how it was read."""
    from clgraph.files.summary import read_with_summary

    _check_outputs(path)
    with file_bar(f"reading {Path(path).name}", quiet) as progress:
        graph, summary = read_with_summary(path, device=device, progress=progress, **reading)
    say(summary, quiet)
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


def direction(graph: Graph | Shards) -> str:
    """How the graph was read, for the lines that tell results."""
    return "directed" if graph.directed else "undirected"


def edges_word(graph: Graph | Shards) -> str:
    """What a number of connected pairs counts: the edges, or something else than a directed graph's edges."""
    return "pairs" if graph.directed else "edges"


def write_graph(
    graph: Graph, path: str, quiet: bool, *, to: str | None = None, device: Device | None = None
) -> None:
    """Write a graph, if it is large on the command's device, and report what was written."""
    from clgraph.files.summary import write_with_summary
    from clgraph.files.where import SMALL_ARCS

    if graph.num_arcs < SMALL_ARCS:
        device = None
    with file_bar(f"writing {Path(path).name}", quiet) as progress:
        summary = write_with_summary(graph, path, format=to, device=device, progress=progress)
    say(summary, quiet)


def device_for_file(path: str, spec: str | None) -> Device | None:
    """The device that a command will run on, if the file is large enough to be read there."""
    from clgraph.files.summary import STDIN
    from clgraph.files.where import SMALL

    if path == STDIN:
        return open_device(spec, quiet=True)
    try:
        small = os.stat(path).st_size < SMALL
    except (OSError, ValueError):
        return None  # who reads it says what is wrong
    return None if small else open_device(spec, quiet=True)


def check_without_graph(method: str, **options: Any) -> None:
    """Raise the InputError that `clgraph.sample` would raise whatever the graph."""
    from clgraph.graph import Graph
    from clgraph.sampling.options import check_options

    check_options(Graph.from_edges([0], [1]), method, **options)


def open_device(spec: str | None, quiet: bool) -> Device:
    """The device to use; its name is printed once on stderr."""
    from clgraph.device import get_device

    # a binary that the environment names is for devices that take binaries; one given here must be taken
    context = click.get_current_context()
    named = context.get_parameter_source("fpga_binary") is ParameterSource.COMMANDLINE
    device = get_device(spec, fpga_binary=os.environ.get("CLGRAPH_FPGA_BINARY") if named else None)
    form = ", pipelines" if device.kernels == "pipeline" else ""
    say(f"device {device.spec}: {device.name} ({device.kind}, {device.platform_name}{form})", quiet)
    return device


def print_json(value: dict[str, Any]) -> None:
    """One JSON object on stdout."""
    json.dump(value, sys.stdout, indent=2)
    sys.stdout.write("\n")


def progress_bar(what: str, quiet: bool, *, left: bool = False) -> AbstractContextManager[Tell | None]:
    """A bar on stderr for long work, on a terminal only; yields a function of (done, of).

    `left`: with counts, of work whose first call of that function says where it begins.
    """
    return nullcontext() if quiet else bar(what, counts=left)


def file_bar(what: str, quiet: bool) -> AbstractContextManager[Tell | None]:
    """A bar with bytes and seconds left, on a terminal."""
    return nullcontext() if quiet else bar(what, data=True)


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
        from clgraph.sampling.literature.plan import METHODS as LITERATURE
        from clgraph.sampling.options import METHODS

        known = dict(METHODS)
        if self.drawing:
            known |= {name: method.does for name, method in LITERATURE.items()}
        return [
            CompletionItem(name, help=does)
            for name, does in known.items()
            if name.startswith(incomplete.lower())
        ]


class FormatName(click.ParamType):
    """The name of a graph file's format."""

    name = "name"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The formats that begin so."""
        from clgraph.graph.io.formats import FORMATS

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
