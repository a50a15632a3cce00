// device/memory_fill.cl: sets `count` words of a buffer to one value, for devices where clEnqueueFillBuffer does not
// work (see quirks() in clgraph/device/hardware.py).
//
// launch   padded range, each work-item takes ITEMS consecutive words

__kernel void fill_1(__global uchar *buffer, long count, uchar value)
{
    FOR_ITEMS_LONG(i, count) buffer[i] = value;
}

__kernel void fill_4(__global uint *buffer, long count, uint value)
{
    FOR_ITEMS_LONG(i, count) buffer[i] = value;
}

__kernel void fill_8(__global ulong *buffer, long count, ulong value)
{
    FOR_ITEMS_LONG(i, count) buffer[i] = value;
}
