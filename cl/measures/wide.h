// measures/wide.h: atomic sums of 64 bits. The baseline has only 32-bit atomics: with them a sum is two words, the low
// one first, and the addition that makes the low one wrap carries. Exactly one addition sees each wrap, so the sum is
// exact in any order.

static inline void add_wide(volatile __global ulong *sum, const uint more)
{
#if defined(HAVE_INT64_ATOMICS) && !defined(CHECK_RACES)
    atom_add(sum, (ulong)more);
#else
    volatile __global uint *words = (volatile __global uint *)sum;
    const uint before = atomic_add(&words[0], more);
    if ((uint)(before + more) < before)
        atomic_inc(&words[1]);
#endif
}
