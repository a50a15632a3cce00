// traversal/search.h: what the breadth-first kernels share: layout of the state, how an arc reaches a vertex.
//
// distance      uint[n]   hops from the nearest source; NONE (as int: -1) while not reached
// predecessor   uint[n]   smallest vertex one level up with an arc here; NONE at sources and while not reached
// owner         uint[n]   with -DOWNER: the nearest source, of several the smallest
// queue         uint[n]   the frontier's vertices in any order
// longs         uint[2 *] pieces of the frontier's long rows: (vertex, number of the piece)
// state         uint[]    see below; the host reads it once per level
//
// Three slots of counters take turns: a level reads its own, adds to the next one's, and clears the third, so
// that no launch is spent on clearing. Results depend only on the graph: the order inside queues may differ from run to
// run, but a vertex's predecessor and owner are minima.

#ifndef LONG_ROW       // rows of more arcs than this are pushed in pieces
#define LONG_ROW 512
#endif
#ifndef LONG_PIECE     // arcs in a piece
#define LONG_PIECE 2048
#endif

#define NONE 0xffffffffu

// state[]: what a fused launch reports, then the three slots
#define AT_LEVEL 0
#define AT_FOUND 1
#define SLOT(level) (4 + 8 * ((level) % 3u))
#define COUNT 0        // vertices in the frontier
#define LONGS 1        // pieces of long rows
#define ARCS 2         // arcs that leave the frontier, in units of 2^shift
#define REST 3         // rows that a pull step left unfinished
#define PLACE 4        // positions in the queue handed out by bfs_collect
#define STATE_SIZE 28

void clear_slot(__global uint *state, const uint level)
{
    for (uint k = 0; k < 8; k++)
        state[SLOT(level) + k] = 0;
}

// The arc u -> v at level `next` - 1. True for the one work-item that is the first to reach v.
inline int reach(const uint u, const uint v, const uint next, volatile __global uint *distance,
                 volatile __global uint *predecessor, volatile __global uint *owner)
{
    // stale values are harmless: an old NONE only leads to the atomics below, which decide
    const uint d = SHARED_LOAD(&distance[v]);
    if (d < next)
        return 0;
#ifdef OWNER
    const uint mine = SHARED_LOAD(&owner[u]);   // final: u was reached in an earlier launch or before a barrier
    if (SHARED_LOAD(&owner[v]) > mine)
        atomic_min(&owner[v], mine);
#endif
#ifdef PREDECESSOR
    if (SHARED_LOAD(&predecessor[v]) <= u || atomic_min(&predecessor[v], u) != NONE)
        return 0;
    SHARED_STORE(&distance[v], next);
    return 1;
#else
    return d == NONE && atomic_cmpxchg(&distance[v], NONE, next) == NONE;
#endif
}

// A vertex has joined the frontier of `level`: list its row if it is long; returns its arcs in units of 2^shift.
inline uint announce(const uint v, const uint level, const uint shift, __global const OFFSET *row_ptr,
                     __global uint *longs, volatile __global uint *state)
{
    const OFFSET degree = row_ptr[v + 1] - row_ptr[v];
    if (degree > LONG_ROW) {
        const uint pieces = (uint)((degree + LONG_PIECE - 1) / LONG_PIECE);
        const uint place = atomic_add(&state[SLOT(level) + LONGS], pieces);
        for (uint k = 0; k < pieces; k++) {
            longs[2 * (size_t)(place + k)] = v;
            longs[2 * (size_t)(place + k) + 1] = k;
        }
    }
    return (uint)(((ulong)degree + ((1ul << shift) - 1)) >> shift);
}
