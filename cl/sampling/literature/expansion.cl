// sampling/literature/expansion.cl: expansion snowball sampling, xsn (Maiya, Berger-Wolf 2010): to the sample S comes the
// vertex of N(S) with most neighbours outside S and N(S), ties by priority.
//
// A run is a chain: a work-item takes the best vertex from a heap. Gains only fall, so that a vertex whose gain is not
// what the heap believes goes down there when it comes to the top.
//
// rank, by_rank  int[runs * n]: of each vertex by priority, and the vertex of each rank
// state   int[runs * n]: OUTSIDE, NEAR (in N(S)), TAKEN; gain int[runs * n]: neighbours OUTSIDE
// heap, held  int[runs * n]: the heap of the vertices that are NEAR, and the gain that it believes, by vertex
// size, seen, next, tries  int[runs]: of the heap, taken, the next rank to start from, starts so far
// came    ulong[runs * n]: rank of arrival; parent int[runs * n]: by whom a vertex came near, -1 for starts; or NULL
// launch  begin: padded range over vertices, by runs; grow: a run per work-item, `acts` vertices each at most

#include "keyed.h"
#include "sampling/literature/clock.h"

#define OUTSIDE 0
#define NEAR 1
#define TAKEN 2

// no restrict on parameters of functions: Oclgrind does not know what LLVM makes of it

__kernel void expansion_begin(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                              __global const int *restrict rank, __global int *restrict by_rank,
                              __global int *restrict gain)
{
    const long base = (long)get_global_id(1) * n;
    FOR_ITEMS(v, n) {
        int count = 0;
        for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
            count += p == row_ptr[v] || col_idx[p] != col_idx[p - 1];
        gain[base + v] = count;
        by_rank[base + rank[base + v]] = v;
    }
}

#define HEAP __global int *heap, __global const int *held, __global const int *rank
#define SLOTS heap
#define BEFORE(a, b) (held[a] > held[b] || (held[a] == held[b] && rank[a] < rank[b]))
#include "sampling/literature/heap.h"

// v is not OUTSIDE any more.
static inline void cover(int v, __global const OFFSET *row_ptr, __global const int *col_idx, __global int *gain)
{
    for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
        if (p == row_ptr[v] || col_idx[p] != col_idx[p - 1]) gain[col_idx[p]]--;
}

// v comes to the sample, its neighbours come near; returns the size of the heap.
static inline int take(int v, int size, __global const OFFSET *row_ptr, __global const int *col_idx,
                       __global const int *rank, __global int *state, __global int *gain, __global int *heap,
                       __global int *held, __global int *parent)
{
    if (state[v] == OUTSIDE) {
        cover(v, row_ptr, col_idx, gain);
        if (parent) parent[v] = -1;
    }
    state[v] = TAKEN;
    for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
        const int u = col_idx[p];
        if (state[u] == OUTSIDE) {
            state[u] = NEAR;
            if (parent) parent[u] = v;
            cover(u, row_ptr, col_idx, gain);
            held[u] = gain[u];
            heap_rise(u, size++, heap, held, rank);
        }
    }
    return size;
}

__kernel void expansion_grow(const int n, const int runs, const ulong seed, const int acts, const int given,
                             __global const int *restrict starts, const int pool_size, __global const int *restrict pool,
                             const int target, __global const OFFSET *restrict row_ptr,
                             __global const int *restrict col_idx, __global const int *restrict rank,
                             __global const int *restrict by_rank, __global int *restrict state,
                             __global int *restrict gain, __global int *restrict heap, __global int *restrict held,
                             __global int *restrict size, __global int *restrict seen, __global int *restrict next,
                             __global int *restrict tries, __global ulong *restrict came, __global int *restrict parent,
                             volatile __global int *restrict going)
{
    FOR_ITEMS(run, runs) {
        const long base = (long)run * n;
        __global int *mine = heap + base, *own = state + base, *gains = gain + base, *believed = held + base;
        __global int *up = parent ? parent + base : 0;
        __global const int *order = rank + base;
        int many = seen[run], room = size[run], at = next[run], begun = tries[run];
        for (int i = 0; i < acts && many < target; i++) {
            int v = -1;
            if (begun < max(given, 1)) {   // the starts, one after the other
                const ulong a = keyed_a(keyed_words(seed + run, 0, 0, 0, TAG_DRAW));
                v = given ? starts[begun] : pool[mul_hi(a, (ulong)pool_size)];
                begun++;
            }
            while (v < 0 && room > 0) {
                const int top = mine[0];
                if (own[top] == TAKEN || believed[top] == gains[top]) {
                    v = top;
                    mine[0] = mine[--room];
                }
                else believed[top] = gains[top];
                if (room > 0) heap_sink(mine[0], 0, room, mine, believed, order);
                if (v >= 0 && own[v] == TAKEN) v = -1;   // a later start
            }
            if (v < 0) {
                while (own[by_rank[base + at]] != OUTSIDE) at++;
                v = by_rank[base + at];
                begun++;
            }
            if (own[v] != TAKEN) {
                came[base + v] = (ulong)many++;
                room = take(v, room, row_ptr, col_idx, order, own, gains, mine, believed, up);
            }
        }
        seen[run] = many;
        size[run] = room;
        next[run] = at;
        tries[run] = begun;
        if (many < target) atomic_inc(going);
    }
}
