// fpga/ranking/flat.h: the sums of PageRank as pipelines: fixed point along rows, and the end of a row; after
// ranking/pagerank.h.
//
// A floating-point sum would make each iteration wait for the addition before it. The values added here are parts of a
// whole that is 1, so fixed point works better: 64 bits in units of 2^-62, additions in one cycle and in any order with
// the same result. Values are rounded down to the unit: a sum of k values is too small by less than k 2^-62, and one
// iteration loses less than arcs 2^-62 in all (6.5e-11 for 300 million arcs; the ranks' own rounding to float32 is up
// to 6e-8). Sums of squares (norm l2) are too small for that: ADDERS partial sums in floating point, used in turn.
//
// per cycle   UNROLL arcs (heads in a burst, their values from the chip where the graph has up to LOCAL_RANKS vertices,
//             else from memory) added to a running total; after ARC_BLOCK arcs, the ends of SETTLES rows: three streams
//             read, two written
// bound by    on chip: the clock; from memory: its random reads, one per arc (ranking/partitions.cl has none)

#define FRACTION 62

// The mantissa, shifted: what lies below the unit is cut off. (Intel's compiler for CPUs, also the emulator's, needs
// 14 ns for a conversion to 64-bit integers.) Shares, rows' sums and changes are not negative and below 2.
#if defined(HAVE_FP64) && !defined(COMPENSATED)
#define MANTISSA 52
#define BITS_OF(x) as_ulong(x)
#define BIAS 1023
#else
#define MANTISSA 23
#define BITS_OF(x) as_uint(x)
#define BIAS 127
#endif
static inline ulong to_fixed(const WIDE x)
{
    const ulong bits = BITS_OF(x), mantissa = (bits & ((1ul << MANTISSA) - 1)) | 1ul << MANTISSA;
    const int shift = (int)(bits >> MANTISSA) - (BIAS + MANTISSA - FRACTION);
    return shift >= 0 ? mantissa << shift : shift > -64 ? mantissa >> -shift : 0;
}
// A row's sum and the changes are below 2: a signed conversion suffices, which is a single instruction on processors.
// The total of all changes may reach 2 and above.
static inline WIDE from_fixed(const ulong x)
{
    return (WIDE)(long)x * ((WIDE)1 / (WIDE)(1ul << FRACTION));
}
static inline WIDE total_fixed(const ulong x)
{
    return (WIDE)x * ((WIDE)1 / (WIDE)(1ul << FRACTION));
}
// Exact in a pair of floats except for the last 14 bits; a double keeps the first 53.
static inline ACC acc_fixed(const ulong x)
{
    ACC a = acc_add(ACC_ZERO, total_fixed(x & ~((1ul << 40) - 1)));
    a = acc_add(a, total_fixed(x & ((1ul << 40) - 1) & ~((1ul << 16) - 1)));
    return acc_add(a, total_fixed(x & ((1ul << 16) - 1)));
}

typedef struct {
    ulong dangling_mass, moved;
    WIDE other[ADDERS], largest;
} Flat;

static inline Flat flat_none(void)
{
    Flat f;
    f.dangling_mass = f.moved = 0;
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
    parts[0] = acc_fixed(f->dangling_mass);
    parts[1] = acc_fixed(f->moved);
    parts[2] = norm == 3 ? acc_add(ACC_ZERO, f->largest) : other;
}

// Row v has the sum `row`: its new rank, its next contribution, and its part of the tally.
static inline void flat_settle(const int v, const ulong row, const WIDE mass, Flat *f, VERTEX_ARGS_AS())
{
    const WIDE to = p ? (WIDE)p[v] : even, back = q ? (WIDE)q[v] : even, before = rank[v];
    const REAL inv = inverse[v];
    const REAL now = (REAL)((1 - damping) * to + damping * (from_fixed(row) + mass * back));
    const WIDE change = (WIDE)now - before, size = change < 0 ? -change : change;
    rank[v] = now;
#ifdef SEND_RANK
    next[v + SHIFT] = now;
#else
    next[v + SHIFT] = now * inv;
#endif
    f->dangling_mass += inv == 0 ? to_fixed(now) : 0;
    f->moved += to_fixed(size);
    f->largest = size > f->largest ? size : f->largest;
    const WIDE sum = f->other[0] + (norm == 2 ? size * size : 0);
    #pragma unroll
    for (int i = 0; i + 1 < ADDERS; i++)
        f->other[i] = f->other[i + 1];
    f->other[ADDERS - 1] = sum;
}

#define FLAT_SETTLE(v, sum) flat_settle(v, sum, mass, &flat, VERTEX_PASS)

#define FLAT_ARGS                                                                                                \
    const int n, __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx

// What an arc contributes; VALUE(u) is the contribution of u. `degree` is NULL except in Parallel I, `share` except in
// weighted graphs.
#define BROUGHT(e, u, VALUE)                                                                                     \
    to_fixed(share ? (WIDE)VALUE(u) * (WIDE)share[e] : degree ? (WIDE)(VALUE(u) / (REAL)degree[e]) : (WIDE)VALUE(u))

// A row's sum is the difference of two running totals of all arcs so far: at its end and at its beginning. Integer
// overflow does no harm there, and UNROLL arcs are taken per cycle whatever the rows' lengths are. The totals after
// each of ARC_BLOCK arcs are kept on chip; then the rows that end among these arcs are finished, SETTLES per cycle.
#if ARC_BLOCK % UNROLL
#error ARC_BLOCK must be a multiple of UNROLL
#endif
#define TOTALS                                                                                                   \
    ulong total = 0, before = 0;   /* so far; where the row began that comes next */                             \
    ulong upto[ARC_BLOCK]

// The rows from .. ended - 1 and, if `cut`, the beginning of the next one, as far as their arcs are in low .. high - 1.
// `names` says for each arc which value it takes. DONE(v, sum) ends a row; one that is cut continues in the next call.
#define FLAT_ROWS(from, ended, cut, low, high, names, VALUE, DONE)                                                 \
    FOR_BLOCKS(base, (ended) - (from) + (cut), many) {                                                             \
        const int row_ = (int)((from) + base);                                                                     \
        const OFFSET begin_ = max(row_ptr[row_], (OFFSET)(low)), end_ = min(row_ptr[row_ + many], (OFFSET)(high)); \
        OFFSET at_ = begin_, stop_;                                                                                \
        do {                                                                                                       \
            stop_ = end_ - at_ > ARC_BLOCK ? at_ + ARC_BLOCK : end_;                                               \
            const ulong entering_ = total;                                                                         \
            for (OFFSET p_ = at_; p_ < stop_; p_ += UNROLL) {                                                      \
                ulong part_ = 0;                                                                                   \
                EACH_WORD(k) {                                                                                     \
                    if (p_ + k < stop_) {                                                                          \
                        const int u_ = names[p_ + k];                                                              \
                        part_ += BROUGHT(p_ + k, u_, VALUE);                                                       \
                    }                                                                                              \
                    upto[p_ - at_ + k] = total + part_;                                                            \
                }                                                                                                  \
                total += part_;                                                                                    \
            }                                                                                                      \
            _Pragma("ivdep") PRAGMA(unroll SETTLES) FOR_EACH(i, many) {   /* each row's places are its own */      \
                const OFFSET e_ = row_ptr[row_ + i + 1];                                                           \
                if (row_ + i < (ended) && e_ <= stop_ && (e_ > at_ || at_ == begin_)) {                            \
                    const ulong there_ = e_ > at_ ? upto[e_ - at_ - 1] : entering_;                                \
                    DONE(row_ + i, there_ - before);                                                               \
                    before = there_;                                                                               \
                }                                                                                                  \
            }                                                                                                      \
            at_ = stop_;                                                                                           \
        } while (at_ < end_);                                                                                      \
    }

// All rows at once: with the values on chip if there are up to LOCAL_RANKS, else from memory.
#define FLAT_VALUE(u) (fits ? values[u] : contribution[(u) + SHIFT])
#define FLAT_ALL(DONE)                             \
    const int fits = n <= LOCAL_RANKS;             \
    TOTALS;                                        \
    if (fits)                                      \
        FOR_STREAM(u_, n)                          \
            values[u_] = contribution[u_ + SHIFT]; \
    FLAT_ROWS(0, n, 0, 0, row_ptr[n], col_idx, FLAT_VALUE, DONE)

// A variant's kernel. With CHANNELS two: `name` reads the arcs and passes on the rows' sums, `name`_write, which the
// host launches beside it with the same arguments, ends the rows. So the reads of a row's own values and the writes
// never hold up the stream of arcs.
#if CHANNELS
#undef SETTLES
#define SETTLES 1   // a channel takes one word per cycle
#pragma OPENCL EXTENSION cl_intel_channels : enable
#define FLAT_KERNEL(name, ARGS, DEGREE)                                                                               \
    channel ulong name##_sums __attribute__((depth(1024)));                                                           \
    PIPELINE void name(ARGS, __global const REAL *restrict share, __global const REAL *restrict contribution,         \
                       __global ACC *restrict parts, __global const int *restrict state, VERTEX_ARGS)                 \
    {                                                                                                                 \
        __local REAL values[LOCAL_RANKS];                                                                             \
        DEGREE                                                                                                        \
        if (state[STOPPED]) return;                                                                                   \
        FLAT_ALL(FLAT_SEND_##name)                                                                                    \
    }                                                                                                                 \
    PIPELINE void name##_write(ARGS, __global const REAL *restrict share, __global const REAL *restrict contribution, \
                               __global ACC *restrict parts, __global const int *restrict state, VERTEX_ARGS)         \
    {                                                                                                                 \
        if (state[STOPPED]) return;                                                                                   \
        Flat flat = flat_none();                                                                                      \
        const WIDE mass = ACC_VALUE(sums[0]);                                                                         \
        _Pragma("ivdep") FOR_EACH(v, n) {                                                                             \
            const ulong row = read_channel_intel(name##_sums);                                                        \
            flat_settle(v, row, mass, &flat, VERTEX_PASS);                                                            \
        }                                                                                                             \
        flat_parts(&flat, norm, parts);                                                                               \
    }
#define FLAT_SEND_pagerank_serial(v, sum) write_channel_intel(pagerank_serial_sums, sum)
#define FLAT_SEND_pagerank_pull(v, sum) write_channel_intel(pagerank_pull_sums, sum)
#define FLAT_SEND_pagerank_contribution(v, sum) write_channel_intel(pagerank_contribution_sums, sum)
#else
#define FLAT_KERNEL(name, ARGS, DEGREE)                                                                       \
    PIPELINE void name(ARGS, __global const REAL *restrict share, __global const REAL *restrict contribution, \
                       __global ACC *restrict parts, __global const int *restrict state, VERTEX_ARGS)         \
    {                                                                                                         \
        __local REAL values[LOCAL_RANKS];                                                                     \
        DEGREE                                                                                                \
        if (state[STOPPED]) return;                                                                           \
        Flat flat = flat_none();                                                                              \
        const WIDE mass = ACC_VALUE(sums[0]);                                                                 \
        FLAT_ALL(FLAT_SETTLE)                                                                                 \
        flat_parts(&flat, norm, parts);                                                                       \
    }
#endif
#define NO_DEGREE __global const int *degree = 0;
#define ITS_DEGREE
