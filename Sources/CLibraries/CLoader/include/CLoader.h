#ifndef CLOADER_H
#define CLOADER_H

#ifdef __linux__

// Libraries that are loaded when they are first used, unless the program was linked with them.

/// Loads a library, which stays loaded. `function` is one of its functions; if the program was linked with it, nothing is
/// loaded. NULL then, and if the library is not installed.
void *skyfarm_load_library(const char *name, const char *function);

/// A function: that with which the program was linked, or that of `library`; NULL if there is none.
void *skyfarm_find_function(void *library, const char *name);

#endif
#endif
