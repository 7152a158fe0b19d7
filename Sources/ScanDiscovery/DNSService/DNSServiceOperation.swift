import CDNSSD
import Dispatch

/// A request to the library: the call that creates a reference, and the object that receives the replies.
struct DNSServiceCall: Sendable {
    var context: any AnyObject & Sendable
    var make: @Sendable (UnsafeMutablePointer<DNSServiceRef?>, UnsafeMutableRawPointer) -> DNSServiceErrorType

    init(
        context: any AnyObject & Sendable,
        make: @escaping @Sendable (UnsafeMutablePointer<DNSServiceRef?>, UnsafeMutableRawPointer) -> DNSServiceErrorType
    ) {
        self.context = context
        self.make = make
    }
}

/// A reference, with the context that it keeps alive.
struct DNSServiceReference: @unchecked Sendable {
    // Sendable: handed over once from the opener's queue to the operation's queue, and used only there afterwards.
    let raw: DNSServiceRef
    let context: Unmanaged<AnyObject>

    func deallocate() {
        skyfarm_dnssd_deallocate(raw)
        context.release()
    }
}

/// The lifetime of one reference: created on the opener's queue, used and deallocated on its own serial queue.
final class DNSServiceOperation: @unchecked Sendable {
    // Sendable: `state` is accessed on `queue` only.
    private enum State {
        case opening
        case open(any DispatchSourceRead)
        case ended
    }

    private let queue = DispatchQueue(label: "skyfarm.dns-sd.reference")
    private let call: DNSServiceCall
    private let purpose: String
    private let timeout: Duration
    private let started: @Sendable () -> Void
    private let failed: @Sendable (DiscoveryError) -> Void
    private var state = State.opening

    init(
        _ call: DNSServiceCall, purpose: String, timeout: Duration, started: @escaping @Sendable () -> Void,
        failed: @escaping @Sendable (DiscoveryError) -> Void
    ) {
        self.call = call
        self.purpose = purpose
        self.timeout = timeout
        self.started = started
        self.failed = failed
    }

    /// Creates the reference. Returns at once; `started` or `failed` reports the outcome.
    func open(with opener: DNSServiceOpener) {
        opener.enqueue(
            call, unless: { [self] in queue.sync { if case .ended = state { true } else { false } } },
            completion: { [self] result in queue.async { [self] in adopt(result) } })
        watch(opener, seen: opener.progress)
    }

    /// Cancels the request. The reference is deallocated once nothing on its queue uses it.
    func cancel() { queue.async { [self] in end() } }

    /// Reports a daemon that does not answer. While the opener makes progress, this request is only waiting for earlier
    /// ones.
    private func watch(_ opener: DNSServiceOpener, seen: UInt64) {
        queue.asyncAfter(deadline: .now() + timeout.dispatchInterval) { [self] in
            guard case .opening = state else { return }
            guard opener.progress == seen else { return watch(opener, seen: opener.progress) }
            end()
            failed(.daemonHangs(timeout))
        }
    }

    private func adopt(_ result: Result<DNSServiceReference, DNSServiceStatus>) {
        switch (state, result) {
        case (.opening, .success(let reference)):
            state = .open(source(reading: reference))
            started()
        case (.opening, .failure(let status)):
            state = .ended
            failed(DiscoveryError(status: status.code, to: purpose, wasOpen: false))
        case (.ended, .success(let reference)):
            reference.deallocate()
        case (.ended, .failure):
            break
        case (.open, _):
            preconditionFailure("the opener answers each request once")
        }
    }

    /// Returns a source that reads the replies. Dispatch may watch the descriptor until the cancel handler runs, so
    /// only that handler may close it.
    private func source(reading reference: DNSServiceReference) -> any DispatchSourceRead {
        let source = DispatchSource.makeReadSource(
            fileDescriptor: skyfarm_dnssd_descriptor(reference.raw), queue: queue)
        source.setEventHandler { [self] in
            guard case .open = state else { return }
            let status = skyfarm_dnssd_process(reference.raw)
            if status != kDNSServiceErr_NoError {
                end()
                failed(DiscoveryError(status: status, to: purpose, wasOpen: true))
            }
        }
        source.setCancelHandler { reference.deallocate() }
        source.activate()
        return source
    }

    private func end() {
        if case .open(let source) = state { source.cancel() }
        state = .ended
    }
}
