#include "photometry.h"
#include "for_each_processor.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// The ring of a part is computed by libsep's operations, in their order and with their rounding.
#pragma STDC FP_CONTRACT OFF

// Without fused operations the results are bit-identical on every processor. All vector code is inlined into the one
// function that is compiled for each processor.
#define inlined static inline __attribute__((always_inline))

enum { rings = 64, parts = 5 };
// A pixel is divided into 5 x 5 parts; libsep steps from the first part's centre by repeated addition.
static const double part_side = 1.0 / parts;
static const double part_area = (1.0 / parts) * (1.0 / parts);
static const double first_part = 0.5 * (1.0 / parts - 1.0);
// Half of a pixel's diagonal, rounded up by more than the rounding error of a distance.
static const double reach = 0.7073;

typedef struct {
    const float *pixels;
    // Position and size of the window. All positions are in the coordinates of the image, so that rounding does not depend
    // on the window.
    int left, top, width, height;
    double x, y, step, density;
} curve;

// Sums over all rings below a given one: the flux, and the part of it in negative pixels.
typedef struct {
    double flux, negative;
} disc;

static int clamped(double value, int low, int high) {
    return value < low ? low : value > high ? high : (int)value;
}

// Vectors of several pixels. Positions are in single precision, which is twice as fast; where it does not decide on
// which side of a ring's edge a part lies, they are computed again in double precision.
enum { lanes = 4 };
typedef double doubles __attribute__((ext_vector_type(lanes)));
typedef float floats __attribute__((ext_vector_type(lanes)));
typedef int ints __attribute__((ext_vector_type(lanes)));
typedef float float_pairs __attribute__((ext_vector_type(2 * lanes)));
typedef int int_pairs __attribute__((ext_vector_type(2 * lanes)));

// A batch of pixels: distances from the centre, and flux (0 in unused lanes).
typedef struct {
    doubles dx, dy, flux;
    int count;
} pixels;

// Squared coordinates of one row or column of a pixel's parts. Vectors are passed by reference: the ABI of passing them
// by value depends on the target processor.
inlined void squares(const doubles *middles, floats *result) {
    doubles part = *middles + first_part;
    for (int j = 0; j < parts; j++, part += part_side) {
        floats place = __builtin_convertvector(part, floats);
        result[j] = place * place;
    }
}

inlined double total(const doubles *some) { return (some->x + some->y) + (some->z + some->w); }

// Partial sums per lane: the flux, and the part of it in negative pixels.
typedef struct {
    doubles flux, negative;
} sums;

inlined void add(const doubles *flux, sums *to) {
    to->flux += *flux;
    to->negative += __builtin_elementwise_min(*flux, (doubles)0.0);
}

// Adds `count` pixels of a row; at least `lanes`.
inlined void add_row(const float *line, int count, sums *to) {
    floats some;
    for (int done = 0; done <= count - lanes; done += lanes) {
        memcpy(&some, line + done, sizeof some);
        doubles flux = __builtin_convertvector(some, doubles);
        add(&flux, to);
    }
    // The last vector overlaps pixels already added; their factor is 0.
    static const float is_new[2 * lanes] = {0, 0, 0, 0, 1, 1, 1, 1};
    floats factors;
    memcpy(&factors, is_new + count % lanes, sizeof factors);
    memcpy(&some, line + count - lanes, sizeof some);
    doubles flux = __builtin_convertvector(some * factors, doubles);
    add(&flux, to);
}

// Number of a pixel's parts whose ring is below `end`, in double precision.
static int parts_inside(const curve *c, int end, double dx, double dy) {
    int inside = 0;
    double py = dy + first_part;
    for (int i = 0; i < parts; i++, py += part_side) {
        double px = dx + first_part;
        for (int j = 0; j < parts; j++, px += part_side)
            inside += (int)(sqrt(px * px + py * py) * c->density) < end;
    }
    return inside;
}

// Adds the flux of the parts of a batch whose ring is below `end`.
inlined void add_inside(const curve *c, int end, const pixels *some, sums *to) {
    double radius = end * c->step;
    float surely_in = (float)(radius * radius * (1 - 1e-5)), surely_out = (float)(radius * radius * (1 + 1e-5));
    floats px2[parts], py2[parts];
    squares(&some->dx, px2);
    squares(&some->dy, py2);
    // Two rows of parts at once; the last row is paired with infinity.
    floats nowhere = (floats)INFINITY;
    int_pairs surely = 0, perhaps = 0;
    for (int i = 0; i < parts; i += 2) {
        float_pairs row2 = __builtin_shufflevector(py2[i], i + 1 < parts ? py2[i + 1] : nowhere, 0, 1, 2, 3, 4, 5, 6, 7);
        for (int j = 0; j < parts; j++) {
            float_pairs place = __builtin_shufflevector(px2[j], px2[j], 0, 1, 2, 3, 4, 5, 6, 7) + row2;
            surely -= place < surely_in;
            perhaps -= place <= surely_out;
        }
    }
    ints inside = surely.lo + surely.hi;
    if (__builtin_reduce_or(surely ^ perhaps))
        for (int lane = 0; lane < lanes; lane++) inside[lane] = parts_inside(c, end, some->dx[lane], some->dy[lane]);
    doubles flux = __builtin_convertvector(inside, doubles) * part_area * some->flux;
    add(&flux, to);
}

// Half the length of a circle's chord at `distance` from the centre; 0 outside the circle.
static double half_chord(double radius, double distance) {
    double squared = radius * radius - distance * distance;
    return squared > 0.0 ? sqrt(squared) : 0.0;
}

// Appends a pixel to the batch; true if the batch is full.
inlined bool append_fills(pixels *batch, double dx, double dy, double flux) {
    batch->dx[batch->count] = dx;
    batch->dy[batch->count] = dy;
    batch->flux[batch->count] = flux;
    return ++batch->count == lanes;
}

// Appends the pixels of columns `first` to `last` (exclusive) to the batch, and adds every batch that is full.
inlined void add_edge(
    const curve *c, int end, const float *line, int first, int last, double dy, pixels *batch, sums *to
) {
    for (int column = first; column < last; column++) {
        if (!append_fills(batch, column - c->x, dy, line[column])) continue;
        add_inside(c, end, batch, to);
        *batch = (pixels){0};
    }
}

// The sums over the rings below `end`.
inlined disc rings_below(const curve *c, int end) {
    pixels batch = {0};
    sums sum = {0};
    double radius = end * c->step, outer = radius + reach, inner = radius > reach ? radius - reach : 0.0;
    int right = c->left + c->width, bottom = c->top + c->height, last_row = clamped(c->y + outer + 2, c->top, bottom);
    for (int row = clamped(c->y - outer, c->top, bottom); row < last_row; row++) {
        const float *line = c->pixels + (ptrdiff_t)(row - c->top) * c->width - c->left;
        double dy = row - c->y, around = half_chord(outer, dy), within = half_chord(inner, dy);
        int first = clamped(c->x - around, c->left, right), last = clamped(c->x + around + 2, c->left, right);
        // Pixels that lie wholly inside.
        int full = clamped(c->x - within + 1, first, last), full_end = clamped(c->x + within, full, last);
        if (full_end - full < lanes)
            full_end = full;
        else
            add_row(line + full, full_end - full, &sum);
        add_edge(c, end, line, first, full, dy, &batch, &sum);
        add_edge(c, end, line, full_end, last, dy, &batch, &sum);
    }
    if (batch.count > 0) add_inside(c, end, &batch, &sum);
    return (disc){total(&sum.flux), total(&sum.negative)};
}

// Invariant: sum below ring `low` < target <= sum below ring `high`.
typedef struct {
    double target;
    int low, high;
    disc below_low, below_high;
} bracket;

// Moves one side of the bracket to ring `end`, which lies between them.
inlined void probe(const curve *c, int end, bracket *b) {
    disc sum = rings_below(c, end);
    if (sum.flux < b->target) {
        b->low = end;
        b->below_low = sum;
    } else {
        b->high = end;
        b->below_high = sum;
    }
}

// Estimate of the ring that reaches the target, assuming a uniform surface brightness between low and high.
static int interpolated(const bracket *b) {
    double share = (b->target - b->below_low.flux) / (b->below_high.flux - b->below_low.flux);
    double low = (double)b->low * b->low, high = (double)b->high * b->high;
    return clamped(sqrt(low + share * (high - low)), b->low + 1, b->high - 1);
}

// Narrows the bracket to one ring.
inlined void narrow(const curve *c, bracket *b) {
    // Half of the flux is usually reached at about a fifth of the radius.
    enum { usual = 14, stride = 3 };
    for (int end = usual; end < rings && b->high == rings; end += stride) probe(c, end, b);
    while (b->high - b->low > 1) probe(c, interpolated(b), b);
}

// Whether the running sum may reach the target in a ring before `end`: impossible if the negative pixels there do not
// make up for the difference.
inlined bool may_be_reached_before(const curve *c, int end, disc sum, double target) {
    while (end > 0 && sum.flux - sum.negative >= target) {
        sum = rings_below(c, --end);
        if (sum.flux >= target) return true;
    }
    return false;
}

// Far above the rounding error of a sum of millions of parts, far below the flux in a ring of a real source.
static double nearly_equal_to(double size) { return 1e-11 * size; }

// Where the flux first reaches `target`, which is above 0 and at most that of all rings; NaN where the result depends on
// the last bits of sums.
inlined double radius_of(const curve *c, double target, disc all, double size) {
    double nearly_equal = nearly_equal_to(size), nearly_flat = 1e-4 * size;
    bracket b = {.target = target, .high = rings, .below_high = all};
    narrow(c, &b);
    double before = b.below_low.flux, reached = b.below_high.flux;
    if (target - before < nearly_equal || reached - target < nearly_equal || reached - before < nearly_flat) return NAN;
    if (may_be_reached_before(c, b.low, b.below_low, target - nearly_equal)) return NAN;
    return c->step * (b.low + (target - before) / (reached - before));
}

for_each_processor
double skyfarm_half_flux_radius(
    const float *pixels, int left, int top, int width, int height, double x, double y, double limit
) {
    curve c = {pixels, left, top, width, height, x, y, limit / rings, 1.0 / (limit / rings)};
    disc all = rings_below(&c, rings);
    double target = 0.5 * all.flux, size = all.flux - 2 * all.negative, nearly_equal = nearly_equal_to(size);
    if (!(size < INFINITY)) return NAN;
    if (target <= 0.0)
        return rings_below(&c, 1).flux < target + nearly_equal || -target < nearly_equal ? NAN : 0.0;
    return radius_of(&c, target, all, size);
}

for_each_processor
double skyfarm_flux_radius(
    const float *pixels, int left, int top, int width, int height, double x, double y, double limit, double target
) {
    curve c = {pixels, left, top, width, height, x, y, limit / rings, 1.0 / (limit / rings)};
    disc all = rings_below(&c, rings);
    double size = all.flux - 2 * all.negative;
    // Where it is never reached, or the last bits decide, all rings are needed.
    if (!(size < INFINITY && target > 0.0 && target < all.flux - nearly_equal_to(size))) return NAN;
    return radius_of(&c, target, all, size);
}
