import CommandLineKit
import Foundation
import ScanCluster
import ScanFarm
import ScanNetwork
import ScanSecurity

/// Starts and stops nodes on hosts, with a separate ssh session for each host.
///
/// `start` packs this program and the cluster key into a ``TapeArchive``, runs ``HostScript`` on every host, and
/// returns a ``HostReport`` for each of them; `stop` reverses it. ``HostStart`` decides the steps on one host, and
/// ``SSHSession`` carries the bytes. Readers begin with ``HostScript`` and ``HostStart``.
struct FleetHosts: Sendable {
    /// Options of the ssh sessions.
    var ssh: SSHSession.Options
    /// Maximum number of hosts that are processed at a time.
    var parallel: Int
    /// Time limit for each host.
    var limit: Duration

    /// Starts a node with these options on each host. The nodes get the current one of `keys`; `onEnd` is called for
    /// each host when it is done.
    /// - Returns: The reports, in the order of `hosts`.
    /// - Throws: `CommandError` if this program cannot be copied.
    func start(
        _ hosts: [String], options: [String], keys: KeyRing, onEnd: @escaping @Sendable (HostReport) -> Void
    ) async throws -> [HostReport] {
        let archive = try ProgramFiles.own().archive(key: keys.current.exportText() + "\n")
        let script = HostScript.start(options, size: archive.size)
        return await each(of: hosts) { host in
            let start = ContinuousClock.now
            let outcome = await self.start(
                host, script, archive, keys, HostStart(own: .own, options: HostScript.line(of: options)))
            let report = HostReport(host, outcome, seconds: (.now - start) / .seconds(1))
            onEnd(report)
            return report
        }
    }

    /// Stops the node on each host and removes its files.
    func stop(_ hosts: [String], onEnd: @escaping @Sendable (HostReport) -> Void) async -> [HostReport] {
        await each(of: hosts) { host in
            let report = await self.stop(host)
            onEnd(report)
            return report
        }
    }

    // MARK: One host

    private func start(
        _ host: String, _ script: String, _ archive: TapeArchive, _ keys: KeyRing, _ begin: HostStart
    ) async -> HostStart.Outcome {
        let session: SSHSession
        do throws(CommandError) {
            session = try SSHSession(host, script: script, ssh)
        } catch {
            return .failed(HostFailure(.ssh, error.description))
        }
        let timer = timer(for: session)
        defer {
            timer.cancel()
            session.end()
        }
        var state = begin
        for await event in session.events {
            var actions = state.handle(event)
            while !actions.isEmpty {
                let action = actions.removeFirst()
                switch action {
                case .copy: session.send([Data("copy\n".utf8)] + archive.ended, isLast: true)
                case .leave: session.end()
                case .remove: _ = await stop(host)
                case .connect(let addresses): actions += state.handle(await Self.connect(addresses, keys))
                }
            }
            if let outcome = state.outcome { return outcome }
        }
        return .failed(HostFailure(.ssh, "ssh has ended"))
    }

    private func stop(_ host: String) async -> HostReport {
        let start = ContinuousClock.now
        let seconds = max(1, Int(limit / .seconds(2)))
        do throws(CommandError) {
            let session = try SSHSession(host, script: HostScript.stop(within: seconds), ssh)
            let timer = timer(for: session)
            defer {
                timer.cancel()
                session.end()
            }
            var lines: [String] = []
            for await event in session.events {
                switch event {
                case .line(let line): lines.append(line)
                case .ended(let code, let errors):
                    return HostReport(
                        host, stopped: lines, code: code, errors: errors, seconds: (.now - start) / .seconds(1))
                case .late(let limit):
                    return HostReport(
                        host, .failed(HostFailure(.ssh, late: limit)), seconds: (.now - start) / .seconds(1))
                case .joined, .unusable: break
                }
            }
            return HostReport(host, stopped: lines, code: 255, errors: "", seconds: (.now - start) / .seconds(1))
        } catch {
            return HostReport(host, .failed(HostFailure(.ssh, error.description)), seconds: 0)
        }
    }

    private func timer(for session: SSHSession) -> Task<Void, any Error> {
        Task {
            try await Task.sleep(for: limit)
            session.expire(after: limit)
        }
    }

    /// Time limit for the connection to a node.
    private static let joinLimit = Duration.seconds(10)

    /// Connects to a node as a scan does, and returns the first address that reaches it.
    private static func connect(_ addresses: [SocketAddress], _ keys: KeyRing) async -> HostStart.Event {
        let node = ScanNode(
            keys: keys, nodes: addresses.map(\.description), discovering: [], remote: .sky)
        do { try node.start() } catch { return .unusable("\(error)") }
        let states = await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await node.systems.first(within: joinLimit) }
            group.addTask { _ = await node.connections.settled() }
            await group.next()
            let states = await node.connections.states
            group.cancelAll()
            // Ends the attempts to connect addresses that do not answer.
            node.disconnect()
            return states
        }
        return event(states)
    }

    /// Returns the event for a node, from the states of the connections to its addresses.
    static func event(_ states: [NodeState]) -> HostStart.Event {
        for state in states where state.isUsable {
            if let address = try? SocketAddress(parsing: state.address) { return .joined(at: address, note: nil) }
        }
        for state in states {
            // A node that is paused by its owner's rules counts as joined.
            if case .failed(let error) = state.status, error.code == .refused,
                let address = try? SocketAddress(parsing: state.address)
            {
                return .joined(at: address, note: error.message)
            }
        }
        let troubles = states.map { "\($0.address): \($0.trouble ?? "unknown")" }
        return .unusable(troubles.joined(separator: "; "))
    }

    // MARK: All hosts

    /// Runs `body` for each host, for ``parallel`` hosts at a time.
    private func each(
        of hosts: [String], _ body: @escaping @Sendable (String) async -> HostReport
    ) async -> [HostReport] {
        await withTaskGroup(of: (Int, HostReport).self) { group in
            var reports: [Int: HostReport] = [:]
            for (index, host) in hosts.enumerated() {
                if index >= parallel, let (done, report) = await group.next() { reports[done] = report }
                group.addTask { (index, await body(host)) }
            }
            for await (done, report) in group { reports[done] = report }
            return hosts.indices.compactMap { reports[$0] }
        }
    }
}
