#ifndef CSCANSECURITY_INTERNAL_H
#define CSCANSECURITY_INTERNAL_H

#include "cscansecurity.h"
#include "openssl.h"

enum { IDENTITY_CAPACITY = 64 };

typedef struct {
    char identity[IDENTITY_CAPACITY];
    uint8_t key[SCAN_TLS_KEY_LENGTH];
} held_key;

struct scan_tls {
    SSL *ssl;
    scan_tls_role role;
    held_key *keys; // NULL after the handshake
    size_t key_count;
    int key_index;
    uint8_t offered[IDENTITY_CAPACITY];
    size_t offered_count;
    bool heard; // the peer sent a complete handshake message
    scan_tls_failure failure;
    int alert;
    const uint8_t *input; // borrowed
    size_t input_count;
    uint64_t consumed;
    uint8_t *output;
    size_t output_start, output_count, output_capacity;
};

/// Returns the settings shared by all sessions of a role, or NULL if OpenSSL fails.
SSL_CTX *scan_tls_context(scan_tls_role role);
/// Creates a BIO that reads the session's input and writes its output.
BIO *scan_tls_bio(scan_tls *session);
/// Reserves space for `count` more bytes of output.
bool scan_tls_reserve_output(scan_tls *session, size_t count);

#endif
