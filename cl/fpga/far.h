// far.h: the opposite half of an arc, for a block of arcs at a time; after rows.h and sampling/copra.h.
//
// The row of an arc's head ascends, so the opposite half is found by bisection; a search alone would wait for memory at
// every step. Here each step is a loop over the arcs of a block, none of which waits for another: one arc per cycle, as
// long as more than UNROLL candidates of its row are left (the unfinished ones are listed: log2(longest row / UNROLL)
// loops that get shorter), and one more loop that reads the remaining candidates as a burst.
// (The thesis scans the whole row in bursts; for a row of 100 000 arcs that would be 6 000 bursts for every arc
// removed.)

// row[i], wanted[i]: begin[i] becomes the first arc in row[i] whose head is wanted[i].
static inline void first_arcs(const int count, const int *row, const int *wanted, Bounds *at,
                              __global const OFFSET *row_ptr, __global const int *col_idx)
{
    int list[ROW_BLOCK], open = 0;
    FOR_EACH(i, count) {
        const OFFSET b = row_ptr[row[i]], e = row_ptr[row[i] + 1];
        SET_BOUNDS(*at, i, b, e);
        if (e - b > UNROLL)
            list[open++] = i;
    }
    while (open > 0) {
        int left = 0;
        #pragma ivdep
        FOR_EACH(j, open) {   // each iteration has its own bounds; what is listed again overwrites entries already read
            const int i = list[j];
            const OFFSET b = at->begin[i], e = at->end[i], hop = (e - b) / 2;
            const int right = col_idx[b + hop - 1] < wanted[i];
            if (right)
                at->begin[i] = b + hop;
            else
                at->end[i] = b + hop;
            if ((right ? e - b - hop : hop) > UNROLL)
                list[left++] = i;
        }
        open = left;
    }
    FOR_EACH(i, count) {
        const OFFSET b = at->begin[i], left = at->end[i] - b;
        int smaller = 0;
        EACH_WORD(k)
            smaller += k < left && col_idx[k < left ? b + k : 0] < wanted[i];
        at->begin[i] = b + smaller;
    }
}

// A block of arcs: arc p of row tail; `far` becomes the slots of their opposite halves in COPRA's `edges`.
typedef struct {
    int count;
    int tail[ROW_BLOCK], head[ROW_BLOCK];
    OFFSET rank[ROW_BLOCK];   // among parallel copies of the arc
    Bounds at;
} Arcs;

static inline OFFSET far_slot(const Arcs *arcs, const int i)
{
    return slot_of(arcs->head[i], arcs->at.begin[i] + arcs->rank[i]);
}

static inline void find_far(Arcs *arcs, __global const OFFSET *row_ptr, __global const int *col_idx)
{
    first_arcs(arcs->count, arcs->head, arcs->tail, &arcs->at, row_ptr, col_idx);
}

// The same where rank[i] holds the arc's position p instead: how many arcs before it in its row have the same head.
static inline void find_ranks(Arcs *arcs, __global const OFFSET *row_ptr, __global const int *col_idx)
{
    first_arcs(arcs->count, arcs->tail, arcs->head, &arcs->at, row_ptr, col_idx);
    FOR_EACH(i, arcs->count)
        arcs->rank[i] -= arcs->at.begin[i];
}
