// Extraction under a noise map, where SEP 1.2.1 reads thresholds beyond the edges as 0, and the objects of a given map of
// segments, which it does not measure: both by Skyfarm's own kernel.
#include "cleaning.h"
#include "extraction_steps.h"
#include "objects.h"

#include <sep.h>
#include <stdlib.h>
#include <string.h>

// A catalogue with room for objects and their pixels; NULL if memory is exhausted.
static sep_catalog *new_catalog(int objects, size_t pixels) {
    sep_catalog *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    int is_made = (c->pix = calloc((size_t)objects + 1, sizeof *c->pix)) != NULL;
    is_made &= (c->objectspix = calloc(pixels + 1, sizeof *c->objectspix)) != NULL;
#define MAKE(column) is_made &= (c->column = calloc((size_t)objects + 1, sizeof *c->column)) != NULL;
    SKYFARM_COLUMNS(MAKE)
    if (is_made) return c;
    sep_catalog_free(c);
    return NULL;
}

// The sources that survive, as SEP's catalogue.
static sep_catalog *catalog_of(const skyfarm_sources *s, const unsigned char *survives) {
    size_t pixels = 0, place = 0;
    for (int i = 0; i < s->count; i++) pixels += (size_t)s->npix[i];
    sep_catalog *c = new_catalog(s->count, pixels);
    for (int i = 0; c && i < s->count; place += (size_t)s->npix[i++]) {
        if (!survives[i]) continue;
        int k = c->nobj++;
#define COPY(column) c->column[k] = s->column[i];
        SKYFARM_COLUMNS(COPY)
        c->pix[k] = c->objectspix + place;
        memcpy(c->pix[k], s->pixels + place, sizeof(int) * (size_t)s->npix[i]);
    }
    return c;
}

// As sep_extract with a noise map: masked pixels are 0 with a noise of 1e30, and the kernel is divided by its absolute sum,
// with odd sides, or NULL. Without cleaning, `power` is 0. Returns NULL if memory is exhausted.
sep_catalog *skyfarm_extract_under_map(const skyfarm_field *field, const skyfarm_detection *detection, double power) {
    skyfarm_sources *s = skyfarm_extract(field, detection);
    if (!s) return NULL;
    unsigned char *survives = malloc((size_t)s->count + 1);
    sep_catalog *result = NULL;
    if (survives) {
        memset(survives, 1, (size_t)s->count);
        skyfarm_columns columns = {s->count, s->x,     s->y,      s->a,     s->b,       s->cxx, s->cyy,
                                   s->cxy,   s->cflux, s->thresh, s->abcor, s->mthresh, s->npix};
        if (power <= 0 || !skyfarm_clean(&columns, power, field->width, field->height, survives))
            result = catalog_of(s, survives);
    }
    free(survives);
    skyfarm_release_sources(s);
    return result;
}

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

// The objects of `n` segments, whose pixels are listed one segment after another in the order of rows. The threshold is
// absolute unless the field has a noise map. Returns NULL if memory is exhausted.
sep_catalog *skyfarm_measure_segments(const skyfarm_field *field, const skyfarm_detection *detection,
                                      const int *pixels, const int *counts, int n) {
    size_t total = 0, place = 0;
    for (int i = 0; i < n; i++) total += (size_t)counts[i];
    sep_catalog *c = new_catalog(n, total);
    scratch memory = {0};
    pixel_list list;
    for (int i = 0; c && i < n; place += (size_t)counts[i++]) {
        if (!pixel_list_of(&memory, &list, (size_t)counts[i])) {
            sep_catalog_free(c);
            c = NULL;
            break;
        }
        measures m = {.thresh = list_segment(field, detection, pixels + place, counts[i], &list)};
        measure_extent(&list, &m);
        measure_shape(field, &list, &m, true, field->gain);
#define STORE(column) c->column[i] = m.column;
        SKYFARM_COLUMNS(STORE)
        c->pix[i] = c->objectspix + place;
        memcpy(c->pix[i], pixels + place, sizeof(int) * (size_t)counts[i]);
        c->nobj++;
    }
    free(memory.start);
    return c;
}
