import Dispatch
import Foundation
import ScanBasics
import ScanCluster
package import ScanDiscovery

/// Discovers the nodes of a ``FleetFile``, including nodes that are added while it is browsed.
package struct FleetDiscovery: ServiceDiscovery {
    package let file: FleetFile

    /// Uses the file of this user, or returns nil if no node was started by `skyfarm up`.
    package init?() {
        guard let file = FleetFile(), FileManager.default.fileExists(atPath: file.path) else { return nil }
        self.file = file
    }

    package init(_ file: FleetFile) { self.file = file }

    private var entries: StaticDiscovery { StaticDiscovery(file.nodes.map(\.address)) }

    package func register(_ service: ServiceAdvertisement) -> AsyncThrowingStream<String, any Error> {
        entries.register(service)
    }

    /// Yields the current nodes, and then each change of the file.
    package func browse() -> AsyncThrowingStream<BrowseEvent, any Error> {
        AsyncThrowingStream { continuation in
            let known = Locked(Set<ServiceInstance>())
            let look: @Sendable () -> Void = {
                let now = Set(file.nodes.map { ServiceInstance(name: $0.address.description, domain: "") })
                known.withLock { known in
                    for gone in known.subtracting(now).sorted() { continuation.yield(.removed(gone)) }
                    for new in now.subtracting(known).sorted() { continuation.yield(.added(new)) }
                    known = now
                }
            }
            let queue = DispatchQueue(label: "skyfarm.fleet")
            let folder = (file.path as NSString).deletingLastPathComponent
            let events = FileEvents([folder], queue: queue) { _ in look() }
            continuation.yield(.started)
            queue.async(execute: look)
            continuation.onTermination = { _ in withExtendedLifetime(events) {} }
        }
    }

    package func resolve(_ instance: ServiceInstance) -> AsyncThrowingStream<ResolvedService, any Error> {
        StaticDiscovery((try? SocketAddress(parsing: instance.name)).map { [$0] } ?? []).resolve(instance)
    }

    package func addresses(of host: String, interface: UInt32) -> AsyncThrowingStream<HostAddress, any Error> {
        entries.addresses(of: host, interface: interface)
    }
}
