// Prints checksums of everything that the elementary functions and the kernel give for pseudo-random arguments and
// images. Whatever compiles it, and whatever runs it, they must be the same.
//
// Example: bits 1000000 2000
#include "elementary.h"

#ifndef ONLY_FUNCTIONS
#include "background.h"
#include "cnumbers.h"
#include "photometry.h"
#include "stacking.h"
#endif

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

static uint64_t state, sum;

// SplitMix64.
static uint64_t next(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static double uniform(double low, double high) { return low + (high - low) * ((double)(next() >> 11) * 0x1p-53); }

static int integer(int low, int high) { return low + (int)(next() % (uint64_t)(high - low + 1)); }

static void add_bytes(const void *bytes, size_t count) {
    for (size_t index = 0; index < count; index++)
        sum = (sum ^ ((const unsigned char *)bytes)[index]) * 0x100000001b3;
}

static void add(double value) { add_bytes(&value, sizeof value); }

static void add_floats(const float *values, int count) {
    for (int index = 0; index < count; index++) add(values[index]);
}

static void report(const char *name) {
    printf("%s %016llx\n", name, (unsigned long long)sum);
    sum = 0xcbf29ce484222325;
}

static double exp_of_float(double x) { return skyfarm_expf((float)x); }

// The vector forms give the bits of the functions of one argument.
static void test_vectors(long count) {
    enum { most = 67 };
    double x[most], values[most];
    for (long number = 0; number < count; number += most) {
        int some = integer(0, most);
        for (int index = 0; index < some; index++) x[index] = uniform(-720, 720) * uniform(0, 1) * uniform(0, 1);
        skyfarm_exps(x, values, some);
        for (int index = 0; index < some; index++)
            if (values[index] != skyfarm_exp(x[index])) exit(3);
        double base = uniform(0, 4) * uniform(0, 4) * uniform(0, 4);
        skyfarm_powers(base, x, values, some);
        for (int index = 0; index < some; index++) {
            add(values[index]);
            if (values[index] != skyfarm_pow(base, x[index])) exit(4);
        }
    }
    report("vectors");
}

static void test_functions(long count) {
    static const struct {
        const char *name;
        double (*function)(double);
        double low, high;
    } functions[] = {
        {"exp", skyfarm_exp, -750, 715}, {"exp10", skyfarm_exp10, -326, 310}, {"expf", exp_of_float, -106, 90},
        {"log", skyfarm_log, 0, 40}, {"log10", skyfarm_log10, 0, 40}, {"sin", skyfarm_sin, -100, 100},
        {"cos", skyfarm_cos, -100, 100}, {"tan", skyfarm_tan, -100, 100}, {"asin", skyfarm_asin, -1, 1},
        {"acos", skyfarm_acos, -1, 1}, {"atan", skyfarm_atan, -40, 40},
    };
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        state = index;
        for (long number = 0; number < count; number++) {
            double x = uniform(functions[index].low, functions[index].high);
            // Arguments of all magnitudes, too: squares of squares.
            if (number % 3 == 0) x = x * x * x * x * (x / 1e5);
            add(functions[index].function(x));
        }
        report(functions[index].name);
    }
    state = 77;
    for (long number = 0; number < count; number++) add(skyfarm_pow(uniform(0, 9), uniform(-40, 40)));
    report("pow");
    for (long number = 0; number < count; number++) add(skyfarm_atan2(uniform(-3, 3), uniform(-3, 3)));
    report("atan2");
    test_vectors(count);
}

// The kernel has vectors that clang alone compiles.
#ifndef ONLY_FUNCTIONS
enum { most = 120 };
typedef struct {
    int width, height;
    float pixels[most * most], noise[most * most];
    uint8_t mask[most * most];
} image;

// A sky with a slope, noise, sources that overlap, and perhaps a mask. No function is called but those of this file.
static void draw(image *i) {
    i->width = integer(30, most), i->height = integer(30, most);
    for (int place = 0; place < i->width * i->height; place++) {
        double noise = uniform(-1, 1) + uniform(-1, 1) + uniform(-1, 1);
        i->pixels[place] = (float)(100 + 0.05 * (place % i->width) + 3 * noise);
        i->noise[place] = (float)uniform(2.5, 3.5);
        i->mask[place] = 0;
    }
    for (int source = integer(3, 30); source > 0; source--) {
        double x = uniform(0, i->width), y = uniform(0, i->height), peak = uniform(5, 400), size = uniform(1, 12);
        double shape = uniform(0.3, 1), slant = uniform(-0.5, 0.5);
        for (int place = 0; place < i->width * i->height; place++) {
            double dx = place % i->width - x, dy = place / i->width - y;
            double base = 1 + (dx * dx + shape * dy * dy + slant * dx * dy) / size;
            i->pixels[place] += (float)(peak / (base * base * base));
        }
    }
    if (integer(0, 2) > 0) return;
    for (int place = 0; place < i->width * i->height; place++) i->mask[place] = next() % 50 == 0;
}

static void subtract_background(image *i) {
    enum { mesh = 16, meshes = (most / mesh + 1) * (most / mesh + 1) };
    float levels[meshes], noises[meshes], smoothed[meshes], bends[meshes], median;
    int columns = (i->width + mesh - 1) / mesh, rows = (i->height + mesh - 1) / mesh, count = columns * rows;
    skyfarm_measure_meshes(i->pixels, i->mask, 0, i->width, i->height, mesh, mesh, levels, noises);
    add_floats(levels, count);
    add_floats(noises, count);
    skyfarm_mesh_filter filter = {columns, rows, 3, 3};
    skyfarm_smooth_meshes(&filter, levels, smoothed, bends, &median);
    add_floats(smoothed, count);
    add_floats(bends, count);
    add(median);
    skyfarm_spline spline = {smoothed, bends, columns, rows, 0, rows, mesh};
    skyfarm_spline_line *line = skyfarm_spline_line_open(columns, mesh, 0, i->width);
    for (int y = 0; y < i->height; y++) {
        float *row = i->pixels + y * i->width;
        skyfarm_spline_row(line, &spline, y, row, row);
    }
    skyfarm_spline_line_close(line);
    for (int place = 0; place < i->width * i->height; place++)
        if (i->mask[place]) i->pixels[place] = 0, i->noise[place] = 1e30f;
    add_floats(i->pixels, i->width * i->height);
}

static void measure(
    const skyfarm_field *field, const uint8_t *mask, double x, double y, double a, skyfarm_ellipse ellipse) {
    add(ellipse.cxx), add(ellipse.cyy), add(ellipse.cxy);
    skyfarm_flux flux = skyfarm_sum_circle(field, mask, x, y, 5);
    add(flux.flux), add(flux.error), add(flux.flag);
    skyfarm_kron kron = skyfarm_kron_radius(field, mask, x, y, &ellipse, 6);
    add(kron.radius), add(kron.flag);
    flux = skyfarm_sum_ellipse(field, mask, x, y, &ellipse, kron.radius > 1 ? 2.5 * kron.radius : 3.5);
    add(flux.flux), add(flux.error), add(flux.noise), add(flux.flag);
    if (!mask) {
        add(skyfarm_half_flux_radius(field->pixels, 0, 0, field->width, field->height, x, y, 6 * a));
        add(skyfarm_flux_radius(field->pixels, 0, 0, field->width, field->height, x, y, 6 * a, 0.3 * flux.flux));
    }
    add(skyfarm_ring_radius(field, mask, x, y, 6 * a, 0));
    add(skyfarm_disc_share(x - (int)x - 3, y - (int)y - 4, 5));
}

static void extract(const image *i) {
    static const float kernel[] = {0.0625f, 0.125f, 0.0625f, 0.125f, 0.25f, 0.125f, 0.0625f, 0.125f, 0.0625f};
    int kind = integer(0, 2);
    bool is_masked = memchr(i->mask, 1, (size_t)(i->width * i->height)) != 0;
    int left = integer(0, 9000), top = integer(0, 9000);
    skyfarm_field field = {i->pixels, kind > 0 ? i->noise : 0, 3, 9, i->width, i->height, left, top, 1.5};
    skyfarm_detection detection = {
        1.5f, 5, integer(0, 3) ? kernel : 0, 3, 3, 0, 32, 0.005, 0, 0, skyfarm_threshold_behind};
    detection.is_matched = kind == 2 && detection.kernel;
    skyfarm_sources *s = skyfarm_extract(&field, &detection);
    if (!s) exit(2);
    int n = s->count;
    const int *integers[] = {
        s->npix, s->tnpix, s->xmin, s->xmax, s->ymin, s->ymax, s->xcpeak, s->ycpeak, s->xpeak, s->ypeak};
    const double *doubles[] = {s->x, s->y, s->x2, s->y2, s->xy, s->errx2, s->erry2, s->errxy};
    const float *floats[] = {
        s->thresh, s->a, s->b, s->theta, s->cxx, s->cyy, s->cxy, s->cflux, s->flux, s->cpeak, s->peak, s->abcor,
        s->mthresh};
    for (size_t column = 0; column < sizeof integers / sizeof *integers; column++)
        add_bytes(integers[column], sizeof(int) * (size_t)n);
    for (size_t column = 0; column < sizeof doubles / sizeof *doubles; column++)
        for (int index = 0; index < n; index++) add(doubles[column][index]);
    for (size_t column = 0; column < sizeof floats / sizeof *floats; column++) add_floats(floats[column], n);
    for (int index = 0; index < n; index++)
        measure(
            &field, is_masked ? i->mask : 0, s->x[index] - field.x, s->y[index] - field.y, s->a[index],
            skyfarm_ellipse_of(s->a[index], s->b[index], s->theta[index]));
    skyfarm_release_sources(s);
}

static void test_numbers(image *i) {
    int count = i->width * i->height;
    static uint8_t packed[most * most * 8];
    static float copy[most * most];
    add(skyfarm_greatest_magnitude(i->pixels, count));
    skyfarm_scale scale = {0.3, 32768.7};
    for (int index = 0; index < count; index++)
        copy[index] = (float)((int)i->pixels[index] * scale.step + scale.offset);
    ptrdiff_t size = skyfarm_pack_scaled(copy, count, scale, packed, sizeof packed);
    add_bytes(packed, (size_t)size);
    skyfarm_unpack_scaled(packed, size, scale, i->pixels, count);
    skyfarm_swap_floats(i->pixels, count);
    add_bytes(i->pixels, sizeof(float) * (size_t)count);
}

// The rows of the image are the frames of a stack, each as floats or as integers.
static void test_stack(image *i) {
    static int16_t shorts[most * most];
    static double values[most * most + 16], sorted[most * most + 16];
    static skyfarm_columns columns;
    static int32_t rejecting[skyfarm_tile_width];
    int width = i->width, rows = i->height, count = width * rows;
    int64_t counts[skyfarm_threshold_count];
    for (int index = 0; index < count; index++) shorts[index] = (int16_t)(index % 7919 * 17 + index % 5);
    skyfarm_count_shorts(shorts, count, shorts + count / 2, counts);
    add_bytes(counts, sizeof counts);
    ptrdiff_t missing = 0;
    for (int row = 0; row < rows; row++) {
        skyfarm_samples samples = {
            row % 2 ? i->pixels : 0, shorts, {0.37f, integer(0, 1) * 1000.1f, row % 3 ? INT32_MAX : shorts[row]}};
        skyfarm_correction correction = {
            row % 4 ? i->noise : 0, row % 5 ? i->noise : 0, 0.1 * row, row % 6 ? uniform(0.3, 3) : 1};
        missing += skyfarm_stack_values(samples, correction, row * width, width, values + row * width);
    }
    add((double)missing);
    memcpy(sorted, values, sizeof values);
    for (int round = 0; round < rows; round++)
        for (int row = round % 2; row + 1 < rows; row += 2) {
            skyfarm_comparator comparator = {(uint16_t)row, (uint16_t)(row + 1)};
            skyfarm_apply_network(sorted, width, &comparator, 1);
        }
    const double *low = sorted + (rows - 1) / 2 * width, *high = sorted + rows / 2 * width;
    skyfarm_measure_columns(sorted, rows, width, &columns);
    add((double)skyfarm_find_rejecting(low, high, width, 1.5, &columns, rejecting));
    // The sign of NaN depends on the processor.
    for (int x = 0; x < width; x++) add(columns.deviation[x] >= 0 ? columns.deviation[x] : -1);
    skyfarm_admit_all(&columns, width);
    for (int round = 0; round < 3; round++) {
        skyfarm_sum_columns(values, rows, width, &columns);
        skyfarm_deviate_columns(values, rows, width, &columns);
        skyfarm_clip_columns(sorted, width, 1.5, &columns);
    }
    for (int x = 0; x < width; x++) add(columns.sum[x]), add(columns.low[x]);
    static double found[most * most + 1];
    ptrdiff_t found_count = 0, below = 0, finite = 0;
    skyfarm_gather_between(values, count, 1000, 30000, found, &found_count, &below, &finite);
    add_bytes(found, sizeof(double) * (size_t)found_count);
    add((double)below), add((double)finite);
    float medians[skyfarm_tile_width];
    skyfarm_middle_of_rows(low, high, width, medians);
    add_floats(medians, width);
}

static void test_kernel(long count) {
    static image i;
    for (long number = 0; number < count; number++) {
        state = (uint64_t)number;
        draw(&i);
        subtract_background(&i);
        extract(&i);
        test_stack(&i);
        test_numbers(&i);
    }
    report("kernel");
}
#else
static void test_kernel(long count) { (void)count; }
#endif

int main(int count, char **arguments) {
    sum = 0xcbf29ce484222325;
    test_functions(count > 1 ? atol(arguments[1]) : 10000);
    test_kernel(count > 2 ? atol(arguments[2]) : 100);
    return 0;
}
