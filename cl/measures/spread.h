// measures/spread.h: a pass over the vertices of each of several graphs, which stand one behind the other, for kernels
// that add up: row g of the launch (dimension 1) has graph g to itself, and any number of work-groups share it, each of
// which writes its sums out once. Adjacent work-items of a GPU take adjacent elements (one access for all); on a CPU
// each work-item takes a contiguous run.
//
// begin   int[graphs + 1]   where each graph's vertices begin

// for (each element v of this work-item, first <= v < end)
#ifdef KIND_GPU
#define FOR_SPREAD(v, first, end) \
    for (long v = (long)(first) + get_global_id(0); v < (end); v += get_global_size(0))
#else
#define SPREAD_RUN(count) (((long)(count) + (long)get_global_size(0) - 1) / (long)get_global_size(0))
#define FOR_SPREAD(v, first, end)                                                                              \
    for (long v##_run = SPREAD_RUN((end) - (first)), v = (long)(first) + (long)get_global_id(0) * v##_run,     \
              v##_bound = min(v + v##_run, (long)(end));                                                       \
         v < v##_bound; v++)
#endif
