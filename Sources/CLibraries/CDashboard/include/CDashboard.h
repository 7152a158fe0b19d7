#ifndef CDASHBOARD_H
#define CDASHBOARD_H

// Functions of libmicrohttpd. On Linux the library and its dozen dependencies are loaded by the first call of
// dashboard_start, since most scans have no page. The other functions must be called only while a daemon runs.
#include <microhttpd.h>

/// Starts a server thread on a listening socket, which the daemon closes when it stops. Limits are `connections` at a
/// time, `memory` bytes per connection including the headers of the request, and `seconds` of idle time. Returns NULL
/// on failure, with errno ELIBACC if the library is not installed.
struct MHD_Daemon *_Nullable dashboard_start(
    int listener, unsigned connections, size_t memory, unsigned seconds, MHD_AccessHandlerCallback _Nonnull answer,
    MHD_NotifyConnectionCallback _Nonnull notify, void *_Nonnull context);

/// Returns the socket of a connection, or -1 if there is none.
int dashboard_descriptor(struct MHD_Connection *_Nonnull connection);

/// Calls MHD_stop_daemon.
void dashboard_stop(struct MHD_Daemon *_Nonnull daemon);

/// Call MHD_suspend_connection and MHD_resume_connection.
void dashboard_suspend(struct MHD_Connection *_Nonnull connection);
void dashboard_resume(struct MHD_Connection *_Nonnull connection);

/// Calls MHD_lookup_connection_value.
const char *_Nullable dashboard_value(
    struct MHD_Connection *_Nonnull connection, enum MHD_ValueKind kind, const char *_Nonnull name);

/// Creates a response with a copy of `count` bytes. Returns NULL if memory is exhausted.
struct MHD_Response *_Nullable dashboard_response(const void *_Nonnull bytes, size_t count);

/// Creates a response of unlimited length in blocks of `block` bytes, which `read` writes; `end` is called last.
struct MHD_Response *_Nullable dashboard_stream(
    size_t block, MHD_ContentReaderCallback _Nonnull read, void *_Nonnull context,
    MHD_ContentReaderFreeCallback _Nonnull end);

/// Call MHD_add_response_header, MHD_queue_response and MHD_destroy_response.
void dashboard_add_header(
    struct MHD_Response *_Nonnull response, const char *_Nonnull name, const char *_Nonnull value);
enum MHD_Result dashboard_queue(
    struct MHD_Connection *_Nonnull connection, unsigned status, struct MHD_Response *_Nonnull response);
void dashboard_destroy(struct MHD_Response *_Nonnull response);

#endif
