#include "cscansecurity.h"
#include "openssl.h"

#include <string.h>
#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

bool scan_tls_sha256(
    const void *first, size_t first_count, const void *second, size_t second_count,
    uint8_t digest[SCAN_TLS_DIGEST_LENGTH]) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool done = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL)
        && EVP_DigestUpdate(context, first, first_count) && EVP_DigestUpdate(context, second, second_count)
        && EVP_DigestFinal_ex(context, digest, NULL);
    EVP_MD_CTX_free(context);
    return done;
}

#ifdef __linux__
// Equivalent to OpenSSL's function, which would load the library for the key even in a process without connections.
void scan_tls_wipe(void *bytes, size_t count) { explicit_bzero(bytes, count); }
#else
void scan_tls_wipe(void *bytes, size_t count) { OPENSSL_cleanse(bytes, count); }
#endif

bool scan_tls_equal(const void *left, const void *right, size_t count) {
    return CRYPTO_memcmp(left, right, count) == 0;
}

bool scan_tls_random(void *bytes, size_t count) { return RAND_priv_bytes(bytes, (int)count) == 1; }

bool scan_tls_has_aes(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
#elif defined(__aarch64__) && defined(__linux__)
    unsigned long capabilities = getauxval(AT_HWCAP);
    return (capabilities & HWCAP_AES) && (capabilities & HWCAP_PMULL);
#elif defined(__aarch64__)
    return true; // every Mac has them
#else
    return false;
#endif
}
