#ifndef SKYFARM_EXTRACTION_STEPS_H
#define SKYFARM_EXTRACTION_STEPS_H

// The steps of skyfarm_extract, one file each. Every sum is taken in SEP's order and with SEP's types, since the last
// bits depend on both.

#include "extraction.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma STDC FP_CONTRACT OFF

// Memory that grows and is used again from island to island.
typedef struct {
    void *start;
    size_t bytes;
} scratch;

// At least `bytes` bytes, of which the first ones keep their content; NULL if memory is exhausted.
void *scratch_of(scratch *memory, size_t bytes);

#define SCRATCH(memory, type, count) ((type *)scratch_of(memory, sizeof(type) * (size_t)(count)))

// Rows of a field: smoothed samples, and which pixels are above the threshold.
typedef struct {
    const skyfarm_field *field;
    const skyfarm_detection *detection;
    float *smooth, *signal, *work;
    uint64_t *detected;
    int words;
    // The threshold of every pixel without a noise map.
    float threshold;
} row_filter;

bool row_filter_open(row_filter *filter, const skyfarm_field *field, const skyfarm_detection *detection);
void row_filter_close(row_filter *filter);
// Filters row `y` into `smooth`, and sets the bits of the pixels above the threshold in `detected`.
const float *row_filter_row(row_filter *filter, int y);
// The threshold at a pixel; 0 beyond the last row or column if the noise is a map, as in SEP.
float row_filter_threshold(const row_filter *filter, int x, int y);

// A horizontal run of detected pixels. An island is a linked list of runs, in the order in which SEP lists its pixels.
typedef struct {
    int next, x, y, count;
    // Place of the first pixel's smoothed sample.
    int sample;
} run;

// A list of runs: an island, or a part of one.
typedef struct {
    int pixels, first, last;
} run_list;

// Labels 8-connected regions row by row by Lutz' algorithm.
typedef struct labeller {
    int width, words;
    uint64_t *marked;
    char *mark, *statuses;
    run_list *open, *stored;
    int *starts, *ends;
    int depth, top;
    scratch runs;
    int run_count, free_run;
    bool failed;
    // Called with each region, at the pixel at which it is known to be complete.
    void (*complete)(void *context, struct labeller *labeller, const run_list *island, int x, int y);
    void *context;
} labeller;

bool labeller_open(labeller *l, int width);
void labeller_close(labeller *l);
static inline run *labeller_runs(const labeller *l) { return (run *)l->runs.start; }
// Adds row `y`, whose detected pixels are the bits of `detected`; NULL for none, with which the last row must be
// followed. Their smoothed samples are numbered from `sample`.
void labeller_row(labeller *l, const uint64_t *detected, int y, int sample);

// Pixels of an island or a source in SEP's order, in the coordinates of the field.
typedef struct {
    int count;
    int *x, *y;
    float *value, *smooth;
} pixel_list;

// An empty list with room for `count` pixels. False if memory is exhausted.
bool pixel_list_of(scratch *memory, pixel_list *list, size_t count);

// What is measured of a source, as in SEP.
typedef struct {
    float thresh, mthresh, abcor;
    int npix, tnpix, xmin, xmax, ymin, ymax;
    double x, y, x2, y2, xy, errx2, erry2, errxy;
    float a, b, theta, cxx, cyy, cxy, cflux, flux, cpeak, peak;
    int xcpeak, ycpeak, xpeak, ypeak;
    short flag;
} measures;

enum { flag_merged = 1, flag_truncated = 2, flag_singular = 8 };

static inline bool touches_edge(const skyfarm_field *field, const measures *m) {
    return m->xmin == 0 || m->ymin == 0 || m->xmax == field->width - 1 || m->ymax == field->height - 1;
}

// Sets number, box, sum and peaks.
void measure_extent(const pixel_list *list, measures *m);
// Sets the moments and what follows from them. A merged source keeps its barycentre if `keeps_centre`.
void measure_shape(const skyfarm_field *field, const pixel_list *list, measures *m, bool keeps_centre, double gain);
// The excess over the threshold that SEP's cleaning uses. `heap` holds `least_area` floats.
float measure_excess(const row_filter *filter, const pixel_list *list, int least_area, float *heap);

// A branch of an island: the connected pixels around `seed` that are above the threshold of `level`.
typedef struct {
    // Index of a pixel in the island's list.
    int seed;
    int level;
} branch;

// The map of an island, and the memory that deblending uses again from island to island.
typedef struct {
    const skyfarm_field *field;
    const skyfarm_detection *detection;
    labeller orders;
    // Bounding box with a border of one pixel: position of its corner in the field, and its size.
    int left, top, stride, lines;
    // Place of each of the island's pixels in the map, and its level; number of the pixel at each place, and whether it was
    // added to the components: 0 no, 1 yes, 2 yes and visited.
    scratch places, levels, numbers, added;
    scratch thresholds, bucket_ends, sorted;
    scratch components, joins, children, branches, ranks, order;
    scratch bits, waiting, lists, owners, shares, sources;
    int join_count, child_count, branch_count;
} deblender;

bool deblender_open(deblender *d, const skyfarm_field *field, const skyfarm_detection *detection);
void deblender_close(deblender *d);
// Finds the branches of an island, in SEP's order, by one pass over its pixels from the highest level to the lowest.
// Returns their number: 0 if the island is one source, -1 if memory is exhausted.
int find_branches(deblender *d, const pixel_list *island, const measures *whole, const branch **result);
// Lists the pixels of a branch, at most `most`, in SEP's order: their numbers in the island. Returns their count; -1 if
// memory is exhausted.
int list_branch(deblender *d, branch which, size_t most, int *numbers);
// Takes a source and its pixels. False if memory is exhausted.
typedef bool (*emitter)(void *context, const pixel_list *list, measures *m);
// Divides an island into its branches, and emits each source, in SEP's order. False if memory is exhausted.
bool share_island(
    deblender *d, const pixel_list *island, const measures *whole, const branch *branches, int count, emitter emit,
    void *context);

#endif
