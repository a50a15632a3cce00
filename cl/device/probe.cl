// device/probe.cl: does the device work at all? An atomic, a barrier, local memory, the volatile accesses of
// common.h, a long loop; the host checks the sum, the order and the loop's end.
//
// launch   groups of PROBE_LOCAL, exact; out int[1 + global size], zero
// result   out[0] = sum of all global ids; out[1 + i] = the global id of the work-item that mirrors i in its work-group

#ifndef PROBE_LOCAL
#define PROBE_LOCAL 16
#endif

__kernel void probe(__global int *out, int n)
{
    __local int shared[PROBE_LOCAL];
    int lid = (int)get_local_id(0);
    int gid = (int)get_global_id(0);
    shared[lid] = gid;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (gid < n) {
        atomic_add(&out[0], gid);
        SHARED_STORE(&out[1 + gid], SHARED_LOAD(&shared[PROBE_LOCAL - 1 - lid]));   // they are no plain OpenCL C
    }
}

// out[0] = the value that x -> 5 x + 1, begun at 1, has after `steps` steps. Some drivers leave every loop of a kernel
// after 65535 steps, and say nothing. One work-item.
__kernel void probe_loop(__global uint *out, const uint steps)
{
    if (get_global_id(0) == 0) {
        uint x = 1;
        for (uint i = 0; i < steps; i++) x = 5 * x + 1;
        out[0] = x;
    }
}
