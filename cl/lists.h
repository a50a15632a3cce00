// lists.h: a place in an ascending list, found by bisection. Of two lists side by side, one that is more than SKEW times longer
// than the other is searched, not merged.

#ifndef SKEW
#define SKEW 16
#endif

// First position from i on, before `end`, whose entry is at least x. (`restrict` in functions that LLVM inlines into loops
// would need an intrinsic that Oclgrind lacks.)
static inline OFFSET search_from(OFFSET i, OFFSET end, const int x, __global const int *list)
{
    while (i < end) {
        const OFFSET middle = i + (end - i) / 2;
        if (list[middle] < x)
            i = middle + 1;
        else
            end = middle;
    }
    return i;
}
