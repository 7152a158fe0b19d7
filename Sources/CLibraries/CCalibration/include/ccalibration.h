#ifndef SKYFARM_CCALIBRATION_H
#define SKYFARM_CCALIBRATION_H

#include "stacking.h"

#endif
