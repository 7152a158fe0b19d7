#ifndef CDASHBOARD_H
#define CDASHBOARD_H

// Wrappers of libmicrohttpd's variadic functions, which Swift cannot call.
#include <microhttpd.h>

/// Starts a server thread on a listening socket, which the daemon closes when it stops. Limits: `connections` at a
/// time, `memory` bytes per connection including the request's headers, `seconds` of idle time. NULL on failure.
struct MHD_Daemon *_Nullable dashboard_start(
    int listener, unsigned connections, size_t memory, unsigned seconds, MHD_AccessHandlerCallback _Nonnull answer,
    MHD_NotifyConnectionCallback _Nonnull notify, void *_Nonnull context);

/// The socket of a connection; -1 if there is none.
int dashboard_descriptor(struct MHD_Connection *_Nonnull connection);

#endif
