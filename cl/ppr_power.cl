// ppr_power.cl: an iteration of the power method for LANES sources at once, by pulling over the arcs that arrive.
//
// Row v of row_ptr, col_idx holds the sources of the arcs that arrive at v. An index is read once for all lanes, and
// the values that it leads to stand beside each other: at 8 lanes of float that is one sector of 32 bytes.
//
// One work-item takes a run of rows and all lanes, which the compiler keeps in vector registers (CPUs; ppr_teams.cl is for
// GPUs).
//
// layout      ppr.h; bound int[runs + 1]: the rows of each run, of about the same work
// launch      one work-item a run, groups of 1

#include "ppr.h"

#ifdef WEIGHTED
#define BRINGS(e, u, l) ((WIDE)value[PLACE(u, l)] * (WIDE)share[e])
#else
#define BRINGS(e, u, l) ((WIDE)value[PLACE(u, l)])
#endif
#define ROW_ARGS                                                                                       \
    __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx, __global const REAL *restrict share

// NEW_RANK of a vertex where the lane's p is 0, which is all of them but the sources.
#ifdef P_VECTOR
#define ELSEWHERE(v, special) 0
#else
#define ELSEWHERE(v, special) ((v) != (special))
#endif
#if POLICY == 1
#define FAR_RANK(v, l, row, flow) (damping * (row) + (flow) * even)
#elif POLICY == 3
#define FAR_RANK(v, l, row, flow) (damping * (row) + (flow) * (WIDE)q[v])
#else
#define FAR_RANK(v, l, row, flow) (damping * (row))
#endif

// The difference is summed in REAL over so many rows, and these sums in ACC: half the work, and no error to speak of.
#define BLOCK 32

static inline int next_source(__global const int *source, int from)
{
    int next = 0x7fffffff;
    for (int l = 0; l < LANES; l++)
        if (source[l] >= from && source[l] < next) next = source[l];
    return next;
}

__kernel void ppr_runs(const int test, const int last, __global const int *restrict bound, ROW_ARGS,
                       __global ACC *restrict parts, __global const int *restrict state, PPR_VERTEX_ARGS)
{
    const int run = get_global_id(0), running = lanes_running(state);
    if (running == 0) {
        for (size_t i = PLACE(bound[run], 0); i < PLACE(bound[run + 1], 0); i++)
            next[i] = value[i];
        return;
    }
    const int look = any_looks(state, test, last), compare = look || running < LANES;
    WIDE flow[LANES];
    int runs[LANES];
    ACC lost[LANES], moved[LANES], other[LANES];
    EACH_LANE(l) {
        flow[l] = damping * ACC_VALUE(sums[l]);
        runs[l] = RUNS_ON(l);
        lost[l] = moved[l] = other[l] = ACC_ZERO;
    }
    int special = next_source(source, bound[run]);
    for (int from = bound[run]; from < bound[run + 1]; from += BLOCK) {
        REAL some_moved[LANES], some_other[LANES];
        EACH_LANE(l) some_moved[l] = some_other[l] = 0;
        const int to = min(from + BLOCK, bound[run + 1]);
        for (int v = from; v < to; v++) {
            ACC row[LANES];
            EACH_LANE(l) row[l] = ACC_ZERO;
            for (OFFSET e = row_ptr[v], end = row_ptr[v + 1]; e < end; e++) {
                const int u = col_idx[e];
                EACH_LANE(l) row[l] = acc_add(row[l], BRINGS(e, u, l));
            }
            const REAL width = scale[v], up = width == 0 ? (REAL)1 : width, down = 1 / up;
            REAL fresh[LANES];
            if (ELSEWHERE(v, special)) {
                EACH_LANE(l) fresh[l] = (REAL)FAR_RANK(v, l, ACC_VALUE(row[l]), flow[l]) * down;
            } else {
                EACH_LANE(l) fresh[l] = (REAL)NEW_RANK(v, l, ACC_VALUE(row[l]), flow[l]) * down;
                special = next_source(source, v + 1);
            }
            if (compare) {
                __global const REAL *own = value + PLACE(v, 0);
                REAL old[LANES];
                EACH_LANE(l) old[l] = own[l];
                EACH_LANE(l) {
                    const REAL size = fabs(fresh[l] - old[l]) * up;
                    some_moved[l] += size;
                    if (norm == 2) some_other[l] += size * size;
                    if (norm == 3) some_other[l] = max(some_other[l], size);
                }
                if (running < LANES) {
                    EACH_LANE(l) fresh[l] = runs[l] ? fresh[l] : old[l];
                }
            }
            __global REAL *to_own = next + PLACE(v, 0);   // so that the compiler sees whole vectors
            EACH_LANE(l) to_own[l] = fresh[l];
            if (width == 0) {
                EACH_LANE(l) lost[l] = acc_add(lost[l], fresh[l]);
            }
        }
        EACH_LANE(l) {
            moved[l] = acc_add(moved[l], some_moved[l]);
            other[l] = norm_join(other[l], acc_add(ACC_ZERO, some_other[l]));
        }
    }
    __global ACC *part = parts + (size_t)run * 3 * LANES;
    EACH_LANE(l) part[l] = lost[l];
    if (look) {
        EACH_LANE(l) {
            part[LANES + l] = moved[l];
            part[2 * LANES + l] = other[l];
        }
    }
}
