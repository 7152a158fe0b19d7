/// The four requests of DNS-SD, each answered by a sequence.
///
/// A sequence ends by throwing ``DiscoveryError`` when its source fails. Implementations do not retry:
/// ``DiscoveryState`` and ``AdvertisementState`` decide that. The end of the iteration cancels the request. No function
/// blocks.
public protocol ServiceDiscovery: Sendable {
    /// Announces a service for as long as the sequence is iterated; yields the name it got, again if that changes.
    func register(_ service: ServiceAdvertisement) -> AsyncThrowingStream<String, any Error>

    /// The instances that are announced and withdrawn, from the moment the source listens.
    func browse() -> AsyncThrowingStream<BrowseEvent, any Error>

    /// Host, port and TXT record of an instance; again when they change.
    func resolve(_ instance: ServiceInstance) -> AsyncThrowingStream<ResolvedService, any Error>

    /// The addresses of `host`, as a resolved instance names it, one by one, as seen on interface number `interface`.
    func addresses(of host: String, interface: UInt32) -> AsyncThrowingStream<HostAddress, any Error>
}

/// An event of browsing.
public enum BrowseEvent: Hashable, Sendable {
    /// The source listens now.
    case started
    /// An instance was announced. With two protocol families on one interface this comes twice.
    case added(ServiceInstance)
    /// An instance was withdrawn, once for each time it was added.
    case removed(ServiceInstance)
}
