// measures/hops_graphs.cl: how many pairs (search, vertex) lie at each distance in each of several graphs: a work-item
// searches a graph alone, from WORDS * 64 vertices at once. For CPUs with more graphs than cores: nothing is shared, so
// that there are no atomics and no launch for each level, and pairs are counted as they are found. Or one graph, which
// each work-item searches from other vertices: a row is read for WORDS * 64 searches, and waits for memory once.
//
// alone          the vertices of the graph that all work-items search, each with a part of seen, bits, more, queue and
//                other for itself; 0: each work-item has a graph of its own
// begin          int[graphs + 1]   where each graph's vertices begin
// source         int[graphs][most]   from which vertices it is searched; sources: how many there are
// seen           ulong[n][WORDS]   which searches have reached a vertex
// bits, more     ulong[n][WORDS]   which searches have it in their frontier; and in the next one
// queue, other   int[n]    the frontier; the next one (each graph has its own part of these arrays)
// count          ulong[graphs][most / 64][LEVELS]   for each 64 sources the pairs at each distance (0 before)
// deep           int[1]    set if a graph has longer distances: then `count` is of no use
//
// launch         one work-item for each graph
// tunables       WORDS, LEVELS

#ifndef WORDS
#define WORDS 8
#endif
#ifndef LEVELS
#define LEVELS 256
#endif

// A work-item waits for what it reads from memory, unless it has asked for it some entries of the queue before: for what a
// row's arcs lead to, twice as far ahead for the row, three times for where it begins. (3 M vertices, a Xeon: 8 takes 5.3 s,
// 4 and 16 take 5.7 and 6.2 s.)
#define AHEAD 8
// Of 3 M vertices, by 4 words, on two cores of an EPYC: SOONER 12, 24 and 48 take 2.6, 2.4 and 2.8 s; MOSTLY 3, 8, 30 and 100
// 2.9, 2.4, 2.4 and 3.0 s.
#define SOONER 24        // arcs from a vertex that is looked at to those whose neighbours are asked for
#define FAR (1 << 14)    // vertices of a graph that is not in the caches
#define MOSTLY 8         // of so many vertices one in the frontier: all look at their neighbours

// Between levels `front` is 0 but for the vertices of the frontier. `into` is 0 after a push; after a pull it has the last
// frontier, and is cleared before a push.

// The vertices of a frontier reach their neighbours: those of the next one go to `next`; returns how many.
static inline int push(const int size, const int far, __global const OFFSET *row_ptr, __global const int *col_idx,
                       __global const ulong *seen, __global const ulong *front, __global ulong *into,
                       __global const int *now, __global int *next)
{
    int reached = 0;
    for (int i = 0; i < size; i++) {
#ifdef HAVE_PREFETCH
        if (far && i < size - 3 * AHEAD) {
            // of a hub only what will still be in the caches when its turn comes
            const OFFSET first = row_ptr[now[i + AHEAD]], last = row_ptr[now[i + AHEAD] + 1];
            for (OFFSET e = first; e < last && e - first < 64; e++)
                PREFETCH(seen + (size_t)col_idx[e] * WORDS);
            PREFETCH(col_idx + row_ptr[now[i + 2 * AHEAD]]);
            PREFETCH(row_ptr + now[i + 3 * AHEAD]);
        }
#endif
        const int u = now[i];
        ulong own[WORDS];
        for (int k = 0; k < WORDS; k++)
            own[k] = front[(size_t)u * WORDS + k];
        for (OFFSET e = row_ptr[u]; e < row_ptr[u + 1]; e++) {
            const size_t v = (size_t)col_idx[e] * WORDS;
            ulong fresh[WORDS], any = 0, before = 0;
            for (int k = 0; k < WORDS; k++) {
                fresh[k] = own[k] & ~seen[v + k];
                any |= fresh[k];
            }
            if (!any)
                continue;
            for (int k = 0; k < WORDS; k++) {
                before |= into[v + k];
                into[v + k] |= fresh[k];
            }
            if (!before)
                next[reached++] = col_idx[e];
        }
    }
    return reached;
}

// All vertices look at their neighbours, which is faster where most of them are in the frontier: `into` need not be 0,
// and no queue is made. Adds up in `sum` what is reached; returns how many vertices are.
static inline int pull(const int base, const int end, const int far, __global const OFFSET *row_ptr,
                       __global const int *col_idx, __global ulong *seen, __global const ulong *front,
                       __global ulong *into, ulong *sum)
{
    int reached = 0;
    const OFFSET all = row_ptr[end];
    for (int v = base; v < end; v++) {
        ulong found[WORDS], known[WORDS], left = 0, any = 0;
        for (int k = 0; k < WORDS; k++) {
            found[k] = 0;
            known[k] = seen[(size_t)v * WORDS + k];
            left |= ~known[k];
        }
        for (OFFSET e = row_ptr[v], last = left ? row_ptr[v + 1] : e; e < last; e++) {
            if (far && e + SOONER < all)
                PREFETCH(front + (size_t)col_idx[e + SOONER] * WORDS);
            const size_t u = (size_t)col_idx[e] * WORDS;
            ulong open = 0;
            for (int k = 0; k < WORDS; k++) {
                found[k] |= front[u + k];
                open |= ~(found[k] | known[k]);
            }
            if (!open)   // all searches are here
                break;
        }
        for (int k = 0; k < WORDS; k++) {
            const ulong got = found[k] & ~known[k];
            into[(size_t)v * WORDS + k] = got;
            seen[(size_t)v * WORDS + k] = known[k] | got;
            sum[k] += popcount(got);
            any |= got;
        }
        reached += any != 0;
    }
    return reached;
}

__kernel void hops_graphs(const int graphs, const int most, const int alone, __global const int *restrict begin,
                          __global const OFFSET *restrict row_ptr, __global const int *restrict col_idx,
                          __global const int *restrict source, __global const int *restrict sources,
                          __global ulong *seen, __global ulong *bits, __global ulong *more, __global int *queue,
                          __global int *other, __global ulong *restrict count, volatile __global int *deep)
{
    const int g = (int)get_global_id(0);
    if (g >= graphs)
        return;
    const int base = alone ? 0 : begin[g], end = alone ? alone : begin[g + 1], all = sources[g];
    const size_t before_mine = (size_t)g * alone;
    const int far = end - base > FAR;
    __global const int *from = source + (size_t)g * most;
    seen += before_mine * WORDS;
    __global ulong *front = bits + before_mine * WORDS, *into = more + before_mine * WORDS;
    __global int *now = queue + before_mine + base, *next = other + before_mine + base;
    for (int done = 0; done < all; done += 64 * WORDS) {
        ulong none[WORDS];   // lanes without a search count as having been everywhere
        for (int k = 0; k < WORDS; k++) {
            const int left = all - done - 64 * k;
            none[k] = left >= 64 ? 0 : left <= 0 ? ~(ulong)0 : ~(ulong)0 << left;
        }
        for (size_t v = base; v < (size_t)end; v++)
            for (int k = 0; k < WORDS; k++) {
                seen[v * WORDS + k] = none[k];
                front[v * WORDS + k] = into[v * WORDS + k] = 0;
            }
        __global ulong *found = count + ((size_t)g * (most / 64) + done / 64) * LEVELS;
        int size = min(all - done, 64 * WORDS), queued = 1;   // whether `now` has the frontier
        for (int i = 0; i < size; i++) {
            now[i] = from[done + i];
            const size_t place = (size_t)now[i] * WORDS + i / 64;
            seen[place] |= (ulong)1 << (i % 64);
            front[place] |= (ulong)1 << (i % 64);
            found[(size_t)(i / 64) * LEVELS]++;
        }
        for (int level = 1; size; level++) {
            ulong sum[WORDS];
            for (int k = 0; k < WORDS; k++)
                sum[k] = 0;
            int reached;
            if (size > (end - base) / MOSTLY) {
                reached = pull(base, end, far, row_ptr, col_idx, seen, front, into, sum);
                queued = 0;
            } else {
                if (!queued) {
                    int some = 0;
                    for (int v = base; v < end; v++) {
                        ulong any = 0;
                        for (int k = 0; k < WORDS; k++) {
                            any |= front[(size_t)v * WORDS + k];
                            into[(size_t)v * WORDS + k] = 0;
                        }
                        if (any)
                            now[some++] = v;
                    }
                    queued = 1;
                }
                reached = push(size, far, row_ptr, col_idx, seen, front, into, now, next);
                for (int i = 0; i < reached; i++) {
                    if (far)
                        PREFETCH(seen + (size_t)next[min(i + 3 * AHEAD, reached - 1)] * WORDS);
                    for (int k = 0; k < WORDS; k++) {
                        const size_t place = (size_t)next[i] * WORDS + k;
                        seen[place] |= into[place];
                        sum[k] += popcount(into[place]);
                    }
                }
                for (int i = 0; i < size; i++)
                    for (int k = 0; k < WORDS; k++)
                        front[(size_t)now[i] * WORDS + k] = 0;
                __global int *turn = now;
                now = next;
                next = turn;
            }
            if (reached && level == LEVELS) {
                atomic_or(deep, 1);
                return;
            }
            if (reached)
                for (int k = 0; k < WORDS && done + 64 * k < all; k++)
                    found[(size_t)k * LEVELS + level] = sum[k];
            __global ulong *swap = front;
            front = into;
            into = swap;
            size = reached;
        }
    }
}
