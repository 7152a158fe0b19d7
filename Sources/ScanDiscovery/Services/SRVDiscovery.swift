import ScanBasics
import CDNSSD
import Dispatch

/// Nodes listed in SRV records of unicast DNS, as published by a Kubernetes headless service.
///
/// The name is queried again when its records expire, so that nodes appear and disappear with the records.
public struct SRVDiscovery: ServiceDiscovery {
    /// A name server to query instead of the system's name servers.
    public struct Server: Hashable, Sendable {
        /// The IPv4 address of the server.
        public var address: HostAddress
        /// UDP and TCP port.
        public var port: UInt16

        /// Creates a server; the default port is 53.
        public init(address: HostAddress, port: UInt16 = 53) {
            self.address = address
            self.port = port
        }
    }

    /// Name of the records, such as `_skyfarm._tcp.farm.example`.
    public let name: String
    /// Minimum and maximum pause between queries, whatever the time to live is. Default: 5 s to 60 s.
    public let pauses: ClosedRange<Duration>
    private let server: Server?

    /// Creates a source for the records of `name`.
    public init(_ name: String, server: Server? = nil, pauses: ClosedRange<Duration> = .seconds(5)...(.seconds(60))) {
        self.name = name
        self.server = server
        self.pauses = pauses
    }

    /// Throws ``DiscoveryError`` with code `unsupported`: only the operator of a DNS zone writes its records.
    public func register(_ service: ServiceAdvertisement) -> AsyncThrowingStream<String, any Error> {
        AsyncThrowingStream {
            $0.finish(throwing: DiscoveryError(.unsupported, "a node cannot announce itself in unicast DNS"))
        }
    }

    /// Returns the targets of the records. If the name servers do not answer, the sequence throws and the consumer
    /// browses again.
    public func browse() -> AsyncThrowingStream<BrowseEvent, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: BrowseEvent.self)
        let task = Task {
            do {
                var known: Set<ServiceInstance> = []
                var answer = try await ask()
                continuation.yield(.started)
                while true {
                    let instances = Set(answer.targets.map(instance))
                    for gone in known.subtracting(instances).sorted() { continuation.yield(.removed(gone)) }
                    for new in instances.subtracting(known).sorted() { continuation.yield(.added(new)) }
                    known = instances
                    let pause = Duration.seconds(answer.secondsToLive ?? 0)
                    try await Task.sleep(for: min(max(pause, pauses.lowerBound), pauses.upperBound))
                    answer = try await ask()
                }
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Returns host and port of a target.
    public func resolve(_ instance: ServiceInstance) -> AsyncThrowingStream<ResolvedService, any Error> {
        AsyncThrowingStream { continuation in
            let separator = instance.name.lastIndex(of: ":")
            guard let separator, let port = UInt16(instance.name[separator...].dropFirst()) else {
                continuation.finish(
                    throwing: DiscoveryError(.invalid, "'\(instance.name.printable)' is not a target of SRV records"))
                return
            }
            continuation.yield(ResolvedService(host: String(instance.name[..<separator]), port: port))
        }
    }

    /// Returns the addresses found by the system's resolver.
    public func addresses(of host: String, interface: UInt32) -> AsyncThrowingStream<HostAddress, any Error> {
        SystemResolver.addresses(of: host)
    }

    private func instance(_ target: SRVAnswer.Target) -> ServiceInstance {
        ServiceInstance(name: "\(target.host):\(target.port)", domain: "")
    }

    /// Queries the current records. Blocks a Dispatch thread, since the resolver may take seconds.
    private func ask() async throws -> SRVAnswer {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "skyfarm.discovery.srv").async { [self] in
                continuation.resume(with: Swift.Result { try query() })
            }
        }
    }

    private func query() throws(DiscoveryError) -> SRVAnswer {
        let address = server?.address.bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } ?? 0
        // The maximum length of a DNS message.
        var message = [UInt8](repeating: 0, count: 65_535)
        let length = skyfarm_query_srv(name, address, server?.port ?? 0, &message, Int32(message.count))
        guard length >= 0 else {
            let isUnknown = length == -1 || length == -4
            throw DiscoveryError(
                .noAnswer,
                isUnknown
                    ? "DNS has no SRV records for \(name.printable); check the name"
                    : "the name servers did not answer for \(name.printable); check /etc/resolv.conf")
        }
        guard let answer = SRVAnswer(parsing: message.prefix(Int(length))) else {
            throw DiscoveryError(.invalid, "the name servers' answer for \(name.printable) is malformed")
        }
        return answer
    }
}
