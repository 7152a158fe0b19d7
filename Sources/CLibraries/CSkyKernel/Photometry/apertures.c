#include "aperture_box.h"
#include "elementary.h"
#include "for_each_processor.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// libsep's operations, in their order and with their rounding: distances are computed for several pixels at once, sums
// pixel by pixel.
#pragma STDC FP_CONTRACT OFF

#define inlined static inline __attribute__((always_inline))

enum { lanes = 4, parts = 5 };
typedef double doubles __attribute__((ext_vector_type(lanes)));
typedef float floats __attribute__((ext_vector_type(lanes)));
typedef int64_t longs __attribute__((ext_vector_type(lanes)));

static const doubles steps = {0, 1, 2, 3};
// libsep takes values below its negative as masked.
static const double big = 1e30;

static aperture_box
find_ellipse_box(const skyfarm_field *field, double x, double y, const skyfarm_ellipse *e, double r, int16_t *flag) {
    double width = e->cxx - e->cxy * e->cxy / (4.0 * e->cyy), height = e->cyy - e->cxy * e->cxy / (4.0 * e->cxx);
    width = width > 0.0 ? r / sqrt(width) : 0.0;
    height = height > 0.0 ? r / sqrt(height) : 0.0;
    return find_box(field, x, y, width, height, flag);
}

// Some pixels of a row.
typedef struct {
    floats pixels;
    doubles dx;
    longs exist;
    int column, count;
} block;

inlined void load(block *some, const float *line, int column, int end, double x) {
    some->column = column;
    some->count = end - column < lanes ? end - column : lanes;
    some->pixels = 0;
    if (some->count == lanes)
        memcpy(&some->pixels, line + column, sizeof some->pixels);
    else
        memcpy(&some->pixels, line + column, (size_t)some->count * sizeof *line);
    some->dx = (steps + column) - x;
    some->exist = steps < some->count;
}

// Sums of an aperture.
typedef struct {
    double flux, variance, area, masked_area;
    // Without mask and noise map, whether lanes had a part of the aperture; areas are not summed then.
    longs touched;
    int16_t flag;
} sums;

/// Adds pixels with the share of each that is in the aperture; pixels that are not `inside` do not count.
inlined void add(
    const skyfarm_field *field, const uint8_t *mask, ptrdiff_t row, const block *some, const longs *inside,
    const doubles *shares, sums *to) {
    float variance = field->global_variance;
    if (!mask && !field->noise) {
        doubles flux = *inside ? __builtin_convertvector(some->pixels, doubles) * *shares : (doubles)0.0;
        doubles variances = (double)variance * *shares;
        to->touched |= *shares > 0.0;
        for (int lane = 0; lane < lanes; lane++) {
            to->flux += flux[lane];
            to->variance += variances[lane];
        }
        return;
    }
    for (int lane = 0; lane < some->count; lane++) {
        if (!(*inside)[lane]) continue;
        double share = (*shares)[lane];
        ptrdiff_t place = row * field->width + some->column + lane;
        float own = field->noise ? field->noise[place] * field->noise[place] : variance;
        to->area += share;
        if (mask && mask[place]) {
            to->flag |= has_masked;
            to->masked_area += share;
        } else {
            to->flux += some->pixels[lane] * share;
            to->variance += own * share;
        }
    }
}

static skyfarm_flux finish(const skyfarm_field *field, bool has_mask, sums *sum) {
    bool is_empty = !(sum->area > 0.0) && !__builtin_reduce_or(sum->touched);
    if (has_mask) {
        double factor = sum->area / (sum->area - sum->masked_area);
        sum->flux *= factor;
        sum->variance *= factor;
    }
    double photons = field->gain > 0.0 && sum->flux > 0.0 ? sum->flux / field->gain : 0.0;
    return (skyfarm_flux){
        skyfarm_number(sum->flux), skyfarm_number(sqrt(sum->variance + photons)), skyfarm_number(sqrt(sum->variance)),
        sum->flag, is_empty};
}

// Squared coordinates of the parts of pixels along one axis.
inlined void part_squares(const doubles *middles, doubles *squares) {
    static const double side = 1.0 / parts;
    doubles place = *middles + 0.5 * (side - 1.0);
    for (int index = 0; index < parts; index++, place += side) squares[index] = place * place;
}

/// The shares of pixels at the edge of a circle.
inlined void circle_shares(const doubles *dx, const doubles *row_squares, double r2, doubles *shares) {
    static const double area = (1.0 / parts) * (1.0 / parts);
    doubles squares[parts];
    part_squares(dx, squares);
    longs count = 0;
    for (int i = 0; i < parts; i++)
        for (int j = 0; j < parts; j++) count -= squares[j] + row_squares[i] < r2;
    for (int lane = 0; lane < lanes; lane++) {
        // Repeated addition, as in libsep: it is not the product.
        double share = 0.0;
        for (int64_t index = 0; index < count[lane]; index++) share += area;
        (*shares)[lane] = share;
    }
}

for_each_processor
skyfarm_flux
skyfarm_sum_circle(const skyfarm_field *field, const uint8_t *mask, double x, double y, double r) {
    sums sum = {0};
    aperture_box box = find_box(field, x, y, r, r, &sum.flag);
    double r2 = r * r, inner = r - 0.7072, outer = r + 0.7072;
    double inner2 = inner > 0.0 ? inner * inner : 0.0, outer2 = outer * outer;
    for (int row = box.top; row < box.bottom; row++) {
        double dy = row - y;
        doubles rows = dy, row_squares[parts];
        part_squares(&rows, row_squares);
        for (int column = box.left; column < box.right; column += lanes) {
            block some;
            load(&some, field->pixels + (ptrdiff_t)row * field->width, column, box.right, x);
            doubles distances = some.dx * some.dx + dy * dy;
            longs inside = (distances < outer2) & some.exist, edge = inside & (distances > inner2);
            if (!__builtin_reduce_or(inside)) continue;
            doubles shares = inside ? (doubles)1.0 : (doubles)0.0;
            if (__builtin_reduce_or(edge)) {
                doubles at_edge;
                circle_shares(&some.dx, row_squares, r2, &at_edge);
                shares = edge ? at_edge : shares;
            }
            add(field, mask, row, &some, &inside, &shares, &sum);
        }
    }
    return finish(field, mask != NULL, &sum);
}

for_each_processor
skyfarm_flux skyfarm_sum_ellipse(
    const skyfarm_field *field, const uint8_t *mask, double x, double y, const skyfarm_ellipse *e, double r) {
    sums sum = {0};
    aperture_box box = find_ellipse_box(field, x, y, e, r, &sum.flag);
    double r2 = r * r, inner = r - 0.7072 / e->b, outer = r + 0.7072 / e->b;
    double inner2 = inner > 0.0 ? inner * inner : 0.0, outer2 = outer * outer;
    for (int row = box.top; row < box.bottom; row++) {
        double dy = row - y, dy2 = dy * dy;
        for (int column = box.left; column < box.right; column += lanes) {
            block some;
            load(&some, field->pixels + (ptrdiff_t)row * field->width, column, box.right, x);
            doubles along = e->cxx * some.dx * some.dx, mixed = e->cxy * some.dx * dy;
            doubles distances = along + e->cyy * dy * dy + mixed;
            longs inside = (distances < outer2) & some.exist;
            if (!__builtin_reduce_or(inside)) continue;
            // The same distances, rounded otherwise.
            longs counts = inside & ((distances <= inner2) | (along + e->cyy * dy2 + mixed < r2));
            doubles shares = counts ? (doubles)1.0 : (doubles)0.0;
            add(field, mask, row, &some, &inside, &shares, &sum);
        }
    }
    return finish(field, mask != NULL, &sum);
}

for_each_processor
skyfarm_kron skyfarm_kron_radius(
    const skyfarm_field *field, const uint8_t *mask, double x, double y, const skyfarm_ellipse *e, double r) {
    skyfarm_kron result = {0};
    aperture_box box = find_ellipse_box(field, x, y, e, r, &result.flag);
    double r2 = r * r, moment = 0.0, flux = 0.0;
    bool is_empty = true;
    for (int row = box.top; row < box.bottom; row++) {
        double dy = row - y;
        for (int column = box.left; column < box.right; column += lanes) {
            block some;
            load(&some, field->pixels + (ptrdiff_t)row * field->width, column, box.right, x);
            doubles distances = e->cxx * some.dx * some.dx + e->cyy * dy * dy + e->cxy * some.dx * dy;
            longs inside = (distances <= r2) & some.exist;
            if (!__builtin_reduce_or(inside)) continue;
            for (int lane = 0; lane < some.count; lane++) {
                bool is_masked = some.pixels[lane] < -big || (mask && mask[(ptrdiff_t)row * field->width + column + lane]);
                if (!inside[lane] || !is_masked) continue;
                result.flag |= has_masked;
                inside[lane] = 0;
            }
            if (!__builtin_reduce_or(inside)) continue;
            is_empty = false;
            doubles fluxes = inside ? __builtin_convertvector(some.pixels, doubles) : (doubles)0.0;
            doubles moments = inside ? __builtin_elementwise_sqrt(distances) * fluxes : (doubles)0.0;
            for (int lane = 0; lane < lanes; lane++) {
                moment += moments[lane];
                flux += fluxes[lane];
            }
        }
    }
    if (is_empty)
        result.flag |= all_masked;
    else if (moment <= 0.0 || flux <= 0.0)
        result.flag |= not_positive;
    else
        result.radius = moment / flux;
    return result;
}

skyfarm_ellipse skyfarm_ellipse_of(double a, double b, double theta) {
    double c = skyfarm_cos(theta), s = skyfarm_sin(theta), a2 = a * a, b2 = b * b;
    return (skyfarm_ellipse){
        c * c / a2 + s * s / b2, s * s / a2 + c * c / b2, 2.0 * c * s * (1.0 / a2 - 1.0 / b2), b};
}
