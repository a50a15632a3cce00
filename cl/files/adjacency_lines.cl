// files/adjacency_lines.cl: lines of numbers, parsed in parallel: line v lists the neighbours of vertex v, counted from 1, each
// perhaps with its weight behind it (METIS's graphs).
//
// The text comes in pieces that end between numbers; each work-item takes the bytes of its block. lists_count counts the
// numbers that begin there, and the line feeds; the host sums both up, and lists_numbers puts each number where it
// belongs. What these kernels do not take is counted (`seen`), and the host's reader reads the file:
// clgraph/formats/metis.py says what is right.
//
// text        uchar[end + 8]     text[end - 1] is no digit; what follows is not used
// lines, numbers  int[blocks]    line feeds and numbers in each block; those before it when lists_numbers runs
// tail, head  int[]              arcs, counted from 0
// weight      ulong[]            bits of float64
// seen        uint[SEEN]
// launch      one work-item per block
// tunables    BLOCK: hundreds of bytes on GPUs, tens of thousands on CPUs; STEP: numbers for each neighbour

#include "files/decimal.h"
#include "files/digits.h"

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef STEP
#define STEP 1
#endif

#define ODD 0     // bytes, numbers and lines that are left to the host
#define LOOPS 1   // vertices that list themselves

static inline int begins(__global const uchar *text, const int begin, const int p)
{
    return IS_DIGIT(text[p]) && (p == begin || !IS_DIGIT(text[p - 1]));
}

__kernel void lists_count(const int begin, const int end, __global const uchar *restrict text,
                          __global int *restrict lines, __global int *restrict numbers)
{
    const long from = begin + (long)get_global_id(0) * BLOCK;
    if (from < end) {
        const int to = (int)min(from + BLOCK, (long)end);
        int line = 0, number = 0;
        for (int p = (int)from; p < to; p++) {
            line += text[p] == '\n';
            number += begins(text, begin, p);
        }
        lines[get_global_id(0)] = line;
        numbers[get_global_id(0)] = number;
    }
}

// line_base, number_base: lines and numbers before the piece.
__kernel void lists_numbers(const int begin, const int end, const long line_base, const long number_base, const int n,
                            __global const uchar *restrict text, __global const int *restrict lines,
                            __global const int *restrict numbers, __global const ulong *restrict powers,
                            __global int *restrict tail, __global int *restrict head, __global ulong *restrict weight,
                            volatile __global uint *seen)
{
    const long from = begin + (long)get_global_id(0) * BLOCK;
    if (from < end) {
        const int to = (int)min(from + BLOCK, (long)end);
        long line = line_base + lines[get_global_id(0)], k = number_base + numbers[get_global_id(0)];
        uint odd = 0, loops = 0;
        for (int p = (int)from; p < to; p++) {
            const uchar c = text[p];
            if (begins(text, begin, p)) {
                int at = p, fits;
                const ulong value = whole_number(text, &at, 0, &fits);
                odd += !fits || line >= n;
                if (STEP == 1 || k % STEP == 0) {
                    odd += value < 1 || value > (ulong)n;
                    loops += value == (ulong)line + 1;
                    tail[k / STEP] = (int)line;
                    head[k / STEP] = (int)value - 1;
                } else {
                    ulong bits;
                    odd += nearest_double(value, 0, powers, &bits) != CERTAIN;
                    weight[k / STEP] = bits;
                }
                k++;
                p = min(at, to) - 1;
            } else if (c == '\n') {
                odd += k % STEP;
                line++;
            } else if (c == '\r') {
                odd += text[p + 1] != '\n';
            } else {
                odd += c != ' ' && c != '\t' && !IS_DIGIT(c);
            }
        }
        if (odd)
            atomic_add(&seen[ODD], odd);
        if (loops)
            atomic_add(&seen[LOOPS], loops);
    }
}
