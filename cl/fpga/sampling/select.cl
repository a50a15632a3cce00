// sampling/select.cl (pipelines): the live vertices or edges of smallest (priority, position) by threshold (layout:
// cl/sampling/select.cl).
//
// per cycle   one vertex or one slot: its Philox block (ten rounds in a pipeline) and what becomes of it
// count       the histogram is on chip, in HISTOGRAMS copies used in turn: adding to a bin takes a few cycles, and no
//             copy is used again before it is done (ivdep safelen). The host's own constant rules out windows of more
//             than LOCAL_BINS bins (clgraph/sampling/select.py: BINS)
// list        one pass in ascending order, since it takes only a counter in a register
//
// bound by    the clock: n cycles per pass, or as many as there are slots; 4 bytes per slot are read

#include "fpga/pipeline.h"
#include "keyed.h"
#include "sampling/copra.h"
#include "fpga/rows.h"

#define LOCAL_BINS 16384
#define IN_TURNS PRAGMA(ivdep array(counts) safelen(HISTOGRAMS))

static inline int is_chosen(ulong t, OFFSET position, ulong cutoff, OFFSET cutoff_position)
{
    return t < cutoff || (t == cutoff && position <= cutoff_position);
}

#define BIN_OF(t, low, shift) ((t) >= (low) ? min(((t) - (low)) >> (shift), (ulong)LOCAL_BINS) : (ulong)LOCAL_BINS)

static inline void bins_clear(__local int *bins)
{
    for (int i = 0; i < HISTOGRAMS * (LOCAL_BINS + 1); i++)
        bins[i] = 0;
}

static inline void bins_add(const int count, __local const int *bins, __global int *histogram)
{
    FOR_EACH(i, min(count, LOCAL_BINS)) {
        int sum = 0;
        #pragma unroll
        for (int k = 0; k < HISTOGRAMS; k++)
            sum += bins[k * (LOCAL_BINS + 1) + i];
        histogram[i] += sum;
    }
}

PIPELINE void select_count_vertices(const int n, const ulong seed, __global const OFFSET *restrict v_start,
                                    const ulong low, const int shift, const int bins, __global int *restrict histogram)
{
    __local int counts[HISTOGRAMS * (LOCAL_BINS + 1)];
    bins_clear(counts);
    IN_TURNS for (int v = 0, turn = 0; v < n; v++, turn = turn + 1 == HISTOGRAMS ? 0 : turn + 1) {
        const ulong bin = v_start[v] == REMOVED ? (ulong)LOCAL_BINS : BIN_OF(vertex_priority(seed, v), low, shift);
        counts[turn * (LOCAL_BINS + 1) + (int)bin]++;   // what falls into no bin is counted after the last one
    }
    bins_add(bins, counts, histogram);
}

// for (each slot of a live vertex's block): v, s, u; HINT: what the compiler is told about the iterations
#define FOR_SLOTS(HINT)                                                                                \
    FOR_BLOCKS(base, n, many) {                                                                        \
        FOR_EACH(i, many) {                                                                            \
            const OFFSET b = v_start[base + i];                                                        \
            SET_BOUNDS(bounds, i, b == REMOVED ? 0 : b, b == REMOVED ? 0 : v_end[base + i]);           \
        }                                                                                              \
        HINT FOR_ARCS(w, bounds, many)                                                                 \

// Each live edge once: at the slot in its smaller end's block. The rank among copies includes dead ones: it is the
// arc's rank in the CSR, and carried along with the row.
#define EDGE_OF_SLOT                                                                                   \
    const int v = base + w.row;                                                                        \
    const OFFSET s = w.p, p = s - 2 * ((OFFSET)v + 1);                                                 \
    const int u = w.count ? col_idx[p] : -1, live = w.count && edges[s] > v;                           \
    copy = w.count && !w.first && u == before ? copy + 1 : 0;                                          \
    before = u;                                                                                        \
    const ulong t = edge_priority(seed, v, u, copy);

PIPELINE void select_count_edges(const int n, const ulong seed, __global const OFFSET *restrict v_start,
                                 __global const OFFSET *restrict v_end, __global const int *restrict edges,
                                 __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                 const ulong low, const int shift, const int bins, __global int *restrict histogram)
{
    __local int counts[HISTOGRAMS * (LOCAL_BINS + 1)];
    Bounds bounds;
    int before = -1, turn = 0;
    uint copy = 0;
    bins_clear(counts);
    FOR_SLOTS(IN_TURNS) {
            EDGE_OF_SLOT
            const ulong bin = live ? BIN_OF(t, low, shift) : (ulong)LOCAL_BINS;
            counts[turn * (LOCAL_BINS + 1) + (int)bin]++;
            turn = turn + 1 == HISTOGRAMS ? 0 : turn + 1;
        }
    }
    bins_add(bins, counts, histogram);
}

PIPELINE void select_collect_vertices(const int n, const ulong seed, __global const OFFSET *restrict v_start,
                                      const ulong low, const ulong width, const int capacity,
                                      __global int *restrict count, __global ulong *restrict priority,
                                      __global OFFSET *restrict position)
{
    int found = count[0];
    FOR_EACH(v, n) {
        const ulong t = vertex_priority(seed, v);
        if (v_start[v] != REMOVED && t >= low && t - low < width) {
            if (found < capacity) {
                priority[found] = t;
                position[found] = v;
            }
            found++;
        }
    }
    count[0] = found;
}

PIPELINE void select_collect_edges(const int n, const ulong seed, __global const OFFSET *restrict v_start,
                                   __global const OFFSET *restrict v_end, __global const int *restrict edges,
                                   __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                   const ulong low, const ulong width, const int capacity,
                                   __global int *restrict count, __global ulong *restrict priority,
                                   __global OFFSET *restrict position)
{
    Bounds bounds;
    int before = -1, found = count[0];
    uint copy = 0;
    FOR_SLOTS() {
            EDGE_OF_SLOT
            if (live && t >= low && t - low < width) {
                if (found < capacity) {
                    priority[found] = t;
                    position[found] = s;
                }
                found++;
            }
        }
    }
    count[0] = found;
}

PIPELINE void select_list_vertices(const int n, const ulong seed, __global const OFFSET *restrict v_start,
                                   const ulong cutoff, const OFFSET cutoff_position,
                                   __global int *restrict count, __global int *restrict list)
{
    int found = count[0];
    FOR_EACH(v, n)
        if (v_start[v] != REMOVED && is_chosen(vertex_priority(seed, v), v, cutoff, cutoff_position))
            list[found++] = v;
    count[0] = found;
}

PIPELINE void select_list_edges(const int n, const ulong seed, __global const OFFSET *restrict v_start,
                                __global const OFFSET *restrict v_end, __global const int *restrict edges,
                                __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                                const ulong cutoff, const OFFSET cutoff_position,
                                __global int *restrict count, __global int *restrict owners,
                                __global OFFSET *restrict list)
{
    Bounds bounds;
    int before = -1, found = count[0];
    uint copy = 0;
    FOR_SLOTS() {
            EDGE_OF_SLOT
            if (live && is_chosen(t, s, cutoff, cutoff_position)) {
                owners[found] = v;
                list[found++] = s;
            }
        }
    }
    count[0] = found;
}
