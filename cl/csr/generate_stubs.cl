// csr/generate_stubs.cl: the configuration model: every vertex has as many stubs as its degree, and stubs are joined in
// a random order, two and two.
//
// The random order is that of Fisher and Yates's shuffle: for i = 0, 1, ... exchange place i and place aim[i] >= i. All
// exchanges are tried at once, in rounds (Shun, Gu, Blelloch, Fineman, Gibbons, SODA 2015): each claims its two places,
// the smallest number wins a place, and who wins both is done. The result is that of the loop.
//
// degree int[n], offset long[n + 1]    stubs of vertex v: offset[v] .. offset[v + 1] - 1
// value, aim, claim int[count]         what is shuffled; claim is INT_MAX where nobody wants the place
// state uchar[count]                   0: to be done, 1: in this round, 2: done
// launch     padded range, ITEMS consecutive items per work-item

#include "keyed.h"

// thresholds ulong[classes - 1]: a vertex has degree least + c, c being the number of thresholds up to its number.
__kernel void stubs_degrees(const int n, const ulong seed, const int least, const int classes,
                            __global const ulong *restrict thresholds, __global int *restrict degree)
{
    FOR_ITEMS(v, n) {
        const ulong number = keyed_a(keyed_words(seed, (uint)v, 0, 1, TAG_MODEL));
        int low = 0, high = classes - 1;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (thresholds[middle] <= number)
                low = middle + 1;
            else
                high = middle;
        }
        degree[v] = least + low;
    }
}

// Where the sum of degrees is odd, vertex 0 gets one more, or one less if it has the most.
__kernel void stubs_even(const int most, __global int *restrict degree)
{
    if (get_global_id(0) == 0)
        degree[0] += degree[0] < most ? 1 : -1;
}

// begin: where the stubs begin in value.
__kernel void stubs_fill(const int n, const long begin, __global const long *restrict offset,
                         __global int *restrict value)
{
    FOR_ITEMS(v, n)
        for (long i = offset[v]; i < offset[v + 1]; i++)
            value[begin + i] = v;
}

// Aims for a shuffle of the places begin .. end - 1 among themselves.
__kernel void shuffle_aim(const int begin, const int end, const ulong seed, __global int *restrict aim)
{
    FOR_ITEMS(j, end - begin) {
        const int i = begin + j;
        const ulong number = keyed_a(keyed_words(seed, (uint)i, 0, 2, TAG_MODEL));
        aim[i] = i + (int)keyed_below(number, (uint)(end - i));
    }
}

__kernel void shuffle_claim(const int count, __global const int *restrict aim, __global const uchar *restrict state,
                            __global int *restrict claim)
{
    FOR_ITEMS(i, count)
        if (state[i] != 2) {
            atomic_min(&claim[i], i);
            atomic_min(&claim[aim[i]], i);
        }
}

__kernel void shuffle_judge(const int count, __global const int *restrict aim, __global const int *restrict claim,
                            __global uchar *restrict state, __global int *restrict left)
{
    int more = 0;
    FOR_ITEMS(i, count)
        if (state[i] != 2) {
            state[i] = claim[i] == i && claim[aim[i]] == i;
            more += !state[i];
        }
    if (more)
        atomic_add(left, more);
}

__kernel void shuffle_swap(const int count, __global const int *restrict aim, __global uchar *restrict state,
                           __global int *restrict claim, __global int *restrict value)
{
    FOR_ITEMS(i, count)
        if (state[i] == 1) {
            const int j = aim[i], kept = value[i];
            value[i] = value[j];
            value[j] = kept;
            claim[i] = claim[j] = INT_MAX;
            state[i] = 2;
        }
}

// Edge e joins the places 2 e and 2 e + 1; a place without a stub (-1) makes it void, a loop at -1.
__kernel void stubs_join(const int edges, __global const int *restrict value, __global int *restrict tail,
                         __global int *restrict head)
{
    FOR_ITEMS(e, edges) {
        const int u = value[2 * (long)e], v = value[2 * (long)e + 1];
        const bool both = u >= 0 && v >= 0;
        tail[e] = both ? u : -1;
        head[e] = both ? v : -1;
    }
}
