// ranking/pagerank.h: number types, sums and the end of a row, for every kernel of the PageRank family.
//
//     x(v) = (1-d) p(v) + d (sum over in-neighbours u of x(u) share(u, v) + D q(v)),   share = w(u, v) / W(u)
//
// Each vertex sends one value along its arcs, `contribution[u]`: x(u) / W(u) where all arcs have the same weight (so
// that there is one division per vertex, and no arc needs a weight), x(u) itself beside the arcs' shares where they do
// not.
//
// rank REAL[n]          x, updated in place: each vertex has one owner
// contribution REAL[n]  of the last iterate
// next REAL[n]          contributions of the iterate that is being computed
// inverse REAL[n]       1 / out-degree (WEIGHTED: 1), 0 at dangling vertices
// p, q REAL[n]          or NULL: then every value is `even` = 1/n
// parts ACC[3 * work-groups]   each work-group's part of D, of the L1 difference and of the norm's own sum
// sums ACC[4]           their totals over the last iterate, and the least residual so far
// state int[4]          STOPPED, ITERATIONS, CONVERGED, STALE: tests since that residual
//
// sums        REAL is the stored type. Sums are kept in double; where the device has no double, or with COMPENSATED,
//             in a pair of floats (Knuth's exact sum of two). With REAL double, plain double. Always in a fixed order.
// variants    WEIGHTED, COMPENSATED; the other choices of a call are arguments, so that there are few programs: p, q,
//             start as above; norm: 1: L1, 2: L2, 3: largest. PLAIN: p and q are NULL and norm is 1 (CPUs vectorise
//             code without branches)
// tunables    ITEMS, LOCAL (work-items in a group, a power of two: the host launches exactly this many)

#ifndef REAL
#define REAL float
#endif
#ifndef LOCAL
#define LOCAL 1
#endif

// the contribution of a vertex; SEND_RANK: its rank itself, and each arc divides (variant pull)
#ifdef SEND_RANK
#define SENT(rank, inverse) (rank)
#else
#define SENT(rank, inverse) ((rank) * (inverse))
#endif

// the position of vertex 0 in contribution and next: 1 leaves a zero in front, for padding to read
#ifndef SHIFT
#define SHIFT 0
#endif

#define STOPPED 0
#define ITERATIONS 1
#define CONVERGED 2
#define STALE 3

// above any residual
#define FAR 4
// tests without a new least residual after which ranks that hardly move are in a cycle of roundings
#define PATIENCE 20

#if defined(HAVE_FP64) && !defined(COMPENSATED)
typedef double WIDE;
typedef double ACC;
#define ACC_ZERO 0.0
#define ACC_VALUE(a) (a)
static inline ACC acc_add(ACC a, WIDE v) { return a + v; }
static inline ACC acc_join(ACC a, ACC b) { return a + b; }
#else
typedef float WIDE;
typedef struct { float sum, rest; } ACC;
#define ACC_ZERO ((ACC){0.0f, 0.0f})
#define ACC_VALUE(a) ((a).sum + (a).rest)
static inline ACC acc_add(ACC a, WIDE v)
{
    const float s = a.sum + v;
    const float t = s - a.sum;
    a.rest += (a.sum - (s - t)) + (v - t);   // the rounding error of s, exactly
    a.sum = s;
    return a;
}
static inline ACC acc_join(ACC a, ACC b)
{
    a = acc_add(a, b.sum);
    a.rest += b.rest;
    return a;
}
#endif

// The value that arc number e receives from u.
#ifdef WEIGHTED
#define ARC(e, u) ((WIDE)contribution[u] * (WIDE)share[e])
#else
#define ARC(e, u) ((WIDE)contribution[u])
#endif

typedef struct { ACC dangling_mass, moved, other; } Tally;
#define TALLY_ZERO {ACC_ZERO, ACC_ZERO, ACC_ZERO}

// For `other`, where `norm` is in scope.
#define norm_join(a, b) join_by_norm(norm, a, b)
static inline ACC join_by_norm(int norm, ACC a, ACC b)
{
    if (norm == 3) return ACC_VALUE(a) < ACC_VALUE(b) ? b : a;
    return acc_join(a, b);
}
static inline ACC norm_add(int norm, ACC a, WIDE size)
{
    if (norm == 2) return acc_add(a, size * size);
    if (norm == 3) return join_by_norm(3, a, acc_add(ACC_ZERO, size));
    return a;
}
// The residual, given the sums of `moved` and `other`.
static inline WIDE residual_of(int norm, ACC moved, ACC other)
{
    return norm == 1 ? ACC_VALUE(moved) : norm == 2 ? sqrt(ACC_VALUE(other)) : ACC_VALUE(other);
}

// Whether roundings keep the ranks from moving less: `noise` is the L1 difference that they alone can make (0: whatever
// it is, the iterations go on).
static inline int is_stuck(WIDE moved, WIDE noise, int stale) { return moved < noise && stale >= PATIENCE; }

// The arguments of every kernel that ends rows, and how they are passed on. (Functions have no `restrict`: Oclgrind
// mishandles it after inlining.)
#define VERTEX_ARGS_AS(as)                                                                                      \
    __global REAL *as rank, __global REAL *as next, __global const REAL *as inverse, __global const REAL *as p, \
        __global const REAL *as q, const WIDE damping, const WIDE even, const int norm, __global const ACC *as sums
#define VERTEX_ARGS VERTEX_ARGS_AS(restrict)
#define VERTEX_PASS rank, next, inverse, p, q, damping, even, norm, sums

// Row v is summed: its new rank, its next contribution, and its part of the tally. `before` is its rank, `inv` its
// inverse.
static inline void settle_with(int v, ACC sum, WIDE before, REAL inv, ACC *dangling_mass, ACC *moved, ACC *other,
                               VERTEX_ARGS_AS())
{
#ifdef PLAIN
    const WIDE to = even, back = even;
#else
    const WIDE to = p ? (WIDE)p[v] : even, back = q ? (WIDE)q[v] : even;
#endif
    const REAL now = (REAL)((1 - damping) * to + damping * (ACC_VALUE(sum) + ACC_VALUE(sums[0]) * back));
    const WIDE change = (WIDE)now - before, size = change < 0 ? -change : change;
    rank[v] = now;
    next[v + SHIFT] = SENT(now, inv);
    *dangling_mass = acc_add(*dangling_mass, inv == 0 ? now : 0);
    *moved = acc_add(*moved, size);
#ifndef PLAIN
    *other = norm_add(norm, *other, size);
#endif
}
static inline void settle(int v, ACC sum, ACC *dangling_mass, ACC *moved, ACC *other, VERTEX_ARGS_AS())
{
    settle_with(v, sum, rank[v], inverse[v], dangling_mass, moved, other, VERTEX_PASS);
}
#define SETTLE(v, sum, tally) settle(v, sum, &(tally).dangling_mass, &(tally).moved, &(tally).other, VERTEX_PASS)

// The work-group's tally, by a tree of fixed shape, to into[3 * place ...]. At kernel level, by all work-items.
#define TALLY_BOX __local ACC box_dangling[LOCAL], box_moved[LOCAL], box_other[LOCAL]
#define TALLY_GROUP(tally, into, place)                                                           \
    do {                                                                                          \
        const int lane_ = get_local_id(0);                                                        \
        box_dangling[lane_] = (tally).dangling_mass;                                              \
        box_moved[lane_] = (tally).moved;                                                         \
        box_other[lane_] = (tally).other;                                                         \
        for (int half_ = LOCAL / 2; half_ > 0; half_ /= 2) {                                      \
            barrier(CLK_LOCAL_MEM_FENCE);                                                         \
            if (lane_ < half_) {                                                                  \
                box_dangling[lane_] = acc_join(box_dangling[lane_], box_dangling[lane_ + half_]); \
                box_moved[lane_] = acc_join(box_moved[lane_], box_moved[lane_ + half_]);          \
                box_other[lane_] = norm_join(box_other[lane_], box_other[lane_ + half_]);         \
            }                                                                                     \
        }                                                                                         \
        if (lane_ == 0) {                                                                         \
            (into)[3 * (place)] = box_dangling[0];                                                \
            (into)[3 * (place) + 1] = box_moved[0];                                               \
            (into)[3 * (place) + 2] = box_other[0];                                               \
        }                                                                                         \
    } while (0)

// The end of an iteration: totals of `count` parts. It counts the iteration (`counts` 0: the start does not count as
// one) and stops after `last` of them, once the norm of the difference is below `threshold` (0: never), or once the
// ranks are stuck (`noise`: see is_stuck). `drop`: the mass D is dropped.
#define END_ARGS_AS(as)                                                                                          \
    const int count, const int counts, const int last, const WIDE threshold, const WIDE noise, const int norm,   \
        const int drop, __global const ACC *as parts, __global ACC *as sums, volatile __global int *state
#define END_ARGS END_ARGS_AS(restrict)
#define END_PASS count, counts, last, threshold, noise, norm, drop, parts, sums, state

// What one of `lanes` work-items adds up.
static inline Tally tally_of_lane(int lane, int lanes, END_ARGS_AS())
{
    Tally tally = TALLY_ZERO;
    _Pragma("unroll 8") for (int i = lane; i < count; i += lanes) {
        tally.dangling_mass = acc_join(tally.dangling_mass, parts[3 * i]);
        tally.moved = acc_join(tally.moved, parts[3 * i + 1]);
        tally.other = norm_join(tally.other, parts[3 * i + 2]);
    }
    return tally;
}

static inline void end_iteration(Tally total, END_ARGS_AS())
{
    const ACC none = ACC_ZERO;
    sums[0] = drop ? none : total.dangling_mass;
    sums[1] = total.moved;
    const WIDE residual = residual_of(norm, total.moved, total.other);
    sums[2] = acc_add(ACC_ZERO, residual);
    if (counts) {
        const int done = state[ITERATIONS] + 1, met = residual < threshold;
        const int stale = residual < ACC_VALUE(sums[3]) ? 0 : state[STALE] + 1;
        if (stale == 0) sums[3] = sums[2];
        state[ITERATIONS] = done;
        state[CONVERGED] = met;
        state[STALE] = stale;
        if (met || done >= last || is_stuck(ACC_VALUE(total.moved), noise, stale))
            SHARED_STORE(state + STOPPED, 1);
    } else {
        sums[3] = acc_add(ACC_ZERO, FAR);
    }
}
