// theses/pull.cl (pipelines): Parallel I of the PageRank thesis as one flat loop over the arcs: the out-degree is stored
// beside each arc, UNROLL divisions per cycle.
//
// per cycle, bound by   fpga/ranking/flat.h (it reads twice as much)

#include "fpga/pipeline.h"
#include "ranking/pagerank.h"
#include "fpga/rows.h"
#include "fpga/ranking/flat.h"

#define PULL_ARGS FLAT_ARGS, __global const int *restrict degree

FLAT_KERNEL(pagerank_pull, PULL_ARGS, ITS_DEGREE)
