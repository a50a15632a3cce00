// keyed.h: random numbers keyed by (seed, identity), Philox4x32-10 (Salmon et al., Random123, SC'11).
//
// A number belongs to an object (a vertex, an edge, a draw), never to a work-item, so that it is the same on every
// device, with every local size and however the work is cut. clgraph/keyed.py is the host's version, equal bit for bit.
// The cipher itself is pyopencl's copy of Random123.

#ifndef R123_STATIC_INLINE
#define R123_STATIC_INLINE static inline   // plain C99 inline leaves the function undefined on some devices
#endif
#include <pyopencl-random123/philox.cl>

#define TAG_VERTEX 1u
#define TAG_EDGE 2u
#define TAG_DRAW 3u
#define TAG_GENERATE 4u
#define TAG_ARC 5u
#define TAG_WALK 6u
#define TAG_START 8u
#define TAG_STEP 9u
#define TAG_COIN 10u
#define TAG_MODEL 11u

static inline __attribute__((always_inline)) philox4x32_ctr_t keyed_words(ulong seed, uint a, uint b, uint c, uint tag)
{
    philox4x32_ctr_t counter;
    philox4x32_key_t key;
    counter.v[0] = a;
    counter.v[1] = b;
    counter.v[2] = c;
    counter.v[3] = tag;
    key.v[0] = (uint)seed;
    key.v[1] = (uint)(seed >> 32);
    return philox4x32(counter, key);
}

static inline ulong keyed_join(uint low, uint high)
{
    return (ulong)low | ((ulong)high << 32);
}

// The two words of a block: most numbers are word a.
static inline ulong keyed_a(philox4x32_ctr_t x) { return keyed_join(x.v[0], x.v[1]); }
static inline ulong keyed_b(philox4x32_ctr_t x) { return keyed_join(x.v[2], x.v[3]); }

static inline ulong vertex_priority(ulong seed, uint v)
{
    philox4x32_ctr_t x = keyed_words(seed, v, 0, 0, TAG_VERTEX);
    return keyed_join(x.v[0], x.v[1]);
}

static inline ulong edge_priority(ulong seed, uint low, uint high, uint copy)
{
    philox4x32_ctr_t x = keyed_words(seed, low, high, copy, TAG_EDGE);
    return keyed_join(x.v[0], x.v[1]);
}

static inline ulong arc_number(ulong seed, uint tail, uint head)
{
    philox4x32_ctr_t x = keyed_words(seed, tail, head, 0, TAG_ARC);
    return keyed_join(x.v[0], x.v[1]);
}

// By which further starts are chosen: the smaller one goes first.
static inline ulong start_priority(ulong seed, uint v)
{
    return keyed_a(keyed_words(seed, v, 0, 0, TAG_START));
}

// Uniform integer 0 .. bound-1 from 64 random bits (multiply-shift, bias below bound / 2^64).
static inline uint keyed_below(ulong bits, uint bound)
{
    ulong low = ((bits & 0xFFFFFFFFul) * bound) >> 32;
    return (uint)(((bits >> 32) * bound + low) >> 32);
}
