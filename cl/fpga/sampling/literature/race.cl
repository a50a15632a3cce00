// sampling/literature/race.cl (pipelines): the keys by which vertices and edges race to be drawn (layout:
// cl/sampling/literature/race.cl).
//
// per cycle   one vertex, or one arc: a Philox block and two logarithms (rne, hyb: two or three of each, side by side)
// table       of logarithms, on chip
// near, first  the arcs of all rows as one flat loop (rows.h); the least key of a row is in a register
//
// bound by    the clock: n or `arcs` cycles per run; near: a random read per arc; arcs with ARCS: two per arc

#define TABLE __local const ulong *

#include "fpga/pipeline.h"
#include "keyed.h"
#include "sampling/literature/clock.h"
#include "sampling/literature/race.h"
#include "fpga/rows.h"

static inline void table_load(__local ulong *here, __global const ulong *table)
{
    FOR_EACH(i, 512)
        here[i] = table[i];
}

PIPELINE void race_vertices(const int n, const int runs, const ulong seed, __global const ulong *restrict table,
                            __global const OFFSET *restrict row_ptr, __global const ulong *restrict weight,
                            __global ulong *restrict key)
{
    __local ulong here[512];
    table_load(here, table);
    FOR_EACH(run, runs) {
        OFFSET begin = 0;
        FOR_EACH(v, n) {
            const OFFSET end = WEIGHT == 1 ? row_ptr[v + 1] : 0;
            const ulong w = WEIGHT == 2 ? weight[v] : WEIGHT == 1 ? (ulong)(end - begin) : 1;
            const ulong k = race_key(keyed_words(seed + run, v, 0, 0, TAG_VERTEX), WEIGHT ? lg(w | !w, here) : 0, here);
            key[(long)run * n + v] = w ? k : NONE;
            begin = end;
        }
    }
}

PIPELINE void race_priorities(const int n, const int runs, const ulong seed, __global ulong *restrict key)
{
    FOR_EACH(run, runs)
        FOR_EACH(v, n)
            key[(long)run * n + v] = vertex_priority(seed + run, v);
}

PIPELINE void race_near(const int n, const int runs, __global const OFFSET *restrict row_ptr,
                        __global const int *restrict col_idx, __global const ulong *restrict priority,
                        __global ulong *restrict key)
{
    Bounds bounds;
    ulong own[ROW_BLOCK];
    FOR_EACH(run, runs) {
        __global const ulong *mine = priority + (long)run * n;
        FOR_BLOCKS(base, n, many) {
            FOR_EACH(i, many) {
                own[i] = mine[base + i];
                SET_BOUNDS(bounds, i, row_ptr[base + i], row_ptr[base + i + 1]);
            }
            ulong least = NONE;
            FOR_ARCS(w, bounds, many) {
                const ulong other = w.count ? mine[col_idx[w.p]] : NONE;
                least = min(w.first ? own[w.row] : least, other);
                if (w.last) key[(long)run * n + base + w.row] = least;
            }
        }
    }
}

PIPELINE void race_alone(const int n, const int runs, const ulong seed, __global const ulong *restrict cut,
                         __global ulong *restrict key)
{
    FOR_EACH(run, runs) {
        const ulong centre = cut[run];
        FOR_EACH(v, n)
            if (centre) {
                const ulong own = vertex_priority(seed + run, v);
                key[(long)run * n + v] = key[(long)run * n + v] != centre ? NONE : own == centre ? 0 : own;
            }
    }
}

PIPELINE void race_tails(const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                         __global int *restrict tail, __global uint *restrict copy)
{
    Bounds bounds;
    FOR_BLOCKS(base, n, many) {
        FOR_EACH(i, many)
            SET_BOUNDS(bounds, i, row_ptr[base + i], row_ptr[base + i + 1]);
        int before = -1;
        uint rank = 0;
        FOR_ARCS(w, bounds, many) {
            if (w.count) {
                const int u = col_idx[w.p];
                rank = !w.first && u == before ? rank + 1 : 0;
                before = u;
                tail[w.p] = (int)(base + w.row);
                if (copy) copy[w.p] = rank;
            }
        }
    }
}

PIPELINE void race_degrees(const int n, __global const OFFSET *restrict row_ptr, __global int *restrict degree)
{
    OFFSET begin = row_ptr[0];
    FOR_EACH(v, n) {
        const OFFSET end = row_ptr[v + 1];
        degree[v] = (int)(end - begin);
        begin = end;
    }
}

PIPELINE void race_arcs(const long arcs, const int runs, const ulong seed, const long lg_arc, const long lg_edge,
                        __global const ulong *restrict table, __global const int *restrict degree,
                        __global const int *restrict col_idx, __global const int *restrict tail,
                        __global const uint *restrict copy, __global const ulong *restrict weight, const int once,
                        __global ulong *restrict key)
{
    __local ulong here[512];
    table_load(here, table);
    FOR_EACH(run, runs)
        for (long p = 0; p < arcs; p++) {
            const int v = tail[p], u = col_idx[p];
            const uint rank = copy ? copy[p] : 0;
            ulong k = NONE;
            if (!NO_EDGES) k = key_alone(seed + run, v, u, rank, WEIGHT ? weight[p] : 1, lg_edge, here);
            if (ARCS)
                k = min(k, min(key_by_end(seed + run, v, u, rank, lg_arc, degree[v], here),
                               key_by_end(seed + run, u, v, rank, lg_arc, degree[u], here)));
            key[run * arcs + p] = once && u < v ? NONE : k;
        }
}

PIPELINE void race_first(const int n, const int runs, __global const OFFSET *restrict row_ptr,
                         __global const ulong *restrict key, __global ulong *restrict first)
{
    Bounds bounds;
    FOR_EACH(run, runs) {
        const long begin = (long)run * row_ptr[n];
        FOR_BLOCKS(base, n, many) {
            FOR_EACH(i, many)
                SET_BOUNDS(bounds, i, row_ptr[base + i], row_ptr[base + i + 1]);
            ulong least = NONE;
            FOR_ARCS(w, bounds, many) {
                least = min(w.first ? NONE : least, w.count ? key[begin + w.p] : NONE);
                if (w.last) first[(long)run * n + base + w.row] = least;
            }
        }
    }
}

PIPELINE void race_stratum(const int n, const int runs, __global const int *restrict code,
                           const int stratum, __global const ulong *restrict key, __global ulong *restrict out)
{
    FOR_EACH(run, runs)
        FOR_EACH(v, n)
            out[(long)run * n + v] = code[v] == stratum ? key[(long)run * n + v] : NONE;
}
