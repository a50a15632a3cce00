// ranking/rows_pull.cl (pipelines): two GPU versions of the PageRank thesis as one flat loop over the arcs.
//
// pull          Parallel I: the out-degree is stored beside each arc, UNROLL divisions per cycle
// contribution  Parallel II: one multiplication per vertex; what `auto` uses on an FPGA
//
// Each is a separate program (SEND_RANK: that of pull), so that a chip does not have to hold both.
// per cycle, bound by   ranking/solver.cl (pull reads twice as much)

#include "fpga/pipeline.h"
#include "ranking/pagerank.h"
#include "fpga/rows.h"
#include "fpga/ranking/flat.h"

#define PULL_ARGS FLAT_ARGS, __global const int *restrict degree

#ifdef SEND_RANK
FLAT_KERNEL(pagerank_pull, PULL_ARGS, ITS_DEGREE)
#else
FLAT_KERNEL(pagerank_contribution, FLAT_ARGS, NO_DEGREE)
#endif
