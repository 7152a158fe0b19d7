#ifndef SKYFARM_FOR_EACH_PROCESSOR_H
#define SKYFARM_FOR_EACH_PROCESSOR_H

// Functions are not cloned if a sanitizer is used, since the resolver that selects a clone runs before the sanitizer's
// run-time library is initialised.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define has_sanitizer 1
#endif
#endif

// Compiles a function for AVX2 and for the baseline; the dynamic linker selects one by the processor.
#if defined(__x86_64__) && defined(__linux__) && !defined(has_sanitizer)
#define for_each_processor __attribute__((target_clones("avx2", "default")))
// For AVX-512 as well: for loops that do nothing but arithmetic with numbers in the first level of the cache.
#define for_each_wide_processor __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define for_each_processor
#define for_each_wide_processor
#endif

#endif
