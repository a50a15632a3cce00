// measures/spread.h: one pass over n elements by any number of work-items, for kernels that add up in local memory: a
// fixed number of work-groups, each of which writes its sums out once. Adjacent work-items of a GPU take adjacent
// elements (one access for all); on a CPU each work-item takes a contiguous run.

// for (each element v < n of this work-item)
#ifdef KIND_GPU
#define FOR_SPREAD(v, n) for (long v = get_global_id(0); v < (n); v += get_global_size(0))
#else
#define SPREAD_RUN(n) (((long)(n) + (long)get_global_size(0) - 1) / (long)get_global_size(0))
#define FOR_SPREAD(v, n) \
    for (long v = (long)get_global_id(0) * SPREAD_RUN(n), v##_bound = min(v + SPREAD_RUN(n), (long)(n)); \
         v < v##_bound; v++)
#endif
