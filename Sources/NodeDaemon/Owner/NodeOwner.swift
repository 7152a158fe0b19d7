import Dispatch
import Foundation
package import ScanCluster
import ScanNetwork

/// Observes the machine of a node and the signals of its owner, and reports whether the node runs tasks, as
/// ``OwnerState`` decides.
package final class NodeOwner: Sendable {
    /// Yields the reason why the node is paused, or nil if it runs tasks, at each change. Only one reader is supported.
    package let pauses: AsyncStream<String?>
    private let changes: AsyncStream<String?>.Continuation
    private let clock: any ScanClock
    private let observe: (@Sendable () -> MachineReading)?
    private let state: Locked<(state: OwnerState, told: String?)>

    /// Time between two observations of the machine.
    package static let interval = Duration.milliseconds(500)

    /// Creates an owner for `rules`. `observe` is called immediately and then at each interval, if there are rules.
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

    /// - Returns: The reason why the node is paused, or nil if it runs tasks.
    @discardableResult
    package func handle(_ event: OwnerState.Event) -> String? {
        state.withLock { state in
            state.state.handle(event)
            let pause = state.state.pause
            // Within the lock, so that the values are yielded in the order of the changes.
            if pause != state.told { changes.yield(pause) }
            state.told = pause
            return pause
        }
    }
}

/// Handles the signals by which the owner pauses (SIGUSR1) and resumes (SIGUSR2) the node.
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
