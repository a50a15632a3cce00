// centrality/distances.cl: for each of many searches (traversal/many.h) how many vertices lie at each distance. Closeness,
// harmonic centrality and mean distances are made of these numbers, which are exact.
//
// seen, planes   as in traversal/many.h; `rows` vertices have a row
// counted        uchar[rows]           which vertices count; NULL: all
// count          uint[levels][LANES]   vertices at distance first + l from each search's source; zero before
//
// launch         count: row l of the launch (dimension 1) has distance first + l to itself, and any number of work-groups
//                share it. Sums are kept bit by bit: digit d of the sums of all lanes is one word, and a vertex's word is
//                added to all of them by a few logical operations. Every FULL vertices the digits are spelled out.
//                scatter: for many levels; padded range, a work-item takes a lane of ITEMS vertices
// tunables       LANES

#include "traversal/many.h"
#include "measures/spread.h"

#define DIGITS 6
#define FULL ((1 << DIGITS) - 1)

static inline void spell(BITS *digit, uint *sum)
{
    for (uint lane = 0; lane < LANES; lane++)
        for (uint d = 0; d < DIGITS; d++)
            sum[lane] += (uint)(digit[d] >> lane & 1) << d;
    for (uint d = 0; d < DIGITS; d++)
        digit[d] = 0;
}

__kernel void distances_count(const int rows, const uint bits, const uint first, __global const BITS *restrict seen,
                              __global const BITS *restrict planes, __global const uchar *restrict counted,
                              volatile __global uint *count)
{
    const uint level = first + (uint)get_global_id(1);
    uint sum[LANES];
    BITS digit[DIGITS];
    for (uint lane = 0; lane < LANES; lane++)
        sum[lane] = 0;
    for (uint d = 0; d < DIGITS; d++)
        digit[d] = 0;
    uint added = 0;
    FOR_SPREAD(v, 0, rows) {
        BITS carry = counted && !counted[v] ? 0 : seen[v];
        for (uint b = 0; b < bits && carry; b++) {
            const BITS plane = planes[(size_t)b * rows + v];
            carry &= level >> b & 1 ? plane : ~plane;
        }
        if (!carry)
            continue;
        for (uint d = 0; d < DIGITS; d++) {
            const BITS both = digit[d] & carry;
            digit[d] ^= carry;
            carry = both;
        }
        if (++added == FULL) {
            spell(digit, sum);
            added = 0;
        }
    }
    spell(digit, sum);
    for (uint lane = 0; lane < LANES; lane++)
        if (sum[lane])
            atomic_add(&count[get_global_id(1) * LANES + lane], sum[lane]);
}

__kernel void distances_scatter(const int rows, const uint bits, __global const BITS *restrict seen,
                                __global const BITS *restrict planes, __global const uchar *restrict counted,
                                volatile __global uint *count)
{
    const int lane = (int)(get_global_id(0) % LANES);
    const long from = (long)(get_global_id(0) / LANES) * ITEMS;
    for (long v = min(from, (long)rows), end = min(from + ITEMS, (long)rows); v < end; v++) {
        if (!(seen[v] >> lane & 1) || (counted && !counted[v]))
            continue;
        uint distance = 0;
        for (uint b = 0; b < bits; b++)
            distance |= (uint)(planes[(size_t)b * rows + v] >> lane & 1) << b;
        atomic_inc(&count[(size_t)distance * LANES + lane]);
    }
}
