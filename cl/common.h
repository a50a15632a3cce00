// common.h: prepended to every kernel file by the host (drivers' caches miss edits of included files).
//
// KIND_GPU, KIND_CPU or KIND_FPGA   one of them is defined by the host
// HAVE_...                          what the build probes of cl/device/probe_features.cl found on the device
// CHECK_RACES                       defined under Oclgrind, whose race detector knows atomics but not volatile

#ifdef HAVE_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef HAVE_INT64_ATOMICS
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif

// CLGRAPH_WITHOUT: what is hidden does not build either, where the compiler is a clang.
#ifdef WITHOUT_FP64
#pragma GCC poison double
#endif
#ifdef WITHOUT_INT64_ATOMICS
#pragma GCC poison atom_add atom_or atom_min atom_max atom_cmpxchg atom_xchg
#endif
#ifdef WITHOUT_PREFETCH
#pragma GCC poison __builtin_prefetch
#endif

// A 32-bit word that other work-items update atomically in the same launch is read and written only through these
// two. OpenCL 1.2 has no atomic load; a volatile access is one untorn 32-bit access on every device we know, and ten
// times cheaper than atomic_or. The value may be stale: each use says why that is harmless. For __global and __local
// pointers to int and uint.
#ifdef CHECK_RACES
#define SHARED_LOAD(p) atomic_or((p), 0)
#define SHARED_STORE(p, value) ((void)atomic_xchg((p), (value)))
#else
#define SHARED_LOAD(p) (*(volatile __typeof__(*(p)) *)(p))
#define SHARED_STORE(p, value) ((void)(*(volatile __typeof__(*(p)) *)(p) = (value)))
#endif

// The type of a position among the arcs, from the host; an FPGA's binary has it by its parameters.
#ifndef OFFSET
#if OFFSET_BITS == 64
#define OFFSET long
#else
#define OFFSET int
#endif
#endif

// PASTE(vload, LANES): one name of two, after macros in both are expanded.
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

// Asks for what is going to be read, where that helps: on CPUs, never on GPUs and simulators. OpenCL's own prefetch() does
// nothing on the CPU runtimes we know.
#ifdef HAVE_PREFETCH
#define PREFETCH(place) __builtin_prefetch(place)
#else
#define PREFETCH(place) ((void)0)
#endif

// How many consecutive indices one work-item takes: 1 on GPUs, hundreds on CPUs (from the host's launch table).
#ifndef ITEMS
#define ITEMS 1
#endif

// for (each index v < n of this work-item): the range check is included, also where v * ITEMS would overflow.
#define FOR_ITEMS(v, n)                                               \
    for (int v = (int)min((long)get_global_id(0) * ITEMS, (long)(n)), \
             v##_bound = (int)min((long)v + ITEMS, (long)(n));        \
         v < v##_bound; ++v)

// The same for arc numbers, which may exceed 2^31.
#define FOR_ITEMS_LONG(v, n)                                                                             \
    for (long v = min((long)get_global_id(0) * ITEMS, (long)(n)), v##_bound = min(v + ITEMS, (long)(n)); \
         v < v##_bound; ++v)
