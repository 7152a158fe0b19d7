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

    /// Its needs if it is large: several slots, or memory. Nil if it is not, or if that is not known yet.
    var needs: SlotNeeds? { get }

    /// Does the work, on a scan thread.
    /// - Returns: whether it was done. It is not if it turns out to be large: it is called again once there is room for its
    ///   ``needs``.
    func scan() -> Bool

    /// Called instead of ``scan()`` if the work was cancelled before it began or the threads were stopped.
    func skip()
}

extension ScanWork {
    package var owner: Int { 0 }
    package var weight: Double { 1 }
    package var needs: SlotNeeds? { nil }
}

/// Threads that only scan, one per slot, so that C code never blocks the cooperative pool or an event loop. The work of
/// each owner begins in the order of submission; ``FairQueue`` decides whose is next.
package final class ScanThreads: Sendable {
    private let queue: WaitingWork
    private let threads: Locked<[pthread_t]>
    /// Number of threads that were started: fewer than requested if the system allows no more.
    package let count: Int

    /// Starts `count` threads, or as many as the system allows, at least one; see ``affordable(_:stackSize:left:)``.
    /// - Parameters:
    ///   - count: number of slots; 0 for none.
    ///   - niceness: added to the threads' nice value (Linux), so that other programs take precedence.
    ///   - stackSize: bytes; deblending and SEP recurse.
    ///   - memory: bytes that work may need together, see ``ScanWork/needs``.
    package convenience init(count: Int, niceness: Int = 0, stackSize: Int = 16 << 20, memory: Int = .max) {
        self.init(starting: count, niceness: niceness, stackSize: stackSize, memory: memory)
        precondition(count == 0 || self.count > 0, "the system allows this process no more threads")
    }

    /// Starts one thread; nil if the system allows no more.
    package convenience init?(oneWithNiceness niceness: Int) { self.init(atMost: 1, niceness: niceness) }

    /// Starts threads with small stacks, as many of `most` as the system allows; nil if it allows none.
    package convenience init?(atMost most: Int, niceness: Int) {
        self.init(starting: most, niceness: niceness, stackSize: 1 << 20)
        if count == 0 { return nil }
    }

    private init(starting wanted: Int, niceness: Int, stackSize: Int, memory: Int = .max) {
        queue = WaitingWork(memory: memory)
        let most = Self.affordable(wanted, stackSize: stackSize, left: AddressSpace.left)
        var started: [pthread_t] = []
        while started.count < most,
            let thread = ScanThread.start(queue, number: started.count, niceness: niceness, stackSize: stackSize)
        {
            started.append(thread)
        }
        count = started.count
        queue.use(slots: count)
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

    /// The reason for which these threads can never do work with these needs; nil if they can.
    package func obstacle(to needs: SlotNeeds) -> String? { queue.obstacle(to: needs) }

    /// Work was cancelled. If large work waits, it may hold other work up no longer.
    package func cancelled() { queue.cancelled() }

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
        private typealias Taken = FairQueue<any ScanWork>.Taken

        private struct State {
            var waiting: FairQueue<any ScanWork>
            /// The work of each thread, by their numbers.
            var running: [Taken?] = []
            var isClosed = false

            /// `ended` is what the thread did before; nil once that is reported.
            mutating func take(after ended: inout Ended?, on thread: Int) -> Step? {
                if let done = ended { report(done) }
                ended = nil
                let isClosed = isClosed
                let stuck = waiting.hasLarge ? stuck : (0, 0)
                let next = waiting.popFirst(isDropped: { isClosed || $0.isCancelled }, stuck: stuck)
                if thread >= running.count { running += Array(repeating: nil, count: thread + 1 - running.count) }
                running[thread] = next
                guard let next else { return isClosed && waiting.count == 0 ? .end : nil }
                return .work(next, skip: isClosed || next.element.isCancelled)
            }

            /// The room of work that was cancelled and has not ended.
            private var stuck: (slots: Int, memory: Int) {
                SlotNeeds.sum(running.compactMap { $0 }.filter(\.element.isCancelled).map(\.needs))
            }

            private mutating func report(_ ended: Ended) {
                if let needs = ended.postponed {
                    waiting.postpone(ended.work, until: needs)
                } else {
                    waiting.ended(ended.work, seconds: ended.seconds)
                }
            }
        }
        private enum Step {
            case work(Taken, skip: Bool)
            case end
        }
        private struct Ended {
            var work: Taken
            var seconds: Double
            /// Its needs if it is to be done later.
            var postponed: SlotNeeds?
        }
        private let state: Locked<State>
        private let signal = LockSignal()

        init(memory: Int) { state = Locked(State(waiting: FairQueue(SlotRoom(memory: memory)))) }

        func use(slots: Int) { state.withLock { $0.waiting.use(slots: slots) } }

        func obstacle(to needs: SlotNeeds) -> String? { state.withLock { $0.waiting.room.obstacle(to: needs) } }

        /// - Returns: false if the queue is closed.
        func append(_ work: [some ScanWork]) -> Bool {
            let isOpen = state.withLock { state in
                if !state.isClosed {
                    for item in work {
                        state.waiting.append(item, of: item.owner, weight: item.weight, needs: item.needs)
                    }
                }
                return !state.isClosed
            }
            if work.count == 1 { signal.wakeOne() } else { signal.wakeAll() }
            return isOpen
        }

        func cancelled() {
            if state.withLock({ $0.waiting.hasLarge }) { signal.wakeAll() }
        }

        func close() {
            state.withLock { $0.isClosed = true }
            signal.wakeAll()
        }

        /// Does the work until the queue is closed and empty.
        func work(_ thread: Int) {
            var ended: Ended?
            // Work that waited in the queue begins when the work before it ends: one reading of the clock serves both.
            var (start, polls) = (DispatchTime.now().uptimeNanoseconds, 0)
            while case .work(let work, let skip) = state.wait(
                for: signal,
                { state in
                    polls += 1
                    // The room of large work may be enough for several threads.
                    if let ended, ended.postponed != nil || ended.work.needs != .one { signal.wakeAll() }
                    return state.take(after: &ended, on: thread)
                })
            {
                if polls > 1 { start = DispatchTime.now().uptimeNanoseconds }
                var isDone = true
                if skip { work.element.skip() } else { isDone = work.element.scan() }
                let end = DispatchTime.now().uptimeNanoseconds
                ended = Ended(
                    work: work, seconds: Double(end - start) * 1e-9,
                    postponed: isDone ? nil : work.element.needs ?? .one)
                (start, polls) = (end, 0)
            }
        }
    }
}

/// A pthread that does the work of a queue.
private enum ScanThread {
    private final class Start: Sendable {
        let queue: ScanThreads.WaitingWork
        let number: Int
        let niceness: Int
        init(queue: ScanThreads.WaitingWork, number: Int, niceness: Int) {
            self.queue = queue
            self.number = number
            self.niceness = niceness
        }
    }

    static func start(
        _ queue: ScanThreads.WaitingWork, number: Int, niceness: Int, stackSize: Int
    ) -> pthread_t? {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        let start = Unmanaged.passRetained(Start(queue: queue, number: number, niceness: niceness))
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
        start.queue.work(start.number)
        return nil
    }
}
