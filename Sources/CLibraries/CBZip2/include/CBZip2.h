#ifndef CBZIP2_H
#define CBZIP2_H

#include <stddef.h>
#include <stdint.h>

// Decompression by libbz2. On Linux the library is loaded when it is first used, unless the program was linked with it,
// and its header is not needed.

/// A stream of bzip2.
struct skyfarm_bzip2;

/// What a step of decompression has come to.
enum skyfarm_bzip2_status {
    skyfarm_bzip2_more,
    /// The stream is complete.
    skyfarm_bzip2_end,
    /// The bytes are no stream at all.
    skyfarm_bzip2_strange,
    skyfarm_bzip2_damaged,
    skyfarm_bzip2_no_memory,
};

/// Whether the library is there.
int skyfarm_bzip2_load(void);

/// A stream at its beginning; NULL without the library, or without memory.
struct skyfarm_bzip2 *_Nullable skyfarm_bzip2_new(void);

/// Decompresses bytes of `input` into `output`, and moves both behind what was read and written.
enum skyfarm_bzip2_status skyfarm_bzip2_step(
    struct skyfarm_bzip2 *_Nonnull stream, const uint8_t *_Nonnull *_Nonnull input, uint32_t *_Nonnull input_count,
    uint8_t *_Nonnull *_Nonnull output, uint32_t *_Nonnull output_count);

/// Ends a stream, complete or not.
void skyfarm_bzip2_free(struct skyfarm_bzip2 *_Nonnull stream);

#endif
