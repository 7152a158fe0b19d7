#include "cskyfarm.h"

#include <stdint.h>
#include <string.h>

// The processor's wider vectors are used where it has them.
#if defined(__x86_64__) && defined(__linux__)
__attribute__((target_clones("avx2", "default")))
#endif
float skyfarm_greatest_magnitude(const float *numbers, ptrdiff_t count) {
    // The bits of magnitudes have the order of the magnitudes, with those that are no numbers above all others.
    int32_t greatest = 0;
    for (ptrdiff_t index = 0; index < count; index++) {
        int32_t bits;
        memcpy(&bits, numbers + index, sizeof bits);
        bits &= INT32_MAX;
        greatest = bits > greatest ? bits : greatest;
    }
    float result;
    memcpy(&result, &greatest, sizeof result);
    return result;
}
