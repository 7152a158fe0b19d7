public import ScanBasics

/// Keeps a node announced: performs the actions of `AdvertisementState` with any ``ServiceDiscovery``.
public final class NodeAdvertiser: Sendable {
    /// The states of the announcement, for one consumer. Ends when ``run()`` returns.
    public let events: AsyncStream<AdvertisementEvent>

    private let source: any ServiceDiscovery
    private let service: ServiceAdvertisement
    private let retry: RetrySchedule
    private let clock: any ScanClock
    private let news: AsyncStream<AdvertisementEvent>.Continuation

    /// Creates an advertiser that announces `service` with `source`, and retries after the pauses of `retry`.
    public convenience init(
        _ source: any ServiceDiscovery, _ service: ServiceAdvertisement,
        retry: RetrySchedule = DiscoverySettings().sourceRetry
    ) {
        self.init(source, service, retry: retry, clock: DispatchClock())
    }

    /// Creates an advertiser that takes the time from `clock`.
    public init(
        _ source: any ServiceDiscovery, _ service: ServiceAdvertisement, retry: RetrySchedule, clock: any ScanClock
    ) {
        self.source = source
        self.service = service
        self.retry = retry
        self.clock = clock
        (events, news) = AsyncStream.makeStream(of: AdvertisementEvent.self)
    }

    /// Announces the service until the task is cancelled, then withdraws the announcement. Call it only once.
    public func run() async {
        let (inbox, inputs) = AsyncStream.makeStream(of: AdvertisementState.Event.self)
        var state = AdvertisementState(retry: retry)
        var registration: Task<Void, Never>?
        inputs.yield(.start)
        for await event in inbox {
            for action in state.handle(event, at: clock.now) {
                switch action {
                case .tell(let event): news.yield(event)
                case .register: registration = register { inputs.yield($0) }
                }
            }
            if let deadline = state.nextDeadline { _ = clock.schedule(at: deadline) { inputs.yield(.tick) } }
        }
        registration?.cancel()
        news.finish()
    }

    private func register(_ report: @escaping @Sendable (AdvertisementState.Event) -> Void) -> Task<Void, Never> {
        Task { [source, service] in
            do {
                for try await name in source.register(service) { report(.registered(name)) }
                report(.ended(DiscoveryError(.daemonLost, "the announcement ended; trying again")))
            } catch {
                report(.ended(error as? DiscoveryError ?? DiscoveryError(.refused, String(describing: error))))
            }
        }
    }
}
