"""Loading a binary made by ``clgraph fpga compile``, and the checks before anything runs.

Next to ``NAME.aocx`` is ``NAME.aocx.json`` (`Sidecar`): its sources, parameters, board, compiler and
programs, and its length and digest.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyopencl as cl

from clgraph.device.program import Program, define_options, first_line, read_source
from clgraph.errors import BuildError
from clgraph.fpga import parameters, pipelines
from clgraph.system import no_warnings

if TYPE_CHECKING:
    from clgraph.device.device import Device

FORMAT = 1


@dataclass
class Sidecar:
    """The description of a binary, in a file next to it.

    Attributes
    ----------
    compiler : str
        aoc's version line, or the name of the emulator's runtime.
    board : str
        aoc's name for the board, or "emulator".
    command, options : list of str
        How it was compiled.
    sources : str
        `pipelines.source_hash` of the clgraph that compiled it.
    parameters : dict of str to int
        All parameters of ``cl/fpga/parameters.h``.
    programs : list of dict
        ``file``, ``defines``, ``kernels`` (names within the binary).
    size : int
        Size of the binary in bytes.
    sha256 : str
    report : dict
        fmax and resources, if aoc left a report.
    clgraph : str
        Version that compiled it.
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
        """Write it next to the binary `path`."""
        sidecar_of(path).write_text(json.dumps(asdict(self), indent=2) + "\n")


def sidecar_of(path: Path) -> Path:
    """Return the path of a binary's sidecar."""
    return Path(f"{path}.json")


def load(path: Path) -> tuple[Sidecar, bytes]:
    """Return a binary's sidecar and its content, which must be what the sidecar describes.

    Raises
    ------
    BuildError
        If one of them does not exist or is damaged, or the sidecar has another format.
    """
    beside = sidecar_of(path)
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # a name with a null character is a ValueError
        why = getattr(error, "strerror", error)
        raise BuildError(
            f"cannot read the FPGA binary {path}: {why}; `clgraph fpga compile -o {path.name}` makes one"
        ) from error
    try:
        facts = json.loads(beside.read_text())
        if facts.get("format") != FORMAT:
            raise BuildError(
                f"{beside} has format {facts.get('format')!r}, this clgraph reads {FORMAT}: compile again"
            )
        side = Sidecar(**facts)
    except OSError as error:
        raise BuildError(
            f"{path} has no sidecar {beside.name} ({error.strerror}), which describes it: copy it too, or "
            "compile the binary with `clgraph fpga compile`"
        ) from error
    except (ValueError, TypeError, AttributeError) as error:
        raise BuildError(f"{beside} is damaged ({error}): compile again") from error
    if len(data) != side.size:
        raise BuildError(
            f"{path} has {len(data)} bytes, its sidecar says {side.size}: the copy is incomplete"
        )
    if hashlib.sha256(data).hexdigest() != side.sha256:
        raise BuildError(f"{path} is not the binary that its sidecar describes: copy both, or compile again")
    return side, data


class Binary:
    """A binary on a device.

    Parameters
    ----------
    device : Device
    path : Path
    force : bool
        Accept it even if it was compiled from sources other than this clgraph's.

    Raises
    ------
    BuildError
        If it is missing, incomplete, compiled from other sources or for another board, or lacks a kernel.
    """

    def __init__(self, device: Device, path: Path, *, force: bool = False) -> None:
        self.device, self.path = device, path
        # checked before the driver sees it, whose message would not name the cause
        self.sidecar, data = load(path)
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
        fits, remedy = board == "emulator", "--emulate"
        if device.kind != "emulator":
            fits = not fits and board.lower() in device.name.lower()
            remedy = "--board and this board's name (aoc -list-boards)"
        if not fits:
            made_for = "the emulator" if board == "emulator" else f"board {board}"
            raise BuildError(
                f"{self.path} was made for {made_for}, and {device.spec} is {device.name}: compile with "
                f"{remedy}"
            )

    def _load(self, data: bytes) -> Any:
        device = self.device
        try:
            with no_warnings():
                return cl.Program(device.context, [device.raw], [data]).build([])
        except cl.Error as error:
            raise BuildError(
                f"{device.spec} ({device.name}, driver {device.driver_version}) refused the binary "
                f"{self.path} (made by {self.sidecar.compiler} for {self.sidecar.board}): "
                f"{first_line(error)}; it must be compiled for exactly this device and driver"
            ) from error

    def _check_kernels(self) -> None:
        built = set(str(self._built.get_info(cl.program_info.KERNEL_NAMES)).split(";"))
        for program in self.sidecar.programs:
            name, kernels = program["file"], program["kernels"]
            lacking = {"that its sidecar names": [kernel for kernel in kernels if kernel not in built]}
            if name in pipelines.PIPELINES:  # else it is from another release, accepted by force
                end = pipelines.suffix(program["defines"])
                ours = {kernel + end for kernel in pipelines.kernels(name)}
                lacking[f"of cl/fpga/{name}.cl"] = sorted(ours - set(kernels))
            for origin, missing in lacking.items():
                if missing:
                    raise BuildError(
                        f"{self.path} lacks the kernel{'s' * (len(missing) > 1)} {', '.join(missing)} "
                        f"{origin}: compile again"
                    )

    def program(self, name: str, defines: dict[str, Any]) -> Program:
        """Return a kernel file's program from the binary.

        Raises
        ------
        BuildError
            If the binary does not contain it; the message lists what it contains.
        """
        for program in self.sidecar.programs:
            if program["file"] == name and program["defines"] == defines:
                end = pipelines.suffix(defines)
                source = read_source(f"fpga/{name}")
                options = tuple(define_options({**self.sidecar.parameters, **defines}))
                return Program(self.device, self._built, name, source, options, pipeline=True, suffix=end)
        requested = "".join(f" {key}={value}" for key, value in sorted(defines.items()))
        contents = ", ".join(
            program["file"] + "".join(f" {k}={v}" for k, v in sorted(program["defines"].items()))
            for program in self.sidecar.programs
        )
        remedy = "compile it with --param OFFSET_BITS=64" if "OFFSET" in defines else "compile again"
        if not any(program["file"] == name for program in self.sidecar.programs):
            remedy = f"compile it with --only {pipelines.PIPELINES[name].group}, or without --only"
        elif "REAL" in defines and defines["REAL"] != "float":
            remedy = "binaries contain float32 only: use dtype='float32'"
        variant = f" with{requested}" if requested else ""
        raise BuildError(
            f"{self.path} has no pipelines of cl/fpga/{name}.cl{variant}: {remedy}. It holds {contents}"
        )
