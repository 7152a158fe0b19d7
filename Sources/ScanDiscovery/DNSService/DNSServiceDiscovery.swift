import ScanBasics
import CDNSSD

/// Discovery with the machine's DNS-SD daemon: Avahi on Linux, mDNSResponder on macOS.
///
/// The functions of `dns_sd.h` block, up to 25 s when the daemon hangs, so all of them run on dedicated Dispatch
/// queues. A daemon that does not answer within ``timeout`` is reported; a later answer is ignored.
public struct DNSServiceDiscovery: ServiceDiscovery {
    /// Type of the service that Skyfarm nodes announce.
    public static let skyfarmType = "_skyfarm._tcp"

    /// Type of the services announced and sought, such as `_skyfarm._tcp`.
    public let type: String
    /// Time within which the daemon must accept a request before it counts as hung.
    public let timeout: Duration

    private let opener = DNSServiceOpener()

    /// Creates a source for services of one type.
    public init(type: String = skyfarmType, timeout: Duration = .seconds(2)) {
        self.type = type
        self.timeout = timeout
    }

    /// Announces a service on all interfaces.
    ///
    /// The sequence throws, without a request to the daemon, if the record violates a rule that the daemon does not
    /// check.
    public func register(_ service: ServiceAdvertisement) -> AsyncThrowingStream<String, any Error> {
        do {
            try service.validate()
            let record = try service.txt.encoded()
            return stream("announce the node") { continuation, _ in
                DNSServiceCall(context: RegistrationContext(continuation)) { [type] reference, context in
                    skyfarm_dnssd_register(
                        reference, service.name, type, "local.", service.port.bigEndian, UInt16(record.count), record,
                        registrationReply, context)
                }
            }
        } catch {
            return AsyncThrowingStream { $0.finish(throwing: error) }
        }
    }

    /// Browses on all interfaces.
    public func browse() -> AsyncThrowingStream<BrowseEvent, any Error> {
        stream("browse for nodes", started: .started) { continuation, _ in
            DNSServiceCall(context: BrowseContext(continuation)) { [type] reference, context in
                skyfarm_dnssd_browse(reference, type, "local.", browseReply, context)
            }
        }
    }

    /// Queries host, port and TXT record of an instance. The daemon gives up after 5 s.
    public func resolve(_ instance: ServiceInstance) -> AsyncThrowingStream<ResolvedService, any Error> {
        stream("resolve '\(instance.name.printable)'") { continuation, _ in
            DNSServiceCall(context: ResolutionContext(continuation)) { [type] reference, context in
                skyfarm_dnssd_resolve(
                    reference, instance.interface, instance.name, type, instance.domain, resolutionReply, context)
            }
        }
    }

    /// Queries A and AAAA records, the only address request that both kinds of daemon support.
    public func addresses(of host: String, interface: UInt32) -> AsyncThrowingStream<HostAddress, any Error> {
        stream("find the addresses of \(host.printable)", requests: [kDNSServiceType_A, kDNSServiceType_AAAA]) {
            continuation, record in
            DNSServiceCall(context: AddressContext(continuation)) { reference, context in
                skyfarm_dnssd_query(reference, interface, host, UInt16(record), addressReply, context)
            }
        }
    }

    /// Returns a sequence fed by one operation for each of `requests`. The operations are cancelled when it ends.
    private func stream<Element: Sendable>(
        _ purpose: String, started: Element? = nil, requests: [Int] = [0],
        _ call: (AsyncThrowingStream<Element, any Error>.Continuation, Int) -> DNSServiceCall
    ) -> AsyncThrowingStream<Element, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Element.self)
        let operations = requests.map { request in
            DNSServiceOperation(
                call(continuation, request), purpose: purpose, timeout: timeout,
                started: { if let started { continuation.yield(started) } },
                failed: { continuation.finish(throwing: $0) })
        }
        continuation.onTermination = { _ in for operation in operations { operation.cancel() } }
        for operation in operations { operation.open(with: opener) }
        return stream
    }
}
