public import ScanBasics

/// Discovers nodes: performs the actions of `DiscoveryState` with any ``ServiceDiscovery``.
///
/// ``run()`` passes the answers of the source to the state and performs the actions that it returns; ``events`` reports
/// the nodes. The consumer connects to each found node and calls ``report(_:of:)`` with the outcome, which decides when
/// the node is offered again.
///
/// ```swift
/// let discovery = NodeDiscovery(DNSServiceDiscovery(), own: [myIdentity])
/// async let running: Void = discovery.run()
/// for await event in discovery.events { … }
/// ```
public final class NodeDiscovery: Sendable {
    /// The events of discovery, for one consumer. Ends when ``run()`` returns.
    public let events: AsyncStream<DiscoveryEvent>

    private let source: any ServiceDiscovery
    private let own: Set<SystemID>
    private let settings: DiscoverySettings
    private let clock: any ScanClock
    private let announcements: AsyncStream<DiscoveryEvent>.Continuation
    private let inbox: AsyncStream<Input>
    private let inputs: AsyncStream<Input>.Continuation

    /// An event, and the number of the resolution that it comes from, if any.
    private struct Input: Sendable {
        var event: DiscoveryState.Event
        var resolution: Int?
    }

    /// Creates a discovery with `source`.
    ///
    /// - Parameters:
    ///   - source: the source of announcements.
    ///   - own: identities of this process, which are never reported.
    ///   - settings: time constants and limits.
    public convenience init(
        _ source: any ServiceDiscovery, own: Set<SystemID> = [], settings: DiscoverySettings = DiscoverySettings()
    ) {
        self.init(source, own: own, settings: settings, clock: DispatchClock())
    }

    /// Creates a discovery that takes the time from `clock`.
    public init(
        _ source: any ServiceDiscovery, own: Set<SystemID>, settings: DiscoverySettings, clock: any ScanClock
    ) {
        self.source = source
        self.own = own
        self.settings = settings
        self.clock = clock
        (events, announcements) = AsyncStream.makeStream(of: DiscoveryEvent.self)
        (inbox, inputs) = AsyncStream.makeStream(of: Input.self)
    }

    /// Reports the outcome of a connection to a node, which decides when the node is offered again.
    public func report(_ outcome: ConnectionOutcome, of id: DiscoveredNode.ID) {
        inputs.yield(Input(event: .report(outcome, of: id)))
    }

    /// Resolves nodes as soon as possible from now on, whatever the settings say.
    public func expedite() { inputs.yield(Input(event: .expedite)) }

    /// Discovers nodes until the task is cancelled. Call it only once.
    public func run() async {
        var state = DiscoveryState(
            settings: settings, own: own, loopbackInterface: NetworkInterface.loopbackNumber)
        var work = Work()
        inputs.yield(Input(event: .start))
        for await input in inbox {
            if let number = input.resolution, !work.isCurrent(number) { continue }
            if input.event == .tick { work.timer = nil }
            let actions = state.handle(input.event, at: clock.now)
            for action in actions { perform(action, &work) }
            setTimer(at: state.nextDeadline, &work)
        }
        if let timer = work.timer { clock.cancel(timer.id) }
        work.cancelAll()
        announcements.finish()
    }

    private func perform(_ action: DiscoveryState.Action, _ work: inout Work) {
        switch action {
        case .announce(let event):
            announcements.yield(event)
        case .browse:
            work.browsing?.cancel()
            work.browsing = Task { [source, inputs] in
                let error = await Self.forward(source.browse()) { inputs.yield(Input(event: .browse($0))) }
                inputs.yield(Input(event: .browseEnded(error ?? Self.silentEnd)))
            }
        case .resolve(let instance):
            let number = work.begin(instance)
            work.resolutions[instance]?.resolving = Task { [source, inputs] in
                await Self.forward(source.resolve(instance)) {
                    inputs.yield(Input(event: .resolved(instance, $0), resolution: number))
                }
                inputs.yield(Input(event: .resolutionEnded(instance), resolution: number))
            }
        case .lookUp(let instance, let host):
            guard let number = work.resolutions[instance]?.number else { return }
            let local = NetworkInterface.localAddresses()
            work.resolutions[instance]?.lookingUp?.cancel()
            work.resolutions[instance]?.lookingUp = Task { [source, inputs] in
                await Self.forward(source.addresses(of: host, interface: instance.interface)) {
                    let event = DiscoveryState.Event.address(
                        instance, $0, isOnThisMachine: local.contains($0.bytes))
                    inputs.yield(Input(event: event, resolution: number))
                }
                if !Task.isCancelled {
                    inputs.yield(Input(event: .resolutionEnded(instance), resolution: number))
                }
            }
        case .stopResolving(let instance):
            work.end(instance)
        }
    }

    /// Passes the elements of `sequence` to `receive`. Returns the error that ended the sequence, if any.
    @discardableResult
    private static func forward<Element: Sendable>(
        _ sequence: AsyncThrowingStream<Element, any Error>, to receive: (Element) -> Void
    ) async -> DiscoveryError? {
        do {
            for try await element in sequence { receive(element) }
            return nil
        } catch {
            return error as? DiscoveryError ?? DiscoveryError(.refused, String(describing: error))
        }
    }

    private func setTimer(at deadline: Instant?, _ work: inout Work) {
        guard deadline != work.timer?.deadline else { return }
        if let timer = work.timer { clock.cancel(timer.id) }
        work.timer = deadline.map { deadline in
            let id = clock.schedule(at: deadline) { [inputs] in inputs.yield(Input(event: .tick)) }
            return (deadline, id)
        }
    }

    private static let silentEnd = DiscoveryError(.daemonLost, "the source of nodes ended; trying again")
}

/// The operations in progress.
private struct Work {
    struct Resolution {
        var number: Int
        var resolving: Task<Void, Never>?
        var lookingUp: Task<Void, Never>?
    }

    var browsing: Task<Void, Never>?
    var resolutions: [ServiceInstance: Resolution] = [:]
    var timer: (deadline: Instant, id: TimerID)?
    private var count = 0
    private var current: Set<Int> = []

    /// Whether a resolution is in progress. Events of a stopped resolution may still arrive.
    func isCurrent(_ number: Int) -> Bool { current.contains(number) }

    mutating func begin(_ instance: ServiceInstance) -> Int {
        count += 1
        current.insert(count)
        resolutions[instance] = Resolution(number: count)
        return count
    }

    mutating func end(_ instance: ServiceInstance) {
        guard let resolution = resolutions.removeValue(forKey: instance) else { return }
        current.remove(resolution.number)
        resolution.resolving?.cancel()
        resolution.lookingUp?.cancel()
    }

    mutating func cancelAll() {
        browsing?.cancel()
        for instance in resolutions.keys { end(instance) }
    }
}
