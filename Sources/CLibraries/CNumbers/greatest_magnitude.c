#include "cnumbers.h"
#include "for_each_processor.h"

#include <stdint.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

for_each_processor float skyfarm_greatest_magnitude(const float *numbers, ptrdiff_t count) {
    // As integers, the bit patterns of magnitudes are ordered like the magnitudes, with NaN above all numbers.
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
