// pagerank_flat.h: the sums of PageRank as pipelines: fixed point along rows, and the end of a row; after pagerank.h.
//
// A floating-point sum would make each turn wait for the addition before it. What is added here is a share of a whole
// that is 1, so that fixed point serves better: 64 bits, 2^-62 to a unit, additions in one cycle and in any order with the
// same result. Values are cut off to the unit below: a sum of k values is too small by less than k 2^-62, and one
// iteration loses less than arcs 2^-62 in all (6.5e-11 for 300 million arcs; the ranks' own rounding to float32 is up
// to 6e-8). Sums of squares (norm l2) are too small for that: ADDERS partial sums in floating point, taken in turns.

#define FRACTION 62

// Shares, rows' sums and changes are below 2: signed conversions do, which processors have in one instruction (the
// emulator runs on one). The total of all changes may reach 2 and above.
static inline ulong to_fixed(const WIDE x)
{
    return (ulong)(long)(x * (WIDE)(1ul << FRACTION));
}
static inline WIDE from_fixed(const ulong x)
{
    return (WIDE)(long)x * ((WIDE)1 / (WIDE)(1ul << FRACTION));
}
static inline WIDE total_fixed(const ulong x)
{
    return (WIDE)x * ((WIDE)1 / (WIDE)(1ul << FRACTION));
}
// Exact in a pair of floats but for the last 14 bits; a double keeps the first 53.
static inline ACC acc_fixed(const ulong x)
{
    ACC a = acc_add(ACC_ZERO, total_fixed(x & ~((1ul << 40) - 1)));
    a = acc_add(a, total_fixed(x & ((1ul << 40) - 1) & ~((1ul << 16) - 1)));
    return acc_add(a, total_fixed(x & ((1ul << 16) - 1)));
}

typedef struct {
    ulong lost, moved;
    WIDE other[ADDERS], largest;
} Flat;

static inline Flat flat_none(void)
{
    Flat f;
    f.lost = f.moved = 0;
    f.largest = 0;
    #pragma unroll
    for (int i = 0; i < ADDERS; i++)
        f.other[i] = 0;
    return f;
}

static inline void flat_parts(const Flat *f, const int norm, __global ACC *parts)
{
    ACC other = ACC_ZERO;
    for (int i = 0; i < ADDERS; i++)
        other = acc_add(other, f->other[i]);
    parts[0] = acc_fixed(f->lost);
    parts[1] = acc_fixed(f->moved);
    parts[2] = norm == 3 ? acc_add(ACC_ZERO, f->largest) : other;
}

// Row v has the sum `row`: its new rank, what travels on, and its part in the tally.
static inline void flat_settle(const int v, const ulong row, const WIDE mass, Flat *f, VERTEX_ARGS_AS())
{
    const WIDE to = p ? (WIDE)p[v] : even, back = q ? (WIDE)q[v] : even, before = rank[v];
    const REAL inv = inverse[v];
    const REAL now = (REAL)((1 - damping) * to + damping * (from_fixed(row) + mass * back));
    const WIDE change = (WIDE)now - before, size = change < 0 ? -change : change;
    rank[v] = now;
#ifdef TRAVEL_RANK
    next[v + SHIFT] = now;
#else
    next[v + SHIFT] = now * inv;
#endif
    f->lost += inv == 0 ? to_fixed(now) : 0;
    f->moved += to_fixed(size);
    f->largest = size > f->largest ? size : f->largest;
    const WIDE sum = f->other[0] + (norm == 2 ? size * size : 0);
    #pragma unroll
    for (int i = 0; i + 1 < ADDERS; i++)
        f->other[i] = f->other[i + 1];
    f->other[ADDERS - 1] = sum;
}

#define FLAT_ARGS                                                                                                \
    const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx

// What an arc brings. `degree` is NULL but for Parallel I, `share` but for weighted graphs.
#define BROUGHT(e, u)                                                                                            \
    to_fixed(share ? (WIDE)VALUE(u) * (WIDE)share[e] : degree ? (WIDE)(VALUE(u) / (REAL)degree[e]) : (WIDE)VALUE(u))
#define VALUE(u) (fits ? values[u] : travel[(u) + SHIFT])

// All rows; DONE(v, sum) ends one. Up to UNROLL arcs of a row a cycle.
#define FLAT_ROWS(DONE)                                                                                          \
    const int fits = n <= LOCAL_RANKS;                                                                           \
    if (fits)                                                                                                    \
        FOR_EACH(u_, n)                                                                                          \
            values[u_] = travel[u_ + SHIFT];                                                                     \
    FOR_BLOCKS(base, n, many) {                                                                                  \
        FOR_EACH(i, many)                                                                                        \
            SET_BOUNDS(bounds, i, row_ptr[base + i], row_ptr[base + i + 1]);                                     \
        ulong sum = 0;                                                                                           \
        _Pragma("ivdep") FOR_BURSTS(w, bounds, many) {   /* each row's places are its own */                     \
            ulong part = w.first ? 0 : sum;                                                                      \
            EACH_WORD(k) {                                                                                       \
                if (k < w.count) {                                                                               \
                    const int u_ = col_idx[w.p + k];                                                             \
                    part += BROUGHT(w.p + k, u_);                                                                \
                }                                                                                                \
            }                                                                                                    \
            sum = part;                                                                                          \
            if (w.last) {                                                                                        \
                DONE((int)base + w.row, sum);                                                                    \
            }                                                                                                    \
        }                                                                                                        \
    }

// A variant's kernel. With CHANNELS two: `name` reads the arcs and hands on the rows' sums, `name`_write, which the host
// launches beside it with the same arguments, ends the rows. So the reads of a row's own values and the writes never hold
// up the stream of arcs.
#if CHANNELS
#pragma OPENCL EXTENSION cl_intel_channels : enable
#define FLAT_KERNEL(name, ARGS, DEGREE)                                                                          \
    channel ulong name##_sums __attribute__((depth(1024)));                                                      \
    PIPELINE void name(ARGS, __global const REAL *restrict share, __global const REAL *restrict travel,          \
                       __global ACC *restrict parts, __global const int *restrict state, VERTEX_ARGS)            \
    {                                                                                                            \
        __local REAL values[LOCAL_RANKS];                                                                        \
        Bounds bounds;                                                                                           \
        DEGREE                                                                                                   \
        if (state[STOPPED]) return;                                                                              \
        FLAT_ROWS(FLAT_SEND_##name)                                                                              \
    }                                                                                                            \
    PIPELINE void name##_write(ARGS, __global const REAL *restrict share, __global const REAL *restrict travel,  \
                               __global ACC *restrict parts, __global const int *restrict state, VERTEX_ARGS)    \
    {                                                                                                            \
        if (state[STOPPED]) return;                                                                              \
        Flat flat = flat_none();                                                                                 \
        const WIDE mass = ACC_VALUE(sums[0]);                                                                    \
        _Pragma("ivdep") FOR_EACH(v, n) {                                                                        \
            const ulong row = read_channel_intel(name##_sums);                                                   \
            flat_settle(v, row, mass, &flat, VERTEX_PASS);                                                       \
        }                                                                                                        \
        flat_parts(&flat, norm, parts);                                                                          \
    }
#define FLAT_SEND_pagerank_serial(v, sum) write_channel_intel(pagerank_serial_sums, sum)
#define FLAT_SEND_pagerank_pull(v, sum) write_channel_intel(pagerank_pull_sums, sum)
#define FLAT_SEND_pagerank_contribution(v, sum) write_channel_intel(pagerank_contribution_sums, sum)
#else
#define FLAT_KERNEL(name, ARGS, DEGREE)                                                                          \
    PIPELINE void name(ARGS, __global const REAL *restrict share, __global const REAL *restrict travel,          \
                       __global ACC *restrict parts, __global const int *restrict state, VERTEX_ARGS)            \
    {                                                                                                            \
        __local REAL values[LOCAL_RANKS];                                                                        \
        Bounds bounds;                                                                                           \
        DEGREE                                                                                                   \
        if (state[STOPPED]) return;                                                                              \
        Flat flat = flat_none();                                                                                 \
        const WIDE mass = ACC_VALUE(sums[0]);                                                                    \
        FLAT_ROWS(FLAT_SETTLE)                                                                                   \
        flat_parts(&flat, norm, parts);                                                                          \
    }
#define FLAT_SETTLE(v, sum) flat_settle(v, sum, mass, &flat, VERTEX_PASS)
#endif
#define NO_DEGREE __global const int *degree = 0;
#define ITS_DEGREE
