package import CommandLineKit
import Console
import Foundation
import ScanCluster
import ScanFarm
package import ScanNetwork
import ScanSecurity
import SkyScan

/// A node with one slot in a separate process on this machine. It runs tasks that must not run in this process, because
/// another process crashed while running them.
package enum SpareNode {
    /// The only argument of the process of a spare node.
    package static let word = "--spare-node"
    static let namePrefix = "spare-\(getpid())-"
    private static let count = Locked(0)
    /// Maximum number of processes that are started in total; if none of them survives, another one does not help.
    private static let limit = 1024

    /// Serves one slot until the standard input ends, that is, until the parent process has closed it or has exited.
    package static func serve(named name: String) -> ExitCode {
        do {
            let node = NodeServer(
                name: name, keys: try KeyStore.user().ring(), slots: 1, taskTypes: .sky, listen: "127.0.0.1:0")
            try StandardOutput.write("\(try node.start())\n")
            withExtendedLifetime(node) { _ = FileHandle.standardInput.readDataToEndOfFile() }
            return .complete
        } catch {
            return .failure
        }
    }

    /// Starts the given number of spare nodes and connects them. They end with this process.
    /// - Returns: Whether at least one of them is connected.
    package static func start(_ wanted: Int, connectedBy connections: RemoteNodes) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<wanted {
                // Creating a process takes longer than an event loop may be blocked.
                group.addTask(executorPreference: globalConcurrentExecutor) { await start(connectedBy: connections) }
            }
            return await group.reduce(false) { $0 || $1 }
        }
    }

    private static func start(connectedBy connections: RemoteNodes) async -> Bool {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let name = namePrefix + "\(number)"
        guard number <= limit, let address = await launch(name) else { return false }
        let peer = Systems.Peer(key: name, name: name, slots: 1, addresses: [address])
        return await withCheckedContinuation { continuation in
            let waiting = Locked<CheckedContinuation<Bool, Never>?>(continuation)
            connections.dial(peer) { outcome in
                // The handler is called again when the connection ends.
                let waiting = waiting.withLock { waiting in
                    defer { waiting = nil }
                    return waiting
                }
                waiting?.resume(returning: outcome == .connected)
            }
        }
    }

    /// Starts a process, and waits for its exit on a thread that keeps its standard input open.
    /// - Returns: The address on which the process listens, or nil if it failed to start.
    private static func launch(_ name: String) async -> SocketAddress? {
        #if os(Linux)
            let program = "/proc/self/exe"
        #else
            let program = Bundle.main.executablePath ?? CommandLine.arguments[0]
        #endif
        guard let process = try? ChildProcess([program, word, name]) else { return nil }
        // The pipe is drained, since the report of a crash could otherwise fill it and block the process.
        Thread.detachNewThread { _ = FileHandle(fileDescriptor: process.errors).readDataToEndOfFile() }
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let line = String(decoding: FileHandle(fileDescriptor: process.output).availableData, as: UTF8.self)
                let address = try? SocketAddress(parsing: line.trimmingCharacters(in: .newlines))
                continuation.resume(returning: address)
                if address == nil { process.end() }
                _ = process.wait()
            }
        }
    }
}
