"""Kernel files: finding, inlining, building, keeping.

A program is a file ``cl/NAME.cl`` with ``cl/common.h`` in front and its includes inlined (drivers' caches
miss edits of included files). It is built once per process, device and set of options; its binary is kept
on disk.
"""

from __future__ import annotations

import functools
import re
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyopencl as cl

from clgraph.device import cache
from clgraph.device.launch import Kernel
from clgraph.errors import BuildError

if TYPE_CHECKING:
    from clgraph.device.hardware import Hardware

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)[^\n]*$', re.MULTILINE)


@functools.cache
def kernel_folder() -> Path:
    """Where the kernel files are: inside the installed package, else beside it in a checkout."""
    here = Path(__file__).resolve().parent.parent
    for folder in (here / "cl", here.parent / "cl"):
        if (folder / "common.h").is_file():
            return folder
    raise BuildError(
        f"the kernel files (cl/common.h) are neither in {here} nor beside it: install clgraph again"
    )


def _find(name: str, beside: Path) -> Path:
    # pyopencl carries the Philox and Threefry headers in pyopencl/cl/pyopencl-random123
    folders = [beside, kernel_folder(), Path(cl.__file__).parent / "cl"]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    raise BuildError(f"kernel file {name} is not in {' nor in '.join(map(str, folders))}")


def _shown(path: Path) -> str:
    """A kernel file's path within ``cl/``, as compilers' messages shall name it."""
    folder = kernel_folder()
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name


def read_source(name: str) -> str:
    """The text of ``cl/NAME.cl``: ``common.h`` in front, every include replaced by its text, once each.

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
                    return match[0]  # <stddef.h> and the like, behind an #ifdef __cplusplus of random123
                raise
            return f'{text_of(found)}\n#line {line} "{_shown(path)}"'

        # random123's functions are plain `inline`: as C99 has it they would need a definition elsewhere
        head = "#define R123_STATIC_INLINE static inline\n" if "random123" in str(path) else ""
        return f'{head}#line 1 "{_shown(path)}"\n' + _INCLUDE.sub(inline, text)

    common = text_of(kernel_folder() / "common.h")
    return common + "\n" + text_of(_find(f"{name}.cl", kernel_folder()))


class Program:
    """A built program; its kernels are its attributes (``prog.bfs_push(size, *args)``).

    Made by `Device.program` (from source) or `Device.load_binary`.
    """

    def __init__(
        self,
        device: Hardware,
        built: Any,
        name: str,
        options: tuple[str, ...],
        *,
        pipeline: bool = False,
        suffix: str = "",
    ) -> None:
        self.device = device
        self.name = name
        self.options = options
        self.pipeline = pipeline
        self._suffix = suffix  # of a variant's kernels in a binary that holds several
        self._built = built

    def __getattr__(self, kernel: str) -> Kernel:
        if kernel.startswith("_"):
            raise AttributeError(kernel)
        try:
            made = Kernel(
                self.device,
                self._find(kernel),
                kernel,
                program=self.name,
                pipeline=self.pipeline,
                partner=self._partner(kernel),
            )
        except cl.Error as error:
            names = str(self._built.get_info(cl.program_info.KERNEL_NAMES)).replace(";", ", ")
            raise AttributeError(
                f"{self.name}.cl has no kernel {kernel}{self._suffix} ({error}); it has {names}"
            ) from error
        self.__dict__[kernel] = made  # the next look-up does not come here
        return made

    def _find(self, kernel: str) -> Any:
        return cl.Kernel(self._built, kernel + self._suffix)

    def _partner(self, kernel: str) -> Any:
        """The kernel that runs beside a pipeline, joined to it by a channel: ``KERNEL_write``; or None."""
        if not self.pipeline:
            return None
        try:
            return cl.Kernel(self._built, f"{kernel}_write{self._suffix}")
        except cl.Error:
            return None  # most have none

    @property
    def binary(self) -> bytes:
        """The device's own form of the program."""
        binaries: list[bytes] = self._built.get_info(cl.program_info.BINARIES)
        return binaries[0]

    def save(self, path: str | Path) -> None:
        """Write the binary, for `Device.load_binary` on the same device and driver."""
        cache.write_atomically(Path(path), self.binary)


def build(device: Hardware, name: str, defines: Mapping[str, Any], base: tuple[str, ...]) -> Program:
    """Build ``cl/NAME.cl`` for a device, from the disk cache if it was built before.

    Parameters
    ----------
    device : Device
    name : str
    defines : mapping
        Become ``-D`` options.
    base : tuple of str
        Options in front: the device's `build_options`, mostly.

    Raises
    ------
    BuildError
        If the compiler fails, or the device has none.
    """
    if not device.has_compiler:
        raise BuildError(
            f"{device.spec} ({device.name}) builds no kernels itself, and cl/{name}.cl has no pipeline that "
            "could come from a binary: what needs it does not run on this device; take another one"
        )
    options = (*base, *_define_options(defines))
    return build_source(device, name, read_source(name), options)


def build_pipeline(device: Hardware, name: str, defines: Mapping[str, Any], base: tuple[str, ...]) -> Program:
    """Build ``cl/fpga/NAME.cl``, the single-work-item form of ``cl/NAME.cl``."""
    options = (*base, "-DINTEL_PIPELINES") if device.is_fpga else base
    options = (*options, *_define_options({**defines, **device.pipeline_parameters}))
    return build_source(device, name, read_source(f"fpga/{name}"), options, pipeline=True)


def _define_options(defines: Mapping[str, Any]) -> list[str]:
    return [
        f"-D{key}" if value is True else f"-D{key}={value}"
        for key, value in sorted(defines.items())
        if value is not None and value is not False
    ]


def build_source(
    device: Hardware,
    name: str,
    source: str,
    options: tuple[str, ...],
    *,
    keep: bool = True,
    save_failed: bool = True,
    pipeline: bool = False,
) -> Program:
    """Build source text.

    Parameters
    ----------
    keep : bool
        Whether the binary goes through the disk cache.
    save_failed : bool
        Whether the source of a failed build is kept for a person to look at.
    pipeline : bool
        Whether its kernels are for a single work-item.
    """
    key = cache.digest([*device.identity, source, *options])
    keep = keep and device.keeps_binaries
    if keep and (binary := cache.load("programs", key)) is not None:
        try:
            built = _build_binary(device, binary, options)
            return Program(device, built, name, options, pipeline=pipeline)
        except cl.Error:
            pass  # a driver may refuse its own old binaries: build from source
    made = cl.Program(device.context, source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # compilers' chatter on success
            made.get_info(
                cl.program_info.REFERENCE_COUNT
            )  # from here on pyopencl's own cache stays out of it
            made.build(list(options), [device.raw])
    except cl.Error as error:
        raise _build_error(device, name, source, options, made, error, save_failed) from error
    program = Program(device, made, name, options, pipeline=pipeline)
    if keep:
        cache.store("programs", key, program.binary)
    return program


def _build_binary(device: Hardware, binary: bytes, options: tuple[str, ...]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cl.Program(device.context, [device.raw], [binary]).build(list(options))


def load_binary(device: Hardware, path: str | Path) -> Program:
    """A program from a file that the device's offline compiler, or `Program.save`, wrote."""
    path = Path(path)
    try:
        binary = path.read_bytes()
    except OSError as error:
        raise BuildError(f"cannot read the device binary {path}: {error.strerror}") from error
    try:
        return Program(device, _build_binary(device, binary, ()), path.stem, ())
    except cl.Error as error:
        raise BuildError(
            f"{device.spec} ({device.name}, driver {device.driver_version}) refused the binary {path} "
            f"({len(binary)} bytes): {_first_line(error)}; it must be built for this very device and driver"
        ) from error


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0]


def _build_error(
    device: Hardware,
    name: str,
    source: str,
    options: tuple[str, ...],
    made: Any,
    error: BaseException,
    save: bool,
) -> BuildError:
    try:
        log = str(made.get_build_info(device.raw, cl.program_build_info.LOG)).strip()
    except cl.Error:
        log = ""
    saved = _save_failed(name, source) if save else "(not kept)"
    if "unknown target CPU" in log or "unknown target CPU" in str(error):
        hint = (
            "this PoCL's LLVM is older than the CPU; take another one: apt-get install pocl-opencl-icd, "
            "or pip install 'clgraph[cpu]' for Intel's runtime"
        )
    elif "error:" in log:
        hint = f"the compiler does not take {name}.cl: a fault in clgraph or the driver; please report this"
    else:
        hint = "the driver failed without naming a line: `clgraph doctor` tests it"
    return BuildError(
        f"{device.spec} ({device.name}, {device.platform_name}, driver {device.driver_version}) "
        f"failed to build {name}.cl: {_first_line(error)}\n"
        f"  options: {' '.join(options) or '(none)'}\n  source: {saved}\n  hint: {hint}\n"
        f"  log:\n{log or '(empty)'}"
    )


def _save_failed(name: str, source: str) -> str:
    """Keep the source of a failed build where a person can look at it."""
    for folder in (cache.cache_folder() / "failed", Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path = folder / f"clgraph-{name.replace('/', '-')}-{cache.digest([source])[:12]}.cl"
            cache.write_atomically(path, source.encode())
            return str(path)
        except OSError:
            continue
    return "(could not be saved: neither the cache nor the temporary folder can be written)"
