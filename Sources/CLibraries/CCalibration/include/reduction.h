#ifndef SKYFARM_REDUCTION_H
#define SKYFARM_REDUCTION_H

#include <stddef.h>
#include <stdint.h>

/// The bits of a mask.
enum {
    skyfarm_bad_pixel = 1,
    skyfarm_saturated = 2,
    skyfarm_cosmic_ray = 4,
    skyfarm_no_value = 8,
};

/// What is applied to a row of raw samples. Pointers may be NULL; each points to the row's first pixel.
typedef struct {
    /// The overscan level of each column; it is added to `overscan`, the level of the row.
    const double *column_overscan;
    double overscan;
    const float *bias, *dark;
    double dark_factor;
    const float *flat;
    /// Not 0 where a pixel is bad.
    const float *bad;
    /// Raw samples from this level on are saturated.
    double saturation;
    /// By what the result is multiplied.
    double gain;
} skyfarm_reduction;

/// Reduces `count` raw samples to pixels and bits of a mask, which are added to those that `mask` has. A pixel that is
/// bad or has no value is NaN; that it has none is only marked if it is neither bad nor a cosmic ray.
void skyfarm_reduce_row(
    const float *raw, skyfarm_reduction reduction, ptrdiff_t count, float *pixels, uint8_t *mask);

#endif
