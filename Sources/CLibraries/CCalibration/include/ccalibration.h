#ifndef SKYFARM_CCALIBRATION_H
#define SKYFARM_CCALIBRATION_H

#include "cosmic_rays.h"
#include "reduction.h"
#include "stacking.h"

#endif
