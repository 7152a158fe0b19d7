#include "cskyfarm.h"
#include "for_each_processor.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// What decides where a part lies are libsep's operations, in their order and with their rounding.
#pragma STDC FP_CONTRACT OFF

// The results are the same to the bit on every processor, since nothing is fused. All vector code becomes part of the one
// function of which there are two.
#define inlined static inline __attribute__((always_inline))

enum { rings = 64, parts = 5 };
// A pixel is seen as 5 x 5 parts; libsep adds a part's side to the first place, one by one.
static const double part_side = 1.0 / parts;
static const double part_area = (1.0 / parts) * (1.0 / parts);
static const double first_part = 0.5 * (1.0 / parts - 1.0);
// A pixel's half diagonal, rounded up by more than the rounding of a distance.
static const double reach = 0.7073;

typedef struct {
    const float *pixels;
    int width, height;
    double x, y, limit, step, density;
} curve;

static int clamped(double value, int low, int high) {
    return value < low ? low : value > high ? high : (int)value;
}

// Several pixels at once. Places are in single precision, at twice the speed; where that does not decide on
// which side of a ring's edge a part lies, they are looked at again.
enum { lanes = 4 };
typedef double doubles __attribute__((ext_vector_type(lanes)));
typedef float floats __attribute__((ext_vector_type(lanes)));
typedef int ints __attribute__((ext_vector_type(lanes)));

// Some pixels: their distances from the centre and, 0 where there are fewer than lanes, their flux.
typedef struct {
    doubles dx, dy, flux;
    int count;
} pixels;

// Squares of the places of one row or column of a pixel's parts. Vectors go by reference: how they go by value depends
// on the processor that is compiled for.
inlined void squares(const doubles *middles, floats *result) {
    doubles part = *middles + first_part;
    for (int j = 0; j < parts; j++, part += part_side) {
        floats place = __builtin_convertvector(part, floats);
        result[j] = place * place;
    }
}

inlined double total(const doubles *some) { return (some->x + some->y) + (some->z + some->w); }

inlined double row_sum(const float *line, int count) {
    doubles sums = 0.0;
    int done = 0;
    for (; done + lanes <= count; done += lanes) {
        floats some;
        memcpy(&some, line + done, sizeof some);
        sums += __builtin_convertvector(some, doubles);
    }
    double sum = total(&sums);
    for (; done < count; done++) sum += line[done];
    return sum;
}

// Number of a pixel's parts whose ring is below the last.
static int parts_inside(const curve *c, double dx, double dy) {
    int inside = 0;
    double py = dy + first_part;
    for (int i = 0; i < parts; i++, py += part_side) {
        double px = dx + first_part;
        for (int j = 0; j < parts; j++, px += part_side)
            inside += (int)(sqrt(px * px + py * py) * c->density) < rings;
    }
    return inside;
}

// Flux of the parts of some pixels whose ring is below the last.
inlined double flux_inside(const curve *c, const pixels *some) {
    float surely_in = (float)(c->limit * c->limit * (1 - 1e-5)), surely_out = (float)(c->limit * c->limit * (1 + 1e-5));
    floats px2[parts], py2[parts];
    squares(&some->dx, px2);
    squares(&some->dy, py2);
    ints inside = 0, doubtful = 0;
    for (int i = 0; i < parts; i++)
        for (int j = 0; j < parts; j++) {
            floats place = px2[j] + py2[i];
            ints below = place < surely_in;
            inside -= below;
            doubtful |= ~below & (place <= surely_out);
        }
    if (__builtin_reduce_or(doubtful))
        for (int lane = 0; lane < lanes; lane++) inside[lane] = parts_inside(c, some->dx[lane], some->dy[lane]);
    doubles flux = __builtin_convertvector(inside, doubles) * part_area * some->flux;
    return total(&flux);
}

// Half the length of a circle's chord, 0 beside the circle.
static double half_chord(double radius, double distance) {
    double squared = radius * radius - distance * distance;
    return squared > 0.0 ? sqrt(squared) : 0.0;
}

// Adds a pixel to those that wait; true if they fill the lanes with it.
inlined bool fills_with(pixels *waiting, double dx, double dy, double flux) {
    waiting->dx[waiting->count] = dx;
    waiting->dy[waiting->count] = dy;
    waiting->flux[waiting->count] = flux;
    return ++waiting->count == lanes;
}

// Flux inside of the pixels from column `first` up to `end` and of those that waited, but for those that wait now.
inlined double edge_sum(const curve *c, const float *line, int first, int end, double dy, pixels *waiting) {
    double sum = 0.0;
    for (int column = first; column < end; column++) {
        if (!fills_with(waiting, column - c->x, dy, line[column])) continue;
        sum += flux_inside(c, waiting);
        *waiting = (pixels){0};
    }
    return sum;
}

// Flux of all parts whose ring is below the last.
inlined double flux(const curve *c) {
    pixels waiting = {0};
    double sum = 0.0, outer = c->limit + reach, inner = c->limit > reach ? c->limit - reach : 0.0;
    int last_row = clamped(c->y + outer + 2, 0, c->height);
    for (int row = clamped(c->y - outer, 0, c->height); row < last_row; row++) {
        const float *line = c->pixels + (size_t)row * c->width;
        double dy = row - c->y, around = half_chord(outer, dy), within = half_chord(inner, dy);
        int first = clamped(c->x - around, 0, c->width), end = clamped(c->x + around + 2, 0, c->width);
        // Pixels of which all parts are surely inside.
        int full = clamped(c->x - within + 1, first, end), full_end = clamped(c->x + within, full, end);
        sum += row_sum(line + full, full_end - full);
        sum += edge_sum(c, line, first, full, dy, &waiting);
        sum += edge_sum(c, line, full_end, end, dy, &waiting);
    }
    return sum + flux_inside(c, &waiting);
}

// Flux by ring, of which the last takes what is beyond the others. One set for each place of a part in its row of parts:
// parts side by side are often in the same ring, and one addition would wait for the other.
typedef double ring_sums[parts][rings + 1];

// Adds one part in each pixel, at `px` and `py`, to its ring.
static void add_exactly(const curve *c, const doubles *px, const doubles *py, const doubles *flux, double *sums) {
    for (int lane = 0; lane < lanes; lane++) {
        int ring = (int)(sqrt((*px)[lane] * (*px)[lane] + (*py)[lane] * (*py)[lane]) * c->density);
        sums[ring < rings ? ring : rings] += (*flux)[lane];
    }
}

// Adds the parts of some pixels to their rings.
inlined void add_parts(const curve *c, const pixels *some, ring_sums sums) {
    doubles flux = part_area * some->flux;
    floats px2[parts], py2[parts];
    squares(&some->dx, px2);
    squares(&some->dy, py2);
    float density = (float)c->density;
    doubles py = some->dy + first_part;
    for (int i = 0; i < parts; i++, py += part_side) {
        doubles px = some->dx + first_part;
        for (int j = 0; j < parts; j++, px += part_side) {
            floats place = __builtin_elementwise_sqrt(px2[j] + py2[i]) * density;
            place = __builtin_elementwise_min(place, (floats)(rings + 0.5f));
            ints ring = __builtin_convertvector(place, ints);
            floats above = place - __builtin_convertvector(ring, floats);
            if (__builtin_reduce_or((above < 1e-3f) | (above > 1 - 1e-3f)))
                add_exactly(c, &px, &py, &flux, sums[j]);
            else
                for (int lane = 0; lane < lanes; lane++) sums[j][ring[lane]] += flux[lane];
        }
    }
}

// Adds a whole pixel to its ring, if all of it lies in one.
static bool add_whole(const curve *c, const float *line, int column, double dy, ring_sums sums) {
    double dx = column - c->x, distance = sqrt(dx * dx + dy * dy);
    int ring = (int)(distance * c->density);
    double inside = distance - ring * c->step;
    if (inside <= reach || inside >= c->step - reach) return false;
    sums[0][ring < rings ? ring : rings] += line[column];
    return true;
}

// Adds the pixels from column `first` up to `end` to their rings, or to those that wait for it.
inlined void add_pixels(
    const curve *c, const float *line, int first, int end, double dy, pixels *waiting, ring_sums sums
) {
    bool is_wide = c->step > 2 * reach;
    for (int column = first; column < end; column++) {
        if (is_wide && add_whole(c, line, column, dy, sums)) continue;
        if (!fills_with(waiting, column - c->x, dy, line[column])) continue;
        add_parts(c, waiting, sums);
        *waiting = (pixels){0};
    }
}

// Adds the pixels of which a part lies in one of the rings below `count`, but for those of which one lies below `done`.
inlined void add_rings(const curve *c, int done, int count, ring_sums sums) {
    double outer = count * c->step + reach, inner = done == 0 ? 0.0 : done * c->step + reach;
    pixels waiting = {0};
    int last_row = clamped(c->y + outer + 2, 0, c->height);
    for (int row = clamped(c->y - outer, 0, c->height); row < last_row; row++) {
        const float *line = c->pixels + (size_t)row * c->width;
        double dy = row - c->y, around = half_chord(outer, dy), within = half_chord(inner, dy);
        if (around == 0.0) continue;
        int first = clamped(c->x - around, 0, c->width), end = clamped(c->x + around + 2, 0, c->width);
        int hole = end, hole_end = end;
        if (within > 0.0) {
            hole = clamped(c->x - within, first, end);
            hole_end = clamped(c->x + within + 2, hole, end);
        }
        add_pixels(c, line, first, hole, dy, &waiting, sums);
        add_pixels(c, line, hole_end, end, dy, &waiting, sums);
    }
    if (waiting.count > 0) add_parts(c, &waiting, sums);
}

// The radius at which the running sums reach the target, or NaN where the last bits of the sums decide: they are not
// libsep's. `limit` if they do not reach it.
static double crossing(const curve *c, int count, const double *sums, double target) {
    double scale = fabs(target);
    for (int ring = 0; ring < count; ring++) scale = fmax(scale, fabs(sums[ring]));
    // Far above the rounding of a sum of millions of parts, far below what a ring of a real source holds.
    double nearly_equal = 1e-11 * scale, nearly_flat = 1e-4 * scale;
    int ring = 0;
    while (ring < count && sums[ring] < target) {
        if (target - sums[ring] < nearly_equal) return NAN;
        ring++;
    }
    if (ring == count) return c->limit;
    if (sums[ring] - target < nearly_equal) return NAN;
    if (ring == 0 && target <= 0.0) return -target < nearly_equal ? NAN : 0.0;
    double before = ring == 0 ? 0.0 : sums[ring - 1];
    if (sums[ring] - before < nearly_flat) return NAN;
    return c->step * (ring + (target - before) / (sums[ring] - before));
}

for_each_processor
double skyfarm_half_flux_radius(const float *pixels, int width, int height, double x, double y, double limit) {
    curve c = {pixels, width, height, x, y, limit, limit / rings, 1.0 / (limit / rings)};
    double target = 0.5 * flux(&c), sums[rings], sum = 0.0;
    ring_sums by_ring = {0};
    // Most sources hold half of their flux in the first quarter of the radius: then a few rings after the other.
    enum { quarter = rings / 4, few = 4 };
    for (int done = 0, count = quarter;; done = count, count += few) {
        add_rings(&c, done, count, by_ring);
        for (int ring = done; ring < count; ring++) {
            for (int j = 0; j < parts; j++) sum += by_ring[j][ring];
            sums[ring] = sum;
        }
        double radius = crossing(&c, count, sums, target);
        if (radius != limit || count == rings) return radius;
    }
}
