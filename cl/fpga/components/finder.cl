// components/finder.cl (pipelines): connected components by hooking and compressing in rounds (Shiloach, Vishkin 1982),
// skipping the giant as in Afforest (layout and order of kernels: cl/components/finder.cl).
//
// A pipeline has a hundred iterations in flight, which read labels as they were a hundred iterations ago. So nothing
// relies on a fresh label: a round looks at all arcs outside the giant, one per cycle, and hooks the larger of two
// roots onto the smaller by a plain store; compressing makes all labels roots again; the rounds end when no arc joins
// two labels. If two hooks of one root collide, one may be overwritten: its arc is found again in the next round.
// Labels only fall and at least one root disappears in each round, so the rounds end; the final label is the smallest
// vertex of the component, whatever the order was.
//
// per cycle   init: UNROLL vertices; compress, link: LANES vertices; start: one vertex to find its row, then one of its
//             first START_SLOTS arcs; rest: one vertex to find the rows outside the giant, then one of their arcs
// bound by    random reads of labels: one per arc in rest (two more where labels differ), one per vertex in compress
// ivdep       stale labels are harmless everywhere, as explained; a label never changes between -1 and other values
//
// MASKED      always: the host fills `label` beforehand (vertices not at -1 are present); v_end NULL: a plain CSR,
//             whose v_start is row_ptr. components_long has no pipeline: long rows need no special treatment here

#include "fpga/pipeline.h"
#include "fpga/rows.h"

#define GIANT 0
#ifndef SAMPLES
#define SAMPLES 256   // the simulator gets fewer: their pairs are compared
#endif
#define START_SLOTS 4

#define ROWS __global const OFFSET *restrict v_start, __global const OFFSET *restrict v_end, \
             __global const int *restrict edges
#ifdef ARC_KEY
#define ARC_ARGS , __global const ARC_KEY *restrict arc_key, const ARC_KEY threshold, const ARC_KEY newest
#define ARC_THERE(e) (arc_key[e] >= threshold && arc_key[e] <= newest)
#else
#define ARC_ARGS
#define ARC_THERE(e) 1
#endif
#define END_OF(v) (v_end ? v_end[v] : v_start[(v) + 1])

PIPELINE void components_init(const int n, __global const OFFSET *restrict v_start, __global int *restrict label)
{
    FOR_STREAM(v, n)
        label[v] = label[v] >= 0 && v_start[v] >= 0 ? v : -1;
}

// Hook v onto the smallest of its first neighbours, if that is smaller, and note another one in `next`.
PIPELINE void components_start(const int n, ROWS, __global int *restrict label, __global int *restrict next ARC_ARGS)
{
    Bounds bounds;
    FOR_BLOCKS(base, n, many) {
        FOR_EACH(i, many) {
            const int v = base + i, there = label[v] >= 0;
            const OFFSET b = there ? v_start[v] : 0, e = there ? END_OF(v) : 0;
            SET_BOUNDS(bounds, i, b, e - b > START_SLOTS ? b + START_SLOTS : e);
        }
        int parent = 0, above = 0, other = 0;
        #pragma ivdep
        FOR_ARCS(w, bounds, many) {
            const int v = base + w.row;
            if (w.first) {
                parent = above = other = v;
            }
            const int u = w.count ? edges[w.p] : -1;
            const int its = u >= 0 && ARC_THERE(w.p) ? label[u] : -1;
            if (its >= 0) {
                if (u < parent) {
                    other = parent == v ? other : parent;
                    parent = u;
                    above = its;
                } else {
                    other = u;
                }
            }
            if (w.last) {
                next[v] = other;
                if (parent != v)
                    label[v] = above;
            }
        }
    }
}

// Hook the larger of two labels onto the smaller one if it appears to be a root.
static inline int hook(__global int *label, const int a, const int b)
{
    const int high = max(a, b), low = min(a, b);
    if (low >= 0 && high != low && label[high] == high) {
        label[high] = low;
        return 1;
    }
    return 0;
}

PIPELINE void components_link(const int n, __global const int *restrict next, __global int *restrict label)
{
    #pragma ivdep
    FOR_LANES(v, n)
        hook(label, label[v], label[next[v]]);
}

static inline void compress(const int n, __global int *label)
{
    int changed;
    do {
        changed = 0;
        #pragma ivdep
        FOR_LANES(v, n) {
            const int parent = label[v];
            if (parent >= 0) {
                const int above = label[parent];
                if (above != parent) {
                    label[v] = above;
                    changed = 1;
                }
            }
        }
    } while (changed);
}

PIPELINE void components_compress(const int n, __global int *restrict label)
{
    compress(n, label);
}

PIPELINE void components_finish(const int n, __global int *restrict label, __global const int *restrict state)
{
    compress(n, label);
}

// The most frequent root among SAMPLES labels. Only a guess: the result is right whatever it is.
PIPELINE void components_sample(const int n, __global const int *restrict label, __global int *restrict state)
{
    int drawn[SAMPLES], best = 0, giant = -1;
    FOR_EACH(i, SAMPLES) {
        const ulong place = ((ulong)i << 16) + ((uint)i * 40503u & 0xffffu);
        drawn[i] = label[(int)((place * (ulong)n) / ((ulong)SAMPLES << 16))];
    }
    FOR_EACH(i, SAMPLES) {
        int equal = 0;
        #pragma unroll 16
        for (int k = 0; k < SAMPLES; k++)
            equal += drawn[k] == drawn[i];
        if (drawn[i] >= 0 && equal > best) {
            best = equal;
            giant = drawn[i];
        }
    }
    state[GIANT] = giant;
}

// All arcs of the vertices outside the giant (of all vertices if `skip` is 0; with a `vertex_key`, of those with
// vertex_key <= newest_vertex, wherever they are: the others were joined earlier), until none joins two labels.
PIPELINE void components_rest(const int n, ROWS, __global int *restrict label, __global int *restrict state,
                              const int skip, __global const uint *restrict vertex_key, const uint newest_vertex,
                              __global int *restrict queue, const int capacity ARC_ARGS)
{
    Bounds bounds;
    int mine[ROW_BLOCK], differ;
    int giant = skip ? state[GIANT] : -2;
    do {
        differ = 0;
        FOR_BLOCKS(base, n, many) {
            int listed = 0;   // a row that is skipped takes no iteration below
            FOR_EACH(i, many) {
                const int v = base + i, root = label[v];
                if (root >= 0 && (vertex_key ? vertex_key[v] <= newest_vertex : root != giant)) {
                    mine[listed] = root;
                    SET_BOUNDS(bounds, listed, v_start[v], END_OF(v));
                    listed++;
                }
            }
            #pragma ivdep
            FOR_ARCS(w, bounds, listed) {
                const int u = w.count ? edges[w.p] : -1;
                if (u >= 0 && ARC_THERE(w.p)) {
                    const int a = mine[w.row], b = label[u];
                    if (b >= 0 && a != b) {
                        const int above_a = label[a], above_b = label[b];   // may have been hooked in this round
                        differ |= above_a != above_b;
                        hook(label, above_a, above_b);
                    }
                }
            }
        }
        if (differ)
            compress(n, label);
        if (giant >= 0)
            giant = label[giant];
    } while (differ);
}
