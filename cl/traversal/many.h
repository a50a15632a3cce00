// traversal/many.h: layout and common parts of the kernels for many searches at once (traversal/many*.cl).
//
// seen          BITS[n]    which searches have reached the vertex
// front, next   BITS[n]    which searches have it in their frontier, and in the next one
// planes        BITS[P n]  plane b holds bit b of the distances, for all searches: the searches that reach a vertex in
//                          level L, however many, are or-ed into the planes of the bits that L has set;
//                          traversal/many_expand.cl turns the planes into distances at the end
// stamp         uint[n]    the last level in which a push put the vertex into a queue, plus 1
// queue         uint[n]    vertices with a bit in `front`, in any order (while the frontier is small)
//               (n here: the vertices with a row, where they are numbered by degree, traversal/renumber.cl)
// state         uint[]     COUNT of the frontier, ACTIVE: which searches have one (two words)

#ifndef LANES
#define LANES 64
#endif
#ifndef MANY_ITEMS
#define MANY_ITEMS 16
#endif
#ifndef PARTS
#define PARTS 4
#endif
#ifndef MANY_COUNT
#define MANY_COUNT 2048
#endif
#ifndef WIDE_ROW
#define WIDE_ROW 256
#endif

#if LANES == 64
#define BITS ulong
#define HALVES 2
#else
#define BITS uint
#define HALVES 1
#endif

// state[]: as in traversal/search.h, three slots take turns, each cleared one level ahead
#define AT_LEVEL 0
#define SLOT(level) (4 + 8 * ((level) % 3u))
#define COUNT 0
#define ACTIVE 1       // and 2
#define REST 3         // long rows that bfs_many_pull left
#define PLACE 4        // positions in the queue handed out by bfs_many_collect
#define ARCS 5         // arcs that leave the frontier, about
#define STATE_SIZE 28

#ifndef MANY_ARCS      // the fused kernel leaves a frontier with more arcs
#define MANY_ARCS 32768
#endif

void clear_many(volatile __global uint *state, const uint level)
{
    for (uint k = 0; k < 8; k++)
        state[SLOT(level) + k] = 0;
}

inline BITS active_in(volatile __global uint *state, const uint level)
{
#if LANES == 64
    return (ulong)state[SLOT(level) + ACTIVE] | (ulong)state[SLOT(level) + ACTIVE + 1] << 32;
#else
    return state[SLOT(level) + ACTIVE];
#endif
}

// 32-bit atomics on the words of a BITS: the baseline has no 64-bit ones
inline void or_into(volatile __global uint *words, const BITS bits)
{
    if ((uint)bits & ~SHARED_LOAD(&words[0]))   // a stale word can only lack bits: then the atomic is superfluous
        atomic_or(&words[0], (uint)bits);
#if LANES == 64
    if ((uint)(bits >> 32) & ~SHARED_LOAD(&words[1]))
        atomic_or(&words[1], (uint)(bits >> 32));
#endif
}

// The same for a vertex's bits, which are aligned: in one go where the device has 64-bit atomics.
inline void or_bits(volatile __global BITS *place, const BITS bits)
{
#if LANES == 64 && defined(HAVE_INT64_ATOMICS) && !defined(CHECK_RACES)
    if (bits & ~*place)   // stale bits can only be missing: then the atomic is superfluous
        atom_or(place, bits);
#else
    or_into((volatile __global uint *)place, bits);
#endif
}

// What came in at v becomes its frontier of `level` + 1; returns it.
inline BITS settle(const uint v, const int n, const uint level, const BITS fresh, __global BITS *seen,
                   __global BITS *planes)
{
    seen[v] |= fresh;
    for (uint b = 0; (level + 1) >> b; b++)
        if ((level + 1) >> b & 1)
            planes[(size_t)b * n + v] |= fresh;
    return fresh;
}

// Counts arcs of the frontier of `level`, for choosing how to go on. It stops before the counter would overflow.
inline void add_arcs(const ulong arcs, const uint level, volatile __global uint *state)
{
    if (arcs && SHARED_LOAD(&state[SLOT(level) + ARCS]) < 1u << 30)   // stale: slightly more is added
        atomic_add(&state[SLOT(level) + ARCS], (uint)min(arcs, (ulong)(1u << 20)));
}

// for (each vertex v < n of this work-item), where rows differ much in length, as in a pull. On CPUs runs of 64
// vertices are dealt round robin and in scrambled order, because a driver may give a thread hundreds of consecutive
// work-items, and vertices may be numbered by degree. The multiplier is a prime above any number of work-items, so that
// each run is dealt exactly once.
#ifdef TEAM
#define FOR_ROWS(v, n) FOR_ITEMS(v, n)
#else
#define FIRST_RUN ((long)((ulong)get_global_id(0) * 2654435761ul % get_global_size(0)) * 64)
#define FOR_ROWS(v, n) \
    for (long v##_run = FIRST_RUN; v##_run < (n); v##_run += (long)get_global_size(0) * 64) \
        for (int v = (int)v##_run; v < min(v##_run + 64, (long)(n)); v++)
#endif

#define MANY_ARGUMENTS \
    const int n, const uint level, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx, \
    __global BITS *seen, __global BITS *front, __global BITS *next, volatile __global uint *stamp, \
    __global uint *queue, __global uint *next_queue, __global BITS *restrict planes, volatile __global uint *state
