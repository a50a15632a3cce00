// ranking/group.h: sums over a work-group of LOCAL work-items, by a tree of fixed shape. After ranking/pagerank.h.
//
// GROUP_SUM(x, how)   x becomes the sum of all x, for all work-items; `how` is acc_join or norm_join. At kernel level;
//                     it begins with a barrier. Warps first sum by PTX shuffles where there are any.
// GROUP_BOX           declares the local memory that it needs
// OF_GROUP            in front of a kernel: its work-groups have LOCAL work-items
// TOGETHER            a barrier for what the kernel itself shares (FENCE: in which memory); TOGETHER_ALL: in all memory

#ifndef FENCE
#define FENCE CLK_LOCAL_MEM_FENCE
#endif

// AMD's drivers take groups of more than 256 only where the size is fixed in advance
#if LOCAL > 256 && !defined(HAVE_PTX)
#define OF_GROUP __attribute__((reqd_work_group_size(LOCAL, 1, 1)))
#else
#define OF_GROUP
#endif

#if LOCAL == 1
// A group of one needs no barrier (PoCL keeps private arrays in memory as soon as there is one).
#define TOGETHER
#define TOGETHER_ALL
#define GROUP_BOX
#define GROUP_SUM(x, how)
#elif LOCAL % 32 == 0 && defined(HAVE_PTX)
#include "ranking/warp.h"
#define TOGETHER barrier(FENCE)
#define TOGETHER_ALL barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define GROUP_BOX __local ACC box[32], box_total
#define GROUP_SUM(x, how)                                                      \
    do {                                                                       \
        const int lid_ = get_local_id(0);                                      \
        for (int by_ = 16; by_ > 0; by_ /= 2) x = how(x, shuffle(x, by_));     \
        barrier(FENCE);                                                        \
        if (lid_ % 32 == 0) box[lid_ / 32] = x;                                \
        barrier(CLK_LOCAL_MEM_FENCE);                                          \
        if (lid_ < 32) {                                                       \
            const ACC none_ = ACC_ZERO;                                        \
            x = lid_ < LOCAL / 32 ? box[lid_] : none_;                         \
            for (int by_ = 16; by_ > 0; by_ /= 2) x = how(x, shuffle(x, by_)); \
            if (lid_ == 0) box_total = x;                                      \
        }                                                                      \
        barrier(CLK_LOCAL_MEM_FENCE);                                          \
        x = box_total;                                                         \
    } while (0)
#else
#define TOGETHER barrier(FENCE)
#define TOGETHER_ALL barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define GROUP_BOX __local ACC box[LOCAL]
#define GROUP_SUM(x, how)                                                    \
    do {                                                                     \
        const int lid_ = get_local_id(0);                                    \
        barrier(FENCE);                                                      \
        box[lid_] = x;                                                       \
        for (int half_ = LOCAL / 2; half_ > 0; half_ /= 2) {                 \
            barrier(CLK_LOCAL_MEM_FENCE);                                    \
            if (lid_ < half_) box[lid_] = how(box[lid_], box[lid_ + half_]); \
        }                                                                    \
        barrier(CLK_LOCAL_MEM_FENCE);                                        \
        x = box[0];                                                          \
    } while (0)
#endif
