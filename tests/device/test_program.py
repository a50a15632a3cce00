"""Programs and launches: reading, building, binaries, arguments, signatures."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyopencl as cl
import pytest
from interrupts import interrupted

from clgraph.device import Device, cache, program
from clgraph.device.program import build_source, kernel_folder, read_source
from clgraph.device.signature import signatures
from clgraph.errors import BuildError, DeviceError

ADD = """
__kernel void add(__global int *out, int n, long more, float part)
{
    int i = get_global_id(0);
    if (i < n) out[i] += (int)more + (int)part;
}
__kernel void group_sum(__global const int *in, __global int *out, __local int *shared)
{
    int lid = get_local_id(0);
    shared[lid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        int sum = 0;
        for (int k = 0; k < (int)get_local_size(0); ++k) sum += shared[k];
        out[get_group_id(0)] = sum;
    }
}
__kernel void two(__global int *out, int n, int m)
{
    int i = get_global_id(0), j = get_global_id(1);
    if (i < n && j < m) out[j * n + i] = 10 * j + i;
}
__kernel void given(__global const int *maybe, __global int *out)
{
    if (get_global_id(0) == 0) out[0] = maybe ? 1 : 0;
}
"""


def named(path):
    """A kernel file, as a device is asked for it."""
    return path.relative_to(kernel_folder()).with_suffix("").as_posix()


FILES = sorted(path for path in kernel_folder().rglob("*.cl") if not path.stem.startswith("probe"))


def made(device, **more):
    return build_source(device, "add", ADD, (), **more)


def add_once(device, add=None):
    """A launch of `add` does what it should."""
    out = device.zeros(4, np.int32)
    (add or made(device).add)(4, out=out, n=4, more=1, part=1)
    assert device.download(out, np.int32, 4).tolist() == [2, 2, 2, 2]


@pytest.mark.smoke
def test_common_stands_in_front_and_includes_are_inlined(monkeypatch, tmp_path):
    (tmp_path / "common.h").write_text("COMMON\n")
    (tmp_path / "a.h").write_text('#include "b.h"\nA\n')
    (tmp_path / "b.h").write_text("B\n")
    (tmp_path / "k.cl").write_text('// k\n#include "a.h"\n  #  include "b.h" // again\nK\n')
    monkeypatch.setattr(program, "kernel_folder", lambda: tmp_path)
    text = read_source("k")
    plain = [line for line in text.split("\n") if line and not line.startswith(("#", "//"))]
    assert plain == ["COMMON", "B", "A", "K"]
    assert '#line 4 "k.cl"\nK' in text
    (tmp_path / "k.cl").write_text('#include "gone.h"\n')
    with pytest.raises(BuildError, match=r"gone\.h"):
        read_source("k")


@pytest.mark.smoke
def test_random123_is_inlined_and_right(device, monkeypatch, tmp_path):
    """Philox 4x32-10 of pyopencl's header, against the known answer of the Random123 distribution."""
    (tmp_path / "common.h").write_text((kernel_folder() / "common.h").read_text())
    (tmp_path / "k.cl").write_text(
        "#include <pyopencl-random123/philox.cl>\n"
        "__kernel void draw(__global uint *out) {\n"
        "    philox4x32_ctr_t c = {{0, 0, 0, 0}};\n    philox4x32_key_t k = {{0, 0}};\n"
        "    philox4x32_ctr_t r = philox4x32(c, k);\n"
        "    if (get_global_id(0) == 0) for (int i = 0; i < 4; ++i) out[i] = r.v[i];\n}\n"
    )
    options = device.build_options  # the features may be probed now, with the kernels of the real folder
    monkeypatch.setattr(program, "kernel_folder", lambda: tmp_path)
    out = device.zeros(4, np.uint32)
    build_source(device, "k", read_source("k"), options).draw(1, out=out)
    assert device.download(out, np.uint32, 4).tolist() == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@pytest.mark.smoke
def test_once_per_process(device):
    assert device.program("device/memory_fill") is device.program("device/memory_fill")
    assert device.program("sampling/members", BLOCK=32) is not device.program("sampling/members")
    assert device.program("device/memory_fill").fill_4 is device.program("device/memory_fill").fill_4
    with pytest.raises(AttributeError, match="fill_4"):
        device.program("device/memory_fill").frobnicate  # noqa: B018


@pytest.mark.smoke
def test_defines(device):
    source = "__kernel void k(__global int *out) { if (get_global_id(0) == 0) out[0] = X + 10 * ON; }"
    options = tuple(program.define_options({"X": 3, "ON": True, "OFF": False, "NOT": None}))
    assert options == ("-DON", "-DX=3")
    out = device.zeros(1, np.int32)
    build_source(device, "k", source, options).k(1, out=out)
    assert device.download(out, np.int32, 1)[0] == 13


@pytest.mark.smoke
def test_build_error_says_it_all(device, own_cache):
    with pytest.raises(BuildError) as error:
        build_source(device, "bad", "__kernel void k(__global int *o) { o[0] = nonsense; }", ("-DX=1",))
    text = str(error.value)
    for word in (device.name, device.driver_version, "bad.cl", "options: -DX=1", "hint:", "log:", "nonsense"):
        assert word in text
    saved = Path(next(line for line in text.split("\n") if "source: " in line).split("source: ")[1])
    assert "nonsense" in saved.read_text() and own_cache in saved.parents


@pytest.mark.smoke
def test_kept_on_disk_and_safe_against_damage(device, kept_at_once):
    made(device)
    (file,) = (kept_at_once / "programs").iterdir()
    whole = file.read_bytes()
    for damage in (b"", b"rubbish", whole[:-3], whole[:100] + b"x" + whole[101:]):
        file.write_bytes(damage)
        add_once(device)
        assert file.read_bytes()[:16] == whole[:16]  # written anew
    # a whole file that the driver refuses
    cache.store("programs", file.name, b"no program of any driver")
    made(device)


def test_disk_is_read(device, kept_at_once, monkeypatch):
    made(device)
    original, seen = cl.Program, []
    monkeypatch.setattr(cl, "Program", lambda *given: seen.append(len(given)) or original(*given))
    add_once(device)
    assert seen == [3]  # context, devices, binaries: not a source


def test_unwritable_cache_costs_nothing_but_time(device, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path / "file"))
    made(device)
    with pytest.raises(BuildError, match="source: "):
        build_source(device, "bad", "nonsense", ())


def test_pyopencl_keeps_nothing(device, monkeypatch):
    cached = "pyopencl.cache.create_built_program_from_source_cached"
    monkeypatch.setattr(cached, lambda *_, **__: pytest.fail("pyopencl's own cache was asked"))
    made(device, keep=False)


def test_device_without_a_compiler(device, monkeypatch):
    """What it could run comes from a binary (tests/fpga/test_binary.py); anything else is refused."""
    monkeypatch.setenv("CLGRAPH_WITHOUT", "compiler")
    board = Device(device.raw, device.spec)
    assert not board.has_compiler
    assert "builds no kernels itself" in str(board.fault)
    with pytest.raises(BuildError, match="builds no kernels itself"):
        board.program("csr/generate")


def test_sizes_are_padded(device):
    add = made(device).add
    for n in (1, 5, 255, 256, 257):
        out = device.zeros(n, np.int32)
        add(n, out=out, n=n, more=2, part=3)
        add(n, out=out, n=n, more=2, part=3, local=2)
        assert device.download(out, np.int32, n).tolist() == [10] * n
    add(0, out=out, n=n, more=2, part=3)
    out = device.zeros(35, np.int32)
    made(device).two((7, 5), out=out, n=7, m=5)
    made(device).two((7, 5), out=out, n=7, m=5, local=(2, 4))
    assert device.download(out, np.int32, 35).tolist() == [10 * j + i for j in range(5) for i in range(7)]


def test_exact_sizes_and_local_memory(device):
    out = device.zeros(4, np.int32)
    group_sum, shared = made(device).group_sum, cl.LocalMemory(32)
    given = device.upload(np.arange(32, dtype=np.int32))
    group_sum.exact(32, local=8, in_=given, out=out, shared=shared)  # `in` is a word of Python's
    assert device.download(out, np.int32, 4).tolist() == [28, 92, 156, 220]
    with pytest.raises(DeviceError, match="not a multiple"):
        group_sum.exact(33, local=8, in_=given, out=out, shared=shared)
    with pytest.raises(DeviceError, match=r"kernel group_sum .* needs a work-group of 67108865"):
        group_sum(4, local=64 * 2**20 + 1, in_=given, out=out, shared=shared)


def test_null_pointer(device):
    given, out = made(device).given, device.zeros(1, np.int32)
    for maybe in (out, None, out, device.zeros(4, np.uint8), None):
        given(1, maybe=maybe, out=out)
        assert device.download(out, np.int32, 1)[0] == (maybe is not None)


@pytest.mark.parametrize("given", [(True, False), (False, True)])
def test_an_interrupt_leaves_arguments_that_fit_each_other(device, given):
    """At whatever line it comes: once half of what was found out about null pointers stayed behind."""
    kernel, out = made(device).given, device.zeros(1, np.int32)

    def launch():
        kernel(1, maybe=out, out=out)
        kernel(1, maybe=None, out=out)

    for line in interrupted(launch, lambda code: code.co_name in ("_set", "_look_at")):
        for there in given:
            kernel(1, maybe=out if there else None, out=out)
            assert device.download(out, np.int32, 1)[0] == there, line
    assert line > 20


def test_numbers_become_what_the_kernel_declares(device):
    add, out = made(device).add, device.zeros(4, np.int32)
    for n, more, part in ((4, 1, 1), (np.int64(4), True, np.float64(1)), (np.uint8(4), np.int32(1), 1.5)):
        device.fill(out, np.int32(0), 4)
        add(4, out=out, n=n, more=more, part=part)
        assert device.download(out, np.int32, 4).tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"n": 2**31}, r"kernel add \(.*, line 2\), argument `int n`: int 2147483648 does not fit"),
        ({"n": 4.0}, "argument `int n`: float 4.0 does not fit"),
        ({"n": None}, "argument `int n`: NoneType None does not fit"),
        ({"part": 1e300}, "argument `float part`: float 1e"),
        ({"part": "1"}, "argument `float part`: str '1' does not fit"),
        ({"out": 4}, r"argument `__global int \*out`: int 4 is neither a buffer nor None"),
        ({"out": np.zeros(4)}, r"argument `__global int \*out`: ndarray .* is neither a buffer nor None"),
        ({"m": 4}, "has no argument m; it has out, n, more, part"),
        ({"more": ...}, "lacks its argument more"),
    ],
)
def test_wrong_arguments(device, wrong, words):
    out = device.zeros(4, np.int32)
    given = {"out": out, "n": 4, "more": 1, "part": 1.0, **wrong}
    with pytest.raises(TypeError, match=words):
        made(device).add(4, **{name: value for name, value in given.items() if value is not ...})
    assert not device.download(out, np.int32, 4).any()


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.int16])
def test_a_buffer_of_other_elements(device, dtype):
    add, wrong = made(device).add, device.zeros(4, dtype)
    words = rf"line 2\), argument .*out`: a buffer of {np.dtype(dtype)} is"
    given = {"n": 4, "more": 1, "part": 1}
    for right in (None, np.int32, np.uint32, np.uint8):  # bytes are memory for anything
        if right:
            add(4, out=device.zeros(16, right), **given)
        for launch in (partial(add, 4, **given), add.bind):
            with pytest.raises(TypeError, match=words):
                launch(out=wrong)
    add(4, out=cl.Buffer(device.context, cl.mem_flags.READ_WRITE, 16), **given)  # the user's own says nothing


def test_bound_arguments_stay(device):
    add, out, other = made(device).add, device.zeros(4, np.int32), device.zeros(4, np.int32)
    bound = add.bind(out=out, part=0)
    twice = bound.bind(more=5)
    add(4, out=other, n=4, more=7, part=1)  # has arguments of its own
    bound(4, n=2, more=1)
    twice(4, n=4)
    assert device.download(out, np.int32, 4).tolist() == [6, 6, 5, 5]
    assert device.download(other, np.int32, 4).tolist() == [8] * 4
    with pytest.raises(TypeError, match="argument `int n`: OwnBuffer"):
        bound(4, n=out, more=1)
    with pytest.raises(TypeError, match="part is bound already"):
        bound(4, n=2, more=1, part=2)
    with pytest.raises(TypeError, match="lacks its argument n"):
        twice(4)
    with pytest.raises(TypeError, match="has no argument m"):
        add.bind(m=1)


def test_arguments_from_attributes(device):
    run = SimpleNamespace(out=device.zeros(4, np.int32), n=4, more=1, unknown="not the kernel's")
    add = made(device).add
    add.launch(run, 4, part=0, n=3)  # what is named comes first
    assert device.download(run.out, np.int32, 4).tolist() == [1, 1, 1, 0]
    add.bind(**add.arguments_of(run)).launch(run, 4, part=0)
    assert device.download(run.out, np.int32, 4).tolist() == [2, 2, 2, 1]
    with pytest.raises(TypeError, match="lacks its argument part"):
        add.launch(run, 4)
    with pytest.raises(TypeError, match="has no argument m"):
        add.launch(run, 4, part=0, m=1)


def test_public_set_arg_does_as_well(device):
    """pyopencl's quick ways of setting arguments are private: without them all is slower, not different."""
    add = made(device).add
    add._set_scalars = add._set_memory = add._set_slowly
    add_once(device, add)


def test_a_program_without_kernels(device):
    """As PoCL 3.0 says that it has built what its compiler gave up (tests/drivers/vectors_512.cl)."""
    source = "static inline int none(int x) { return x; }\n"
    empty = build_source(device, "empty", source, (), keep=False)
    empty._source = ADD
    with pytest.raises(BuildError, match=r"compiler built cl/empty\.cl, and the program has no kernels"):
        empty.add  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no kernel other; it has add, "):
        made(device).other  # noqa: B018


# --- signatures of kernels, as they are read from sources -------------------------------------------------


def told(source, *options):
    return {name: [*map(str, found.parameters)] for name, found in signatures(source, options).items()}


def test_macros_conditions_and_comments():
    source = """
#define REST , __global const uint *restrict rest, \\
             const int many  // the last two
typedef double WIDE;
#if defined(WIDER) && !(DEPTH > 2 || 0)
#define KEY ulong
#elif DEPTH == 3
#define KEY uint
#else
#define KEY int
#endif
/* __kernel void not_this(int a); */
__kernel __attribute__((reqd_work_group_size(4, 1, 1)))
void first(const KEY key, const WIDE part, __local float *room REST)
{
}
#define MADE(name, TYPE) PIPELINE void name##_step(__global TYPE *restrict from, unsigned int n) {} \\
    PIPELINE void name##_step_write(const char c) {}
MADE(second, KEY)
#ifdef GONE
__kernel void third(void) {}
#endif
"""
    rest = ["__global uint *rest", "int many"]
    assert told(source) == {
        "first": ["int key", "double part", "__local float *room", *rest],
        "second_step": ["__global int *from_", "uint n"],
        "second_step_write": ["char c"],
    }
    assert told(source, "-DWIDER", "-DDEPTH=2")["first"][0] == "ulong key"
    assert told(source, "-DDEPTH=3", "-DGONE")["first"][0] == "uint key"
    assert told(source, "-DGONE")["third"] == []


def test_where_a_kernel_is():
    source = '#line 1 "common.h"\n\n#line 7 "a/b.cl"\n\n__kernel void k(const int n) {}\n'
    (signature,) = signatures(source, ()).values()
    assert (signature.file, signature.line) == ("a/b.cl", 8)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("__kernel void k(const thing x) {}", "`const thing x` is of no type"),
        ("#if 1 +\n__kernel void k(int x) {}\n#endif", "condition `#if 1"),
        ("__kernel void k(int x", "not closed"),
    ],
)
def test_what_is_not_understood(source, words):
    with pytest.raises(BuildError, match=words):
        signatures(source, ())


@pytest.mark.slow
@pytest.mark.first_device
@pytest.mark.parametrize("file", FILES, ids=named)
def test_each_file_builds_with_nothing_but_common_and_is_read_as_the_compiler_reads_it(device, file):
    source, options = read_source(named(file)), device.build_options
    if "fpga" not in file.parts:
        device.program(named(file))
    elif device.kind == "gpu":
        pytest.skip("a board's pipelines ask for more local memory than a GPU has")
    if "__attribute__((task" in source or device.is_fpga:
        pytest.skip("needs a compiler that keeps names")
    built = cl.Program(device.context, source).build([*options, "-cl-kernel-arg-info", "-w"])
    ours = signatures(source, options)
    assert ours.keys() == {kernel.function_name for kernel in built.all_kernels()}
    for kernel in built.all_kernels():
        theirs = [kernel.get_arg_info(i, cl.kernel_arg_info.NAME) for i in range(kernel.num_args)]
        # PoCL renames what it has functions of: step, distance, length
        names = [name.removeprefix("_cl_").rstrip("_") for name in theirs]
        assert [each.name.rstrip("_") for each in ours[kernel.function_name].parameters] == names
