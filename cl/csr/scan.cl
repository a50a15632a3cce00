// csr/scan.cl: running sums: out[i] is the sum of values[0] ... values[i - 1], and out[n] that of all.
//
// The sums of blocks are found first, scanned in the same way (few enough for one block in the end), and then each
// block is scanned from the sum of those before it.
//
// values IN[n], sums OUT[blocks], before OUT[blocks] or NULL (one block), out OUT[n + 1]
// launch      one work-group of LOCAL per block; a work-item takes BLOCK / LOCAL consecutive values
// tunables    LOCAL (1 on CPUs: no barriers), BLOCK, a multiple of it

#ifndef IN
#define IN int
#endif
#ifndef OUT
#define OUT long
#endif
#ifndef LOCAL
#define LOCAL 1
#endif
#ifndef BLOCK
#define BLOCK 1024
#endif
#define SHARE (BLOCK / LOCAL)

__kernel void scan_sums(const long n, __global const IN *restrict values, __global OUT *restrict sums)
{
    __local OUT box[LOCAL];
    const int lane = get_local_id(0);
    const long begin = (long)get_group_id(0) * BLOCK, end = min(begin + BLOCK, n);
    OUT sum = 0;
    for (long i = begin + lane; i < end; i += LOCAL)
        sum += (OUT)values[i];
    box[lane] = sum;
#if LOCAL > 1
    for (int half_ = LOCAL / 2; half_ > 0; half_ /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_)
            box[lane] += box[lane + half_];
    }
#endif
    if (lane == 0)
        sums[get_group_id(0)] = box[0];
}

__kernel void scan_place(const long n, __global const IN *restrict values, __global const OUT *restrict before,
                         __global OUT *restrict out)
{
    __local OUT box[LOCAL];
    const int lane = get_local_id(0);
    const long block = (long)get_group_id(0) * BLOCK;
    const long begin = min(block + (long)lane * SHARE, n), end = min(begin + SHARE, n);
    OUT run = before ? before[get_group_id(0)] : 0;
#if LOCAL > 1
    OUT sum = 0;
    for (long i = begin; i < end; i++)
        sum += (OUT)values[i];
    box[lane] = sum;
    for (int by = 1; by < LOCAL; by *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const OUT less = lane >= by ? box[lane - by] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        box[lane] += less;
    }
    run += box[lane] - sum;
#endif
    for (long i = begin; i < end; i++) {
        out[i] = run;
        run += (OUT)values[i];
    }
    if (block + BLOCK >= n && lane == LOCAL - 1)   // the last one of all
        out[n] = run;
}
