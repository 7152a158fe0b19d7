#include "extraction_steps.h"

#include "for_each_processor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

#define inlined static inline __attribute__((always_inline))

#ifdef __clang__
enum { lanes = 16, word = 64 };
typedef float floats __attribute__((ext_vector_type(lanes), aligned(4)));
typedef _Bool flags __attribute__((ext_vector_type(lanes)));
#else
// The Python package is built by any compiler.
enum { lanes = 1, word = 64 };
typedef float floats;
#endif

bool row_filter_open(row_filter *filter, const skyfarm_field *field, const skyfarm_detection *detection) {
    size_t width = (size_t)field->width;
    *filter = (row_filter){
        .field = field, .detection = detection, .words = (int)(width / word) + 1,
        .threshold = detection->threshold * field->global_noise,
    };
    filter->detected = calloc((size_t)filter->words, sizeof(uint64_t));
    if (detection->kernel) filter->smooth = malloc(width * sizeof(float));
    if (detection->is_matched) {
        filter->signal = malloc(width * sizeof(float));
        filter->work = malloc(width * sizeof(float));
    }
    return filter->detected && (!detection->kernel || filter->smooth)
        && (!detection->is_matched || (filter->signal && filter->work));
}

void row_filter_close(row_filter *filter) {
    free(filter->smooth), free(filter->signal), free(filter->work), free(filter->detected);
}

float row_filter_threshold(const row_filter *filter, int x, int y) {
    const skyfarm_field *field = filter->field;
    if (!field->noise) return filter->threshold;
    if (x >= field->width || y >= field->height) return filter->detection->threshold * 0.0f;
    return filter->detection->threshold * field->noise[(size_t)y * field->width + x];
}

// The part of the kernel that lies over rows of the field.
typedef struct {
    const float *kernel, *pixels, *noise;
    int width, rows, reach;
    int field_width;
} taps;

inlined taps taps_of_row(const row_filter *filter, int y) {
    const skyfarm_field *field = filter->field;
    const skyfarm_detection *detection = filter->detection;
    int top = y - detection->kernel_height / 2, skipped = top < 0 ? -top : 0, rows = detection->kernel_height - skipped;
    if (top + skipped + rows > field->height) rows = field->height - top - skipped;
    size_t first = (size_t)(top + skipped) * field->width;
    return (taps){
        .kernel = detection->kernel + skipped * detection->kernel_width, .pixels = field->pixels + first,
        .noise = field->noise ? field->noise + first : NULL, .width = detection->kernel_width, .rows = rows,
        .reach = detection->kernel_width / 2, .field_width = field->width,
    };
}

// The smoothed sample of one column; pixels outside the field are left out.
inlined float smoothed(const taps *t, int x) {
    float sum = 0;
    for (int row = 0; row < t->rows; row++)
        for (int column = 0; column < t->width; column++) {
            int place = x + column - t->reach;
            if (place < 0 || place >= t->field_width) continue;
            sum += t->kernel[row * t->width + column] * t->pixels[(size_t)row * t->field_width + place];
        }
    return sum;
}

// `width` is the kernel's, a constant where the compiler shall unroll the loop.
inlined void smooth_inside(const taps *t, float *out, int first, int end, int width) {
    for (int x = first; x < end; x += lanes) {
        // The last vector overlaps the one before.
        int at = x > end - lanes ? end - lanes : x;
        floats sum = 0;
        for (int row = 0; row < t->rows; row++) {
            const float *line = t->pixels + (size_t)row * t->field_width + at - t->reach, *kernel = t->kernel + row * width;
            for (int column = 0; column < width; column++) sum += kernel[column] * *(const floats *)(line + column);
        }
        *(floats *)(out + at) = sum;
    }
}

inlined void smooth_row(const taps *t, float *out) {
    int first = t->reach, end = t->field_width - t->reach;
    if (end - first < lanes) first = end = t->field_width;
    for (int x = 0; x < first; x++) out[x] = smoothed(t, x);
    if (first < end) {
        if (t->width == 3)
            smooth_inside(t, out, first, end, 3);
        else
            smooth_inside(t, out, first, end, t->width);
    }
    for (int x = end; x < t->field_width; x++) out[x] = smoothed(t, x);
}

// The matched filter: sums weighted by the variance, in single precision, and their ratio in double precision.
inlined void match_row(const taps *t, float *out, float *work) {
    memset(out, 0, (size_t)t->field_width * sizeof *out);
    memset(work, 0, (size_t)t->field_width * sizeof *work);
    for (int row = 0; row < t->rows; row++)
        for (int column = 0; column < t->width; column++) {
            float factor = t->kernel[row * t->width + column], square = factor * factor;
            int shift = column - t->reach, first = shift < 0 ? -shift : 0;
            int end = shift > 0 ? t->field_width - shift : t->field_width;
            const float *pixels = t->pixels + (size_t)row * t->field_width + shift;
            const float *noise = t->noise + (size_t)row * t->field_width + shift;
            for (int x = first; x < end; x++) {
                float variance = noise[x] * noise[x];
                float above = out[x] + factor * pixels[x] / variance, below = work[x] + square / variance;
                out[x] = variance != 0 ? above : out[x];
                work[x] = variance != 0 ? below : work[x];
            }
        }
    for (int x = 0; x < t->field_width; x++) out[x] = (float)((double)out[x] / sqrt((double)work[x]));
}

// By reference: the ABI of passing vectors by value depends on the target processor.
inlined uint64_t bits_of(const float *values, const floats *limits) {
#ifdef __clang__
    flags above = __builtin_convertvector(*(const floats *)values > *limits, flags);
    uint16_t bits;
    memcpy(&bits, &above, sizeof bits);
    return bits;
#else
    return *values > *limits;
#endif
}

// Sets the bits of values above `limit`, or above `factor` times the noise.
inlined void detect(const float *values, const float *noise, float factor, float limit, int count, uint64_t *bits) {
    int x = 0;
    for (; x <= count - word; x += word) {
        uint64_t found = 0;
        for (int part = 0; part < word; part += lanes) {
            floats limits = limit;
            if (noise) limits = factor * *(const floats *)(noise + x + part);
            found |= bits_of(values + x + part, &limits) << part;
        }
        bits[x / word] = found;
    }
    uint64_t found = 0;
    for (int rest = x; rest < count; rest++)
        found |= (uint64_t)(values[rest] > (noise ? factor * noise[rest] : limit)) << (rest - x);
    bits[x / word] = found;
}

for_each_processor
const float *row_filter_row(row_filter *filter, int y) {
    const skyfarm_field *field = filter->field;
    const skyfarm_detection *detection = filter->detection;
    const float *line = field->pixels + (size_t)y * field->width;
    const float *noise = field->noise ? field->noise + (size_t)y * field->width : NULL;
    if (detection->kernel) {
        taps t = taps_of_row(filter, y);
        smooth_row(&t, filter->smooth);
        line = filter->smooth;
        if (detection->is_matched) {
            match_row(&t, filter->signal, filter->work);
            detect(filter->signal, NULL, 0, detection->threshold, field->width, filter->detected);
            return line;
        }
    }
    if (noise)
        detect(line, noise, detection->threshold, 0, field->width, filter->detected);
    else
        detect(line, NULL, 0, filter->threshold, field->width, filter->detected);
    return line;
}
