// measures/eigh.cl: eigenvalues and eigenvectors of many small symmetric matrices, by Jacobi's method: N / 2 rotations at
// once, of pairs that a round-robin tournament meets (Golub, Van Loan: Matrix Computations, 4th edition, 8.5.5).
//
// matrix   double[][N][N]   overwritten by the eigenvectors, as columns
// value    double[][N]      the eigenvalues, ascending
//
// launch     one work-group of LOCAL for each matrix
// tunables   LOCAL;  N, even: rows

#ifndef LOCAL
#define LOCAL 4
#endif
#ifndef N
#define N 6
#endif
#define PAIRS (N / 2)
#define ROW (N + 1)       // of local memory: columns then lie in different banks
#define SWEEPS 30         // seven or eight do
#define NONE 0x1p-55      // share of the largest entry up to which one is a rounding error

#define FOR_LOCAL(i, count) for (int i = get_local_id(0); i < (count); i += LOCAL)

// The smaller and the larger of pair k in a round: N - 1 stays, the others go round.
static inline int2 pair_of(const int k, const int round)
{
    const int one = k ? (round + k) % (N - 1) : N - 1, other = (round - k + N - 1) % (N - 1);
    return (int2)(min(one, other), max(one, other));
}

// A = J' A J of a round's rotations J, a block of two rows and two columns for each two pairs k <= l.
static inline void rotate(__local double *a, __local const double *cosine, __local const double *sine, const int round)
{
    FOR_LOCAL(i, PAIRS * PAIRS) {
        const int k = i / PAIRS, l = i - k * PAIRS;   // not %: Oclgrind knows no `freeze`, which LLVM puts there
        if (k > l)
            continue;
        const int2 p = pair_of(k, round), q = pair_of(l, round);
        const double c = cosine[k], s = sine[k], d = cosine[l], t = sine[l];
        const double xx = a[p.x * ROW + q.x], xy = a[p.x * ROW + q.y], yx = a[p.y * ROW + q.x], yy = a[p.y * ROW + q.y];
        const double ux = c * xx - s * yx, uy = c * xy - s * yy, wx = s * xx + c * yx, wy = s * xy + c * yy;
        const int zero = k == l && s != 0;
        a[p.x * ROW + q.x] = a[q.x * ROW + p.x] = d * ux - t * uy;
        a[p.x * ROW + q.y] = a[q.y * ROW + p.x] = zero ? 0 : t * ux + d * uy;
        a[p.y * ROW + q.y] = a[q.y * ROW + p.y] = t * wx + d * wy;
        a[p.y * ROW + q.x] = a[q.x * ROW + p.y] = zero ? 0 : d * wx - t * wy;
    }
}

__kernel void eigh(__global double *restrict matrix, __global double *restrict value)
{
    __local double a[N * ROW], v[N * ROW], cosine[PAIRS], sine[PAIRS], most;
    __local int turned;
    __global double *mine = matrix + (size_t)get_group_id(0) * N * N;
    FOR_LOCAL(i, N * N) {
        const int row = i / N, column = i - row * N;
        a[row * ROW + column] = mine[i];
        v[row * ROW + column] = row == column;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);   // all have read what is overwritten in the end
    if (get_local_id(0) == 0) {
        double found = 0;
        for (int i = 0; i < N; i++)
            for (int j = i; j < N; j++)
                found = fmax(found, fabs(a[i * ROW + j]));
        most = found;
    }
    for (int sweep = 0, going = 1; going && sweep < SWEEPS; sweep++) {
        barrier(CLK_LOCAL_MEM_FENCE);   // all have read what the last sweep turned
        if (get_local_id(0) == 0)
            turned = 0;
        for (int round = 0; round < N - 1; round++) {
            barrier(CLK_LOCAL_MEM_FENCE);
            FOR_LOCAL(k, PAIRS) {
                const int2 p = pair_of(k, round);
                const double off = a[p.x * ROW + p.y], apart = a[p.y * ROW + p.y] - a[p.x * ROW + p.x];
                double c = 1, s = 0;
                if (fabs(off) > NONE * most) {
                    const double theta = apart / (2 * off);
                    const double tangent = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                    c = 1 / sqrt(tangent * tangent + 1);
                    s = tangent * c;
                    turned = 1;   // by several, the same value
                }
                cosine[k] = c;
                sine[k] = s;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            rotate(a, cosine, sine, round);
            FOR_LOCAL(i, N * PAIRS) {
                const int k = i / N;
                const int2 p = pair_of(k, round);
                __local double *row = v + (i - k * N) * ROW;
                const double c = cosine[k], s = sine[k], x = row[p.x], y = row[p.y];
                row[p.x] = c * x - s * y;
                row[p.y] = s * x + c * y;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        going = turned;
    }
    FOR_LOCAL(i, N * N) {
        const int row = i / N, column = i - row * N;
        const double own = a[column * ROW + column];
        int rank = 0;
        for (int j = 0; j < N; j++) {
            const double other = a[j * ROW + j];
            rank += other < own || (other == own && j < column);
        }
        mine[row * N + rank] = v[row * ROW + column];
        if (row == 0)
            value[(size_t)get_group_id(0) * N + rank] = own;
    }
}
