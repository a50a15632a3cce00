// ranking/row_sum.h: rows summed by one work-item each; after ranking/pagerank.h.
//
// tunables    UNROLL (arcs whose values are fetched together)

#ifndef UNROLL
#ifdef KIND_GPU
#define UNROLL 8
#else
#define UNROLL 1
#endif
#endif

// A row's sum. The values of UNROLL arcs are fetched before the first is added: left to itself, NVIDIA's compiler
// fetches them one after another, and a long row waits for memory at each arc.
#if UNROLL > 1
#define SUM_ROW(sum, v, value)                                                                  \
    ACC sum = ACC_ZERO;                                                                         \
    do {                                                                                        \
        OFFSET e = row_ptr[v];                                                                  \
        const OFFSET end_ = row_ptr[(v) + 1];                                                   \
        for (; e + UNROLL <= end_; e += UNROLL) {                                               \
            WIDE value_[UNROLL];                                                                \
            _Pragma("unroll") for (int i = 0; i < UNROLL; i++) value_[i] = value(e + i);        \
            _Pragma("unroll") for (int i = 0; i < UNROLL; i++) sum = acc_add(sum, value_[i]);   \
        }                                                                                       \
        for (; e < end_; e++) sum = acc_add(sum, value(e));                                     \
    } while (0)
#else
#define SUM_ROW(sum, v, value)                                                                       \
    ACC sum = ACC_ZERO;                                                                              \
    for (OFFSET e = row_ptr[v], end_ = row_ptr[(v) + 1]; e < end_; e++) sum = acc_add(sum, value(e))
#endif

// The body of a kernel whose work-items sum rows (on CPUs ITEMS consecutive ones); value(e) is what arc e brings.
#define SUM_AND_SETTLE(value)                \
    TALLY_BOX;                               \
    const int rows = state[STOPPED] ? 0 : n; \
    Tally tally = TALLY_ZERO;                \
    FOR_ITEMS(v, rows) {                     \
        SUM_ROW(sum, v, value);              \
        SETTLE(v, sum, tally);               \
    }                                        \
    TALLY_GROUP(tally, parts, get_group_id(0))
