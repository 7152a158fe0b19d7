#include "CDashboard.h"
#include "CLoader.h"

#include <errno.h>
#include <pthread.h>

// The library can be missing only on Linux.
#ifndef ELIBACC
#define ELIBACC ENOENT
#endif

// Every function that this file calls, without its prefix.
#define FUNCTIONS(F) \
    F(start_daemon) F(stop_daemon) F(get_connection_info) F(suspend_connection) F(resume_connection) \
    F(lookup_connection_value) F(create_response_from_buffer) F(create_response_from_callback) \
    F(add_response_header) F(queue_response) F(destroy_response)

#define MEMBER(name) __typeof__(MHD_##name) *name;
#define IS_FOUND(name) && library.name

// Functions of the library, or NULL if it is not available.
static struct {
    FUNCTIONS(MEMBER)
} library;

static void load(void) {
#ifdef __linux__
    // The library is never closed, since its threads end after the last call.
    void *handle = skyfarm_load_library("libmicrohttpd.so.12", "MHD_start_daemon");
#define FIND(name) library.name = skyfarm_find_function(handle, "MHD_" #name);
#else
#define FIND(name) library.name = MHD_##name;
#endif
    FUNCTIONS(FIND)
}

static int is_loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return 1 FUNCTIONS(IS_FOUND);
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
