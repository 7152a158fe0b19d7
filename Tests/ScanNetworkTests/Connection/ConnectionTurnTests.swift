import Foundation
import ScanCluster
import ScanSecurity
import Testing

@testable import ScanNetwork
import ScanSockets

@Suite("A connection whose peer sends without pause", .timeLimit(.minutes(10)))
struct ConnectionTurnTests {
    /// Bytes that each connection receives in the test.
    private static let total = 4 << 20

    /// What both connections of a test received. Confined to the loop's thread until the test reads it.
    private final class Progress: @unchecked Sendable {
        // Sendable: touched only on the loop's thread, and by the test before that and after both connections have ended.
        var counts = [0, 0]
        var largestLead = 0
        var ended = 0
        var connections: [Connection] = []
        var server: Socket?

        func received(_ count: Int, by index: Int) {
            counts[index] += count
            if counts.allSatisfy({ $0 < ConnectionTurnTests.total }) {
                largestLead = max(largestLead, abs(counts[0] - counts[1]))
            }
        }
    }

    /// A session that always holds more bytes, as if the peer sent them faster than they are read.
    private final class EndlessSession: SecureSession {
        let phase = TLSSession.Phase.established
        let key: KeyFingerprint? = nil
        let isRecognised = true
        let outputCount = 0
        private let progress: Progress
        private let index: Int

        init(_ progress: Progress, _ index: Int) {
            self.progress = progress
            self.index = index
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            progress.received(buffer.count, by: index)
            return buffer.count
        }

        func space() -> UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: nil, count: 0) }
        func received(_ count: Int) {}
        func receiveEnd() {}
        func seal(_ plaintext: UnsafeRawBufferPointer) {}
        func close() {}
        func withOutput(_ body: (UnsafeRawBufferPointer) throws -> Int) rethrows {}
    }

    /// Ends the connection after ``total`` bytes, and the test after both.
    private final class Reader: ConnectionDelegate {
        private let progress: Progress
        private let done: CheckedContinuation<Void, Never>

        init(_ progress: Progress, _ done: CheckedContinuation<Void, Never>) {
            self.progress = progress
            self.done = done
        }

        func greet(_ bytes: UnsafeRawBufferPointer, on connection: Connection) -> GreetingStep {
            bytes.count < ConnectionTurnTests.total ? .wait : .end(ConnectError(.lost, "the test is over"))
        }

        func ended(_ error: ConnectError) {
            progress.ended += 1
            if progress.ended == 2 { done.resume() }
        }

        func greetingEnded(_ bytes: UnsafeRawBufferPointer) -> ConnectError { ConnectError(.lost, "greeting ended") }
        func greetingTimedOut(after limit: Duration, on connection: Connection) -> ConnectError {
            ConnectError(.lost, "greeting timed out")
        }
        func received(_ frame: Frame, on connection: Connection) {}
        func readBatchEnded() {}
    }

    @Test("does not keep the loop from other connections")
    func turns() async throws {
        let loop = EventLoop()
        let progress = Progress()
        let server = try Socket.listening(on: SocketAddress(host: "127.0.0.1", port: 0))
        let raw = try #require(RawAddress(numeric: server.localAddress))
        let peers = try [Socket.connecting(to: raw), Socket.connecting(to: raw)]
        progress.server = server
        for peer in peers {
            var writable = pollfd(fd: peer.descriptor, events: Int16(POLLOUT), revents: 0)
            try #require(poll(&writable, 1, -1) == 1)
            var byte: UInt8 = 0
            _ = withUnsafeBytes(of: &byte) { peer.send($0) }
        }
        await withCheckedContinuation { done in
            loop.execute {
                // As with two members.
                loop.openConnections = 2
                for index in 0..<2 {
                    guard let socket = try? progress.server?.accept() else { continue }
                    let connection = try? Connection(
                        loop: loop, socket: socket, session: EndlessSession(progress, index), frameLimit: 1 << 20,
                        timing: ConnectionTiming(), pausesForSlowReader: false, delegate: Reader(progress, done))
                    if let connection { progress.connections.append(connection) }
                }
            }
        }
        #expect(progress.largestLead > 0)
        // A few turns: the sockets stay readable, so that a connection may have a turn by its socket and one by its timer.
        #expect(progress.largestLead <= 1 << 20)
        withExtendedLifetime(peers) {}
    }
}
