#ifndef CSCANSECURITY_H
#define CSCANSECURITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// TLS 1.3 with an external pre-shared key over memory buffers, and the cryptographic primitives for keys. Hides
// OpenSSL's macros and callbacks from Swift.

/// Length of a key in bytes.
#define SCAN_TLS_KEY_LENGTH 32
/// Length of a SHA-256 digest in bytes.
#define SCAN_TLS_DIGEST_LENGTH 32
/// Maximum length of the plaintext of a record in bytes.
#define SCAN_TLS_RECORD_LENGTH 16384

/// A key and its PSK identity.
typedef struct {
    const char *identity;
    const uint8_t *key; // SCAN_TLS_KEY_LENGTH bytes
} scan_tls_key;

typedef enum { SCAN_TLS_CLIENT, SCAN_TLS_SERVER } scan_tls_role;

typedef enum {
    SCAN_TLS_DONE,
    SCAN_TLS_WANTS_INPUT,
    SCAN_TLS_CLOSED, // the peer sent close_notify
    SCAN_TLS_FAILED, // see scan_tls_get_failure
} scan_tls_result;

typedef enum {
    SCAN_TLS_FAILURE_NONE,
    SCAN_TLS_FAILURE_NOT_TLS,         // the bytes are not TLS records
    SCAN_TLS_FAILURE_OLD_VERSION,     // the peer speaks only TLS 1.2 or older
    SCAN_TLS_FAILURE_NO_COMMON_KEY,   // server: no key, or an unknown one, was offered
    SCAN_TLS_FAILURE_BINDER,          // server: known identity, but the binder was made with another key
    SCAN_TLS_FAILURE_CERTIFICATE,     // client: the server authenticated by certificate, not by the key
    SCAN_TLS_FAILURE_CORRUPT_RECORD,  // a record failed authentication
    SCAN_TLS_FAILURE_ALERT,           // the peer sent an alert: see scan_tls_get_alert
    SCAN_TLS_FAILURE_PROTOCOL,        // any other protocol violation
    SCAN_TLS_FAILURE_INTERNAL,        // out of memory, or an error in OpenSSL
} scan_tls_failure;

typedef struct scan_tls scan_tls;

/// Creates a session. A client offers the first key; a server accepts any of the keys. The keys are copied, and wiped
/// after the handshake. Returns NULL if OpenSSL fails.
scan_tls *scan_tls_new(scan_tls_role role, const scan_tls_key *keys, size_t count);
void scan_tls_free(scan_tls *session);

/// Lends bytes received from the peer to the session. They must stay valid until handshake and read have consumed them.
void scan_tls_lend_input(scan_tls *session, const void *bytes, size_t count);
/// Returns the number of bytes that are lent and not yet consumed.
size_t scan_tls_input_count(const scan_tls *session);
/// Returns the total number of bytes consumed.
uint64_t scan_tls_consumed(const scan_tls *session);

/// Continues the handshake. Returns SCAN_TLS_DONE only if both sides proved that they hold the same key.
scan_tls_result scan_tls_handshake(scan_tls *session);
/// Reads the plaintext of at most one record.
scan_tls_result scan_tls_read(scan_tls *session, void *buffer, size_t capacity, size_t *count);
/// Encrypts all bytes into the output.
scan_tls_result scan_tls_write(scan_tls *session, const void *bytes, size_t count);
/// Updates the traffic key of this side, starting with the next record.
scan_tls_result scan_tls_update_key(scan_tls *session);
/// Writes close_notify into the output.
scan_tls_result scan_tls_close(scan_tls *session);

/// Returns the bytes to be sent, which are valid until the next call.
const uint8_t *scan_tls_output(const scan_tls *session, size_t *count);
/// Discards the first `count` bytes of the output.
void scan_tls_discard_output(scan_tls *session, size_t count);

scan_tls_failure scan_tls_get_failure(const scan_tls *session);
/// Returns the number of the peer's alert (RFC 8446, section 6), or -1 if there was none.
int scan_tls_get_alert(const scan_tls *session);
/// Returns the identity that the client offered last, truncated to 63 bytes. Untrusted: may contain any bytes.
const uint8_t *scan_tls_offered_identity(const scan_tls *session, size_t *count);
/// Returns the index of the key in use, or -1 before the handshake.
int scan_tls_key_index(const scan_tls *session);
/// Return the names of the negotiated parameters.
const char *scan_tls_version_name(const scan_tls *session);
const char *scan_tls_cipher_name(const scan_tls *session);
const char *scan_tls_group_name(const scan_tls *session);

/// Writes the SHA-256 digest of the concatenation of both parts. Returns false if OpenSSL fails.
bool scan_tls_sha256(
    const void *first, size_t first_count, const void *second, size_t second_count,
    uint8_t digest[SCAN_TLS_DIGEST_LENGTH]);
/// Overwrites memory. The call is not removed by the optimiser.
void scan_tls_wipe(void *bytes, size_t count);
/// Compares memory in constant time.
bool scan_tls_equal(const void *left, const void *right, size_t count);
/// Fills memory with random bytes from OpenSSL's generator for private keys.
bool scan_tls_random(void *bytes, size_t count);
/// Returns whether the processor has instructions for AES-GCM.
bool scan_tls_has_aes(void);

#endif
