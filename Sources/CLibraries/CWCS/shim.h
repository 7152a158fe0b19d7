#include <wcslib/wcs.h>
#include <wcslib/wcsfix.h>
#include <wcslib/wcshdr.h>

// A function, since Swift cannot import an array of unknown length.
static inline const char *skyfarm_wcs_words(int status) {
    return status > 0 && status <= WCSERR_UNSET ? wcs_errmsg[status] : "unknown error";
}
