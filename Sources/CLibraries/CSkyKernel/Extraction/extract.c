#include "extraction_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

void *scratch_of(scratch *memory, size_t bytes) {
    if (bytes <= memory->bytes && memory->start) return memory->start;
    size_t wanted = bytes > 2 * memory->bytes ? bytes : 2 * memory->bytes;
    if (wanted < 4096) wanted = 4096;
    void *start = realloc(memory->start, wanted);
    if (!start) return NULL;
    memory->start = start;
    memory->bytes = wanted;
    return start;
}

bool pixel_list_of(scratch *memory, pixel_list *list, size_t count) {
    char *start = scratch_of(memory, count * 2 * (sizeof(int) + sizeof(float)));
    if (!start) return false;
    list->count = 0;
    list->x = (int *)start, list->y = list->x + count;
    list->value = (float *)(list->y + count), list->smooth = list->value + count;
    return true;
}

// The columns of the result, with the size of their elements.
#define COLUMNS(apply)                                                                                                 \
    apply(thresh) apply(npix) apply(tnpix) apply(xmin) apply(xmax) apply(ymin) apply(ymax) apply(x) apply(y) apply(x2) \
    apply(y2) apply(xy) apply(errx2) apply(erry2) apply(errxy) apply(a) apply(b) apply(theta) apply(cxx) apply(cyy)    \
    apply(cxy) apply(cflux) apply(flux) apply(cpeak) apply(peak) apply(xcpeak) apply(ycpeak) apply(xpeak) apply(ypeak) \
    apply(flag) apply(abcor) apply(mthresh)

typedef struct {
    const skyfarm_field *field;
    const skyfarm_detection *detection;
    row_filter filter;
    labeller islands;
    deblender deblender;
    scratch samples, list, heap;
    skyfarm_sources *sources;
    int room, island_room;
    scratch pixels;
    size_t pixel_count;
    bool failed;
} extraction;

static bool make_room(extraction *e) {
    skyfarm_sources *s = e->sources;
    if (s->count < e->room) return true;
    size_t room = (size_t)(e->room = e->room > 0 ? 2 * e->room : 256);
#define GROW(column)                                                                                                   \
    {                                                                                                                  \
        void *grown = realloc(s->column, room * sizeof *s->column);                                                    \
        if (!grown) return false;                                                                                      \
        s->column = grown;                                                                                             \
    }
    COLUMNS(GROW)
    return true;
}

static bool store_source(extraction *e, const pixel_list *list, const measures *m) {
    skyfarm_sources *s = e->sources;
    int *pixels = SCRATCH(&e->pixels, int, e->pixel_count + (size_t)list->count);
    if (!pixels || !make_room(e)) return false;
    int index = s->count++;
#define STORE(column) s->column[index] = m->column;
    COLUMNS(STORE)
    pixels += e->pixel_count;
    for (int rank = 0; rank < list->count; rank++) pixels[rank] = list->y[rank] * e->field->width + list->x[rank];
    e->pixel_count += (size_t)list->count;
    return true;
}

static bool emit_source(void *context, const pixel_list *list, measures *m) {
    extraction *e = context;
    float *heap = SCRATCH(&e->heap, float, e->detection->least_area);
    if (!heap) return false;
    m->mthresh = measure_excess(&e->filter, list, e->detection->least_area, heap);
    return store_source(e, list, m);
}

static bool close_island(extraction *e) {
    skyfarm_sources *s = e->sources;
    if (s->island_count == e->island_room) {
        e->island_room = e->island_room > 0 ? 2 * e->island_room : 256;
        int *grown = realloc(s->island_end, sizeof(int) * (size_t)e->island_room);
        if (!grown) return false;
        s->island_end = grown;
    }
    s->island_end[s->island_count++] = s->count;
    return true;
}

// Lists the pixels of an island in SEP's order.
static void list_island(const extraction *e, const run_list *island, pixel_list *list) {
    const run *runs = labeller_runs(&e->islands);
    const float *samples = e->samples.start;
    int count = 0;
    for (int index = island->first; index >= 0; index = runs[index].next) {
        const run *r = &runs[index];
        memcpy(list->value + count, e->field->pixels + (size_t)r->y * e->field->width + r->x,
               sizeof(float) * (size_t)r->count);
        memcpy(list->smooth + count, samples + r->sample, sizeof(float) * (size_t)r->count);
        for (int offset = 0; offset < r->count; offset++, count++) list->x[count] = r->x + offset, list->y[count] = r->y;
    }
    list->count = count;
}

static bool is_wanted(const extraction *e, const measures *m) {
    const skyfarm_detection *d = e->detection;
    int x = e->field->x, y = e->field->y;
    return !d->is_wanted || d->is_wanted(d->context, x + m->xmin, x + m->xmax, y + m->ymin, y + m->ymax);
}

static bool add_island(extraction *e, const run_list *island, float threshold) {
    pixel_list list;
    if (!pixel_list_of(&e->list, &list, (size_t)island->pixels)) return false;
    list_island(e, island, &list);
    measures m = {.thresh = threshold};
    measure_extent(&list, &m);
    if (!is_wanted(e, &m)) return store_source(e, &list, &m) && close_island(e);
    if (touches_edge(e->field, &m)) m.flag = flag_truncated;
    const branch *branches;
    int count = find_branches(&e->deblender, &list, &m, &branches);
    if (count < 0) return false;
    if (count > 0) {
        if (!share_island(&e->deblender, &list, &m, branches, count, emit_source, e)) return false;
    } else {
        measure_shape(e->field, &list, &m, true, e->field->gain);
        if (!emit_source(e, &list, &m)) return false;
    }
    return close_island(e);
}

// The noise of masked pixels.
static const float masked_noise = 1e30f;

// The lowest threshold of the pixels of an island, which all of them exceed.
static float lowest_threshold(const extraction *e, const run_list *island) {
    if (!e->field->noise) return e->filter.threshold;
    const run *runs = labeller_runs(&e->islands);
    float lowest = INFINITY;
    for (int index = island->first; index >= 0; index = runs[index].next)
        for (int x = runs[index].x; x < runs[index].x + runs[index].count; x++) {
            float threshold = row_filter_threshold(&e->filter, x, runs[index].y);
            if (threshold < lowest) lowest = threshold;
        }
    return lowest;
}

static void complete_island(void *context, labeller *l, const run_list *island, int x, int y) {
    (void)l;
    extraction *e = context;
    if (e->failed || island->pixels < e->detection->least_area) return;
    float behind = row_filter_threshold(&e->filter, x, y);
    int rule = e->detection->threshold_of;
    bool is_behind = rule == skyfarm_threshold_with_faults
        || (rule == skyfarm_threshold_behind && behind > 0 && behind < e->detection->threshold * masked_noise);
    e->failed = !add_island(e, island, is_behind ? behind : lowest_threshold(e, island));
}

// Appends the smoothed samples of the detected pixels of a row.
static bool keep_samples(extraction *e, const float *line, size_t *count) {
    size_t found = 0;
    for (int index = 0; index < e->filter.words; index++) found += (size_t)__builtin_popcountll(e->filter.detected[index]);
    if (found == 0) return true;
    float *samples = SCRATCH(&e->samples, float, *count + found);
    if (!samples) return false;
    samples += *count;
    for (int index = 0; index < e->filter.words; index++)
        for (uint64_t bits = e->filter.detected[index]; bits != 0; bits &= bits - 1)
            *samples++ = line[64 * index + __builtin_ctzll(bits)];
    *count += found;
    return true;
}

static bool extract_rows(extraction *e) {
    size_t count = 0;
    e->islands.complete = complete_island;
    e->islands.context = e;
    for (int y = 0; y < e->field->height; y++) {
        const float *line = row_filter_row(&e->filter, y);
        int first = (int)count;
        if (!keep_samples(e, line, &count)) return false;
        labeller_row(&e->islands, e->filter.detected, y, first);
        if (e->failed || e->islands.failed) return false;
    }
    labeller_row(&e->islands, NULL, e->field->height, 0);
    return !e->failed && !e->islands.failed;
}

skyfarm_sources *skyfarm_extract(const skyfarm_field *field, const skyfarm_detection *detection) {
    extraction e = {.field = field, .detection = detection, .sources = calloc(1, sizeof *e.sources)};
    bool is_done = e.sources && row_filter_open(&e.filter, field, detection) && labeller_open(&e.islands, field->width)
        && deblender_open(&e.deblender, field, detection) && extract_rows(&e);
    row_filter_close(&e.filter);
    labeller_close(&e.islands);
    deblender_close(&e.deblender);
    free(e.samples.start), free(e.list.start), free(e.heap.start);
    if (is_done) {
        e.sources->pixels = e.pixels.start;
        return e.sources;
    }
    free(e.pixels.start);
    skyfarm_release_sources(e.sources);
    return NULL;
}

void skyfarm_release_sources(skyfarm_sources *sources) {
    if (!sources) return;
#define RELEASE(column) free(sources->column);
    COLUMNS(RELEASE)
    free(sources->pixels), free(sources->island_end);
    free(sources);
}
