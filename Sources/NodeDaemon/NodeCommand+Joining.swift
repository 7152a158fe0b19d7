package import CommandLineKit
package import Console
import Foundation
package import ScanCluster
import ScanNetwork
package import ScanSecurity

/// Tells `skyfarm up --slurm` the port on which a node listens. The host is that of the connection.
package struct JoinCall: Codable, Equatable, Sendable {
    package var action = "join"
    package var name: String
    package var port: UInt16
    package var slots: Int
}

/// Reply to a ``JoinCall``.
package struct JoinReply: Codable, Equatable, Sendable {
    /// Reason why the node was refused, or nil if it was accepted.
    package var error: String?

    package init() {}
}

extension NodeCommand {
    package static let join = Option.optional(
        "join", .hostAndPort, help: "Tell the skyfarm up --slurm at this address where this node listens")
    static let idleStop = Option.optional(
        "idle-stop", .duration, layers: .all,
        help: "Exit when no coordinator was connected for TIME, as in 5m")

    /// Reports to the process at `address` where this node listens, and retries until it replies.
    package func join(_ address: SocketAddress, as call: JoinCall, keys: KeyRing) async {
        var hasFailed = false
        while !Task.isCancelled {
            do {
                let calls = try await NodeCalls.connect(to: [address], keys: keys)
                defer { calls.close() }
                let reply = try await calls.call(WireEncoder().encode(call))
                let answer = try WireDecoder().decode(JoinReply.self, from: reply)
                say(answer.error.map { "not listed at \(address): \($0)" } ?? "listed at \(address)")
                return
            } catch {
                if !hasFailed { say("not listed at \(address) yet: \(error)") }
                hasFailed = true
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Waits for a signal, or until the node has been idle for the time given by `--idle-stop`.
    package func end(_ interrupts: Interrupts, _ idle: IdleStop?) async {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in interrupts.signals { break }
                return false
            }
            if let idle {
                group.addTask {
                    for await _ in idle.ends { break }
                    return true
                }
            }
            if await group.next() == true, let limit = options.idleStop {
                say("no coordinator for \(HumanFormat.age(seconds: limit / .seconds(1)))")
            }
            group.cancelAll()
        }
    }
}
