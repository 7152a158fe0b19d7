#if canImport(Glibc)
    package import Glibc
#else
    package import Darwin
#endif

/// Returns hints that restrict `getaddrinfo` to stream sockets. This is a function, not a member of `addrinfo`: a file
/// that imports libuv's header sees that type in another module, without the extensions of this one.
package func streamSocketHints() -> addrinfo {
    var hints = addrinfo()
    hints.ai_socktype = streamSocketType
    return hints
}

/// The type of stream sockets as an argument of `socket`.
package var streamSocketType: Int32 {
    #if canImport(Glibc)
        Int32(SOCK_STREAM.rawValue)
    #else
        SOCK_STREAM
    #endif
}

/// Limits the duration of each read and write on a socket, in seconds.
package func limitTime(ofSocket descriptor: Int32, seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
        setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }
}
