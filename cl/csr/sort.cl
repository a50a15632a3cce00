// csr/sort.cl: one pass of a stable radix sort of keys with values, the lowest digit first (Satish, Harris, Garland,
// IPDPS 2009).
//
// Each tile's keys are counted by digit; a running sum over all counts, digit by digit and tile by tile within a digit
// (csr/scan.cl), says where each tile's keys of a digit go. A work-group then orders its tile in local memory, where a
// work-item counts its own consecutive keys in its own column, and writes runs of one digit.
//
// key uint[n], value int[n]   value NULL: each value is its position
// counts int[DIGITS][tiles]   keys of a digit in a tile; base int[DIGITS * tiles + 1]: their running sums
// launch      one work-group of LOCAL per tile
// tunables    LOCAL (1 on CPUs: no barriers), EACH (keys of a work-item), BITS of a digit; LOCAL * EACH is at most 65535
//             where LOCAL is not 1

#ifndef LOCAL
#define LOCAL 1
#endif
#ifndef EACH
#define EACH 8
#endif
#ifndef BITS
#define BITS 4
#endif
#define DIGITS (1 << BITS)
#define TILE (LOCAL * EACH)
#define DIGIT(key) (((key) >> shift) & (DIGITS - 1))

__kernel void sort_count(const long n, const int shift, const int tiles, __global const uint *restrict key,
                         __global int *restrict counts)
{
    __local int count[DIGITS];
    const int lane = get_local_id(0), tile = get_group_id(0);
    const long begin = (long)tile * TILE, end = min(begin + TILE, n);
    for (int d = lane; d < DIGITS; d += LOCAL)
        count[d] = 0;
#if LOCAL > 1
    barrier(CLK_LOCAL_MEM_FENCE);
    for (long i = begin + lane; i < end; i += LOCAL)
        atomic_inc(&count[DIGIT(key[i])]);
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    for (long i = begin; i < end; i++)
        count[DIGIT(key[i])]++;
#endif
    for (int d = lane; d < DIGITS; d += LOCAL)
        counts[(long)d * tiles + tile] = count[d];
}

__kernel void sort_move(const long n, const int shift, const int tiles, __global const uint *restrict key,
                        __global const int *restrict value, __global const int *restrict base,
                        __global uint *restrict new_key, __global int *restrict new_value)
{
    const int tile = get_group_id(0);
    const long begin = (long)tile * TILE;
    const int length = (int)min((long)TILE, n - begin);
#if LOCAL > 1
    __local ushort place[DIGITS * LOCAL];
    __local int box[LOCAL], first[DIGITS];
    __local uint keys[TILE];
    __local int values[TILE];
    const int lane = get_local_id(0);
    const int from = min(lane * EACH, length), to = min(from + EACH, length);
    for (int d = 0; d < DIGITS; d++)
        place[d * LOCAL + lane] = 0;
    for (int i = from; i < to; i++)
        place[DIGIT(key[begin + i]) * LOCAL + lane]++;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int d = 0; d < DIGITS; d++)
        sum += place[lane * DIGITS + d];
    box[lane] = sum;
    for (int by = 1; by < LOCAL; by *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const int less = lane >= by ? box[lane - by] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        box[lane] += less;
    }
    int run = box[lane] - sum;
    for (int d = 0; d < DIGITS; d++) {
        const int here = place[lane * DIGITS + d];
        place[lane * DIGITS + d] = (ushort)run;
        run += here;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = lane; d < DIGITS; d += LOCAL)
        first[d] = place[d * LOCAL];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = from; i < to; i++) {
        const uint k = key[begin + i];
        const int at = place[DIGIT(k) * LOCAL + lane]++;
        keys[at] = k;
        values[at] = value ? value[begin + i] : (int)(begin + i);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lane; i < length; i += LOCAL) {
        const int d = DIGIT(keys[i]);
        const int at = base[(long)d * tiles + tile] + (i - first[d]);
        new_key[at] = keys[i];
        new_value[at] = values[i];
    }
#else
    int next[DIGITS];
    for (int d = 0; d < DIGITS; d++)
        next[d] = base[(long)d * tiles + tile];
    for (int i = 0; i < length; i++) {
        const uint k = key[begin + i];
        const int at = next[DIGIT(k)]++;
        new_key[at] = k;
        new_value[at] = value ? value[begin + i] : (int)(begin + i);
    }
#endif
}
