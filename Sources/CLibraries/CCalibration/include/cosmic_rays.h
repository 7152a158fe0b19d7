#ifndef SKYFARM_COSMIC_RAYS_H
#define SKYFARM_COSMIC_RAYS_H

#include "stacking.h"

#include <stddef.h>
#include <stdint.h>

/// Writes the medians of `row_count` rows at each of `width` columns, by a network that brings the middle value into
/// its row.
void skyfarm_medians_of_rows(
    const float *const *rows, ptrdiff_t row_count, ptrdiff_t width, const skyfarm_comparator *comparators,
    ptrdiff_t comparator_count, float *medians);

/// Writes the mean of the positive parts of the Laplacian in the four quarters of each pixel. At the edges of the
/// image, `above` or `below` is the row itself, and pixels beside the ends of rows are like these.
void skyfarm_laplacian_row(const float *above, const float *row, const float *below, ptrdiff_t width, float *laplacian);

/// Writes the noise of pixels whose smooth level is `level`: the square root of its sum with `read_variance`.
void skyfarm_noise_row(const float *level, float read_variance, ptrdiff_t width, float *noise);

/// Divides the Laplacian by twice the noise.
void skyfarm_scale_laplacian(float *laplacian, const float *noise, ptrdiff_t width);

/// Limits of candidates, in units of the noise.
typedef struct {
    float significance, contrast;
} skyfarm_ray_limits;

/// Writes the significance without its smooth part, and whether a pixel is a candidate: a significant peak that is
/// sharper than the fine structure of a star.
void skyfarm_find_candidates(
    const float *significance, const float *smooth, const float *fine, const float *fine_smooth, const float *noise,
    skyfarm_ray_limits limits, const uint8_t *masked, ptrdiff_t width, float *peak, uint8_t *candidate);

/// Writes for each pixel whether it, or a neighbour above, below or beside it or diagonally, is marked. `above` and
/// `below` are NULL at the edges.
void skyfarm_grow_row(
    const uint8_t *above, const uint8_t *row, const uint8_t *below, ptrdiff_t width, uint8_t *grown);

/// Keeps the marks of pixels whose peak is above `limit` and that are not masked. Returns the number that are kept.
ptrdiff_t skyfarm_keep_peaks(
    uint8_t *marks, const float *peak, float limit, const uint8_t *masked, ptrdiff_t width);

#endif
