// clang's builtin for a prefetch, which is no OpenCL C.
//
// fails: NVIDIA 580: not right; how was not noted, and GPUs do not use it
// fails: rusticl 25.0: as 22.3
// fails: rusticl 22.3: ends the process (status 8, "InvalidFunctionCall: Unexpected llvm intrinsic"), in the translator to SPIR-V
// here:  HAVE_PREFETCH is probed in a child (cl/device/probe_features.cl); cl/traversal/search_fused.cl does without

__kernel void minimal(__global int *out, __global const int *in)
{
    __builtin_prefetch(&in[in[get_global_id(0)]]);
    out[get_global_id(0)] = 1;
}
