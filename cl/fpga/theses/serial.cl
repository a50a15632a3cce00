// theses/serial.cl (pipelines): listing 3.1 of the PageRank thesis as one flat loop over the arcs: the same pipeline as
// that of ranking/contribution.cl, by its own name.

#include "fpga/pipeline.h"
#include "ranking/pagerank.h"
#include "fpga/rows.h"
#include "fpga/ranking/flat.h"

FLAT_KERNEL(pagerank_serial, FLAT_ARGS, NO_DEGREE)
