// ranking/contribution.cl (pipelines): Parallel II of the PageRank thesis as one flat loop over the arcs, with one
// multiplication per vertex; what `auto` uses on an FPGA.
//
// per cycle, bound by   fpga/ranking/flat.h
// parts                 one: the host launches one work-item

#include "fpga/pipeline.h"
#include "ranking/pagerank.h"
#include "fpga/rows.h"
#include "fpga/ranking/flat.h"

FLAT_KERNEL(pagerank_contribution, FLAT_ARGS, NO_DEGREE)
