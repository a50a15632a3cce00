// sampling/shards/forest.h: what the kernels on edges as words share (see sampling/shards/forest.cl).

#include "keyed.h"

#ifndef CHUNK
#define CHUNK 1024
#endif

#ifndef LANES
#define LANES 1
#endif

#ifndef KEEP_TIMES
#define KEEP_TIMES 1
#endif

#ifndef BY_EDGE
#define BY_EDGE 0
#endif

static inline ulong time_of(ulong seed, ulong word)
{
#if BY_EDGE
    return edge_priority(seed, (uint)(word >> 32), (uint)word, 0);
#else
    return vertex_priority(seed, (uint)(word >> 32));
#endif
}
