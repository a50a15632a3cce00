// ranking/top_keys.cl: sort keys of scores, highest first: their bits inverted (values are not negative, so that their
// bit patterns have the same order), a word of 32 bits at a time.
//
// score uint[n * WORDS]   floating-point values, WORDS words each; `word` is the one that is wanted (0: the lowest)
// who int[n] or NULL      the entry at each position; NULL: in order
// launch      padded range, each work-item takes ITEMS consecutive positions
// tunables    ITEMS, WORDS

#ifndef WORDS
#define WORDS 1
#endif
#ifdef __ENDIAN_LITTLE__
#define PLACE(word) (word)
#else
#define PLACE(word) (WORDS - 1 - (word))
#endif

__kernel void top_keys(const int n, const int word, __global const uint *restrict score, __global const int *restrict who,
                       __global uint *restrict key)
{
    FOR_ITEMS(i, n) key[i] = ~score[(long)(who ? who[i] : i) * WORDS + PLACE(word)];
}
