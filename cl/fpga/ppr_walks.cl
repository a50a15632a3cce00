// ppr_walks.cl (pipelines): personalized PageRank by random walks (layout and method: cl/ppr_walks.cl).
//
// A walk's step waits for two reads that follow each other (a row's bounds, one of its heads). So WALKS walks are under way,
// one a turn: a lane's turn comes round when what it asked for is there (ivdep safelen(WALKS)). A lane whose walk has
// ended takes the next one. Walks are numbered, and their draws keyed by that number: the counts are those of any device.
//
// per cycle   one step of one walk: a Philox block, the row's bounds, a head, and one more visit to count: a read and a
//             write of memory (recent.h). On weighted graphs a step takes log2(degree) turns more, one a halving.
// starts      for ROW_BLOCK walks at a time, by halving, all of them side by side
// bound by    random reads: four and a write a step

#include "pipeline.h"
#include "keyed.h"
#include "pagerank.h"
#include "recent.h"

#ifndef POLICY
#define POLICY 1
#endif

static inline uint start_word(ulong seed, uint source, uint walk)
{
    return keyed_words(seed, source, walk, 0, TAG_WALK).v[0];
}

// So many walks have a position below x.
static inline uint walks_below(ulong seed, uint source, uint walks, ulong x)
{
    const uint walk = (uint)(x >> 32);
    return walk >= walks ? walks : walk + (start_word(seed, source, walk) < (uint)x);
}

// Where share j of `starts` equal ones ends: (j + 1) (walks << 32) / starts, rounded up.
static inline ulong even_until(uint j, uint starts, uint walks)
{
    const ulong ends = (ulong)(j + 1) * walks, whole = ends / starts, rest = ends - whole * starts;
    return (whole << 32) + ((rest << 32) + starts - 1) / starts;
}

// The first visits of all walks, by the vertices that they are made to.
PIPELINE void ppr_first(const uint walks, const ulong seed, const uint source, const uint starts, const long base,
                        __global const ulong *restrict until, __global const int *restrict start,
                        __global uint *restrict visits)
{
    Recent recent = recent_none();   // parallel arcs lead to the same vertex
    uint below = 0;
    #pragma ivdep safelen(HAZARD)
    for (uint j = 0; j < starts; j++) {
        const uint upto = walks_below(seed, source, walks, until ? until[j] : even_until(j, starts, walks));
        const int v = start[base + j];
        const uint visited = recent_value(&recent, v, visits[v]) + (upto - below);
        visits[v] = visited;
        recent_set(&recent, v, visited);
        below = upto;
    }
}

// The visits after the first.
PIPELINE void ppr_walk(const int n, const uint walks, const uint each, const ulong seed, const uint source,
                       const ulong go_on, const uint starts, const long base, __global const ulong *restrict until,
                       __global const int *restrict start, __global const OFFSET *restrict row_ptr,
                       __global const int *restrict col_idx, __global const ulong *restrict limit,
                       __global uint *restrict visits)
{
    int first[ROW_BLOCK], open[ROW_BLOCK];       // of a walk: where it starts; halving: `first` .. `first` + `open`
    ulong position[ROW_BLOCK];
    int vertex[WALKS];                           // of a lane; -1: it has no walk
    uint walk[WALKS], step[WALKS];
    OFFSET low[WALKS], high[WALKS];              // halving of a weighted row; low < high: not done yet
    ulong wanted[WALKS];
    uint steps = 0, lost = 0;
    for (ulong from = 0; from < walks; from += ROW_BLOCK) {
        const int many = (int)min((ulong)ROW_BLOCK, walks - from);
        FOR_EACH(i, many) {
            const uint number = (uint)from + i, word = start_word(seed, source, number);
            position[i] = (ulong)number << 32 | word;
            first[i] = until ? 0 : (int)(((ulong)number * starts + mul_hi(word, starts)) / walks);
            open[i] = until ? starts - 1 : 0;
        }
        for (uint width = until ? starts - 1 : 0; width > 0; width /= 2) {
            #pragma ivdep
            FOR_EACH(i, many)
                if (open[i] > 0) {
                    const int hop = open[i] / 2;
                    if (until[first[i] + hop] <= position[i]) {
                        first[i] += hop + 1;
                        open[i] -= hop + 1;
                    } else {
                        open[i] = hop;
                    }
                }
        }
        #pragma ivdep
        FOR_EACH(i, many)
            first[i] = start[base + first[i]];
        FOR_EACH(l, WALKS) {
            vertex[l] = l < many ? first[l] : -1;
            walk[l] = l;
            step[l] = 1;
            low[l] = high[l] = 0;
            wanted[l] = 0;
        }
        Recent recent = recent_none();
        int lane = 0, next = min(WALKS, many), ended = 0;
        #pragma ivdep safelen(HAZARD)
        while (ended < many) {
            int v = vertex[lane], ends = 0, counted = -1;
            uint visited = 0;
            if (v >= 0 && low[lane] < high[lane]) {   // on a weighted row
                const OFFSET middle = low[lane] + (high[lane] - low[lane]) / 2;
                if (limit[middle] <= wanted[lane])
                    low[lane] = middle + 1;
                else
                    high[lane] = middle;
                if (low[lane] == high[lane])
                    vertex[lane] = col_idx[low[lane]];
            } else if (v >= 0) {
                if (step[lane] > 1) {   // the first visit is ppr_first's
                    counted = v;
                    visited = recent_value(&recent, v, visits[v]) + 1;
                    visits[v] = visited;
                }
                steps++;
                const philox4x32_ctr_t x = keyed_words(seed, source, (uint)from + walk[lane], step[lane]++, TAG_WALK);
                int goes = keyed_join(x.v[0], x.v[1]) < go_on;
                if (goes) {
                    const OFFSET begin = row_ptr[v], past = row_ptr[v + 1];
                    const ulong bits = keyed_join(x.v[2], x.v[3]);
                    goes = begin < past && (!limit || limit[past - 1] != 0);
                    lost += !goes;
                    if (goes && limit && past - begin > 1) {
                        low[lane] = begin;
                        high[lane] = past - 1;
                        wanted[lane] = bits >> 2;
                    } else if (goes) {
                        vertex[lane] = col_idx[begin + (limit ? 0 : keyed_below(bits, (uint)(past - begin)))];
                    }
                }
                ends = !goes;
            }
            recent_set(&recent, counted, visited);
            if (ends) {
                ended++;
                vertex[lane] = next < many ? first[next] : -1;
                walk[lane] = next;
                step[lane] = 1;
                next++;
            }
            lane = lane + 1 == WALKS ? 0 : lane + 1;
        }
    }
    if (POLICY == 2)
        visits[n] += steps;
    visits[n + 1] += lost;
}

PIPELINE void ppr_score(const int n, const int source, const WIDE stay, const WIDE unit, const WIDE lost_before,
                        const WIDE lost_unit, __global const uint *restrict visits, __global const REAL *restrict p,
                        __global const REAL *restrict store, __global REAL *restrict score)
{
    const WIDE lost = lost_before + lost_unit * visits[n + 1];
    const WIDE whole = POLICY == 2 ? 1 / (stay + unit * visits[n]) : 1;
    FOR_EACH(v, n) {
        WIDE y = (p ? stay * p[v] : v == source ? stay : 0) + unit * visits[v];
        if (store)
            y += lost * store[v];
        score[v] = (REAL)(y * whole);
    }
}

PIPELINE void ppr_report(const int n, const int k, const int place, __global const int *restrict name,
                         __global const REAL *restrict found, __global const uint *restrict visits,
                         __global uint *restrict report, __global REAL *restrict scores)
{
    const ulong own = (ulong)place * (2 + 2 * (ulong)k);
    FOR_EACH(i, k) {
        report[own + 2 + i] = name[i];
        report[own + 2 + k + i] = visits[name[i]];
        scores[(ulong)place * k + i] = found[i];
    }
    if (k > 0) {
        report[own] = visits[n];
        report[own + 1] = visits[n + 1];
    }
}
