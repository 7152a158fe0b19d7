#include "cskyfarm.h"

#include <stdio.h>

int skyfarm_fixed_digits(double value, int digits, char *text, size_t capacity) {
    return snprintf(text, capacity, "%.*f", digits, value);
}
