#include "coarse.h"

#include "for_each_processor.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

#define inlined static inline __attribute__((always_inline))

// Adding and subtracting it rounds a number below 2^22 to the nearest integer, the even one of two.
static const float rounding = 12582912.0f;
static const float limit = 1048576.0f;

inlined int32_t rounded(float value) {
    float finite = fabsf(value) <= 3.0e38f ? value : 0.0f;
    float low = finite < limit ? finite : limit;
    float cut = low > -limit ? low : -limit;
    return (int32_t)((cut + rounding) - rounding);
}

for_each_processor void skyfarm_pair_sums(
    const float *samples, const uint8_t *mask, int width, float scale, int32_t *sums, int32_t *counts) {
    int pairs = (width + 1) / 2;
    if (!samples) {
        memset(sums, 0, (size_t)pairs * sizeof *sums);
        memset(counts, 0, (size_t)pairs * sizeof *counts);
        return;
    }
    int whole = width / 2;
    for (int pair = 0; pair < whole; pair++) {
        sums[pair] = rounded((samples[2 * pair] + samples[2 * pair + 1]) * scale);
        counts[pair] = 2;
    }
    if (pairs > whole) {
        sums[whole] = rounded(samples[2 * whole] * scale);
        counts[whole] = 1;
    }
    if (!mask) return;
    for (int pair = 0; pair < pairs; pair++) {
        int first = mask[2 * pair] != 0, second = pair == whole || mask[2 * pair + 1] != 0;
        if (!first && (!second || pair == whole)) continue;
        // One of the samples is left, or none.
        counts[pair] = !(first && second);
        sums[pair] = counts[pair] ? rounded(samples[2 * pair + first] * scale) : 0;
    }
}

for_each_processor void skyfarm_add_pairs(
    const int32_t *upper, const int32_t *lower, int count, int32_t *restrict sums) {
    for (int i = 0; i < count; i++) sums[i] = upper[i] + lower[i];
}

inlined int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

// Sets the values and numbers of hidden cells to 0.
inlined void show(
    const skyfarm_cell_row *c, const int32_t *values, const int32_t *numbers, int32_t bound, int32_t *restrict shown,
    int32_t *restrict shown_numbers) {
    for (int i = 1; i < c->count - 1; i++) {
        int32_t highest = larger(
            larger(larger(c->row[i - 1], c->row[i]), c->row[i + 1]), larger(c->above[i], c->below[i]));
        int32_t bits = highest > bound ? 0 : -1;
        shown[i] = values[i] & bits;
        shown_numbers[i] = numbers[i] & bits;
    }
    int edges[2] = {0, c->count - 1};
    for (int edge = 0; edge < 2; edge++) {
        int i = edges[edge];
        int32_t highest = larger(c->row[i], larger(c->above[i], c->below[i]));
        if (i > 0) highest = larger(highest, c->row[i - 1]);
        if (i + 1 < c->count) highest = larger(highest, c->row[i + 1]);
        shown[i] = highest > bound ? 0 : values[i];
        shown_numbers[i] = highest > bound ? 0 : numbers[i];
    }
}

inlined void add(
    const int32_t *shown, const int32_t *numbers, int cells, int block, int32_t *restrict sums,
    uint16_t *restrict counts) {
    int whole = cells / block;
    for (int i = 0; i < whole; i++) {
        int32_t sum = 0, number = 0;
        for (int cell = 0; cell < block; cell++) {
            sum += shown[i * block + cell];
            number += numbers[i * block + cell];
        }
        sums[i] += sum;
        counts[i] = (uint16_t)(counts[i] + number);
    }
    for (int cell = whole * block; cell < cells; cell++) {
        sums[whole] += shown[cell];
        counts[whole] = (uint16_t)(counts[whole] + numbers[cell]);
    }
}

for_each_processor void skyfarm_add_cells(
    const skyfarm_cell_row *cells, const int32_t *values, const int32_t *numbers, int32_t bound, int block,
    int32_t *scratch, int32_t *sums, uint16_t *counts) {
    int32_t *shown = scratch, *shown_numbers = scratch + cells->count;
    show(cells, values, numbers, bound, shown, shown_numbers);
    // Loops of known length become vector instructions.
    if (block == 2) add(shown, shown_numbers, cells->count, 2, sums, counts);
    else if (block == 4) add(shown, shown_numbers, cells->count, 4, sums, counts);
    else add(shown, shown_numbers, cells->count, block, sums, counts);
}
