// ranking/personalized/power.cl: an iteration of the power method for LANES sources at once, by pulling over in-arcs.
//
// Row v of row_ptr, col_idx holds the in-neighbours of v. An index is read once for all lanes, and the values it refers
// to are adjacent: at 8 lanes of float they are one sector of 32 bytes.
//
// One work-item takes a run of rows and all lanes, which stay in vector registers (CPUs; teams.cl is for GPUs).
//
// layout      ranking/personalized/lanes.h; bound int[runs + 1]: the rows of each run, about the same work in each
// launch      one work-item per run, groups of 1

#include "ranking/personalized/lanes.h"

// One text, two forms: the values of all lanes are one OpenCL vector, or an array and a loop (sums in pairs; ranks in
// double; Oclgrind, which mishandles computed vectors). From such loops clang makes vectors of at most 256 bits, and of
// 128 where float meets double, whatever the CPU has: 1.2 times as long at 16 lanes with AVX-512.
#if LANES > 1 && defined(HAVE_FP64) && !defined(COMPENSATED) && !defined(CHECK_RACES) && !defined(WITHOUT_WIDE_VECTORS)
#define MAY_BE_VECTORS 1
#else
#define MAY_BE_VECTORS 0
#endif
#define REAL_IS_float 1
#if PASTE(REAL_IS_, REAL) && MAY_BE_VECTORS
#define FOR_LANES(l)
#define OF(x, l) x
#define REALS(x) PASTE(float, LANES) x
#define WIDES(x) PASTE(double, LANES) x
#define ACCS(x) WIDES(x)
#define LOADED(array, v, l) PASTE(vload, LANES)(v, array)
#define STORE(x, array, v, l) PASTE(vstore, LANES)(x, v, array)
#define TO_REAL(x) PASTE(convert_float, LANES)(x)
#define TO_WIDE(x) PASTE(convert_double, LANES)(x)
#define ADD(sum, x) ((sum) + (x))
#define JOIN_OTHER(sum, x) (norm == 3 ? max(sum, x) : (sum) + (x))
#else
#define FOR_LANES(l) EACH_LANE(l)
#define OF(x, l) x[l]
#define REALS(x) REAL x[LANES]
#define WIDES(x) WIDE x[LANES]
#define ACCS(x) ACC x[LANES]
#define LOADED(array, v, l) (array)[PLACE(v, l)]
#define STORE(x, array, v, l) (array)[PLACE(v, l)] = (x)[l]
#define TO_REAL(x) ((REAL)(x))
#define TO_WIDE(x) ((WIDE)(x))
#define ADD(sum, x) acc_add(sum, x)
#define JOIN_OTHER(sum, x) norm_join(sum, acc_add(ACC_ZERO, x))
#endif

#ifdef WEIGHTED
#define BRINGS(e, u, l) (TO_WIDE(LOADED(value, u, l)) * (WIDE)share[e])
#else
#define BRINGS(e, u, l) TO_WIDE(LOADED(value, u, l))
#endif
#define ROW_ARGS                                                                                       \
    __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx, __global const REAL *restrict share

// The difference is summed in REAL over this many rows, and these sums in ACC: half the work, with negligible error.
#define BLOCK 32

// Rows whose p is not 0 in every lane: the next one from `from` on. A comparison's "true" is 1, and -1 in a vector.
#ifdef P_VECTOR
#define NEXT_SOURCE(from) (from)
#define START(v, l) TO_WIDE(LOADED(p, v, l))
#else
#define NEXT_SOURCE(from) next_source(source, from)
#define START(v, l) TO_WIDE((LOADED(source, 0, l) == (v)) & 1)
#endif
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
    WIDES(flow);
    REALS(stopped);
    ACCS(dangling_mass);
    ACCS(moved);
    ACCS(other);
    FOR_LANES(l) {
        OF(flow, l) = damping * ACC_VALUE(LOADED(sums, 0, l));
        OF(stopped, l) = TO_REAL(LOADED(state, STOPPED, l));
        OF(dangling_mass, l) = OF(moved, l) = OF(other, l) = ACC_ZERO;
    }
    int special = NEXT_SOURCE(bound[run]);
    for (int from = bound[run]; from < bound[run + 1]; from += BLOCK) {
        REALS(some_moved);
        REALS(some_other);
        FOR_LANES(l) OF(some_moved, l) = OF(some_other, l) = 0;
        const int to = min(from + BLOCK, bound[run + 1]);
        for (int v = from; v < to; v++) {
            ACCS(row);
            FOR_LANES(l) OF(row, l) = ACC_ZERO;
            for (OFFSET e = row_ptr[v], end = row_ptr[v + 1]; e < end; e++) {
                const int u = col_idx[e];
                FOR_LANES(l) OF(row, l) = ADD(OF(row, l), BRINGS(e, u, l));
            }
            const REAL width = scale[v], up = width == 0 ? (REAL)1 : width, down = 1 / up;
            REALS(fresh);
            if (v != special) {
                FOR_LANES(l) OF(fresh, l) = TO_REAL(FAR_RANK(v, ACC_VALUE(OF(row, l)), OF(flow, l))) * down;
            } else {
                FOR_LANES(l)
                    OF(fresh, l) = TO_REAL(RANK_AT(START(v, l), v, ACC_VALUE(OF(row, l)), OF(flow, l))) * down;
                special = NEXT_SOURCE(v + 1);
            }
            if (compare) {
                REALS(old);
                FOR_LANES(l) OF(old, l) = LOADED(value, v, l);
                REALS(size);
                FOR_LANES(l) {
                    OF(size, l) = fabs(OF(fresh, l) - OF(old, l)) * up;
                    OF(some_moved, l) += OF(size, l);
                    if (norm == 2) OF(some_other, l) += OF(size, l) * OF(size, l);
                    if (norm == 3) OF(some_other, l) = max(OF(some_other, l), OF(size, l));
                }
                if (running < LANES) {
                    FOR_LANES(l) OF(fresh, l) = OF(stopped, l) == 0 ? OF(fresh, l) : OF(old, l);
                }
            }
            FOR_LANES(l) STORE(fresh, next, v, l);
            if (width == 0) {
                FOR_LANES(l) OF(dangling_mass, l) = ADD(OF(dangling_mass, l), TO_WIDE(OF(fresh, l)));
            }
        }
        FOR_LANES(l) {
            OF(moved, l) = ADD(OF(moved, l), TO_WIDE(OF(some_moved, l)));
            OF(other, l) = JOIN_OTHER(OF(other, l), TO_WIDE(OF(some_other, l)));
        }
    }
    __global ACC *part = parts + (size_t)run * 3 * LANES;   // each of the three sums, for LANES lanes
    FOR_LANES(l) STORE(dangling_mass, part, 0, l);
    if (look) {
        FOR_LANES(l) {
            STORE(moved, part, 1, l);
            STORE(other, part, 2, l);
        }
    }
}
