// traversal/search_partitions.cl (pipelines only): pulling (search_pull.cl) where the frontier's bitmap is larger than
// LOCAL_WORDS.
//
// As in ranking/partitions.cl (layout there), with bits as values: vertices in partitions of 32 LOCAL_WORDS, arcs in
// blocks that have room for LOCAL_WORDS bursts. A tile takes whole bursts of words, each with the bits of UNROLL arcs.
//   move    partition by partition: its part of the bitmap is on chip; the sources of its arcs stream in, and for every
//           burst a word with their bits streams out
//   pull    block by block: its words are on chip; then the rows of the unvisited vertices stream in, and each
//           arc looks up its bit on chip. The head is read only where the bit is set
//
// per cycle   move: UNROLL of all arcs. pull: UNROLL vertices to find the unvisited ones' rows, then up to UNROLL arcs
//             of one row
// bound by    the clock: move's cycles come on top of pull's. In return no arc reads memory at random; whether that
//             pays depends on the board (PULL_PARTITIONS, docs/fpga.md)

#include "fpga/pipeline.h"
#include "fpga/rows.h"
#include "fpga/traversal/reach.h"

PIPELINE void bfs_move(const int n, const int partitions, __global const OFFSET *restrict begin,
                       __global const int *restrict source, __global const uint *restrict front,
                       __global uint *restrict moved)
{
    __local uint here[LOCAL_WORDS];
    const int words = (n >> 5) + ((n & 31) != 0);
    for (int j = 0; j < partitions; j++) {
        const long first = (long)j * LOCAL_WORDS;
        const int many = (int)min((long)LOCAL_WORDS, words - first);
        FOR_STREAM(i, many)
            here[i] = front[first + i];
        const OFFSET end = begin[j + 1];
        for (OFFSET at = begin[j]; at < end; at += UNROLL) {
            uint bits = 0;
            EACH_WORD(k)
                bits |= BIT(here[source[at + k] >> 5], source[at + k]) << k;
            moved[at / UNROLL] = bits;
        }
    }
}

#define PLACED(p) (here[place[p] / UNROLL] >> (place[p] % UNROLL) & 1u)

PIPELINE void bfs_pull_placed(const int n, const uint level, const int partitions, const int blocks, const int each,
                              __global const OFFSET *restrict tile, __global const int *restrict ended,
                              __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                              __global const int *restrict place, __global const uint *restrict moved,
                              __global uint *restrict next, __global uint *restrict visited,
                              __global uint *restrict distance, __global uint *restrict predecessor,
                              __global uint *restrict owner, __global uint *restrict state)
{
    __local uint here[LOCAL_WORDS];
    PULL;
    for (int b = 0; b < blocks; b++) {
        const long tiles = (long)b * partitions;
        int at = 0;
        FOR_BLOCKS(base, partitions, many) {
            FOR_STREAM(i, many)
                SET_BOUNDS(bounds, i, tile[2 * (tiles + base + i)] / UNROLL, tile[2 * (tiles + base + i) + 1] / UNROLL);
            FOR_BURSTS(w, bounds, many) {
                if (w.count) {   // all UNROLL of them
                    EACH_WORD(k)
                        here[at * UNROLL + k] = moved[w.p + k];
                    at++;
                }
            }
        }
        const OFFSET low = (OFFSET)b * each, high = min(low + (OFFSET)each, row_ptr[n]);
        const int from = ended[b], to = ended[b + 1], cut = to < n && row_ptr[to] < high;
        PULL_ROWS(from, to, cut, low, high, PLACED)
    }
    state[SLOT(level + 1) + COUNT] += found;
    clear_slot(state, level + 2);
}
