import CDNSSD
import Dispatch
import Synchronization

/// An error code of the library as an error.
struct DNSServiceStatus: Error {
    var code: DNSServiceErrorType
}

/// Creates references one after the other on its own queue, since creating one blocks until the daemon answers.
///
/// With one queue for all requests, a daemon that hangs blocks one thread, not one per request.
final class DNSServiceOpener: Sendable {
    private let queue = DispatchQueue(label: "skyfarm.dns-sd.open")
    private let answered = Atomic<UInt64>(0)

    /// Number of requests the daemon has answered.
    var progress: UInt64 { answered.load(ordering: .relaxed) }

    /// Creates the reference of `call` in turn, unless the request has been cancelled by then.
    func enqueue(
        _ call: DNSServiceCall, unless isObsolete: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<DNSServiceReference, DNSServiceStatus>) -> Void
    ) {
        queue.async { [self] in
            guard !isObsolete() else { return }
            let context = Unmanaged<AnyObject>.passRetained(call.context)
            var reference: DNSServiceRef?
            var status = DNSServiceErrorType(kDNSServiceErr_Unknown)
            // Without a bus the daemon is unreachable, and the library need not be loaded.
            if !DiscoveryDaemon.diagnose().isBusAbsent { status = call.make(&reference, context.toOpaque()) }
            answered.add(1, ordering: .relaxed)
            if status == kDNSServiceErr_NoError, let reference {
                completion(.success(DNSServiceReference(raw: reference, context: context)))
            } else {
                context.release()
                completion(.failure(DNSServiceStatus(code: status)))
            }
        }
    }
}

extension Duration {
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
