// files/spelt.h: numbers spelt as Python and NumPy write them, into the private memory of a work-item.

#include "files/shortest.h"
#include "files/digits.h"

#define SPELT_WORDS 4   // "-2.2250738585072014e-308" and what ends it

typedef struct {
    ulong word[SPELT_WORDS];   // the first byte in the lowest of word 0
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

static inline void add_decimal(spelt *out, ulong value, const int exponent, const int tiny)
{
    int length = ((64 - (int)clz(value)) * 1233 >> 12);
    length += value >= ten_to(length);
    value *= ten_to(17 - length);
    const int point = length + exponent;   // digits before it
    const ulong upper = value / 100000000, first = upper / 100000000;
    const ulong digits[2] = {apart((uint)(upper - first * 100000000)), apart((uint)(value - upper * 100000000))};
    const int count = digits[1] ? 9 + last_digit(digits[1]) : digits[0] ? 1 + last_digit(digits[0]) : 1;
    const int scientific = tiny || point <= -4 || point > 16;
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

// A number by its sign and digits * 10^exponent; tiny: whether it has an exponent in any case.
static inline void add_real(spelt *out, const int negative, const ulong value, const int exponent, const int tiny)
{
    if (negative)
        add(out, '-');
    if (value) {
        add_decimal(out, value, exponent, tiny);
    } else {
        add(out, '0');
        add(out, '.');
        add(out, '0');
    }
}

// A finite double, given by its bits.
static inline void add_double(spelt *out, const ulong bits, __global const ulong *powers)
{
    const ulong positive = bits & ~((ulong)1 << 63);
    int exponent = 0;
    const ulong value = positive ? shortest_decimal(positive, powers, &exponent) : 0;
    add_real(out, positive != bits, value, exponent, 0);
}

#define BELOW_TENTH_OF_THOUSANDTH 0x38D1B717   // the float nearest to 0.0001, which is less

// A finite float, given by its bits: the shortest decimal that reads back to the same float. (From which size on NumPy
// writes floats with an exponent depends on its release: here as doubles.)
static inline void add_float(spelt *out, const uint bits, __global const ulong *powers)
{
    const uint positive = bits & 0x7FFFFFFF;
    int exponent = 0;
    const ulong value = positive ? shortest_of_float(positive, powers, &exponent) : 0;
    add_real(out, positive != bits, value, exponent, positive <= BELOW_TENTH_OF_THOUSANDTH);
}

static inline void add_whole(spelt *out, const long number)
{
    ulong left = (ulong)number;
    if (number < 0) {
        add(out, '-');
        left = -left;
    }
    int end = out->size + 1;
    for (ulong rest = left; rest > 9; rest /= 10)
        end++;
    for (int i = end - 1; i >= out->size; i--) {
        const ulong rest = left / 10;
        out->word[i >> 3] |= ('0' + left - rest * 10) << 8 * (i & 7);
        left = rest;
    }
    out->size = end;
}
