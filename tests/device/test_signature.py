"""Signatures of kernels as they are read from sources."""

from __future__ import annotations

from pathlib import Path

import pyopencl as cl
import pytest

from clgraph.device import Device
from clgraph.device.program import kernel_folder, read_source
from clgraph.device.signature import signatures
from clgraph.errors import BuildError


def told(source: str, *options: str) -> dict[str, list[str]]:
    return {
        name: [str(parameter) for parameter in signature.parameters]
        for name, signature in signatures(source, options).items()
    }


def test_macros_conditions_and_comments() -> None:
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


def test_where_a_kernel_is() -> None:
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
def test_what_is_not_understood(source: str, words: str) -> None:
    with pytest.raises(BuildError, match=words):
        signatures(source, ())


FILES = sorted(path for path in kernel_folder().rglob("*.cl") if not path.stem.startswith("probe"))


@pytest.mark.slow
@pytest.mark.first_device
@pytest.mark.parametrize("file", FILES, ids=lambda path: path.relative_to(kernel_folder()).as_posix())
def test_as_the_compiler_reads_them(device: Device, file: Path) -> None:
    source = read_source(file.relative_to(kernel_folder()).with_suffix("").as_posix())
    options = device.build_options
    if "fpga" in file.parts and device.kind == "gpu":
        pytest.skip("a board's pipelines ask for more local memory than a GPU has")
    if "__attribute__((task" in source or device.is_fpga:
        pytest.skip("needs a compiler that keeps names")
    built = cl.Program(device.context, source).build([*options, "-cl-kernel-arg-info", "-w"])
    ask = cl.kernel_arg_info
    theirs = {
        kernel.function_name: [kernel.get_arg_info(i, ask.NAME) for i in range(kernel.num_args)]
        for kernel in built.all_kernels()
    }
    ours = {
        name: [parameter.name.rstrip("_") for parameter in signature.parameters]
        for name, signature in signatures(source, options).items()
    }
    # PoCL renames what it has functions of: step, distance, length
    theirs = {name: [each.removeprefix("_cl_").rstrip("_") for each in them] for name, them in theirs.items()}
    assert ours == theirs
