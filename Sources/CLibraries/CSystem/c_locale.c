#define _GNU_SOURCE
#include "csystem.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#ifdef __APPLE__
#include <xlocale.h>

#pragma STDC FP_CONTRACT OFF
#endif

static locale_t c_locale;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

void *skyfarm_enter_c_locale(void) {
    pthread_once(&once, make);
    return (void *)uselocale(c_locale);
}

void skyfarm_leave_c_locale(void *before) { uselocale((locale_t)before); }

int skyfarm_fixed_digits(double value, int digits, char *text, size_t capacity) {
    void *before = skyfarm_enter_c_locale();
    int count = snprintf(text, capacity, "%.*f", digits, value);
    skyfarm_leave_c_locale(before);
    return count;
}

int skyfarm_format_number(const char *format, double value, char *text, size_t capacity) {
    void *before = skyfarm_enter_c_locale();
    int count = snprintf(text, capacity, format, value);
    skyfarm_leave_c_locale(before);
    return count;
}
