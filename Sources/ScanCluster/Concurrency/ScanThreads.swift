import Dispatch
internal import ScanBasics

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Work for a thread of ``ScanThreads``. Exactly one of ``scan()`` and ``skip()`` is called, once.
package protocol ScanWork: AnyObject, Sendable {
    /// Whether its requester has cancelled it.
    var isCancelled: Bool { get }

    /// Who requested it: threads are shared fairly among owners.
    var owner: Int { get }

    /// The owner's weight: its share of the threads is in proportion to it.
    var weight: Double { get }

    /// Does the work, on a scan thread.
    func scan()

    /// Called instead of ``scan()`` if the work was cancelled before it began or the threads were stopped.
    func skip()
}

extension ScanWork {
    package var owner: Int { 0 }
    package var weight: Double { 1 }
}

/// Work in closures.
package final class ClosureWork: ScanWork {
    private let context: ScanContext
    private let body: @Sendable (ScanContext) -> Void
    private let skipped: @Sendable () -> Void

    /// Work; exactly one of `scan` and `skipped` will be called, once.
    /// - Parameters:
    ///   - context: handed to `scan`; if it is cancelled before a thread is free, the work is skipped.
    ///   - scan: does the work, on a scan thread.
    ///   - skipped: called instead of `scan`, when the work was cancelled before it began or the threads were stopped.
    package init(
        context: ScanContext, scan: @escaping @Sendable (ScanContext) -> Void,
        skipped: @escaping @Sendable () -> Void = {}
    ) {
        self.context = context
        body = scan
        self.skipped = skipped
    }

    package var isCancelled: Bool { context.isCancelled }

    package func scan() { body(context) }

    package func skip() { skipped() }
}

/// Threads that only scan, one per slot, so that C code never blocks the cooperative pool or an event loop. The work of
/// each owner begins in the order of submission; ``FairQueue`` decides whose is next.
package final class ScanThreads: Sendable {
    private let queue = WaitingWork()
    private let threads: Locked<[pthread_t]>
    /// Number of threads that were started: fewer than requested if the system allows no more.
    package let count: Int

    /// Starts `count` threads, or as many as the system allows, at least one; see ``affordable(_:stackSize:left:)``.
    /// - Parameters:
    ///   - count: number of slots; 0 for none.
    ///   - niceness: added to the threads' nice value (Linux), so that other programs take precedence.
    ///   - stackSize: bytes; deblending and SEP recurse.
    package convenience init(count: Int, niceness: Int = 0, stackSize: Int = 16 << 20) {
        self.init(starting: count, niceness: niceness, stackSize: stackSize)
        precondition(count == 0 || self.count > 0, "the system allows this process no more threads")
    }

    /// Starts one thread; nil if the system allows no more.
    package convenience init?(oneWithNiceness niceness: Int) { self.init(atMost: 1, niceness: niceness) }

    /// Starts threads with small stacks, as many of `most` as the system allows; nil if it allows none.
    package convenience init?(atMost most: Int, niceness: Int) {
        self.init(starting: most, niceness: niceness, stackSize: 1 << 20)
        if count == 0 { return nil }
    }

    private init(starting wanted: Int, niceness: Int, stackSize: Int) {
        let most = Self.affordable(wanted, stackSize: stackSize, left: AddressSpace.left)
        var started: [pthread_t] = []
        while started.count < most, let thread = ScanThread.start(queue, niceness: niceness, stackSize: stackSize) {
            started.append(thread)
        }
        count = started.count
        threads = Locked(started)
    }

    /// How many of `wanted` threads may be started where `left` bytes may still be mapped; nil without a limit. Half of
    /// them are left to others: libdispatch, which runs all tasks of Swift, waits for ever for a thread that it cannot
    /// start.
    package static func affordable(_ wanted: Int, stackSize: Int, left: Int?) -> Int {
        left.map { min(wanted, max(1, $0 / 2 / stackSize)) } ?? wanted
    }

    /// Seconds in which a processor ran these threads so far; nil if the system does not tell, or they have ended.
    package var processorSeconds: Double? {
        #if os(Linux)
            threads.withLock { threads in
                threads.reduce(threads.isEmpty ? nil : 0) { sum, thread in
                    var (clock, time) = (clockid_t(), timespec())
                    guard let sum, pthread_getcpuclockid(thread, &clock) == 0, clock_gettime(clock, &time) == 0 else {
                        return nil
                    }
                    return sum + Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
                }
            }
        #else
            nil
        #endif
    }

    deinit {
        queue.close()
        threads.withLock { threads in
            for thread in threads { pthread_detach(thread) }
        }
    }

    package func submit(_ work: some ScanWork) { submit([work]) }

    /// Queues work of one owner or several, with one wake-up for all of it.
    package func submit(_ work: [some ScanWork]) {
        if !queue.append(work) {
            for item in work { item.skip() }
        }
    }

    /// Skips the work that has not begun; each thread ends after the work that it runs. Does not wait.
    package func close() { queue.close() }

    /// Closes, and waits until every thread has ended. Must not be called from a scan thread.
    package func stop() {
        queue.close()
        let joined = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in joined { pthread_join(thread, nil) }
    }
}

extension ScanThreads {
    /// The work that waits for a thread.
    fileprivate final class WaitingWork: Sendable {
        private struct State {
            var waiting = FairQueue<any ScanWork>()
            var isClosed = false

            /// `ended` is what the thread did before; nil once that is reported.
            mutating func take(after ended: inout Ended?) -> Step? {
                if let done = ended { waiting.ended(done.owner, seconds: done.seconds) }
                ended = nil
                guard let (work, owner) = waiting.popFirst() else { return isClosed ? .end : nil }
                return .work(work, owner: owner, skip: isClosed || work.isCancelled)
            }
        }
        private enum Step {
            case work(any ScanWork, owner: Int, skip: Bool)
            case end
        }
        private struct Ended {
            var owner: Int
            var seconds: Double
        }
        private let state = Locked(State())
        private let signal = LockSignal()

        /// - Returns: false if the queue is closed.
        func append(_ work: [some ScanWork]) -> Bool {
            let isOpen = state.withLock { state in
                if !state.isClosed {
                    for item in work { state.waiting.append(item, of: item.owner, weight: item.weight) }
                }
                return !state.isClosed
            }
            if work.count == 1 { signal.wakeOne() } else { signal.wakeAll() }
            return isOpen
        }

        func close() {
            state.withLock { $0.isClosed = true }
            signal.wakeAll()
        }

        /// Does the work until the queue is closed and empty.
        func work() {
            var ended: Ended?
            // Work that waited in the queue begins when the work before it ends: one reading of the clock serves both.
            var (start, polls) = (DispatchTime.now().uptimeNanoseconds, 0)
            while case .work(let work, let owner, let skip) = state.wait(
                for: signal,
                { state in
                    polls += 1
                    return state.take(after: &ended)
                })
            {
                if polls > 1 { start = DispatchTime.now().uptimeNanoseconds }
                if skip { work.skip() } else { work.scan() }
                let end = DispatchTime.now().uptimeNanoseconds
                ended = Ended(owner: owner, seconds: Double(end - start) * 1e-9)
                (start, polls) = (end, 0)
            }
        }
    }
}

/// A pthread that does the work of a queue.
private enum ScanThread {
    private final class Start: Sendable {
        let queue: ScanThreads.WaitingWork
        let niceness: Int
        init(queue: ScanThreads.WaitingWork, niceness: Int) {
            self.queue = queue
            self.niceness = niceness
        }
    }

    static func start(_ queue: ScanThreads.WaitingWork, niceness: Int, stackSize: Int) -> pthread_t? {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        let start = Unmanaged.passRetained(Start(queue: queue, niceness: niceness))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        if pthread_create(&thread, &attributes, { ScanThread.run($0) }, start.toOpaque()) == 0 { return thread }
        start.release()
        return nil
    }

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        #if os(Linux)
            // On Linux the nice value belongs to the thread, and 0 names the calling one.
            let thread = __priority_which_t(PRIO_PROCESS.rawValue)
            if start.niceness != 0 {
                setpriority(thread, 0, min(19, getpriority(thread, 0) + CInt(min(max(start.niceness, -40), 40))))
            }
        #endif
        start.queue.work()
        return nil
    }
}
