#ifndef SKYFARM_CSKYKERNEL_H
#define SKYFARM_CSKYKERNEL_H

#include "background.h"
#include "extraction.h"
#include "photometry.h"

/// True if every library of this process resolves `rand_r` to this target's function, which returns a constant.
int skyfarm_draw_is_fixed(void);

#endif
