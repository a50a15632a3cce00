"""Building a binary with all pipelines: by ``aoc``, Intel's offline compiler, or by the emulator's runtime.

``aoc`` gets one self-contained source file for each kernel file and variant (`pipelines.unit`), since the
kernels of one binary must have distinct names. It runs for hours; its output goes to a log file.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyopencl as cl

from clgraph._version import __version__, pip_hint
from clgraph.device import cache, subprocesses
from clgraph.device.cache import write_atomically
from clgraph.errors import BuildError, DeviceError
from clgraph.fpga import parameters, pipelines
from clgraph.fpga.binary import Sidecar
from clgraph.system import no_warnings

if TYPE_CHECKING:
    from clgraph.device import Device

NO_AOC = (
    "aoc, Intel's offline compiler, is not on the PATH. It is part of the Intel FPGA SDK for OpenCL (with "
    "Quartus and the board's support package); source its init_opencl.sh and try again"
)
NO_EMULATOR = f"the emulator needs no aoc: {pip_hint('fpga-emulator')}, clgraph fpga compile --emulate"


@dataclass(frozen=True)
class Order:
    """A binary to build.

    Attributes
    ----------
    output : Path
    board : str
        aoc's name for the board; "" for the SDK's default, "emulator" for the emulator.
    report : bool
        Stop after the first stage, which writes the report of loops and areas (minutes, not hours).
    settings : dict of str to int
        Parameters that differ from the header's defaults.
    only : tuple of str
        Groups of pipelines; empty for all.
    """

    output: Path
    board: str = ""
    report: bool = False
    settings: Mapping[str, int] = ()  # type: ignore[assignment]
    only: tuple[str, ...] = ()

    @property
    def emulate(self) -> bool:
        """True if it is for the emulator."""
        return self.board == "emulator"

    @property
    def values(self) -> dict[str, int]:
        """All parameters with their values."""
        return {**parameters.defaults(emulator=self.emulate), **dict(self.settings)}

    @property
    def wanted(self) -> list[tuple[str, dict[str, Any]]]:
        """Kernel files and their variants."""
        return pipelines.wanted(self.only, wide=self.values["OFFSET_BITS"] == 64)

    @property
    def flags(self) -> list[str]:
        """Compiler options for every file: the target, and the parameters."""
        kind = "-DKIND_CPU" if self.emulate else "-DKIND_FPGA"
        return [kind, "-DINTEL_PIPELINES", *(f"-D{k}={v}" for k, v in sorted(dict(self.settings).items()))]

    @property
    def folder(self) -> Path:
        """The folder of the sources for aoc."""
        return self.output.with_name(self.output.stem + ".sources")

    @property
    def log(self) -> Path:
        """The file with aoc's output."""
        return self.output.with_name(self.output.stem + ".log")

    def units(self) -> dict[str, str]:
        """The source files for aoc: name to text."""
        return {
            f"{name.replace('/', '_')}{pipelines.suffix(defines)}.cl": pipelines.unit(name, defines)
            for name, defines in self.wanted
        }

    def command(self, aoc: str = "aoc") -> list[str]:
        """The command line of aoc."""
        target = ["-march=emulator"] if self.emulate else [f"-board={self.board}"] if self.board else []
        stage = ["-rtl"] if self.report else []
        sources = [str(self.folder / name) for name in self.units()]
        return [aoc, *target, *stage, "-report", *self.flags, *sources, "-o", str(self.output)]

    def sidecar(self, compiler: str, command: list[str]) -> Sidecar:
        """The binary's description, as far as it is known before the binary exists."""
        programs = [
            {
                "file": name,
                "defines": defines,
                "kernels": [kernel + pipelines.suffix(defines) for kernel in pipelines.kernels(name)],
            }
            for name, defines in self.wanted
        ]
        return Sidecar(
            compiler=compiler,
            board=self.board,
            command=command,
            options=self.flags,
            sources=pipelines.source_hash(),
            parameters=self.values,
            programs=programs,
            clgraph=__version__,
        )


def compile_binary(order: Order, say: Callable[[str], None] = print) -> Sidecar:
    """Build a binary.

    Parameters
    ----------
    order : Order
    say : callable
        Gets the command line before it runs.

    Returns
    -------
    Sidecar
        As written next to the binary.

    Raises
    ------
    InputError
        If the parameters do not fit together.
    DeviceError
        If there is no aoc (and, for the emulator, no emulator either).
    BuildError
        If aoc fails; the message has its status, the end of its output, and where all of the output is.
    """
    parameters.check_together(order.values)
    aoc = shutil.which("aoc")
    if aoc is None and order.emulate and not order.report:
        return _by_runtime(order, say)
    if aoc is None:
        line = shlex.join(order.command())
        raise DeviceError(f"{NO_AOC}. What would have run:\n  {line}\n{NO_EMULATOR}")
    return _by_aoc(order, aoc, say)


def _by_aoc(order: Order, aoc: str, say: Callable[[str], None]) -> Sidecar:
    try:
        order.folder.mkdir(parents=True, exist_ok=True)
        for name, text in order.units().items():
            (order.folder / name).write_text(text)
    except OSError as error:
        raise BuildError(
            f"cannot write the sources for aoc into {order.folder}, next to the output: {error.strerror}"
        ) from error
    command = order.command(aoc)
    say(shlex.join(command))
    with order.log.open("w") as log:
        status = subprocesses.run(command, stdout=log, stderr=subprocess.STDOUT).returncode
    if status != 0:
        raise BuildError(
            f"aoc failed with status {status}; its whole output is in {order.log}, the sources in "
            f"{order.folder}. It ends:\n{_tail(order.log)}"
        )
    side = order.sidecar(_aoc_version(aoc), command)
    side.report = read_report(order.output.with_suffix(""))
    if order.report:
        return side
    try:
        data = order.output.read_bytes()
    except OSError as error:
        raise BuildError(
            f"aoc ended without an error, but there is no {order.output} ({error.strerror}); what it printed "
            f"is in {order.log}. It ends:\n{_tail(order.log)}"
        ) from error
    return _finish(order, side, data)


def _by_runtime(order: Order, say: Callable[[str], None]) -> Sidecar:
    """Build for the emulator without aoc: its OpenCL runtime compiles and links."""
    from clgraph.device import Setup
    from clgraph.device.choosing import choose

    try:
        device = choose("emulator", Setup(kernels="pipeline"))
    except DeviceError as error:
        raise DeviceError(f"{NO_AOC}; nor is the emulator installed: {pip_hint('fpga-emulator')}") from error
    compiler = f"{device.platform_name}, driver {device.driver_version}"
    say(f"no aoc: {compiler}, compiles and links {len(order.wanted)} files")
    return _finish(order, order.sidecar(compiler, []), link(device, order))


def link(device: Device, order: Order) -> bytes:
    """Compile all units one by one and link them with the device's own runtime; uses the disk cache."""
    units = order.units()
    key = cache.digest([*device.identity, *order.flags, *units, *units.values()])
    if (known := cache.load("programs", key)) is not None:
        return known
    compiled = []
    for name, text in units.items():
        program = cl.Program(device.context, text)
        try:
            with no_warnings():
                program.compile(list(order.flags))
        except cl.Error as error:
            log = str(program.get_build_info(device.raw, cl.program_build_info.LOG)).strip()
            raise BuildError(f"{device.name} does not compile cl/fpga/{name}: {error}\n{log}") from error
        compiled.append(program)
    try:
        with no_warnings():
            linked = cl.link_program(device.context, compiled)
    except cl.Error as error:
        raise BuildError(f"{device.name} does not link the pipelines: {error}") from error
    binaries: list[bytes] = linked.get_info(cl.program_info.BINARIES)
    cache.store("programs", key, binaries[0])
    return binaries[0]


def _finish(order: Order, side: Sidecar, data: bytes) -> Sidecar:
    try:
        order.output.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(order.output, data, durable=True, mode=0o666)
        side.size, side.sha256 = len(data), hashlib.sha256(data).hexdigest()
        side.write(order.output)
    except OSError as error:
        raise BuildError(f"cannot write {order.output}: {error.strerror}") from error
    return side


def _tail(log: Path) -> str:
    text = log.read_text(errors="replace").rstrip().split("\n")
    return "\n".join(f"  {line}" for line in text[-15:])


def _aoc_version(aoc: str) -> str:
    """The version line of ``aoc -version``."""
    done = subprocess.run([aoc, "-version"], capture_output=True, text=True, check=False)
    lines = [line.strip() for line in (done.stdout + done.stderr).split("\n") if line.strip()]
    return next((line for line in lines if "ersion" in line), [*lines, "aoc of unknown version"][0])


_LINE = re.compile(r"^([A-Za-z][\w /]*?)\s*:\s*(.+?)\s*$")
_NUMBER = re.compile(r"[\d,]*\.?\d+")


def read_report(folder: Path) -> dict[str, Any]:
    """fmax and resources from ``acl_quartus_report.txt``, which aoc leaves in its folder.

    Returns
    -------
    dict
        ``fmax_mhz``, ``clock_mhz``, and ``resources``: name to number used, or to {"used", "of"}. Empty
        without a report.
    """
    try:
        text = (folder / "acl_quartus_report.txt").read_text(errors="replace")
    except OSError:
        return {}
    report: dict[str, Any] = {"resources": {}}
    for line in text.split("\n"):
        if not (found := _LINE.match(line.strip())):
            continue
        name, value = found[1], found[2]
        numbers = [float(x.replace(",", "")) for x in _NUMBER.findall(value.split("(")[0])]
        if not numbers:
            continue
        if name == "Kernel fmax":
            report["fmax_mhz"] = numbers[0]
        elif name == "Actual clock freq":
            report["clock_mhz"] = numbers[0]
        elif "fmax" not in name:
            used = int(numbers[0])
            report["resources"][name] = {"used": used, "of": int(numbers[1])} if len(numbers) > 1 else used
    return report


def same_sources(side: Sidecar) -> bool:
    """True if a binary was made from this clgraph's sources."""
    return side.sources == pipelines.source_hash()


def lines_of(side: Sidecar) -> Iterable[str]:
    """Yield a description of a binary, line by line."""
    ours = "same as this clgraph's"
    if not same_sources(side):
        ours = "NOT those of this clgraph: refused without --force"
    yield f"board       {side.board or 'the default'}"
    yield f"compiler    {side.compiler}"
    yield f"clgraph     {side.clgraph}"
    yield f"sources     {side.sources[:16]}, {ours}"
    yield f"size        {side.size} bytes, SHA-256 {side.sha256[:16]}"
    if "fmax_mhz" in side.report:
        yield f"fmax        {side.report['fmax_mhz']} MHz"
    for name, used in side.report.get("resources", {}).items():
        amount = f"{used['used']} of {used['of']}" if isinstance(used, dict) else f"{used}"
        yield f"            {name}: {amount}"
    if not side.report:
        yield "fmax        unknown: there is no report from aoc"
    yield "parameters  " + ", ".join(f"{k}={v}" for k, v in side.parameters.items())
    for program in side.programs:
        defines = "".join(f" {k}={v}" for k, v in sorted(program["defines"].items()))
        yield f"program     {program['file']}{defines}: {', '.join(program['kernels'])}"
