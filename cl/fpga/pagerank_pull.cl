// pagerank_pull.cl (pipelines): the PageRank thesis's two GPU versions as one flat loop over the arcs.
//
// pull          Parallel I: the out-degree stands beside each arc, UNROLL divisions a cycle
// contribution  Parallel II: one multiplication a vertex; what `auto` takes on an FPGA
//
// Each is a program of its own (TRAVEL_RANK: pull's), so that a chip need not hold both.
// per cycle, bound by   pagerank.cl (pull reads twice as much)

#include "pipeline.h"
#include "pagerank.h"
#include "rows.h"
#include "pagerank_flat.h"

#define PULL_ARGS FLAT_ARGS, __global const int *restrict degree

#ifdef TRAVEL_RANK
FLAT_KERNEL(pagerank_pull, PULL_ARGS, ITS_DEGREE)
#else
FLAT_KERNEL(pagerank_contribution, FLAT_ARGS, NO_DEGREE)
#endif
