// ranking/pieces.cl: cut long rows into pieces, order the pieces by kind and length, and say whose they are.
//
// A cell is a long row's arcs from one segment of hot sources, or (the last kind) from the others; a piece has at most
// long_row arcs of one cell. Pieces are counted through by row and kind. Those of one kind share slices, all rows' first
// pieces before all rows' second ones and so on, the longest first among these: since a row's sources ascend, neighbours
// then read contributions that are close to each other at the same time, and a cache has them.
//
// start, source      rows by number, each sorted by source (ranking/renumber.cl)
// long_before int[n + 1]     long rows before each row; long_number int[n]: which of them a row is, -1: none
// long_rows int[long]        their numbers
// cell_begin OFFSET[cells], cell_length int[cells], cell_piece int[cells + 1]   cell i * kinds + k is row i's of kind k
// key uint[pieces]           kind << bits + TURN_BITS | which piece of its cell (at most TURNS - 1) << bits | long_row -
//                            length
// first int[kinds + 1]       pieces of each kind among the sorted ones; at: where its slices begin, in rows
// piece_at, piece_place      as of clgraph/ranking/layout.py
// launch      padded range, each work-item takes ITEMS consecutive rows, cells or pieces
// tunables    ITEMS

#ifndef OFFSET
#define OFFSET int
#endif
#ifndef TURN_BITS
#define TURN_BITS 8
#endif
#define TURNS (1 << TURN_BITS)
#define KIND_OF(key) ((int)((key) >> (bits + TURN_BITS)))

__kernel void pieces_rows(const int n, __global const int *restrict long_before, __global int *restrict long_number,
                          __global int *restrict long_rows)
{
    FOR_ITEMS(v, n) {
        const int i = long_before[v], is_long = long_before[v + 1] > i;
        long_number[v] = is_long ? i : -1;
        if (is_long)
            long_rows[i] = v;
    }
}

// The first arc of a row from a source after number `last`.
static inline OFFSET first_after(int last, OFFSET low, OFFSET high, __global const int *source)
{
    while (low < high) {
        const OFFSET middle = low + (high - low) / 2;
        if (source[middle] <= last)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__kernel void pieces_cells(const int cells, const int kinds, const int hot, const int long_row,
                           __global const int *restrict long_rows, __global const OFFSET *restrict start,
                           __global const int *restrict source, __global OFFSET *restrict cell_begin,
                           __global int *restrict cell_length, __global int *restrict pieces)
{
    FOR_ITEMS(c, cells) {
        const int i = c / kinds, k = c - i * kinds, v = long_rows[i];
        const OFFSET from = start[v], to = start[v + 1];
        const OFFSET begin = k > 0 ? first_after(k * hot, from, to, source) : from;
        const int length = (int)((k + 1 < kinds ? first_after((k + 1) * hot, begin, to, source) : to) - begin);
        cell_begin[c] = begin;
        cell_length[c] = length;
        pieces[c] = (length + long_row - 1) / long_row;
    }
}

__kernel void pieces_keys(const int cells, const int kinds, const int long_row, const int bits,
                          __global const int *restrict cell_piece, __global const int *restrict cell_length,
                          __global uint *restrict key)
{
    FOR_ITEMS(c, cells) {
        const uint kind = (uint)(c - c / kinds * kinds);
        const int first = cell_piece[c];
        int left = cell_length[c];
        for (int k = first; k < cell_piece[c + 1]; k++, left -= long_row)
            key[k] = (kind << TURN_BITS | (uint)min(k - first, TURNS - 1)) << bits | (uint)max(0, long_row - left);
    }
}

__kernel void pieces_bounds(const int kinds, const int count, const int bits, __global const uint *restrict key,
                            __global int *restrict first)
{
    FOR_ITEMS(k, kinds + 1) {
        int low = 0, high = count;
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if (KIND_OF(key[middle]) < k)
                low = middle + 1;
            else
                high = middle;
        }
        first[k] = low;
    }
}

// The rows of the slices of pieces: which piece each is, and its length.
__kernel void pieces_order(const int count, const int kinds, const int long_row, const int bits,
                           __global const uint *restrict key, __global const int *restrict piece,
                           __global const int *restrict first, __global const int *restrict at,
                           __global int *restrict piece_at, __global int *restrict piece_place,
                           __global int *restrict hot_length, __global int *restrict cold_length)
{
    FOR_ITEMS(i, count) {
        const int kind = KIND_OF(key[i]), to = at[kind] + (i - first[kind]);
        const int length = long_row - (int)(key[i] & ((1u << bits) - 1));
        piece_at[piece[i]] = to;
        piece_place[to] = piece[i];
        hot_length[to] = kind < kinds - 1 ? length : 0;
        cold_length[to] = kind < kinds - 1 ? 0 : length;
    }
}

// Blocks of `block` pieces of each long row; most: the most pieces of one.
__kernel void pieces_blocks(const int long_count, const int kinds, const int block,
                            __global const int *restrict cell_piece, __global int *restrict blocks,
                            volatile __global int *most)
{
    FOR_ITEMS(i, long_count) {
        const int pieces = cell_piece[(i + 1) * kinds] - cell_piece[i * kinds];
        blocks[i] = (pieces + block - 1) / block;
        // stale is harmless: the word only grows
        if (pieces > SHARED_LOAD(most))
            atomic_max(most, pieces);
    }
}

// The first piece and the first block of each row, and after the last one.
__kernel void pieces_firsts(const int n, const int kinds, __global const int *restrict long_before,
                            __global const int *restrict cell_piece, __global const int *restrict blocks_before,
                            __global int *restrict first_piece, __global int *restrict first_block)
{
    FOR_ITEMS(v, n + 1) {
        const int i = long_before[v];
        first_piece[v] = cell_piece[i * kinds];
        first_block[v] = blocks_before[i];
    }
}

// The first piece of each block, and after the last one.
__kernel void pieces_of_blocks(const int long_count, const int kinds, const int block,
                               __global const int *restrict cell_piece, __global const int *restrict blocks_before,
                               __global int *restrict block_piece)
{
    FOR_ITEMS(i, long_count) {
        int piece = cell_piece[i * kinds];
        for (int b = blocks_before[i]; b < blocks_before[i + 1]; b++, piece += block)
            block_piece[b] = piece;
        if (i == long_count - 1)
            block_piece[blocks_before[i + 1]] = cell_piece[(i + 1) * kinds];
    }
}
