// CFITSIO's archive refers to libcurl, with which it opens URLs. Skyfarm opens files only. These functions take libcurl's
// place, so that it and the 30 libraries that it needs are not loaded; CFITSIO would report that a URL cannot be opened.

#include <stddef.h>

// CFITSIO calls these two whether or not it opens a URL; 0 is success.
int curl_global_init(long flags) {
    (void)flags;
    return 0;
}

void curl_global_cleanup(void) {}

void *curl_easy_init(void) { return NULL; }

// What curl_easy_init has not made is never used.
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
