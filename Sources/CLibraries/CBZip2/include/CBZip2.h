#ifndef CBZIP2_H
#define CBZIP2_H

#include <stddef.h>
#include <stdint.h>

// Decompression by libbz2. On Linux the library is loaded when it is first used, unless the program is linked with it,
// and its header is not needed.

/// A bzip2 stream.
struct skyfarm_bzip2;

/// Result of a step of decompression.
enum skyfarm_bzip2_status {
    skyfarm_bzip2_more,
    /// The stream is complete.
    skyfarm_bzip2_end,
    /// The bytes are not a bzip2 stream.
    skyfarm_bzip2_strange,
    skyfarm_bzip2_damaged,
    skyfarm_bzip2_no_memory,
};

/// Loads the library. Returns whether it is available.
int skyfarm_bzip2_load(void);

/// Creates a stream. Returns NULL if the library is not available or memory is exhausted.
struct skyfarm_bzip2 *_Nullable skyfarm_bzip2_new(void);

/// Decompresses bytes of `input` into `output`, and advances both pointers and counts.
enum skyfarm_bzip2_status skyfarm_bzip2_step(
    struct skyfarm_bzip2 *_Nonnull stream, const uint8_t *_Nonnull *_Nonnull input, uint32_t *_Nonnull input_count,
    uint8_t *_Nonnull *_Nonnull output, uint32_t *_Nonnull output_count);

/// Frees a stream, whether or not it is complete.
void skyfarm_bzip2_free(struct skyfarm_bzip2 *_Nonnull stream);

#endif
