#include "internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Reads directly from the lent buffer, whereas OpenSSL's memory BIO would copy and keep the input.

static int read_input(BIO *bio, char *buffer, int capacity) {
    scan_tls *session = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (session->input_count == 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    size_t count = (size_t)capacity < session->input_count ? (size_t)capacity : session->input_count;
    memcpy(buffer, session->input, count);
    session->input += count;
    session->input_count -= count;
    session->consumed += count;
    return (int)count;
}

bool scan_tls_reserve_output(scan_tls *session, size_t count) {
    size_t needed = session->output_count + count;
    if (needed <= session->output_capacity) return true;
    size_t capacity = session->output_capacity * 2 > needed ? session->output_capacity * 2 : needed;
    uint8_t *grown = realloc(session->output, capacity);
    if (!grown) return false;
    session->output = grown;
    session->output_capacity = capacity;
    return true;
}

static int write_output(BIO *bio, const char *bytes, int count) {
    scan_tls *session = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (count <= 0 || !scan_tls_reserve_output(session, (size_t)count)) return -1;
    memcpy(session->output + session->output_count, bytes, (size_t)count);
    session->output_count += (size_t)count;
    return count;
}

static long control(BIO *bio, int command, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH || command == BIO_CTRL_DUP;
}

static BIO_METHOD *method;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_method(void) {
    BIO_METHOD *made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "scan memory");
    if (!made) return;
    BIO_meth_set_read(made, read_input);
    BIO_meth_set_write(made, write_output);
    BIO_meth_set_ctrl(made, control);
    method = made;
}

BIO *scan_tls_bio(scan_tls *session) {
    pthread_once(&once, make_method);
    BIO *bio = method ? BIO_new(method) : NULL;
    if (!bio) return NULL;
    BIO_set_data(bio, session);
    BIO_set_init(bio, 1);
    return bio;
}
