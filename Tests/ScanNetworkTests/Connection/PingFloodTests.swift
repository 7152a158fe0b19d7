import Foundation
import ScanCluster
import ScanSecurity
import Testing

@testable import ScanNetwork
import ScanSockets

@Suite("A connection whose peer sends heartbeats without pause and reads nothing", .timeLimit(.minutes(10)))
struct PingFloodTests {
    /// Bytes of heartbeats.
    private static let total = 48 << 20

    /// Confined to the loop's thread until the connection has ended.
    private final class Progress: @unchecked Sendable {
        // Sendable: touched only on the loop's thread, and by the test before and after.
        var received = 0
        var mostWaiting = 0
        var connection: Connection?
        var server: Socket?
    }

    /// A session in clear text that holds heartbeats.
    private final class FloodSession: SecureSession {
        var phase = TLSSession.Phase.established
        let key: KeyFingerprint? = nil
        let isRecognised = true
        private var output: [UInt8] = []
        private let progress: Progress
        private static let frameSize = FrameFormat.requestHeaderSize
        /// Many of them, one after the other.
        private let pings: [UInt8]

        init(_ progress: Progress) {
            self.progress = progress
            var writer = ByteWriter(capacity: 64)
            writer.putPing(7)
            pings = Array((0..<4096).map { _ in writer.bytes }.joined())
        }

        var outputCount: Int { output.count }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            progress.mostWaiting = max(progress.mostWaiting, progress.connection?.waitingCount ?? 0)
            guard progress.received < PingFloodTests.total else {
                phase = .closed
                return 0
            }
            let start = progress.received % Self.frameSize
            let count = min(buffer.count, pings.count - start)
            pings.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
            }
            progress.received += count
            return count
        }

        func space() -> UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: nil, count: 0) }
        func received(_ count: Int) {}
        func receiveEnd() {}
        func seal(_ plaintext: UnsafeRawBufferPointer) { output += plaintext }
        func close() {}
        func withOutput(_ body: (UnsafeRawBufferPointer) throws -> Int) rethrows {
            output.removeFirst(try output.withUnsafeBytes(body))
        }
    }

    private final class Owner: ConnectionDelegate {
        private let done: CheckedContinuation<Void, Never>

        init(_ done: CheckedContinuation<Void, Never>) { self.done = done }

        func greet(_ bytes: UnsafeRawBufferPointer, on connection: Connection) -> GreetingStep { .open(consumed: 0) }
        func ended(_ error: ConnectError) { done.resume() }
        func greetingEnded(_ bytes: UnsafeRawBufferPointer) -> ConnectError { ConnectError(.lost, "greeting ended") }
        func greetingTimedOut(after limit: Duration, on connection: Connection) -> ConnectError {
            ConnectError(.lost, "greeting timed out")
        }
        func received(_ frame: Frame, on connection: Connection) {}
        func readBatchEnded() {}
    }

    @Test("keeps one answer for it, not all of them")
    func bounded() async throws {
        let loop = EventLoop()
        let progress = Progress()
        let server = try Socket.listening(on: SocketAddress(host: "127.0.0.1", port: 0))
        let peer = try Socket.connecting(to: #require(RawAddress(numeric: server.localAddress)))
        var writable = pollfd(fd: peer.descriptor, events: Int16(POLLOUT), revents: 0)
        try #require(poll(&writable, 1, -1) == 1)
        var byte: UInt8 = 0
        _ = withUnsafeBytes(of: &byte) { peer.send($0) }
        progress.server = server
        await withCheckedContinuation { done in
            loop.execute {
                guard let socket = try? progress.server?.accept() else { return done.resume() }
                progress.connection = try? Connection(
                    loop: loop, socket: socket, session: FloodSession(progress), frameLimit: 1 << 20,
                    timing: ConnectionTiming(), pausesForSlowReader: false, delegate: Owner(done))
            }
        }
        #expect(progress.received >= Self.total)
        #expect(progress.mostWaiting < 24 << 20, "\(progress.mostWaiting) bytes waited")
        withExtendedLifetime(peer) {}
    }
}
