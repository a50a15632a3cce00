"""Loading a binary made by ``clgraph fpga compile``, and the checks before anything runs.

Beside ``NAME.aocx`` there is ``NAME.aocx.json`` (`Sidecar`): from which sources, with which parameters, for
which board and by which compiler it was made, which programs it holds, and its length and digest.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyopencl as cl

from clgraph.device.program import Program, define_options, read_source
from clgraph.errors import BuildError
from clgraph.fpga import parameters, pipelines
from clgraph.system import no_warnings

if TYPE_CHECKING:
    from clgraph.device.device import Device

FORMAT = 1


@dataclass
class Sidecar:
    """The description of a binary, kept in a file beside it.

    Attributes
    ----------
    compiler : str
        aoc's version line, or the name of the emulator's runtime.
    board : str
        aoc's name for the board, or "emulator".
    command, options : list of str
        How it was compiled.
    sources : str
        `pipelines.source_hash` of the clgraph that made it.
    parameters : dict of str to int
        All parameters of ``cl/fpga/parameters.h``.
    programs : list of dict
        ``file``, ``defines``, ``kernels`` (names within the binary).
    size : int
        Of the binary, in bytes.
    sha256 : str
    report : dict
        fmax and resources, if aoc left a report.
    clgraph : str
        The version that made it.
    format : int
    """

    compiler: str
    board: str
    command: list[str]
    options: list[str]
    sources: str
    parameters: dict[str, int]
    programs: list[dict[str, Any]]
    size: int = 0
    sha256: str = ""
    report: dict[str, Any] = field(default_factory=dict)
    clgraph: str = ""
    format: int = FORMAT

    def write(self, path: Path) -> None:
        """Write it beside the binary `path`."""
        sidecar_of(path).write_text(json.dumps(asdict(self), indent=2) + "\n")


def sidecar_of(path: Path) -> Path:
    """The path of a binary's sidecar."""
    return Path(f"{path}.json")


def read_sidecar(path: Path) -> Sidecar:
    """The sidecar of a binary.

    Raises
    ------
    BuildError
        If it does not exist, is damaged or has another format.
    """
    beside = sidecar_of(path)
    if not path.is_file():
        raise BuildError(f"{path}: no such file; `clgraph fpga compile -o {path.name}` makes one")
    try:
        facts = json.loads(beside.read_text())
        if facts.get("format") != FORMAT:
            raise BuildError(
                f"{beside} has format {facts.get('format')!r}, this clgraph reads {FORMAT}: compile again"
            )
        return Sidecar(**facts)
    except OSError as error:
        raise BuildError(
            f"{path} has no sidecar {beside.name} ({error.strerror}), which describes it: copy that too, or "
            "make the binary with `clgraph fpga compile`"
        ) from error
    except (ValueError, TypeError, AttributeError) as error:
        raise BuildError(f"{beside} is damaged ({error}): compile again") from error


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BuildError(f"cannot read the FPGA binary {path}: {error.strerror}") from error


def check_whole(path: Path, side: Sidecar, data: bytes | None = None) -> None:
    """Raise a BuildError if a binary is not the one that its sidecar describes."""
    data = _read(path) if data is None else data
    if len(data) != side.size:
        raise BuildError(
            f"{path} has {len(data)} bytes, its sidecar says {side.size}: the copy is incomplete"
        )
    if hashlib.sha256(data).hexdigest() != side.sha256:
        raise BuildError(f"{path} is not the binary that its sidecar describes: copy both, or compile again")


class Binary:
    """A binary on a device.

    Parameters
    ----------
    device : Device
    path : Path
    force : bool
        Accept it even if it was made from other sources than this clgraph's.

    Raises
    ------
    BuildError
        If it is missing, incomplete, made from other sources or for another board, or lacks a kernel.
    """

    def __init__(self, device: Device, path: Path, *, force: bool = False) -> None:
        self.device, self.path = device, path
        data = _read(path)
        self.sidecar = read_sidecar(path)
        # before the driver sees it, whose message would not name the cause
        check_whole(path, self.sidecar, data)
        if not force:
            self._check_sources()
        self._check_board()
        self._built = self._load(data)
        self._check_kernels()

    def _check_sources(self) -> None:
        if different := sorted(set(self.sidecar.parameters) ^ set(parameters.known())):
            raise BuildError(
                f"{self.path}: parameters {', '.join(different)} differ from this clgraph's "
                "cl/fpga/parameters.h: compile again"
            )
        if self.sidecar.sources != pipelines.source_hash():
            raise BuildError(
                f"{self.path} was made by clgraph {self.sidecar.clgraph} from other kernel sources "
                f"({self.sidecar.sources[:12]}, ours are {pipelines.source_hash()[:12]}): compile again, or "
                "use it nevertheless with --force (CLGRAPH_FORCE=1)"
            )

    def _check_board(self) -> None:
        board, device = self.sidecar.board, self.device
        for_emulator = board == "emulator"
        if for_emulator != (device.kind == "emulator"):
            raise BuildError(
                f"{self.path} was made for {'the emulator' if for_emulator else f'board {board}'}, and "
                f"{device.spec} is {device.name}: compile with "
                + ("--emulate" if device.kind == "emulator" else "--board and this board's name")
            )
        if not for_emulator and board and board.lower() not in device.name.lower():
            raise BuildError(
                f"{self.path} was made for board {board}, and {device.spec} is {device.name}: compile again "
                "with --board and this board's name (aoc -list-boards)"
            )

    def _load(self, data: bytes) -> Any:
        device = self.device
        try:
            with no_warnings():
                return cl.Program(device.context, [device.raw], [data]).build([])
        except cl.Error as error:
            reason = str(error).strip().split("\n")[0]
            raise BuildError(
                f"{device.spec} ({device.name}, driver {device.driver_version}) refused the binary "
                f"{self.path} (made by {self.sidecar.compiler} for {self.sidecar.board}): {reason}; it must "
                "be built for just this device and driver"
            ) from error

    def _check_kernels(self) -> None:
        there = set(str(self._built.get_info(cl.program_info.KERNEL_NAMES)).split(";"))
        for program in self.sidecar.programs:
            name, kernels = program["file"], program["kernels"]
            lacking = {"that its sidecar names": [kernel for kernel in kernels if kernel not in there]}
            if name in pipelines.PIPELINES:  # else it is from another release, accepted by force
                end = pipelines.suffix(program["defines"])
                ours = {kernel + end for kernel in pipelines.kernels(name)}
                lacking[f"of cl/fpga/{name}.cl"] = sorted(ours - set(kernels))
            for whose, missing in lacking.items():
                if missing:
                    raise BuildError(
                        f"{self.path} lacks the kernel{'s' * (len(missing) > 1)} {', '.join(missing)} "
                        f"{whose}: compile again"
                    )

    def program(self, name: str, defines: dict[str, Any]) -> Program:
        """A kernel file's program from the binary.

        Raises
        ------
        BuildError
            If the binary does not hold it; the message says what it holds.
        """
        for program in self.sidecar.programs:
            if program["file"] == name and program["defines"] == defines:
                end = pipelines.suffix(defines)
                source = read_source(f"fpga/{name}")
                options = tuple(define_options({**self.sidecar.parameters, **defines}))
                return Program(self.device, self._built, name, source, options, pipeline=True, suffix=end)
        asked = "".join(f" {key}={value}" for key, value in sorted(defines.items()))
        held = ", ".join(
            program["file"] + "".join(f" {k}={v}" for k, v in sorted(program["defines"].items()))
            for program in self.sidecar.programs
        )
        remedy = "compile it with --param OFFSET_BITS=64" if "OFFSET" in defines else "compile again"
        if not any(program["file"] == name for program in self.sidecar.programs):
            remedy = f"compile it with --only {pipelines.PIPELINES[name].group}, or without --only"
        elif "REAL" in defines and defines["REAL"] != "float":
            remedy = "binaries hold float32: use dtype='float32'"
        raise BuildError(
            f"{self.path} has no pipelines of cl/fpga/{name}.cl{' with' + asked if asked else ''}: {remedy}. "
            f"It holds {held}"
        )
