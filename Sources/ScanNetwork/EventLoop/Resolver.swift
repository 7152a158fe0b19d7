import ScanBasics
import ScanCluster
import CLibUV
import ScanSockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Resolves host names on libuv's worker threads, because the system's resolver may block for long.
enum Resolver {
    /// The addresses of a name, or why there are none.
    enum Outcome {
        case addresses([RawAddress])
        case failed(String)
    }

    private final class Request {
        let completion: (Outcome) -> Void
        init(_ completion: @escaping (Outcome) -> Void) { self.completion = completion }
    }

    /// Calls `completion` on the loop's thread, never from inside this call.
    static func resolve(_ address: SocketAddress, on loop: EventLoop, _ completion: @escaping (Outcome) -> Void) {
        loop.assertOnLoop()
        var hints = streamSocketHints()
        let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
        let box = Unmanaged.passRetained(Request(completion))
        request.pointee.data = box.toOpaque()
        let status = uv_getaddrinfo(
            loop.uv, request,
            { request, status, list in
                guard let request, let data = request.pointee.data else { return }
                let completion = Unmanaged<Request>.fromOpaque(data).takeRetainedValue().completion
                request.deallocate()
                defer { uv_freeaddrinfo(list) }
                if status == 0, let list {
                    completion(.addresses(rawAddresses(list)))
                } else {
                    completion(.failed(String(cString: uv_strerror(status))))
                }
            }, address.host.isEmpty ? "localhost" : address.host, String(address.port), &hints)
        if status != 0 {
            request.deallocate()
            box.release()
            nonisolated(unsafe) let completion = completion  // It was made on the loop's thread and runs there.
            loop.execute { completion(.failed(String(cString: uv_strerror(status)))) }
        }
    }
}
