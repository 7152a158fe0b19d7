#include "aperture_box.h"
#include "photometry.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

// libsep's operations, in their order and with their rounding.
#pragma STDC FP_CONTRACT OFF

enum { rings = 64, parts = 5 };
// A pixel nearer to an edge of a ring is divided into parts; pixels farther beyond the last ring are left out.
static const double reach = 0.7072, beyond = 1.5;

// Sums over rings of equal width.
typedef struct {
    double flux[rings], area[rings], masked[rings], density;
} profile;

static void add(profile *p, double distance, float value, double share, bool is_masked) {
    double place = distance * p->density;
    if (!(place < rings)) return;
    int ring = (int)place;
    p->area[ring] += share;
    if (is_masked)
        p->masked[ring] += share;
    else
        p->flux[ring] += value * share;
}

static void add_parts(profile *p, double dx, double dy, float value, bool is_masked) {
    static const double side = 1.0 / parts, area = (1.0 / parts) * (1.0 / parts), first = 0.5 * (1.0 / parts - 1.0);
    double py = dy + first;
    for (int row = 0; row < parts; row++, py += side) {
        double px = dx + first;
        for (int column = 0; column < parts; column++, px += side)
            add(p, sqrt(px * px + py * py), value, area, is_masked);
    }
}

// Fills the sums of the field's pixels around a position.
static void fill(profile *p, const skyfarm_field *field, const uint8_t *mask, double x, double y, double limit) {
    int16_t flag = 0;
    aperture_box box = find_box(field, x, y, limit, limit, &flag);
    double width = limit / rings, outside = limit + beyond;
    *p = (profile){.density = 1.0 / width};
    for (int row = box.top; row < box.bottom; row++) {
        double dy = row - y;
        for (int column = box.left; column < box.right; column++) {
            double dx = column - x, squared = dx * dx + dy * dy;
            if (!(squared < outside * outside)) continue;
            ptrdiff_t place = (ptrdiff_t)row * field->width + column;
            bool is_masked = mask && mask[place];
            double distance = sqrt(squared), within = fmod(distance, width);
            if (within < reach || within > width - reach)
                add_parts(p, dx, dy, field->pixels[place], is_masked);
            else
                add(p, distance, field->pixels[place], 1.0, is_masked);
        }
    }
}

double skyfarm_ring_radius(
    const skyfarm_field *field, const uint8_t *mask, double x, double y, double limit, const double *target) {
    profile p;
    fill(&p, field, mask, x, y, limit);
    for (int ring = 0; ring < rings; ring++) {
        // Masked parts count like the others of their ring.
        if (mask && p.area[ring] - p.masked[ring] > 0.0) p.flux[ring] *= p.area[ring] / (p.area[ring] - p.masked[ring]);
        if (ring > 0) p.flux[ring] += p.flux[ring - 1];
    }
    double wanted = target ? *target : 0.5 * p.flux[rings - 1], width = limit / rings;
    int ring = 0;
    while (ring < rings && p.flux[ring] < wanted) ring++;
    if (ring == rings) return limit;
    if (ring == 0) return wanted <= 0.0 || p.flux[0] == 0.0 ? 0.0 : width * wanted / p.flux[0];
    return width * (ring + (wanted - p.flux[ring - 1]) / (p.flux[ring] - p.flux[ring - 1]));
}
