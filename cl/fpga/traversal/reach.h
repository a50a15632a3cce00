// reach.h: breadth-first pipelines: state (layout: cl/traversal/search.h), and how an arc reaches a vertex.
//
// What cl/traversal/search.h decides when a program is built is decided here by the arguments: `predecessor` is NULL if
// no predecessors are wanted, `owner` if no owners are, and `frontier` except for Algorithm 5.
// Row lengths do not matter to a pipeline: there are no pieces of long rows (state LONGS stays 0).

#include "fpga/recent.h"

#define NONE 0xffffffffu
#define AT_LEVEL 0
#define AT_FOUND 1
#define SLOT(level) (4 + 8 * ((level) % 3u))
#define COUNT 0
#define ARCS 2
#define PLACE 4
#define STATE_SIZE 28

static inline void clear_slot(__global uint *state, const uint level)
{
    #pragma unroll
    for (uint k = 0; k < 8; k++)
        state[SLOT(level) + k] = 0;
}

static inline uint units_of(const OFFSET degree, const uint shift)
{
    return (uint)(((ulong)degree + ((1ul << shift) - 1)) >> shift);
}

typedef struct {
    Recent predecessors, owners;   // of the vertices that the last iterations reached
} Reached;

// The arc u -> v at level `next` - 1 (v < 0: none); u's owner is `mine`. Returns whether it is the first to reach v.
static inline int reach(const int u, const uint mine, const int v, const uint next, __global uint *distance,
                        __global uint *predecessor, __global uint *owner, Reached *reached)
{
    const int here = v >= 0 && recent_has(&reached->predecessors, v);
    const uint d = v < 0 ? 0 : here ? next : distance[v];
    const int valid = d >= next;
    uint before = NONE, own = NONE;
    if (valid) {
        if (d == NONE)
            distance[v] = next;
        if (predecessor) {
            before = recent_value(&reached->predecessors, v, predecessor[v]);
            if ((uint)u < before)
                predecessor[v] = u;
        }
        if (owner) {
            own = recent_value(&reached->owners, v, owner[v]);
            if (mine < own)
                owner[v] = mine;
        }
    }
    recent_set(&reached->predecessors, valid ? v : -1, min(before, (uint)u));
    if (owner)
        recent_set(&reached->owners, valid ? v : -1, min(own, mine));
    return d == NONE;
}

// All arcs of `count` vertices of a queue. Returns how many vertices were found; their arcs are added to `units`.
static inline uint push_level(const uint count, const uint next, const uint shift,
                              __global const OFFSET *row_ptr, __global const int *col_idx,
                              __global const uint *queue, __global uint *next_queue, __global uint *distance,
                              __global uint *predecessor, __global uint *owner, ulong *units,
                              ulong *arcs)
{
    Bounds bounds;
    int vertex[ROW_BLOCK];
    uint owners[ROW_BLOCK], found = 0;
    Reached reached;
    reached.predecessors = recent_none();
    reached.owners = recent_none();
    FOR_BLOCKS(base, count, many) {
        FOR_EACH(i, many) {
            const int u = queue[base + i];
            vertex[i] = u;
            owners[i] = owner ? owner[u] : NONE;
            SET_BOUNDS(bounds, i, row_ptr[u], row_ptr[u + 1]);
        }
        #pragma ivdep safelen(HAZARD)
        FOR_ARCS(w, bounds, many) {
            const int v = w.count ? col_idx[w.p] : -1;
            if (reach(vertex[w.row], owners[w.row], v, next, distance, predecessor, owner, &reached)) {
                const OFFSET degree = row_ptr[v + 1] - row_ptr[v];
                next_queue[found++] = v;
                *units += units_of(degree, shift);
                *arcs += (ulong)degree;
            }
        }
    }
    return found;
}

// One level by pulling: the rows of vertices that are not yet reached stream in, and their first neighbour in the
// frontier is found. A word of a bitmap is 32 vertices; UNROLL divides that.
#define BIT(word, v) ((word) >> ((v) & 31) & 1u)
#define PULL                                                                                                     \
    Bounds bounds;                                                                                               \
    uint words[ROW_BLOCK / 32], found = 0;                                                                       \
    uint now = 0, best = NONE, first = NONE   /* of the word, the row */

// The rows from .. ended - 1 and, if `cut`, the beginning of the next one, as far as their arcs are in low .. high - 1.
// HIT(p): whether the head of arc p is in the frontier. A row, or word, that is cut continues in the next call.
// ivdep: each row writes its own words; the vertices of one word are consecutive, and the word is written once.
#define PULL_ROWS(from, ended, cut, low, high, HIT)                                                              \
    FOR_BLOCKS(base, (ended) + (cut) - ((from) & ~31), many) {                                                   \
        const int row_ = (int)(((from) & ~31) + base);                                                           \
        for (int i = 0; i < many; i += UNROLL) {                                                                 \
            const uint word = visited[(row_ + i) >> 5];                                                          \
            words[i >> 5] = word;                                                                                \
            EACH_WORD(k) {                                                                                       \
                const int v = row_ + i + k, open = i + k < many && !BIT(word, v);                                \
                SET_BOUNDS(bounds, i + k, open ? max(row_ptr[v], (OFFSET)(low)) : 0,                             \
                           open ? min(row_ptr[v + 1], (OFFSET)(high)) : 0);                                      \
            }                                                                                                    \
        }                                                                                                        \
        _Pragma("ivdep") FOR_BURSTS(w, bounds, many) {                                                           \
            const int v = row_ + w.row;                                                                          \
            _Pragma("unroll") for (int k = UNROLL - 1; k >= 0; k--) {                                            \
                if (k < w.count && HIT(w.p + k)) {                                                               \
                    const uint u = col_idx[w.p + k];                                                             \
                    if (owner)                                                                                   \
                        best = min(best, owner[u]);   /* u is of an earlier level: its owner is final */         \
                    first = min(first, u);                                                                       \
                }                                                                                                \
            }                                                                                                    \
            if (EARLY_OUT && first != NONE && !owner)                                                            \
                w.last = 1;                                                                                      \
            if (w.last && v >= (from) && v < (ended)) {                                                          \
                if (first != NONE) {                                                                             \
                    distance[v] = level + 1;                                                                     \
                    if (predecessor)                                                                             \
                        predecessor[v] = first;                                                                  \
                    if (owner)                                                                                   \
                        owner[v] = best;                                                                         \
                    now |= 1u << (v & 31);                                                                       \
                    found++;                                                                                     \
                }                                                                                                \
                if ((v & 31) == 31 || v + 1 == n) {                                                              \
                    next[v >> 5] = now;                                                                          \
                    visited[v >> 5] = words[w.row >> 5] | now;                                                   \
                    now = 0;                                                                                     \
                }                                                                                                \
                first = best = NONE;                                                                             \
            }                                                                                                    \
        }                                                                                                        \
    }
