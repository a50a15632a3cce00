// ranking/slices_steps.cl: the steps of slices (ranking/slices.h) of rows of given lengths.
//
// hot_length, cold_length int[n]   a row's arcs from hot sources and from others; rows of more than long_row arcs count
//                                  as empty
// launch      padded range, each work-item takes ITEMS consecutive slices
// tunables    ITEMS, WIDTH

#ifndef WIDTH
#define WIDTH 8
#endif

__kernel void slices_steps(const int n, const int count, const int long_row, __global const int *restrict hot_length,
                           __global const int *restrict cold_length, __global int *restrict hot_steps,
                           __global int *restrict cold_steps)
{
    FOR_ITEMS(s, count) {
        int hot = 0, cold = 0;
        for (int r = s * WIDTH, end = min(n - r, WIDTH) + r; r < end; r++) {
            if (hot_length[r] + cold_length[r] <= long_row) {
                hot = max(hot, hot_length[r]);
                cold = max(cold, cold_length[r]);
            }
        }
        hot_steps[s] = hot;
        cold_steps[s] = cold;
    }
}
