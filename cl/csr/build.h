// csr/build.h: what csr/build.cl, csr/build_sort.cl and csr/build_buckets.cl share.
//
// OFFSET      type of row_ptr: int, or long from 2^31 arcs on (NEW_OFFSET: after duplicates were squeezed out)
// MERGE       whether parallel arcs become one
// LOOPS       whether loops are kept: an arc of their own each, also where the others are mirrored
// COUNTS      whether it is counted how many arcs each kept one stands for
// CHUNK       heads that a work-group sorts in local memory, a power of two

#ifndef NEW_OFFSET
#define NEW_OFFSET OFFSET
#endif
#ifndef MERGE
#define MERGE 1
#endif
#ifndef LOOPS
#define LOOPS 0
#endif
#ifndef COUNTS
#define COUNTS 0
#endif
#ifndef CHUNK
#define CHUNK 1024
#endif

#define MARKED(head) (-1 - (head))   // marks a duplicate of the head before it, until it is squeezed out
