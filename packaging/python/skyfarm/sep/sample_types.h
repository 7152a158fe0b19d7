#ifndef SKYFARM_SEP_SAMPLE_TYPES_H
#define SKYFARM_SEP_SAMPLE_TYPES_H

// Types of samples, by SEP's codes.
enum { sample_byte = 11, sample_int = 31, sample_float = 42, sample_double = 82 };

#endif
