// device/probe_features.cl: does the device's compiler support a feature beyond OpenCL C 1.2, and is its result right?
//
// Built once for each feature with -DTRY_<FEATURE>; a feature counts only if this builds, runs and answers 1.
// launch   one work-group of 32 (one warp where there are warps); out int[32], zero; work int[64], zero

#define PROBE_LOCAL 32

#if defined(TRY_FP64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#elif defined(TRY_INT64_ATOMICS)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif

__kernel void probe_feature(__global int *out, __global int *work)
{
    int lid = (int)get_local_id(0);
    int right = 0;

#if defined(TRY_SUBGROUPS)
    // every lane counts its whole sub-group, whatever its width
    int lanes = (int)get_sub_group_size();
    right = sub_group_reduce_add(1) == lanes && sub_group_broadcast(lid, 0) <= lid
            && sub_group_scan_exclusive_add(1) == (int)get_sub_group_local_id();

#elif defined(TRY_WORKGROUP_FUNCTIONS)
    right = work_group_reduce_add(lid) == PROBE_LOCAL * (PROBE_LOCAL - 1) / 2
            && work_group_scan_exclusive_add(1) == lid && work_group_any(lid == 3);

#elif defined(TRY_INT64_ATOMICS)
    volatile __global ulong *word = (volatile __global ulong *)work;
    atom_add(word, (ulong)1 << 33);
    atom_min(word + 1, (ulong)0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    right = atom_or(word, (ulong)0) == (ulong)PROBE_LOCAL << 33;

#elif defined(TRY_FLOAT_ATOMICS)
    volatile __global atomic_float *sum = (volatile __global atomic_float *)work;
    atomic_fetch_add_explicit(sum, 0.5f, memory_order_relaxed, memory_scope_device);
    barrier(CLK_GLOBAL_MEM_FENCE);
    right = atomic_load_explicit(sum, memory_order_relaxed, memory_scope_device) == 0.5f * PROBE_LOCAL;

#elif defined(TRY_C11_ATOMICS)
    volatile __global atomic_int *sum = (volatile __global atomic_int *)work;
    atomic_fetch_add_explicit(sum, 1, memory_order_relaxed, memory_scope_device);
    barrier(CLK_GLOBAL_MEM_FENCE);
    right = atomic_load_explicit(sum, memory_order_acquire, memory_scope_device) == PROBE_LOCAL;

#elif defined(TRY_FP64)
    double tiny = ldexp(1.0, -40);
    right = (1.0 + tiny) - 1.0 == tiny && (1.0 + (double)lid) == (double)(lid + 1);

#elif defined(TRY_PTX)
    // NVIDIA's compiler accepts inline PTX: a shuffle within the warp
    int other;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(other) : "r"(lid));
    right = other == (lid ^ 1);
#else
#error "no TRY_ macro: nothing to probe"
#endif
    out[lid] = right;
}
