// ranking/order.cl: vectors from the graph's order into a plan's order of rows and back, and what starts there.
//
// order int[n]        the vertex at each position, or NULL: the graph's own order
// position int[n]     the position of each vertex
// row_ptr             of the graph: its rows are the arcs that leave
// launch      padded range, each work-item takes ITEMS consecutive positions
// tunables    ITEMS

#ifndef REAL
#define REAL float
#endif
#ifdef HAVE_FP64
typedef double QUOTIENT;
#else
typedef float QUOTIENT;
#endif

// out[i] = values[at[i]]
__kernel void order_gather(const int n, __global const int *restrict at, __global const REAL *restrict values,
                           __global REAL *restrict out)
{
    FOR_ITEMS(i, n) out[i] = values[at[i]];
}

// By position: form 0 the out-degree, 1 its inverse, 2 whether an arc leaves; 0 at dangling vertices.
__kernel void order_leaving(const int n, const int form, __global const int *restrict order,
                            __global const OFFSET *restrict row_ptr, __global REAL *restrict out)
{
    FOR_ITEMS(i, n) {
        const int v = order ? order[i] : i;
        const OFFSET degree = row_ptr[v + 1] - row_ptr[v];
        out[i] = form == 0 ? (REAL)degree : form == 2 ? (REAL)(degree > 0) : degree ? (REAL)(1 / (QUOTIENT)degree) : 0;
    }
}

// The few entries of a vector that is 0 elsewhere; no vertex twice.
__kernel void order_entries(const int n, __global const int *restrict vertex, __global const REAL *restrict entry,
                            __global const int *restrict position, __global REAL *restrict values)
{
    FOR_ITEMS(i, n) values[position ? position[vertex[i]] : vertex[i]] = entry[i];
}

#ifdef HAVE_FP64
__kernel void order_narrow(const int n, __global const double *restrict values, __global float *restrict out)
{
    FOR_ITEMS(i, n) out[i] = (float)values[i];
}
#endif
