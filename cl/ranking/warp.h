// ranking/warp.h: sums across the 32 work-items of a warp by PTX shuffles (NVIDIA's OpenCL has no sub-groups).
// After ranking/pagerank.h; empty where the device has no PTX.

#ifdef HAVE_PTX
static inline float shuffle_float(float x, int by)
{
    float y;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(y) : "f"(x), "r"(by));
    return y;
}

static inline ACC shuffle(ACC a, int by)
{
#if defined(HAVE_FP64) && !defined(COMPENSATED)
    const int2 halves = as_int2(a);
    return as_double((int2)(as_int(shuffle_float(as_float(halves.x), by)),
                            as_int(shuffle_float(as_float(halves.y), by))));
#else
    const ACC b = {shuffle_float(a.sum, by), shuffle_float(a.rest, by)};
    return b;
#endif
}
#endif
