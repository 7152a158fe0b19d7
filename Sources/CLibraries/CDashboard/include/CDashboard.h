#ifndef CDASHBOARD_H
#define CDASHBOARD_H

// libmicrohttpd's functions with variable arguments, which Swift cannot call.
#include <microhttpd.h>

/// Serves on a socket that listens, which it closes in the end, with a thread of its own. At most `connections` at the
/// same time, of which each may take `memory` bytes, the headers of its request among them, and be idle for `seconds`.
/// Returns NULL if it cannot.
struct MHD_Daemon *_Nullable dashboard_start(
    int listener, unsigned connections, size_t memory, unsigned seconds, MHD_AccessHandlerCallback _Nonnull answer,
    MHD_NotifyConnectionCallback _Nonnull notify, void *_Nonnull context);

/// The socket of a connection; negative if there is none.
int dashboard_descriptor(struct MHD_Connection *_Nonnull connection);

#endif
