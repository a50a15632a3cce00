// csr/generate_lfr.cl: LFR communities (Lancichinetti, Fortunato, Radicchi, Phys. Rev. E 78, 2008).
//
// A vertex has some of its stubs inside its community, the others outside. Communities are numbered by falling size
// and have as many seats as vertices. Vertices by falling numbers of stubs inside are seated at random where a
// community has more vertices than that (clgraph/csr/generate_stubs.cl shuffles seats, then stubs). Then, in rounds,
// an edge that is a loop, stands there already, or should leave a community and does not, exchanges an end with an
// edge drawn from its community's, or from those between communities.
//
// order[r], seat[r]       the vertex of rank r, and the seat that it was given
// begin int[count + 1]    seats of community c: begin[c] .. begin[c + 1] - 1
// stubs long[count + 1]   stubs inside community c: stubs[c] .. stubs[c + 1] - 1, an even number, -1 at the end of odd
// value int[...]          vertices of the stubs: inside communities, then outside
// tail, head int[edges]   the edges of these; -1 where there is none
// state uchar[edges]      0: in place, 1: not, 2 + turn: not, and wants to exchange ends with edge mate[e]
// launch                  padded range, ITEMS consecutive items per work-item

#include "keyed.h"
#include "pairs.h"

#ifndef TRIES
#define TRIES 16u   // edges drawn by each one that is out of place, in a round
#endif

// mixing: the share outside, 2^32 for all; rounded up or down at random, so that the mean is right.
__kernel void lfr_split(const int n, const ulong seed, const int most, const ulong mixing,
                        __global const int *restrict degree, __global int *restrict inside,
                        __global int *restrict outside, __global uint *restrict key)
{
    FOR_ITEMS(v, n) {
        const uint number = keyed_words(seed, (uint)v, 0, 3, TAG_MODEL).v[0];
        outside[v] = (int)(((ulong)degree[v] * mixing + number) >> 32);
        inside[v] = degree[v] - outside[v];
        key[v] = (uint)(most - inside[v]);
    }
}

// eligible[k]: seats in communities of more than most - k vertices. refused: the first rank without a seat.
__kernel void lfr_aim(const int n, const ulong seed, __global const uint *restrict key,
                      __global const int *restrict eligible, __global int *restrict aim, __global int *restrict seat,
                      __global int *restrict refused)
{
    FOR_ITEMS(r, n) {
        const int seats = eligible[key[r]];
        if (seats <= r)
            atomic_min(refused, r);
        const ulong number = keyed_a(keyed_words(seed, (uint)r, 0, 4, TAG_MODEL));
        aim[r] = r + (int)keyed_below(number, (uint)max(1, seats - r));
        seat[r] = r;
    }
}

__kernel void lfr_seat(const int n, __global const int *restrict order, __global const int *restrict seat,
                       __global int *restrict seated)
{
    FOR_ITEMS(r, n)
        seated[seat[r]] = order[r];
}

__kernel void lfr_count(const int count, __global const int *restrict begin, __global const int *restrict seated,
                        __global const int *restrict inside, __global int *restrict community,
                        __global int *restrict total)
{
    FOR_ITEMS(c, count) {
        int sum = 0;
        for (int s = begin[c]; s < begin[c + 1]; s++) {
            community[seated[s]] = c;
            sum += inside[seated[s]];
        }
        total[c] = sum + (sum & 1);
    }
}

__kernel void lfr_stubs(const int count, const ulong seed, __global const int *restrict begin,
                        __global const int *restrict seated, __global const int *restrict inside,
                        __global const long *restrict stubs, __global int *restrict value, __global int *restrict aim)
{
    FOR_ITEMS(c, count) {
        const int end = (int)stubs[c + 1];
        int i = (int)stubs[c];
        for (int s = begin[c]; s < begin[c + 1]; s++)
            for (int k = 0; k < inside[seated[s]]; k++)
                value[i++] = seated[s];
        if (i < end)
            value[i] = -1;
        for (i = (int)stubs[c]; i < end; i++) {
            const ulong number = keyed_a(keyed_words(seed, (uint)i, 0, 2, TAG_MODEL));
            aim[i] = i + (int)keyed_below(number, (uint)(end - i));
        }
    }
}

// Whether an edge may not be, others aside; edges from `between` on join different communities.
static inline bool lfr_wrong(int u, int v, bool outside, __global const int *community)
{
    return u == v || (outside && community[u] == community[v]);
}

__kernel void lfr_enter(const int edges, const int between, __global const int *restrict community,
                        __global const int *restrict tail, __global const int *restrict head,
                        __global int *restrict table, const uint mask)
{
    FOR_ITEMS(e, edges)
        if (tail[e] >= 0 && !lfr_wrong(tail[e], head[e], e >= between, community))
            pair_enter(e, tail, head, NULL, table, mask);
}

// wanted int[edges]: the smallest number of those that want an edge, filled with INT_MAX before. An edge out of place
// wants itself and the first of some edges drawn with which an exchange puts both in place, as edges stand now.
__kernel void lfr_want(const int edges, const int between, const ulong seed, const uint round,
                       __global const int *restrict community, __global const long *restrict stubs,
                       __global const int *restrict tail, __global const int *restrict head,
                       __global const int *restrict table, const uint mask, __global uchar *restrict state,
                       __global int *restrict mate, __global int *restrict wanted, __global int *restrict left)
{
    int wrong = 0;
    FOR_ITEMS(e, edges) {
        const int a = tail[e], b = head[e];
        const bool outside = e >= between;
        state[e] = 0;
        if (a < 0 || (!lfr_wrong(a, b, outside, community) && pair_find(a, b, tail, head, table, mask) == e))
            continue;
        state[e] = 1;
        mate[e] = -1;
        wrong++;
        const int first = outside ? between : (int)(stubs[community[a]] / 2);
        const int end = outside ? edges : (int)(stubs[community[a] + 1] / 2);
        for (uint t = 0; t < TRIES; t++) {
            const philox4x32_ctr_t x = keyed_words(seed, (uint)e, round * TRIES + t, 5, TAG_MODEL);
            const int f = first + (int)keyed_below(keyed_a(x), (uint)(end - first));
            const int turn = x.v[2] & 1;
            const int c = turn ? head[f] : tail[f], d = turn ? tail[f] : head[f];
            if (f != e && c >= 0 && !lfr_wrong(a, d, outside, community) && !lfr_wrong(c, b, outside, community) &&
                !pair_same(a, d, c, b) && pair_find(a, d, tail, head, table, mask) < 0 &&
                pair_find(c, b, tail, head, table, mask) < 0) {
                state[e] = 2 + turn;
                mate[e] = f;
                atomic_min(&wanted[e], e);
                atomic_min(&wanted[f], e);
                break;
            }
        }
    }
    if (wrong)
        atomic_add(left, wrong);
}

// Edges a-b and c-d become a-d and c-b, where nobody else has these two in this round.
__kernel void lfr_exchange(const int edges, __global const uchar *restrict state, __global const int *restrict mate,
                           __global const int *restrict wanted, __global int *restrict tail,
                           __global int *restrict head)
{
    FOR_ITEMS(e, edges)
        if (state[e] >= 2 && wanted[e] == e && wanted[mate[e]] == e) {
            const int f = mate[e], turn = state[e] - 2;
            const int b = head[e], c = turn ? head[f] : tail[f], d = turn ? tail[f] : head[f];
            head[e] = d;
            tail[f] = c;
            head[f] = b;
        }
}

// What is void or found no place becomes a loop, which the building of rows leaves out.
__kernel void lfr_drop(const int edges, __global const uchar *restrict state, __global int *restrict tail,
                       __global int *restrict head)
{
    FOR_ITEMS(e, edges)
        if (tail[e] < 0 || state[e])
            tail[e] = head[e] = 0;
}
