// ranking/personalized/walks.cl (pipelines): personalized PageRank by random walks (layout and method:
// cl/ranking/personalized/walks.cl).
//
// A walk's step waits for two dependent reads (a row's bounds, one of its heads). So WALKS walks are in flight, one per
// iteration: a lane's next iteration comes when its reads have arrived (ivdep safelen(WALKS) on the lanes' state). A
// lane whose walk has ended takes the next walk in its next iteration, so that what an iteration reads affects neither
// the iteration after it nor when the loop ends. Walks are numbered, and their draws keyed by that number: the counts
// are those of any device.
//
// per cycle   one step of one walk: a Philox block, the row's bounds, a head, and one more visit to count: a read and a
//             write of memory (recent.h). On weighted graphs a step takes log2(degree) iterations more, for bisection.
// POLICY      follows from the arguments: `store`, and whether lost walks are counted at all
// starts      for ROW_BLOCK walks at a time, by bisection, all of them side by side
// bound by    random reads: four and a write per step

#include "fpga/pipeline.h"
#include "keyed.h"
#include "ranking/pagerank.h"
#include "ranking/personalized/walks.h"
#include "fpga/recent.h"

// The first visits of all walks, counted by vertex.
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

#define IDLE -1    // a lane without a walk
#define ENDED -2   // its walk has ended, which its next iteration will see
// A lane is visited every WALKS iterations.
#define IN_LANES(state) PRAGMA(ivdep array(state) safelen(WALKS))

// The visits after the first.
PIPELINE void ppr_walk(const int n, const uint walks, const uint each, const ulong seed, const uint source,
                       const ulong go_on, const uint starts, const long base, __global const ulong *restrict until,
                       __global const int *restrict start, __global const OFFSET *restrict row_ptr,
                       __global const int *restrict col_idx, __global const ulong *restrict limit,
                       __global uint *restrict visits)
{
    int first[ROW_BLOCK], open[ROW_BLOCK];       // of a walk: where it starts; bisection: `first` .. `first` + `open`
    ulong position[ROW_BLOCK];
    int vertex[WALKS];                           // of a lane
    uint walk[WALKS], step[WALKS];
    OFFSET low[WALKS], high[WALKS];              // bisection of a weighted row; low < high: not finished
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
            vertex[l] = IDLE;
            low[l] = high[l] = 0;
        }
        Recent recent = recent_none();
        int lane = 0, next = 0, ended = 0;
        IN_LANES(vertex) IN_LANES(walk) IN_LANES(step) IN_LANES(low) IN_LANES(high) IN_LANES(wanted)
        PRAGMA(ivdep array(visits) safelen(HAZARD))
        while (ended < many) {
            int v = vertex[lane], counted = -1;
            if (v == ENDED) {
                ended++;
                v = IDLE;
            }
            if (v == IDLE && next < many) {
                v = first[next];
                walk[lane] = next++;
                step[lane] = 1;
            }
            int to = v;
            uint visited = 0;
            if (low[lane] < high[lane]) {   // in a weighted row
                const OFFSET middle = low[lane] + (high[lane] - low[lane]) / 2;
                if (limit[middle] <= wanted[lane])
                    low[lane] = middle + 1;
                else
                    high[lane] = middle;
                if (low[lane] == high[lane])
                    to = col_idx[low[lane]];
            } else if (v >= 0) {
                if (step[lane] > 1) {   // the first visit is counted by ppr_first
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
                        to = col_idx[begin + (limit ? 0 : keyed_below(bits, (uint)(past - begin)))];
                    }
                }
                to = goes ? to : ENDED;
            }
            vertex[lane] = to;
            recent_set(&recent, counted, visited);
            lane = lane + 1 == WALKS ? 0 : lane + 1;
        }
    }
    visits[n] += steps;
    visits[n + 1] += lost;
}

PIPELINE void ppr_score(const int n, const int source, const WIDE stay, const WIDE unit, const WIDE lost_before,
                        const WIDE lost_unit, __global const uint *restrict visits, __global const REAL *restrict p,
                        __global const REAL *restrict store, __global REAL *restrict score)
{
    const WIDE lost = lost_before + lost_unit * visits[n + 1];
    const int back = !store && lost_before + lost_unit > 0;   // to the source: as if what stayed were the whole
    const WIDE whole = back ? 1 / (stay + unit * visits[n]) : 1;
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
