#include "reduction.h"

#include "for_each_processor.h"

#include <float.h>
#include <math.h>

// Contraction is off, since a fused operation rounds only once, so that results would depend on the processor.
#pragma STDC FP_CONTRACT OFF

#define inlined static inline __attribute__((always_inline))

enum { block = 256 };

// Each step is a loop over a block that stays in the first level of the cache.
inlined void subtract(double *restrict values, const float *restrict numbers, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) values[i] -= (double)numbers[i];
}

inlined void subtract_scaled(double *restrict values, const float *restrict numbers, double factor, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) values[i] -= (double)numbers[i] * factor;
}

inlined void divide(double *restrict values, const float *restrict numbers, ptrdiff_t count) {
    // A level that is not above 0, or infinite, leaves no value.
    for (ptrdiff_t i = 0; i < count; i++)
        values[i] = ((numbers[i] > 0) & (numbers[i] <= FLT_MAX)) ? values[i] / (double)numbers[i] : NAN;
}

inlined void finish(
    const double *restrict values, const float *restrict raw, const float *restrict bad, double saturation,
    ptrdiff_t count, float *restrict pixels, uint8_t *restrict mask, int has_bad) {
    for (ptrdiff_t i = 0; i < count; i++) {
        float value = (float)values[i];
        unsigned is_bad = (mask[i] & skyfarm_bad_pixel) != 0, is_explained = (mask[i] & skyfarm_cosmic_ray) != 0;
        if (has_bad) is_bad |= !(bad[i] == 0);
        unsigned is_missing = !(fabsf(value) <= FLT_MAX);
        unsigned is_saturated = (double)raw[i] >= saturation;
        pixels[i] = is_bad | is_missing ? NAN : value;
        mask[i] = (uint8_t)(
            mask[i] | is_bad * skyfarm_bad_pixel | is_saturated * skyfarm_saturated
            | (is_missing & !is_bad & !is_explained) * skyfarm_no_value);
    }
}

for_each_processor void skyfarm_reduce_row(
    const float *raw, skyfarm_reduction reduction, ptrdiff_t count, float *pixels, uint8_t *mask) {
    double values[block];
    for (ptrdiff_t first = 0; first < count; first += block) {
        ptrdiff_t width = count - first < block ? count - first : block;
        const float *samples = raw + first;
        double overscan = reduction.overscan;
        if (reduction.column_overscan) {
            const double *restrict columns = reduction.column_overscan + first;
            for (ptrdiff_t i = 0; i < width; i++) values[i] = (double)samples[i] - (columns[i] + overscan);
        } else {
            for (ptrdiff_t i = 0; i < width; i++) values[i] = (double)samples[i] - overscan;
        }
        if (reduction.bias) subtract(values, reduction.bias + first, width);
        if (reduction.dark) subtract_scaled(values, reduction.dark + first, reduction.dark_factor, width);
        if (reduction.flat) divide(values, reduction.flat + first, width);
        if (reduction.gain != 1)
            for (ptrdiff_t i = 0; i < width; i++) values[i] *= reduction.gain;
        const float *bad = reduction.bad ? reduction.bad + first : samples;
        if (reduction.bad)
            finish(values, samples, bad, reduction.saturation, width, pixels + first, mask + first, 1);
        else
            finish(values, samples, bad, reduction.saturation, width, pixels + first, mask + first, 0);
    }
}
