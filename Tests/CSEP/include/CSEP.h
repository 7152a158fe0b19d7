#ifndef SKYFARM_CSEP_H
#define SKYFARM_CSEP_H

// sep.h uses size_t without including its header.
#include <stddef.h>

#include <sep.h>

#endif
