// files/columns.cl: columns of numbers as the rows of a text: values by tabs, each row ended by a line feed; whole numbers,
// and reals as NumPy writes them (see files/shortest.h).
//
// Each work-item spells RUN consecutive rows: columns_lengths says how many bytes they have, the host sums them up, and
// columns_rows writes them. A number is spelt twice, which takes less time than keeping its text does.
//
// first, second, third   the columns, whose types are FIRST, SECOND and THIRD
// lengths     int[runs]   bytes of each run; then the bytes before it
// powers      ulong[]     see files/shortest.h
// text        uchar[]
// launch      one work-item per run of the rows begin .. end - 1
// tunables    RUN: 16 on GPUs, thousands on CPUs

#include "files/spelt.h"

#ifndef RUN
#define RUN 16
#endif

#define NONE 0
#define INT 1
#define LONG 2
#define FLOAT 3
#define DOUBLE 4
#ifndef FIRST
#define FIRST LONG
#endif
#ifndef SECOND
#define SECOND INT
#endif
#ifndef THIRD
#define THIRD NONE
#endif

static inline spelt cell(const int type, __global const void *column, const long row, const int last,
                         __global const ulong *powers)
{
    spelt out = {{0}, 0};
    if (type == INT)
        add_whole(&out, ((__global const int *)column)[row]);
    else if (type == LONG)
        add_whole(&out, ((__global const long *)column)[row]);
    else if (type == FLOAT)
        add_float(&out, ((__global const uint *)column)[row], powers);
    else
        add_double(&out, ((__global const ulong *)column)[row], powers);
    add(&out, last ? '\n' : '\t');
    return out;
}

static inline int put(__global uchar *text, int at, const spelt made)
{
    for (int i = 0; i < made.size; i++)
        text[at + i] = (uchar)(made.word[i >> 3] >> 8 * (i & 7));
    return at + made.size;
}

// for (each row of this work-item)
#define FOR_RUN(row, begin, end)                                     \
    for (long row = min((begin) + (long)get_global_id(0) * RUN, end), \
              row##_end = min(row + RUN, end);                       \
         row < row##_end; row++)

__kernel void columns_lengths(const long begin, const long end, __global const void *restrict first,
                              __global const void *restrict second, __global const void *restrict third,
                              __global const ulong *restrict powers, __global int *restrict lengths)
{
    int length = 0;
    FOR_RUN(row, begin, end) {
        length += cell(FIRST, first, row, 0, powers).size + cell(SECOND, second, row, THIRD == NONE, powers).size;
        if (THIRD != NONE)
            length += cell(THIRD, third, row, 1, powers).size;
    }
    if (begin + (long)get_global_id(0) * RUN < end)
        lengths[get_global_id(0)] = length;
}

__kernel void columns_rows(const long begin, const long end, __global const void *restrict first,
                           __global const void *restrict second, __global const void *restrict third,
                           __global const ulong *restrict powers, __global const int *restrict before,
                           __global uchar *restrict text)
{
    int at = begin + (long)get_global_id(0) * RUN < end ? before[get_global_id(0)] : 0;
    FOR_RUN(row, begin, end) {
        at = put(text, at, cell(FIRST, first, row, 0, powers));
        at = put(text, at, cell(SECOND, second, row, THIRD == NONE, powers));
        if (THIRD != NONE)
            at = put(text, at, cell(THIRD, third, row, 1, powers));
    }
}
