// fill.cl (pipelines): sets words of a buffer, for boards whose runtime has no clEnqueueFillBuffer.
//
// per cycle   UNROLL words; II 1
// bound by    the bandwidth of memory

#include "pipeline.h"

PIPELINE void fill_1(__global uchar *restrict buffer, long count, uchar value)
{
    PRAGMA(unroll UNROLL) for (long i = 0; i < count; i++) buffer[i] = value;
}

PIPELINE void fill_4(__global uint *restrict buffer, long count, uint value)
{
    PRAGMA(unroll UNROLL) for (long i = 0; i < count; i++) buffer[i] = value;
}

PIPELINE void fill_8(__global ulong *restrict buffer, long count, ulong value)
{
    PRAGMA(unroll UNROLL) for (long i = 0; i < count; i++) buffer[i] = value;
}
