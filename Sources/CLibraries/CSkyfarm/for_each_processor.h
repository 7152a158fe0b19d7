#ifndef FOR_EACH_PROCESSOR_H
#define FOR_EACH_PROCESSOR_H

// Of a function marked so there are two, and the processor's wider vectors are used where it has them.
#if defined(__x86_64__) && defined(__linux__)
#define for_each_processor __attribute__((target_clones("avx2", "default")))
#else
#define for_each_processor
#endif

#endif
