// The objects of a given map of segments, which SEP 1.2.1 does not measure, by the steps of Skyfarm's kernel.
#include "extraction_steps.h"
#include "objects.h"

#include <stdlib.h>
#include <string.h>

// A pixel after the filter, summed in SEP's order; pixels outside the image count as 0.
static float filtered(const float *data, int w, int h, int pixel, const float *kernel, int kw, int kh) {
    if (!kernel) return data[pixel];
    int left = pixel % w - kw / 2, top = pixel / w - kh / 2;
    float sum = 0;
    for (int y = top < 0 ? -top : 0; y < kh && top + y < h; y++) {
        const float *line = data + (size_t)(top + y) * w;
        for (int x = left < 0 ? -left : 0; x < kw && left + x < w; x++) sum += kernel[y * kw + x] * line[left + x];
    }
    return sum;
}

// The pixels of a segment, and the mean of their thresholds, as in SEP 1.4.
static float list_segment(const skyfarm_field *f, const skyfarm_detection *d, const int *pixels, int count,
                          pixel_list *list) {
    double sum = 0;
    for (int k = 0; k < count; k++) {
        int pixel = pixels[k];
        list->x[k] = pixel % f->width, list->y[k] = pixel / f->width;
        list->value[k] = f->pixels[pixel];
        list->smooth[k] =
            filtered(f->pixels, f->width, f->height, pixel, d->kernel, d->kernel_width, d->kernel_height);
        sum += f->noise ? d->threshold * f->noise[pixel] : 0;
    }
    list->count = count;
    return f->noise ? (float)(sum / count) : d->threshold;
}

// Measures the objects of `n` segments, whose pixels are listed one segment after another in the order of rows. The
// threshold is absolute unless the field has a noise map. Returns 1 if memory is exhausted, otherwise 0.
int skyfarm_measure_segments(const skyfarm_field *field, const skyfarm_detection *detection, const int *pixels,
                             const int *counts, int n, skyfarm_object *objects) {
    size_t place = 0;
    scratch memory = {0};
    pixel_list list;
    int result = 0;
    for (int i = 0; i < n; place += (size_t)counts[i++]) {
        if (!pixel_list_of(&memory, &list, (size_t)counts[i])) {
            result = 1;
            break;
        }
        measures m = {.thresh = list_segment(field, detection, pixels + place, counts[i], &list)};
        measure_extent(&list, &m);
        measure_shape(field, &list, &m, true, field->gain);
#define STORE(column) objects[i].column = m.column;
        SKYFARM_COLUMNS(STORE)
    }
    free(memory.start);
    return result;
}
