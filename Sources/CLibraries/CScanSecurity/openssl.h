#ifndef CSCANSECURITY_OPENSSL_H
#define CSCANSECURITY_OPENSSL_H

// Functions of OpenSSL. On Linux its two libraries are loaded by the first call, since loading takes longer than the
// scan of a small image, which needs no connections. If they cannot be loaded, the program ends as if it had been
// linked with them.
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

#ifdef __linux__

// Every function that this target calls, including those within OpenSSL's macros. Any other function would not link.
#define SCAN_OPENSSL_FUNCTIONS(F) \
    F(BIO_clear_flags) F(BIO_free) F(BIO_get_data) F(BIO_get_new_index) F(BIO_meth_new) F(BIO_meth_set_ctrl) \
    F(BIO_meth_set_read) F(BIO_meth_set_write) F(BIO_new) F(BIO_set_data) F(BIO_set_flags) F(BIO_set_init) \
    F(CRYPTO_memcmp) F(ERR_clear_error) F(ERR_peek_error) F(EVP_DigestFinal_ex) F(EVP_DigestInit_ex) \
    F(EVP_DigestUpdate) F(EVP_MD_CTX_free) F(EVP_MD_CTX_new) F(EVP_sha256) F(OPENSSL_cleanse) F(RAND_priv_bytes) \
    F(SSL_CIPHER_find) F(SSL_CIPHER_get_name) F(SSL_CTX_clear_options) F(SSL_CTX_ctrl) F(SSL_CTX_free) F(SSL_CTX_new) \
    F(SSL_CTX_set_cert_verify_callback) F(SSL_CTX_set_ciphersuites) F(SSL_CTX_set_max_early_data) \
    F(SSL_CTX_set_msg_callback) F(SSL_CTX_set_num_tickets) F(SSL_CTX_set_options) \
    F(SSL_CTX_set_psk_find_session_callback) F(SSL_CTX_set_psk_use_session_callback) F(SSL_CTX_set_verify) \
    F(SSL_SESSION_free) F(SSL_SESSION_new) F(SSL_SESSION_set1_master_key) F(SSL_SESSION_set_cipher) \
    F(SSL_SESSION_set_protocol_version) F(SSL_ctrl) F(SSL_do_handshake) F(SSL_free) F(SSL_get_current_cipher) \
    F(SSL_get_error) F(SSL_get_ex_data) F(SSL_get_version) F(SSL_group_to_name) F(SSL_has_pending) F(SSL_key_update) \
    F(SSL_new) F(SSL_read_ex) F(SSL_session_reused) F(SSL_set_accept_state) F(SSL_set_bio) F(SSL_set_connect_state) \
    F(SSL_set_ex_data) F(SSL_shutdown) F(SSL_version) F(SSL_write_ex) F(TLS_client_method) F(TLS_server_method) \
    F(X509_STORE_CTX_set_error)

#define SCAN_OPENSSL_MEMBER(name) __typeof__(name) *name;

struct scan_openssl {
    SCAN_OPENSSL_FUNCTIONS(SCAN_OPENSSL_MEMBER)
};

/// Returns the loaded functions.
const struct scan_openssl *scan_openssl(void);

#ifndef SCAN_OPENSSL_LOADER
#define BIO_clear_flags scan_openssl()->BIO_clear_flags
#define BIO_free scan_openssl()->BIO_free
#define BIO_get_data scan_openssl()->BIO_get_data
#define BIO_get_new_index scan_openssl()->BIO_get_new_index
#define BIO_meth_new scan_openssl()->BIO_meth_new
#define BIO_meth_set_ctrl scan_openssl()->BIO_meth_set_ctrl
#define BIO_meth_set_read scan_openssl()->BIO_meth_set_read
#define BIO_meth_set_write scan_openssl()->BIO_meth_set_write
#define BIO_new scan_openssl()->BIO_new
#define BIO_set_data scan_openssl()->BIO_set_data
#define BIO_set_flags scan_openssl()->BIO_set_flags
#define BIO_set_init scan_openssl()->BIO_set_init
#define CRYPTO_memcmp scan_openssl()->CRYPTO_memcmp
#define ERR_clear_error scan_openssl()->ERR_clear_error
#define ERR_peek_error scan_openssl()->ERR_peek_error
#define EVP_DigestFinal_ex scan_openssl()->EVP_DigestFinal_ex
#define EVP_DigestInit_ex scan_openssl()->EVP_DigestInit_ex
#define EVP_DigestUpdate scan_openssl()->EVP_DigestUpdate
#define EVP_MD_CTX_free scan_openssl()->EVP_MD_CTX_free
#define EVP_MD_CTX_new scan_openssl()->EVP_MD_CTX_new
#define EVP_sha256 scan_openssl()->EVP_sha256
#define OPENSSL_cleanse scan_openssl()->OPENSSL_cleanse
#define RAND_priv_bytes scan_openssl()->RAND_priv_bytes
#define SSL_CIPHER_find scan_openssl()->SSL_CIPHER_find
#define SSL_CIPHER_get_name scan_openssl()->SSL_CIPHER_get_name
#define SSL_CTX_clear_options scan_openssl()->SSL_CTX_clear_options
#define SSL_CTX_ctrl scan_openssl()->SSL_CTX_ctrl
#define SSL_CTX_free scan_openssl()->SSL_CTX_free
#define SSL_CTX_new scan_openssl()->SSL_CTX_new
#define SSL_CTX_set_cert_verify_callback scan_openssl()->SSL_CTX_set_cert_verify_callback
#define SSL_CTX_set_ciphersuites scan_openssl()->SSL_CTX_set_ciphersuites
#define SSL_CTX_set_max_early_data scan_openssl()->SSL_CTX_set_max_early_data
#define SSL_CTX_set_msg_callback scan_openssl()->SSL_CTX_set_msg_callback
#define SSL_CTX_set_num_tickets scan_openssl()->SSL_CTX_set_num_tickets
#define SSL_CTX_set_options scan_openssl()->SSL_CTX_set_options
#define SSL_CTX_set_psk_find_session_callback scan_openssl()->SSL_CTX_set_psk_find_session_callback
#define SSL_CTX_set_psk_use_session_callback scan_openssl()->SSL_CTX_set_psk_use_session_callback
#define SSL_CTX_set_verify scan_openssl()->SSL_CTX_set_verify
#define SSL_SESSION_free scan_openssl()->SSL_SESSION_free
#define SSL_SESSION_new scan_openssl()->SSL_SESSION_new
#define SSL_SESSION_set1_master_key scan_openssl()->SSL_SESSION_set1_master_key
#define SSL_SESSION_set_cipher scan_openssl()->SSL_SESSION_set_cipher
#define SSL_SESSION_set_protocol_version scan_openssl()->SSL_SESSION_set_protocol_version
#define SSL_ctrl scan_openssl()->SSL_ctrl
#define SSL_do_handshake scan_openssl()->SSL_do_handshake
#define SSL_free scan_openssl()->SSL_free
#define SSL_get_current_cipher scan_openssl()->SSL_get_current_cipher
#define SSL_get_error scan_openssl()->SSL_get_error
#define SSL_get_ex_data scan_openssl()->SSL_get_ex_data
#define SSL_get_version scan_openssl()->SSL_get_version
#define SSL_group_to_name scan_openssl()->SSL_group_to_name
#define SSL_has_pending scan_openssl()->SSL_has_pending
#define SSL_key_update scan_openssl()->SSL_key_update
#define SSL_new scan_openssl()->SSL_new
#define SSL_read_ex scan_openssl()->SSL_read_ex
#define SSL_session_reused scan_openssl()->SSL_session_reused
#define SSL_set_accept_state scan_openssl()->SSL_set_accept_state
#define SSL_set_bio scan_openssl()->SSL_set_bio
#define SSL_set_connect_state scan_openssl()->SSL_set_connect_state
#define SSL_set_ex_data scan_openssl()->SSL_set_ex_data
#define SSL_shutdown scan_openssl()->SSL_shutdown
#define SSL_version scan_openssl()->SSL_version
#define SSL_write_ex scan_openssl()->SSL_write_ex
#define TLS_client_method scan_openssl()->TLS_client_method
#define TLS_server_method scan_openssl()->TLS_server_method
#define X509_STORE_CTX_set_error scan_openssl()->X509_STORE_CTX_set_error
#endif

#endif
#endif
