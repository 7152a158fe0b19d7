import Foundation
package import ScanBasics
import ScanCluster
package import ScanNetwork

/// The weight of a submitted job, which may change while the job runs in this process.
package final class JobWeight: Sendable {
    /// That of the job that this task runs; nil if it runs none that was submitted.
    @TaskLocal package static var current: JobWeight?

    private struct State {
        /// Nil until it is changed.
        var weight: Double?
        var connections: [RemoteNodes] = []
    }
    private let state = Locked(State())

    package init() {}

    /// The signal by which a process is told that the file of its job has another weight.
    package static let signal = SIGUSR1

    /// Calls `read` for the weight when the process gets ``signal``, until the result is released.
    package func observe(_ read: @escaping @Sendable () -> Double?) -> SignalEvents {
        SignalEvents([Self.signal], queue: .global()) { [self] _ in
            guard let weight = read() else { return }
            let connections = state.withLock { state in
                state.weight = weight
                return state.connections
            }
            for connection in connections { connection.use(weight: weight) }
        }
    }

    /// Has the nodes of these connections know the weight from now on.
    package func follow(_ connections: RemoteNodes) {
        let weight = state.withLock { state in
            state.connections.append(connections)
            return state.weight
        }
        if let weight { connections.use(weight: weight) }
    }
}
