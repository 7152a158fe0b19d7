import Dispatch
import ScanCluster
import ScanNetwork
import Testing

@Suite("The event loop", .timeLimit(.minutes(10)))
struct EventLoopTests {
    actor OnLoop {
        nonisolated var unownedExecutor: UnownedSerialExecutor { EventLoop.shared.asUnownedSerialExecutor() }
        func isThere() -> Bool { EventLoop.shared.isCurrent }
    }

    @Test("is the executor of actors")
    func actorExecutor() async {
        #expect(!EventLoop.shared.isCurrent)
        #expect(await OnLoop().isThere())
    }

    @Test("is the executor of tasks that prefer it")
    func taskExecutor() async {
        let isThere = await Task(executorPreference: EventLoop.shared) { await here() }.value
        #expect(isThere)
    }

    @concurrent
    func here() async -> Bool { EventLoop.shared.isCurrent }

    @Test("runs what other threads hand over, in order")
    func order() async {
        let seen = Locked<[Int]>([])
        await withCheckedContinuation { continuation in
            for number in 0..<1000 { EventLoop.shared.execute { seen.withLock { $0.append(number) } } }
            EventLoop.shared.execute { continuation.resume() }
        }
        #expect(seen.withLock { $0 } == Array(0..<1000))
    }

    @Test("fires timers that any thread sets, in order of their deadlines and not early")
    func timers() async {
        let loop = EventLoop.shared
        // On a busy machine it takes a while until all are set.
        let start = loop.now
        let fired = Locked<[Int]>([])
        await withCheckedContinuation { continuation in
            _ = loop.schedule(at: start.advanced(by: .milliseconds(660))) {
                fired.withLock { $0.append(8) }
                continuation.resume()
            }
            _ = loop.schedule(at: start.advanced(by: .milliseconds(560))) { fired.withLock { $0.append(3) } }
            loop.execute {
                _ = loop.schedule(at: start.advanced(by: .milliseconds(600))) { fired.withLock { $0.append(5) } }
            }
        }
        #expect(loop.now.since(start) >= .milliseconds(660))
        #expect(fired.withLock { $0 } == [3, 5, 8])
    }

    @Test(
        "forgets a timer, whichever thread set it and whichever cancels it", arguments: [false, true], [false, true])
    func cancel(setOnLoop: Bool, cancelOnLoop: Bool) async {
        // A cancelled timer releases its closure; one that is not cancelled keeps it for an hour.
        final class Payload: Sendable {}
        let loop = EventLoop.shared
        let deadline = loop.now.advanced(by: .seconds(3600))
        let weakly = Locked<@Sendable () -> Payload?>({ nil })
        let set: @Sendable () -> TimerID = {
            let payload = Payload()
            weakly.withLock { $0 = { [weak payload] in payload } }
            return loop.schedule(at: deadline) { _ = payload }
        }
        let timer = setOnLoop ? await onLoop(set) : set()
        let isSet = await onLoop { weakly.withLock { $0 }() != nil }
        #expect(isSet)
        if cancelOnLoop { await onLoop { loop.cancel(timer) } } else { loop.cancel(timer) }
        await eventually { weakly.withLock { $0 }() == nil }
    }

    @Test("forgets a timer of another thread that the loop cancels before it has set it")
    func cancelBeforeSet() async {
        final class Payload: Sendable {}
        let loop = EventLoop.shared
        let weakly = Locked<@Sendable () -> Payload?>({ nil })
        await onLoop {
            // The loop's thread waits here until the other thread has scheduled the timer.
            let scheduled = DispatchSemaphore(value: 0)
            let timer = Locked<TimerID?>(nil)
            DispatchQueue.global().async {
                let payload = Payload()
                weakly.withLock { $0 = { [weak payload] in payload } }
                let id = loop.schedule(at: loop.now.advanced(by: .seconds(3600))) { _ = payload }
                timer.withLock { $0 = id }
                scheduled.signal()
            }
            scheduled.wait()
            if let id = timer.withLock(\.self) { loop.cancel(id) }
        }
        await eventually { weakly.withLock { $0 }() == nil }
    }

    func onLoop<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            EventLoop.shared.execute { continuation.resume(returning: body()) }
        }
    }
}
