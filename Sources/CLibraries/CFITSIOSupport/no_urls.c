// CFITSIO's static library refers to libcurl, with which it opens URLs. Skyfarm opens only files. These functions
// replace those of libcurl, so that it and its 30 dependencies are not loaded; CFITSIO would report that a URL cannot
// be opened.

#include <stddef.h>

// CFITSIO calls these two functions even if it opens no URL; 0 is success.
int curl_global_init(long flags) {
    (void)flags;
    return 0;
}

void curl_global_cleanup(void) {}

void *curl_easy_init(void) { return NULL; }

// Never called with a handle, since curl_easy_init creates none.
int curl_easy_setopt(void *handle, int option, ...) {
    (void)handle;
    (void)option;
    return 2;
}

int curl_easy_perform(void *handle) {
    (void)handle;
    return 2;
}

void curl_easy_cleanup(void *handle) { (void)handle; }
