#include "stored_shorts.h"

#include "for_each_processor.h"

#include <math.h>
#include <string.h>

// Contraction is off, since a fused operation rounds only once, so that results would depend on the processor.
#pragma STDC FP_CONTRACT OFF

#define inlined static inline __attribute__((always_inline))

enum { block = 64, counted_block = 256 };

inlined void load(const uint8_t *bytes, ptrdiff_t count, int16_t *restrict integers) {
    uint16_t stored[counted_block];
    memcpy(stored, bytes, (size_t)count * sizeof *stored);
    for (ptrdiff_t i = 0; i < count; i++) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        stored[i] = (uint16_t)(stored[i] << 8 | stored[i] >> 8);
#endif
        integers[i] = (int16_t)stored[i];
    }
}

// A block is copied before its numbers are written, which end before the next block's integers.
inlined void convert(const uint8_t *bytes, ptrdiff_t count, skyfarm_short_scale scale, float *numbers) {
    int16_t integers[block];
    // The sum of any number and -0 is that number.
    float zero = scale.zero == 0 ? -0.0f : scale.zero;
    load(bytes, count, integers);
    for (ptrdiff_t i = 0; i < count; i++) {
        float number = (float)integers[i] * scale.scale + zero;
        numbers[i] = integers[i] == scale.blank ? NAN : number;
    }
}

for_each_processor void skyfarm_floats_of_shorts(
    const void *shorts, ptrdiff_t count, skyfarm_short_scale scale, float *numbers) {
    const uint8_t *bytes = shorts;
    ptrdiff_t first = 0;
    // The number is a constant, so that whole blocks need no loop for a rest.
    for (; count - first >= block; first += block) convert(bytes + 2 * first, block, scale, numbers + first);
    convert(bytes + 2 * first, count - first, scale, numbers + first);
}

// The counts of a block fit 16 bits, so that they have as many lanes as the integers.
inlined void count_block(
    const uint8_t *bytes, ptrdiff_t count, const int16_t *restrict thresholds, int64_t *restrict counts) {
    int16_t integers[counted_block];
    load(bytes, count, integers);
    for (int t = 0; t < skyfarm_threshold_count; t++) {
        uint16_t number = 0;
        for (ptrdiff_t i = 0; i < count; i++) number += integers[i] <= thresholds[t];
        counts[t] += number;
    }
}

for_each_processor void skyfarm_count_shorts(
    const void *shorts, ptrdiff_t count, const int16_t *thresholds, int64_t *counts) {
    const uint8_t *bytes = shorts;
    memset(counts, 0, skyfarm_threshold_count * sizeof *counts);
    ptrdiff_t first = 0;
    for (; count - first >= counted_block; first += counted_block) count_block(bytes + 2 * first, counted_block, thresholds, counts);
    count_block(bytes + 2 * first, count - first, thresholds, counts);
}
