// ranks.h: vertices drawn in proportion to weights that fall with their rank; tables by clgraph/graph/models.py.
//
// thresholds, bounds   a word picks a class of ranks, another word a rank in it
// guide[k]             the class of the word k << GUIDE_SHIFT, where the search for greater words begins
// stride               rank * stride mod n is the vertex

#ifndef GUIDE_SHIFT
#define GUIDE_SHIFT 22
#endif

static inline int ranked_vertex(uint word, uint fraction, const uint n, const uint stride, __global const int *guide,
                                __global const uint *thresholds, __global const int *bounds)
{
    int low = guide[word >> GUIDE_SHIFT], high = guide[(word >> GUIDE_SHIFT) + 1];
    while (low < high) {               // the first class whose threshold is above the word
        const int middle = (low + high) / 2;
        if (thresholds[middle] <= word)
            low = middle + 1;
        else
            high = middle;
    }
    const uint rank = bounds[low] + mul_hi(fraction, (uint)(bounds[low + 1] - bounds[low]));
    return (int)((ulong)rank * stride % n);
}
