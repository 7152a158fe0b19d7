#include "photometry.h"
#include "for_each_processor.h"

// A part is inside or outside by the operations of the header's formula, in their order and with their rounding.
#pragma STDC FP_CONTRACT OFF

enum { parts = 11, padded = 12 };

for_each_processor
double skyfarm_disc_share(double dx, double dy, double limit) {
    double step = 1.0 / parts, squared_limit = limit * limit;
    // The last one is never inside.
    double squares[padded];
    squares[parts] = __builtin_inf();
    for (int column = 0; column < parts; column++) {
        double x = dx + (column + 0.5) * step - 0.5;
        squares[column] = x * x;
    }
    long inside = 0;
    for (int row = 0; row < parts; row++) {
        double y = dy + (row + 0.5) * step - 0.5, square = y * y;
        for (int column = 0; column < padded; column++) inside += squares[column] + square < squared_limit;
    }
    return (double)inside / (parts * parts);
}
