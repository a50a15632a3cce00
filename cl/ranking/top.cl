// ranking/top.cl: the k largest entries of one or more vectors, descending, equal ones by ascending
// number: nothing of size n leaves the device.
//
// The vector is cut into chunks of CHUNK (about the square root of n). The best entry of each chunk is found; then, k
// times, the best chunk gives up its best entry and looks for its next one: k (n / CHUNK + CHUNK) steps after one pass.
//
// layout      score REAL[n * LANES]: lane l of entry v at v * LANES + l; values are not negative
//             scale REAL[n] or NULL: a factor of the score where it is not 0 (ranking/personalized/lanes.h)
//             number int[n] or NULL: the number of entry v, where entries are not in order
//             best, who [LANES * chunks]: the best of each chunk of a lane, and its entry
// launch      top_chunks: a group of LOCAL for each chunk, in which adjacent work-items take adjacent lanes (all of
//             them: they lie in the same sectors) or one work-item takes all; where LOCAL is neither 1 nor a multiple
//             of LANES, for each chunk and lane wanted (2-d); top_pick: a group of LOCAL for each lane wanted
// variants    SCALED, NUMBERED
// tunables    LOCAL (a power of two; 1 on CPUs), CHUNK (a host argument)

#ifndef REAL
#define REAL float
#endif
#ifndef LANES
#define LANES 1
#endif
#ifndef LOCAL
#define LOCAL 1
#endif

#define NOBODY 0x7fffffff
#ifdef NUMBERED
#define NUMBER(v) number[v]
#else
#define NUMBER(v) (v)
#endif

// Scores and entries of work-items in local memory become the `left` best ones, at the front; those whose positions
// differ by a multiple of `left` belong together. At kernel level, by all work-items.
#define BEST_OF_GROUP(left)                                                                                     \
    for (int half_ = LOCAL / 2; half_ >= (left); half_ /= 2) {                                                  \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                           \
        if (lid < half_ &&                                                                                      \
            goes_before(box_score[lid + half_], box_name[lid + half_], box_score[lid], box_name[lid])) {        \
            box_score[lid] = box_score[lid + half_];                                                            \
            box_name[lid] = box_name[lid + half_];                                                              \
            box_who[lid] = box_who[lid + half_];                                                                \
        }                                                                                                       \
    }

static inline int goes_before(REAL a, int name_a, REAL b, int name_b)
{
    return a > b || (a == b && name_a < name_b);
}

static inline REAL score_of(__global const REAL *score, __global const REAL *scale, int v, int lane)
{
    const REAL x = score[(size_t)v * LANES + lane];
#ifdef SCALED
    return scale[v] == 0 ? x : x * scale[v];
#else
    return x;
#endif
}

// The best of v = begin, begin + by, ... < end among those after (limit, limit_name), into the work-item's box.
#define BEST_OF(begin, end, by, limit, limit_name)                                                   \
    do {                                                                                             \
        REAL top_ = -1;                                                                              \
        int name_ = NOBODY, who_ = NOBODY;                                                           \
        for (int v_ = (begin); v_ < (end); v_ += (by)) {                                             \
            const REAL x_ = score_of(score, scale, v_, l);                                           \
            if (x_ >= top_ && x_ <= (limit) && goes_before(x_, NUMBER(v_), top_, name_)              \
                && goes_before((limit), (limit_name), x_, NUMBER(v_))) {                             \
                top_ = x_;                                                                           \
                name_ = NUMBER(v_);                                                                  \
                who_ = v_;                                                                           \
            }                                                                                        \
        }                                                                                            \
        box_score[lid] = top_;                                                                       \
        box_name[lid] = name_;                                                                       \
        box_who[lid] = who_;                                                                         \
    } while (0)

__kernel void top_chunks(const int n, const int chunk, const int chunks, __global const int *restrict lane,
                         __global const REAL *restrict score, __global const REAL *restrict scale,
                         __global const int *restrict number, __global REAL *restrict best, __global int *restrict who)
{
#if LOCAL == 1 && LANES > 1   // numbers are in order then
    const int c = get_group_id(0);
    const int begin = (int)min((long)c * chunk, (long)n), end = (int)min((long)begin + chunk, (long)n);
    REAL high[LANES];
    int at[LANES];
    for (int l = 0; l < LANES; l++) {
        high[l] = -1;
        at[l] = NOBODY;
    }
    for (int v = begin; v < end; v++) {
        for (int l = 0; l < LANES; l++) {
            const REAL x = score_of(score, scale, v, l);
            at[l] = x > high[l] ? v : at[l];
            high[l] = x > high[l] ? x : high[l];
        }
    }
    for (int l = 0; l < LANES; l++) {
        best[(size_t)l * chunks + c] = high[l];
        who[(size_t)l * chunks + c] = at[l];
    }
#else
    __local REAL box_score[LOCAL];
    __local int box_name[LOCAL], box_who[LOCAL];
    const int lid = get_local_id(0), c = get_group_id(0);
#if LOCAL % LANES == 0
    const int l = lid & (LANES - 1), first = lid / LANES, by = LOCAL / LANES;
#else
    const int l = lane[get_global_id(1)], first = lid, by = LOCAL;
#endif
    const int begin = (int)min((long)c * chunk, (long)n), end = (int)min((long)begin + chunk, (long)n);
    BEST_OF(begin + first, end, by, (REAL)INFINITY, -1);
    BEST_OF_GROUP(LOCAL / by)
    // not lid == 0: Intel's CPU runtime 2025.0.5 then writes what work-item 0 had before the last step (LANES 4, LOCAL 2;
    // right with -cl-opt-disable)
    if (lid < LOCAL / by) {
        best[(size_t)l * chunks + c] = box_score[lid];
        who[(size_t)l * chunks + c] = box_who[lid];
    }
#endif
}

// `count` lanes are wanted: as many groups are launched (a pipeline needs to be told).
__kernel void top_pick(const int n, const int chunk, const int chunks, const int k, const int count,
                       __global const int *restrict lane, __global const REAL *restrict score,
                       __global const REAL *restrict scale, __global const int *restrict number,
                       __global REAL *restrict best, __global int *restrict who,
                       __global int *restrict top_name, __global REAL *restrict top_score)
{
    __local REAL box_score[LOCAL];
    __local int box_name[LOCAL], box_who[LOCAL];
    const int lid = get_local_id(0), j = get_group_id(0), l = lane[j];
    best += (size_t)l * chunks;
    who += (size_t)l * chunks;
    for (int turn = 0; turn < k; turn++) {
        REAL high = -1;
        int name = NOBODY, at = NOBODY;
        for (int c = lid; c < chunks; c += LOCAL) {
            const int v = who[c], called = v == NOBODY ? NOBODY : NUMBER(v);
            if (goes_before(best[c], called, high, name)) {
                high = best[c];
                name = called;
                at = v;
            }
        }
        box_score[lid] = high;
        box_name[lid] = name;
        box_who[lid] = at;
        BEST_OF_GROUP(1)
        barrier(CLK_LOCAL_MEM_FENCE);
        high = box_score[0];
        name = box_name[0];
        const int c = box_who[0] == NOBODY ? 0 : box_who[0] / chunk;   // k is at most n: an entry is left
        if (lid == 0) {
            top_name[(size_t)j * k + turn] = name;
            top_score[(size_t)j * k + turn] = high;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);   // all have read the box and the chunks' best
        BEST_OF(c * chunk + lid, (int)min((long)c * chunk + chunk, (long)n), LOCAL, high, name);
        BEST_OF_GROUP(1)
        if (lid == 0) {
            best[c] = box_score[0];
            who[c] = box_who[0];
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);   // box and bests are right for the next iteration
    }
}
