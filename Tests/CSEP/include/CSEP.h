#ifndef SKYFARM_CSEP_H
#define SKYFARM_CSEP_H

// sep.h uses size_t without including its header.
#include <stdbool.h>
#include <stddef.h>

#include <sep.h>

/// Whether libsep, called by this thread, uses the C library's elementary functions instead of the kernel's.
void csep_ask_c_library(bool asks);

/// How often this thread has called an elementary function of the C library's names, from whichever library.
long csep_calls(void);

#endif
