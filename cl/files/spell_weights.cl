// files/spell_weights.cl: the weights of a piece's arcs as Python writes them: the shortest decimal, with an exponent
// beyond 16 digits before the point or 4 zeros behind it.
//
// Each work-item takes RUN consecutive arcs, as in files/spell.cl, which copies the cells to where they belong.
//
// row_ptr, col_idx, directed, first, last   as in files/spell.cl
// weight      ulong[arcs]             bits of float64
// powers      ulong[]                 see files/shortest.h
// cells       ulong[4][room]          text and a line feed, the first byte in the lowest of word 0; of the arcs from
//                                     `first` on
// sizes       uchar[room]             bytes of a cell
// launch      one work-item per run of the arcs first .. last - 1

#include "files/spell.h"
#include "files/shortest.h"
#include "files/digits.h"

typedef struct {
    ulong word[WEIGHT_WORDS];
    int size;
} spelt;

static inline void add(spelt *out, const uint c)
{
    out->word[out->size >> 3] |= (ulong)c << 8 * (out->size & 7);
    out->size++;
}

// Eight digits of a number below 10^8, one in each byte, the first in the lowest. (No remainders: where there is a
// quotient, too, Oclgrind crashes.)
static inline ulong apart(const uint value)
{
    const uint upper = value / 10000;
    const ulong fours = upper | (ulong)(value - 10000 * upper) << 32;
    const ulong hundreds = (fours * 10486 >> 20) & 0x0000007F0000007F;
    const ulong twos = hundreds + ((fours - 100 * hundreds) << 16);
    const ulong tens = (twos * 103 >> 10) & 0x000F000F000F000F;
    return tens + ((twos - 10 * tens) << 8);
}

static inline int last_digit(const ulong digits)
{
    return 8 - ((int)clz(digits) >> 3);
}

static inline void add_decimal(spelt *out, ulong value, int exponent)
{
    int length = ((64 - (int)clz(value)) * 1233 >> 12);
    length += value >= ten_to(length);
    value *= ten_to(17 - length);
    const int point = length + exponent;   // digits before it
    const ulong upper = value / 100000000, first = upper / 100000000;
    const ulong digits[2] = {apart((uint)(upper - first * 100000000)), apart((uint)(value - upper * 100000000))};
    const int count = digits[1] ? 9 + last_digit(digits[1]) : digits[0] ? 1 + last_digit(digits[0]) : 1;
    const int scientific = point <= -4 || point > 16;
    if (!scientific && point <= 0) {
        add(out, '0');
        add(out, '.');
        for (int i = point; i < 0; i++)
            add(out, '0');
    }
    const int dot = scientific ? 1 : point;
    for (int i = 0; i < count; i++) {
        if (i && i == dot)
            add(out, '.');
        add(out, '0' + (uint)(i ? digits[(i - 1) >> 3] >> 8 * ((i - 1) & 7) & 15 : first));
    }
    if (scientific) {
        const int power = point - 1;
        const uint size = (uint)(power < 0 ? -power : power);
        add(out, 'e');
        add(out, power < 0 ? '-' : '+');
        const ulong shown = apart(size);
        for (int i = size > 99 ? 5 : 6; i < 8; i++)
            add(out, '0' + (uint)(shown >> 8 * i & 15));
    } else if (count <= point) {
        for (int i = count; i < point; i++)
            add(out, '0');
        add(out, '.');
        add(out, '0');
    }
}

__kernel void spell_weights(const int n, const long first, const long last, const int directed,
                            __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                            __global const ulong *restrict weight, __global const ulong *restrict powers,
                            const int room, __global ulong *restrict cells, __global uchar *restrict sizes)
{
    FOR_ROWS(v, p)
        if (directed || v <= col_idx[p]) {
            spelt out = {{0}, 0};
            const ulong bits = weight[p] & ~((ulong)1 << 63);
            if (weight[p] != bits)
                add(&out, '-');
            if (bits) {
                int exponent;
                const ulong value = shortest_decimal(bits, powers, &exponent);
                add_decimal(&out, value, exponent);
            } else {
                add(&out, '0');
                add(&out, '.');
                add(&out, '0');
            }
            add(&out, '\n');
            const int k = (int)(p - first);
            for (int i = 0; i < WEIGHT_WORDS; i++)
                cells[(long)i * room + k] = out.word[i];
            sizes[k] = (uchar)out.size;
        }
}
