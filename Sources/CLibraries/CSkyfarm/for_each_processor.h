#ifndef FOR_EACH_PROCESSOR_H
#define FOR_EACH_PROCESSOR_H

// The choice between clones is made before a sanitizer is ready, which would instrument it.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define has_sanitizer 1
#endif
#endif

// Of a function marked so there are two, and the processor's wider vectors are used where it has them.
#if defined(__x86_64__) && defined(__linux__) && !defined(has_sanitizer)
#define for_each_processor __attribute__((target_clones("avx2", "default")))
#else
#define for_each_processor
#endif

#endif
