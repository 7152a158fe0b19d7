#ifndef SKYFARM_FOR_EACH_PROCESSOR_H
#define SKYFARM_FOR_EACH_PROCESSOR_H

// The resolver that chooses a clone runs before a sanitizer's run-time is initialised, so functions are not cloned with
// sanitizers.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define has_sanitizer 1
#endif
#endif

// Compiles a function twice, for AVX2 and for the baseline; the dynamic linker chooses by the processor.
#if defined(__x86_64__) && defined(__linux__) && !defined(has_sanitizer)
#define for_each_processor __attribute__((target_clones("avx2", "default")))
#else
#define for_each_processor
#endif

#endif
