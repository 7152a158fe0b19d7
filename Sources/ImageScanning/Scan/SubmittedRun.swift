import Foundation
package import ScanBasics
import ScanCluster
package import ScanFarm
package import ScanNetwork

/// The submitted job that this process runs: its ID, and its weight, which may change meanwhile.
package final class SubmittedRun: Sendable {
    /// The job that this task runs, or nil if it does not run a submitted job.
    @TaskLocal package static var current: SubmittedRun?

    /// ID under which the job was submitted, by which users know it.
    package let id: String
    /// The peers that its node knew when the process began; nil if unknown.
    package let known: KnownPeers?

    private struct State {
        /// The changed weight, or nil until it is changed.
        var weight: Double?
        var connections: [RemoteNodes] = []
    }
    private let state = Locked(State())

    package init(_ id: String, known: KnownPeers? = nil) { (self.id, self.known) = (id, known) }

    /// Signal by which a process is told that the weight in the file of its job has changed.
    package static let signal = SIGUSR1

    /// Calls `read` for the new weight whenever the process receives ``signal``, until the result is released.
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

    /// Reports the current weight and later changes to the nodes of these connections.
    package func follow(_ connections: RemoteNodes) {
        let weight = state.withLock { state in
            state.connections.append(connections)
            return state.weight
        }
        if let weight { connections.use(weight: weight) }
    }
}
