// sampling/literature/chordal.h: lists of numbers.

// Whether an ascending list holds x.
static inline int holds(__global const int *list, int length, int x)
{
    int low = 0, high = length;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (list[middle] < x) low = middle + 1;
        else high = middle;
    }
    return low < length && list[low] == x;
}

// Whether a list contains another one; both are in the same order.
static inline int contains(__global const int *list, int length, __global const int *other, int others)
{
    int i = 0;
    for (int j = 0; j < others; j++, i++) {
        while (i < length && list[i] != other[j])
            i++;
        if (length - i < others - j) return 0;
    }
    return 1;
}
