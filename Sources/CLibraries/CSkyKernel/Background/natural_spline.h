#ifndef SKYFARM_NATURAL_SPLINE_H
#define SKYFARM_NATURAL_SPLINE_H

#include <stddef.h>

#pragma STDC FP_CONTRACT OFF

/// Second derivatives of the natural spline through `count` nodes, of which each is `stride` behind the one before; by SEP's
/// operations. `work` has room for `count` numbers.
static inline void natural_spline(const float *nodes, int count, size_t stride, float *bends, float *work) {
    int last = count - 1;
    bends[0] = work[0] = 0;
    if (last == 0) return;
    for (int node = 1; node < last; node++) {
        size_t place = (size_t)node * stride, before = place - stride;
        bends[place] = -1 / (bends[before] + 4);
        work[node] = bends[place] * (work[node - 1] - 6 * (nodes[place + stride] + nodes[before] - 2 * nodes[place]));
    }
    bends[(size_t)last * stride] = 0;
    for (int node = last - 1; node > 0; node--) {
        size_t place = (size_t)node * stride;
        bends[place] = (float)((bends[place] * bends[place + stride] + work[node]) / 6.0);
    }
}

#endif
