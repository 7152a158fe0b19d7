#include "stacking.h"

#include "for_each_processor.h"

#include <float.h>
#include <math.h>

// Contraction is off, since a fused operation rounds only once, so that results would depend on the processor.
#pragma STDC FP_CONTRACT OFF

#define inlined static inline __attribute__((always_inline))

enum { lanes = 8, unrolled = 2 };

// Neighbouring values; the compiler makes vectors of those that the processor has.
typedef double vector __attribute__((ext_vector_type(lanes), aligned(8)));
typedef int64_t numbers __attribute__((ext_vector_type(lanes)));

// The presence of bias, dark and divisor is a constant, so that the compiler makes a loop for each case.
inlined ptrdiff_t values_of(
    const float *restrict samples, const float *restrict bias, const float *restrict dark, double factor,
    double divisor, ptrdiff_t count, double *restrict values, int has_bias, int has_dark, int is_divided) {
    int64_t missing = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        double value = samples[i];
        if (has_bias) value -= (double)bias[i];
        if (has_dark) value -= (double)dark[i] * factor;
        if (is_divided) value /= divisor;
        // Adding 0 makes a zero positive, so that the order of equal values does not matter.
        value += 0.0;
        int is_finite = fabs(value) <= DBL_MAX;
        values[i] = is_finite ? value : INFINITY;
        missing += is_finite ? 0 : 1;
    }
    return (ptrdiff_t)missing;
}

inlined ptrdiff_t values_of_block(
    const float *samples, skyfarm_correction correction, ptrdiff_t first, ptrdiff_t count, double *values) {
    const float *bias = correction.bias ? correction.bias + first : samples;
    const float *dark = correction.dark ? correction.dark + first : samples;
    double factor = correction.dark_factor, divisor = correction.divisor;
    int is_divided = divisor != 1;
    if (correction.dark && correction.bias && is_divided)
        return values_of(samples, bias, dark, factor, divisor, count, values, 1, 1, 1);
    if (correction.dark && correction.bias)
        return values_of(samples, bias, dark, factor, divisor, count, values, 1, 1, 0);
    if (correction.dark) return values_of(samples, bias, dark, factor, divisor, count, values, 0, 1, 1);
    if (correction.bias && is_divided) return values_of(samples, bias, dark, factor, divisor, count, values, 1, 0, 1);
    if (correction.bias) return values_of(samples, bias, dark, factor, divisor, count, values, 1, 0, 0);
    if (is_divided) return values_of(samples, bias, dark, factor, divisor, count, values, 0, 0, 1);
    return values_of(samples, bias, dark, factor, divisor, count, values, 0, 0, 0);
}

for_each_wide_processor ptrdiff_t skyfarm_stack_values(
    skyfarm_samples samples, skyfarm_correction correction, ptrdiff_t first, ptrdiff_t count, double *values) {
    float converted[skyfarm_tile_width];
    ptrdiff_t missing = 0;
    for (ptrdiff_t done = 0; done < count; done += skyfarm_tile_width) {
        ptrdiff_t at = first + done, width = count - done < skyfarm_tile_width ? count - done : skyfarm_tile_width;
        if (!samples.floats)
            skyfarm_floats_of_shorts((const int16_t *)samples.shorts + at, width, samples.scale, converted);
        missing +=
            values_of_block(samples.floats ? samples.floats + at : converted, correction, at, width, values + done);
    }
    return missing;
}

inlined void compare_rows(double *restrict low, double *restrict high, ptrdiff_t width) {
    for (ptrdiff_t x = 0; x < width; x++) {
        double a = low[x], b = high[x];
        low[x] = a < b ? a : b;
        high[x] = b > a ? b : a;
    }
}

for_each_wide_processor void skyfarm_apply_network(
    double *values, ptrdiff_t width, const skyfarm_comparator *comparators, ptrdiff_t comparator_count) {
    for (ptrdiff_t i = 0; i < comparator_count; i++)
        compare_rows(values + comparators[i].low * width, values + comparators[i].high * width, width);
}

for_each_wide_processor void skyfarm_middle_of_rows(
    const double *restrict low, const double *restrict high, ptrdiff_t width, float *restrict medians) {
    for (ptrdiff_t x = 0; x < width; x++) medians[x] = (float)((low[x] + high[x]) / 2);
}

inlined double median_of(const double *sorted, ptrdiff_t width, ptrdiff_t x, ptrdiff_t first, ptrdiff_t count) {
    double low = sorted[(first + (count - 1) / 2) * width + x], high = sorted[(first + count / 2) * width + x];
    return (low + high) / 2;
}

void skyfarm_medians_of_columns(
    const double *sorted, ptrdiff_t width, const skyfarm_columns *columns, float *medians) {
    for (ptrdiff_t x = 0; x < width; x++)
        medians[x] =
            columns->count[x] > 0 ? (float)median_of(sorted, width, x, 0, (ptrdiff_t)columns->count[x]) : NAN;
}

void skyfarm_admit_all(skyfarm_columns *columns, ptrdiff_t width) {
    for (ptrdiff_t x = 0; x < width; x++) {
        columns->low[x] = -DBL_MAX;
        columns->high[x] = DBL_MAX;
        columns->count[x] = -1;
    }
}

for_each_processor ptrdiff_t skyfarm_sum_columns(
    const double *values, ptrdiff_t rows, ptrdiff_t width, skyfarm_columns *columns) {
    double count[skyfarm_tile_width] = {0}, sum[skyfarm_tile_width] = {0}, below[skyfarm_tile_width] = {0};
    for (ptrdiff_t row = 0; row < rows; row++) {
        const double *restrict line = values + row * width;
        for (ptrdiff_t x = 0; x < width; x++) {
            double value = line[x];
            int is_below = value < columns->low[x];
            int is_used = !is_below & (value <= columns->high[x]);
            count[x] += is_used ? 1.0 : 0.0;
            sum[x] += is_used ? value : 0.0;
            below[x] += is_below ? 1.0 : 0.0;
        }
    }
    int64_t changed = 0;
    for (ptrdiff_t x = 0; x < width; x++) {
        changed += count[x] != columns->count[x] ? 1 : 0;
        columns->count[x] = count[x];
        columns->sum[x] = sum[x];
        columns->below[x] = below[x];
    }
    return (ptrdiff_t)changed;
}

for_each_processor void skyfarm_deviate_columns(
    const double *values, ptrdiff_t rows, ptrdiff_t width, skyfarm_columns *columns) {
    double mean[skyfarm_tile_width], squares[skyfarm_tile_width] = {0};
    for (ptrdiff_t x = 0; x < width; x++) mean[x] = columns->sum[x] / columns->count[x];
    for (ptrdiff_t row = 0; row < rows; row++) {
        const double *restrict line = values + row * width;
        for (ptrdiff_t x = 0; x < width; x++) {
            double value = line[x], difference = value - mean[x];
            int is_used = (value >= columns->low[x]) & (value <= columns->high[x]);
            squares[x] += is_used ? difference * difference : 0.0;
        }
    }
    for (ptrdiff_t x = 0; x < width; x++) columns->deviation[x] = sqrt(squares[x] / columns->count[x]);
}

// The sums of several vectors are independent, so that the processor adds them side by side.
inlined void measure(const double *values, ptrdiff_t rows, ptrdiff_t stride, skyfarm_columns *columns, ptrdiff_t first) {
    vector sum[unrolled], squares[unrolled], low[unrolled], high[unrolled], mean[unrolled];
    for (int v = 0; v < unrolled; v++) {
        sum[v] = squares[v] = 0;
        low[v] = high[v] = *(const vector *)(values + v * lanes);
    }
    for (ptrdiff_t row = 0; row < rows; row++)
        for (int v = 0; v < unrolled; v++) {
            vector value = *(const vector *)(values + row * stride + v * lanes);
            sum[v] += value;
            low[v] = value < low[v] ? value : low[v];
            high[v] = value > high[v] ? value : high[v];
        }
    for (int v = 0; v < unrolled; v++) mean[v] = sum[v] / (double)rows;
    for (ptrdiff_t row = 0; row < rows; row++)
        for (int v = 0; v < unrolled; v++) {
            vector difference = *(const vector *)(values + row * stride + v * lanes) - mean[v];
            squares[v] += difference * difference;
        }
    for (int v = 0; v < unrolled; v++) {
        ptrdiff_t x = first + v * lanes;
        *(vector *)(columns->low + x) = low[v];
        *(vector *)(columns->high + x) = high[v];
        *(vector *)(columns->sum + x) = sum[v];
        *(vector *)(columns->deviation + x) = __builtin_elementwise_sqrt(squares[v] / (double)rows);
    }
}

for_each_wide_processor void skyfarm_measure_columns(
    const double *values, ptrdiff_t rows, ptrdiff_t width, skyfarm_columns *columns) {
    for (ptrdiff_t first = 0; first < width; first += unrolled * lanes)
        measure(values + first, rows, width, columns, first);
    for (ptrdiff_t x = 0; x < width; x++) {
        columns->count[x] = (double)rows;
        columns->below[x] = 0;
    }
}

for_each_wide_processor ptrdiff_t skyfarm_find_rejecting(
    const double *low, const double *high, ptrdiff_t width, double sigma, const skyfarm_columns *columns,
    int32_t *rejecting) {
    int32_t rejects[skyfarm_tile_width];
    for (ptrdiff_t x = 0; x < width; x++) {
        double median = (low[x] + high[x]) / 2, reach = sigma * columns->deviation[x];
        rejects[x] = (columns->low[x] < median - reach) | (columns->high[x] > median + reach);
    }
    ptrdiff_t count = 0;
    for (ptrdiff_t x = 0; x < width; x++) {
        rejecting[count] = (int32_t)x;
        count += rejects[x];
    }
    return count;
}

void skyfarm_clip_columns(const double *sorted, ptrdiff_t width, double sigma, skyfarm_columns *columns) {
    for (ptrdiff_t x = 0; x < width; x++) {
        if (!(columns->count[x] > 0)) continue;
        double median = median_of(sorted, width, x, (ptrdiff_t)columns->below[x], (ptrdiff_t)columns->count[x]);
        double reach = sigma * columns->deviation[x], low = median - reach, high = median + reach;
        columns->low[x] = low > columns->low[x] ? low : columns->low[x];
        columns->high[x] = high < columns->high[x] ? high : columns->high[x];
    }
}

for_each_processor void skyfarm_means_of_columns(const skyfarm_columns *columns, ptrdiff_t width, float *means) {
    for (ptrdiff_t x = 0; x < width; x++)
        means[x] = columns->count[x] > 0 ? (float)(columns->sum[x] / columns->count[x]) : NAN;
}

void skyfarm_scatter_of_columns(
    const skyfarm_columns *columns, ptrdiff_t width, float *deviations, int16_t *counts) {
    for (ptrdiff_t x = 0; x < width; x++) {
        deviations[x] = columns->count[x] > 0 ? (float)columns->deviation[x] : NAN;
        counts[x] = (int16_t)columns->count[x];
    }
}

for_each_wide_processor void skyfarm_gather_between(
    const double *values, ptrdiff_t count, double low, double high, double *found, ptrdiff_t *found_count,
    ptrdiff_t *below, ptrdiff_t *finite) {
    ptrdiff_t place = *found_count, i = 0;
    numbers under = 0, present = 0;
    for (; i + lanes <= count; i += lanes) {
        vector value = *(const vector *)(values + i);
        under -= value < low;
        present -= value <= DBL_MAX;
        // Few vectors have a value in range.
        if (!__builtin_reduce_or((value >= low) & (value <= high))) continue;
        for (int lane = 0; lane < lanes; lane++) {
            // Written always and kept only if it is in range, so that there is no branch to mispredict.
            found[place] = value[lane];
            place += (value[lane] >= low) & (value[lane] <= high);
        }
    }
    *below += __builtin_reduce_add(under);
    *finite += __builtin_reduce_add(present);
    for (; i < count; i++) {
        found[place] = values[i];
        place += (values[i] >= low) & (values[i] <= high);
        *below += values[i] < low;
        *finite += values[i] <= DBL_MAX;
    }
    *found_count = place;
}

double skyfarm_value_at(double *values, ptrdiff_t count, ptrdiff_t place) {
    ptrdiff_t first = 0, last = count - 1;
    while (first < last) {
        double a = values[first], b = values[first + (last - first) / 2], c = values[last];
        double pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        ptrdiff_t i = first, j = last;
        while (i <= j) {
            while (values[i] < pivot) i++;
            while (values[j] > pivot) j--;
            if (i <= j) {
                double swapped = values[i];
                values[i++] = values[j];
                values[j--] = swapped;
            }
        }
        if (place <= j)
            last = j;
        else if (place >= i)
            first = i;
        else
            break;
    }
    return values[place];
}
