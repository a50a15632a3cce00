// device/probe.cl: does the device work at all? An atomic, a barrier, local memory; the host checks the sum and the
// order.
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
        out[1 + gid] = shared[PROBE_LOCAL - 1 - lid];
    }
}
