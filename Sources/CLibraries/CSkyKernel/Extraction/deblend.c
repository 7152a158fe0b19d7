#include "extraction_steps.h"

#include "elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

// SEP labels the pixels above each of the levels, within each branch of the level below, and keeps the branches of a
// level at which at least two have enough flux. The same tree arises from the other side: pixels are added from the
// highest level to the lowest, and components that touch are joined. A component that one level leaves as it is needs no
// work there.

// A set of connected pixels: an element of a disjoint-set forest, one per pixel of the island.
typedef struct {
    int parent;
    int count;
    double flux;
    // Last pixel in raster order, as a place of the map. SEP's order of a level's branches.
    int key;
    // Whether no split lies below: only then SEP makes the component a branch.
    bool is_whole;
    // The join below; -1 if there is none.
    int join;
    // The level at which it was changed last, and the list of its parts before that: first and last child.
    int touched, first_child, last_child;
} component;

// A part of a join, as it was one level above.
typedef struct {
    int next;
    int key, count;
    double flux;
    bool is_whole;
    int join;
    int seed;
} child;

// Components of `level` + 1 that are joined at `level`.
typedef struct {
    int level, first_child;
    bool is_split;
} join;

// Components with fewer pixels are not branches.
static int least_branch(const deblender *d) { return d->detection->least_area < 3 ? d->detection->least_area : 3; }

bool deblender_open(deblender *d, const skyfarm_field *field, const skyfarm_detection *detection) {
    *d = (deblender){.field = field, .detection = detection};
    return labeller_open(&d->orders, field->width + 2);
}

void deblender_close(deblender *d) {
    labeller_close(&d->orders);
    scratch *all[] = {&d->places, &d->added, &d->levels, &d->numbers, &d->thresholds, &d->bucket_ends, &d->sorted, &d->components,
                      &d->joins, &d->children, &d->branches, &d->ranks, &d->order, &d->bits, &d->waiting, &d->lists, &d->owners,
                      &d->shares, &d->sources};
    for (size_t index = 0; index < sizeof all / sizeof *all; index++) free(all[index]->start);
}

// The thresholds of the levels, which rise from the island's threshold to its peak; level 0 is the island itself.
static bool set_thresholds(deblender *d, const measures *whole) {
    int count = d->detection->levels;
    float *thresholds = SCRATCH(&d->thresholds, float, count);
    if (!thresholds) return false;
    double low = whole->thresh, high = whole->cpeak;
    thresholds[0] = whole->thresh;
    enum { most = 64 };
    double exponents[most], powers[most];
    for (int first = 1; first < count; first += most) {
        int some = count - first < most ? count - first : most;
        for (int index = 0; index < some; index++) exponents[index] = (double)(first + index) / count;
        if (high > 0.0) skyfarm_powers(high / low, exponents, powers, some);
        for (int index = 0; index < some; index++)
            thresholds[first + index] = (float)(high > 0.0 ? low * powers[index] : low);
    }
    return true;
}

// Number of levels above the island whose thresholds a sample exceeds.
static int level_of(const float *thresholds, int count, float smooth) {
    int low = 0, high = count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (smooth > thresholds[middle])
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Maps the island's pixels, and sorts them by level. Returns false if memory is exhausted.
static bool map_island(deblender *d, const pixel_list *island, const measures *whole) {
    int count = d->detection->levels;
    d->left = whole->xmin - 1, d->top = whole->ymin - 1;
    d->stride = whole->xmax - whole->xmin + 3, d->lines = whole->ymax - whole->ymin + 3;
    size_t area = (size_t)d->stride * d->lines;
    uint8_t *added = SCRATCH(&d->added, uint8_t, area);
    uint16_t *levels = SCRATCH(&d->levels, uint16_t, island->count);
    int *numbers = SCRATCH(&d->numbers, int, area), *places = SCRATCH(&d->places, int, island->count);
    int *ends = SCRATCH(&d->bucket_ends, int, count + 1), *sorted = SCRATCH(&d->sorted, int, island->count);
    if (!added || !levels || !numbers || !places || !ends || !sorted) return false;
    const float *thresholds = d->thresholds.start;
    memset(added, 0, area);
    memset(ends, 0, sizeof(int) * ((size_t)count + 1));
    for (int index = 0; index < island->count; index++) {
        int place = (island->y[index] - d->top) * d->stride + island->x[index] - d->left;
        int level = level_of(thresholds, count, island->smooth[index]);
        places[index] = place;
        numbers[place] = index;
        levels[index] = (uint16_t)level;
        ends[level + 1]++;
    }
    for (int level = 0; level < count; level++) ends[level + 1] += ends[level];
    // Afterwards, ends[l] is the end of level l in `sorted`, and that of the level below is its start.
    for (int index = 0; index < island->count; index++) sorted[ends[levels[index]]++] = index;
    return true;
}

static int root_of(component *all, int index) {
    while (all[index].parent != index) {
        int next = all[all[index].parent].parent;
        all[index].parent = next;
        index = next;
    }
    return index;
}

// Notes what the component was before this level, unless it was noted or is new.
static bool touch(deblender *d, component *c, int level, int least) {
    if (c->touched == level) return true;
    c->touched = level;
    c->first_child = c->last_child = -1;
    if (c->count < least) return true;
    child *children = SCRATCH(&d->children, child, d->child_count + 1);
    if (!children) return false;
    children[d->child_count] = (child){
        .next = -1, .key = c->key, .count = c->count, .flux = c->flux, .is_whole = c->is_whole, .join = c->join,
        .seed = ((const int *)d->numbers.start)[c->key]};
    c->first_child = c->last_child = d->child_count++;
    return true;
}

static bool unite(deblender *d, component *all, int one, int other, int level, int least) {
    if (!touch(d, &all[one], level, least) || !touch(d, &all[other], level, least)) return false;
    if (all[one].count < all[other].count) {
        int swapped = one;
        one = other;
        other = swapped;
    }
    component *into = &all[one], *from = &all[other];
    from->parent = one;
    into->count += from->count;
    into->flux += from->flux;
    if (from->key > into->key) into->key = from->key;
    if (from->first_child >= 0) {
        child *children = d->children.start;
        if (into->first_child < 0)
            into->first_child = from->first_child;
        else
            children[into->last_child].next = from->first_child;
        into->last_child = from->last_child;
    }
    return true;
}

static bool add_pixel(deblender *d, component *all, const pixel_list *island, int index, int level, int least) {
    uint8_t *added = d->added.start;
    const int *numbers = d->numbers.start;
    int place = ((const int *)d->places.start)[index], own = index;
    all[index] = (component){
        .parent = index, .count = 1, .flux = island->smooth[index], .key = place, .is_whole = true, .join = -1,
        .touched = level, .first_child = -1, .last_child = -1};
    const int around[8] = {-d->stride - 1, -d->stride, -d->stride + 1, -1, 1, d->stride - 1, d->stride, d->stride + 1};
    for (int side = 0; side < 8; side++) {
        int next = place + around[side];
        if (!added[next]) continue;
        int other = root_of(all, numbers[next]);
        if (other == own) continue;
        if (!unite(d, all, own, other, level, least)) return false;
        own = root_of(all, own);
    }
    added[place] = 1;
    return true;
}

// Flux of a branch above its threshold, in SEP's types.
static bool exceeds(double flux, float threshold, int count, double needed) {
    return (double)((float)flux - threshold * (float)count) > needed;
}

// The flux of a branch, summed in SEP's order. Its pixels are listed for that only if the order could matter.
static int has_enough_flux(deblender *d, const child *c, int level, double needed, const pixel_list *island) {
    float threshold = ((const float *)d->thresholds.start)[level];
    // All samples are positive: the relative error of a sum is at most the number of its terms times 2^-53.
    bool low = exceeds(c->flux * (1 - 1e-8), threshold, c->count, needed);
    bool high = exceeds(c->flux * (1 + 1e-8), threshold, c->count, needed);
    if (low == high) return low;
    int *numbers = SCRATCH(&d->order, int, c->count);
    if (!numbers) return -1;
    int count = list_branch(d, (branch){.seed = c->seed, .level = level}, (size_t)c->count, numbers);
    if (count < 0) return -1;
    double sum = 0;
    for (int index = 0; index < count; index++) sum += island->smooth[numbers[index]];
    return exceeds(sum, threshold, count, needed);
}

// Sorts a list of parts by their keys; returns its first element.
static int sort_children(child *children, int first) {
    if (first < 0 || children[first].next < 0) return first;
    int slow = first;
    for (int fast = children[first].next; fast >= 0 && (fast = children[fast].next) >= 0; fast = children[fast].next)
        slow = children[slow].next;
    int second = children[slow].next, merged = -1, *link = &merged;
    children[slow].next = -1;
    int left = sort_children(children, first), right = sort_children(children, second);
    while (left >= 0 && right >= 0) {
        int *lesser = children[left].key < children[right].key ? &left : &right;
        *link = *lesser;
        link = &children[*lesser].next;
        *lesser = *link;
    }
    *link = left >= 0 ? left : right;
    return merged;
}

// Completes a join: orders its parts, and decides whether it is a split. Returns its index; -1 if memory is exhausted.
static int add_join(deblender *d, int first, int level, double needed, const pixel_list *island) {
    child *children = d->children.start;
    int sorted = sort_children(children, first);
    int strong = 0;
    for (int index = sorted; index >= 0; index = children[index].next) {
        int enough = has_enough_flux(d, &children[index], level + 1, needed, island);
        if (enough < 0) return -1;
        strong += enough;
    }
    join *joins = SCRATCH(&d->joins, join, d->join_count + 1);
    if (!joins) return -1;
    joins[d->join_count] = (join){.level = level, .first_child = sorted, .is_split = strong > 1};
    return d->join_count++;
}

static bool close_component(deblender *d, component *c, int level, double needed, const pixel_list *island) {
    const child *children = d->children.start;
    int first = c->first_child;
    c->touched = -1;
    c->first_child = -1;
    c->is_whole = true;
    c->join = -1;
    if (first < 0) return true;
    if (children[first].next < 0) {
        c->is_whole = children[first].is_whole;
        c->join = children[first].join;
        return true;
    }
    for (int index = first; index >= 0; index = children[index].next) c->is_whole &= children[index].is_whole;
    c->join = add_join(d, first, level, needed, island);
    if (c->join < 0) return false;
    if (((const join *)d->joins.start)[c->join].is_split) c->is_whole = false;
    return true;
}

// Numbers the joins below `index`, a join before those of its parts, which are visited in order.
static void rank_joins(const deblender *d, int index, int *ranks, int *count) {
    ranks[(*count)++] = index;
    const child *children = d->children.start;
    for (int part = ((const join *)d->joins.start)[index].first_child; part >= 0; part = children[part].next)
        if (children[part].join >= 0) rank_joins(d, children[part].join, ranks, count);
}

// Collects the branches of all splits: from the highest level to the lowest, in the order of their joins.
static bool collect_branches(deblender *d, int top, double needed, const pixel_list *island) {
    const join *joins = d->joins.start;
    const child *children = d->children.start;
    int *ranks = SCRATCH(&d->ranks, int, d->join_count), count = 0;
    if (!ranks) return false;
    rank_joins(d, top, ranks, &count);
    for (int level = d->detection->levels - 2; level >= 0; level--)
        for (int rank = 0; rank < count; rank++) {
            const join *j = &joins[ranks[rank]];
            if (j->level != level || !j->is_split) continue;
            for (int part = j->first_child; part >= 0; part = children[part].next) {
                int enough = !children[part].is_whole ? 0 : has_enough_flux(d, &children[part], level + 1, needed, island);
                if (enough < 0) return false;
                if (!enough) continue;
                branch *branches = SCRATCH(&d->branches, branch, d->branch_count + 1);
                if (!branches) return false;
                branches[d->branch_count++] = (branch){.seed = children[part].seed, .level = level + 1};
            }
        }
    return true;
}

int find_branches(deblender *d, const pixel_list *island, const measures *whole, const branch **result) {
    int levels = d->detection->levels, least = least_branch(d);
    d->join_count = d->child_count = d->branch_count = 0;
    // Two branches are needed.
    if (levels < 2 || island->count < 2 * least) return 0;
    if (!set_thresholds(d, whole) || !map_island(d, island, whole)) return -1;
    component *all = SCRATCH(&d->components, component, island->count);
    if (!all) return -1;
    double needed = whole->cflux * d->detection->contrast;
    const int *ends = d->bucket_ends.start, *sorted = d->sorted.start;
    for (int level = levels - 1; level >= 1; level--) {
        for (int rank = ends[level - 1]; rank < ends[level]; rank++)
            if (!add_pixel(d, all, island, sorted[rank], level, least)) return -1;
        for (int rank = ends[level - 1]; rank < ends[level]; rank++) {
            component *c = &all[root_of(all, sorted[rank])];
            if (c->touched == level && !close_component(d, c, level, needed, island)) return -1;
        }
    }
    // The island joins all components of level 1.
    component root = {.touched = 0, .first_child = -1, .last_child = -1};
    for (int rank = ends[0]; rank < ends[levels - 1]; rank++) {
        component *c = &all[sorted[rank]];
        if (c->parent != sorted[rank]) continue;
        if (!touch(d, c, 0, least)) return -1;
        if (c->first_child < 0) continue;
        child *children = d->children.start;
        if (root.first_child < 0)
            root.first_child = c->first_child;
        else
            children[root.last_child].next = c->first_child;
        root.last_child = c->last_child;
    }
    if (!close_component(d, &root, 0, needed, island)) return -1;
    if (root.is_whole || root.join < 0) return 0;
    if (!collect_branches(d, root.join, needed, island)) return -1;
    *result = d->branches.start;
    return d->branch_count;
}
