#include "extraction_steps.h"

#include <stdlib.h>

// Lutz, R. K. 1980, "An algorithm for the real time analysis of digitised images", Computer Journal 23, 262. The rows
// are read in order; marks on the columns of the row above tell where its regions begin and end. Between marks and ends
// of runs nothing can happen, so only those columns are visited. The order in which parts of a region are joined is that
// of SEP, which lists an island's pixels in it.

// What a mark says of the row above: the first or a further segment of a region begins here, or a segment that another
// one follows, or the last one, has ended before this column.
enum { first_begins = 1, other_begins, segment_ended, region_ended };
// State of the row above at the current column.
enum { complete, incomplete, in_object };

enum { unknown = -1 };

static const run_list nothing = {.pixels = 0, .first = -1, .last = -1};

bool labeller_open(labeller *l, int width) {
    size_t columns = (size_t)width + 1;
    l->width = width;
    l->words = width / 64 + 1;
    l->marked = calloc((size_t)l->words, sizeof *l->marked);
    l->mark = calloc(columns, 1);
    // A region and a segment are pushed at most once per column each.
    l->statuses = malloc(2 * columns + 2);
    l->open = malloc((columns + 1) * sizeof *l->open);
    l->stored = calloc(columns, sizeof *l->stored);
    l->starts = malloc((columns + 1) * sizeof *l->starts);
    l->ends = malloc((columns + 1) * sizeof *l->ends);
    l->free_run = -1;
    return l->marked && l->mark && l->statuses && l->open && l->stored && l->starts && l->ends;
}

void labeller_close(labeller *l) {
    free(l->marked), free(l->mark), free(l->statuses), free(l->open), free(l->stored), free(l->starts), free(l->ends);
    free(l->runs.start);
}

static void set_mark(labeller *l, int x, char mark) {
    l->mark[x] = mark;
    l->marked[x / 64] |= (uint64_t)1 << x % 64;
}

static void append_run(labeller *l, run_list *list, run added) {
    int place = l->free_run;
    if (place >= 0) {
        l->free_run = labeller_runs(l)[place].next;
    } else {
        place = l->run_count;
        if (!SCRATCH(&l->runs, run, place + 1)) {
            l->failed = true;
            return;
        }
        l->run_count++;
    }
    run *runs = labeller_runs(l);
    added.next = -1;
    runs[place] = added;
    if (list->first < 0)
        list->first = place;
    else
        runs[list->last].next = place;
    list->last = place;
    list->pixels += added.count;
}

static void append_list(labeller *l, run_list *list, const run_list *other) {
    list->pixels += other->pixels;
    if (list->first < 0) {
        list->first = other->first;
        list->last = other->last;
    } else if (other->last >= 0) {
        labeller_runs(l)[list->last].next = other->first;
        list->last = other->last;
    }
}

static void release(labeller *l, const run_list *list) {
    if (list->first < 0) return;
    labeller_runs(l)[list->last].next = l->free_run;
    l->free_run = list->first;
}

// The state of a row while it is read.
typedef struct {
    char above;
    bool inside;
    int run_start;
} scan;

static void begin_segment(labeller *l, scan *s, int x) {
    s->inside = true;
    if (s->above == in_object) {
        // A segment below a region that is open on this row already, or not yet.
        bool is_first = l->starts[l->depth] == unknown;
        if (is_first) l->starts[l->depth] = x;
        set_mark(l, x, is_first ? first_begins : other_begins);
        return;
    }
    l->statuses[l->top++] = s->above;
    l->starts[++l->depth] = x;
    l->open[l->depth] = nothing;
    s->above = complete;
    set_mark(l, x, first_begins);
}

// The region above has ended; the current one ends, too, unless it continues on this row.
static void end_region_above(labeller *l, scan *s, int x, int y) {
    s->above = l->statuses[--l->top];
    if (s->inside || s->above != complete) return;
    run_list *region = &l->open[l->depth];
    if (l->starts[l->depth] == unknown) {
        l->complete(l->context, l, region, x, y);
        release(l, region);
    } else {
        set_mark(l, l->ends[l->depth], region_ended);
        l->stored[l->starts[l->depth]] = *region;
    }
    l->depth--;
    s->above = l->statuses[--l->top];
}

static void obey_mark(labeller *l, scan *s, char mark, int x, int y) {
    switch (mark) {
    case first_begins:
        l->statuses[l->top++] = s->above;
        if (s->inside) {
            append_list(l, &l->open[l->depth], &l->stored[x]);
        } else {
            l->statuses[l->top++] = complete;
            l->open[++l->depth] = l->stored[x];
            l->starts[l->depth] = unknown;
        }
        s->above = in_object;
        break;
    case other_begins:
        if (s->inside && s->above == complete) {
            // The current segment joins two regions.
            l->top--;
            int start = l->starts[l->depth];
            append_list(l, &l->open[l->depth - 1], &l->open[l->depth]);
            l->depth--;
            if (l->starts[l->depth] == unknown)
                l->starts[l->depth] = start;
            else
                set_mark(l, start, other_begins);
        }
        s->above = in_object;
        break;
    case segment_ended:
        s->above = incomplete;
        break;
    default:
        end_region_above(l, s, x, y);
    }
}

static void end_segment(labeller *l, scan *s, int x) {
    s->inside = false;
    if (s->above != complete) {
        set_mark(l, x, segment_ended);
        l->ends[l->depth] = x;
        return;
    }
    s->above = l->statuses[--l->top];
    set_mark(l, x, region_ended);
    l->stored[l->starts[l->depth]] = l->open[l->depth];
    l->depth--;
}

void labeller_row(labeller *l, const uint64_t *detected, int y, int sample) {
    scan s = {.above = complete};
    uint64_t carry = 0;
    for (int index = 0; index < l->words; index++) {
        uint64_t lit = detected ? detected[index] : 0, marked = l->marked[index];
        uint64_t events = marked | (lit ^ (lit << 1 | carry));
        carry = lit >> 63;
        if (events == 0) continue;
        l->marked[index] = 0;
        for (; events != 0; events &= events - 1) {
            int bit = __builtin_ctzll(events), x = 64 * index + bit;
            bool is_lit = lit >> bit & 1;
            char mark = marked >> bit & 1 ? l->mark[x] : 0;
            if (s.inside) {
                int count = x - s.run_start;
                run added = {.x = s.run_start, .y = y, .count = count, .sample = sample};
                append_run(l, &l->open[l->depth], added);
                sample += count;
            } else if (is_lit) {
                begin_segment(l, &s, x);
            }
            if (mark != 0) obey_mark(l, &s, mark, x, y);
            if (is_lit)
                s.run_start = x;
            else if (s.inside)
                end_segment(l, &s, x);
        }
    }
}
