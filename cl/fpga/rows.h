// rows.h: the arcs of many rows as one flat loop.
//
// The bounds of ROW_BLOCK rows are read into on-chip memory (in a separate loop, one row per cycle); then one loop
// walks all arcs of the block, in each iteration up to UNROLL arcs of one row: a row of degree d takes max(1, ceil(d /
// UNROLL)) cycles. Which row comes next is known AHEAD rows before, from registers, so that no iteration waits for
// memory to know its own position.
//
//     Bounds bounds;
//     FOR_BLOCKS(base, rows, many) {
//         FOR_EACH(i, many) SET_BOUNDS(bounds, i, first arc of row base + i, one past its last one);
//         FOR_BURSTS(w, bounds, many)     // w.row: position in the block; arcs w.p .. w.p + w.count - 1;
//             ...                         // w.first, w.last: whether the row begins or ends with them
//     }

typedef struct {
    OFFSET begin[ROW_BLOCK + AHEAD + 1], end[ROW_BLOCK + AHEAD + 1];
} Bounds;

typedef struct {
    int row, count, first, last;
    OFFSET p, end;
    OFFSET begins[AHEAD], ends[AHEAD];   // of the rows to come
} Walk;

#define FOR_BLOCKS(base, rows, many)                                                                            \
    for (long base = 0, many = min((long)ROW_BLOCK, (long)(rows)); base < (rows);                               \
         base += ROW_BLOCK, many = min((long)ROW_BLOCK, (long)(rows) - base))

#define SET_BOUNDS(bounds, i, b, e) \
    do {                            \
        (bounds).begin[i] = (b);    \
        (bounds).end[i] = (e);      \
    } while (0)

static inline void walk_count(Walk *w, const int width)
{
    w->last = w->end - w->p <= width;
    w->count = w->last ? (int)(w->end - w->p) : width;
}

static inline Walk walk_start(Bounds *bounds, const int many, const int width)
{
    Walk w;
    for (int k = 0; k < AHEAD + 1; k++)
        bounds->begin[many + k] = bounds->end[many + k] = 0;
    w.row = 0;
    w.p = bounds->begin[0];
    w.end = bounds->end[0];
    w.first = 1;
    #pragma unroll
    for (int k = 0; k < AHEAD; k++) {
        w.begins[k] = bounds->begin[k + 1];
        w.ends[k] = bounds->end[k + 1];
    }
    walk_count(&w, width);
    return w;
}

static inline void walk_on(Walk *w, const Bounds *bounds, const int width)
{
    if (w->last) {
        w->p = w->begins[0];
        w->end = w->ends[0];
        #pragma unroll
        for (int k = 0; k + 1 < AHEAD; k++) {
            w->begins[k] = w->begins[k + 1];
            w->ends[k] = w->ends[k + 1];
        }
        w->row++;
        w->begins[AHEAD - 1] = bounds->begin[min(w->row + AHEAD, ROW_BLOCK + AHEAD)];
        w->ends[AHEAD - 1] = bounds->end[min(w->row + AHEAD, ROW_BLOCK + AHEAD)];
    } else {
        w->p += width;
    }
    w->first = w->last;
    walk_count(w, width);
}

#define FOR_BURSTS(w, bounds, many) \
    for (Walk w = walk_start(&(bounds), many, UNROLL); w.row < (many); walk_on(&w, &(bounds), UNROLL))
// one arc per iteration; a row without arcs takes an iteration too, with w.count 0
#define FOR_ARCS(w, bounds, many) \
    for (Walk w = walk_start(&(bounds), many, 1); w.row < (many); walk_on(&w, &(bounds), 1))
