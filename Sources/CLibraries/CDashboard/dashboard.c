#include "CDashboard.h"
#include "CLoader.h"

#include <errno.h>
#include <pthread.h>

// The library can be missing only on Linux.
#ifndef ELIBACC
#define ELIBACC ENOENT
#endif

// Functions of the library, or NULL if it is not available.
static struct {
    __typeof__(MHD_start_daemon) *start_daemon;
    __typeof__(MHD_stop_daemon) *stop_daemon;
    __typeof__(MHD_get_connection_info) *get_connection_info;
    __typeof__(MHD_suspend_connection) *suspend_connection;
    __typeof__(MHD_resume_connection) *resume_connection;
    __typeof__(MHD_lookup_connection_value) *lookup_connection_value;
    __typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
    __typeof__(MHD_create_response_from_callback) *create_response_from_callback;
    __typeof__(MHD_add_response_header) *add_response_header;
    __typeof__(MHD_queue_response) *queue_response;
    __typeof__(MHD_destroy_response) *destroy_response;
} library;

#ifdef __linux__

static const char library_name[] = "libmicrohttpd.so.12";

static void load(void) {
    // The library is never closed, since its threads end after the last call.
    void *handle = skyfarm_load_library(library_name, "MHD_start_daemon");
    library.start_daemon = skyfarm_find_function(handle, "MHD_start_daemon");
    library.stop_daemon = skyfarm_find_function(handle, "MHD_stop_daemon");
    library.get_connection_info = skyfarm_find_function(handle, "MHD_get_connection_info");
    library.suspend_connection = skyfarm_find_function(handle, "MHD_suspend_connection");
    library.resume_connection = skyfarm_find_function(handle, "MHD_resume_connection");
    library.lookup_connection_value = skyfarm_find_function(handle, "MHD_lookup_connection_value");
    library.create_response_from_buffer = skyfarm_find_function(handle, "MHD_create_response_from_buffer");
    library.create_response_from_callback = skyfarm_find_function(handle, "MHD_create_response_from_callback");
    library.add_response_header = skyfarm_find_function(handle, "MHD_add_response_header");
    library.queue_response = skyfarm_find_function(handle, "MHD_queue_response");
    library.destroy_response = skyfarm_find_function(handle, "MHD_destroy_response");
}

#else

static void load(void) {
    library = (__typeof__(library)){
        MHD_start_daemon,
        MHD_stop_daemon,
        MHD_get_connection_info,
        MHD_suspend_connection,
        MHD_resume_connection,
        MHD_lookup_connection_value,
        MHD_create_response_from_buffer,
        MHD_create_response_from_callback,
        MHD_add_response_header,
        MHD_queue_response,
        MHD_destroy_response,
    };
}

#endif

static int is_loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return library.start_daemon
           && library.stop_daemon
           && library.get_connection_info
           && library.suspend_connection
           && library.resume_connection
           && library.lookup_connection_value
           && library.create_response_from_buffer
           && library.create_response_from_callback
           && library.add_response_header
           && library.queue_response
           && library.destroy_response;
}

struct MHD_Daemon *dashboard_start(
    int listener, unsigned connections, size_t memory, unsigned seconds, MHD_AccessHandlerCallback answer,
    MHD_NotifyConnectionCallback notify, void *context) {
    if (!is_loaded()) {
        errno = ELIBACC;
        return NULL;
    }
    return library.start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, context,
        MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listener, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_CONNECTION_TIMEOUT, seconds,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION, notify, context, MHD_OPTION_END);
}

int dashboard_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = library.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? (int)info->connect_fd : -1;
}

void dashboard_stop(struct MHD_Daemon *daemon) { library.stop_daemon(daemon); }

void dashboard_suspend(struct MHD_Connection *connection) { library.suspend_connection(connection); }

void dashboard_resume(struct MHD_Connection *connection) { library.resume_connection(connection); }

const char *dashboard_value(struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *name) {
    return library.lookup_connection_value(connection, kind, name);
}

struct MHD_Response *dashboard_response(const void *bytes, size_t count) {
    return library.create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

struct MHD_Response *dashboard_stream(
    size_t block, MHD_ContentReaderCallback read, void *context, MHD_ContentReaderFreeCallback end) {
    return library.create_response_from_callback(MHD_SIZE_UNKNOWN, block, read, context, end);
}

void dashboard_add_header(struct MHD_Response *response, const char *name, const char *value) {
    library.add_response_header(response, name, value);
}

enum MHD_Result dashboard_queue(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response) {
    return library.queue_response(connection, status, response);
}

void dashboard_destroy(struct MHD_Response *response) { library.destroy_response(response); }
