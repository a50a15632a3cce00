"""Kernel files: finding and reading them, building programs, caching binaries.

A program is a file ``cl/NAME.cl`` with ``cl/common.h`` in front and its includes inlined (drivers' caches
miss edits of included files). It is built once per process, device and set of options; its binary is kept
on disk.
"""

from __future__ import annotations

import functools
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyopencl as cl

from clgraph._version import pip_hint
from clgraph.device import background_build, cache
from clgraph.device.launch import Kernel
from clgraph.device.signature import Signature, signatures
from clgraph.errors import BuildError
from clgraph.lazy import lazy
from clgraph.system import no_warnings

if TYPE_CHECKING:
    from clgraph.device.queues import Queues

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)[^\n]*$', re.MULTILINE)


@functools.cache
def kernel_folder() -> Path:
    """Return the folder of kernel files: inside the installed package, or next to it in a checkout."""
    here = Path(__file__).resolve().parent.parent
    for folder in (here / "cl", here.parent / "cl"):
        if (folder / "common.h").is_file():
            return folder
    raise BuildError(
        f"the kernel files (cl/common.h) are neither in {here} nor next to it: reinstall clgraph, "
        f"{pip_hint(options='--force-reinstall')}"
    )


def _find(name: str, beside: Path) -> Path:
    # pyopencl carries the Philox and Threefry headers in pyopencl/cl/pyopencl-random123
    folders = [beside, kernel_folder(), Path(cl.__file__).parent / "cl"]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    raise BuildError(f"kernel file {name} is not in {' nor in '.join(map(str, folders))}")


def _shown(path: Path) -> str:
    """A kernel file's path within ``cl/``, for the compiler's messages."""
    folder = kernel_folder()
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name


def read_source(name: str) -> str:
    """Return the text of ``cl/NAME.cl``: ``common.h`` in front, every include replaced once by its text.

    ``#line`` directives keep the compiler's messages on the file's own lines.
    """
    done: set[Path] = set()

    def text_of(path: Path) -> str:
        if path in done:
            return ""
        done.add(path)
        text = path.read_text()

        def inline(match: re.Match[str]) -> str:
            line = text.count("\n", 0, match.start()) + 2
            try:
                found = _find(match[1] or match[2], path.parent)
            except BuildError:
                if match[2]:
                    return match[0]  # <stddef.h> and the like, after an #ifdef __cplusplus of random123
                raise
            return f'{text_of(found)}\n#line {line} "{_shown(path)}"'

        # random123's functions are plain `inline`, which in C99 need a definition in some other file
        head = "#define R123_STATIC_INLINE static inline\n" if "random123" in str(path) else ""
        return f'{head}#line 1 "{_shown(path)}"\n' + _INCLUDE.sub(inline, text)

    common = text_of(kernel_folder() / "common.h")
    return common + "\n" + text_of(_find(f"{name}.cl", kernel_folder()))


@dataclass(eq=False, repr=False)
class Program:
    """A built program; its kernels are its attributes (``prog.bfs_push(size, n=n, ...)``).

    Made by `Device.program`.
    """

    _device: Queues
    _built: Any
    name: str
    _source: str
    options: tuple[str, ...]
    pipeline: bool = False
    suffix: str = ""  # of the kernels' names, in a binary that holds several variants

    @property
    def file(self) -> str:
        """The kernel file: ``cl/NAME.cl``, or ``cl/fpga/NAME.cl`` for pipelines."""
        return f"cl/fpga/{self.name}.cl" if self.pipeline else f"cl/{self.name}.cl"

    def __getattr__(self, kernel: str) -> Kernel:
        if kernel.startswith("_"):
            raise AttributeError(kernel)
        signature = self._signatures.get(kernel)
        if signature is None:
            raise AttributeError(f"{self.file} has no kernel {kernel}; it has {', '.join(self._signatures)}")
        try:
            made = Kernel(
                self._device,
                functools.partial(self._find, kernel),
                signature,
                program=self.name,
                pipeline=self.pipeline,
                make_partner=self._partner(kernel),
            )
        except cl.Error as error:
            names = self._kernel_names()
            fault = f"the program has only {names}" if names else "the program has no kernels"
            raise BuildError(
                f"{self._device}: its compiler built {self.file}, and {fault} ({error}): "
                "this is the driver's fault; use another device"
            ) from error
        self.__dict__[kernel] = made  # the next look-up finds it there
        return made

    def _kernel_names(self) -> str:
        try:
            if not self._built.get_info(cl.program_info.NUM_KERNELS):
                return ""  # a query for the names of no kernels makes NVIDIA's driver end the process
            return str(self._built.get_info(cl.program_info.KERNEL_NAMES)).replace(";", ", ")
        except cl.Error:  # Intel's answer where there are none
            return ""

    def _find(self, kernel: str) -> Any:
        # newer pytools warn where pyopencl 2024 makes the invokers of two kernels of one name
        with no_warnings():
            return cl.Kernel(self._built, kernel + self.suffix)

    @lazy
    def _signatures(self) -> dict[str, Signature]:
        return signatures(self._source, self.options)

    def _partner(self, kernel: str) -> Callable[[], Any] | None:
        """Return the maker of ``KERNEL_write``, which runs alongside a pipeline; None if there is none."""
        beside = f"{kernel}_write"
        return functools.partial(self._find, beside) if self.pipeline and beside in self._signatures else None

    @property
    def binary(self) -> bytes:
        """The program in the device's own binary format."""
        binaries: list[bytes] = self._built.get_info(cl.program_info.BINARIES)
        return binaries[0]


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message: the others are a compiler's log, or advice."""
    return str(error).strip().split("\n")[0]


def build(device: Queues, name: str, defines: Mapping[str, Any], base: tuple[str, ...]) -> Program:
    """Build ``cl/NAME.cl`` for a device, or load it from the disk cache if it was built before.

    Parameters
    ----------
    device : Queues
    name : str
    defines : mapping
        Become ``-D`` options: see `define_options`.
    base : tuple of str
        Options in front of these: usually the device's `build_options`.

    Raises
    ------
    BuildError
        If the compiler fails, or the device has none.
    """
    if not device.has_compiler:
        raise BuildError(
            f"{device} builds no kernels itself, and cl/{name}.cl has no pipeline that could come "
            "from a binary: what needs it does not run on this device; use another one"
        )
    options = (*base, *define_options(defines))
    return build_source(device, name, read_source(name), options)


def define_options(defines: Mapping[str, Any]) -> list[str]:
    """``-DKEY=value``, ``-DKEY`` for True, nothing for None and False; sorted."""
    return [
        f"-D{key}" if value is True else f"-D{key}={value}"
        for key, value in sorted(defines.items())
        if value is not None and value is not False
    ]


def build_source(
    device: Queues,
    name: str,
    source: str,
    options: tuple[str, ...],
    *,
    keep: bool = True,
    pipeline: bool = False,
) -> Program:
    """Build source text.

    Parameters
    ----------
    keep : bool
        Whether to use the disk cache for the binary, and to save the source of a failed build for inspection.
    pipeline : bool
        Whether its kernels are for a single work-item.

    Raises
    ------
    BuildError
        If the compiler fails.
    """
    key = cache.digest([*device.identity, source, *options])
    when = device.quirks.binaries if keep else "never"
    if when != "never" and (binary := cache.load("programs", key)) is not None:
        try:
            with no_warnings():
                built = cl.Program(device.context, [device.raw], [binary]).build(list(options))
            return Program(device, built, name, source, options, pipeline=pipeline)
        except cl.Error:
            pass  # drivers may refuse their own old binaries: then build from source
    made = cl.Program(device.context, source)
    try:
        with no_warnings():  # compilers print notes on success
            made.get_info(cl.program_info.REFERENCE_COUNT)  # after this pyopencl does not use its own cache
            made.build([*options, "-w"], [device.raw])  # some drivers print warnings to stderr
    except cl.Error as error:
        raise _build_error(device, name, source if keep else None, options, made, error) from error
    program = Program(device, made, name, source, options, pipeline=pipeline)
    if when == "at once":
        cache.store("programs", key, program.binary)
    elif when == "later":
        background_build.ask(device, key, source, options)
    return program


def _build_error(
    device: Queues, name: str, source: str | None, options: tuple[str, ...], made: Any, error: cl.Error
) -> BuildError:
    try:
        log = str(made.get_build_info(device.raw, cl.program_build_info.LOG)).strip()
    except cl.Error:
        log = ""
    saved = "(not kept)" if source is None else _save_failed(name, source)
    if "unknown target CPU" in log or "unknown target CPU" in str(error):
        hint = (
            "this PoCL's LLVM is older than the CPU; use another one: apt-get install pocl-opencl-icd, "
            f"or {pip_hint('cpu')} for Intel's runtime"
        )
    elif "error:" in log:
        hint = f"the compiler rejects {name}.cl: a fault in clgraph or the driver; please report this"
    else:
        hint = "the driver failed without naming a line: test it with `clgraph doctor`"
    return BuildError(
        f"{device.spec} ({device.name}, {device.platform_name}, driver {device.driver_version}) "
        f"failed to build {name}.cl: {first_line(error)}\n"
        f"  options: {' '.join(options) or '(none)'}\n  source: {saved}\n  hint: {hint}\n"
        f"  log:\n{log or '(empty)'}"
    )


def _save_failed(name: str, source: str) -> str:
    """Save the source of a failed build for inspection; returns where it is."""
    for folder in (lambda: cache.make_room("failed"), lambda: Path(tempfile.gettempdir())):
        try:
            path = folder() / f"clgraph-{name.replace('/', '-')}-{cache.digest([source])[:12]}.cl"
            cache.write_atomically(path, source.encode())
            return str(path)
        except OSError:
            continue  # the next folder may do; if none does, the build error says so
    return "(could not be saved: neither the cache nor the temporary folder can be written)"
