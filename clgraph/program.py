"""Kernel files: finding, inlining, building, launching.

A program is a file ``cl/NAME.cl`` with ``cl/common.h`` in front and its includes inlined (drivers' caches miss edits
of included files). It is built once per process, device and set of options; its binary is kept on disk.
"""

from __future__ import annotations

import functools
import re
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyopencl as cl

from clgraph import cache
from clgraph.errors import BuildError, DeviceError

if TYPE_CHECKING:
    from clgraph.device import Device

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)[^\n]*$', re.MULTILINE)


@functools.cache
def kernel_folder() -> Path:
    """Where the kernel files are: inside the installed package, else beside it in a checkout."""
    here = Path(__file__).resolve().parent
    for folder in (here / "cl", here.parent / "cl"):
        if (folder / "common.h").is_file():
            return folder
    raise BuildError(f"the kernel files (cl/common.h) are neither in {here} nor beside it: install clgraph again")


def _find(name: str, beside: Path) -> Path:
    # pyopencl carries the Philox and Threefry headers in pyopencl/cl/pyopencl-random123
    folders = [beside, kernel_folder(), Path(cl.__file__).parent / "cl"]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    raise BuildError(f"kernel file {name} is not in {' nor in '.join(map(str, folders))}")


def read_source(name: str) -> str:
    """The text of ``cl/NAME.cl`` with ``common.h`` in front and every include replaced by its text, once each.

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
            return f'{text_of(found)}\n#line {line} "{path.name}"'

        # random123's functions are plain `inline`: as C99 has it they would need a definition elsewhere
        head = "#define R123_STATIC_INLINE static inline\n" if "random123" in str(path) else ""
        return f'{head}#line 1 "{path.name}"\n' + _INCLUDE.sub(inline, text)

    common = text_of(kernel_folder() / "common.h")
    return common + "\n" + text_of(_find(f"{name}.cl", kernel_folder()))


class Program:
    """A built program; its kernels are its attributes (``prog.bfs_push(size, *args)``).

    Made by `Device.program` (from source) or `Device.load_binary`.
    """

    def __init__(self, device: Device, built: Any, name: str, options: tuple[str, ...], source: str | None) -> None:
        self.device = device
        self.name = name
        self.options = options
        self.source = source
        self._built = built

    def __getattr__(self, kernel: str) -> Kernel:
        if kernel.startswith("_"):
            raise AttributeError(kernel)
        try:
            made = Kernel(self.device, cl.Kernel(self._built, kernel), kernel)
        except cl.Error as error:
            names = str(self._built.get_info(cl.program_info.KERNEL_NAMES)).replace(";", ", ")
            raise AttributeError(f"{self.name}.cl has no kernel {kernel}; it has {names}") from error
        self.__dict__[kernel] = made  # the next look-up does not come here
        return made

    @property
    def binary(self) -> bytes:
        """The device's own form of the program."""
        binaries: list[bytes] = self._built.get_info(cl.program_info.BINARIES)
        return binaries[0]

    def save(self, path: str | Path) -> None:
        """Write the binary, for `Device.load_binary` on the same device and driver."""
        cache.write_atomically(Path(path), self.binary)


class Kernel:
    """A kernel that is ready to be launched, on its device's queue, without waiting.

    Calls enqueue it; they are not safe from two threads at once (arguments belong to the kernel).
    """

    __slots__ = ("_kernel", "_local", "_queue", "_set_scalar", "device", "limit", "name", "num_args")

    def __init__(self, device: Device, kernel: Any, name: str) -> None:
        self.device = device
        self.name = name
        self._kernel = kernel
        self._queue = device.queue
        self.num_args: int = kernel.num_args
        self.limit: int = kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, device.raw)
        self._local = min(device.tuning.local_size, self.limit)
        # the public set_arg takes 30 us for a NumPy scalar, the call that pyopencl's own invoker uses under 1 us
        self._set_scalar = getattr(kernel, "_set_arg_buf_multi", None)

    def __call__(self, size: int | tuple[int, ...], *args: Any, local: int | tuple[int, ...] | None = None) -> None:
        """Enqueue over at least `size` work-items: padded up to whole work-groups, so the kernel checks its range.

        Parameters
        ----------
        size : int or tuple of int
            Work-items wanted; nothing is launched for 0.
        *args : cl.Buffer, NumPy scalar, cl.LocalMemory or None
            In the kernel's order; types are the kernel's own (a bare Python number is a TypeError).
        local : int or tuple of int, optional
            Work-group size; the launch table's, cut to the kernel's limit, if not given.
        """
        sizes = size if isinstance(size, tuple) else (size,)
        if local is None:
            locals_: tuple[int, ...] = (self._local,) + (1,) * (len(sizes) - 1)
        else:
            locals_ = local if isinstance(local, tuple) else (local,)
        self._launch(tuple([-(-s // w) * w for s, w in zip(sizes, locals_, strict=True)]), locals_, args)

    def exact(self, size: int | tuple[int, ...], *args: Any, local: int | tuple[int, ...]) -> None:
        """Enqueue over exactly `size` work-items in groups of `local`, which must divide it.

        Raises
        ------
        DeviceError
            If `local` does not divide `size`, or is beyond what this kernel can run with on this device.
        """
        sizes = size if isinstance(size, tuple) else (size,)
        locals_ = local if isinstance(local, tuple) else (local,)
        if any(s % w for s, w in zip(sizes, locals_, strict=True)):
            raise DeviceError(f"kernel {self.name}: global size {sizes} is no multiple of local size {locals_}")
        self._launch(sizes, locals_, args)

    def _launch(self, sizes: tuple[int, ...], locals_: tuple[int, ...], args: tuple[Any, ...]) -> None:
        if len(args) != self.num_args:
            raise TypeError(f"kernel {self.name} takes {self.num_args} arguments, {len(args)} were given")
        if 0 in sizes:
            return
        kernel = self._kernel
        try:
            for index, arg in enumerate(args):
                if isinstance(arg, np.generic):
                    if self._set_scalar is not None:
                        self._set_scalar((index, arg))
                    else:
                        kernel.set_arg(index, arg)
                elif isinstance(arg, (cl.MemoryObjectHolder, cl.LocalMemory)) or arg is None:
                    kernel.set_arg(index, arg)
                else:
                    raise TypeError(
                        f"kernel {self.name}, argument {index}: {type(arg).__name__} {arg!r:.40}; "
                        "a buffer, a NumPy scalar (np.int32(...)) or None is needed"
                    )
            cl.enqueue_nd_range_kernel(self._queue, kernel, sizes, locals_)
        except cl.Error as error:
            shown = ", ".join(
                f"{type(a).__name__}" if isinstance(a, np.generic) else "None" if a is None else f"buffer of {a.size}"
                for a in args
            )
            raise DeviceError(
                f"{self.device.spec} ({self.device.name}): kernel {self.name} was not launched: {error}; "
                f"global {sizes}, local {locals_} (limit {self.limit}), arguments ({shown})"
            ) from error


def build(device: Device, name: str, defines: Mapping[str, Any]) -> Program:
    """Build ``cl/NAME.cl`` for a device, from the disk cache if it was built before."""
    options = (*device.build_options, *_define_options(defines))
    return build_source(device, name, read_source(name), options)


def _define_options(defines: Mapping[str, Any]) -> list[str]:
    return [
        f"-D{key}" if value is True else f"-D{key}={value}"
        for key, value in sorted(defines.items())
        if value is not None and value is not False
    ]


def build_source(device: Device, name: str, source: str, options: tuple[str, ...], *, keep: bool = True) -> Program:
    """Build source text; `keep` says whether its binary goes through the disk cache."""
    key = cache.digest([*device.identity, source, *options])
    if keep and device.keeps_binaries and (binary := cache.load("programs", key)) is not None:
        try:
            return Program(device, _build_binary(device, binary, options), name, options, source)
        except cl.Error:
            pass  # a driver may refuse its own old binaries (updated under the same version): build from source
    if not device.has_compiler:
        raise BuildError(
            f"{device.spec} ({device.name}) has no compiler: {name}.cl must be built offline and loaded as a binary "
            f"(Device.load_binary, or CLGRAPH_BINARIES=FOLDER with {name}.aocx in it)"
        )
    made = cl.Program(device.context, source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # compilers' chatter on success
            made.get_info(cl.program_info.REFERENCE_COUNT)  # from here on pyopencl's own cache stays out of it
            made.build(list(options), [device.raw])
    except cl.Error as error:
        raise _build_error(device, name, source, options, made, error) from error
    program = Program(device, made, name, options, source)
    if keep and device.keeps_binaries:
        cache.store("programs", key, program.binary)
    return program


def _build_binary(device: Device, binary: bytes, options: tuple[str, ...]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cl.Program(device.context, [device.raw], [binary]).build(list(options))


def load_binary(device: Device, path: str | Path) -> Program:
    """A program from a file that the device's offline compiler, or `Program.save`, wrote."""
    path = Path(path)
    try:
        binary = path.read_bytes()
    except OSError as error:
        raise BuildError(f"cannot read the device binary {path}: {error.strerror}") from error
    try:
        return Program(device, _build_binary(device, binary, ()), path.stem, (), None)
    except cl.Error as error:
        raise BuildError(
            f"{device.spec} ({device.name}, driver {device.driver_version}) refused the binary {path} "
            f"({len(binary)} bytes): {_first_line(error)}; it must be built for this very device and driver"
        ) from error


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0]


def _build_error(
    device: Device, name: str, source: str, options: tuple[str, ...], made: Any, error: BaseException
) -> BuildError:
    try:
        log = str(made.get_build_info(device.raw, cl.program_build_info.LOG)).strip()
    except cl.Error:
        log = ""
    saved = _save_failed(name, source)
    if "unknown target CPU" in log or "unknown target CPU" in str(error):
        hint = (
            "this PoCL's LLVM is older than the CPU; take another one: apt-get install pocl-opencl-icd, "
            "or pip install 'clgraph[cpu]' for Intel's runtime"
        )
    elif "error:" in log:
        hint = f"the compiler does not take {name}.cl as it stands: a fault in clgraph; please report this message"
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
            path = folder / f"clgraph-{name}-{cache.digest([source])[:12]}.cl"
            cache.write_atomically(path, source.encode())
            return str(path)
        except OSError:
            continue
    return "(could not be saved: neither the cache nor the temporary folder can be written)"
