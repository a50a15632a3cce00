"""What all commands share: read the graph, open the device, verify, measure, print, write."""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import clgraph
from clgraph.cli.options import READING, OutputName
from clgraph.errors import ClgraphError, InputError
from clgraph.progress import Tell, bar
from clgraph.system import starting_threads

if TYPE_CHECKING:
    from rich.table import Table

    from clgraph.device import Device
    from clgraph.energy import Energy, Meter
    from clgraph.graph import Graph
    from clgraph.scale import Shards

GRACE = 10  # seconds in which the rank that failed ends the job, before this one ends itself


class Command(click.Command):
    """A command whose function takes one `Run`, which holds its options."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run it, inside what --trace needs."""
        run = Run(ctx.params)
        # with a dataset MPI must start first: its ranks choose devices by their number on the host
        if "device" in ctx.params and run.graph and not run.of_shards:
            with suppress(ClgraphError), starting_threads():  # without it the command waits a little longer
                Thread(target=_load_drivers, args=[run.spec], name="clgraph-drivers").start()
        with _traced(run.trace, run.spec) if run.trace else nullcontext():
            return ctx.invoke(self.callback, run)  # type: ignore[arg-type]


def _load_drivers(spec: str | None) -> None:
    """Load the OpenCL drivers, while the main thread imports the rest and reads the graph."""
    # the command asks again, and reports what is wrong; where it has failed meanwhile, the process ends, and
    # nothing can be imported any more
    with suppress(Exception):
        from clgraph.device import list_devices

        list_devices(oclgrind="oclgrind" in (spec or "").lower())


class Run:
    """A command on a graph file or a dataset of shards, with what was given on the command line.

    Attributes
    ----------
    graph : str
        The file or the dataset; empty if the command has none.
    reading : dict
        How to read it: keywords of `clgraph.read`.
    spec, output : str or None
        ``--device`` and ``-o``.
    verify, as_json, explain, measured : bool
        Whether to check the result, print JSON, say what was chosen and why, and measure the energy.
    options : SimpleNamespace
        The options that only this command has.
    seconds : dict of str to float
        Time by phase.
    speaks : bool
        Whether this process prints results: of MPI's ranks only one does.
    """

    def __init__(self, params: dict[str, Any]) -> None:
        own = dict(params)
        # other commands have options of these names too, but only those that read graphs have --format
        self.reading = {name: own.pop(name) for name in READING} if "format" in own else {}
        self.graph: str = own.pop("graph", None) or ""
        self.spec, self.output, self.trace = (own.pop(name, None) for name in ("device", "output", "trace"))
        flags = ("verify", "as_json", "only_plan", "energy", "quiet", "explain")
        self.verify, self.as_json, self._only_plan, self.energy, self._quiet, self.explain = (
            bool(own.pop(name, False)) for name in flags
        )
        self.watts: float | None = own.pop("watts", None)
        if self.watts is not None:
            from clgraph.energy import check_watts

            check_watts(self.watts)
        self.measured = self.energy or self.watts is not None
        self.options = SimpleNamespace(**own)
        self.seconds: dict[str, float] = {}
        self.speaks = True
        self._data: Any = None
        self._device: Device | None = None
        self._meter: Meter | None = None
        self._energy: Energy | None = None

    # --- what it reads ---

    @property
    def of_shards(self) -> bool:
        """True if it is on a dataset of shards."""
        return is_dataset(self.graph)

    def is_stream(self) -> bool:
        """True if the edges of the file can be taken one by one as they come."""
        from clgraph.formats.arrivals import is_streamed

        return is_streamed(self.graph, self.reading["format"])

    def read(self, path: str = "", **more: Any) -> Graph:
        """Read the graph, or another file, on the device if it is large; `more` changes how."""
        self.only_datasets(plan=self._only_plan)
        with self.timed("read"):
            self._data = self.read_graph(path or self.graph, on_device=True, **more)
        return self._data

    def read_graph(self, path: str, *, on_device: bool = False, **more: Any) -> Graph:
        """Read a file and report how it was read, unless an output of the command would replace it."""
        from clgraph.files.dispatch import SMALL, STDIN
        from clgraph.files.summary import read_with_summary

        # a small file is parsed faster on the host than a device is opened
        size = 0
        with suppress(OSError, ValueError):  # the reader reports what is wrong
            size = SMALL if path == STDIN else os.stat(path).st_size
        _check_not_replaced(path)  # before hours of work, not when the output is written
        device = open_device(self.spec) if on_device and size >= SMALL else None
        with self.progress(f"reading {Path(path).name}", data=True) as progress:
            graph, summary = read_with_summary(
                path, device=device, progress=progress, **{**self.reading, **more}
            )
        self.say(summary)
        return graph

    @contextmanager
    def data(self, command: str, about: Mapping[str, Any], **refused: Any) -> Iterator[Any]:
        """Yield the graph; or the dataset, on all ranks, unless only the plan is wanted.

        `about` is what the plan depends on, `refused` which options that datasets do not have are given.
        """
        if not self.of_shards:
            yield self.read()
            return
        self.refuse(**refused, verify=self.verify, energy=self.measured)
        with self.job():
            self._data = self.open_dataset(self.graph)
            if self.planned(self._data, command, **about):
                raise click.exceptions.Exit  # the block of the caller does not run
            yield self._data

    def planned(self, shards: Shards, command: str, **options: Any) -> bool:
        """Print the plan, if ``--plan`` is given or the dataset is large; True if that is all."""
        from clgraph.cli.shards_plan import LONG, plan

        size = sum(each.bytes for part in shards.manifest.sections.values() for each in part.shards)
        # a plan measures speeds, which takes longer than a command on a small dataset
        if not self._only_plan and (self._quiet or size < LONG):
            return False
        made = plan(shards, command, device=self.spec, **options)
        if self.speaks:
            if self._only_plan and self.as_json:
                print_json(made.to_dict())
            else:
                click.echo("\n".join(made.lines()), err=not self._only_plan)
        return self._only_plan

    # --- where it runs ---

    @property
    def device(self) -> Any:
        """The device, opened and reported at the first use; of a dataset what ``--device`` says."""
        if self.of_shards:
            return self.spec
        if self._device is None:
            self._device = device = open_device(self.spec)
            form = ", pipelines" if device.kernels == "pipeline" else ""
            self.say(f"device {device.spec}: {device.name} ({device.kind}, {device.platform_name}{form})")
            if self.measured:
                from clgraph.energy import Meter

                self._meter = Meter(self._device, self.watts)
                self._meter.idle_watts()  # before there is any work
        return self._device

    def measure(self, work: Callable[[], Any]) -> None:
        """Repeat the work as often as measuring its energy takes, if that is wanted."""
        if self._meter is not None:
            self._energy = self._meter.repeat(work)

    # --- what comes of it ---

    def check_output(self, **others: str | None) -> None:
        """Refuse outputs that cannot be written, or two of one name, before a large file is read."""
        from clgraph.cli.outputs import check_different
        from clgraph.formats import check_writable

        if self.output:
            check_writable(self.output, "edges")
        check_different({"-o": self.output, **{f"--{name}": path for name, path in others.items()}})

    def accept(self, found: Any, verify: Callable[[], Any], holds: str, what: str = "result is") -> bool:
        """Check a result if that is wanted, and take over its times; True if this process prints it."""
        self.check(verify, holds, what)
        if self.speaks:
            self.seconds |= found.seconds
        return self.speaks

    def check(self, verify: Callable[[], Any], holds: str, what: str = "result is") -> None:
        """Check the result against its definition, if that is wanted."""
        if not self.verify:
            return
        try:
            verify()
        except AssertionError as error:  # verifiers assert; a user needs no traceback of them
            raise ClgraphError(
                f"the {what} wrong: {error}. Please report this with the command and the device"
            ) from None
        self.say(f"verified: {holds}")

    def write(self, *columns: Any) -> None:
        """Write columns into the output, with as many digits as bring numbers back exactly."""
        self.write_blocks([columns])

    def write_blocks(self, blocks: Iterable[Iterable[Any]]) -> None:
        """Write columns below columns."""
        if self.output is None:
            return
        from clgraph.files.columns import write_columns
        from clgraph.formats import atomic_write

        with self.timed("write"), atomic_write(self.output) as out:
            for columns in blocks:
                write_columns(out, *columns, device=self._device)

    def write_graph(self, graph: Graph, path: str, to: str | None = None) -> None:
        """Write a graph, if it is large on the command's device, and report what was written."""
        from clgraph.files.dispatch import SMALL_ARCS
        from clgraph.files.summary import write_with_summary

        # of few arcs the host has written the text before a kernel is built
        device = None if graph.num_arcs < SMALL_ARCS else self._device
        with self.progress(f"writing {Path(path).name}", data=True) as progress:
            summary = write_with_summary(graph, path, format=to, device=device, progress=progress)
        self.say(summary)

    def print(self, value: Callable[[], dict[str, Any]] | dict[str, Any], lines: Iterable[Any]) -> None:
        """Print one JSON object, or lines and tables for people."""
        if self.as_json:
            print_json(value() if callable(value) else value)
            return
        for line in lines:
            if isinstance(line, str):
                click.echo(line)
            else:
                print_table(line)

    def result(self, facts: Callable[[], dict[str, Any]], lines: Iterable[Any]) -> None:
        """Print the result of a computation, its times and its energy."""
        about = {"seconds": self.seconds, "verified": self.verify}
        # made only for JSON: of many sources it has long lists
        self.print(lambda: {**facts(), **about, **self.energy_facts()}, lines)
        self.print_energy()

    def energy_facts(self) -> dict[str, Any]:
        """Return the energy for JSON."""
        return {} if self._energy is None else {"energy": self._energy.to_dict(self._data.num_vertices)}

    def print_energy(self) -> None:
        """Print the energy for people."""
        if self._energy is not None and not self.as_json:
            click.echo(self._energy)

    # --- messages and bars: on stderr, of one rank only, and not with --quiet ---

    def say(self, text: str) -> None:
        """Print a message for the person at the terminal."""
        if self.speaks and not self._quiet:
            click.echo(text, err=True)

    def progress(self, what: str, **how: bool) -> AbstractContextManager[Tell | None]:
        """Show a bar for long work, on a terminal only; see `clgraph.progress.bar`."""
        return bar(what, **how) if self.speaks and not self._quiet else nullcontext()

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Add the time of the block to that of its phase."""
        started = time.perf_counter()
        yield
        self.seconds[phase] = self.seconds.get(phase, 0.0) + time.perf_counter() - started

    # --- datasets of shards (``NAME.clgs``), on one device, several, or MPI's ranks ---

    @contextmanager
    def job(self) -> Iterator[None]:
        """Run a block on all ranks, the first of which speaks; an error of one ends all processes."""
        from clgraph.scale.comm import Failure, world

        comm = world()
        if comm is None:
            yield
            return
        rank = comm.Get_rank()
        self.speaks = rank == 0
        try:
            with warnings.catch_warnings(record=True, action="always", category=UserWarning) as caught:
                yield
            for warning in caught:
                self.say(f"note: {warning.message}")
        except click.exceptions.Exit:  # everything has been printed
            raise
        except Failure:
            time.sleep(GRACE)
            sys.exit(1)
        except (Exception, KeyboardInterrupt) as error:
            # what is wrong everywhere is said once: the first rank ends the others
            time.sleep(min(rank, 5) / 2)
            what = "" if isinstance(error, (ClgraphError, OSError)) else f"{type(error).__name__}: "
            click.echo(f"clgraph: error: rank {rank}: {what}{error}", err=True)
            sys.stderr.flush()
            time.sleep(0.3)  # the launcher passes the message on before it ends the job
            comm.Abort(1)
            sys.exit(1)

    def open_dataset(self, name: str) -> Shards:
        """Open a dataset, and report what it holds."""
        shards = clgraph.open_shards(name)
        self.say(f"{name}: {shards!r}"[: 2 + len(name) + 300])
        return shards

    def only_datasets(self, **options: Any) -> None:
        """Raise InputError for the first option that is given and that only datasets of shards have."""
        _refuse_first(options, "is of datasets: give a GRAPH named NAME.clgs")

    def refuse(self, **options: Any) -> None:
        """Raise InputError for the first option that is given and that shards do not take."""
        join = "join a graph that fits into memory (clgraph convert IN.clgs OUT.clg)"
        _refuse_first(options, f"is not offered for shards; {join}")


# --- Names and devices ---


def _refuse_first(options: dict[str, Any], why: str) -> None:
    for name, value in options.items():
        if value:
            raise InputError(f"--{name.replace('_', '-')} {why}")


def _check_not_replaced(path: str) -> None:
    """Raise UsageError if an output of the command would replace the file that is about to be read."""
    context = click.get_current_context(silent=True)
    if context is None or not os.path.exists(path):
        return
    for param in context.command.params:
        output = context.params.get(param.name or "") if isinstance(param.type, OutputName) else None
        if output and os.path.exists(output) and os.path.samefile(output, path):
            raise click.UsageError(f"{output} is the file that is read: give the output another name.")


def is_dataset(name: str) -> bool:
    """True for the name of a dataset of shards."""
    return Path(name).suffix == ".clgs"


def open_device(spec: str | None) -> Device:
    """Return the device to use."""
    from clgraph.device import get_device

    # a binary that the environment names is for devices that take binaries; one given here must be taken
    named = click.get_current_context().get_parameter_source("fpga_binary") is ParameterSource.COMMANDLINE
    return get_device(spec, fpga_binary=os.environ.get("CLGRAPH_FPGA_BINARY") if named else None)


# --- What results say of a graph, and how they are printed ---


def facts_of(graph: Graph | Shards) -> dict[str, Any]:
    """Return facts about the graph for the JSON of each result."""
    return {"vertices": graph.num_vertices, "edges": graph.num_edges, "directed": graph.directed}


def fields_of(result: Any, *names: str) -> dict[str, Any]:
    """Return attributes of a result for JSON; with its device come the kernels that ran there."""
    from clgraph.results import kernel_facts

    # which kernels were built is part of every result: a fallback is then seen in the JSON
    values = {name: getattr(result, name) for name in names} | (
        kernel_facts(result) if "device" in names else {}
    )
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def direction(graph: Graph | Shards) -> str:
    """Return how the graph was read, for lines with results."""
    return "directed" if graph.directed else "undirected"


def edges_word(graph: Graph | Shards) -> str:
    """Return the word for connected pairs: in a directed graph they are not its edges."""
    return "pairs" if graph.directed else "edges"


def vertex_of(word: str, numbers: bool, where: str) -> Any:
    """Return a vertex id, a number if the graph's ids are; `where` says in messages where it was given."""
    if not numbers:
        return word
    from clgraph.arguments import whole_number

    vertex = whole_number(word)
    if vertex is None:
        raise InputError(f"{where}: the graph's ids are integers (or read it with --ids str)")
    return vertex


def has_numbers(graph: Graph | Shards) -> bool:
    """Return whether the graph's ids are numbers."""
    return graph.ids.dtype.kind in "iu"


def print_json(value: dict[str, Any]) -> None:
    """Print one JSON object on stdout."""
    json.dump(value, sys.stdout, indent=2)
    sys.stdout.write("\n")


def table_of(heads: Iterable[str], *, title: str | None = None, names: int = 1) -> Table:
    """Return a table for the terminal; all columns but the first `names` are right-aligned."""
    from rich.table import Table

    table = Table(title=title)
    for number, head in enumerate(heads):
        table.add_column(head, justify="left" if number < names else "right")
    return table


def print_table(table: Table) -> None:
    """Print a table as wide as the terminal."""
    from rich.console import Console

    Console().print(table)


# --- ``--trace``: what runs on the devices of a command, and how long; one file for all ranks ---


@contextmanager
def _traced(path: str, spec: str | None) -> Iterator[None]:
    """Time what the devices do; write the trace, and print the table."""
    from clgraph.device.profiling import Profile, profile, write_traces
    from clgraph.formats import check_writable
    from clgraph.scale.comm import devices_of, world

    check_writable(path, "edges")
    comm = world()
    once = {id(device): device for device in devices_of(spec, comm)}
    with ExitStack() as stack:
        measured = [stack.enter_context(profile(device)) for device in once.values()]
        yield
    names = [each.device for each in measured]
    if comm is not None:
        measured = comm.allgather(measured[0])
        names = [f"rank {rank}: {each.device}" for rank, each in enumerate(measured)]
        if comm.Get_rank():
            return
    write_traces(path, list(zip(names, measured, strict=True)))
    whole = Profile([each for part in measured for each in part.activities])
    click.echo(f"{whole}\n{path}: {len(whole.activities)} kernels and copies on {', '.join(names)}", err=True)
