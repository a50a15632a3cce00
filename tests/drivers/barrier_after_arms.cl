// In a loop, an if with a loop in either arm, then a barrier.
//
// fails: Portable 5.0: ends the process while it compiles (Kernel.cc:129: Assertion region_entry_barrier != NULL); 3.1 and 6.0 are right
// here:  no kernel has such a loop: in cl/theses/subgroup.cl two loops follow each other, one of which is empty

__kernel void minimal(__global int *out, __global const int *in)
{
    const int lid = (int)get_local_id(0);
    int total = 0;
    for (int a = 0; a < 16; a += 2) {
        int sum = 0;
        if (in[a] & 2) {
            for (int e = lid; e < in[40]; e += 4) sum += in[e];
        } else {
            for (int e = lid; e < in[60]; e += 4) sum ^= in[e];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        total += sum;
    }
    int expected = 0;
    for (int e = lid; e < in[40]; e += 4) expected += 4 * in[e];
    int other = 0;
    for (int e = lid; e < in[60]; e += 4) other ^= in[e];
    out[get_global_id(0)] = total == expected + 4 * other;
}
