// sampling/packed.cl: samples that are kept as bits, cut out of the graph: their rows one behind the other.
//
// The words of all samples are counted, running sums (csr/scan.cl) of that number the vertices of all of them; then
// each row that stays is counted, the counts become offsets in the same way, and the arcs are copied in order.
//
// of         int[samples]     which of the kept samples
// member     uint[kept samples * words]        a bit for each vertex
// kept       uint[kept samples * edge_words]   a bit for each edge u < v; NULL: all between members
// edge       int[arcs]        the edge of each arc, where `kept` is given
// before     int[samples * words + 1]          number of vertices before each word
// launch     padded range over (words, samples) or (vertices, samples), ITEMS consecutive ones per work-item

static inline int bit_of(__global const uint *restrict words, const int i)
{
    return words[i / 32] >> (i % 32) & 1;
}

__kernel void packed_count(const int words, __global const int *restrict of, __global const uint *restrict member,
                           __global int *restrict count)
{
    const int sample = get_global_id(1);
    FOR_ITEMS(w, words)
        count[(long)sample * words + w] = popcount(member[(long)of[sample] * words + w]);
}

__kernel void packed_lengths(const int n, const int words, const int edge_words, __global const int *restrict of,
                             __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                             __global const int *restrict edge, __global const uint *restrict member,
                             __global const uint *restrict kept, __global const int *restrict before,
                             __global int *restrict length)
{
    const int sample = get_global_id(1);
    __global const uint *in = member + (long)of[sample] * words, *with = kept + (long)of[sample] * edge_words;
    FOR_ITEMS(v, n)
        if (bit_of(in, v)) {
            int count = 0;
            for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++)
                count += kept ? bit_of(with, edge[p]) : bit_of(in, col_idx[p]);
            const int lower = popcount(in[v / 32] & ((1u << v % 32) - 1));
            length[before[(long)sample * words + v / 32] + lower] = count;
        }
}

__kernel void packed_fill(const int n, const int words, const int edge_words, __global const int *restrict of,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global const int *restrict edge, __global const uint *restrict member,
                          __global const uint *restrict kept, __global const int *restrict before,
                          __global const int *restrict into_ptr, __global int *restrict into_idx)
{
    const int sample = get_global_id(1);
    __global const uint *in = member + (long)of[sample] * words, *with = kept + (long)of[sample] * edge_words;
    __global const int *first = before + (long)sample * words;
    FOR_ITEMS(v, n)
        if (bit_of(in, v)) {
            int to = into_ptr[first[v / 32] + popcount(in[v / 32] & ((1u << v % 32) - 1))];
            for (OFFSET p = row_ptr[v]; p < row_ptr[v + 1]; p++) {
                const int u = col_idx[p];
                if (kept ? bit_of(with, edge[p]) : bit_of(in, u))
                    into_idx[to++] = first[u / 32] + popcount(in[u / 32] & ((1u << u % 32) - 1));
            }
        }
}
