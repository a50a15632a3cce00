// files/shortest.h: the shortest decimal that reads back to the same double (or float), and of these the nearest: Schubfach (R.
// Giulietti, The Schubfach way to render doubles, 2020), in integer arithmetic. No fp64 is needed.
//
// powers      ulong[2 * (TENS_MAX - TENS_MIN + 1)]   the leading 128 bits of 10^k, upper half first, rounded up

#define TENS_MIN (-292)
#define TENS_MAX 324

// floor(log10(2^q)), floor(log10(3/4 * 2^q)) and floor(log2(10^k))
#define LOG10_OF_POWER(q) (((q) * 1262611) >> 22)
#define LOG10_OF_THREE_QUARTERS(q) (((q) * 1262611 - 524031) >> 22)
#define LOG2_OF_TENS(k) (((k) * 1741647) >> 19)

// The upper word of a product of 192 bits; its last bit also says whether anything follows.
static inline ulong product_to_odd(const ulong high, const ulong low, const ulong x)
{
    const ulong carried = mul_hi(low, x);
    const ulong middle = high * x + carried;
    return (mul_hi(high, x) + (middle < carried)) | (middle > 1);
}

// The decimal digits * 10^*exponent of c * 2^q; closer: whether the next number below is nearer than the one above.
static inline ulong shortest_of(const ulong c, const int q, const int closer, __global const ulong *powers,
                                int *exponent)
{
    if (q <= 0 && q > -53 && !(c & (((ulong)1 << -q) - 1))) {   // a whole number
        *exponent = 0;
        return c >> -q;
    }
    const ulong odd = c & 1;
    const int k = closer ? LOG10_OF_THREE_QUARTERS(q) : LOG10_OF_POWER(q);
    const int h = q + LOG2_OF_TENS(-k) + 1;
    const ulong high = powers[2 * (-k - TENS_MIN)], low = powers[2 * (-k - TENS_MIN) + 1];
    const ulong lower = product_to_odd(high, low, (4 * c - 2 + closer) << h) + odd;
    const ulong middle = product_to_odd(high, low, 4 * c << h);
    const ulong upper = product_to_odd(high, low, (4 * c + 2) << h) - odd;
    const ulong s = middle / 4;
    if (s >= 10) {   // one digit less
        const ulong tens = s / 10;
        const int down = lower <= 40 * tens, up = 40 * tens + 40 <= upper;
        if (down != up) {
            *exponent = k + 1;
            return tens + up;
        }
    }
    *exponent = k;
    const int down = lower <= 4 * s, up = 4 * s + 4 <= upper;
    if (down != up)
        return s + up;
    const ulong between = 4 * s + 2;
    return s + (middle > between || (middle == between && (s & 1)));
}

// Of a finite double above zero, given by its bits.
static inline ulong shortest_decimal(const ulong bits, __global const ulong *powers, int *exponent)
{
    const ulong fraction = bits & (((ulong)1 << 52) - 1);
    const int biased = (int)(bits >> 52) & 0x7FF;
    const ulong c = biased ? fraction | (ulong)1 << 52 : fraction;
    return shortest_of(c, (biased ? biased : 1) - 1075, fraction == 0 && biased > 1, powers, exponent);
}

// Of a finite float above zero, given by its bits.
static inline ulong shortest_of_float(const uint bits, __global const ulong *powers, int *exponent)
{
    const uint fraction = bits & ((1u << 23) - 1);
    const int biased = (int)(bits >> 23) & 0xFF;
    const ulong c = biased ? fraction | 1u << 23 : fraction;
    return shortest_of(c, (biased ? biased : 1) - 150, fraction == 0 && biased > 1, powers, exponent);
}
