// device/probe_features.cl: does the device's compiler support a feature beyond OpenCL C 1.2, and is its result right?
//
// Built once for each feature with -DTRY_<FEATURE>; a feature counts only if this builds, runs and answers 1.
// A feature is tried in the pattern in which kernels use it: some compilers take sub-groups, and end the process where
// these stand beside barriers.
// launch   one work-group of PROBE_LOCAL: 32 (one warp where there are warps), or a smaller power of two where the device
//          takes no more; out int[PROBE_LOCAL], zero; work int[64], zero

#ifndef PROBE_LOCAL
#define PROBE_LOCAL 32
#endif

#if defined(TRY_FP64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#elif defined(TRY_INT64_ATOMICS)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#elif defined(TRY_SUBGROUPS) && __OPENCL_C_VERSION__ < 300
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#if defined(TRY_SUBGROUPS) && defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

__kernel void probe_feature(__global int *out, __global int *work)
{
    int lid = (int)get_local_id(0);
    int right = 0;

#if defined(TRY_SUBGROUPS)
    // as in theses/subgroup.cl: rows by sub-groups, summed in two ways, then a sum over the work-group
    __local int box[PROBE_LOCAL];
    const int width = get_sub_group_size(), lane = get_sub_group_local_id();
    const int team = get_sub_group_id(), teams = get_num_sub_groups(), rows = 45;
    int tally = 0, expected = 0;
    right = sub_group_reduce_add(1) == width && sub_group_broadcast(lid, 0) <= lid
            && sub_group_scan_exclusive_add(1) == lane;
    for (int r = team; r < 64; r += teams) {   // the last rows are empty
        float sum = 0;
        if (r < rows) {
            for (int e = lane; e < 3 * r; e += width)
                sum += e;
        }
        float whole = 0;
        for (int from = 0; from < width; from++)
            whole += sub_group_broadcast(sum, from);
        right &= whole == sub_group_reduce_add(sum);
#ifdef cl_khr_fp64
        right &= sub_group_reduce_add((double)sum) == sub_group_reduce_add(sum);
#endif
        if (r < rows && lane == 0) tally += (int)whole;
    }
    box[lid] = tally;
    for (int half_ = PROBE_LOCAL / 2; half_ > 0; half_ /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_) box[lid] += box[lid + half_];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < rows; r++)
        expected += 3 * r * (3 * r - 1) / 2;
    right &= box[0] == expected;

#elif defined(TRY_WORKGROUP_FUNCTIONS)
    right = work_group_reduce_add(lid) == PROBE_LOCAL * (PROBE_LOCAL - 1) / 2
            && work_group_scan_exclusive_add(1) == lid && work_group_any(lid == PROBE_LOCAL - 1);

#elif defined(TRY_INT64_ATOMICS)
    volatile __global ulong *word = (volatile __global ulong *)work;
    atom_add(word, (ulong)1 << 33);
    atom_max(word + 1, (ulong)lid << 33);
    barrier(CLK_GLOBAL_MEM_FENCE);
    right = atom_or(word, (ulong)0) == (ulong)PROBE_LOCAL << 33
            && atom_or(word + 1, (ulong)0) == (ulong)(PROBE_LOCAL - 1) << 33;

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
    // NVIDIA's compiler accepts inline PTX: a shuffle within the warp (ranking/warp.h), loads beside the caches
    // (ranking/sell.h)
    int other, word;
    ushort half_word;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(other) : "r"(lid));
    __asm__("ld.global.cs.s32 %0, [%1];" : "=r"(word) : "l"(work + lid));
    __asm__("ld.global.cs.u16 %0, [%1];" : "=h"(half_word) : "l"((__global ushort *)work + lid));
    right = other == (lid ^ 1) && word == 0 && half_word == 0;
#elif defined(TRY_PREFETCH)
    // clang's builtin, as in traversal/search_fused.cl
    for (int i = lid; i < PROBE_LOCAL; i++)
        __builtin_prefetch(&out[work[i]]);
    right = 1;
#else
#error "no TRY_ macro: nothing to probe"
#endif
    out[lid] = right;
}
