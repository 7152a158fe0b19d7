import Dispatch
import Foundation
package import ScanCluster
import ScanNetwork

/// Observes the machine of a node and its owner's signals, and tells whether the node runs tasks, as ``OwnerState``
/// decides.
package final class NodeOwner: Sendable {
    /// Why the node runs no tasks, nil if it runs them: a value for each change, for one reader.
    package let pauses: AsyncStream<String?>
    private let changes: AsyncStream<String?>.Continuation
    private let clock: any ScanClock
    private let observe: (@Sendable () -> MachineReading)?
    private let state: Locked<(state: OwnerState, told: String?)>

    /// How often the machine is observed.
    package static let interval = Duration.milliseconds(500)

    /// `observe` is called now and at each interval, if there are rules.
    package init(_ rules: OwnerRules, clock: any ScanClock, observe: @escaping @Sendable () -> MachineReading) {
        (pauses, changes) = AsyncStream.makeStream()
        self.clock = clock
        self.observe = rules.isEmpty ? nil : observe
        state = Locked((OwnerState(rules), nil))
        tick()
    }

    private func tick() {
        guard let observe else { return }
        handle(.reading(observe(), at: clock.now))
        _ = clock.schedule(at: clock.now.advanced(by: Self.interval)) { [weak self] in self?.tick() }
    }

    /// - Returns: why the node runs no tasks now; nil if it runs them.
    @discardableResult
    package func handle(_ event: OwnerState.Event) -> String? {
        state.withLock { state in
            state.state.handle(event)
            let pause = state.state.pause
            // In the lock, so that the order of the values is that of the changes.
            if pause != state.told { changes.yield(pause) }
            state.told = pause
            return pause
        }
    }
}

/// The signals by which the owner of a machine pauses its node, SIGUSR1, and resumes it, SIGUSR2.
final class OwnerSignals {
    private let sources: [any DispatchSourceSignal]

    init(_ handle: @escaping @Sendable (OwnerState.Event) -> Void) {
        let queue = DispatchQueue(label: "skyfarm.owner")
        sources = [(SIGUSR1, true), (SIGUSR2, false)].map { number, isPaused in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { @Sendable in handle(.owner(isPaused: isPaused)) }
            source.activate()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }
}
