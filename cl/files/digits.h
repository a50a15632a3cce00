// files/digits.h: whole numbers out of a text, eight digits at a time (D. Lemire's multiplications, as in simdjson).
//
// text        uchar[]    a line feed ends it; seven more bytes can be read

#define LONGEST 100   // digits of a number, leading zeros included

#define IS_BLANK(c) ((c) == ' ' || (c) == '\t')
#define IS_DIGIT(c) ((uchar)((c) - '0') < 10)

// Eight digits, the first in the lowest byte.
static inline ulong eight_digits(ulong x)
{
    x = (x * 2561 >> 8) & 0x00FF00FF00FF00FF;
    x = (x * 6553601 >> 16) & 0x0000FFFF0000FFFF;
    return x * 42949672960001 >> 32;
}

static inline ulong ten_to(const int k)
{
    ulong power = k & 1 ? 10 : 1;
    power *= k & 2 ? 100 : 1;
    power *= k & 4 ? 10000 : 1;
    power *= k & 8 ? 100000000 : 1;
    return power * (k & 16 ? 10000000000000000 : 1);
}

// How many of the next eight bytes are digits before anything else is; their number in *value.
static inline int some_digits(__global const uchar *text, const int at, ulong *value)
{
    const ulong x = as_ulong(vload8(0, text + at)) ^ 0x3030303030303030;
    const ulong other = ((x + 0x7676767676767676) | x) & 0x8080808080808080;
    const int length = (int)popcount((other - 1) & ~other) >> 3;
    *value = length ? eight_digits(x << (64 - 8 * length)) : 0;
    return length;
}

// The number that the digits from *at on continue, and how many of them count: more than 19 do not fit.
static inline ulong more_digits(__global const uchar *text, int *at, int *count, ulong value)
{
    int length = 8;
    while (length == 8 && *count < 24) {
        ulong more;
        length = some_digits(text, *at, &more);
        value = value * ten_to(length) + more;
        *at += length;
        *count += length;
    }
    return value;
}

// A whole number at *at, which is moved behind it; 0 with *fits = 0 where there is none, or one that is too large.
// signs: whether it may begin with a plus.
static inline ulong whole_number(__global const uchar *text, int *at, const int signs, int *fits)
{
    int p = *at, count = 0;
    p += signs && text[p] == '+';
    const int begin = p;
    while (text[p] == '0' && IS_DIGIT(text[p + 1]) && p - begin < LONGEST)
        p++;
    ulong value;
    count = some_digits(text, p, &value);
    p += count;
    if (count == 8)
        value = more_digits(text, &p, &count, value);
    *fits = count > 0 && count < 20 && value <= (ulong)LONG_MAX;
    *at = p;
    return *fits ? value : 0;
}
