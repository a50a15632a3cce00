// sampling/exact.cl (pipelines): keyed thresholds of drv and dre (layout: cl/sampling/exact.cl).
//
// keys        one Philox block per cycle (ten rounds, unrolled into a pipeline), vertex by vertex or arc by arc
// mask        the start of a probe: UNROLL vertices per cycle, three streams read and one written; the rest is done by
//             components/finder.cl
// collect     one vertex or arc per cycle; live: UNROLL arcs of a row per cycle
//
// bound by    keys: the clock (a key per cycle); mask and live: the streams, 16 bytes per vertex, 5 bytes per arc
// HAS_COPIES  is not used: the rank among parallel copies is carried along with the row at no cost

#include "fpga/pipeline.h"
#include "keyed.h"
#include "sampling/copra.h"
#include "fpga/rows.h"

#define TOP 0xFFFFFFFFu

static inline uint key_of(ulong priority)
{
    return clamp((uint)(priority >> 32), 1u, TOP - 1u);
}

PIPELINE void exact_vertex_keys(const int n, const ulong seed, __global uint *restrict key)
{
    FOR_EACH(v, n)
        key[v] = key_of(vertex_priority(seed, v));
}

PIPELINE void exact_edge_keys(const int n, const ulong seed, __global const OFFSET *restrict row_ptr,
                              __global const int *restrict col_idx, __global uint *restrict key)
{
    Bounds bounds;
    int before = -1;
    uint copy = 0;
    FOR_BLOCKS(base, n, many) {
        FOR_EACH(i, many)
            SET_BOUNDS(bounds, i, row_ptr[base + i], row_ptr[base + i + 1]);
        FOR_ARCS(w, bounds, many) {
            if (w.count) {
                const int v = base + w.row, u = col_idx[w.p];
                copy = !w.first && u == before ? copy + 1 : 0;
                before = u;
                key[w.p] = key_of(edge_priority(seed, min(u, v), max(u, v), copy));
            }
        }
    }
}

PIPELINE void exact_mask(const int n, __global const int *restrict inside, const int root,
                         __global const uint *restrict key, const uint threshold, __global const int *restrict known,
                         const int begun, __global int *restrict label)
{
    FOR_STREAM(v, n) {
        const int there = inside[v] == root && (threshold == 0 || key[v] >= threshold);
        const int own = begun && known[v] >= 0 ? known[v] : v;
        label[v] = there ? own : -1;
    }
}

PIPELINE void exact_revive(const int count, __global const int *restrict list, __global int *restrict label)
{
    #pragma ivdep
    FOR_EACH(i, count)
        label[list[i]] = list[i];
}

PIPELINE void exact_set_keys(const int count, __global const OFFSET *restrict arcs,
                             __global const uint *restrict keys, __global uint *restrict key)
{
    #pragma ivdep
    FOR_EACH(i, count)
        key[arcs[i]] = keys[i];
}

PIPELINE void exact_gather(const int count, __global const int *restrict places, __global const int *restrict values,
                           __global int *restrict out)
{
    FOR_EACH(i, count)
        out[i] = values[places[i]];
}

PIPELINE void exact_collect_vertices(const int n, __global const uint *restrict key, const uint low, const uint high,
                                     __global const int *restrict inside, const int root, const int capacity,
                                     __global int *restrict count, __global int *restrict list)
{
    int found = count[0];
    FOR_EACH(v, n)
        if (key[v] >= low && key[v] < high && inside[v] == root) {
            if (found < capacity)
                list[found] = v;
            found++;
        }
    count[0] = found;
}

PIPELINE void exact_collect_edges(const int n, __global const OFFSET *restrict row_ptr,
                                  __global const int *restrict col_idx, __global const uint *restrict key,
                                  const uint low, const uint high, __global const int *restrict inside, const int root,
                                  const int capacity, __global int *restrict count, __global int *restrict tail,
                                  __global OFFSET *restrict arc)
{
    Bounds bounds;
    int found = count[0];
    FOR_BLOCKS(base, n, many) {
        FOR_EACH(i, many) {
            const int there = inside[base + i] == root;
            SET_BOUNDS(bounds, i, there ? row_ptr[base + i] : 0, there ? row_ptr[base + i + 1] : 0);
        }
        FOR_ARCS(w, bounds, many) {
            const int v = base + w.row;
            if (w.count && key[w.p] >= low && key[w.p] < high && col_idx[w.p] > v) {
                if (found < capacity) {
                    tail[found] = v;
                    arc[found] = w.p;
                }
                found++;
            }
        }
    }
    count[0] = found;
}

PIPELINE void exact_live_arcs(const int n, __global const OFFSET *restrict row_ptr, __global const uint *restrict key,
                              const uint threshold, __global const int *restrict label, const int root,
                              __global uchar *restrict live)
{
    Bounds bounds;
    int there[ROW_BLOCK];
    FOR_BLOCKS(base, n, many) {
        FOR_EACH(i, many) {
            there[i] = label[base + i] == root;
            SET_BOUNDS(bounds, i, row_ptr[base + i], row_ptr[base + i + 1]);
        }
        FOR_BURSTS(w, bounds, many) {
            EACH_WORD(k)
                if (k < w.count)
                    live[w.p + k] = there[w.row] && key[w.p + k] >= threshold;
        }
    }
}
