"""``clgraph devices``, ``clgraph doctor``, ``clgraph cache``, ``clgraph completion``."""

from __future__ import annotations

import sys
from typing import Any

import click

from clgraph.cli.command import Command, Run, print_json
from clgraph.cli.options import json_option, option
from clgraph.errors import DeviceError


def _size(nbytes: int) -> str:
    """Return a number of bytes for people: 1.5 GiB."""
    if nbytes < 1024:
        return f"{nbytes} B"
    power = min((nbytes.bit_length() - 1) // 10, 4)
    value = nbytes / 1024**power
    return f"{value:.{0 if value >= 100 else 1}f} {('', 'KiB', 'MiB', 'GiB', 'TiB')[power]}"


def _print(*parts: Any) -> None:
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 80, highlight=False, soft_wrap=False)
    for part in parts:
        console.print(part)


def _device_table(devices: list[dict[str, Any]]) -> Any:
    from rich.markup import escape
    from rich.table import Table

    table = Table(show_lines=True, expand=False)
    table.add_column("spec", no_wrap=True)
    table.add_column("device", overflow="fold")
    table.add_column("kind", no_wrap=True)
    table.add_column("CUs", justify="right", no_wrap=True)
    table.add_column("memory\nbuffer", justify="right", no_wrap=True)
    for d in devices:
        if d["working"]:
            features = " ".join(name.removeprefix("HAVE_").lower() for name in d["features"])
            lacks = f", [bold red]but not {escape(', '.join(d['failed']))}[/]" if d["failed"] else ""
            state = f"[green]works[/]{lacks}" + (f", has {features}" if features else "")
        else:
            state = f"[bold red]BROKEN[/]: {escape(d['reason'])}"
        if d["without"]:
            state += f"\nhidden by CLGRAPH_WITHOUT: {d['without']}"
        driver = f"{escape(d['platform'])}, driver {escape(d['driver_version'])}"
        table.add_row(
            d["spec"],
            f"[bold]{escape(d['name'])}[/]\n{driver}\n{state}",
            d["kind"],
            str(d["compute_units"]),
            f"{_size(d['global_memory'])}\n{_size(d['max_buffer'])}",
        )
    return table


@click.command(cls=Command)
@json_option
def devices(run: Run) -> None:
    """List the OpenCL devices of this machine; each is tested.

    The spec is what --device takes. "memory" is the total memory, "buffer" the largest single buffer.
    Oclgrind is shown only with CLGRAPH_DEVICE=oclgrind.
    """
    from clgraph.device import drivers, list_devices
    from clgraph.device.choosing import NO_PLATFORM
    from clgraph.device.doctor import describe

    found = [describe(d) for d in list_devices()]
    platforms = [
        {
            "number": number,
            "name": p.name.strip(),
            "version": p.version.strip(),
            "devices": sum(d["spec"].split(":")[0] == str(number) for d in found),
        }
        for number, p in enumerate(drivers.platforms())
    ]
    if found and not run.as_json:
        _print(_device_table(found))
    empty = [platform for platform in platforms if not platform["devices"]]
    run.print(
        {"platforms": platforms, "devices": found},
        (f"platform {platform['number']}, {platform['name']}, has no devices" for platform in empty),
    )
    if not found:
        raise DeviceError(NO_PLATFORM)


@click.command(cls=Command)
@option("--fix", "Register drivers installed by pip with pyopencl, so that all programs find them.", bool)
@json_option
def doctor(run: Run) -> None:
    """Find out what is wrong with drivers and devices, and how to fix it.

    Exits with status 0 if nothing is wrong, and 1 if there is a fault or no device works.
    """
    from clgraph.device.doctor import examine

    if run.options.fix:
        from clgraph.device.drivers import register

        for line in register() or ["every driver found here is registered already"]:
            click.echo(line, err=True)
    report = examine()
    if run.as_json:
        print_json(report)
    else:
        _print_report(report)
    if report["faults"] or not report["working"]:
        sys.exit(1)


def _print_report(report: dict[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    def pairs(title: str, values: dict[str, Any]) -> list[Any]:
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in values.items():
            grid.add_row(f"  {name}", escape(str(value)))
        return [f"[bold]{title}[/]", grid, ""]

    loader, store = report["loader"], report["cache"]
    stored = {name: f"{room['files']} files, {_size(room['bytes'])}" for name, room in store["rooms"].items()}
    _print(*pairs("Versions", {name: each or "not installed" for name, each in report["versions"].items()}))
    _print(*pairs("Loader", {"libOpenCL": loader["library"], **loader["environment"]}))
    _print("[bold]Drivers[/]", *([] if report["icds"] else ["  none found"]))
    for icd in report["icds"]:
        state = "[green]loads[/]" if icd["loads"] else f"[bold red]does not load[/]: {escape(icd['error'])}"
        origin = f"{escape(icd['origin'])}, by {icd['found_by']}"
        _print(f"  {escape(icd['library'] or '(empty)')}\n    {origin}: {state}")
    devices = _device_table(report["devices"]) if report["devices"] else "  none found"
    _print("", "[bold]Devices[/]", devices, "", *pairs("Cache", {"folder": store["folder"], **stored}))
    if not report["faults"]:
        _print(f"[bold green]Nothing is wrong[/]: {report['working']} device(s) work.")
    for number, fault in enumerate(report["faults"], 1):
        _print(f"[bold red]Fault {number}[/]: {escape(fault['fault'])}")
        _print(f"  [bold]remedy[/]: {escape(fault['remedy'])}")


@click.command(cls=Command)
@option("--clear", "Delete all files: the next run builds its kernels anew.", bool)
@json_option
def cache(run: Run) -> None:
    """Show the folder of built kernels (CLGRAPH_CACHE_DIR) and its size.

    Beyond CLGRAPH_CACHE_SIZE (200M, 2G; default 512M), the least recently used files are deleted.
    """
    from clgraph.device import cache as store

    most, clear = store.limit(), run.options.clear
    if clear:
        store.clear()
    rooms = store.contents()
    lines = [f"{store.cache_folder()}{' (cleared)' if clear else ''}, at most {_size(most)}"]
    lines += [f"  {name}: {room['files']} files, {_size(room['bytes'])}" for name, room in rooms.items()]
    run.print({"folder": str(store.cache_folder()), "limit": most, "rooms": rooms}, lines)


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(run: Run) -> None:
    """Print the shell script that completes clgraph's commands, options and their values.

    \b
    bash: clgraph completion bash > ~/.local/share/bash-completion/completions/clgraph
    zsh:  clgraph completion zsh > ~/.zfunc/_clgraph   (a folder of $fpath)
    fish: clgraph completion fish > ~/.config/fish/completions/clgraph.fish
    """
    from click.shell_completion import get_completion_class

    group = click.get_current_context().find_root().command
    made = get_completion_class(run.options.shell)
    assert made is not None
    click.echo(made(group, {}, "clgraph", "_CLGRAPH_COMPLETE").source())
