// The elementary functions that libsep calls: the kernel's, so that all of its bits can be compared with libsep's. These
// definitions take the place of the C library's as that of rand_r does.
#define _GNU_SOURCE
#include "CSEP.h"

#include <elementary.h>

#include <dlfcn.h>
#include <stdbool.h>

static _Thread_local bool asks_c_library;
static _Thread_local long calls;

void csep_ask_c_library(bool asks) { asks_c_library = asks; }

long csep_calls(void) { return calls; }

// The C library's function of a name, as the type of a pointer.
#define C_LIBRARY(name, type) ((type)dlsym(RTLD_NEXT, name))

#define FUNCTION(name) \
    double name(double x) { \
        calls++; \
        return asks_c_library ? C_LIBRARY(#name, double (*)(double))(x) : skyfarm_##name(x); \
    }

#define FUNCTION_OF_TWO(name) \
    double name(double x, double y) { \
        calls++; \
        return asks_c_library ? C_LIBRARY(#name, double (*)(double, double))(x, y) : skyfarm_##name(x, y); \
    }

FUNCTION(exp)
FUNCTION(log)
FUNCTION(log10)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(asin)
FUNCTION(acos)
FUNCTION(atan)
FUNCTION_OF_TWO(atan2)
FUNCTION_OF_TWO(pow)

float expf(float x) {
    calls++;
    return asks_c_library ? C_LIBRARY("expf", float (*)(float))(x) : skyfarm_expf(x);
}

void sincos(double x, double *sine, double *cosine) {
    double s = sin(x);
    *cosine = cos(x);
    *sine = s;
}
