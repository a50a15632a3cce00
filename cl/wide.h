// wide.h: atomic sums of 64 bits. The baseline has only 32-bit atomics: with them a sum is two words, the low
// one first, and the addition that makes the low one wrap carries. Exactly one addition sees each wrap, so the sum is
// exact in any order.

static inline void add_wider(volatile __global ulong *sum, const ulong more)
{
#if defined(HAVE_INT64_ATOMICS) && !defined(CHECK_RACES)
    atom_add(sum, more);
#else
    volatile __global uint *words = (volatile __global uint *)sum;
    const uint low = (uint)more, before = atomic_add(&words[0], low);
    const uint high = (uint)(more >> 32) + ((uint)(before + low) < before);
    if (high)
        atomic_add(&words[1], high);
#endif
}

static inline void add_wide(volatile __global ulong *sum, const uint more) { add_wider(sum, (ulong)more); }
