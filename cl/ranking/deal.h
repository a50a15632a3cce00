// ranking/deal.h: how a graph's arcs are dealt out to windows; for ranking/deal.cl and ranking/deal_place.cl.
//
// A vertex has an index in the graph, a position (by class and index), and a number (by class, window and length).
//
// bound         int[slices + 1]       the sources that work-item k deals out, at most 2^(32 - WINDOW_BITS)
// place         uint[n]               by index: window << WINDOW_BITS | position within the window; hot sources are in
//                                     the first hot_windows
// dealt         uint[chunks][CHUNK]   source, counted from its slice's first, << WINDOW_BITS | position in the
//                                     window. Stream 2 w + cold has the arcs to window w, in chunks; a slice takes new
//                                     ones from its own region when it needs them, so that nothing has to be counted
//                                     beforehand.
// owner, chunk_source, chunk_length int[chunks]   a chunk's stream (2 * windows: unused), its slice's first source, and
//                                     how many arcs are in it
// stream_ptr    int[2 * windows + 1]  stream s has the chunks listed[stream_ptr[s]] ..., in the order of slices
// window_begin  int[windows + 1]      first position of each window
// number        int[n]                by position
// hot_length, cold_length int[n]      by number

#ifndef OFFSET
#define OFFSET int
#endif
#ifndef REAL
#define REAL float
#endif
#ifndef WIDTH
#define WIDTH 8
#endif
#ifndef LONG_ROW
#define LONG_ROW 1024
#endif
#ifndef WINDOW_BITS
#define WINDOW_BITS 15
#endif
#ifndef CHUNK
#define CHUNK 256
#endif
#define WINDOW_OF(place) ((place) >> WINDOW_BITS)
#define POSITION_OF(place) ((place) & ((1u << WINDOW_BITS) - 1))

#define CHUNKS                                                                    \
    __global const int *restrict stream_ptr, __global const int *restrict listed, \
        __global const int *restrict chunk_length, __global const uint *restrict dealt
// for (each arc of a stream): its place `e` among the dealt, in chunk number `e_chunk`
#define FOR_DEALT(e, stream)                                                                                \
    for (int e##_turn = stream_ptr[stream]; e##_turn < stream_ptr[(stream) + 1]; e##_turn++)                \
        for (int e##_chunk = listed[e##_turn], e##_once = 1; e##_once; e##_once = 0)                        \
            for (long e = (long)e##_chunk * CHUNK, e##_end = e + chunk_length[e##_chunk]; e < e##_end; e++)
