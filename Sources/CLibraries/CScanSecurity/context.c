#include "internal.h"

#include <pthread.h>
#include <string.h>

// TLS_AES_128_GCM_SHA256. Only its hash is bound to the key; a session may use ChaCha20 with the same hash.
static const unsigned char aes_128_gcm[2] = {0x13, 0x01};

static SSL_SESSION *session_of_key(SSL *ssl, const held_key *key) {
    const SSL_CIPHER *cipher = SSL_CIPHER_find(ssl, aes_128_gcm);
    SSL_SESSION *session = SSL_SESSION_new();
    if (session && cipher && SSL_SESSION_set1_master_key(session, key->key, sizeof key->key)
        && SSL_SESSION_set_cipher(session, cipher) && SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION))
        return session;
    SSL_SESSION_free(session);
    return NULL;
}

/// Client callback that offers the key.
static int use_key(
    SSL *ssl, const EVP_MD *hash, const unsigned char **identity, size_t *identity_count, SSL_SESSION **psk) {
    scan_tls *session = SSL_get_app_data(ssl);
    (void)hash; // every cipher suite allowed here uses SHA-256
    *psk = session_of_key(ssl, &session->keys[0]);
    if (!*psk) return 0;
    session->key_index = 0;
    *identity = (const unsigned char *)session->keys[0].identity;
    *identity_count = strlen(session->keys[0].identity);
    return 1;
}

/// Server callback that finds the key named by the client. Without a key the handshake fails, since there is no
/// certificate.
static int find_key(SSL *ssl, const unsigned char *identity, size_t count, SSL_SESSION **psk) {
    scan_tls *session = SSL_get_app_data(ssl);
    *psk = NULL;
    session->offered_count = count < IDENTITY_CAPACITY ? count : IDENTITY_CAPACITY - 1;
    memcpy(session->offered, identity, session->offered_count);
    for (size_t i = 0; i < session->key_count; i++) {
        if (strlen(session->keys[i].identity) != count || memcmp(session->keys[i].identity, identity, count) != 0)
            continue;
        session->key_index = (int)i;
        *psk = session_of_key(ssl, &session->keys[i]);
        return *psk != NULL;
    }
    return 1;
}

/// Rejects every certificate, since peers authenticate only by the key.
static int refuse_certificate(X509_STORE_CTX *store, void *unused) {
    (void)unused;
    X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION);
    return 0;
}

static void note_message(
    int writing, int version, int type, const void *bytes, size_t count, SSL *ssl, void *unused) {
    (void)version, (void)bytes, (void)count, (void)unused;
    scan_tls *session = SSL_get_app_data(ssl);
    if (!writing && type == SSL3_RT_HANDSHAKE && session) session->heard = true;
}

static SSL_CTX *make_context(scan_tls_role role) {
    SSL_CTX *context = SSL_CTX_new(role == SCAN_TLS_SERVER ? TLS_server_method() : TLS_client_method());
    if (!context) return NULL;
    const char *suites = scan_tls_has_aes() ? "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256"
                                            : "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256";
    if (!SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION)
        || !SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) || !SSL_CTX_set_ciphersuites(context, suites)
        || !SSL_CTX_set1_groups_list(context, "X25519") || !SSL_CTX_set_num_tickets(context, 0)) {
        SSL_CTX_free(context);
        return NULL;
    }
    // The option may be set in the system's configuration file. PSK without ECDHE has no forward secrecy.
    SSL_CTX_clear_options(context, SSL_OP_ALLOW_NO_DHE_KEX);
    SSL_CTX_set_options(
        context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE
                     | SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_max_early_data(context, 0);
    SSL_CTX_set_msg_callback(context, note_message);
    if (role == SCAN_TLS_SERVER) {
        SSL_CTX_set_psk_find_session_callback(context, find_key);
    } else {
        SSL_CTX_set_psk_use_session_callback(context, use_key);
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
        SSL_CTX_set_cert_verify_callback(context, refuse_certificate, NULL);
    }
    return context;
}

static SSL_CTX *contexts[2];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_contexts(void) {
    contexts[SCAN_TLS_CLIENT] = make_context(SCAN_TLS_CLIENT);
    contexts[SCAN_TLS_SERVER] = make_context(SCAN_TLS_SERVER);
}

SSL_CTX *scan_tls_context(scan_tls_role role) {
    pthread_once(&once, make_contexts);
    return contexts[role];
}
