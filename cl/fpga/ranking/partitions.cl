// ranking/partitions.cl (pipelines only): PageRank of graphs of more than LOCAL_RANKS vertices, with all random reads
// on chip.
//
// The vertices are cut into partitions of LOCAL_RANKS, the arcs in the order of the rows into blocks. A tile holds the
// arcs from one partition to one block. Every arc's value is read twice on chip, and in between written to memory and
// read back in order:
//   move    partition by partition: its values are on chip; the sources of its arcs stream in, tile by tile, and the
//           values found stream out
//   sum     block by block: its tiles stream in, each from where move left it, until all the block's values are on
//           chip; then its rows stream in as in ranking/flat.h, where each arc names its value's position on chip. A
//           row cut by the end of a block continues with its sum in the next one
// Sums are in fixed point (fpga/ranking/flat.h): the result has the bits of `contribution`.
//
// per cycle   move: UNROLL values of a partition, then UNROLL arcs. sum: UNROLL values of a tile, then UNROLL arcs,
//             then the ends of SETTLES rows
// bound by    streams: 16 bytes per arc (source, value out, value in, position) and 20 per vertex, where a random read
//             would take as much of memory's time as some 80 bytes
// on chip     LOCAL_RANKS values in each kernel, in as many copies as UNROLL reads per cycle need
// layout      (clgraph/csr/partitions.py) a tile takes whole bursts of UNROLL: the padding is never referred to.
//             begin OFFSET[partitions + 1]: where a partition's arcs begin in `source` and `moved`
//             source int[], moved REAL[]: by partition, block, row; a source counts from its partition's first vertex
//             tile OFFSET[2 * blocks * partitions]: begin and end in `moved`, by block, then partition
//             ended int[blocks + 1]: how many rows end before block b begins; place int[arcs]: in the rows' order

#include "fpga/pipeline.h"
#include "ranking/pagerank.h"
#include "fpga/rows.h"
#include "fpga/ranking/flat.h"

PIPELINE void pagerank_move(const int n, const int partitions, __global const OFFSET *restrict begin,
                            __global const int *restrict source, __global const REAL *restrict contribution,
                            __global REAL *restrict moved, __global const int *restrict state)
{
    __local REAL values[LOCAL_RANKS];
    if (state[STOPPED]) return;
    for (int j = 0; j < partitions; j++) {
        const long first = (long)j * LOCAL_RANKS;
        const int many = (int)min((long)LOCAL_RANKS, n - first);
        FOR_STREAM(i, many)
            values[i] = contribution[first + i + SHIFT];
        const OFFSET end = begin[j + 1];
        for (OFFSET at = begin[j]; at < end; at += UNROLL)
            EACH_WORD(k)
                moved[at + k] = values[source[at + k]];
    }
}

#define PLACED(i) values[i]

PIPELINE void pagerank_sum(const int n, const int partitions, const int blocks, const int each,
                           __global const OFFSET *restrict tile, __global const int *restrict ended,
                           __global const OFFSET *restrict row_ptr, __global const int *restrict place,
                           __global const REAL *restrict share, __global const REAL *restrict moved,
                           __global ACC *restrict parts, __global const int *restrict state, VERTEX_ARGS)
{
    __local REAL values[LOCAL_RANKS];
    Bounds bounds;
    NO_DEGREE
    if (state[STOPPED]) return;
    Flat flat = flat_none();
    const WIDE mass = ACC_VALUE(sums[0]);
    TOTALS;
    for (int b = 0; b < blocks; b++) {
        const long tiles = (long)b * partitions;
        int at = 0;
        FOR_BLOCKS(base, partitions, many) {
            FOR_STREAM(i, many)
                SET_BOUNDS(bounds, i, tile[2 * (tiles + base + i)], tile[2 * (tiles + base + i) + 1]);
            FOR_BURSTS(w, bounds, many) {
                if (w.count) {   // all UNROLL of them
                    EACH_WORD(k)
                        values[at * UNROLL + k] = moved[w.p + k];
                    at++;
                }
            }
        }
        const OFFSET low = (OFFSET)b * each, high = min(low + (OFFSET)each, row_ptr[n]);
        const int from = ended[b], to = ended[b + 1], cut = to < n && row_ptr[to] < high;
        FLAT_ROWS(from, to, cut, low, high, place, PLACED, FLAT_SETTLE)
    }
    flat_parts(&flat, norm, parts);
}
