// components/finder.cl: connected components by linking and compressing
// (Sutton, Ben-Nun, Barak: Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling,
// "Afforest", IPDPS 2018).
//
// label int[n]    a forest: label[v] <= v, a root has label[r] == r, -1 = v is absent. In the end label[v] is the
//                 smallest vertex of v's component, because a root is only ever hooked onto a smaller one.
// rows, variants  see components/finder.h
// order           init, start (hook onto the first neighbour, no atomics), compress, link (one more neighbour),
//                 compress, sample (the most frequent root among 512 labels: that of the giant component), rest (all
//                 arcs of the vertices outside the giant), long (the rows that were too long for one work-item), finish
//                 (compress again).
//                 With LINK_EVERY > 1 instead of link: sample, and if one tree is large, link_some takes only some
//                 vertices; compress, sample; link_outside takes those that are still outside the giant.
//                 Arcs between two vertices of the giant need not be read; every other undirected arc is in the row of
//                 an end outside. A directed CSR holds an arc once, so no row can be skipped there.
// launch          padded range, each work-item takes ITEMS consecutive vertices; sample: one work-group;
//                 long: any number of work-groups, each takes pieces of rows in turn
// tunables        ITEMS 1 on GPUs, hundreds on CPUs (a CPU core wants long serial runs, not thousands of tiny
//                 work-items); LINK_EVERY 1 on GPUs, 8 on CPUs (most links only find that the giant has both); SAMPLES;
//                 and those of components/finder.h

#include "components/finder.h"

#ifndef SAMPLES
#define SAMPLES 512          // labels from which the giant is guessed
#endif
#ifndef LINK_EVERY
#define LINK_EVERY 1
#endif
#define SOON 32               // vertices ahead of which rows are fetched
#define SCAN_LIMIT 16         // dead slots to skip while looking for a first neighbour (only a heuristic)

__kernel void components_init(const int n, __global const OFFSET *restrict v_start, __global int *restrict label)
{
    FOR_ITEMS(v, n) {
        int there = 1;
#ifdef HAS_DEAD
        there &= v_start[v] >= 0;
#endif
#ifdef MASKED
        there &= label[v] >= 0;
#endif
        label[v] = there ? v : -1;
    }
}

// Hook v onto its first neighbour if that one is smaller, and note in `next` which neighbour to link after that:
// the first one if it was not used here, else the second; v itself if there is none.
__kernel void components_start(const int n, ROWS, __global int *label, __global int *restrict next ARC_ARGS)
{
    FOR_ITEMS(v, n) {
        int parent = v, other = v;
#if defined(HAS_DEAD) || defined(MASKED) || defined(ARC_KEY)
        if (SHARED_LOAD(label + v) < 0) {      // own slot: no one else writes it
            next[v] = v;
            continue;
        }
        OFFSET e = v_start[v];
        OFFSET end = v_end[v + END_SHIFT];
        if (end - e > SCAN_LIMIT) end = e + SCAN_LIMIT;
        for (; e < end; ++e) {
            int u = neighbor(e, edges, label ARC_PASS);
            if (u < 0 || u == v) continue;
            if (parent == v && u < v) {
                parent = u;
            } else {
                other = u;
                break;
            }
        }
#else
        OFFSET e = v_start[v];
        OFFSET end = v_end[v + END_SHIFT];
        // rows begin in cache lines of their own, and branches that wait for one keep the next ones from being read
        if (v < n - SOON) PREFETCH(edges + v_start[v + SOON]);
        if (e < end) {
            int u = edges[e];
            int used = u < v;
            parent = used ? u : v;
            other = !used ? u : e + 1 < end ? edges[e + 1] : v;
        }
#endif
        next[v] = other;
        // the neighbour's current parent; a stale label is its own number, which is just as correct
        SHARED_STORE(label + v, SHARED_LOAD(label + parent));
    }
}

#if LINK_EVERY == 1

// Join every vertex with the neighbour that components_start noted.
__kernel void components_link(const int n, __global const int *restrict next, __global int *label)
{
    FOR_BATCHES(first, last, n) {
        int differ = 0;
        // stale is harmless: two labels that agree stay in one tree, and join() looks again
        for (int v = first; v < last; ++v) differ |= SHARED_LOAD(label + v) ^ SHARED_LOAD(label + next[v]);
        if (differ == 0) continue;
        for (int v = first; v < last; ++v) join(label, v, next[v]);
    }
}

#else

static inline void join_chosen(const int *chosen, int count, __global const int *next, __global int *label)
{
    int differ = 0;
    int higher[BATCH];
    // stale is harmless: two labels that agree stay in one tree, and join() looks again
    for (int k = 0; k < count; ++k) {
        int mine = SHARED_LOAD(label + chosen[k]);
        int its = SHARED_LOAD(label + next[chosen[k]]);
        differ |= mine ^ its;
        higher[k] = max(mine, its);
    }
    if (differ == 0) return;
    // fetch what join() looks at next, for all of them: no later load can overtake an atomic
    for (int k = 0; k < count; ++k) differ |= SHARED_LOAD(label + max(higher[k], 0));
    for (int k = 0; k < count; ++k) join(label, chosen[k], next[chosen[k]]);
}

// The same for roots and every LINK_EVERY-th vertex, since one link is enough to join a tree to another; for all if no
// large tree has been seen.
__kernel void components_link_some(const int n, __global const int *restrict next, __global const int *restrict state,
                                   __global int *label)
{
    const int every = state[SHARE] > SAMPLES / 16 ? LINK_EVERY : 1;
    FOR_BATCHES(first, last, n) {
        int chosen[BATCH];                     // unpredictable, so the list is built without a branch
        int count = 0;
        for (int v = first; v < last; ++v) {
            chosen[count] = v;
            // stale is harmless: a vertex that was a root a moment ago may be joined, too
            count += (SHARED_LOAD(label + v) == v | v % every == 0) & next[v] != v;
        }
        join_chosen(chosen, count, next, label);
    }
}

// The same for the vertices outside the giant: few, if it has formed already.
__kernel void components_link_outside(const int n, __global const int *restrict next,
                                      __global const int *restrict state, __global int *label)
{
    const int giant = state[GIANT];
    FOR_BATCHES(first, last, n) {
        int chosen[BATCH];
        int count = 0;
        for (int v = first; v < last; ++v) {
            chosen[count] = v;
            // stale is harmless: at worst a vertex that has just joined the giant is joined once more
            count += SHARED_LOAD(label + v) != giant & next[v] != v;
        }
        join_chosen(chosen, count, next, label);
    }
}

#endif

// Make every vertex point at its root. Each work-item writes its own slots only; a stale label of another slot
// is still an ancestor, and the loop ends at a root (no root changes in this launch).
// The slot is written at every step, so that a long chain is halved by all work-items together and not walked by each.
static inline void compress(__global int *label, int v)
{
    int parent = SHARED_LOAD(label + v);
    if (parent < 0) return;
    int above = SHARED_LOAD(label + parent);
    while (above != parent) {
        SHARED_STORE(label + v, above);
        parent = above;
        above = SHARED_LOAD(label + parent);
    }
}

__kernel void components_compress(const int n, __global int *label)
{
    FOR_BATCHES(first, last, n) {
#ifdef KIND_GPU
        int deep = 0;
        for (int v = first; v < last; ++v) {
            int parent = SHARED_LOAD(label + v);
            deep |= parent ^ SHARED_LOAD(label + (parent < 0 ? v : parent));
        }
        if (deep == 0) continue;
        for (int v = first; v < last; ++v) compress(label, v);
#else
        // the same climb for a batch at a time, step by step: no branch depends on what one of them has read
        int top[BATCH];
        int moved = 0, steps = 0;
        for (int v = first; v < last; ++v) top[v - first] = SHARED_LOAD(label + v);
        do {
            moved = 0;
            for (int v = first; v < last; ++v) {
                int here = top[v - first];
                int above = SHARED_LOAD(label + (here < 0 ? v : here));
                moved |= above ^ here;
                top[v - first] = above;
            }
            ++steps;
        } while (moved);
        if (steps == 1) continue;
        for (int v = first; v < last; ++v) SHARED_STORE(label + v, top[v - first]);
#endif
    }
}

// The same at the end: the giant's vertices point at the root it had when it was sampled, and what that root
// points at now is looked up once, by those that need it: the root has been hooked a dozen times, and a climb of all
// work-items would take longer than the pass over the labels.
__kernel void components_finish(const int n, __global int *label, __global const int *restrict state)
{
    const int giant = state[GIANT];
    int root = -1;
    FOR_BATCHES(first, last, n) {
        // a single branch, rarely taken: whether a vertex is present, and in the giant, is unpredictable
        int deep = 0;
        for (int v = first; v < last; ++v) {
            int parent = SHARED_LOAD(label + v);
            deep |= parent ^ SHARED_LOAD(label + (parent < 0 ? v : parent));
        }
        if (deep == 0) continue;
        for (int v = first; v < last; ++v) {
            // stale is harmless: see compress()
            if (giant < 0 || SHARED_LOAD(label + v) != giant) {
                compress(label, v);
                continue;
            }
            if (root < 0) {
                const int noted = SHARED_LOAD(label + giant);
                int above = noted;
                do {
                    root = above;
                    above = SHARED_LOAD(label + root);
                } while (above != root);
                // nothing but the root, which all find: steps on the way would mislead those that climb now; and once,
                // since a GPU takes the stores of thousands of work-items to one place in turn
                if (root != noted) SHARED_STORE(label + giant, root);
            }
            SHARED_STORE(label + v, root);
        }
    }
}

// The most frequent root among SAMPLES labels; n >= 1; one work-group. Only a guess: the result is right
// whatever it is.
__kernel void components_sample(const int n, __global const int *restrict label, __global int *restrict state)
{
    __local int drawn[SAMPLES];
    __local uint best;
    int lid = get_local_id(0);
    int width = get_local_size(0);
    if (lid == 0) best = 0;
    for (int i = lid; i < SAMPLES; i += width) {
        // one vertex from each of SAMPLES equal stretches, at an offset that differs from stretch to stretch
        ulong place = ((ulong)i << 16) + ((uint)i * 40503u & 0xffffu);
        drawn[i] = label[(int)((place * (ulong)n) / ((ulong)SAMPLES << 16))];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < SAMPLES; i += width) {
        int mine = drawn[i];
        uint equal = 0;
        for (int k = 0; k < SAMPLES; ++k) equal += drawn[k] == mine;
        if (mine >= 0) atomic_max(&best, (equal << 16) | (uint)(SAMPLES - 1 - i));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        state[GIANT] = best ? drawn[SAMPLES - 1 - (best & 0xffffu)] : -1;
#if LINK_EVERY > 1
        state[SHARE] = best >> 16;
#endif
    }
}

// Joins along all arcs of the vertices outside the giant (of all vertices if `skip` is 0). With a `vertex_key`: of the
// vertices with vertex_key <= newest_vertex, inside and outside, since the arcs among the others were joined earlier.
__kernel void components_rest(const int n, ROWS, __global int *label, __global int *state, const int skip,
                              __global const uint *restrict vertex_key, const uint newest_vertex,
                              __global int *restrict queue, const int capacity ARC_ARGS)
{
    int giant = skip ? state[GIANT] : -2;
    int outside[ITEMS];                        // unpredictable, so the list is built without a branch
    int count = 0;
    FOR_ITEMS(w, n) {
        // stale is harmless: at worst the row of a vertex that has just joined the giant is read needlessly
        int mine = SHARED_LOAD(label + w);
        outside[count] = w;
        count += mine >= 0 & (vertex_key ? vertex_key[w] <= newest_vertex : mine != giant);
    }
    for (int k = 0; k < count; ++k) {
        int v = outside[k];
        OFFSET begin = v_start[v];
        OFFSET end = v_end[v + END_SHIFT];
        if (end - begin > LONG_ROW) {
            int pieces = (int)((end - begin - 1) / PIECE) + 1;
            int at = atomic_add(state + PIECES, pieces);
            for (int i = 0; i < pieces && at + i < capacity; ++i) {
                queue[2 * (at + i)] = v;
                queue[2 * (at + i) + 1] = i;
            }
            continue;
        }
        join_slots(label, v, begin, 1, end, edges ARC_PASS);
    }
}

// The queued pieces of long rows, one at a time to a work-group, neighbouring slots to neighbouring work-items.
__kernel void components_long(ROWS, __global int *label, __global const int *restrict state,
                              __global const int *restrict queue, const int capacity ARC_ARGS)
{
    int count = min(state[PIECES], capacity);
    for (int i = get_group_id(0); i < count; i += get_num_groups(0)) {
        int v = queue[2 * i];
        OFFSET begin = v_start[v] + (OFFSET)queue[2 * i + 1] * PIECE;
        OFFSET end = v_end[v + END_SHIFT];
        if (end - begin > PIECE) end = begin + PIECE;
        join_slots(label, v, begin + (int)get_local_id(0), (int)get_local_size(0), end, edges ARC_PASS);
    }
}
