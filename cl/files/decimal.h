// files/decimal.h: the double nearest to a decimal, in integer arithmetic (D. Lemire, Number parsing at a gigabyte per
// second, Software: Practice and Experience 51, 2021). No fp64 is needed.
//
// powers      ulong[2 * (POWER_MAX - POWER_MIN + 1)]   the leading 128 bits of 5^q, upper half first, from the host

#define POWER_MIN (-342)
#define POWER_MAX 308
#define CERTAIN 1
#define DOUBTFUL 0

// The bits of w * 10^q. DOUBTFUL: what is left to the host: subnormal, infinite, and the product that 128 bits do not
// settle.
static inline int nearest_double(ulong w, const int q, __global const ulong *powers, ulong *bits)
{
    *bits = 0;
    if (w == 0)
        return CERTAIN;
    if (q < POWER_MIN || q > POWER_MAX)
        return DOUBTFUL;
    const int zeros = (int)clz(w);
    w <<= zeros;
    const ulong upper = powers[2 * (q - POWER_MIN)];
    ulong low = w * upper, high = mul_hi(w, upper);
    if ((high & 0x1FF) == 0x1FF) {   // the bits that rounding hangs on may still change: the second half counts
        const ulong more = mul_hi(w, powers[2 * (q - POWER_MIN) + 1]);
        low += more;
        high += low < more;
    }
    if (low == ~(ulong)0)
        return DOUBTFUL;
    const int top = (int)(high >> 63);
    const int shift = top + 9;
    ulong mantissa = high >> shift;   // 53 bits and one to round by
    int exponent = ((217706 * q) >> 16) + 63 + top - zeros + 1023;
    if (exponent <= 0)
        return DOUBTFUL;
    // halfway between two doubles, which an exact product may be: to the even one
    if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << shift == high)
        mantissa &= ~(ulong)1;
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >> 53) {
        mantissa >>= 1;
        exponent++;
    }
    if (exponent >= 0x7FF)
        return DOUBTFUL;
    *bits = (mantissa & (((ulong)1 << 52) - 1)) | (ulong)exponent << 52;
    return CERTAIN;
}
