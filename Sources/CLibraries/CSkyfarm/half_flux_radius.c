#include "cskyfarm.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// The order and rounding of each operation are libsep's.
#pragma STDC FP_CONTRACT OFF

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

// Flux of all parts whose ring is below the last.
static double flux(const curve *c) {
    double sum = 0.0, outer = c->limit + reach, inner = c->limit > reach ? c->limit - reach : 0.0;
    double surely_in = c->limit * c->limit * (1 - 1e-12), surely_out = c->limit * c->limit * (1 + 1e-12);
    int first = clamped(c->x - outer, 0, c->width), end = clamped(c->x + outer + 2, 0, c->width);
    int last_row = clamped(c->y + outer + 2, 0, c->height);
    for (int row = clamped(c->y - outer, 0, c->height); row < last_row; row++) {
        const float *line = c->pixels + (size_t)row * c->width;
        double dy = row - c->y;
        for (int column = first; column < end; column++) {
            double dx = column - c->x, squared = dx * dx + dy * dy;
            if (squared >= outer * outer) continue;
            if (squared < inner * inner) {
                sum += line[column];
                continue;
            }
            int inside = 0;
            double py = dy + first_part;
            for (int i = 0; i < parts; i++, py += part_side) {
                double px = dx + first_part;
                for (int j = 0; j < parts; j++, px += part_side) {
                    double place = px * px + py * py;
                    if (place < surely_in)
                        inside++;
                    else if (place <= surely_out)
                        inside += (int)(sqrt(place) * c->density) < rings;
                }
            }
            sum += inside * part_area * line[column];
        }
    }
    return sum;
}

// Running sums of the flux in the first `count` rings.
static void running_sums(const curve *c, int count, double *sums) {
    double outer = count * c->step + reach;
    int first = clamped(c->x - outer, 0, c->width), end = clamped(c->x + outer + 2, 0, c->width);
    int last_row = clamped(c->y + outer + 2, 0, c->height);
    memset(sums, 0, rings * sizeof *sums);
    for (int row = clamped(c->y - outer, 0, c->height); row < last_row; row++) {
        const float *line = c->pixels + (size_t)row * c->width;
        double dy = row - c->y;
        for (int column = first; column < end; column++) {
            double dx = column - c->x, squared = dx * dx + dy * dy;
            if (squared >= outer * outer) continue;
            if (c->step > 2 * reach) {
                double distance = sqrt(squared);
                int ring = (int)(distance * c->density);
                double inside = distance - ring * c->step;
                if (inside > reach && inside < c->step - reach) {
                    if (ring < rings) sums[ring] += line[column];
                    continue;
                }
            }
            double part = part_area * line[column], py = dy + first_part;
            for (int i = 0; i < parts; i++, py += part_side) {
                double px = dx + first_part, py2 = py * py;
                for (int j = 0; j < parts; j++, px += part_side) {
                    int ring = (int)(sqrt(px * px + py2) * c->density);
                    if (ring < rings) sums[ring] += part;
                }
            }
        }
    }
    for (int ring = 1; ring < count; ring++) sums[ring] += sums[ring - 1];
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

double skyfarm_half_flux_radius(const float *pixels, int width, int height, double x, double y, double limit) {
    curve c = {pixels, width, height, x, y, limit, limit / rings, 1.0 / (limit / rings)};
    double target = 0.5 * flux(&c), sums[rings];
    // Most sources hold half of their flux in the first quarter of the radius: a sixteenth of the area.
    for (int count = rings / 4; count <= rings; count *= 2) {
        running_sums(&c, count, sums);
        double radius = crossing(&c, count, sums, target);
        if (radius != limit || count == rings) return radius;
    }
    return limit;
}
