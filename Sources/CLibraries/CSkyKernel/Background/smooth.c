#include "background.h"

#include "natural_spline.h"

#include <stdlib.h>

#pragma STDC FP_CONTRACT OFF

static int smaller(int one, int other) { return one < other ? one : other; }

static int compared(const void *one, const void *other) {
    float first = *(const float *)one, second = *(const float *)other;
    return (first > second) - (first < second);
}

/// The value with this rank, counted from 0. Moves all lower ones before it. Values whose order is unfavourable for the
/// pivots, such as a gradient, are sorted.
static float ranked(float *values, int count, int rank) {
    int low = 0, high = count - 1;
    for (int round = 0; low < high; round++) {
        if (round == 64) {
            qsort(values + low, (size_t)(high - low + 1), sizeof *values, compared);
            break;
        }
        float pivot = values[low + (high - low) / 2];
        int left = low, right = high;
        while (left <= right) {
            while (values[left] < pivot) left++;
            while (values[right] > pivot) right--;
            if (left > right) break;
            float other = values[left];
            values[left++] = values[right];
            values[right--] = other;
        }
        if (rank <= right)
            high = right;
        else if (rank >= left)
            low = left;
        else
            break;
    }
    return values[rank];
}

/// The median; of an even number of values the mean of the middle two.
static float median(float *values, int count) {
    float upper = ranked(values, count, count / 2);
    if (count % 2 == 1) return upper;
    float lower = values[0];
    for (int index = 1; index < count / 2; index++) lower = values[index] > lower ? values[index] : lower;
    return (float)((lower + upper) / 2.0);
}

// The median of the meshes around one. The window reaches equally far to both sides, less far near an edge.
static float filtered(const skyfarm_mesh_filter *f, const float *values, int row, int column, float *work) {
    int x = smaller(f->width / 2, smaller(column, f->columns - 1 - column));
    int y = smaller(f->height / 2, smaller(row, f->rows - 1 - row));
    int count = 0;
    for (int other = row - y; other <= row + y; other++)
        for (int place = column - x; place <= column + x; place++)
            work[count++] = values[(size_t)other * f->columns + place];
    return median(work, count);
}

int skyfarm_smooth_meshes(
    const skyfarm_mesh_filter *f, const float *values, float *smoothed, float *bends, float *global) {
    size_t count = (size_t)f->columns * f->rows;
    float *work = malloc(count * sizeof *work);
    if (!work) return 0;
    for (int row = 0; row < f->rows; row++)
        for (int column = 0; column < f->columns; column++)
            smoothed[(size_t)row * f->columns + column] = filtered(f, values, row, column, work);
    for (int column = 0; column < f->columns; column++)
        natural_spline(smoothed + column, f->rows, (size_t)f->columns, bends + column, work);
    for (size_t index = 0; index < count; index++) work[index] = smoothed[index];
    *global = median(work, (int)count);
    free(work);
    return 1;
}
