// files/cells.h: copies numbers that are spelt already into a text, by whole words.
//
// cells       ulong[words][n]  digits and the separator of each, the first in the lowest byte of word 0

typedef struct __attribute__((packed)) {
    ulong word;
} unaligned;

// Writes cell v of n, by whole words if these end before `end`; where it ends.
static inline int put(__global uchar *text, int at, const int end, const int words, __global const ulong *cells,
                      const int n, const int v)
{
    for (int k = 0; k < words; k++) {
        const ulong word = cells[(long)k * n + v];
        const int size = 8 - ((int)clz(word) >> 3);
        if (at + 8 <= end)
            ((__global unaligned *)(text + at))->word = word;
        else
            for (int i = 0; i < size; i++)
                text[at + i] = (uchar)(word >> 8 * i);
        at += size;
    }
    return at;
}
