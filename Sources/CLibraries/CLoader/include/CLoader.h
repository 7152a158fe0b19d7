#ifndef CLOADER_H
#define CLOADER_H

#ifdef __linux__

// Libraries that are loaded when they are first used, unless the program is linked with them.

/// Loads a library, which stays loaded. `function` is one of its functions; if the program is already linked with it,
/// nothing is loaded. Returns NULL in that case, and if the library is not installed.
void *skyfarm_load_library(const char *name, const char *function);

/// Finds a function in the program or else in `library`. Returns NULL if there is none.
void *skyfarm_find_function(void *library, const char *name);

#endif
#endif
