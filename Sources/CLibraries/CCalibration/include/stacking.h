#ifndef SKYFARM_STACKING_H
#define SKYFARM_STACKING_H

#include "stored_shorts.h"

#include <stddef.h>
#include <stdint.h>

/// Maximum number of pixels of a tile.
enum { skyfarm_tile_width = 256 };

/// How the value of a pixel is computed from the sample of a frame: ((sample - bias) - dark * dark_factor) / divisor,
/// in double precision. `bias` and `dark` may be NULL.
typedef struct {
    const float *bias, *dark;
    double dark_factor, divisor;
} skyfarm_correction;

/// The samples of a frame: floats or, where `floats` is NULL, integers of 16 bits as they are stored.
typedef struct {
    const float *floats;
    const void *shorts;
    skyfarm_short_scale scale;
} skyfarm_samples;

/// Computes the values of `count` samples from number `first` on. A value that is not finite becomes infinity, which
/// stands for a missing one. Returns the number of missing values.
ptrdiff_t skyfarm_stack_values(
    skyfarm_samples samples, skyfarm_correction correction, ptrdiff_t first, ptrdiff_t count, double *values);

/// A comparator of a sorting network: afterwards the value of row `low` is not above that of row `high`.
typedef struct {
    uint16_t low, high;
} skyfarm_comparator;

/// Applies the comparators to each column of a tile: row r of the tile begins at `values` + r * `width`. No value is
/// NaN.
void skyfarm_apply_network(
    double *values, ptrdiff_t width, const skyfarm_comparator *comparators, ptrdiff_t comparator_count);

/// Writes the mean of two rows of a tile: the median of its columns if those are its middle rows.
void skyfarm_middle_of_rows(const double *low, const double *high, ptrdiff_t width, float *medians);

/// The limits between which a column's values are used, and what those values yield.
typedef struct {
    double low[skyfarm_tile_width], high[skyfarm_tile_width];
    double count[skyfarm_tile_width], sum[skyfarm_tile_width], below[skyfarm_tile_width];
    double deviation[skyfarm_tile_width];
} skyfarm_columns;

/// Sets limits that admit every finite value.
void skyfarm_admit_all(skyfarm_columns *columns, ptrdiff_t width);

/// For each column counts and sums, in the order of the rows, the values within the limits, and counts those below.
/// Returns the number of columns whose count has changed.
ptrdiff_t skyfarm_sum_columns(const double *values, ptrdiff_t rows, ptrdiff_t width, skyfarm_columns *columns);

/// Computes the standard deviation of the values within the limits from their mean, with their number as divisor, after
/// skyfarm_sum_columns.
void skyfarm_deviate_columns(const double *values, ptrdiff_t rows, ptrdiff_t width, skyfarm_columns *columns);

/// Narrows the limits to `sigma` deviations on both sides of the median of the values within them.
void skyfarm_clip_columns(const double *sorted, ptrdiff_t width, double sigma, skyfarm_columns *columns);

/// Computes what the columns of a tile without missing values yield if all values are used. The limits are the least
/// and the greatest value of a column.
void skyfarm_measure_columns(const double *values, ptrdiff_t rows, ptrdiff_t width, skyfarm_columns *columns);

/// Finds the columns with a value that is further than `sigma` deviations from the median, after
/// skyfarm_measure_columns: writes their numbers to `rejecting`, and returns how many there are. `low` and `high` are
/// the middle rows of the sorted tile.
ptrdiff_t skyfarm_find_rejecting(
    const double *low, const double *high, ptrdiff_t width, double sigma, const skyfarm_columns *columns,
    int32_t *rejecting);

/// Writes the median of each column of a sorted tile, whose values were counted without limits; NaN where there is
/// none.
void skyfarm_medians_of_columns(
    const double *sorted, ptrdiff_t width, const skyfarm_columns *columns, float *medians);

/// Writes the mean of the values within the limits; NaN where there is none.
void skyfarm_means_of_columns(const skyfarm_columns *columns, ptrdiff_t width, float *means);

/// Writes the standard deviations, NaN where there is no value, and the counts.
void skyfarm_scatter_of_columns(
    const skyfarm_columns *columns, ptrdiff_t width, float *deviations, int16_t *counts);

/// Appends the values from `low` to `high` to `found`, whose next place is `found_count` and which has room for one
/// more than all, and counts those below `low` and all finite ones.
void skyfarm_gather_between(
    const double *values, ptrdiff_t count, double low, double high, double *found, ptrdiff_t *found_count,
    ptrdiff_t *below, ptrdiff_t *finite);

/// Returns the value that has place `place` (from 0) among `count` values in ascending order. Reorders the values, of
/// which none is NaN.
double skyfarm_value_at(double *values, ptrdiff_t count, ptrdiff_t place);

#endif
