#include "CStopwatch.h"

#include <stdatomic.h>
#include <time.h>

#include "cskykernel.h"

// The linker (--wrap) directs calls of these functions, from everywhere, to the ones here. Each calls the function that was
// meant and adds its duration, so that the product needs no timers.

static _Atomic long long background_time, extract_time, measure_time, read_time;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

#define TIMED(total, result, name, declaration, arguments)                                                       \
    result __real_##name declaration;                                                                            \
    result __wrap_##name declaration;                                                                            \
    result __wrap_##name declaration {                                                                           \
        long long start = now();                                                                                 \
        result value = __real_##name arguments;                                                                  \
        atomic_fetch_add_explicit(&total, now() - start, memory_order_relaxed);                                  \
        return value;                                                                                            \
    }

TIMED(background_time, int, skyfarm_measure_meshes,
      (const float *pixels, const uint8_t *mask, int all_usable, int width, int height, int mesh_width, int mesh_height,
       float *levels, float *noises),
      (pixels, mask, all_usable, width, height, mesh_width, mesh_height, levels, noises))
TIMED(background_time, int, skyfarm_smooth_meshes,
      (const skyfarm_mesh_filter *filter, const float *values, float *smoothed, float *bends, float *median),
      (filter, values, smoothed, bends, median))
TIMED(background_time, int, skyfarm_spline_row,
      (skyfarm_spline_line *line, const skyfarm_spline *spline, int y, const float *pixels, float *out),
      (line, spline, y, pixels, out))
TIMED(extract_time, skyfarm_sources *, skyfarm_extract,
      (const skyfarm_field *field, const skyfarm_detection *detection), (field, detection))
TIMED(measure_time, skyfarm_kron, skyfarm_kron_radius,
      (const skyfarm_field *field, const uint8_t *mask, double x, double y, const skyfarm_ellipse *ellipse, double r),
      (field, mask, x, y, ellipse, r))
TIMED(measure_time, skyfarm_flux, skyfarm_sum_ellipse,
      (const skyfarm_field *field, const uint8_t *mask, double x, double y, const skyfarm_ellipse *ellipse, double r),
      (field, mask, x, y, ellipse, r))
TIMED(measure_time, skyfarm_flux, skyfarm_sum_circle,
      (const skyfarm_field *field, const uint8_t *mask, double x, double y, double r), (field, mask, x, y, r))
TIMED(measure_time, double, skyfarm_half_flux_radius,
      (const float *pixels, int left, int top, int width, int height, double x, double y, double limit),
      (pixels, left, top, width, height, x, y, limit))
TIMED(measure_time, double, skyfarm_ring_radius,
      (const skyfarm_field *field, const uint8_t *mask, double x, double y, double limit, const double *target),
      (field, mask, x, y, limit, target))
// CFITSIO's reading of 32-bit floats from a plain image; their bytes are swapped elsewhere.
TIMED(read_time, int, ffgtbb,
      (void *file, long long row, long long byte, long long count, unsigned char *bytes, int *status),
      (file, row, byte, count, bytes, status))

void stopwatch_reset(void) {
    background_time = extract_time = measure_time = read_time = 0;
}

stopwatch_times stopwatch_read(void) {
    return (stopwatch_times){background_time, extract_time, measure_time, read_time};
}
