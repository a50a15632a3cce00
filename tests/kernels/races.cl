// races.cl: test data for the Oclgrind harness: one kernel that is right and three with a planted fault each.

// the maximum of all indices, by a loop of SHARED_LOAD and atomic_cmpxchg; a stale load costs one more turn
__kernel void shared_word(__global int *word, int n)
{
    FOR_ITEMS(v, n) {
        int seen = SHARED_LOAD(&word[0]);
        while (v > seen) {
            int before = atomic_cmpxchg(&word[0], seen, v);
            if (before == seen) break;
            seen = before;
        }
        SHARED_STORE(&word[1], 1); // everyone stores the same: no race only because it is an atomic here
    }
}

__kernel void planted_race(__global int *word, int n)
{
    FOR_ITEMS(v, n) word[0] = v;
}

__kernel void planted_overrun(__global int *out, __global const int *in, int n)
{
    FOR_ITEMS(v, n) out[v] = in[v + 1];
}

__kernel void planted_uninitialised(__global int *out, __global const int *in, int n)
{
    FOR_ITEMS(v, n) {
        if (in[v] > 3) out[v] = 1;
    }
}
