// Vectors of 512 bits as arguments and results of builtin functions.
//
// fails: Portable 3.0: ends the process while it compiles, or never ends, on CPUs newer than its LLVM 14: its builtins are built for AVX-512, the kernel is not ("enabled changes the ABI")
// here:  cl/ranking/personalized/power.cl takes arrays instead of vectors (the quirk WITHOUT_WIDE_VECTORS)

__kernel void minimal(__global int *out, __global const int *in)
{
    const float16 x = convert_float16(vload16(get_group_id(0), in));
    const int16 y = convert_int16(max(x, (float16)(-1.0f)) * 2.0f);
    out[get_global_id(0)] = y.s3 == 2 * in[16 * get_group_id(0) + 3];
}
