/// The four requests of DNS-SD, each answered by an asynchronous sequence.
///
/// A sequence throws ``DiscoveryError`` when its source fails. Implementations do not retry: `DiscoveryState` and
/// `AdvertisementState` decide that. Ending the iteration cancels the request. No function blocks.
public protocol ServiceDiscovery: Sendable {
    /// Announces a service while the sequence is iterated. Yields the assigned name, and again if it changes.
    func register(_ service: ServiceAdvertisement) -> AsyncThrowingStream<String, any Error>

    /// Reports announced and withdrawn instances, from the moment at which the source listens.
    func browse() -> AsyncThrowingStream<BrowseEvent, any Error>

    /// Returns host, port and TXT record of an instance, and again when they change.
    func resolve(_ instance: ServiceInstance) -> AsyncThrowingStream<ResolvedService, any Error>

    /// Returns the addresses of a resolved instance's host, one by one, as seen on the interface with index
    /// `interface`.
    func addresses(of host: String, interface: UInt32) -> AsyncThrowingStream<HostAddress, any Error>
}

/// An event of ``ServiceDiscovery/browse()``.
public enum BrowseEvent: Hashable, Sendable {
    /// The source is listening.
    case started
    /// An instance was announced. Reported twice if an interface has two protocol families.
    case added(ServiceInstance)
    /// An instance was withdrawn; reported once for each time it was added.
    case removed(ServiceInstance)
}
