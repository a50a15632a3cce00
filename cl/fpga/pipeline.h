// pipeline.h: prepended to every file of cl/fpga: single-work-item kernels for Intel FPGAs.
//
// A kernel of this folder has the name and the arguments of the kernel in cl/ that it replaces, but is launched over
// one work-item: what would be spread over work-items is a loop here, of which the compiler starts one iteration per
// cycle (initiation interval 1) where no iteration waits for what an earlier one computes. What such loops must look
// like:
//   * inner loops have constant bounds and are unrolled: an iteration takes up to UNROLL consecutive words, one burst;
//   * rows of any length are not nested loops: rows.h walks the arcs of a block of rows in one flat loop;
//   * what an iteration needs from the previous one stays in registers; integer sums, whose order does not matter, are
//     free;
//   * functions are inlined and have no `restrict`: the kernels' arguments have it (Oclgrind mishandles it after
//     inlining);
//   * #pragma ivdep says that iterations do not depend on each other through memory; each use says why that is so.
// "II" is the initiation interval that a loop is written for: 1, unless a file's head says otherwise; "per cycle" in
// the heads is what one such iteration does. Nothing here was ever compiled by aoc or run on a board:
// the reports of `clgraph fpga compile --report` are authoritative.

#include "fpga/parameters.h"

// set by the host for Intel's FPGAs and their emulator; other compilers run the same as plain C
#ifdef INTEL_PIPELINES
#define PIPELINE __kernel __attribute__((max_global_work_dim(0))) __attribute__((uses_global_work_offset(0)))
#else
#define PIPELINE __kernel
#endif

// for (each index i < n): one per cycle
#define FOR_EACH(i, n) for (int i = 0; i < (n); i++)
// The same where an iteration only reads, computes and writes words in order: UNROLL of them per cycle, in bursts.
#define PRAGMA_OF(text) _Pragma(#text)
#define PRAGMA(text) PRAGMA_OF(text)
#define FOR_STREAM(i, n) PRAGMA(unroll UNROLL) FOR_EACH(i, n)
// The same where an iteration reads memory at random: LANES of them per cycle, as many as memory can serve.
#define FOR_LANES(i, n) PRAGMA(unroll LANES) FOR_EACH(i, n)
// for (each i < UNROLL): all in one cycle
#define EACH_WORD(i) _Pragma("unroll") for (int i = 0; i < UNROLL; i++)
