#include "cscansecurity.h"

#include "internal.h"
#include <stdlib.h>
#include <string.h>

// Maximum output buffer, in bytes, that an idle connection keeps after a burst.
enum { KEPT_OUTPUT = 256 * 1024 };

static void forget_keys(scan_tls *session) {
    if (!session->keys) return;
    OPENSSL_cleanse(session->keys, session->key_count * sizeof *session->keys);
    free(session->keys);
    session->keys = NULL;
}

scan_tls *scan_tls_new(scan_tls_role role, const scan_tls_key *keys, size_t count) {
    SSL_CTX *context = scan_tls_context(role);
    if (!context || count == 0) return NULL;
    scan_tls *session = calloc(1, sizeof *session);
    if (!session) return NULL;
    session->role = role;
    session->alert = -1;
    session->key_index = -1;
    session->keys = calloc(count, sizeof *session->keys);
    session->ssl = SSL_new(context);
    BIO *bio = scan_tls_bio(session);
    if (!session->keys || !session->ssl || !bio) {
        BIO_free(bio);
        scan_tls_free(session);
        return NULL;
    }
    session->key_count = count;
    for (size_t i = 0; i < count; i++) {
        strncpy(session->keys[i].identity, keys[i].identity, IDENTITY_CAPACITY - 1);
        memcpy(session->keys[i].key, keys[i].key, SCAN_TLS_KEY_LENGTH);
    }
    SSL_set_bio(session->ssl, bio, bio);
    SSL_set_app_data(session->ssl, session);
    if (role == SCAN_TLS_SERVER)
        SSL_set_accept_state(session->ssl);
    else
        SSL_set_connect_state(session->ssl);
    return session;
}

void scan_tls_free(scan_tls *session) {
    if (!session) return;
    SSL_free(session->ssl);
    forget_keys(session);
    free(session->output);
    free(session);
}

void scan_tls_lend_input(scan_tls *session, const void *bytes, size_t count) {
    session->input = bytes;
    session->input_count = count;
}

size_t scan_tls_input_count(const scan_tls *session) { return session->input_count; }

uint64_t scan_tls_consumed(const scan_tls *session) { return session->consumed; }

static scan_tls_failure classify(const scan_tls *session, unsigned long error) {
    if (error == 0) return SCAN_TLS_FAILURE_INTERNAL;
    // For example, a key share that is not a point on the curve.
    if (ERR_GET_LIB(error) != ERR_LIB_SSL && ERR_GET_REASON(error) != ERR_R_MALLOC_FAILURE)
        return SCAN_TLS_FAILURE_PROTOCOL;
    switch (ERR_GET_REASON(error)) {
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_UNEXPECTED_MESSAGE:
    case SSL_R_BAD_RECORD_TYPE:
    case SSL_R_RECORD_LENGTH_MISMATCH:
    case SSL_R_LENGTH_TOO_SHORT:
    case SSL_R_RECORD_TOO_SMALL:
        // After the first handshake message, the peer is known to use TLS.
        return session->heard ? SCAN_TLS_FAILURE_PROTOCOL : SCAN_TLS_FAILURE_NOT_TLS;
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
        return SCAN_TLS_FAILURE_OLD_VERSION;
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
    case SSL_R_NO_CERTIFICATE_SET:
    case SSL_R_MISSING_SIGALGS_EXTENSION:
        return SCAN_TLS_FAILURE_NO_COMMON_KEY;
    case SSL_R_BINDER_DOES_NOT_VERIFY:
        return SCAN_TLS_FAILURE_BINDER;
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
        return SCAN_TLS_FAILURE_CERTIFICATE;
    case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC:
    case SSL_R_DECRYPTION_FAILED:
        return SCAN_TLS_FAILURE_CORRUPT_RECORD;
    case ERR_R_MALLOC_FAILURE:
    case ERR_R_INTERNAL_ERROR:
        return SCAN_TLS_FAILURE_INTERNAL;
    default:
        return SCAN_TLS_FAILURE_PROTOCOL;
    }
}

static scan_tls_result fail(scan_tls *session, scan_tls_failure failure) {
    session->failure = failure;
    forget_keys(session);
    ERR_clear_error();
    return SCAN_TLS_FAILED;
}

static scan_tls_result result_of(scan_tls *session, int returned) {
    if (returned == 1) return SCAN_TLS_DONE;
    switch (SSL_get_error(session->ssl, returned)) {
    case SSL_ERROR_WANT_READ:
        return SCAN_TLS_WANTS_INPUT;
    case SSL_ERROR_ZERO_RETURN:
        return SCAN_TLS_CLOSED;
    default:
        break;
    }
    unsigned long error = ERR_peek_error();
    int reason = ERR_GET_REASON(error);
    if (ERR_GET_LIB(error) == ERR_LIB_SSL && reason >= SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + 256) {
        session->alert = reason - SSL_AD_REASON_OFFSET;
        return fail(session, SCAN_TLS_FAILURE_ALERT);
    }
    return fail(session, classify(session, error));
}

scan_tls_result scan_tls_handshake(scan_tls *session) {
    ERR_clear_error();
    scan_tls_result result = result_of(session, SSL_do_handshake(session->ssl));
    if (result != SCAN_TLS_DONE) return result;
    // Unless both sides have proved the key, the peer is not authenticated.
    if (!SSL_session_reused(session->ssl) || session->key_index < 0 || SSL_version(session->ssl) != TLS1_3_VERSION)
        return fail(session, SCAN_TLS_FAILURE_NO_COMMON_KEY);
    forget_keys(session);
    return SCAN_TLS_DONE;
}

scan_tls_result scan_tls_read(scan_tls *session, void *buffer, size_t capacity, size_t *count) {
    *count = 0;
    // Avoids a call of SSL_read_ex, which takes as long as decrypting a short record.
    if (session->input_count == 0 && !SSL_has_pending(session->ssl)) return SCAN_TLS_WANTS_INPUT;
    ERR_clear_error();
    return result_of(session, SSL_read_ex(session->ssl, buffer, capacity, count));
}

scan_tls_result scan_tls_write(scan_tls *session, const void *bytes, size_t count) {
    ERR_clear_error();
    // A record adds 5 bytes of header, 1 byte of content type and 16 bytes of tag.
    size_t records = count / SCAN_TLS_RECORD_LENGTH + 1;
    if (!scan_tls_reserve_output(session, count + 22 * records)) return fail(session, SCAN_TLS_FAILURE_INTERNAL);
    size_t written = 0;
    return result_of(session, SSL_write_ex(session->ssl, bytes, count, &written));
}

scan_tls_result scan_tls_update_key(scan_tls *session) {
    ERR_clear_error();
    if (SSL_key_update(session->ssl, SSL_KEY_UPDATE_NOT_REQUESTED) != 1)
        return fail(session, SCAN_TLS_FAILURE_INTERNAL);
    return result_of(session, SSL_do_handshake(session->ssl));
}

scan_tls_result scan_tls_close(scan_tls *session) {
    ERR_clear_error();
    int returned = SSL_shutdown(session->ssl);
    return returned < 0 ? result_of(session, returned) : SCAN_TLS_DONE;
}

const uint8_t *scan_tls_output(const scan_tls *session, size_t *count) {
    *count = session->output_count - session->output_start;
    return session->output + session->output_start;
}

void scan_tls_discard_output(scan_tls *session, size_t count) {
    session->output_start += count;
    if (session->output_start < session->output_count) return;
    session->output_start = session->output_count = 0;
    if (session->output_capacity > KEPT_OUTPUT) {
        free(session->output);
        session->output = NULL;
        session->output_capacity = 0;
    }
}

scan_tls_failure scan_tls_get_failure(const scan_tls *session) { return session->failure; }
int scan_tls_get_alert(const scan_tls *session) { return session->alert; }
int scan_tls_key_index(const scan_tls *session) { return session->key_index; }

const uint8_t *scan_tls_offered_identity(const scan_tls *session, size_t *count) {
    *count = session->offered_count;
    return session->offered;
}

const char *scan_tls_version_name(const scan_tls *session) { return SSL_get_version(session->ssl); }
const char *scan_tls_cipher_name(const scan_tls *session) { return SSL_get_cipher_name(session->ssl); }
const char *scan_tls_group_name(const scan_tls *session) {
    const char *name = SSL_group_to_name(session->ssl, (int)SSL_get_negotiated_group(session->ssl));
    return name ? name : "none";
}
