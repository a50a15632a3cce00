// ranking/fixed_leaving.cl: what the iterations of ranking/fixed.cl want of a graph, made once.
//
// out double[n]      W(u), the weight that leaves u        inverse double[n]  1 / W(u), 0 where nothing leaves
// dangling uchar[n]  1 where nothing leaves                place int[n]       the place of each vertex if they are
//                                                                             sorted by W: on GPUs
// launch             padded ranges, ITEMS each
// tunables           ITEMS

__kernel void fixed_inverse(const int n, __global const double *restrict out, __global double *restrict inverse,
                            __global uchar *restrict dangling)
{
    FOR_ITEMS(v, n) {
        inverse[v] = out[v] > 0 ? 1.0 / out[v] : 0.0;
        dangling[v] = !(out[v] > 0);
    }
}

// The more leaves a vertex, the smaller its key: what is gathered most often lies together.
__kernel void fixed_keys(const int n, __global const double *restrict out, __global uint *restrict key)
{
    FOR_ITEMS(v, n)
        key[v] = 0x7F80u - (as_uint((float)out[v]) >> 16);
}

// order: the vertices in that order; place: where each one is in it.
__kernel void fixed_places(const int n, __global const int *restrict order, __global int *restrict place)
{
    FOR_ITEMS(i, n)
        place[order[i]] = i;
}

__kernel void fixed_heads(const long entries, __global const int *restrict place, __global const int *restrict col_idx,
                          __global int *restrict placed)
{
    FOR_ITEMS_LONG(e, entries)
        placed[e] = place[col_idx[e]];
}

// w(u,v) / W(u), once an arc; the weights of arcs, or how many each one counts for. bad: 1 if a weight is no number that is
// finite and not negative.
__kernel void fixed_shares(const long entries, __global const int *restrict col_idx,
                           __global const double *restrict weights, __global const int *restrict counts,
                           __global const double *restrict out, __global double *restrict shares,
                           __global int *restrict bad)
{
    FOR_ITEMS_LONG(e, entries) {
        const double weight = weights ? weights[e] : (double)counts[e];
        if (!(weight >= 0 && weight < INFINITY))
            atomic_or(bad, 1);
        shares[e] = out[col_idx[e]] > 0 ? weight / out[col_idx[e]] : 0.0;
    }
}
