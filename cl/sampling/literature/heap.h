// sampling/literature/heap.h: a binary heap; the item that goes before all others is at the top. Whoever includes it defines
// HEAP (the parameters that name the heap), SLOTS (its array), BEFORE(a, b) and, where items know their slots, PUT(i, x).

#ifndef PUT
#define PUT(i, x) (SLOTS[i] = (x))
#endif

// x fills slot i or one above it.
static inline void heap_rise(int x, int i, HEAP)
{
    for (; i > 0 && BEFORE(x, SLOTS[(i - 1) / 2]); i = (i - 1) / 2)
        PUT(i, SLOTS[(i - 1) / 2]);
    PUT(i, x);
}

// x fills slot i or one below it, of `many` slots.
static inline void heap_sink(int x, int i, int many, HEAP)
{
    for (int child = 2 * i + 1; child < many; child = 2 * i + 1) {
        if (child + 1 < many && BEFORE(SLOTS[child + 1], SLOTS[child])) child++;
        if (!BEFORE(SLOTS[child], x)) break;
        PUT(i, SLOTS[child]);
        i = child;
    }
    PUT(i, x);
}
