// ranking/personalized/walks.h: where random walks start (cl/ranking/personalized/walks.cl and its pipelines); after
// keyed.h.
//
// Walk i is at position i << 32 | its keyed word; the shares of the start vertices end at such positions.

static inline uint start_word(ulong seed, uint source, uint walk)
{
    return keyed_words(seed, source, walk, 0, TAG_WALK).v[0];
}

// How many walks have a position below x.
static inline uint walks_below(ulong seed, uint source, uint walks, ulong x)
{
    const uint walk = (uint)(x >> 32);
    return walk >= walks ? walks : walk + (start_word(seed, source, walk) < (uint)x);
}

// Where share j of `starts` equal ones ends: (j + 1) (walks << 32) / starts, rounded up.
static inline ulong even_until(uint j, uint starts, uint walks)
{
    // no %: LLVM merges it with the division into an instruction that Oclgrind does not know
    const ulong ends = (ulong)(j + 1) * walks, whole = ends / starts, rest = ends - whole * starts;
    return (whole << 32) + ((rest << 32) + starts - 1) / starts;
}
