#include "cosmic_rays.h"

#include "for_each_processor.h"

#include <math.h>
#include <string.h>

// Contraction is off, since a fused operation rounds only once, so that results would depend on the processor.
#pragma STDC FP_CONTRACT OFF

#define inlined static inline __attribute__((always_inline))

enum { block = 64, most_rows = 49 };

inlined void compare_rows(float *restrict low, float *restrict high) {
    for (int x = 0; x < block; x++) {
        float a = low[x], b = high[x];
        low[x] = a < b ? a : b;
        high[x] = b > a ? b : a;
    }
}

for_each_processor void skyfarm_medians_of_rows(
    const float *const *rows, ptrdiff_t row_count, ptrdiff_t width, const skyfarm_comparator *comparators,
    ptrdiff_t comparator_count, float *medians) {
    float tile[most_rows][block];
    for (ptrdiff_t first = 0; first < width; first += block) {
        // The last block overlaps the one before it, if there is one.
        if (width >= block && first > width - block) first = width - block;
        size_t size = sizeof(float) * (size_t)(width < block ? width : block);
        if (width < block) memset(tile, 0, sizeof tile);
        for (ptrdiff_t row = 0; row < row_count; row++) memcpy(tile[row], rows[row] + first, size);
        for (ptrdiff_t i = 0; i < comparator_count; i++)
            compare_rows(tile[comparators[i].low], tile[comparators[i].high]);
        memcpy(medians + first, tile[row_count / 2], size);
    }
}

inlined float positive(float value) { return value > 0 ? value : 0; }

inlined float laplacian_at(float left, float right, float above, float below, float pixel) {
    float whole = 4 * pixel;
    float first = positive(whole - pixel - left - pixel - above);
    float second = positive(whole - right - pixel - pixel - above);
    float third = positive(whole - pixel - left - below - pixel);
    float fourth = positive(whole - right - pixel - below - pixel);
    return (first + second + third + fourth) * 0.25f;
}

for_each_processor void skyfarm_laplacian_row(
    const float *above, const float *row, const float *below, ptrdiff_t width, float *restrict laplacian) {
    for (ptrdiff_t x = 1; x < width - 1; x++)
        laplacian[x] = laplacian_at(row[x - 1], row[x + 1], above[x], below[x], row[x]);
    ptrdiff_t last = width - 1;
    laplacian[0] = laplacian_at(row[0], row[last > 0 ? 1 : 0], above[0], below[0], row[0]);
    laplacian[last] = laplacian_at(row[last > 0 ? last - 1 : 0], row[last], above[last], below[last], row[last]);
}

for_each_processor void skyfarm_noise_row(
    const float *restrict level, float read_variance, ptrdiff_t width, float *restrict noise) {
    for (ptrdiff_t x = 0; x < width; x++) {
        float variance = level[x] + read_variance;
        noise[x] = sqrtf(variance < 0.00001f ? 0.00001f : variance);
    }
}

for_each_processor void skyfarm_scale_laplacian(
    float *restrict laplacian, const float *restrict noise, ptrdiff_t width) {
    for (ptrdiff_t x = 0; x < width; x++) laplacian[x] /= 2 * noise[x];
}

for_each_processor void skyfarm_find_candidates(
    const float *restrict significance, const float *restrict smooth, const float *restrict fine,
    const float *restrict fine_smooth, const float *restrict noise, skyfarm_ray_limits limits,
    const uint8_t *restrict masked, ptrdiff_t width, float *restrict peak, uint8_t *restrict candidate) {
    for (ptrdiff_t x = 0; x < width; x++) {
        float height = significance[x] - smooth[x];
        float structure = (fine[x] - fine_smooth[x]) / noise[x];
        structure = structure < 0.01f ? 0.01f : structure;
        peak[x] = height;
        candidate[x] = (height > limits.significance) & (height / structure > limits.contrast) & !masked[x];
    }
}

for_each_processor void skyfarm_grow_row(
    const uint8_t *above, const uint8_t *row, const uint8_t *below, ptrdiff_t width, uint8_t *restrict grown) {
    if (!above) above = row;
    if (!below) below = row;
    for (ptrdiff_t x = 1; x < width - 1; x++)
        grown[x] = row[x - 1] | row[x] | row[x + 1] | above[x - 1] | above[x] | above[x + 1] | below[x - 1] | below[x]
            | below[x + 1];
    ptrdiff_t last = width - 1, second = last > 0 ? 1 : 0, before = last > 0 ? last - 1 : 0;
    grown[0] = row[0] | row[second] | above[0] | above[second] | below[0] | below[second];
    grown[last] = row[before] | row[last] | above[before] | above[last] | below[before] | below[last];
}

for_each_processor ptrdiff_t skyfarm_keep_peaks(
    uint8_t *restrict marks, const float *restrict peak, float limit, const uint8_t *restrict masked,
    ptrdiff_t width) {
    int32_t kept = 0;
    for (ptrdiff_t x = 0; x < width; x++) {
        uint8_t mark = marks[x] & (peak[x] > limit) & !masked[x];
        marks[x] = mark;
        kept += mark;
    }
    return kept;
}
