#include "background.h"

#include "for_each_processor.h"
#include "natural_spline.h"

#include <stdbool.h>
#include <stdlib.h>

#pragma STDC FP_CONTRACT OFF

// Cubic splines over the meshes' centres, along y by derivatives that are given, then along x. What depends on the column
// alone is computed once: its cell, and the weights of the cell's ends.
struct skyfarm_spline_line {
    int columns, count;
    // Cells in which the columns lie: the cell's left mesh, and the end of its columns.
    int *cells, *ends;
    int cell_count;
    float *left, *left_bend, *right, *right_bend;
    // Values, second derivatives and work space of one row of meshes.
    float *nodes, *bends, *work;
};

// Follows SEP's walk along a row: position within a cell advances by repeated addition in single precision.
static void walk(skyfarm_spline_line *line, int mesh_width, int first) {
    float step = (float)(1.0 / mesh_width), position = (step - 1) / 2;
    float start = (float)((mesh_width + 1) % 2) * step / 2;
    int mesh = 0, within = 0, cell = 0, end = first + line->count;
    for (int x = 0; x < end; x++, within++, position += step) {
        if (within == mesh_width / 2 && mesh > 0 && mesh < line->columns - 1) {
            cell++;
            position = start;
        }
        if (x >= first) {
            int column = x - first, last = line->cell_count - 1;
            if (last < 0 || line->cells[last] != cell) line->cells[last = line->cell_count++] = cell;
            line->ends[last] = column + 1;
            float other = 1 - position;
            line->left[column] = other, line->left_bend[column] = other * other - 1;
            line->right[column] = position, line->right_bend[column] = position * position - 1;
        }
        if (within == mesh_width) {
            mesh++;
            within = 0;
        }
    }
}

skyfarm_spline_line *skyfarm_spline_line_open(int columns, int mesh_width, int first, int count) {
    skyfarm_spline_line *line = calloc(1, sizeof *line);
    if (!line) return NULL;
    line->columns = columns, line->count = count;
    size_t cells = (size_t)columns + 1;
    line->cells = malloc(2 * cells * sizeof(int));
    line->left = malloc(4 * (size_t)count * sizeof(float));
    line->nodes = malloc(3 * (size_t)columns * sizeof(float));
    if (!line->cells || !line->left || !line->nodes) {
        skyfarm_spline_line_close(line);
        return NULL;
    }
    line->ends = line->cells + cells;
    line->left_bend = line->left + count, line->right = line->left_bend + count, line->right_bend = line->right + count;
    line->bends = line->nodes + columns, line->work = line->bends + columns;
    walk(line, mesh_width, first);
    return line;
}

void skyfarm_spline_line_close(skyfarm_spline_line *line) {
    if (!line) return;
    free(line->cells), free(line->left), free(line->nodes);
    free(line);
}

// Interpolates the nodes of row `y`. Returns false if mesh rows are missing.
static bool set_nodes(skyfarm_spline_line *line, const skyfarm_spline *s, int y) {
    int columns = line->columns;
    if (s->rows == 1) {
        if (s->first_row != 0 || s->row_count < 1) return false;
        for (int mesh = 0; mesh < columns; mesh++)
            line->nodes[mesh] = s->values[mesh], line->bends[mesh] = s->derivatives[mesh];
        return true;
    }
    float position = (float)((float)y / s->mesh_height - 0.5);
    int row = (int)position;
    position -= row;
    if (row < 0) {
        row = 0;
        position -= 1;
    } else if (row >= s->rows - 1) {
        row = s->rows - 2;
        position += 1;
    }
    if (row < s->first_row || row + 1 >= s->first_row + s->row_count) return false;
    float other = 1 - position, cube = position * position * position - position;
    float other_cube = other * other * other - other;
    size_t first = (size_t)(row - s->first_row) * columns;
    const float *below = s->values + first, *above = below + columns;
    const float *bend_below = s->derivatives + first, *bend_above = bend_below + columns;
    for (int mesh = 0; mesh < columns; mesh++)
        line->nodes[mesh] = other * below[mesh] + position * above[mesh] + other_cube * bend_below[mesh]
            + cube * bend_above[mesh];
    natural_spline(line->nodes, columns, 1, line->bends, line->work);
    return true;
}

for_each_processor
int skyfarm_spline_row(
    skyfarm_spline_line *line, const skyfarm_spline *spline, int y, const float *pixels, float *out
) {
    if (!set_nodes(line, spline, y)) return 0;
    if (line->columns == 1) {
        float value = line->nodes[0];
        for (int x = 0; x < line->count; x++) out[x] = pixels ? pixels[x] - value : value;
        return 1;
    }
    for (int index = 0, x = 0; index < line->cell_count; index++) {
        int cell = line->cells[index], end = line->ends[index];
        float low = line->nodes[cell], high = line->nodes[cell + 1];
        float low_bend = line->bends[cell], high_bend = line->bends[cell + 1];
        if (pixels)
            for (; x < end; x++)
                out[x] = pixels[x]
                    - (line->left[x] * (low + line->left_bend[x] * low_bend)
                       + line->right[x] * (high + line->right_bend[x] * high_bend));
        else
            for (; x < end; x++)
                out[x] = line->left[x] * (low + line->left_bend[x] * low_bend)
                    + line->right[x] * (high + line->right_bend[x] * high_bend);
    }
    return 1;
}
