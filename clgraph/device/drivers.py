"""Finding OpenCL drivers (ICDs) without root and without environment variables.

OpenCL's loader reads one folder of ``.icd`` files, each naming a driver's library. It misses three kinds of
driver: those installed by pip (Intel's ``.icd`` holds a placeholder path, in a folder that no loader reads),
NVIDIA's in containers that have the library but no ``nvidia.icd``, and Oclgrind from Debian, which has no
``.icd`` at all. So for the first platform query clgraph points the loader (``OCL_ICD_VENDORS``) at a folder
of its own: copies of the system's files plus corrected ones. If the user has set that variable, or nothing
needs correcting, clgraph changes nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.metadata
import importlib.util
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clgraph import system
from clgraph.device import cache
from clgraph.errors import DeviceError

SYSTEM_VENDORS = Path("/etc/OpenCL/vendors")
# packages on PyPI that carry a driver, and its library
PIP_DRIVERS = {"intel-opencl-rt": "libintelocl.so", "intel-opencl-fpga-emu-rt": "libintelocl_emu.so"}
NVIDIA_LIBRARY = "libnvidia-opencl.so.1"
OCLGRIND_LIBRARY = "liboclgrind-rt-icd.so"
LIBRARY_FOLDERS = (
    *("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"),
    *("/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/wsl/lib"),
)


@dataclass(frozen=True)
class Icd:
    """An installable client driver (ICD).

    Attributes
    ----------
    library : str
        The library to load: a path, or a bare name that the dynamic linker finds.
    origin : str
        Where it was found: an ``.icd`` file, a pip package, or another explanation.
    corrected : bool
        Whether the loader alone would have missed it.
    bundled : bool
        Whether the loader inside pyopencl's wheel finds it in any case.
    """

    library: str
    origin: str
    corrected: bool = False
    bundled: bool = False

    @property
    def stem(self) -> str:
        """The library's name without folder and version, which is the same for two copies of one driver."""
        return Path(self.library).name.split(".so")[0]


def find_icds(*, oclgrind: bool = False) -> list[Icd]:
    """Find all drivers of this machine and this Python environment, the system's first; none is queried.

    Parameters
    ----------
    oclgrind : bool
        Whether to include the simulator.
    """
    if user := os.environ.get("OCL_ICD_VENDORS"):
        return read_vendors(Path(user)) + bundled_icds()
    icds = read_vendors(SYSTEM_VENDORS)
    for prefix in dict.fromkeys((os.environ.get("CONDA_PREFIX"), sys.prefix)):
        if prefix and (folder := Path(prefix, "etc/OpenCL/vendors")) != SYSTEM_VENDORS:
            # Intel's file here names /opt/anaconda1anaconda2anaconda3: leave out what does not exist
            icds += [icd for icd in read_vendors(folder, corrected=True) if _exists(icd)]
    icds += pip_icds()
    nvidia = [icd for icd in icds if "nvidia" in icd.library]
    library = find_library(NVIDIA_LIBRARY, LIBRARY_FOLDERS)
    # last, since it loads the driver: a look into folders is cheaper
    if library is None and dlopen_error(NVIDIA_LIBRARY) is None:
        library = NVIDIA_LIBRARY  # the dynamic linker knows of further folders
    if library and all(dlopen_error(icd.library) for icd in nvidia):
        icds = [icd for icd in icds if icd not in nvidia]
        icds.append(Icd(library, "found without an .icd file that leads to it", corrected=True))
    # one library of each name: two copies of Intel's runtime in one process conflict
    unique: dict[str, Icd] = {}
    for icd in icds:
        if icd.stem not in unique or (_exists(icd) and not _exists(unique[icd.stem])):
            unique[icd.stem] = icd
    # the simulator is used only on request, even if some .icd file names it
    found = [icd for icd in unique.values() if "oclgrind" not in icd.library]
    if oclgrind and (library := find_oclgrind()):
        found.append(Icd(library, "requested by name", corrected=True))
    bundled = bundled_icds()
    registered = {icd.stem for icd in bundled if _exists(icd)}
    return [icd for icd in found if not (icd.corrected and icd.stem in registered)] + bundled


def bundled_icds() -> list[Icd]:
    """Find drivers inside pyopencl's own wheel (``pyopencl[pocl]``); its loader always reads these."""
    folder, icds = _bundled_folder(), []
    for icd in read_vendors(folder) if folder else []:
        beside = Path(icd.origin).parent / icd.library
        icds.append(Icd(str(beside) if beside.is_file() else icd.library, icd.origin, bundled=True))
    return icds


def _bundled_folder() -> Path | None:
    """Return the folder that the loader in pyopencl's wheel reads; None without a wheel (Debian, conda)."""
    spec = importlib.util.find_spec("pyopencl")
    folders = [Path(folder, ".libs") for folder in (spec.submodule_search_locations or [])] if spec else []
    return next((folder for folder in folders if folder.is_dir()), None)


def read_vendors(folder: Path, *, corrected: bool = False) -> list[Icd]:
    """Read the drivers in a folder of ``.icd`` files or one such file; the path may also be a library."""
    if ".so" in folder.name and not folder.is_dir():
        return [Icd(str(folder), "OCL_ICD_VENDORS", corrected=corrected)]
    icds = []
    for file in sorted(folder.glob("*.icd")) if folder.is_dir() else [folder] if folder.is_file() else []:
        try:
            text = os.fsdecode(file.read_bytes())  # a path need not be UTF-8
        except OSError:
            text = ""  # the loader cannot read it either; `clgraph doctor` reports the file as empty
        icds.append(Icd(text.split("\n")[0].strip(), str(file), corrected=corrected))
    return icds


def pip_icds() -> list[Icd]:
    """Find drivers installed by pip: into this environment, with --user, or with --target."""
    icds = []
    for package, library in PIP_DRIVERS.items():
        if (distribution := find_distribution(package)) is None:
            continue
        listed = [Path(str(each.locate())) for each in distribution.files or [] if each.name == library]
        # --target puts lib/ next to the packages, but the list of files still says ../../../lib
        site = Path(str(distribution.locate_file("")))
        paths = [*listed, site / "lib" / library, Path(sys.prefix, "lib", library)]
        if path := next((path for path in paths if path.is_file()), None):
            origin = f"pip package {package} {distribution.version}"
            icds.append(Icd(str(path.resolve()), origin, corrected=True))
    return icds


def find_distribution(name: str) -> importlib.metadata.Distribution | None:
    """Find an installed package; None if it is not installed, and need not be."""
    try:
        return importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def find_library(name: str, folders: Iterable[str]) -> str | None:
    """Find a shared library by its file name; None if it is in none of the folders."""
    return next((path for folder in folders if os.path.exists(path := os.path.join(folder, name))), None)


def find_oclgrind() -> str | None:
    """Find Oclgrind's ICD library; None if it is not installed."""
    folders = [*(os.path.join(folder, "oclgrind") for folder in LIBRARY_FOLDERS), *LIBRARY_FOLDERS]
    if program := shutil.which("oclgrind"):
        prefix = Path(program).resolve().parent.parent
        folders = [str(prefix / "lib" / "oclgrind"), str(prefix / "lib"), *folders]
    return find_library(OCLGRIND_LIBRARY, folders)


def dlopen_error(library: str) -> str | None:
    """Return None if the dynamic linker loads a library, otherwise its error message."""
    if not library:
        return "the .icd file is empty or cannot be read"
    try:
        ctypes.CDLL(library)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in it
        return str(error)
    return None


def _exists(icd: Icd) -> bool:
    return os.path.exists(icd.library) if os.path.isabs(icd.library) else bool(icd.library)


class _State:
    """The state of this process's one OpenCL loader, which reads its folder of drivers once."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process = 0  # which one has queried the drivers; 0: none has
        self.platforms: list[Any] | None = None
        self.oclgrind = False
        self.early = False  # whether others may have had the folder read before


_state = _State()


parent = 0  # the process that this one was forked from, if that had queried the drivers


def _note_parent() -> None:
    global parent
    parent = _state.process


system.watch_forks(_note_parent)


def forked(by: str = "") -> DeviceError:
    """Return the error for a use of OpenCL in a process whose `parent` had queried the drivers.

    A fork copies the drivers' memory but not their threads: whatever waits for these would never return.
    """
    by = by or f"process {parent}"
    return DeviceError(
        f"this process was forked from one that had used OpenCL ({by}), and OpenCL's drivers do not survive "
        'a fork: start it by multiprocessing.get_context("spawn"), or use no device before the fork'
    )


def platforms(*, oclgrind: bool = False) -> list[Any]:
    """Return the OpenCL platforms, queried once per process.

    Parameters
    ----------
    oclgrind : bool
        Whether Oclgrind must be among them.

    Raises
    ------
    DeviceError
        If the loader fails; if Oclgrind is requested after the loader has read its folder without it; in a
        process that was forked from one that had queried the drivers.
    """
    if parent:
        raise forked()
    _state.process = os.getpid()  # before the lock: a process forked while it is held must not wait for it
    with _state.lock:
        if _state.platforms is None:
            icds = find_icds(oclgrind=oclgrind)
            for icd in icds:
                if system.is_inherited(icd.stem):  # the parent's own pyopencl, for instance
                    _state.process = 0
                    raise forked(f"by other means than clgraph: its {icd.stem} is loaded here")
            _state.early = "pyopencl" in sys.modules
            _state.oclgrind = oclgrind
            with _corrected_drivers(icds), unknown_cpu():
                _state.platforms = _query()
        elif oclgrind and not _state.oclgrind and not any("Oclgrind" in p.name for p in _state.platforms):
            raise DeviceError(
                "Oclgrind was requested too late: this process has queried its OpenCL drivers without it. "
                "Set CLGRAPH_DEVICE=oclgrind, or make it the first device that is used"
            )
        return _state.platforms


def unseen() -> str:
    """Return an addition to messages about missing devices: drivers that the loader learned of too late."""
    if not _state.early or _state.process != os.getpid():
        return ""
    lost = [icd for icd in find_icds() if icd.corrected and _exists(icd) and not _is_loaded(icd.library)]
    if not lost:
        return ""
    names = ", ".join(f"{icd.library} ({icd.origin})" for icd in lost)
    return (
        f". This process asked pyopencl for platforms before it used clgraph, and then the loader does not "
        f"see {names}: call clgraph.get_device() first, or run `clgraph doctor --fix` once"
    )


def _is_loaded(library: str) -> bool:
    try:
        ctypes.CDLL(library, mode=getattr(os, "RTLD_NOLOAD", 0) | getattr(os, "RTLD_LAZY", 0))
    except OSError:
        return False
    return True


def _query() -> list[Any]:
    import pyopencl as cl

    _place_caches()
    _load_drivers(cl._cl.__file__)
    try:
        return list(cl.get_platforms())
    except cl.Error as error:
        # to the loader, no platform at all is an error (-1001, PLATFORM_NOT_FOUND_KHR)
        if getattr(error, "code", None) in (-1001, -32):
            return []
        raise DeviceError(f"the OpenCL loader failed: {error}; `clgraph doctor` finds out more") from error


def _place_caches() -> None:
    """Have PoCL and NVIDIA's driver keep what they build in `drivers_folder`, pyopencl nothing, if needed.

    Without a folder to write to, PoCL has no devices, and pyopencl's kernels cannot be called.
    """
    folder = cache.drivers_folder()
    if folder is not None:
        import pyopencl as cl

        os.environ.setdefault("POCL_CACHE_DIR", str(folder / "pocl"))
        os.environ.setdefault("CUDA_CACHE_PATH", str(folder / "nvidia"))  # else ~/.nv
        cl._PYOPENCL_NO_CACHE = True  # what PYOPENCL_NO_CACHE sets at the import


def _load_drivers(pyopencl: str) -> None:
    """Have the loader that pyopencl's library uses load every driver.

    Unlike pyopencl's own query it lets other threads run meanwhile. Where it fails, that query loads them.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(pyopencl).clGetPlatformIDs(0, None, ctypes.byref(ctypes.c_uint()))


@contextmanager
def _corrected_drivers(icds: list[Icd]) -> Iterator[None]:
    """For a with-block: point the loader at a folder of corrected ``.icd`` files.

    Not where the user has set one, or nothing needs correcting. The loader reads the folder once; child
    processes correct their own.
    """
    icds = [icd for icd in icds if icd.library and not icd.bundled]
    if os.environ.get("OCL_ICD_VENDORS") or not any(icd.corrected for icd in icds):
        yield
        return
    with _temporary_folder() as folder:
        for i, icd in enumerate(icds):
            Path(folder, f"{i:02}-{icd.stem}.icd").write_bytes(os.fsencode(f"{icd.library}\n"))
        os.environ["OCL_ICD_VENDORS"] = folder
        try:
            yield
        finally:
            del os.environ["OCL_ICD_VENDORS"]


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(dir=cache.make_room("icd"))
    except OSError:  # the cache cannot be written
        return tempfile.TemporaryDirectory(prefix="clgraph-icd-")


# --- registering drivers for good, where every program of this Python environment sees them --------------


REGISTERED = "clgraph-"  # begins the names of the files written here


def register() -> list[str]:
    """Write an ``.icd`` file for each driver that OpenCL's loader would miss without clgraph's help.

    The files are next to the loader inside pyopencl's wheel, which reads them at its first use: programs that
    ask pyopencl, and not clgraph, for platforms then see these drivers, too.

    Returns
    -------
    list of str
        The files written, each with the library that it names; empty if the loader misses none.

    Raises
    ------
    DeviceError
        If pyopencl brings no loader (Debian's or conda's package), or its folder cannot be written.
    """
    missed = [icd for icd in find_icds() if icd.corrected and not icd.bundled]
    folder, written = _bundled_folder(), []
    if missed and folder is None:
        raise DeviceError(
            "this pyopencl brings no loader of OpenCL drivers, so the system's is used: put .icd files into "
            f"{SYSTEM_VENDORS}, each with the path of a library that `clgraph doctor` lists"
        )
    for icd in missed:
        file = Path(folder or "", f"{REGISTERED}{icd.stem}.icd")
        try:
            cache.write_atomically(file, f"{icd.library}\n".encode())
            file.chmod(0o644)  # all users share pyopencl, whatever the umask of the one who registers
        except OSError as error:
            raise DeviceError(
                f"cannot write {file}: {error.strerror}. As root: echo {icd.library} > "
                f"{SYSTEM_VENDORS}/{file.name}"
            ) from error
        written.append(f"{file}: {icd.library} ({icd.origin})")
    return written


# --- Intel's OpenCL runtimes on processors newer than themselves -----------------------------------------
#
# Release 2025.0.5 does not know AMD's Zen 5 (family 26). It then builds for a processor without vector units,
# which its own compiler cannot do for kernels with wide vectors: it ends the process ("Internal compiler
# error: Do not know how to split the result of this operator"). At the first query each runtime also prints a
# warning. Given the name of what the processor can do, it builds the same kernels without fault. That must
# happen before the first platform query, when there is no device yet that `clgraph.device.hardware.quirks`
# could be asked about.


CPU_TARGET = "CL_CONFIG_CPU_TARGET_ARCH"
FIRST_UNKNOWN_FAMILY = 26  # of AuthenticAMD: Zen 5
WARNING = b"SYCL CPU RT Warning: Unknown host CPU."
AVX512 = {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}


def target(cpuinfo: str) -> str | None:
    """Return the runtime's word for the processor's instruction set; None if it knows it or none fits.

    Parameters
    ----------
    cpuinfo : str
        Text of ``/proc/cpuinfo``.
    """
    lines = (line.partition(":") for line in cpuinfo.split("\n\n")[0].splitlines())
    facts = {name.strip(): value.strip() for name, _, value in lines}
    family = facts.get("cpu family", "")
    if facts.get("vendor_id") != "AuthenticAMD" or not family.isdigit() or int(family) < FIRST_UNKNOWN_FAMILY:
        return None
    flags = set(facts.get("flags", "").split())
    return "skx" if flags >= AVX512 else "core-avx2" if "avx2" in flags else None


@contextmanager
def unknown_cpu() -> Iterator[None]:
    """For the first platform query: name the processor to the runtimes and suppress their warning about it.

    A target that the user has set stays. All else that drivers print is passed on.
    """
    try:
        found = target(Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None  # no Linux
    if found is not None:
        os.environ.setdefault(CPU_TARGET, found)
    with _without_warning() if found else contextlib.nullcontext():
        yield


@contextmanager
def _without_warning() -> Iterator[None]:
    if sys.stderr is not None:
        sys.stderr.flush()
    try:
        stderr = os.dup(2)
    except OSError:  # standard error is closed
        yield
        return
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
            printed.seek(0)
            rest = b"".join(line for line in printed if line.strip() != WARNING)
            if rest:
                os.write(2, rest)
