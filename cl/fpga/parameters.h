// parameters.h: the parameters of the pipelines of cl/fpga, in one place: the compiler reads it, and so does the host
// (clgraph/fpga/parameters.py reads each "#define NAME number  // text"). `clgraph fpga compile --param NAME=VALUE`
// overrides a value; the sidecar of a binary records which were used. No result depends on any of them.
//
// The emulator runs on a CPU, which pays for each copy of an unrolled loop and for each register of a shift register:
// its own defaults are small (second block).

#if !defined(KIND_CPU) || defined(HARDWARE_PARAMETERS)
#ifndef UNROLL
#define UNROLL 16           // 32-bit words per cycle: a burst of 64 bytes, what one DDR3 bank delivers at 200 MHz
#endif
#ifndef AHEAD
#define AHEAD 4             // rows whose ends wait in registers: at least the latency of reading on-chip memory
#endif
#ifndef HAZARD
#define HAZARD 64           // updates that may be in flight to memory: at least its latency in cycles
#endif
#ifndef WALKS
#define WALKS 256           // random walks in flight: at least the latency of three dependent reads, in cycles
#endif
#ifndef LANES
#define LANES 4             // iterations with random reads that start per cycle: more than memory serves are of no use
#endif
#ifndef ADDERS
#define ADDERS 32           // partial sums of floats, used in turn: at least the latency of an addition, times SETTLES
#endif
#ifndef SETTLES
#define SETTLES 4           // rows of PageRank that end per cycle
#endif
#ifndef ROW_BLOCK
#define ROW_BLOCK 2048      // rows (or arcs) whose bounds are held on chip at a time; a multiple of 32
#endif
#ifndef ARC_BLOCK
#define ARC_BLOCK 16384     // arcs of PageRank whose running totals are on chip at a time; a multiple of UNROLL
#endif
#ifndef LOCAL_WORDS
#define LOCAL_WORDS 32768   // 32-bit words of a bitmap held on chip: a graph of up to 32 times that many vertices fits
#endif
#ifndef LOCAL_RANKS
#define LOCAL_RANKS 32768   // words of vertex state on chip: values of PageRank; larger graphs are cut into partitions
#endif
#ifndef EARLY_OUT
#define EARLY_OUT 0         // 1: a pull leaves a row at its first hit: fewer arcs, but it waits for the bitmap's answer
#endif
#else
#ifndef UNROLL
#define UNROLL 4
#endif
#ifndef AHEAD
#define AHEAD 1
#endif
#ifndef HAZARD
#define HAZARD 1
#endif
#ifndef WALKS
#define WALKS 16
#endif
#ifndef LANES
#define LANES 1
#endif
#ifndef ADDERS
#define ADDERS 1
#endif
#ifndef SETTLES
#define SETTLES 1
#endif
#ifndef ROW_BLOCK
#define ROW_BLOCK 1024
#endif
#ifndef ARC_BLOCK
#define ARC_BLOCK 4096
#endif
#ifndef LOCAL_WORDS
#define LOCAL_WORDS 512
#endif
#ifndef LOCAL_RANKS
#define LOCAL_RANKS 4096
#endif
#ifndef EARLY_OUT
#define EARLY_OUT 1
#endif
#endif

#ifndef HISTOGRAMS
#define HISTOGRAMS 4        // copies of a histogram, used in turn: at least the latency of adding to on-chip memory
#endif
#ifndef OFFSET_BITS
#define OFFSET_BITS 32      // of a position among the arcs: 64 from 2^31 arcs on (the host must ask for the same)
#endif
#ifndef PULL_PARTITIONS
#define PULL_PARTITIONS 1   // 1: a search whose bitmap does not fit pulls in partitions that do; 0: from memory
#endif
#ifndef CHANNELS
#define CHANNELS 0          // 1: PageRank as two kernels side by side, joined by a channel (ranking/flat.h)
#endif
