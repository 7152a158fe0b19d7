import ScanSlots
import Foundation
import ScanCluster
import Testing

@Suite(.timeLimit(.minutes(10))) struct ScanThreadsTests {
    @Test("work runs on its own threads, as much at once as there are slots")
    func parallel() {
        let threads = ScanThreads(count: 3)
        let inside = DispatchSemaphore(value: 0)
        let go = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        threads.submit(
            (0..<3).map { _ in
                ClosureWork(
                    context: ScanContext(),
                    scan: { _ in
                        inside.signal()
                        go.wait()
                        done.signal()
                    })
            })
        // All three are inside at once, or this waits for ever.
        for _ in 0..<3 { inside.wait() }
        for _ in 0..<3 { go.signal() }
        for _ in 0..<3 { done.wait() }
        threads.stop()
    }

    @Test("work begins in the order of submission, each piece once")
    func order() {
        let threads = ScanThreads(count: 1)
        let seen = Locked<[Int]>([])
        let last = DispatchSemaphore(value: 0)
        for batch in stride(from: 0, to: 5000, by: 100) {
            threads.submit(
                (batch..<batch + 100).map { number in
                    ClosureWork(
                        context: ScanContext(),
                        scan: { _ in
                            seen.withLock { $0.append(number) }
                            if number == 4999 { last.signal() }
                        })
                })
        }
        last.wait()
        threads.stop()
        #expect(seen.withLock { $0 } == Array(0..<5000))
    }

    @Test("work that was cancelled before it began is skipped")
    func skip() {
        let threads = ScanThreads(count: 1)
        let inside = DispatchSemaphore(value: 0)
        let go = DispatchSemaphore(value: 0)
        let skipped = DispatchSemaphore(value: 0)
        let ran = Locked(false)
        threads.submit(
            ClosureWork(
                context: ScanContext(),
                scan: { _ in
                    inside.signal()
                    go.wait()
                }))
        inside.wait()
        let cancellation = ScanCancellation()
        threads.submit(
            ClosureWork(
                context: ScanContext(cancellation: cancellation), scan: { _ in ran.withLock { $0 = true } },
                skipped: { skipped.signal() }))
        cancellation.cancel()
        go.signal()
        skipped.wait()
        threads.stop()
        #expect(!ran.withLock { $0 })
    }

    #if os(Linux)
        @Test("niceness is added to that of the thread's creator", arguments: [0, 3, 30])
        func niceness(_ niceness: Int) async throws {
            let who = __priority_which_t(PRIO_PROCESS.rawValue)
            let before = getpriority(who, 0)
            let threads = try #require(ScanThreads(oneWithNiceness: niceness))
            let inside = await withCheckedContinuation { continuation in
                threads.submit(
                    ClosureWork(
                        context: ScanContext(), scan: { _ in continuation.resume(returning: getpriority(who, 0)) }))
            }
            #expect(inside == min(19, before + CInt(niceness)))
        }
    #endif

    @Test("stopping waits for running work and skips queued and later work")
    func stop() {
        let threads = ScanThreads(count: 1, niceness: 1)
        let inside = DispatchSemaphore(value: 0)
        let ended = Locked(false)
        let skipped = Locked(0)
        let cancellation = ScanCancellation()
        threads.submit(
            ClosureWork(
                context: ScanContext(cancellation: cancellation),
                scan: { context in
                    inside.signal()
                    while !context.isCancelled { usleep(100) }
                    ended.withLock { $0 = true }
                }))
        inside.wait()
        let queued = ClosureWork(context: ScanContext(), scan: { _ in }, skipped: { skipped.withLock { $0 += 1 } })
        threads.submit(queued)
        threads.close()
        cancellation.cancel()
        threads.stop()
        #expect(ended.withLock { $0 })
        #expect(skipped.withLock { $0 } == 1)
        threads.submit(queued)
        #expect(skipped.withLock { $0 } == 2)
    }

    @Test("a scan thread has room for deep recursion")
    func stack() {
        @Sendable func depth(_ count: Int) -> Int {
            withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { buffer in
                buffer[0] = UInt8(truncatingIfNeeded: count)
                return count == 0 ? Int(buffer[0]) : depth(count - 1) + 1
            }
        }
        let threads = ScanThreads(count: 1)
        let result = Locked(0)
        let done = DispatchSemaphore(value: 0)
        threads.submit(
            ClosureWork(
                context: ScanContext(),
                scan: { _ in
                    let reached = depth(6000)
                    result.withLock { $0 = reached }
                    done.signal()
                }))
        done.wait()
        threads.stop()
        #expect(result.withLock { $0 } == 6000)
    }

    @Test("tell how many there are", arguments: 0..<4)
    func count(count: Int) {
        let threads = ScanThreads(count: count)
        #expect(threads.count == count)
        threads.stop()
        #expect(threads.count == count)
    }

    @Test("of few addresses half are left to the threads of others")
    func affordable() {
        let megabyte = 1 << 20
        for (left, count) in [
            (nil, 64), (4096 * megabyte, 64), (300 * megabyte, 9), (33 * megabyte, 1), (0, 1),
        ] as [(Int?, Int)] {
            #expect(ScanThreads.affordable(64, stackSize: 16 * megabyte, left: left) == count)
        }
        #expect(ScanThreads.affordable(0, stackSize: megabyte, left: 0) == 0)
    }
}
