#include "CBZip2.h"

#include <stdlib.h>

#ifdef __linux__

#include "CLoader.h"

#include <pthread.h>

// Public interface of libbz2 1.0, unchanged since 2000.
typedef struct {
    char *next_in;
    unsigned avail_in, total_in_lo32, total_in_hi32;
    char *next_out;
    unsigned avail_out, total_out_lo32, total_out_hi32;
    void *state;
    void *(*bzalloc)(void *, int, int);
    void (*bzfree)(void *, void *);
    void *opaque;
} bz_stream;

enum { BZ_OK = 0, BZ_STREAM_END = 4, BZ_MEM_ERROR = -3, BZ_DATA_ERROR_MAGIC = -5 };

static struct {
    int (*init)(bz_stream *, int, int);
    int (*decompress)(bz_stream *);
    int (*end)(bz_stream *);
} library;

static void load(void) {
    void *handle = skyfarm_load_library("libbz2.so.1.0", "BZ2_bzDecompressInit");
    // The name on distributions other than Debian.
    if (!handle) handle = skyfarm_load_library("libbz2.so.1", "BZ2_bzDecompressInit");
    library.init = skyfarm_find_function(handle, "BZ2_bzDecompressInit");
    library.decompress = skyfarm_find_function(handle, "BZ2_bzDecompress");
    library.end = skyfarm_find_function(handle, "BZ2_bzDecompressEnd");
}

int skyfarm_bzip2_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return library.init && library.decompress && library.end;
}

#define BZ2_bzDecompressInit library.init
#define BZ2_bzDecompress library.decompress
#define BZ2_bzDecompressEnd library.end

#else

#include <bzlib.h>

int skyfarm_bzip2_load(void) { return 1; }

#endif

struct skyfarm_bzip2 {
    bz_stream stream;
};

struct skyfarm_bzip2 *skyfarm_bzip2_new(void) {
    if (!skyfarm_bzip2_load()) return NULL;
    struct skyfarm_bzip2 *new = calloc(1, sizeof *new);
    if (new && BZ2_bzDecompressInit(&new->stream, 0, 0) != BZ_OK) {
        free(new);
        return NULL;
    }
    return new;
}

enum skyfarm_bzip2_status skyfarm_bzip2_step(
    struct skyfarm_bzip2 *bzip2, const uint8_t **input, uint32_t *input_count, uint8_t **output,
    uint32_t *output_count) {
    bz_stream *stream = &bzip2->stream;
    stream->next_in = (char *)*input;
    stream->avail_in = *input_count;
    stream->next_out = (char *)*output;
    stream->avail_out = *output_count;
    int status = BZ2_bzDecompress(stream);
    *input = (const uint8_t *)stream->next_in;
    *input_count = stream->avail_in;
    *output = (uint8_t *)stream->next_out;
    *output_count = stream->avail_out;
    switch (status) {
    case BZ_OK: return skyfarm_bzip2_more;
    case BZ_STREAM_END: return skyfarm_bzip2_end;
    case BZ_DATA_ERROR_MAGIC: return skyfarm_bzip2_strange;
    case BZ_MEM_ERROR: return skyfarm_bzip2_no_memory;
    default: return skyfarm_bzip2_damaged;
    }
}

void skyfarm_bzip2_free(struct skyfarm_bzip2 *bzip2) {
    BZ2_bzDecompressEnd(&bzip2->stream);
    free(bzip2);
}
