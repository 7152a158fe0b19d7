import ScanSlots
import Foundation
import ScanCluster
import Testing

@testable import ScanNetwork

/// A loop's turns between its polls of the sockets and its sleep. Nothing else happens on the loop: no timer ends a
/// wait that is too long.
@Suite("A turn of the loop", .timeLimit(.minutes(10)))
struct LoopTurnTests {
    /// What a socket's readiness leaves to the loop.
    enum Rest: CaseIterable, Sendable {
        /// A job that is queued on the loop.
        case job
        /// A connection's bytes that are to be flushed.
        case bytes
        /// A timer that is due, now and then: it may be a millisecond late, and a loop whose waits are long does not
        /// poll.
        case timer
        /// A job that comes from another thread.
        case elsewhere
    }

    /// Answers each byte that comes with one. Confined to the loop's thread, but for the other end.
    private final class Responder: Flushable, @unchecked Sendable {
        // Sendable: `poll` and `count` are touched only on the loop's thread; the rest does not change.
        let loop = EventLoop()
        let otherEnd: Int32
        private let end: Int32
        private let rest: Rest
        private let threads = ScanThreads(count: 1)
        private var poll: SocketPoll?
        private var count = 0

        init(_ rest: Rest) {
            var ends: [Int32] = [-1, -1]
            #if canImport(Glibc)
                let type = Int32(SOCK_STREAM.rawValue)
            #else
                let type = SOCK_STREAM
            #endif
            socketpair(AF_UNIX, type, 0, &ends)
            (end, otherEnd) = (ends[0], ends[1])
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            var limit = timeval(tv_sec: 5, tv_usec: 0)
            setsockopt(otherEnd, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            self.rest = rest
        }

        func start() {
            loop.execute {
                self.poll = try? SocketPoll(loop: self.loop, descriptor: self.end) { [unowned self] _, _ in come() }
                self.poll?.watch(read: true, write: false)
            }
        }

        func stop() {
            loop.execute {
                self.poll?.close()
                self.poll = nil
                close(self.end)
                close(self.otherEnd)
            }
        }

        private func come() {
            var byte: UInt8 = 0
            guard read(end, &byte, 1) == 1 else { return }
            count += 1
            switch rest {
            case .timer where count % 20 == 0: _ = loop.schedule(at: loop.now) { self.flush() }
            case .job, .timer: loop.execute { self.flush() }
            case .bytes: loop.markDirty(self)
            case .elsewhere:
                threads.submit(ClosureWork(context: ScanContext()) { _ in self.loop.execute { self.flush() } })
            }
        }

        func flush() {
            var byte: UInt8 = 1
            _ = write(end, &byte, 1)
        }
    }

    @Test("does the work that a socket has left before the loop sleeps, and while it polls", arguments: Rest.allCases)
    func answers(rest: Rest) {
        let responder = Responder(rest)
        responder.start()
        var answered = 0
        // The loop sleeps at first, and polls after some of these short waits.
        for _ in 0..<500 {
            var byte: UInt8 = 1
            guard write(responder.otherEnd, &byte, 1) == 1, read(responder.otherEnd, &byte, 1) == 1 else { break }
            answered += 1
        }
        #expect(answered == 500)
        responder.stop()
    }
}
