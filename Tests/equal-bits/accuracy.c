// Compares the elementary functions with MPFR, bit by bit, for COUNT random arguments of each function and those whose
// values are hard to round; and the double-double sums before their rounding with the errors that the functions assume.
//
// Example: accuracy 1000000
#include "double_double.h"

static pair last_sum;
static double last_error;
static long undecided;

static bool recorded(pair sum, double error, double *value) {
    bool decided = is_rounded(sum, error, value);
    last_sum = sum, last_error = error;
    undecided += !decided;
    return decided;
}

#define is_rounded recorded
#include "angles.c"
#include "exponentials.c"
#undef is_rounded

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char *name;
    double (*own)(double);
    int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    // Ranges of arguments, alternately: uniform in value, and uniform in the exponent of 2 with both signs.
    double low, high, least, most;
    bool is_positive;
} function;

static double exp_of_float(double x) { return skyfarm_expf((float)x); }

static const function functions[] = {
    {"exp", skyfarm_exp, mpfr_exp, -746, 710, -60, 9.4, false},
    {"exp10", skyfarm_exp10, mpfr_exp10, -325, 309, -60, 8.2, false},
    {"expf", exp_of_float, mpfr_exp, -105, 89, -30, 6.4, false},
    {"log", skyfarm_log, mpfr_log, 0.4, 2.5, -1074, 1024, true},
    {"log10", skyfarm_log10, mpfr_log10, 0.4, 2.5, -1074, 1024, true},
    {"sin", skyfarm_sin, mpfr_sin, -10, 10, -30, 1024, false},
    {"cos", skyfarm_cos, mpfr_cos, -10, 10, -30, 1024, false},
    {"tan", skyfarm_tan, mpfr_tan, -10, 10, -30, 1024, false},
    {"asin", skyfarm_asin, mpfr_asin, -1, 1, -30, 0, false},
    {"acos", skyfarm_acos, mpfr_acos, -1, 1, -60, 0, false},
    {"atan", skyfarm_atan, mpfr_atan, -3, 3, -40, 70, false},
};

static uint64_t state = 1;

// SplitMix64.
static uint64_t next(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static double uniform(double low, double high) { return low + (high - low) * (double)(next() >> 11) * 0x1p-53; }

static double of_any_exponent(double least, double most, bool is_positive) {
    double exponent = floor(uniform(least, most)), value = ldexp(uniform(1, 2), (int)exponent);
    return is_positive || next() & 1 ? value : -value;
}

// The error of a value in units of its last place, or of a float's.
static double error_of(double value, const mpfr_t exact, bool is_float) {
    if (isinf(value) || isnan(value)) return 0;
    mpfr_t difference;
    mpfr_init2(difference, 300);
    mpfr_sub_d(difference, exact, value, MPFR_RNDN);
    int least = is_float ? -149 : -1074, digits = is_float ? 24 : 53;
    long exponent = value == 0 ? least : ilogb(value) + 1 - digits;
    mpfr_mul_2si(difference, difference, -(exponent < least ? least : exponent), MPFR_RNDN);
    double error = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return error;
}

// The nearest number of the type, as MPFR rounds it.
static double nearest(mpfr_t exact, bool is_float) {
    return is_float ? mpfr_get_flt(exact, MPFR_RNDN) : mpfr_get_d(exact, MPFR_RNDN);
}

typedef struct {
    double greatest_error, greatest_share;
    long wrong;
} summary;

static bool is_same(double a, double b) { return (a != a && b != b) || bits_of(a) == bits_of(b); }

static void compare(summary *s, const char *name, double x, double y, double value, mpfr_t exact, bool is_float) {
    double expected = nearest(exact, is_float);
    if (!is_same(value, expected) && s->wrong++ < 5)
        printf("%s(%a, %a) is %a instead of %a\n", name, x, y, value, expected);
    s->greatest_error = fmax(s->greatest_error, error_of(value, exact, is_float));
    // The sum, scaled as the value is.
    if (last_error > 0 && isnormal(value) && isfinite(last_sum.high)) {
        mpfr_t rest;
        mpfr_init2(rest, 300);
        double rounded = last_sum.high + last_sum.low;
        int scale = ilogb(value) - ilogb(rounded);
        if (fabs(ldexp(rounded, scale)) > fabs(value) * 1.5) scale--;
        if (fabs(ldexp(rounded, scale)) < fabs(value) * 0.75) scale++;
        mpfr_mul_2si(rest, exact, -scale, MPFR_RNDN);
        mpfr_abs(rest, rest, MPFR_RNDN);
        double sign = last_sum.high < 0 ? -1 : 1;
        mpfr_sub_d(rest, rest, sign * last_sum.high, MPFR_RNDN);
        mpfr_sub_d(rest, rest, sign * last_sum.low, MPFR_RNDN);
        double share = fabs(mpfr_get_d(rest, MPFR_RNDN)) / last_error;
        if (share > s->greatest_share) {
            s->greatest_share = share;
            if (share > 1) printf("%s(%a, %a): the error of the sum is %.2f of what is assumed\n", name, x, y, share);
        }
        mpfr_clear(rest);
    }
}

static bool report(const char *name, long count, const summary *s) {
    printf(
        "%-6s %9ld arguments, %ld not the nearest, error at most %.6f ulp; sums: error at most %.3f of what is "
        "assumed, undecided one in %.0f\n",
        name, count, s->wrong, s->greatest_error, s->greatest_share, undecided ? (double)count / undecided : 0.0);
    undecided = 0;
    return s->wrong == 0 && s->greatest_error < 0.5001 && s->greatest_share < 1;
}

static void test_value(summary *s, const function *f, double x, mpfr_t argument, mpfr_t exact) {
    bool is_float = f->own == exp_of_float;
    if (is_float) x = (float)x;
    mpfr_set_d(argument, x, MPFR_RNDN);
    f->exact(exact, argument, MPFR_RNDN);
    last_error = 0;
    compare(s, f->name, x, 0, f->own(x), exact, is_float);
}

#include "hard_arguments.h"

static bool test_function(const function *f, long count) {
    summary s = {0};
    mpfr_t argument, exact;
    mpfr_init2(argument, 53);
    mpfr_init2(exact, 250);
    for (long index = 0; index < count; index++) {
        double x = index & 1 ? uniform(f->low, f->high) : of_any_exponent(f->least, f->most, f->is_positive);
        test_value(&s, f, x, argument, exact);
    }
    for (size_t index = 0; index < sizeof hard_arguments / sizeof *hard_arguments; index++)
        if (strcmp(hard_arguments[index].function, f->name) == 0)
            test_value(&s, f, hard_arguments[index].x, argument, exact);
    mpfr_clears(argument, exact, (mpfr_ptr)0);
    return report(f->name, count, &s);
}

// Functions of two arguments.
static bool test_pairs(bool is_power, long count) {
    summary s = {0};
    mpfr_t a, b, exact;
    mpfr_init2(a, 53);
    mpfr_init2(b, 53);
    mpfr_init2(exact, 250);
    for (long index = 0; index < count; index++) {
        double x, y;
        if (is_power) {
            x = index & 1 ? uniform(0.5, 2) : of_any_exponent(-1074, 1024, true);
            double limit = 740 / fabs(log(x));
            y = uniform(-limit, limit);
            // Small integers and halves, whose powers can be ties.
            if (index % 4 == 0) x = floor(uniform(1, 4096)), y = floor(uniform(-4, 40)) / 2;
        } else {
            x = index & 1 ? uniform(-3, 3) : of_any_exponent(-1074, 1024, false);
            y = index & 1 ? uniform(-3, 3) : of_any_exponent(-1074, 1024, false);
            if (index % 8 == 0) y = x * uniform(-4, 4);
        }
        mpfr_set_d(a, x, MPFR_RNDN);
        mpfr_set_d(b, y, MPFR_RNDN);
        last_error = 0;
        double value = is_power ? skyfarm_pow(x, y) : skyfarm_atan2(y, x);
        if (is_power) mpfr_pow(exact, a, b, MPFR_RNDN);
        else mpfr_atan2(exact, b, a, MPFR_RNDN);
        compare(&s, is_power ? "pow" : "atan2", is_power ? x : y, is_power ? y : x, value, exact, false);
    }
    mpfr_clears(a, b, exact, (mpfr_ptr)0);
    return report(is_power ? "pow" : "atan2", count, &s);
}

int main(int count, char **arguments) {
    long number = count > 1 ? atol(arguments[1]) : 1000000;
    bool is_good = true;
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++)
        is_good &= test_function(&functions[index], number);
    is_good &= test_pairs(true, number);
    is_good &= test_pairs(false, number);
    return is_good ? 0 : 1;
}
