"""A command on a graph: what it reads, where it runs, and how it tells and writes what it found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from clgraph.cli.common import open_device, print_json, read_for, say, verifying, write_table
from clgraph.cli.options import (
    Decorator,
    energy_options,
    is_dataset,
    option,
    output_option,
    plan_option,
    run_options,
)
from clgraph.cli.shards import job, only_datasets, open_dataset, planned, refuse
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.energy import Energy, Meter
    from clgraph.graph import Graph


def on_graph(output: str, *, verify: str = "", plan: bool = True, energy: bool = True) -> Decorator:
    """Give a command GRAPH and the options of all commands on graphs, which it gets as one `Run`.

    Parameters
    ----------
    output, verify : str
        What ``-o`` and ``--verify`` do.
    plan, energy : bool
        Whether it has ``--plan``, and ``--energy`` and ``--watts``.
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_run(*args: Any, **kwargs: Any) -> Any:
            own = {name: kwargs.pop(name) for name in NAMES if name in kwargs}
            return command(Run(**own), *args, **kwargs)

        made = run_options(with_run)
        if energy:
            made = energy_options(made)
        if plan:
            made = plan_option(made)
        if verify:
            made = option("--verify", verify, bool)(made)
        return click.argument("graph", metavar="GRAPH")(output_option(output)(made))

    return add


NAMES = ("graph", "reading", "device", "as_json", "output", "verify", "only_plan", "energy", "watts")


class Run:
    """A command on a graph, or on a dataset of shards.

    Attributes
    ----------
    graph : str
        The file, or the dataset.
    spec, output : str or None
        ``--device`` and ``-o``.
    verify, as_json, measured : bool
        Whether the result is to be checked, printed as JSON, and its energy measured.
    seconds : dict of str to float
    """

    def __init__(
        self,
        graph: str,
        reading: dict[str, Any],
        device: str | None,
        as_json: bool,
        output: str | None = None,
        verify: bool = False,
        only_plan: bool = False,
        energy: bool = False,
        watts: float | None = None,
    ) -> None:
        if watts is not None:
            from clgraph.energy import check_watts

            check_watts(watts)
        self.graph, self.reading, self.spec, self.output = graph, reading, device, output
        self.verify, self.as_json, self._only_plan = verify, as_json, only_plan
        self.measured, self._watts = energy or watts is not None, watts
        self.seconds: dict[str, float] = {}
        self._data: Any = None
        self._device: Device | None = None
        self._meter: Meter | None = None
        self._energy: Energy | None = None

    def check_output(self, **others: str | None) -> None:
        """Refuse outputs that cannot be written, or two of one name, before a large file is read."""
        from clgraph.cli.outputs import check_different
        from clgraph.formats import check_writable

        if self.output:
            check_writable(self.output, "edges")
        check_different({"-o": self.output, **{f"--{name}": path for name, path in others.items()}})

    @property
    def of_shards(self) -> bool:
        """Whether it is on a dataset of shards."""
        return is_dataset(self.graph)

    def read(self, **more: Any) -> Graph:
        """Read the graph, a large file on the device; `more` is how, besides what a record has."""
        only_datasets(plan=self._only_plan)
        self._data = read_for(self.spec, self.graph, {**self.reading, **more}, self.seconds)
        return self._data

    @contextmanager
    def data(self, command: str, about: Mapping[str, Any], **refused: Any) -> Iterator[Any]:
        """The graph; or the dataset, on all ranks, unless only the plan is asked for.

        Parameters
        ----------
        command : str
        about : mapping
            What the plan of it depends on.
        refused
            Options that shards do not take, and whether they are given.
        """
        if not self.of_shards:
            yield self.read()
            return
        refuse(**refused, verify=self.verify, energy=self.measured)
        with job():
            self._data = open_dataset(self.graph)
            if planned(self._data, command, **about):
                raise click.exceptions.Exit
            yield self._data

    @property
    def device(self) -> Any:
        """The device, opened and reported at the first use; of a dataset what ``--device`` says."""
        if self.of_shards:
            return self.spec
        if self._device is None:
            self._device = open_device(self.spec)
            if self.measured:
                from clgraph.energy import Meter

                self._meter = Meter(self._device, self._watts)
                self._meter.idle_watts()  # before there is any work
        return self._device

    def measure(self, work: Callable[[], Any]) -> None:
        """Repeat the work as often as the measurement of its energy needs, if that is asked for."""
        if self._meter is not None:
            self._energy = self._meter.repeat(work)

    def check(self, verify: Callable[[], Any], holds: str, what: str = "result is") -> None:
        """Check the result against its definition, if that is asked for."""
        if self.verify:
            with verifying(what):
                verify()
            say(f"verified: {holds}")

    def write(self, *columns: Any) -> None:
        """Write columns into the output."""
        write_table(self.output, self.seconds, columns, self._device)

    def tell(self, facts: Callable[[], dict[str, Any]], lines: Callable[[], Iterable[str]]) -> None:
        """Print the result, as JSON or in lines."""
        if self.as_json:
            told = {**facts(), "seconds": self.seconds, "verified": self.verify}
            print_json({**told, **self.energy_facts()})
            return
        for line in lines():
            click.echo(line)
        self.tell_energy()

    def energy_facts(self) -> dict[str, Any]:
        """What JSON says of the energy."""
        return {} if self._energy is None else {"energy": self._energy.to_dict(self._data.num_vertices)}

    def tell_energy(self) -> None:
        """Print the energy."""
        if self._energy is not None and not self.as_json:
            click.echo(self._energy)


# --- What commands that sample check before they read a graph ---


def check_without_graph(method: str, options: dict[str, Any]) -> str:
    """The short name of a method; raises the InputError that `clgraph.sample` would raise for any graph."""
    from clgraph.graph import Graph
    from clgraph.sampling.request import check_request

    return check_request(Graph.from_edges([0], [1]), method, options).method


def seeds_of(seed: int | None, seeds: int) -> range:
    """The seeds of ``--seeds`` runs from ``--seed`` on."""
    from clgraph import keyed

    if seeds < 1:
        raise InputError(f"--seeds {seeds}: give a count of runs, 1 or more")
    first = keyed.check_seed(seed)
    keyed.check_seed(first + seeds - 1)
    return range(first, first + seeds)
