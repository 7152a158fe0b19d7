#ifndef SKYFARM_CSKYKERNEL_H
#define SKYFARM_CSKYKERNEL_H

#include "background.h"
#include "coarse.h"
#include "extraction.h"
#include "photometry.h"

#endif
