// device/memory_fill.cl (pipelines): sets words of a buffer, for boards whose runtime has no clEnqueueFillBuffer.
//
// per cycle   UNROLL words
// bound by    memory bandwidth

#include "fpga/pipeline.h"

PIPELINE void fill_1(__global uchar *restrict buffer, const long count, const uchar value)
{
    PRAGMA(unroll UNROLL) for (long i = 0; i < count; i++) buffer[i] = value;
}

PIPELINE void fill_4(__global uint *restrict buffer, const long count, const uint value)
{
    PRAGMA(unroll UNROLL) for (long i = 0; i < count; i++) buffer[i] = value;
}

PIPELINE void fill_8(__global ulong *restrict buffer, const long count, const ulong value)
{
    PRAGMA(unroll UNROLL) for (long i = 0; i < count; i++) buffer[i] = value;
}
