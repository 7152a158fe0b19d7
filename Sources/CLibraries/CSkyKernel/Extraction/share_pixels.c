#include "extraction_steps.h"

#include "elementary.h"
#include "for_each_processor.h"

#include <math.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

#define inlined static inline __attribute__((always_inline))

// The pixels around the seed, as places of the map. Returns their number; -1 if memory is exhausted.
static int flood(deblender *d, branch which, size_t most) {
    const uint16_t *levels = d->levels.start;
    const int *numbers = d->numbers.start;
    uint8_t *added = d->added.start;
    int *found = SCRATCH(&d->waiting, int, most), count = 0;
    if (!found) return -1;
    found[count++] = ((const int *)d->places.start)[which.seed];
    added[found[0]] = 2;
    for (int done = 0; done < count; done++)
        for (int line = -d->stride; line <= d->stride; line += d->stride)
            for (int next = found[done] + line - 1; next <= found[done] + line + 1; next++)
                if (added[next] == 1 && levels[numbers[next]] >= which.level) {
                    added[next] = 2;
                    found[count++] = next;
                }
    for (int index = 0; index < count; index++) added[found[index]] = 1;
    return count;
}

// Where a labelled branch is listed.
typedef struct {
    const deblender *d;
    int *numbers;
    int left, top, count;
} listing;

static void list_runs(void *context, labeller *l, const run_list *region, int x, int y) {
    (void)x, (void)y;
    listing *to = context;
    const run *runs = labeller_runs(l);
    for (int index = region->first; index >= 0; index = runs[index].next) {
        const run *r = &runs[index];
        const int *line = (const int *)to->d->numbers.start + (size_t)(r->y + to->top) * to->d->stride + r->x + to->left;
        memcpy(to->numbers + to->count, line, sizeof(int) * (size_t)r->count);
        to->count += r->count;
    }
}

int list_branch(deblender *d, branch which, size_t most, int *numbers) {
    int count = flood(d, which, most);
    if (count < 0) return -1;
    const int *found = d->waiting.start;
    int left = d->stride, right = 0, top = d->lines, bottom = 0;
    for (int index = 0; index < count; index++) {
        int x = found[index] % d->stride, y = found[index] / d->stride;
        left = x < left ? x : left, right = x > right ? x : right;
        top = y < top ? y : top, bottom = y > bottom ? y : bottom;
    }
    labeller *l = &d->orders;
    l->words = (right - left + 1) / 64 + 1;
    size_t words = (size_t)l->words * (size_t)(bottom - top + 1);
    uint64_t *bits = SCRATCH(&d->bits, uint64_t, words);
    if (!bits) return -1;
    memset(bits, 0, words * sizeof *bits);
    for (int index = 0; index < count; index++) {
        int x = found[index] % d->stride - left, y = found[index] / d->stride - top;
        bits[(size_t)y * l->words + x / 64] |= (uint64_t)1 << x % 64;
    }
    listing to = {.d = d, .numbers = numbers, .left = left, .top = top};
    l->complete = list_runs;
    l->context = &to;
    for (int y = 0; y <= bottom - top; y++) labeller_row(l, bits + (size_t)y * l->words, y, 0);
    labeller_row(l, NULL, bottom - top + 1, 0);
    return l->failed ? -1 : to.count;
}

// What decides to which branch a pixel belongs: profiles of the branches; struct of arrays.
typedef struct {
    int count;
    double *x, *y;
    float *cxx, *cyy, *cxy, *abcor, *amplitude, *distance, *sum;
} profiles;

static bool profiles_open(deblender *d, profiles *p, int count) {
    size_t room = (size_t)count + 1;
    double *doubles = SCRATCH(&d->shares, double, 6 * room);
    if (!doubles) return false;
    float *floats = (float *)(doubles + 2 * room);
    *p = (profiles){
        .count = count, .x = doubles, .y = doubles + room, .cxx = floats, .cyy = floats + room, .cxy = floats + 2 * room,
        .abcor = floats + 3 * room, .amplitude = floats + 4 * room, .distance = floats + 5 * room,
        .sum = floats + 6 * room};
    return true;
}

static void set_profile(profiles *p, int index, const measures *m, float threshold) {
    p->x[index] = m->x, p->y[index] = m->y;
    p->cxx[index] = m->cxx, p->cyy[index] = m->cyy, p->cxy[index] = m->cxy, p->abcor[index] = m->abcor;
    double most = 4.0 * m->cpeak;
    float exponent = (float)(m->npix / (2 * M_PI * m->abcor * m->a * m->b));
    float amplitude = exponent < 70.0 ? threshold * skyfarm_expf(exponent) : (float)most;
    p->amplitude[index] = amplitude > most ? (float)most : amplitude;
}

// Distances of a pixel from all branches, in units of their sizes.
for_each_processor
static void set_distances(const profiles *p, int x, int y) {
    for (int index = 0; index < p->count; index++) {
        float dx = (float)(x - p->x[index]), dy = (float)(y - p->y[index]);
        float squared = p->cxx[index] * dx * dx + p->cyy[index] * dy * dy + p->cxy[index] * dx * dy;
        p->distance[index] = (float)(0.5 * squared / p->abcor[index]);
    }
}

// The branch of a pixel. SEP draws one with the profiles as probabilities; the fixed draw is 0x3fffffff, the middle of
// the range. `nearest` is the nearest branch of the last pixel that had one.
static int owner_of(const profiles *p, int x, int y, int *nearest) {
    set_distances(p, x, y);
    float least = 1e31f, sum = 0;
    for (int index = 0; index < p->count; index++) {
        float distance = p->distance[index];
        if (distance < 70.0) sum = (float)(sum + (double)(p->amplitude[index] * skyfarm_expf(-distance)));
        p->sum[index] = sum;
        if (distance < least) {
            least = distance;
            *nearest = index;
        }
    }
    if (!(sum > 1.0e-31)) return *nearest;
    float draw = sum * (float)0x3fffffff / (float)0x7fffffff;
    for (int index = 0; index < p->count; index++)
        if (!(p->sum[index] < draw)) return index;
    return *nearest;
}

static void pick(const pixel_list *from, const int *numbers, int count, pixel_list *list) {
    list->count = count;
    for (int index = 0; index < count; index++) {
        int number = numbers[index];
        list->x[index] = from->x[number], list->y[index] = from->y[number];
        list->value[index] = from->value[number], list->smooth[index] = from->smooth[number];
    }
}

// Lists and measures the branches themselves. `ends` gets the end of each one's pixels in `numbers`.
static bool measure_branches(
    deblender *d, const pixel_list *island, const branch *branches, int count, int *numbers, int *ends,
    measures *sources, pixel_list *list
) {
    const skyfarm_field *field = d->field;
    const float *thresholds = d->thresholds.start;
    int end = 0;
    for (int index = 0; index < count; index++) {
        int found = list_branch(d, branches[index], (size_t)island->count, numbers + end);
        if (found < 0) return false;
        measures *m = &sources[index];
        *m = (measures){.thresh = thresholds[branches[index].level], .flag = flag_merged};
        pick(island, numbers + end, found, list);
        measure_extent(list, m);
        if (touches_edge(field, m)) m->flag |= flag_truncated;
        measure_shape(field, list, m, false, 0);
        ends[index] = end += found;
    }
    return true;
}

bool share_island(
    deblender *d, const pixel_list *island, const measures *whole, const branch *branches, int count, emitter emit,
    void *context
) {
    size_t pixels = (size_t)island->count;
    int *owners = SCRATCH(&d->owners, int, 3 * pixels + (size_t)count), *numbers = owners + pixels;
    int *listed = numbers + pixels, *ends = listed + pixels;
    measures *sources = SCRATCH(&d->sources, measures, count);
    pixel_list list;
    profiles p;
    if (!owners || !sources || !pixel_list_of(&d->lists, &list, pixels) || !profiles_open(d, &p, count)) return false;
    if (!measure_branches(d, island, branches, count, numbers, ends, sources, &list)) return false;
    memset(owners, 0xff, sizeof(int) * pixels);
    for (int index = 0, rank = 0; index < count; index++) {
        set_profile(&p, index, &sources[index], whole->thresh);
        for (; rank < ends[index]; rank++) owners[numbers[rank]] = count;
    }
    int nearest = 0;
    for (int number = 0; number < island->count; number++)
        if (owners[number] < 0)
            owners[number] = owner_of(&p, island->x[number] + d->field->x, island->y[number] + d->field->y, &nearest);
    for (int index = 0, start = 0; index < count; start = ends[index++]) {
        int own = ends[index] - start;
        memcpy(listed, numbers + start, sizeof(int) * (size_t)own);
        for (int number = 0; number < island->count; number++)
            if (owners[number] == index) listed[own++] = number;
        pick(island, listed, own, &list);
        measures *m = &sources[index];
        m->thresh = whole->thresh;
        measure_extent(&list, m);
        measure_shape(d->field, &list, m, true, d->field->gain);
        if (!emit(context, &list, m)) return false;
    }
    return true;
}
